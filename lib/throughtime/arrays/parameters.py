"""All parameters of a model in one flat vector, with named and shaped views of it.

Optimizers, clipping and gradient checks see the vector; forward passes and derivatives see the views.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from throughtime.arrays import validate

LARGEST_SCALE = sys.float_info.max / 2


@dataclass(frozen=True, init=False)
class Layout:
    """Layout of named arrays in the flat vector: in the order of ``shapes``, each in C order, no gaps.

    >>> layout = Layout({"w": (2, 3), "u": (2,)})
    >>> layout.size, layout.slice("u")
    (8, slice(6, 8, None))
    >>> layout.labels()[5:]
    ('w[1, 2]', 'u[0]', 'u[1]')

    Raises TypeError or ValueError if a name is no identifier or a length no integer of at least 0.
    """

    arrays: tuple[tuple[str, tuple[int, ...]], ...]  # (name, shape) in order

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        if not isinstance(shapes, Mapping):
            raise TypeError(f"shapes: expected a mapping from names to shapes, got {type(shapes).__name__}")
        arrays = []
        for name, shape in shapes.items():
            if not isinstance(shape, tuple | list):
                raise TypeError(f"shapes[{name!r}]: expected a tuple of lengths, got {shape!r}")
            if not (isinstance(name, str) and name.isidentifier()):
                raise ValueError(f"shapes: expected names that are identifiers, got {name!r}")
            arrays.append((name, tuple(validate.count(f"shapes[{name!r}]", length) for length in shape)))
        object.__setattr__(self, "arrays", tuple(arrays))

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array, by name."""
        return dict(self.arrays)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays, in order."""
        return tuple(self.shapes)

    @cached_property
    def _slices(self) -> dict[str, slice]:
        bounds = pairwise(accumulate(map(prod, self.shapes.values()), initial=0))
        return {name: slice(*ends) for name, ends in zip(self.shapes, bounds, strict=True)}

    @cached_property
    def size(self) -> int:
        """Length of the flat vector."""
        return sum(map(prod, self.shapes.values()))

    def slice(self, name: str) -> slice:
        """Slice of the array ``name`` in the flat vector. ValueError for an unknown name."""
        return self._slices[validate.one_of("name", name, self.shapes)]

    def index(self, name: str, *position: int) -> int:
        """Index of one component in the flat vector: that of w[1, 2] is ``index("w", 1, 2)``."""
        shape = self.shapes[validate.one_of("name", name, self.shapes)]
        inside = len(position) == len(shape) and all(0 <= i < n for i, n in zip(position, shape, strict=True))
        if not inside:
            raise ValueError(f"position: expected an index into {name} of shape {shape}, got {position}")
        return self.slice(name).start + sum(i * prod(shape[axis + 1 :]) for axis, i in enumerate(position))

    def labels(self) -> tuple[str, ...]:
        """The name of each component of the flat vector, indices from zero: ``"w[1, 2]"``."""
        return tuple(
            name + (str(list(position)) if shape else "")
            for name, shape in self.shapes.items()
            for position in np.ndindex(*shape)
        )

    def uniform(self, seed: int | np.random.Generator, scale: float) -> np.ndarray:
        """A vector drawn uniformly from [-scale, scale].

        seed    an integer of at least 0, or a generator
        scale   above 0, at most ``LARGEST_SCALE``, so that 2 scale is a number

        TypeError or ValueError for a bad seed or scale.
        """
        scale = validate.number("scale", scale, "(0, inf)")
        if scale > LARGEST_SCALE:
            raise ValueError(f"scale: expected at most {LARGEST_SCALE}, half the largest float64, got {scale}")
        rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(validate.count("seed", seed))
        return rng.uniform(-scale, scale, self.size)

    def views(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        """Each array as a view of ``theta`` (no copy): writing to one writes to the other.

        ``theta`` is a float64 or complex128 vector of length ``size``. TypeError for another type,
        ValueError for a wrong length, NaN or infinity.
        """
        return self.split(validate.flat_vector("theta", theta, self.size, allow_complex=True))

    def split(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        """``views`` of a vector that is known to fit; nothing is checked."""
        return {name: theta[self._slices[name]].reshape(shape) for name, shape in self.arrays}

    def flatten(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """The flat vector (a new one) that holds ``arrays``: the inverse of ``views``.

        Every name must be given, and none besides; each shape must fit. ValueError or TypeError otherwise.
        """
        if not isinstance(arrays, Mapping):
            raise TypeError(f"arrays: expected a mapping from names to arrays, got {type(arrays).__name__}")
        if set(arrays) != set(self.shapes):
            raise ValueError(f"arrays: expected the names {list(self.shapes)}, got {list(arrays)}")
        checked = [
            validate.array(name, arrays[name], shape, allow_complex=True).ravel() for name, shape in self.shapes.items()
        ]
        return np.concatenate(checked) if checked else np.zeros(0)


@dataclass(frozen=True)
class LossGradient:
    """A loss and its gradient with respect to the flat parameter vector, with the method that computed them."""

    loss: float
    gradient: np.ndarray
    method: str
