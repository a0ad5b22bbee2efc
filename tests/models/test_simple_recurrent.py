"""Elman and Jordan networks against the note transcribed, the complex step, and mistakes planted in their loops."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import ACTIVATIONS, identity, logistic, tanh
from throughtime.checks import complex_step, relative_error
from throughtime.models import _simple_recurrent_kernels, simple_recurrent
from throughtime.models.simple_recurrent import METHODS, Elman, Jordan

TOLERANCE = 1e-12
EXACT = ("bptt", "rtrl")
BOTH = [Elman, Jordan]


def problem(model, sequences, length, seed, scale=1.2):
    rng = np.random.default_rng(seed)
    theta, x = model.init(rng, scale), rng.normal(size=(sequences, length, model.n_in))
    shape = (sequences, length, model.n_out)
    return theta, x, rng.normal(size=shape), rng.integers(0, 2, shape)


@st.composite
def problems(draw):
    size = st.integers(1, 4)
    some = st.sampled_from(list(ACTIVATIONS.values()))
    model = draw(st.sampled_from(BOTH))(
        draw(st.integers(0, 3)), draw(size), draw(size), draw(some), draw(some), draw(st.floats(-1, 1))
    )
    return model, *problem(model, draw(size), draw(st.integers(1, 7)), draw(st.integers(0, 2**32 - 1)))


def transcribed(model, theta, x, context=None):
    """The note's matrices time by time; context[t] replaces what the net itself would feed back at t."""
    parts = model.layout.views(theta)
    ones = np.ones((len(x), 1))
    previous = np.full((len(x), model.n_context), model.start)
    for t in range(x.shape[1]):
        previous = previous if context is None else context[:, t]
        X_bar = np.hstack([ones, x[:, t], previous])
        X_barbar = X_bar @ parts["v"]
        F = model.f_hid(X_barbar)
        F_bar = np.hstack([ones, F])
        F_barbar = F_bar @ parts["w"]
        G = model.f_out(F_barbar)
        previous = G if isinstance(model, Jordan) else F
        yield X_bar, X_barbar, F_bar, F_barbar, G


def follows_the_note(model, theta, x):
    trace = model.forward(theta, x)
    for t, expected in enumerate(transcribed(model, theta, x), 1):
        for (_, values), matrix in zip(trace.items(), expected, strict=True):
            if relative_error(values[:, t], matrix) > TOLERANCE:
                return False
    return True


def truncated_by_definition(model, theta, x, targets, mask):
    """The complex step through a pass in which the context is an input, set to what it was."""
    first = 1 + model.n_in
    context = model.forward(theta, x).extended_x[:, 1:, first:]

    def loss(weights):
        outputs = np.stack([step[-1] for step in transcribed(model, weights, x, context)], axis=1)
        return complex((mask * (outputs - targets) ** 2 / 2).sum())

    return complex_step(loss, theta)


@given(problems())
def test_forward_is_the_note_transcribed(drawn):
    model, theta, x, _, _ = drawn
    assert follows_the_note(model, theta, x)
    trace = model.forward(theta, x)
    context = trace.g if isinstance(model, Jordan) else trace.f
    assert (context[:, 0] == model.start).all()
    assert np.array_equal(trace.extended_x[:, 1:, 1 + model.n_in :], context[:, :-1])
    assert not any(values.flags.writeable for _, values in trace.items())


@given(problems())
def test_exact_gradients_agree_with_the_complex_step(drawn):
    model, theta, x, targets, mask = drawn
    expected = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    for method in EXACT:
        result = model.gradient(theta, x, targets, mask, method=method)
        assert relative_error(result.gradient, expected) <= TOLERANCE
        assert result.loss == pytest.approx(model.loss(theta, x, targets, mask), rel=TOLERANCE)
        assert result.method == method


