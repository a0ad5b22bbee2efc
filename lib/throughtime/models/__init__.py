"""The LSTMs in numbers: forward passes, losses and gradients, over one flat parameter vector each."""

from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM

__all__ = ["LSTM1997", "PeepholeLSTM"]
