"""Activations without branches, for programs that compute several numbers at once in the lanes of a processor.

Their text is copied into such programs. Errors are those of a few roundings, relative to the value.
"""

import numpy as np


def _power(z):
    """2**k and p with exp(z) = 2**k (1 + p): k set into the bits of a number, p a polynomial on [-ln(2)/2, ln(2)/2].

    From exp(z) < 2**-1022 on 2**k is 0, from exp(z) > 2**1023.5 on it is infinite.
    """
    z = min(max(z, -709.0), 710.0)
    shifted = z * 1.4426950408889634 + 6755399441055744.0  # 1.5 * 2**52: its last bits are the nearest whole number
    k = shifted - 6755399441055744.0
    r = (z - k * 0.6931471803691238) - k * 1.9082149292705877e-10  # ln(2) in two parts, the first exact times k
    r2 = r * r
    r4 = r2 * r2
    low = r2 * (0.5 + r * 0.16666666666666666)
    middle = (0.041666666666666664 + r * 0.008333333333333333) + r2 * (0.001388888888888889 + r * 0.0001984126984126984)
    high = (2.48015873015873e-05 + r * 2.7557319223985893e-06) + r2 * (
        2.755731922398589e-07 + r * 2.505210838544172e-08
    )
    top = 2.08767569878681e-09 + r * 1.6059043836821613e-10
    power = np.int64((np.float64(shifted).view(np.int64) << 52) + (1023 << 52)).view(np.float64)
    return power, r + (low + r4 * (middle + r4 * (high + r4 * top)))


def _exp(z):
    power, p = _power(z)
    return power * (1.0 + p)


def _logistic(z):
    decay = _exp(-abs(z))
    return (1.0 if z >= 0.0 else decay) / (1.0 + decay)


def _logistic_slope(z):
    decay = _exp(-abs(z))
    return decay / ((1.0 + decay) * (1.0 + decay))


def _tanh(z):
    power, p = _power(-2.0 * abs(z))
    fallen = (1.0 - power) - power * p  # 1 - exp(-2 |z|), without loss near 0
    return (1.0 if z >= 0.0 else -1.0) * fallen / (2.0 - fallen)
