"""The names of `throughtime` for type checkers: those of its packages; `__init__.py` loads them on first use."""

from throughtime import checks as checks
from throughtime import derivation as derivation
from throughtime import evidence as evidence
from throughtime import learning as learning
from throughtime import models as models
from throughtime import programs as programs
from throughtime import reading as reading
from throughtime import systems as systems
from throughtime import tasks as tasks
from throughtime.checks import *
from throughtime.derivation import *
from throughtime.learning import *
from throughtime.models import *
from throughtime.programs import *
from throughtime.reading import *

__version__: str
