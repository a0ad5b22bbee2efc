"""The tasks of 1997: rules of each, and generators written for single sequences beside those for whole streams."""

from collections import Counter

import numpy as np
import pytest
from book.experiments.reber import LETTERS, Reber, words
from book.experiments.sequences import Stream, errors
from book.experiments.tasks import SYMBOLS, WINDOWS, FirstAgain, Marked, Order, RandomLag, TwoSequences
from throughtime.tasks.adding import adding
from throughtime.tasks.temporal_order import THREE, TWO, temporal_order


def parts(stream: Stream) -> list[np.ndarray]:
    """The sequences one by one."""
    return np.split(stream.x, stream.ends[:-1] + 1)


def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("product", [False, True])
def test_marked_pairs(product: bool) -> None:
    stream = Marked(40, product).draw(2000, random())
    firsts = 0
    for x, length, [target] in zip(parts(stream), stream.lengths, stream.targets, strict=True):
        assert len(x) == length
        assert 40 <= length <= 44
        marks = np.flatnonzero(x[:, 1] == 1.0).tolist()
        assert x[[0, -1], 1].tolist() == [-1.0, -1.0]
        assert set(x[:, 1]) <= {-1.0, 0.0, 1.0}
        assert (x[:, 0] >= (0.0 if product else -1.0)).all()
        if len(marks) == 1:  # the first pair was drawn and keeps its -1
            firsts += 1
            marks = [None, *marks]
        assert len(marks) == 2
        assert marks[1] < 19
        assert min(0 if mark is None else mark for mark in marks) < 10
        values = [float(product) if mark is None else x[mark, 0] for mark in marks]
        assert target == pytest.approx(values[0] * values[1] if product else 0.5 + sum(values) / 4)
    share = 1 / 10 + 9 / 10 / 18  # the first pair is the first mark, or else the second
    assert abs(firsts / 2000 - share) < 4 * np.sqrt(share / 2000)


def test_marks_are_where_the_single_generator_puts_them() -> None:
    stream, single = Marked(30).draw(20_000, random()), adding(30, 4000, 3)
    ours, theirs = np.zeros(33), np.zeros(33)
    for x in parts(stream):
        ours[: len(x)] += x[:, 1] == 1.0
    for x, length in zip(single.x, single.lengths, strict=True):
        theirs[:length] += x[:length, 1] == 1.0
    assert np.abs(ours / 20_000 - theirs / 4000).max() < 0.04
    assert stream.targets.mean() == pytest.approx(single.targets.mean(), abs=0.01)
    assert stream.targets.std() == pytest.approx(single.targets.std(), abs=0.01)


@pytest.mark.parametrize(("relevant", "windows"), [(2, TWO), (3, THREE)])
def test_order(relevant: int, windows: tuple) -> None:
    assert WINDOWS[relevant] == windows
    stream = Order(relevant).draw(3000, random())
    places = np.zeros((relevant, 111))
    for x, target in zip(parts(stream), stream.targets, strict=True):
        word = "".join(SYMBOLS[number] for number in x)
        assert (word[0], word[-1]) == ("E", "B")
        found = [place for place, letter in enumerate(word) if letter in "XY"]
        assert set(word[1:-1]) <= set("abcdXY")
        kept = "".join("01"["XY".index(word[place])] for place in found)
        assert target.tolist() == np.eye(2**relevant)[int(kept, 2)].tolist()
        places[range(relevant), found] += 1
    single = temporal_order(windows, (100, 110), 3000, 4)
    theirs = single.x[:, :, SYMBOLS.index("X") :].sum(axis=(0, 2))
    assert set(stream.lengths) == set(single.lengths) == set(range(100, 111))
    assert (np.flatnonzero(places.sum(axis=0)) == np.flatnonzero(theirs)).all()
    assert np.abs(stream.targets.mean(axis=0) - 0.5**relevant).max() < 0.04


