"""The chapter on timing tasks: the stream that a reader types, and the exercises."""

import numpy as np
import pytest
from book.experiments.timed import TEST
from book.experiments.timed_rows import TASKS
from book.experiments.timing import END, INPUT, TARGET, Measured
from book.peephole.timing import experiment as wave


def test_the_typed_stream_is_that_of_the_experiments(run_cell):
    tape = Measured(7, (0, 1, 3)).tape(50, np.random.default_rng(1))
    x, target = run_cell("def spikes(")["spikes"](7, tape[TARGET, tape[END] > 0].astype(int))
    assert np.array_equal(np.stack([x, target]), tape[[INPUT, TARGET]])


@pytest.mark.parametrize(("name", "output", "step"), [
    *(("cos", 0.0, 2), ("tri", 0.0, 2), ("rect", 0.0, 6)),
    *(("cos", 0.5, 1), ("tri", 0.5, 1), ("rect", 0.5, 1)),
])  # fmt: skip
def test_exercise_on_the_shortest_stream(name, output, step):
    task = TASKS[f"pfg-{name}-10"]
    wrong = np.abs(task.tape(1, np.random.default_rng(0))[TARGET] - output) >= task.tolerance
    assert np.flatnonzero(wrong)[0] + 1 == step


def test_exercise_on_chance():
    delays = TASKS["nmsd-10"].tape(100_000, np.random.default_rng(0))
    right = delays[TARGET, delays[END] > 0] == 0
    passed = np.diff(np.r_[-1, np.flatnonzero(~right)]) - 1
    assert passed.mean() == pytest.approx(1, abs=0.03)
    assert TEST == 1000


def test_the_fitted_net_is_that_of_the_timing_tasks():
    weights = np.array([[wave.stored()[name] for name in wave.NAMES]])
    assert wave.outputs(weights, 50)[0] == pytest.approx(wave.trace(2).y[1:, 0], abs=1e-12)


def test_damped_least_squares_finds_what_normal_equations_give():
    random = np.random.default_rng(3)
    matrix, goal = random.normal(size=(9, 4)), random.normal(size=9)
    nets, loss = wave.fitted(random.normal(size=(5, 4)), lambda some: np.sinh(some) @ matrix.T - goal, 60)
    best, least, *_ = np.linalg.lstsq(matrix, goal, rcond=None)
    assert np.sinh(nets) == pytest.approx(np.tile(best, (5, 1)), rel=1e-4)
    assert loss == pytest.approx(np.full(5, least[0]), rel=1e-9)
