"""What people write for two things, and would be read as one of them without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from throughtime.derivation import DEFINED, INPUT, PARAMETER
from throughtime.reading.letters import OF_LETTERS
from throughtime.reading.names import ACTIVATIONS
from throughtime.reading.rows import is_vector
from throughtime.reading.spelling import DERIVED, GREEK, NUMBERS, STEP
from throughtime.reading.trees import Name, Tree, is_capital_state, is_matrix, names_in
from throughtime.reading.weights import OF_WEIGHTS

if TYPE_CHECKING:
    from throughtime.reading.statements import Statements


def check_times(read: Statements) -> None:
    """NotationError for what is computed without a time and read at each time, or reads the time itself."""
    once = {one.left.key(one.letters) for one in read.equations if not one.left.time}
    timed = {name.key(one.letters) for one in read.equations for name in names_in(*one.rights) if name.time}
    numbers = {one.left.key(one.letters) for one in read.equations if not names_in(*one.rights)}
    for one in read.equations:
        now, left = read.now, one.left.key(one.letters)
        summed = {name.at for tree in one.rights[0].all() if tree.op == "total" for name in names_in(tree)}
        for name in names_in(*one.rights):
            key = name.key(one.letters)
            if not one.left.time and left not in timed and name.time and name.time[0] == now and name.at not in summed:
                expected = f"expected the time of what it reads, {read.source.words(name.at)}"
                timely = f"{one.left.base}_{{{','.join((*one.left.marks, now))}}} = ..."
                timely = timely if one.left.marks else f"{left}_{now} = ..."
                timely += f", or brackets around all that is summed, as sum_{now} (a - b)" if summed else ""
                raise read.source.fault(one.left.at, f"found {left} without a time", expected, timely)
            if one.left.time and key in once and not name.time:
                timely = f"{name.base}_{{{','.join((*name.marks, now))}}}"
                hint = f"{timely} = ..., and {timely} for {key} here"
                hint = f"a number needs no line: it is learned, or read(..., given={key!r})" if key in numbers else hint
                said = f"found {key}, which is computed without a time"
                raise read.source.fault(name.at, said, "expected what is computed at each time", hint)


def check_length(read: Statements) -> None:
    """NotationError for T x_t and T_{ij}: T is the number of steps, and a weight for many; so is T = 10."""
    for one in read.equations:
        if one.left.key() == "T" and not one.left.time:
            raise read.source.fault(one.left.at, "found T on the left", "expected none: it is the number of steps")
        below = {name.at for tree in one.rights[0].all() if tree.op == "quotient" for name in names_in(tree.parts[1])}
        below -= {name.at for tree in one.rights[0].all() if tree.op == "call" for name in names_in(tree)}
        for name in names_in(*one.rights):
            here = name.indices(one.letters) or (one.left.time and name.at not in below)
            if name.key(one.letters) == "T" and not name.time and here:
                steps, other = "1/T for the number of steps", "another letter for a weight"
                raise read.source.two_readings(name.at, read.source.words(name.at), steps, other)


def check_given(read: Statements) -> None:
    """NotationError for y_{t-1} that nothing computes, where y^{(1)}_t is computed; and for x^b where x^a is."""
    now = read.now
    current = {key for key, name, _ in read.uses() if not (name.time and name.time[0] == now and name.time[1] < 0)}
    for key, name, _ in read.uses():
        letters = [one.left for one in read.equations if one.left.time and one.left.base == name.base]
        made = [one for one in letters if name.base == key]
        both = [{*one.marks, *name.marks} for one in letters if len(one.marks) == len(name.marks) == 1]
        paired = any({*"".join(one.marks)} in both for one in read.names.values())  # W^a_b
        if read.roles[key] == INPUT and key not in read.declared and paired:
            index = f"i, j, k, ... for indices, as {name.base}_i(t) = sum_j w_{{ij}} {name.base}_j(t-1)"
            given = f"a word for the label {name.marks[0]} if it is given"
            said = f"{read.source.words(name.at)}, which nothing computes,"
            raise read.source.two_readings(name.at, said, index, given)
        if made and read.roles[key] == INPUT and key not in {*current, *read.declared}:
            meant = " or ".join(f"{key}_{{{','.join(one.marks)},{now}-1}}" for one in made)
            said = f"{read.source.words(name.at)}, which nothing computes,"
            raise read.source.two_readings(name.at, said, meant, f"{key}_{now} in R^n if it is given")


def check_fonts(read: Statements) -> None:
    """NotationError for a letter in script that is also written plainly: they are two for many."""
    first: dict[str, Name] = {}
    for key, name, _ in read.uses():
        before = first.setdefault(key, name)
        if read.source.is_script(before.at) != read.source.is_script(name.at):
            one, other = (read.source.words(one.at) for one in (before, name))
            said = f"{one} and {other}, of two fonts,"
            raise read.source.two_readings(name.at, said, "another letter for one of them", f"{one} for both")


def check_capitals(read: Statements) -> None:
    """NotationError for S_t I_t of two capital letters with times, neither of which is shown to be a matrix: nowhere
    turned, nor beside a small letter, nor equal to an outer product."""
    shown, pairs = {*read.declared}, []
    for equation in (one for one in read.equations if not one.letters):
        for tree in equation.rights[0].all():
            if tree.op == "transposed" and is_matrix(tree):
                shown.add(names_in(tree)[0].key())
            for a, b in pairwise(tree.parts) if tree.op == "product" else ():
                shown |= {one.key() for one, other in ((a, b), (b, a)) if isinstance(one, Name) and is_vector(other)}
                shown |= {equation.left.key()} if is_vector(a) and b.op == "transposed" else {*()}
                pairs += [(a, b)] if tree.value != "@" and is_capital_state(a) and is_capital_state(b) else []
    for a, b in pairs:
        greek = {name.base for name in names_in(a, b)} & {*GREEK}
        if not greek and not {name.key() for name in names_in(a, b)} & shown:
            s, u = (read.source.words(one.at) for one in (a, b))
            each, matrix = f"{s} * {u} for one product each unit", f"{s} in R^{{n x n}} for matrices"
            raise read.source.two_readings(a.at, f"{s} {u}", each, matrix)


def check_constants(read: Statements) -> None:
    """NotationError for V_t = V_{t-1} + R I_t - E of capitals, where E is constant and no state stands beside another
    capital: they are numbers for many."""
    for one in (one for one in read.equations if is_capital_state(one.left) and not one.letters):
        trees, names = [*one.rights[0].all()], names_in(one.left, *one.rights)
        found = [two for tree in trees if tree.op == "product" for two in pairwise(tree.parts)]
        pairs = [two for two in found if all(map(is_matrix, two))]
        terms = [names_in(term) for tree in trees if tree.op == "sum" for term in tree.parts]
        constant = any(any(map(is_matrix, some)) and not any(name.time for name in some) for some in terms)
        plain = all(name.base[0].isupper() or name.base in (*GREEK, "dt") for name in names)
        states = {read.roles.get(name.key()) for two in pairs for name in names_in(*two)}
        said = {name.key() for name in names} & {*read.declared}
        if pairs and constant and plain and DEFINED not in states and not said:
            (a, b), capitals = pairs[0], [name for name in names if is_matrix(name)]
            keys = dict.fromkeys(name.key() + f"_{read.now}" * bool(name.time) for name in capitals)
            matrix = f"{one.left.key()}_{read.now} in R^{{n x m}} for matrices"
            both = f"{read.source.words(a.at)} {read.source.words(b.at)}"
            raise read.source.two_readings(a.at, both, f"{', '.join(keys)} in R for numbers", matrix)


def check_labels(read: Statements) -> None:
    """NotationError for h_{t,u} = f(W g_u): u is a second time, or an index, and g given at each for many."""
    made = {one.left.marks[0]: one.left for one in read.equations if one.left.time and len(one.left.marks) == 1}
    for tree in (one for one in _trees(read) if one.op == "product"):
        for a, b in pairwise(tree.parts):
            if not (is_matrix(a) and isinstance(b, Name) and len(b.marks) == 1 and len(b.marks[0]) == 1):
                continue
            label = made.get(b.marks[0])
            if label and read.roles.get(b.key()) == PARAMETER and b.key() not in read.declared:
                g, h = (read.source.words(one.at) for one in (b, label))
                given = f"{b.base}_{read.now} for what is given at each time"
                raise read.source.two_readings(b.at, f"{g} beside {h}", f"{b.key()} in R^n for a weight", given)


def check_roots(read: Statements) -> None:
    """NotationError for q_t / sqrt(d) and 1/N, in which d and N are numbers for most, and a vector and a matrix
    elsewhere."""
    below = [one.parts[1] for one in _trees(read) if one.op == "quotient"]
    roots = [one.parts[0] for one in below if one.op == "call" and one.value[0] == "sqrt"]
    for name in (one for one in (*roots, *filter(is_matrix, below)) if isinstance(one, Name) and one.base not in GREEK):
        if read.roles.get(name.key()) == PARAMETER and name.key() not in read.declared:
            key, where = name.key(), "under a root and a bar" if name in roots else "under a bar"
            size = "n x m" if is_matrix(name) else "n"
            other = f"{key} in R^{{{size}}} for a {'matrix' if is_matrix(name) else 'vector'}"
            said = f"{read.source.words(name.at)} {where}"
            raise read.source.two_readings(name.at, said, f"{key} in R for a number", other)


def check_sides(read: Statements) -> None:
    """NotationError for W X_t + S_t U: the vectors are columns in one term and rows in the other, or no matrices."""
    for tree in (one for one in _trees(read) if one.op == "sum"):
        terms = [term.parts[-1] if term.parts and term.parts[0].value == -1 else term for term in tree.parts]
        pairs = [term.parts[-2:] for term in terms if term.op == "product" and all(map(is_matrix, term.parts[-2:]))]
        names = [(a, b) for a, b in pairs if isinstance(a, Name) and isinstance(b, Name)]
        for a, b in names if any(not a.time and b.time for a, b in names) else []:
            if a.time and not b.time and not {a.key(), b.key()} & {*read.declared}:
                s, u = (read.source.words(one.at) for one in (a, b))
                matrix = f"{a.base}_{read.now} in R^{{n x m}} for matrices"
                raise read.source.two_readings(a.at, f"{s} {u}", f"{s} * {u} for one product each unit", matrix)


def check_primes(read: Statements) -> None:
    """NotationError for A' in a product with A, the transpose of which it is for many."""
    for tree in (one for one in _trees(read) if one.op == "product"):
        keys = {name.key() for name in names_in(tree)}
        for name in names_in(tree):
            base = name.base.removesuffix("_prime")
            if base != name.base and replace(name, base=base).key() in keys and read.roles[name.key()] != DEFINED:
                a, said = read.source.words(name.at), base if not name.time else f"{base}_{name.time[0]}"
                raise read.source.two_readings(name.at, a, f"{said}^T for the transpose", "another letter")


