"""Gradients through time: derivations that check themselves, and the numeric models to check them against."""

__version__ = "0.1.0"
