"""Errors of the engine; each message says which object is refused, and where."""


class DerivationError(ValueError):
    """Base class of every refusal of the derivation engine."""


class DomainError(DerivationError):
    """An index or a dimension does not fit the place it was put in."""


class IndexClashError(DerivationError):
    """One index is used with two meanings in one formula."""


class UndefinedQuantityError(DerivationError):
    """A formula refers to a quantity that the system neither defines nor is given."""


class CycleError(DerivationError):
    """Quantities at one time depend on each other in a circle."""


class CutError(DerivationError):
    """A cut names no dependence of the system."""


class MisuseError(DerivationError, TypeError):
    """An argument, or the result of a user's function, is of another kind than expected."""


class CheckError(DerivationError):
    """A statement failed one of its checks."""


class NotShownError(CheckError):
    """No number refutes a statement, and no check shows it."""


class UncorrectedError(CheckError):
    """A statement is wrong as printed, and no correction is given; `example` are numbers at which it is wrong."""

    def __init__(self, message: str, example: str):
        super().__init__(message)
        self.example = example
