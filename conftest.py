"""The order in which tests and notebooks run, and the plugin that compares the pictures of notebooks."""

from collections import Counter

import pytest

pytest_plugins = ["nbval_pictures"]  # only a conftest.py of this folder may name plugins

# Files that take long start first, so that no worker is left with one while the others have nothing to do. Before all
# others one that runs every loop of the models: what comes later finds the loops compiled, and no two workers compile
# the same one.
FIRST = (
    *("models/test_interface.py", "beyond/gated-cells.ipynb", "beyond/online-rules.ipynb", "lstm1997/paper.ipynb"),
    *("derivation/test_fuzz.py", "derivation/test_whole_cells.py", "beyond/diagonal-recurrence.ipynb"),
    *("lstm1997/derivatives.ipynb", "oracles/test_lstm_torch.py", "lstm1997/updates.ipynb", "book/test_figures.py"),
    *("programs/test_build.py", "bptt/vanishing.ipynb", "reference/from-equation-to-code.ipynb"),
    *("lfmn/forgetting.ipynb", "lfmn/gradients.ipynb", "tools/test_make.py", "shared/test_killed.py"),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        rank = next((n for n, name in enumerate(FIRST) if item.path.as_posix().endswith(name)), len(FIRST))
        return rank, item.path.suffix == ".py", -tests[item.path], str(item.path)

    items.sort(key=place)
