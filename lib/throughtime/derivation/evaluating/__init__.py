"""Formulas as numbers: on witnesses, and on the unrolled system in exact arithmetic."""
