"""Numeric models: forward passes, losses and exact gradients, over one flat parameter vector each.

Every model has the methods of ``Network``.
"""

from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.recurrent import FullyRecurrent
from throughtime.models.simple_recurrent import Elman, Jordan

__all__ = ["LFMN", "LSTM1997", "Elman", "FullyRecurrent", "Jordan", "PeepholeLSTM"]
