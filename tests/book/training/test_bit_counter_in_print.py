"""What is printed about the bit counter: the sum over a batch, and the judge of long sequences."""

from book.shared.words import Iff
from book.training import counter as s
from book.training.bench import bit_counter
from book.training.bit_counter import checks
from book.training.bit_counter.checks import lim_answer, lim_error, v
from sympy import Abs, Eq, Gt, Implies, nan, oo
from throughtime.derivation import Bench, chain, d, holds_on, sum_over

i, k, t, T, f = s.i, s.k, s.t, s.T, s.f
E, v_f = s.error[()], s.v_f[()]
EVERYONE = sum_over(k, s.answer[k] - s.count[k])


def test_the_prints_are_true_of_a_single_sequence():
    """So the only slip is the sum over the batch."""
    single = Bench(bit_counter().system, [{s.batch: 1}], length=4).witnesses
    assert holds_on(single, [chain(d(E, f[i, t]), EVERYONE * v_f ** (T - t))]).passed is True


def test_the_check_of_long_sequences_wants_all_that_is_true():
    assert checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_answer, oo)))
    assert not checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_error, oo)))  # zeros: the error is 0
    assert not checks.long_sequences(Implies(Gt(Abs(v), 2), Eq(lim_answer, oo)))  # true, and not all that is true
    assert not checks.long_sequences(Implies(Gt(Abs(v), 100), Eq(lim_answer, 7)))  # of no weight that was run
    assert checks.long_sequences(Iff(Eq(Abs(v), 1), Eq(lim_answer, 1)))  # what the page says of the border


def test_reading_a_limit():
    assert checks.limit([0, 0, 0]) == 0
    assert checks.limit([5, 5, 5]) == 5
    assert checks.limit([200, 201, 400]) == oo
    assert checks.limit([-200, -201, -400]) == -oo
    assert checks.limit([200, -201, 400]) is nan