@given(problems())
def test_truncated_gradient_takes_the_context_for_an_input(drawn):
    model, theta, x, targets, mask = drawn
    expected = truncated_by_definition(model, theta, x, targets, mask)
    result = model.gradient(theta, x, targets, mask, method="truncated")
    assert relative_error(result.gradient, expected) <= TOLERANCE


@pytest.mark.parametrize("cls", BOTH)
def test_truncation_is_exact_for_one_step_and_not_for_two(cls):
    model = cls(2, 3, 2, tanh, start=0.3)
    theta, x, targets, _ = problem(model, 2, 2, seed=1)
    short = [model.gradient(theta, x[:, :1], targets[:, :1], method=m).gradient for m in ("bptt", "truncated")]
    long = [model.gradient(theta, x, targets, method=m).gradient for m in ("bptt", "truncated")]
    assert np.array_equal(*short)
    assert relative_error(*long) > 0.01


def test_the_loss_is_that_of_each_sequence_by_itself():
    model = Elman(2, 3, 2, tanh)
    theta, x, targets, mask = problem(model, 4, 6, seed=2)
    each = [model.gradient(theta, x[n : n + 1], targets[n : n + 1], mask[n : n + 1]) for n in range(4)]
    whole = model.gradient(theta, x, targets, mask)
    assert whole.loss == pytest.approx(sum(part.loss for part in each), rel=TOLERANCE)
    assert relative_error(whole.gradient, sum(part.gradient for part in each)) <= TOLERANCE
    steps = np.array([0, 1, 1, 0, 1, 1])
    spread = np.broadcast_to(steps[:, None], targets.shape)
    assert np.array_equal(
        model.gradient(theta, x, targets, steps).gradient, model.gradient(theta, x, targets, spread).gradient
    )


def test_a_linear_elman_net_counts_and_a_linear_jordan_net_too():
    bits = np.random.default_rng(3).integers(0, 2, (5, 8, 1))
    for cls in BOTH:
        model = cls(1, 1, 1, identity, identity)
        theta = model.layout.flatten({"v": [[0.0], [1.0], [1.0]], "w": [[0.0], [1.0]]})
        assert np.array_equal(model.forward(theta, bits).g[:, 1:], bits.cumsum(axis=1))


# In the recursion forward both tables have one column for each parameter: range(before.shape[1]) is the same.
EQUAL = Counter({"now -> before": 1})


