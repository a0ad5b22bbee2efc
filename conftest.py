"""The order in which tests and notebooks run, and the plugin that compares the pictures of notebooks."""

from collections import Counter

import pytest

pytest_plugins = ["nbval_pictures"]  # only a conftest.py of this folder may name plugins

# Files that take long start first, so that no worker is left with one while the others have nothing to do.
FIRST = (
    *("reading/test_judged_formulas.py", "lstm1997/tables.ipynb", "reading/test_reported_cases.py"),
    *("experiments/test_tables.py", "peephole/gradients.ipynb", "lstm1997/updates.ipynb"),
    *("beyond/diagonal-recurrence.ipynb", "lfmn/gradients.ipynb", "lfmn/gradients-in-print.ipynb"),
    *("lstm1997/derivatives.ipynb", "lstm1997/derivatives-in-print.ipynb", "lstm1997/truncation.ipynb"),
    *("programs/test_build.py", "book/test_figures.py", "fuzz/test_sample.py", "experiments/test_runs.py"),
    *("lstm1997/paper-appendix-in-print.ipynb", "lstm1997/cell.ipynb", "beyond/gated-cells.ipynb"),
    *("beyond/test_online_rules_experiment.py", "peephole/test_error_flow.py", "experiments/test_nets.py"),
    *("beyond/test_diagonal_recurrence_experiment.py", "programs/test_networks.py", "programs/test_parts.py"),
    *("tools/test_make.py", "shared/test_killed.py", "reader/test_boxes.py"),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        rank = next((n for n, name in enumerate(FIRST) if item.path.as_posix().endswith(name)), len(FIRST))
        return rank, item.path.suffix == ".py", -tests[item.path], str(item.path)

    items.sort(key=place)
