"""Networks in NumPy as their papers print them: forward passes, losses and gradients, over a flat parameter vector.

Every network has the methods of ``Network``.
"""

from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM

__all__ = ["LSTM1997", "PeepholeLSTM"]