def online(model, method, theta, *sequences):
    """Loss and gradient by online objects, one for each sequence, in one vector."""
    objects = []
    for x, targets, mask in zip(*sequences, strict=True):
        objects.append(model.online(theta, method))
        objects[-1].run(x, targets, mask)
    return sum(np.append(found.gradient, found.loss) for found in objects)


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    cases = []
    for cls, hidden, output in [(Elman, tanh, logistic), (Jordan, logistic, tanh)]:
        model = cls(2, 3, 2, hidden, output, start=0.4)
        theta, x, targets, mask = problem(model, 2, 5, seed=4)
        exact = complex_step(lambda z, m=model, a=(x, targets, mask): m.loss(z, *a), theta)
        expected = dict.fromkeys(EXACT, exact)
        expected["truncated"] = truncated_by_definition(model, theta, x, targets, mask)
        cases.append((model, (theta, x, targets, mask), expected))

    losses = {model: model.loss(*given) for model, given, _ in cases}

    def rejected():
        try:
            return not all(
                follows_the_note(model, *given[:2])
                and all(
                    relative_error(model.gradient(*given, method=method).gradient, gradient) <= TOLERANCE
                    for method, gradient in expected.items()
                )
                and all(
                    relative_error(online(model, method, *given), np.append(gradient, losses[model])) <= TOLERANCE
                    for method, gradient in expected.items()
                    if method != "bptt"
                )
                for model, given, expected in cases
            )
        except (IndexError, ValueError, FloatingPointError):
            return True

    assert not rejected()
    tried, survivors = 0, Counter()
    for description, mutant in mutants(_simple_recurrent_kernels):
        monkeypatch.setattr(simple_recurrent, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors[description] += 1
    assert tried >= 40
    assert survivors == EQUAL


# ---------------------------------------------------------------- the object, and what it refuses


def test_layout_starts_and_pickling():
    assert Elman(2, 3, 1).layout.shapes == {"v": (6, 3), "w": (4, 1)}
    assert Jordan(2, 3, 1).layout.shapes == {"v": (4, 3), "w": (4, 1)}
    model = pickle.loads(pickle.dumps(Elman(1, 2, 1, tanh, start=0.5)))
    assert model == Elman(1, 2, 1, tanh, logistic, 0.5) != Jordan(1, 2, 1, tanh, logistic, 0.5)
    assert model.forward(model.init(0), np.ones((1, 1, 1))).f[0, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_written_to_and_read_only_input_is_accepted(method):
    model = Jordan(1, 2, 1)
    given = [np.array(values, float) for values in problem(model, 2, 3, seed=5)]
    expected = model.gradient(*given, method=method).gradient
    for values in given:
        values.setflags(write=False)
    assert np.array_equal(model.gradient(*given, method=method).gradient, expected)


M = Elman(1, 2, 1)
THETA, ONES = M.init(0), np.ones((2, 3, 1))
REFUSED = [
    (lambda: Elman(1, 0, 1), ValueError, "hidden: expected at least 1, got 0"),
    (lambda: Elman(1.0, 1, 1), TypeError, "n_in: expected an integer"),
    (lambda: Jordan(1, 1, 1, "sine"), ValueError, "f_hid: expected one of .*, got 'sine'"),
    (lambda: Jordan(1, 1, 1, start=np.nan), ValueError, "start: expected a number in .*, got nan"),
    (lambda: Elman(1, 1, 1, start="0.5"), TypeError, "start: expected a number"),
    (lambda: Elman(1, 1, 1, start=np.zeros(1)), TypeError, "start: expected a number"),
    (lambda: M.forward(THETA, ONES == 1), TypeError, "x: expected real or complex numbers, got dtype bool"),
    (lambda: M.gradient(THETA, ONES + 0j, ONES), TypeError, "x: expected real numbers, got dtype complex128"),
    (lambda: M.gradient(THETA + 0j, ONES, ONES), TypeError, "theta: expected .*, got dtype complex128"),
    (lambda: M.forward(THETA, np.ones((3, 2))), ValueError, r"x: expected shape \(T, 1\)"),
    (lambda: M.forward(THETA, np.ones((2, 0, 1))), ValueError, "T >= 1"),
    (lambda: M.forward(THETA[1:], ONES), ValueError, "theta: expected shape"),
    (lambda: M.loss(THETA, ONES, ONES[:1]), ValueError, r"targets: expected shape \(2, 3, 1\)"),
    (
        lambda: M.loss(THETA, ONES, ONES, ONES[:1]),
        ValueError,
        r"mask: expected shape \(3,\) or \(2, 3\) or \(2, 3, 1\)",
    ),
    (lambda: M.loss(THETA, ONES, ONES, [1, 0]), ValueError, r"mask: expected shape \(3,\)"),
    (lambda: M.loss(THETA, ONES, ONES, 2 * ONES), ValueError, "mask: expected zeros and ones, got 2.0"),
    (lambda: M.gradient(THETA, ONES, ONES, method="elman"), ValueError, "method: expected one of"),
    (lambda: M.gradient(THETA, ONES * np.nan, ONES), ValueError, "x: expected finite numbers"),
    (lambda: M.init(0, 0.0), ValueError, "scale: expected a number"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_overflow_is_named():
    model = Elman(1, 1, 1, identity, identity)
    theta = model.layout.flatten({"v": [[0.0], [1.0], [1e100]], "w": [[0.0], [1.0]]})
    with pytest.raises(FloatingPointError, match="net_f"):
        model.forward(theta, np.ones((1, 9, 1)))
