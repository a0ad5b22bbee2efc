"""Experiments behind the book's measured claims: each runs live from a seed and returns plain numbers."""
