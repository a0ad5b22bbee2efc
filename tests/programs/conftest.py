"""Programs run as plain Python in these tests: what is asked is what they compute; test_build.py compiles one."""

import pytest
from throughtime.programs import build


@pytest.fixture(scope="module", autouse=True)
def plain():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "COMPILED", False)
        patch.setattr(build, "CACHE", None)
        yield
