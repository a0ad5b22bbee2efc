"""The networks of the notes in NumPy, as their papers print them: forward pass, loss, exact and truncated gradients.

Every network has the methods of ``Network``. They know nothing of the derivation engine: its formulas and programs are
compared with them.
"""

from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM
from throughtime.textbook.recurrent import FullyRecurrent
from throughtime.textbook.simple_recurrent import Elman, Jordan

__all__ = ["LFMN", "LSTM1997", "Elman", "FullyRecurrent", "Jordan", "PeepholeLSTM"]
