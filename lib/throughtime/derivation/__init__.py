"""Gradients of recurrences in index notation: derived, printed, unrolled and checked. Needs SymPy only."""

from . import printing as printing
