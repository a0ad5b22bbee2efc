"""The order in which tests and notebooks run, and the plugin that compares the pictures of notebooks."""

from collections import Counter

import pytest

pytest_plugins = ["nbval_pictures"]  # only a conftest.py of this folder may name plugins

# Files that take long start first, so that no worker is left with one while the others have nothing to do.
FIRST = (
    *("book/test_figures.py", "beyond/gated-cells.ipynb", "beyond/online-rules.ipynb"),
    *("lstm1997/paper.ipynb", "lstm1997/derivatives.ipynb", "beyond/diagonal-recurrence.ipynb"),
    *("programs/test_build.py", "fuzz/test_sample.py", "lstm1997/updates.ipynb", "programs/test_parts.py"),
    *("beyond/test_online_rules_experiment.py", "bptt/vanishing.ipynb", "reader/test_boxes.py"),
    *("beyond/test_diagonal_recurrence.py", "beyond/test_gated_cells.py", "lfmn/forgetting.ipynb"),
    *("beyond/test_diagonal_recurrence_experiment.py", "lfmn/gradients.ipynb", "reading/test_derived_cells.py"),
    *("lfmn/test_planted_slips.py", "reading/test_judged_formulas.py", "tools/test_make.py", "shared/test_killed.py"),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        rank = next((n for n, name in enumerate(FIRST) if item.path.as_posix().endswith(name)), len(FIRST))
        return rank, item.path.suffix == ".py", -tests[item.path], str(item.path)

    items.sort(key=place)
