"""Vectors and matrices in the loops of all networks, compiled where Numba is at hand.

Complex numbers pass; nothing is conjugated. A matrix beside a vector may have more columns than the vector has entries.
"""

from math import isfinite

from throughtime.models._jit import kernel


@kernel
def multiply(matrix, vector, result):
    """result[r] = sum over c of matrix[r, c] vector[c]."""
    for r in range(matrix.shape[0]):
        total = 0.0
        for c in range(len(vector)):
            total += matrix[r, c] * vector[c]
        result[r] = total


@kernel
def add_outer(delta, source, gradient):
    """gradient[r, c] += delta[r] source[c]."""
    for r in range(gradient.shape[0]):
        for c in range(len(source)):
            gradient[r, c] += delta[r] * source[c]


@kernel
def add_multiple(factor, matrix, result):
    """result += factor matrix."""
    for i in range(result.shape[0]):
        for j in range(result.shape[1]):
            result[i, j] += factor * matrix[i, j]


@kernel
def output_error(act, target, mask, error):
    """Set ``error`` to the immediate dL/dy_i of one step; return the loss of that step."""
    loss = 0.0
    for i in range(len(error)):
        difference = act[i] - target[i]
        error[i] = mask[i] * difference  # bptt-3
        loss += 0.5 * mask[i] * difference * difference  # bptt-1
    return loss


@kernel
def finite(values):
    """Whether all real numbers of a vector are finite."""
    found = True
    for value in values:
        found = found and isfinite(value)
    return found
