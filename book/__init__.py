"""The code of the book: what each chapter computes, claims and draws, beside its notebook. No part of the wheel."""
