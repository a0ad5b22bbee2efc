"""Numeric models: forward passes, losses and exact gradients, over one flat parameter vector each."""
