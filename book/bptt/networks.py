"""Error flow of a recurrent network as a product of matrices, and networks held at constant net inputs.

Going back one step, the error at unit l is multiplied by w[k, l] f'(z_l) on its way from unit k. These factors, one
matrix a step, are the *links*; their product is the *flow* (bptt-12 to bptt-14, lstm97-20 to lstm97-22)::

    flow(n)[u, v] = d z_u(t) / d z_v(t-n) = (L_1 L_2 ... L_n)[u, v],    L_m[k, l] = w[k, l] f'(z_l(t-m))

>>> held = Held([[8.0, 8.0], [-8.0, -8.0]], [0.0, 0.0], logistic)     # every link is 2 or -2 ...
>>> held.flow(2).tolist()                                              # ... and the paths cancel
[[[1.0, 0.0], [0.0, 1.0]], [[2.0, 2.0], [-2.0, -2.0]], [[0.0, 0.0], [0.0, 0.0]]]
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Matrix, Rational
from throughtime.arrays.activations import ActivationFunction, logistic, tanh
from throughtime.textbook.recurrent import FullyRecurrent

Floats = NDArray[np.float64]


def links(weights: ArrayLike, slopes: ArrayLike) -> Floats:
    """The factors of every step back, shape (n, d, d), from weights (d, d), to unit (row) from unit (column).

    Row m-1 of ``slopes``, shape (n, d), holds f'(z(t-m)).
    """
    return np.asarray(weights, float)[None] * np.asarray(slopes)[:, None, :]


def flow(steps: Floats) -> Floats:
    """The products of the first 0, 1, ..., n links, shape (n+1, d, d), from links of shape (n, d, d)."""
    reached = [np.eye(steps.shape[1])]
    for link in steps:
        reached.append(reached[-1] @ link)
    return np.array(reached)


def norms(flows: ArrayLike) -> Floats:
    """Largest singular value of every matrix of a flow, (..., d, d): the largest growth of an error."""
    return np.linalg.norm(np.asarray(flows, float), ord=2, axis=(-2, -1))


def largest_singular_value(weights: ArrayLike) -> float:
    """The operator norm of a square matrix."""
    return float(norms(weights))


def spectral_radius(weights: ArrayLike) -> float:
    """The largest modulus of an eigenvalue of a square matrix."""
    return float(np.abs(np.linalg.eigvals(weights)).max())


@dataclass(frozen=True)
class Held:
    """A network that its inputs hold at the net inputs ``at``: every step of the error flow has the same links.

    Every unit has one input line of weight 1, and the input makes up for what the other units send. This is how a
    counterexample is a network, and not only a matrix. ``weights`` are (d, d), to unit (row) from unit (column), and
    ``at`` is (d,); all units have one activation.
    """

    weights: ArrayLike
    at: ArrayLike
    activation: ActivationFunction
    words: str = ""

    @property
    def slopes(self) -> Floats:
        """f'(z) of every unit."""
        return self.activation.derivative(self.at)

    @property
    def gamma(self) -> float:
        """The largest slope the activation can have (bptt-17, lstm97-25)."""
        return self.activation.max_slope

    @property
    def link(self) -> Floats:
        """The factors of one step back, shape (d, d)."""
        return self.weights * self.slopes

    def flow(self, lag: int) -> Floats:
        """The flow 0, 1, ..., lag steps back, shape (lag+1, d, d)."""
        return flow(np.repeat(self.link[None], lag, axis=0))

    @cached_property
    def model(self) -> FullyRecurrent:
        """The network itself."""
        return FullyRecurrent(len(self.weights), len(self.weights), activation=self.activation)

    @property
    def theta(self) -> Floats:
        """Its parameters: input weights 1 on the diagonal, then the weights."""
        return self.model.layout.flatten({"W": np.hstack([np.eye(len(self.weights)), self.weights])})

    def inputs(self, steps: int) -> Floats:
        """The inputs that hold it, shape (steps, d): the first finds y = 0, the others y = f(at)."""
        back = np.asarray(self.at) - np.asarray(self.weights) @ self.activation(self.at)
        return np.vstack([self.at, np.tile(back, (steps - 1, 1))])

    def measured_flow(self, lag: int) -> Floats:
        """The flow of that lag from the model's own forward pass, shape (d, d)."""
        return self.model.error_flow(self.theta, self.inputs(lag + 1), lag + 1, 1)

    def exact_flow(self, lag: int) -> Matrix:
        """The flow of logistic units at rest, where each slope is 1/4, in rational numbers."""
        return Matrix([[Rational(str(weight)) / 4 for weight in row] for row in np.asarray(self.weights)]) ** lag

    def flow_is_measured(self) -> bool:
        """Whether the library's network, run on the inputs that hold it, has the flow of its links."""
        flow = self.flow(12)
        return np.allclose(self.measured_flow(12), flow[-1], rtol=1e-12, atol=1e-12 * norms(flow).max())


@dataclass(frozen=True)
class Free:
    """A network of logistic units without inputs, left to itself from y(0) = 0: its links change from step to step."""

    weights: ArrayLike
    words: str = ""

    @property
    def w_max(self) -> float:
        """The largest modulus of a weight."""
        return float(np.abs(self.weights).max())

    def measured_flow(self, lag: int) -> Floats:
        """The flow of that lag back to time 1, from the model's own forward pass on inputs of 0, shape (d, d)."""
        units = len(self.weights)
        model = FullyRecurrent(1, units, activation=logistic)
        theta = model.layout.flatten({"W": np.hstack([np.zeros((units, 1)), self.weights])})
        return model.error_flow(theta, np.zeros((lag + 1, 1)), lag + 1, 1)


def free(seed: int) -> Free:
    """A network of 30 units without inputs whose weights are drawn uniformly from (-4, 4)."""
    weights = np.random.default_rng(seed).uniform(-4, 4, (30, 30))
    return Free(weights, "30 logistic units without inputs, weights uniform in (-4, 4)")


def _saturated(weight: float) -> float:
    """The net input at which one tanh unit with that self weight, above 1, rests: z = w tanh(z)."""
    z = weight
    for _ in range(200):
        z = weight * float(np.tanh(z))
    return z


EQUAL = Held([[3.6, 3.6], [3.6, 3.6]], [0, 0], logistic, "two logistic units, all weights 3.6")
EQUAL_3 = Held(np.full((3, 3), 2.0), [0, 0, 0], logistic, "three logistic units, all weights 2")
CANCELLING = Held([[8, 8], [-8, -8]], [0, 0], logistic, "two logistic units, weights 8 and -8")
CANCELLING_COLUMNS = Held([[6, -6], [6, -6]], [0, 0], logistic, "two logistic units, weights 6 and -6")
CHAIN = Held([[0, 8], [0, 0]], [0, 0], logistic, "two logistic units, one connection of weight 8")
TRANSIENT = Held([[0.9, 3.0], [0, 0.9]], [0, 0], tanh, "two tanh units with self weights 0.9, one reads the other")
SATURATED = Held([[2.0]], [_saturated(2.0)], tanh, "one saturated tanh unit of self weight 2")
UNEVEN = Held([[2, -2], [2, -2]], [0, 3], tanh, "two tanh units, one of them saturated")

COUNTEREXAMPLES = (EQUAL, EQUAL_3, CANCELLING, CANCELLING_COLUMNS, CHAIN, TRANSIENT, SATURATED, UNEVEN)
"""Networks that stand in the gaps between the conditions on factors, norms and eigenvalues."""

UNFORCED = free(2)
"""All weights are below 4 and no input holds anything, yet the flow grows."""
