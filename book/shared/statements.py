"""The list of statements, as benches and claims take it: titles, tags and grades come from it by the id alone."""

from functools import partial

from book.reference.ledger import listed
from throughtime import derivation

SOURCES = {row.id: row.source for row in listed()}

claim = partial(derivation.claim, sources=SOURCES)
