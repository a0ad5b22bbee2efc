"""Where derivations meet numbers: a model's trace as a witness for formulas."""
