"""The programs that the stored trials ran, and what they compute, to the last bit: a change is a new experiment."""

from hashlib import sha256

import numpy as np
import pytest
from book.experiments.reading import READINGS
from book.experiments.rows import ROWS
from book.experiments.trial import Trial
from throughtime.programs import fast

STEPS = 1000
KEPT = {  # of a row, digests of the program and of all outputs and numbers of the net after the steps
    "1-4x1-0.1": ("36ac0e1048ffe401", "7524adcb312cff89"),
    "1-3x2-0.1": ("0e8f818d2a5a8a61", "8b646dad20f55423"),
    "2a-rtrl-4-1": ("b027bb031b67bc38", "598f853bb9a73b74"),
    "3a-100-3": ("d50a20cc77022fdb", "27eeee7195f29609"),
    "6a": ("e6b9802be8b0954a", "72c1478994a18aa1"),
}


class Portable:
    """NumPy with functions made of sums and products, which every processor rounds alike."""

    exp = staticmethod(fast._exp)
    sinh = staticmethod(lambda x: (fast._exp(x) - fast._exp(-x)) / 2.0)
    cosh = staticmethod(lambda x: (fast._exp(x) + fast._exp(-x)) / 2.0)

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", KEPT)
def test_program_and_its_first_steps_are_those_of_the_stored_trials(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(ROWS[name], READINGS["letter"], 0)
    monkeypatch.setitem(trial.learner._learn.__globals__, "np", Portable())
    stream = trial.row.task.draw(1 + STEPS // 5, trial.random)
    x, (targets, mask, starts) = stream.x[:STEPS], (one[:STEPS] for one in stream.by_step())
    outputs = trial.learner.run(x, targets, mask, starts).watched
    found = np.concatenate([outputs.ravel(), trial.learner.state.ravel()])
    assert (digest(trial.learner.source.encode()), digest(found.tobytes())) == KEPT[name]
