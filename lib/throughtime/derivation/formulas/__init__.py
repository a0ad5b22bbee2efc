"""Formulas in index notation: domains, nodes, their rules of rewriting and their normal form."""
