"""The bench of a chapter: derivation and checking of equations of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr

from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.induction import Lemma
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.steps import Derivation, derive, derive_backward, derive_gradient
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import least_length
from throughtime.derivation.evaluating.evaluate import Evaluator
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.chains import AtMost, Chain, bounds, equations, formula_of
from throughtime.derivation.formulas.domains import Dimension
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.errors import CheckError, DerivationError, MisuseError
from throughtime.derivation.formulas.nodes import Quantity, Ref
from throughtime.derivation.judging import checks
from throughtime.derivation.judging.counterexample import counterexample
from throughtime.derivation.judging.instances import Instances
from throughtime.derivation.judging.judge import Forms, Strategy, check_mutants, insist, judge
from throughtime.derivation.judging.proofs import steps_hold
from throughtime.derivation.judging.survivors import check_bounds, run_mutants
from throughtime.derivation.judging.twin import Twin, twin
from throughtime.derivation.judging.zeros import Zeros
from throughtime.derivation.printing.printer import to_latex
from throughtime.derivation.publishing.outcome import MutantReport, Outcome
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.render import ranges_said
from throughtime.derivation.publishing.source import Source
from throughtime.derivation.publishing.statement import Shown, Statement, counterpart


@dataclass
class Bench:
    """System, exact instances and numeric model against which the equations of a chapter are checked.

    system        the definitions
    sizes         sizes of the dimensions for the exact instances: one dict, or several
    length        number of times of the instances, 1..length
    model         a program for the network as a numeric witness, or None: `equation` asks it too
    activations   the real activations as `(z, order) -> number`, for bounds and counterexamples; none for relu or sin
    assumptions   sentences that hold for every statement
    real          makes the instances in floating point, as `partial(ExactInstance, values=...)` with one's own values
    sources       a list of statements by id, with their titles and tags; another id then needs a `title`
    known         rewrites formulas before they are compared, as by identities of functions that are what they are

    A model offers what an `Evaluator` does. `sizes` and `length` are those of its own run; `element(key)` is the number
    at (quantity, *indices, time), indices and times counted from 1; `derivative(node, env)` is the value of a
    derivative symbol, found without the engine's rules; `function(applied, places)` is the activation of one unit as
    `(z, order) -> number`. It raises `OutOfRange` outside its run, `Unreadable` for a derivative that it cannot take,
    as by a node: then its numbers have to be those that the system defines, whose derivative is taken (`twin`).
    `throughtime.evidence.trace.ModelTrace` makes one of a forward pass in NumPy that takes complex numbers.

    Raises MisuseError for sizes that are no list of dicts, and for a length below 1.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> L, s = tt.scalar("L"), tt.time("s")
    >>> unit[L[()]] = tt.sum_over((s, 1, tt.LENGTH), y[s] ** 2 / 2)
    >>> bench = tt.Bench(unit, [{}], length=4)
    >>> print(bench.derive(y[t], w[()]).result)
    w*dy(t-1)/dw + y(t-1)
    >>> print(bench.derive_backward(L[()], y[t]).result)
    w*dL/dy(t+1) + y(t)
    >>> print(bench.derive_gradient(L[()], w[()]).result)
    sum[s=1..T] y(s-1)*dL/dy(s)
    """

    system: System
    sizes: Sequence[dict[Dimension, int]]
    length: int = 3
    model: Evaluator | None = None
    activations: Mapping[str, Callable[[Any, int], Any]] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    real: Callable[..., ExactInstance] = ExactInstance
    sources: Mapping[str, Source] = field(default_factory=dict)
    known: Callable[[Expr], Expr] = lambda formula: formula

    def __post_init__(self) -> None:
        if isinstance(self.sizes, Mapping) or not all(isinstance(each, Mapping) for each in self.sizes):
            raise MisuseError(f"sizes: got {self.sizes}, expected a list of dicts, one for each instance: [{{n: 2}}]")
        if not isinstance(self.length, int) or self.length < 1:
            raise MisuseError(f"length: got {self.length!r}, expected an integer of at least 1")
        self.reducer = Reducer(self.system)
        self._signs: dict[Any, frozenset[Expr]] = {}
        self._twin: Twin | None = None
        self.exact = Instances(self.system, self.sizes, self.length)
        self.zeros = Zeros(self.reducer, self.exact)
        self.exact.is_void = self.zeros.known
        self.witnesses = self.exact.own(self.length)

    def derive(self, target: Expr, wrt: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()) -> Derivation:
        """d(target)/d(wrt) forwards in time (`steps.derive`)."""
        return derive(self.reducer, target, wrt, cuts=cuts, keep=keep)

    def derive_backward(self, loss: Ref, node: Ref, **how: Iterable[Cut] | Iterable[Quantity]) -> Derivation:
        """d(loss)/d(node) backwards in time, with `cuts` and `keep` as for `derive` (`steps.derive_backward`)."""
        return derive_backward(self.reducer, loss, node, **how)

    def derive_gradient(self, loss: Ref, weight: Ref, *, cuts: Iterable[Cut] = ()) -> Derivation:
        """d(loss)/d(weight) as a sum over time, with `cuts` truncated (`steps.derive_gradient`)."""
        return derive_gradient(self.reducer, loss, weight, cuts=cuts)

    def equation(self, id: str, *printed: Chain, corrected: Iterable[Chain] = (), **how: Any) -> Statement:
        """Judge an equation: `printed` as its source has it, `corrected` where that turns out to be wrong.

        Both are chains, made by `chain(left, right, ...)`; `how` are the fields of `Equation`, among them `title` and
        `tag`, which are those of `sources` unless given, further `assumptions`, sentences, and `also`, the ids under
        which other sources print the same, with spaces between. Raises MisuseError where a form is no chain,
        UndefinedQuantityError for a quantity that the system does not define, and CheckError as `judge` does, and where
        an equation wrong as printed has no correction with its left side, or one of its right sides.
        """
        corrected = tuple(corrected)
        self._check_chains(id, printed=printed, corrected=corrected)
        self._check_corrections(id, printed, corrected)
        with self.system.printing:
            return judge(Equation(self, sources=self.sources, **how), id, printed, corrected)

    def on_instances(self, chains: Iterable[Chain], reach: float = 0) -> Outcome:
        """Whether chains hold on all exact instances that they call for, if `reach` first times are open."""
        return self.exact.ask(chains, reach)

    def holds_for(self, lemma: Lemma) -> Outcome:
        """Whether a claim over lags holds: on the exact instances, by induction, and at times that this leaves open.

        DerivationError where it holds on the instances, and base or step of the induction fails.
        """
        claim = [(lemma.left, lemma.right)]
        found = self.on_instances(claim)
        reach = found.passed and lemma.prove(self.reducer)
        return self.on_instances(claim, reach) if reach else found

    def floating(self, sizes: dict[Dimension, int], length: int, **how: Any) -> ExactInstance:
        """An instance with the real activations in floating point."""
        return self.real(self.system, sizes, length, **{"number": float, "activations": self.activations, **how})

    def on_model(self, chains: Iterable[Chain]) -> Outcome:
        """Whether chains hold of the model, if there is one; with derivatives that it cannot tell, of its `twin`.

        CheckError where the model does not compute what the system defines, UndefinedQuantityError for a formula that
        speaks of what it does not show.
        """
        outcome = Outcome(None)
        if self.model is None:
            return outcome
        for link in equations(chains):
            found = checks.holds_on([self.model], [link], checks.close)
            if found.passed is None:
                found = checks.holds_on([self.twin(link)], [link], checks.close)
            outcome = replace(found, count=outcome.count + found.count)
            if found.passed is False:
                break
        return outcome

    def twin(self, formulas: Iterable[Expr]) -> Evaluator:
        """The system on the numbers of its model, for derivatives in some formulas; errors as for `on_model`."""
        if self.model is None:
            raise MisuseError("twin: the bench has no model")
        self._twin = self._twin or twin(self.system, self.model)
        self._twin.check_shown(formulas)
        return self._twin

    def mutants(self, chains: Iterable[Chain]) -> MutantReport:
        """The mutants of all right sides on the exact instances."""
        chains, exact, zeros = tuple(chains), self.exact, self.zeros
        compared: dict[str, Any] = {"reach": zeros.reach, "alike": zeros.alike, "slow": zeros.slow, "known": self.known}
        return run_mutants(exact.of(chains), chains, larger=exact.larger, begun=exact.begun, **compared)

    def as_known(self, forms: Forms) -> Forms:
        """Chains as they are compared."""
        return tuple([one if isinstance(one, AtMost) else self.known(one) for one in members] for members in forms)

    def check_shown(self, *formulas: Expr) -> None:
        """As `System.check_known`; CutError for a second set of cuts under the name of one shown before."""
        self.system.check_known(*formulas)
        self.system.check_signs(formulas, self._signs)

    def _check_corrections(self, id: str, printed: Forms, corrected: Forms) -> None:
        """CheckError unless each equation that is wrong as printed has a `counterpart` of its own."""
        left_over = [*corrected]
        for left, *right in corrected:
            if any(equal(left, member) for member in right if not isinstance(member, AtMost)):
                raise CheckError(f"{id}: corrected: {left} = {left} says nothing")
        for members in printed if corrected else ():
            if self.on_instances([members]).passed is False:
                if (found := counterpart(members, left_over)) is None:
                    expected = "expected an equation with this left side, or with one of its right sides"
                    raise CheckError(f"{id}: corrected: nothing for {members[0]}, wrong as printed; {expected}")
                left_over.remove(found)

    def _check_chains(self, id: str, **forms: Forms) -> None:
        for name, members in ((name, members) for name, chains in forms.items() for members in chains):
            if not isinstance(members, tuple | list):
                raise MisuseError(f"{id}: {name}: expected chain(left, right), got {members!r}")
            try:
                self.check_shown(*map(formula_of, members))
            except DerivationError as error:
                raise type(error)(f"{id}: {error}") from error


def show(bench: Bench, derivation: Derivation) -> Shown:
    """Check every line of a derivation in general and on the exact instances, put the mutants of its last line to
    these, and return what shows it. CheckError if a check fails, a mutant survives, or a line says 0 = 0 without need.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> bench = tt.Bench(unit, [{}])
    >>> print(tt.show(bench, bench.derive(y[t], w[()])))
    dy(t)/dw
      = Dy(t)/Dw + Dy(t)/Dy(t-1)*dy(t-1)/dw   [chain rule over the arguments of $y(t)$]
      = y(t-1) + w*dy(t-1)/dw   [immediate partial derivatives]
    general: 2 passed
    instance: 5 passed
    mutants: tried 11, rejected 11, equal 0
    """
    name, links = str(derivation.left), derivation.equations()
    bench.check_shown(derivation.left, derivation.result)
    instance = insist(name, "instance", bench.on_instances(links))
    general = insist(name, "general", checks.holds_in_general(bench.reducer, links))
    insist(name, "instance", bench.on_instances(links, general.reach))
    if nothing := bench.exact.asked_nothing(links, general.reach):
        raise CheckError(f"{name}: instance check failed: {nothing}")
    report = check_mutants(name, bench.mutants([(derivation.left, derivation.result)]))
    return Shown(derivation, {"general": general, "instance": instance}, report)


@dataclass
class Equation(Strategy):
    """The strategy for equations of a system: brute force on the instances, index algebra, the numeric model.

    `derivations` are shown, and each of their lines is checked like the statement itself. `lemmas` are proved by
    induction, shown, and used; `quoted` are proved and used, and shown without the proof, which stands elsewhere on
    the page. A chain may end in `AtMost(bound)`: with `slopes` the largest slopes by activation, and attained where
    the quantities named in `zeros` are 0 and all others are positive. `proof` are steps from the equations to what
    the source draws from them. `numeric` gives the reason where the numeric model has nothing to say.
    """

    bench: Bench
    derivations: Iterable[Derivation] = ()
    lemmas: Iterable[Lemma] = ()
    quoted: Iterable[Lemma] = ()
    slopes: Mapping[str, Expr] = field(default_factory=dict)
    zeros: Iterable[str] = ()
    numeric: str = ""

    def __post_init__(self) -> None:
        for name in ("derivations", "lemmas", "quoted", "proof"):
            setattr(self, name, tuple(getattr(self, name)))
        self.known = (*self.lemmas, *self.quoted)
        self.derived = tuple(chain for derivation in self.derivations for chain in derivation.equations())
        self.further = (*self.derived, *((lemma.left, lemma.right) for lemma in self.known))

    def holds(self, forms: Forms) -> Outcome:
        """Outcome on the exact instances, with those for times that the general check leaves open, and of the bounds.

        What the checks have found is kept for later. The general one may fail here, and refuses then among the checks.
        """
        bench, self.bounds, self.general = self.bench, MutantReport(), Outcome(True)
        forms = bench.as_known(forms)
        self.on_instances = bench.on_instances(forms)
        self.elsewhere = bench.on_instances(self.further) if self.on_instances.passed is not False else Outcome(False)
        if self.elsewhere.passed is not False:  # which is told among the checks
            chains = (*self.derived, *forms)  # a form may be the end of a derivation
            self.general = checks.holds_in_general(bench.reducer, chains, self.known, self.slopes)
        if self.general.reach:
            self.on_instances = bench.on_instances(forms, self.general.reach)
            self.elsewhere = bench.on_instances(self.further, self.general.reach)
        if self.on_instances.passed is False:
            self.refuting = self.on_instances.witness
        elif self.elsewhere.passed is not False and any(bounds(forms)):
            problem, self.bounds = check_bounds(*self._real(), forms)
            return Outcome(False, problem) if problem else self.on_instances
        return self.on_instances

    def checks(self, forms: Forms) -> dict[str, Callable[[], Outcome]]:
        """All claims made: the forms, every line of the derivations, the lemmas."""
        return {
            "general": self._general,
            "instance": lambda: self._instance(self.bench.as_known(forms)),
            "numeric": lambda: self._numeric((*forms, *self.further)),
        }

    def _general(self) -> Outcome:
        steps = steps_hold(self.proof)
        return replace(self.general, argued=steps.argued) if steps.passed else steps

    def _instance(self, forms: Forms) -> Outcome:
        found = self.on_instances.joined(self.elsewhere)
        asked = ((*forms, *self.further), self.general.reach)
        nothing = self.bench.exact.asked_nothing(*asked) if found.passed else ""
        return Outcome(False, nothing) if nothing else found

    def _numeric(self, chains: Forms) -> Outcome:
        return Outcome(None, self.numeric) if self.numeric else self.bench.on_model(chains)

    def mutants(self, forms: Forms, true: bool) -> MutantReport:
        """Mutants on the exact instances, those of bounds on the ones in floating point."""
        return self.bench.mutants(forms).joined(self.bounds)

    def example(self, id: str, printed: Forms) -> tuple[str, str]:
        """Plain numbers in a small network with the real activations, else exact ones."""
        bench, links = self.bench, [*equations(printed)]
        most = max([bench.length, *(least_length(*link) for link in links)])
        lengths = [*sorted({2, most}), *range(3, most)]  # a lost recursion shows only where two steps lie behind
        sizes = [*bench.sizes]
        if not any(bounds(printed)) and self.refuting:  # exact numbers do not judge these
            printed = tuple(link for link in links if not bench.on_instances([link]).passed) or tuple(links)
            lengths = [length for length in lengths if not checks.holds_on(bench.exact.own(length), printed).passed]
            sizes.append({dimension: int(self.refuting.sizes[dimension]) for dimension in bench.sizes[0]})
            lengths.append(self.refuting.length)
        return counterexample(bench.floating, sizes, lengths, id, printed, self.on_instances.where())

    def shown(self) -> tuple[Step, ...]:
        """The proof as it is shown: quoted lemmas, lemmas with base and step, then the steps given."""
        lines: list[tuple[str, tuple[Expr, ...] | None]]
        lines = [(f"As shown before, {_for_lags(lemma)}.", None) for lemma in self.quoted]
        for lemma in self.lemmas:
            lines.append((f"By induction over {lemma.words}, {_for_lags(lemma)}.", None))
            lines += lemma.explain(self.bench.reducer)
        return (*(Step(words, chain, lambda: True, exact=True) for words, chain in lines), *self.proof)

    def assumed(self, forms: Forms) -> tuple[str, ...]:
        """Assumptions: the ranges of the indices, those of the bench, and those of the statement."""
        return (*ranges_said(forms), *self.bench.assumptions, *self.assumptions)

    def _real(self) -> tuple[Sequence[ExactInstance], Sequence[ExactInstance]]:
        """Instances with the real activations in floating point: some random; one positive, in which `zeros` are 0."""
        make, sizes, length = self.bench.floating, self.bench.sizes, self.bench.length
        random = [make(dict(each), length, seed=seed) for seed, each in enumerate(sizes, 7)]
        positive = {"number": lambda value: abs(float(value)), "zeros": frozenset(self.zeros)}
        return random, [make(dict(sizes[0]), length, seed=3, **positive)]


def _for_lags(lemma: Lemma) -> str:
    claim, lags = f"{to_latex(lemma.left)} = {to_latex(lemma.right)}", f"{to_latex(lemma.over)} \\ge {lemma.start}"
    return f"${claim}$ for ${lags}$"
