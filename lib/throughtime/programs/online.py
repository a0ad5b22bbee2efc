"""What a compiled network carries forward, one time step after another."""

from __future__ import annotations

import numpy as np

from throughtime.arrays.online import OnlineGradient


class CompiledOnline(OnlineGradient):
    """What is carried forward: the states of the present step and of those before it that are read, and derivatives."""

    __slots__ = ("_arrays",)

    def _start(self) -> None:
        model, method = self._model, self._method
        (_, steps), _ = model._written(method)
        arrays = model._new(steps, 0)
        self._arrays = arrays[: len(arrays) - len(self._gradient)]
        self._memory = tuple(self._arrays)
        self._watched = {name: self._arrays[[*steps.arrays].index(name)] for name in model.STATES}
        nothing = (np.zeros((0, width)) for width in (model.n_in, model.n_out, model._n_mask))
        model._module(method, 0).start(0, *model._shared(self._weights, *nothing), *self._arrays, *self._gradient)

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        shared = self._model._shared(self._weights, x, targets, mask)
        return self._model._module(self._method, len(x)).steps(len(x), *shared, *self._arrays, *self._gradient)

    def __getattr__(self, name: str) -> np.ndarray:
        """A state of the present step, a copy."""
        if name.startswith("_"):  # of an object that is not whole yet, as in a copy
            raise AttributeError(name)
        if name in self._watched:
            return self._watched[name].copy()
        raise AttributeError(f"no attribute {name!r}; the states are {sorted(self._watched)}")
