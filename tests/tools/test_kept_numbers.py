"""Numbers in prose: written before their marks, and compared by the guard of the pages."""

import nbformat
import pytest
from book.shared.kept import keep
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from page_guards import numbers_in_sight, other_numbers
from run_notebooks import write_numbers


def page(prose: str, **numbers: object) -> nbformat.NotebookNode:
    output = new_output("execute_result", keep(**numbers)._repr_mimebundle_(), execution_count=1)
    kept = new_code_cell("keep()", outputs=[output], metadata={"tags": ["remove-cell"]})
    return new_notebook(cells=[new_markdown_cell(prose), kept])


def test_numbers_are_written_and_what_differs_is_a_fault(tmp_path):
    pages = {"a/one": page("1 of <!-- all -->, $-0.5$<!-- c --> (7<!-- b/two:n --> %)", all="1,200", c="-1e-7")}
    pages["b/two"] = page("no mark", n=9)
    assert len([*other_numbers(pages)]) == 3
    for name, notebook in pages.items():
        (tmp_path / name).parent.mkdir()
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    write_numbers(tmp_path)
    found = {name: nbformat.read(tmp_path / f"{name}.ipynb", as_version=4) for name in pages}
    told = "1 of 1,200<!-- all -->, $-1e-7$<!-- c --> (9<!-- b/two:n --> %)"
    assert found["a/one"].cells[0].source == told
    assert [*other_numbers(found)] == [*numbers_in_sight(found["a/one"])] == []


def test_what_is_told_or_kept_without_the_other_or_in_sight_is_a_fault():
    lost = [*other_numbers({"a": page("5<!-- m -->", n=5)})]
    assert lost == ["a says 5 for a:m, kept is None (make update-outputs)", "no page tells a:n"]
    twice = page("5<!-- n -->", n=5)
    twice.cells.append(new_code_cell("keep()", outputs=twice.cells[1].outputs))
    assert [*other_numbers({"a": twice})] == ["a:n is kept 2 times"]
    assert [*numbers_in_sight(twice)] == ["cell 2 keeps numbers in sight: give it the tag remove-cell"]


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match=r"numbers: expected each .* got \{'n': 'ten'\}"):
        keep(m=1, n="ten")
