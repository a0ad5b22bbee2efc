"""Systems of definitions and their total, truncated and adjoint derivatives, with every step and its reason."""