@pytest.mark.parametrize("everywhere", [False, True])
def test_two_sequences(everywhere: bool) -> None:
    stream = TwoSequences(50, 3, everywhere).draw(4000, random())
    heads = np.array([x[:3, 0] for x in parts(stream)])
    signs = 2.0 * stream.targets - 1.0
    assert set(stream.targets.ravel()) == {0.0, 1.0}
    assert set(stream.lengths) == set(range(50, 56))
    noise = np.concatenate([x[3:, 0] for x in parts(stream)])
    assert noise.var() == pytest.approx(0.2, rel=0.02)
    assert (heads - signs).var() == pytest.approx(0.2 if everywhere else 0.0, rel=0.05)


def test_noisy_targets() -> None:
    task = TwoSequences(20, 1, noisy_targets=True)
    stream, clean = task.draw(20_000, random()), task.draw(4000, random(), clean=True)
    heads = stream.x[stream.begins, 0]
    assert set(heads) == {-1.0, 1.0}
    for head, mean in ((1.0, 0.2), (-1.0, 0.8)):  # class 1 is 0.2
        targets = stream.targets[heads == head]
        assert targets.mean() == pytest.approx(mean, abs=0.015)
        assert targets.var() == pytest.approx(0.1, rel=0.05)
    assert set(clean.targets.ravel()) == {0.2, 0.8}
    assert task.tolerance == 0.1


def test_random_lag() -> None:
    task = RandomLag(6, 4)
    stream = task.draw(20_000, random())
    distractors = np.zeros(4)
    for x, target in zip(parts(stream)[:2000], stream.targets[:2000], strict=True):
        assert x[0] == 5 - 1
        assert x[-1] == 4 + 1
        assert x[1] in (6, 7)
        assert target.tolist() == np.eye(2)[x[1] - 6].tolist()
        assert (x[2:-1] < 4).all()
        distractors += np.bincount(x[2:-1], minlength=4)
    assert np.abs(distractors / distractors.sum() - 0.25).max() < 0.02
    whole = stream.lengths + 1  # with the symbol that is to be predicted
    assert whole.min() == task.q + 4
    for more in range(5):  # behind the prefix an e with probability 1/10
        share = 0.1 * 0.9**more
        assert abs((whole == task.q + 4 + more).mean() - share) < 4 * np.sqrt(share / 20_000)
    assert whole.mean() == pytest.approx(task.q + 13, abs=0.3)  # the paper prints q + 14


def test_stream_by_step_and_its_first_sequences() -> None:
    stream = Stream(np.arange(6), np.array([2, 1, 3]), np.array([[1.0], [2.0], [3.0]]))
    targets, mask, starts = stream.by_step()
    assert targets.ravel().tolist() == [0, 1, 2, 0, 0, 3]
    assert mask.tolist() == [0, 1, 1, 0, 0, 1]
    assert starts.tolist() == [1, 0, 1, 1, 0, 0]
    assert stream.part(0, 2).x.tolist() == [0, 1, 2]
    assert stream.part(0, 2).targets.ravel().tolist() == [1, 2]
    assert stream.part(1, 3).x.tolist() == [2, 3, 4, 5]
    picked = stream.pick(np.array([2, 1, 2]))
    assert picked.x.tolist() == [3, 4, 5, 2, 3, 4, 5]
    assert picked.targets.ravel().tolist() == [3, 2, 3]
    every = Stream(np.arange(3), np.array([1, 2]), np.ones((3, 1)), every=True, possible=np.eye(3) > 0)
    assert every.by_step()[1].tolist() == [1, 1, 1]
    assert len(every.part(0, 1).targets) == 1
    assert every.part(1, 2).possible.tolist() == (np.eye(3) > 0)[1:].tolist()


