"""Functions that are what their names say: those of the engine, and the two activations with a slope of their own."""

from __future__ import annotations

from operator import truediv

from sympy import Add, Mul

from throughtime.derivation import exp, log, maximum, minimum, relu, sqrt
from throughtime.derivation.formulas.functions import Elementary

sigma = Elementary("sigma", lambda value, z: value * (1 - value), r"\sigma")
tanh = Elementary("tanh", lambda value, z: 1 - value**2, r"\tanh")
ACTIVATIONS = {"sigma": sigma, "tanh": tanh, "relu": relu}
KNOWN = {"exp": exp, "log": log, "sqrt": sqrt}
COMBINED = {"sum": Add, "elementwise": Mul, "quotient": truediv, "max": maximum, "min": minimum}
