"""The order in which tests and notebooks run, the plugin for notebooks, and how often garbage is looked for."""

import gc
from collections import Counter

import pytest

pytest_plugins = ["nbval_pictures", "forked_kernels"]  # only a conftest.py of this folder may name plugins

# Files that take long start first, so that no worker is left with one while the others have nothing to do.
FIRST = (
    *("reading/test_judged_formulas.py", "lstm1997/tables.ipynb", "reading/test_reported_cases.py"),
    *("experiments/test_tables.py", "peephole/gradients.ipynb", "lstm1997/updates.ipynb"),
    *("beyond/diagonal-recurrence.ipynb", "lfmn/gradients.ipynb", "lfmn/gradients-in-print.ipynb"),
    *("lstm1997/derivatives.ipynb", "lstm1997/derivatives-in-print.ipynb", "lstm1997/truncation.ipynb"),
    *("programs/test_build.py", "fuzz/test_sample.py", "experiments/test_runs.py"),
    *("lstm1997/paper-appendix-in-print.ipynb", "lstm1997/cell.ipynb", "beyond/gated-cells.ipynb"),
    *("beyond/test_online_rules_experiment.py", "peephole/test_error_flow.py", "experiments/test_nets.py"),
    *("beyond/test_diagonal_recurrence_experiment.py", "programs/test_networks.py", "programs/test_parts.py"),
    *("tools/test_make.py", "shared/test_killed.py", "reader/test_boxes.py"),
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Counter(item.path for item in items)
    ranks = {
        path: next((n for n, name in enumerate(FIRST) if path.as_posix().endswith(name)), len(FIRST)) for path in tests
    }

    def place(item: pytest.Item) -> tuple:
        return ranks[item.path], item.path.suffix == ".py", -tests[item.path], str(item.path)

    items.sort(key=place)


# Formulas are millions of small objects and hardly a cycle: garbage is looked for less often, and not among what is
# imported and collected.
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