def check_raised(read: Statements) -> None:
    """NotationError for A^n, A^* and A^H of a learned matrix, which are labels, or a power and two transposes."""
    keys = {key.split("_")[0] for key in read.roles}
    small = {name.marks for name in read.names.values() if not is_matrix(name)}
    raised = re.compile(r"[^_^\n]*\^\s*\{?\s*(?:\\mathrm\s*\{\s*)?([kmnNH*])(?![A-Za-z0-9])")
    for key, name, _ in read.uses():
        said = raised.match(read.source.text, name.at)
        alone = is_matrix(name) and len(name.marks) == 1 and not {*name.marks} & keys and name.marks not in small
        if said and alone and read.roles[key] == PARAMETER and key not in read.declared:
            other = f"{name.base}^T for the transpose" if said[1] in "H*" else "factors side by side for a power"
            label = f"{name.base}_{name.marks[0]} for a label" if said[1] != "*" else "another letter"
            raise read.source.two_readings(name.at, read.source.words(name.at), label, other)


def check_numbered(read: Statements) -> None:
    """NotationError for b^2 beside b^3 where no b is alone: labels of layers, or powers."""
    powers = [(one, one.parts[0]) for one in _trees(read) if one.op == "power" and isinstance(one.parts[0], Name)]
    alone = {key for key, name, _ in read.uses() if name.at not in {one.at for _, one in powers}}
    first: dict[str, Tree] = {}
    for one, name in powers:
        b, n, m = name.base, one.value, first.setdefault(name.key(), one).value
        weight = read.roles.get(name.key()) == PARAMETER and name.key() not in alone
        if n != m and weight and re.match(r"[^_^(]*\^\s*\{?\s*\d", read.source.text[name.at :]):
            label = f"{b}_{m} and {b}_{n} for labels"
            raise read.source.two_readings(name.at, f"{b}^{m} beside {b}^{n}", label, f"({b})^{n} for a power")


