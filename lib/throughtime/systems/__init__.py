"""The networks of the book as systems of recurrences, one module each."""
