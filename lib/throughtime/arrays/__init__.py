"""What networks in numbers share: checks of arguments, layouts of parameters, activations, the methods of a network."""

from throughtime.arrays import activations
from throughtime.arrays.network import Network
from throughtime.arrays.parameters import Layout, LossGradient

__all__ = ["Layout", "LossGradient", "Network", "activations"]