def test_errors_of_sequences() -> None:
    targets = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    outputs = np.array([[0.9, 0.3], [0.2, 0.1], [0.6, 0.5]])
    possible = np.array([[True, True], [False, True], [True, False]])
    every = Stream(np.arange(3), np.array([1, 2]), targets, every=True, possible=possible)
    np.testing.assert_allclose(errors(every, outputs, "end"), [[0.1, 0.3], [0.4, 0.5]])
    np.testing.assert_allclose(errors(every, outputs, "steps"), [[0.1, 0.3], [0.4, 0.9]])
    np.testing.assert_allclose(errors(every, outputs, "possible"), [[-np.inf], [0.1]])
    ends = Stream(np.arange(3), np.array([1, 2]), targets[[0, 2]])
    np.testing.assert_allclose(errors(ends, outputs), [[0.1, 0.3], [0.4, 0.5]])
    with pytest.raises(ValueError, match="judged: expected one of end, steps, possible, got 'middle'"):
        errors(every, outputs, "middle")


def reber_words(most: int) -> dict[str, float]:
    """Embedded strings with at most so many letters, with their probabilities: by rewriting, letter by letter."""
    small = {"S": ["Ta", "Pb"], "A": ["Sa", "Xc"], "B": ["Tb", "Vd"], "C": ["Xb", "S"], "D": ["Pc", "V"]}
    found, open_ = {}, [("s", 1.0)]
    while open_:
        text, share = open_.pop()
        if text[-1].isupper():
            for second in "TP":
                found[f"B{second}B{text}E{second}E"] = share / 2
        elif len(text) <= most - 5:
            for more in small[text[-1].upper()]:
                open_.append((text[:-1] + more, share / 2))
    return found


def test_strings_of_the_grammar_and_their_probabilities() -> None:
    drawn, copies = Reber().draw(20_000, random()), 20_000
    expected = reber_words(24)
    texts = ["".join(LETTERS[k] for k in x) + "E" for x in parts(drawn)]
    counts = Counter(texts)
    assert counts.keys() - expected.keys() == {text for text in counts if len(text) > 24} - expected.keys()
    for text, share in expected.items():
        if share > 0.002:
            assert abs(counts[text] / copies - share) < 4.5 * np.sqrt(share / copies)
    assert min(map(len, counts)) == 9  # the shortest lag of the paper
    assert words(drawn) == counts.keys()


def test_possible_letters_are_those_with_which_a_string_goes_on() -> None:
    stream, every = Reber().draw(300, random()), reber_words(24)
    prefixes: dict[str, set[str]] = {}
    for text in every:
        for place in range(1, min(len(text), 12)):
            prefixes.setdefault(text[:place], set()).add(text[place])
    for x, begin in zip(parts(stream), stream.begins, strict=True):
        text = "".join(LETTERS[k] for k in x)
        for place in range(min(len(text), 11)):
            letters = {letter for letter, is_ in zip(LETTERS, stream.possible[begin + place], strict=True) if is_}
            assert letters == prefixes[text[: place + 1]]
    follows = stream.targets.argmax(axis=1)
    assert stream.possible[np.arange(len(follows)), follows].all()


def test_sets_that_avoid_each_other() -> None:
    first = words(Reber().draw(50, random()))
    assert words(Reber().draw(200, random(), first)).isdisjoint(first)


@pytest.mark.parametrize("scrambled", [False, True])
def test_first_symbol_again(scrambled: bool) -> None:
    task = FirstAgain(6, scrambled)
    stream = task.draw(3000, random())
    x = stream.x.reshape(3000, 6)
    targets = stream.targets.reshape(3000, 6, 7)
    assert (targets.sum(axis=2) == 1).all()
    follows = targets.argmax(axis=2)
    assert (follows[:, :-1] == x[:, 1:]).all()
    assert (follows[:, -1] == x[:, 0]).all()
    assert {*x[:, 0]} == {5, 6}  # x and y
    assert abs((x[:, 0] == 5).mean() - 0.5) < 4 * np.sqrt(0.25 / 3000)
    between = x[:, 1:]
    if scrambled:
        assert np.abs(np.bincount(between.ravel(), minlength=5) / between.size - 0.2).max() < 0.015
    else:
        assert (between == np.arange(5)).all()
    assert (task.inputs, task.outputs, task.judged) == (7, 7, "end" if scrambled else "steps")
