"""The page on the library: its code runs and does what it says, and its tables name what there is."""

import contextlib
import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest
import throughtime as tt

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "book" / "reference" / "library.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> tuple[dict, str]:
    """The names that the code of the library page leaves behind, run from above, and what it prints."""
    names: dict = {}
    printed = io.StringIO()
    with contextlib.chdir(tmp_path_factory.mktemp("library")), contextlib.redirect_stdout(printed):
        for block in re.findall(r"```python\n(.*?)```", PAGE, re.S):
            exec(compile(block, "library.md", "exec"), names)
    return names, printed.getvalue()


def test_library_page_trains_a_net_that_learns(ran):
    names, printed = ran
    comment = re.search(r"print\(f.*  # (.*)", PAGE)[1]
    assert printed.splitlines()[0] == comment
    assert names["right"].mean() == 1.0
    assert names["result"].loss < 1


def test_library_page_learns_online(ran):
    names, _ = ran
    assert names["online"].time == 12
    assert 0 < np.abs(names["online"].theta - names["theta"]).max() < 0.1


def test_library_page_says_which_blocks_are_wrong(ran):
    names, printed = ran
    exact = printed.splitlines()[1:]
    assert len(exact) == len(names["net"].layout.shapes)
    assert all(line.endswith("right") for line in exact)
    assert set(names["report"].wrong) == set(names["net"].layout.shapes) - {"w_out", "b_out"}


def test_library_page_judges_a_statement(ran):
    names, _ = ran
    assert names["judged"].verdict == "corrected"
    assert names["judged"].counterexample


def test_library_page_has_every_model_with_its_arguments_and_methods():
    rows = re.findall(r"^\| (`tt\.[A-Z].*?`) \| `(n_in.*?)` \| .*? \| (.*?) \|$", PAGE, re.M)
    shown = {name: (given, how) for some, given, how in rows for name in re.findall(r"tt\.(\w+)", some)}
    exported = {name: getattr(tt.textbook, name) for name in tt.textbook.__all__}
    networks = {name for name, value in exported.items() if inspect.isclass(value) and hasattr(value, "METHODS")}
    assert shown.keys() == networks
    for name, (given, how) in shown.items():
        names = [argument.partition("=")[0] for argument in re.sub(r"\([^)]*\)", "", given).split(", ")]
        assert names == list(inspect.signature(exported[name]).parameters)[: len(names)]
        assert set(re.findall(r"\b(bptt|rtrl|truncated)\b", how)) == set(exported[name].METHODS)


def test_library_page_names_classes_of_the_front_door():
    names = set(re.findall(r"\btt\.(\w+)", PAGE))
    assert names <= set(dir(tt))
    assert {"Adam", "IRpropPlus", "gradcheck", "Bench"} <= names


def test_library_page_names_every_package_and_nothing_that_is_not_there():
    text = PAGE.split("| in `throughtime` |")[1]
    first_column = [row.split("|")[1] for row in text.split("Imports point")[0].splitlines() if row.startswith("| [`")]
    named = set(re.findall(r"`([a-z_]+)", " ".join(first_column)))
    folder = ROOT / "lib" / "throughtime"
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert named <= packages | {path.stem for path in folder.glob("*.py")}
    assert packages <= named
