"""What the kernels of `make test` run first: formulas are millions of small objects and hardly a cycle of them."""

__import__("gc").set_threshold(10_000, 20, 20)