def check_slopes(read: Statements) -> None:
    """NotationError for dE/dw, which is derived and not given, and for f ∘ g(...), a composition for many."""
    timed = {name.base for name in read.names.values() if name.time or name.marks}
    for tree in (one for one in _trees(read) if one.op in ("quotient", "elementwise")):
        above, below = ({name.base for name in names_in(part) if name.base[0] == "d"} for part in tree.parts)
        known = {name.base for name in read.names.values()}
        slope = any(len(base) < 3 or base[1:] in known for base in below - {"dt"}) and not below & {*GREEK}
        if tree.op == "quotient" and above - {"dt", *GREEK} and slope and "d" not in timed:
            raise read.source.fault(tree.at, "found a derivative", "expected a recurrence, as h_t = ...", DERIVED)
        f, g = tree.parts
        if not isinstance(f, Name) or f.base not in ACTIVATIONS or tree.value != "⊙" or g.op != "call":
            continue
        if read.roles.get(f.key()) == PARAMETER and f.key() not in read.declared:
            one, other = f"{f.key()}({g.value[0]}(...)) for the composition", f"{f.key()} * ... for the product"
            raise read.source.two_readings(tree.at, f"{f.key()} before {g.value[0]}", one, other)


def check_rates(read: Statements) -> None:
    """NotationError for h' = -h + f(...), a differential equation for most, and a step for others."""
    for one in read.equations:
        said = read.source.words(one.left.at)
        for term in one.rights[0].parts if one.rights[0].op == "sum" else ():
            h = term.parts[-1] if [part.value for part in term.parts[:-1]] == [-1] else None
            if isinstance(h, Name) and h.key() == one.left.key() and re.search("['′]|prime", said):
                step = f"{h.key()}_{read.now} = -{h.key()}_{{{read.now}-1}} + ..."
                raise read.source.two_readings(one.left.at, said, STEP, f"{step} for a step")


