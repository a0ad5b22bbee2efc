"""Measure how long the derivation engine takes for the LFMN: `python tools/measure_engine.py` prints seconds."""

from __future__ import annotations

from time import perf_counter

from throughtime.bridge.lfmn import setting
from throughtime.derivation.systems import lfmn as s


def main() -> None:
    """Print the seconds for setting up, deriving, and judging with all checks and mutants."""
    start = perf_counter()
    chapter = setting()
    print(f"{perf_counter() - start:8.3f} s  setting")
    for weight in (s.u_hid[s.j_n], s.v_hid[s.j_a], s.w_hid[s.j_n, s.k], s.w_out[s.i_s, s.j], s.u_out[s.i_n]):
        start = perf_counter()
        derivation = chapter.derive(s.cost[s.t], weight)
        derived = perf_counter()
        statement = chapter.equation("measured", (derivation.left, derivation.result), derivations=[derivation])
        judged = perf_counter()
        print(
            f"{derived - start:8.3f} s  derive {derivation.left}, {len(derivation.lines)} lines; "
            f"{judged - derived:.3f} s to judge it with {statement.mutants.tried} mutants"
        )


if __name__ == "__main__":
    main()
