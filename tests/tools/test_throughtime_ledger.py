"""The ledger as JSON: every judged statement, in the form that its schema promises."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from book.reference.ledger import read_book
from jsonschema import ValidationError, validate
from throughtime_ledger import write

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "web" / "static" / "ledger.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> dict:
    site = tmp_path_factory.mktemp("site")
    (site / "_static").mkdir()
    write(SimpleNamespace(srcdir=ROOT, outdir=site, builder=SimpleNamespace(format="html")), None)
    return json.loads((site / "_static" / "ledger.json").read_text(encoding="utf-8"))


def test_it_is_what_the_schema_says(ledger: dict) -> None:
    validate(ledger, SCHEMA)
    first, *_ = ledger["statements"]
    for broken in ({"verdict": "true"}, {"more": 1}):
        with pytest.raises(ValidationError):
            validate(ledger | {"statements": [first | broken]}, SCHEMA)


def test_every_statement_stands_in_it_with_the_address_of_its_box(ledger: dict) -> None:
    judged = read_book()
    assert [row["id"] for row in ledger["statements"]] == [item.id for item in judged]
    shared = next(row for item, row in zip(judged, ledger["statements"], strict=True) if item.box != item.id)
    assert shared["url"] == f"book/{shared['page']}.html#{shared['id']}"
