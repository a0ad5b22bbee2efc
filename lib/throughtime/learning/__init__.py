"""How weights change: optimizers and gradient clipping, over flat vectors of parameters."""

from throughtime.learning.clipping import clip_by_block, clip_by_norm, clip_by_value, norm
from throughtime.learning.optimizers import (
    Adam,
    GradientDescent,
    IRpropMinus,
    IRpropPlus,
    Momentum,
    Optimizer,
    PrintedRprop,
    RpropMinus,
    RpropPlus,
)

__all__ = [
    "Adam", "GradientDescent", "IRpropMinus", "IRpropPlus", "Momentum", "Optimizer", "PrintedRprop", "RpropMinus",
    "RpropPlus", "clip_by_block", "clip_by_norm", "clip_by_value", "norm",
]  # fmt: skip
