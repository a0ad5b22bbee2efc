"""A net of two modules, a union of two domains: each derivative is derived, proved and shown."""

import throughtime as tt

n, m = tt.Dimension("n"), tt.Dimension("m")
FAST = tt.domain("fast", n)
SLOW = tt.domain("slow", m, after=FAST)
ALL = tt.union("modules", FAST, SLOW)
(g, g2), (r, r2, r3), z = tt.indices("g g2", FAST), tt.indices("r r2 r3", SLOW), tt.indices("z", ALL)
t, s, f, loss = tt.time("t"), tt.time("s"), tt.Activation("f"), tt.scalar("L")


def test_a_slow_module_moves_when_its_clock_says_so_and_does_not_read_the_fast_one() -> None:
    system, clock, x = tt.System("clockwork", t), tt.sequence("clock", mask=True), tt.sequence("x")
    y, net, drive = tt.variable("y", ALL), tt.variable("z", ALL), tt.parameter("v", ALL)
    every, among = tt.parameter("A", FAST, ALL), tt.parameter("B", SLOW, SLOW)
    system[net[g, t]] = drive[g] * x[t] + tt.sum_over(z, every[g, z] * y[z, t - 1])
    system[net[r, t]] = drive[r] * x[t] + tt.sum_over(r2, among[r, r2] * y[r2, t - 1])
    system[y[g, t]] = f(net[g, t])
    system[y[r, t]] = clock[t] * f(net[r, t]) + (1 - clock[t]) * y[r, t - 1]
    system[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), z, y[z, s] ** 2) / 2
    bench = tt.Bench(system, [{n: 2, m: 1}])
    for weight in (every[g2, z], among[r2, r3], drive[g2]):
        tt.show(bench, bench.derive(y[g, t], weight))
        tt.show(bench, bench.derive_gradient(loss[()], weight))
    for node in (y[g, t], y[r, t], net[g, t], net[r, t]):
        tt.show(bench, bench.derive_backward(loss[()], node, keep=[net]))
