"""Numeric models: forward passes, losses and exact gradients, over one flat parameter vector each.

Every model has the methods of ``Network``; ``load`` gives back what ``model.save`` has written.
"""

from throughtime.models import activations
from throughtime.models.files import load
from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.network import Network
from throughtime.models.online import OnlineGradient
from throughtime.models.parameters import Layout, LossGradient
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.recurrent import FullyRecurrent
from throughtime.models.simple_recurrent import Elman, Jordan

__all__ = [
    "LFMN", "LSTM1997", "Elman", "FullyRecurrent", "Jordan", "Layout", "LossGradient", "Network",
    "OnlineGradient", "PeepholeLSTM", "activations", "load",
]  # fmt: skip
