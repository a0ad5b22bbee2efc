"""Formulas as LaTeX and as text, in the order and the lines of a textbook."""
