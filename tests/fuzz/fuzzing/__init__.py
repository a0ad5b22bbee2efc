"""Random recurrences, equations true by construction, and falsehoods made of them, for the engine to judge."""
