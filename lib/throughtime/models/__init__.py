"""Numeric models: forward passes, losses and exact gradients, over one flat parameter vector each.

Every model has the methods of ``Network``.
"""

from throughtime.models.lfmn import LFMN
from throughtime.models.recurrent import FullyRecurrent
from throughtime.models.simple_recurrent import Elman, Jordan

__all__ = ["LFMN", "Elman", "FullyRecurrent", "Jordan"]
