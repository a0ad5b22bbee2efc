"""Statements judged: general check, instances, mutants, counterexamples, and how the verdict is shown."""
