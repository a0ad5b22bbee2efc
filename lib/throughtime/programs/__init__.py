"""Programs made of derivations: the equation on the page is the code that runs."""

from throughtime.programs.network import CompiledNetwork, compile

__all__ = ["CompiledNetwork", "compile"]