def check_dots(read: Statements) -> None:
    """NotationError for w_i · x(t) beside indices: a number, or for many the inner product of row i with x."""
    for one in (one for one in read.equations if one.letters):
        for a, b in (two for tree in one.rights[0].all() if tree.op == "product" for two in pairwise(tree.parts)):
            if not (isinstance(a, Name) and isinstance(b, Name) and b.time) or b.indices(one.letters):
                continue
            rows, x, dot = a.indices(one.letters), b.base, re.search(r"·|⋅|\\cdot", read.source.text[a.at : b.at])
            if rows and dot and x not in GREEK and b.key() not in read.declared:
                inner = f"sum_j {a.base}_{{{rows[0]}j}} {x}_j({read.now}) for the inner product"
                raise read.source.two_readings(a.at, f"{x} at a dot", inner, f"{x}_{read.now} in R for a number")


def check_maps(read: Statements) -> None:
    """NotationError for k_t = theta_K x_t, in which theta_K is a matrix for many."""
    for one in (one for one in read.equations if one.rights[0].op == "product" and len(one.rights[0].parts) == 2):
        a, b = one.rights[0].parts
        if not isinstance(a, Name) or a.base not in GREEK or not re.fullmatch("[A-Z]", "".join(a.marks)):
            continue
        if read.roles.get(a.key()) == PARAMETER and is_vector(b) and a.key() not in read.declared:
            number, matrix = f"{a.key()} in R for a number", f"{a.key()} in R^{{n x m}} for a matrix"
            raise read.source.two_readings(a.at, read.source.words(a.at), number, matrix)


def check_stars(read: Statements) -> None:
    """NotationError for a learned matrix at a * that is the product of matrices, or a convolution, for many."""
    for tree in _trees(read):
        if tree.value != "*" or tree.op != "elementwise":
            continue
        for matrix, other in (tree.parts, tree.parts[::-1]):
            key = names_in(matrix)[0].key() if is_matrix(matrix) or _is_labelled_as_one(matrix) else ""
            learned = read.roles.get(key) == PARAMETER and key not in read.declared
            if learned and names_in(other):
                a, b = (read.source.words(part.at) for part in tree.parts)
                sign = r"\odot" if "\\" in read.source.text else "⊙"
                each = f"{a} {sign} {b} for elements"
                raise read.source.two_readings(tree.at, f"{a} * {b}", f"{a} {b} for the product", each)


