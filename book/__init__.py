"""The code of the book: what each chapter computes, claims and draws, beside its notebook. No part of the wheel.

Importing it registers the project's list, titles, tags and grades, so that a cell judges a statement by its id alone.
"""

from book.reference.ledger import listed
from throughtime.derivation import register

register({row.id: row.source for row in listed()})
