"""Gradients through time: derivations that check themselves, and the numeric models they are checked against."""

__version__ = "0.1.0"
