"""How statements, derivations and proofs show themselves: boxes, formulas as HTML, plain text, records."""
