"""A derivation is shown only if all its checks have passed."""

from dataclasses import replace

import pytest
import throughtime as tt
from one_unit import f, h, t, u, unit, w, x, z
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.nodes import d, scalar, variable


@pytest.fixture(scope="module")
def bench() -> tt.Bench:
    return tt.Bench(unit(), [{}], length=4)


def test_true_derivation_shows_its_lines_and_its_checks(bench) -> None:
    derivation = bench.derive(h[t], u)
    shown = tt.show(bench, derivation)
    assert [outcome.passed for outcome in shown.checks.values()] == [True, True]
    assert shown.mutants.tried == shown.mutants.rejected + shown.mutants.equal > 5
    bundle = shown._repr_mimebundle_()
    lines = bundle["text/plain"].splitlines()
    assert lines[0] == "dh(t)/du"
    assert len(lines) == 1 + len(derivation.lines) + 3
    assert lines[-1].startswith(f"mutants: tried {shown.mutants.tried}")
    assert bundle["text/html"].count('<div class="tt-reason">') == 1 + len(derivation.lines)
    assert "general: passed" in bundle["text/html"]


def test_wrong_line_anywhere_is_refused(bench) -> None:
    true = bench.derive(h[t], u)
    for place, line in enumerate(true.lines):
        wrong = replace(line, expr=line.expr + w)
        lines = (*true.lines[:place], wrong, *true.lines[place + 1 :])
        with pytest.raises(tt.CheckError, match=r"dh\(t\)/du: instance check failed: .*; the sides are"):
            tt.show(bench, Derivation(true.left, lines))


def test_wrong_small_step_is_refused(bench) -> None:
    true = bench.derive(h[t], u)
    slip = Line(true.result, "the same", ((d(z[t], u), h[t - 1]),))
    with pytest.raises(tt.CheckError, match="instance check failed"):
        tt.show(bench, Derivation(true.left, (*true.lines, slip)))


def test_result_of_zero_is_put_to_mutants_too(bench) -> None:
    report = tt.show(bench, bench.derive(x[t], u)).mutants
    assert (report.tried, report.rejected) == (2, 2)


def test_system_without_time_has_a_setting_too() -> None:
    system = tt.System("one number")
    product = scalar("product")
    system[product[()]] = u * w
    bench = tt.Bench(system, [{}])
    assert bench.exact.further == (1, 2)
    assert tt.show(bench, bench.derive(product[()], u)).checks["general"].passed


def test_sequences_are_lengthened_by_the_longest_lag() -> None:
    system = tt.System("two lags")
    system[h[t]] = f(u * h[t - 1] + w * h[t - 4] + x[t])
    assert tt.Bench(system, [{}], length=6).exact.further == (7, 8)


def test_two_quantities_that_print_alike_are_refused() -> None:
    system, alike = unit(), variable("alike", latex="h")
    system[alike[t]] = 2 * h[t]
    with pytest.raises(tt.DerivationError, match=r"print alike, as h; expected another latex="):
        tt.Bench(system, [{}])
