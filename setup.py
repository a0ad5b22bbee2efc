"""An editable install of a checkout makes the book's code importable as ``throughtime_book``; the wheel does not."""

from setuptools import setup
from setuptools.command.editable_wheel import editable_wheel


class EditableCheckout(editable_wheel):
    """An editable install of the library and, from ``book/``, of the book's package."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.distribution.packages.append("throughtime_book")


setup(cmdclass={"editable_wheel": EditableCheckout})