def check_factors(read: Statements) -> None:
    """NotationError for U h_{t-1} b of a b that is nowhere else, where a plus or a ⊙ is missing for many, for
    sigma W x_t where sigma is a function elsewhere, and for 1 z_t."""
    keys, called = [key for key, *_ in read.uses()], {tree.value[0] for tree in _trees(read) if tree.op == "call"}
    equations = (one for one in read.equations if not one.letters)
    for tree in (tree for one in equations for tree in one.rights[0].all() if tree.op == "product"):
        (first, second, *_), last = tree.parts, tree.parts[-1]
        a = read.source.words(second.at)
        if first.op == "number" and first.value == 1 and isinstance(second, Name) and not read.source.is_bold(first.at):
            raise read.source.two_readings(first.at, f"1 {a}", f"1 - {a} for a difference", f"{a} for the factor")
        if isinstance(first, Name) and first.key() in called and is_matrix(second):
            f = first.key()
            raise read.source.two_readings(first.at, f"{f} before {a}", f"{f}(...) for the function", "another letter")
        vectors = len(tree.parts) > 2 and is_matrix(tree.parts[-3]) and all(map(is_vector, tree.parts[-2:]))
        b, keyed = read.source.words(last.at), last.key() if isinstance(last, Name) and last.base not in NUMBERS else ""
        if vectors and keys.count(keyed) == 1 and keyed not in read.declared:
            each = f"... + {b} or ... ⊙ {b} for a vector"
            raise read.source.two_readings(last.at, f"{b} as a factor", each, f"{b} in R for a number")


def _is_labelled_as_one(tree: Tree) -> bool:
    """Whether a small letter has the label of a matrix from one vector to another, as w_{ih}."""
    return isinstance(tree, Name) and any(re.fullmatch("[a-z]h|h[a-z]", mark) for mark in tree.marks)


def check_powers(read: Statements, raised: Mapping[int, str]) -> None:
    """NotationError for gamma^t, which is a power of what is nowhere computed, or given at each time.

    A letter that has its times above everywhere is in doubt if it is a small Greek one, or stands or is declared
    without a time too, or is a factor while other letters have their times below, or a matrix beside these.
    """
    untimed = {key for key, name, _ in read.uses() if not name.time}
    untimed |= {key for key, one in read.declared.items() if not one.name.time}
    uses = [(key, name) for key, name, _ in read.uses() if name.time]
    below = {key for key, name in uses if name.at not in raised and name.time != ("T", 0)}
    factors = {name.at for tree in _trees(read) for name in _factors(tree)}
    for key, name in uses:
        if read.roles[key] == DEFINED or name.at not in raised or key in below:
            continue
        greek = name.base in GREEK and key not in read.declared
        if key in untimed or greek or (below and (is_matrix(name) or (name.at in factors and name.base[0].islower()))):
            now, power = read.now, raised[name.at] if len(raised[name.at]) == 1 else f"{{{raised[name.at]}}}"
            given = f"{name.base}_{{{','.join((*name.marks, now))}}} for what is given at each time"
            state = f"g_{now} = {key} * g_{{{now}-1}} with g_0 = 1 and g_{now} in R for the power"
            state = f"{key}^T for the transpose" if is_matrix(name) and key not in untimed else state
            raise read.source.two_readings(name.at, f"{key}^{power}", given, state)


def _factors(tree: Tree) -> Iterator[Name]:
    """The names in a product that stand behind no matrix."""
    if tree.op in ("product", "elementwise", "quotient"):
        for before, part in zip((None, *tree.parts), tree.parts, strict=False):
            if isinstance(part, Name) and not (tree.op == "product" and before and is_matrix(before)):
                yield part


def _trees(read: Statements) -> Iterator[Tree]:
    return (tree for one in read.equations for tree in one.rights[0].all())


CHECKS = (
    *OF_WEIGHTS, check_length, check_stars, check_given, check_sides, check_labels, check_roots, check_capitals,
    check_constants, check_raised, check_numbered, check_primes, check_fonts, check_slopes, check_rates, check_dots,
    check_maps, check_factors, *OF_LETTERS,
)  # fmt: skip
