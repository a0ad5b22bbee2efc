"""Tasks: sequences with labels, drawn from a seed. Each states its lines, its noise and its labels."""

from throughtime.tasks._draw import AtEnd, Labelled

__all__ = ["AtEnd", "Labelled"]
