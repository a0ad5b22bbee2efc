"""A model and its parameters in a file: back to the last bit, and no file of another kind."""

import numpy as np
import pytest
from model_cases import MODELS, every_model
from throughtime.models import load
from throughtime.models.activations import Activation, identity, tanh
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.simple_recurrent import Elman, SimpleRecurrent

OTHERS = [
    PeepholeLSTM(2, 2, 1, 1, ["fg"], "cells", direct=False, bias=["og", "out"], g=identity),
    Elman(0, 2, 1, tanh, "tanh_half", 0.125),
]


@pytest.mark.parametrize("model", [*MODELS.values(), *OTHERS], ids=lambda model: type(model).__name__)
def test_load_gives_back_model_and_parameters_to_the_last_bit(model, tmp_path):
    theta = model.init(0, 1.5)
    for path in (tmp_path / "net.npz", str(tmp_path / "no suffix")):
        model.save(path, theta)
        found, parameters = load(path)
        assert found == model
        assert repr(found) == repr(model)
        assert parameters.tobytes() == theta.tobytes()


@every_model
def test_the_arrays_stand_in_the_file_under_their_names(name, tmp_path):
    model = MODELS[name]
    theta = model.init(0)
    model.save(tmp_path / "net.npz", theta.astype(np.float32).tolist())
    with np.load(tmp_path / "net.npz", allow_pickle=False) as file:
        views = model.layout.views(theta.astype(np.float32).astype(float))
        assert {*file} == {*views, "settings"}
        for name, view in views.items():
            assert np.array_equal(file[name], view)


def test_what_cannot_be_read_is_refused_with_the_path(tmp_path):
    text, other, unknown = tmp_path / "text", tmp_path / "other.npz", tmp_path / "unknown.npz"
    text.write_text("weights")
    np.savez(other, w=np.zeros(3))
    np.savez(unknown, settings='{"model": "GRU"}')
    for path in (text, other, unknown):
        with pytest.raises(ValueError, match=rf"path: expected a file of model.save, got .*{path.name}"):
            load(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load(tmp_path / "nowhere")


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    class Own(SimpleRecurrent):
        jordan = False

    with pytest.raises(TypeError, match=r"model: expected a class of throughtime.models, got Own"):
        Own(1, 1, 1).save(tmp_path / "net.npz", np.zeros(5))
    odd = Elman(1, 1, 1, Activation("odd", 2, (-1.0, 1.0), 1.0))
    with pytest.raises(ValueError, match=r"activation: expected one of identity, .*, got odd"):
        odd.save(tmp_path / "net.npz", np.zeros(5))
    with pytest.raises(ValueError, match=r"theta: expected shape \(5,\), got \(4,\)"):
        Elman(1, 1, 1).save(tmp_path / "net.npz", np.zeros(4))
    assert not [*tmp_path.iterdir()]
