"""The book's figures: each function returns a matplotlib ``Figure`` and touches no global state."""
