"""A reader from outside: it comes to the verdicts again from the TeX of the pages alone, with the standard library."""
