"""Kernels of notebooks are forked: each is as fresh as a plain one, and is interrupted and ends as one."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forked_kernels import Forge, forking_manager

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def forge() -> Iterator[Forge]:
    forge = Forge()
    yield forge
    forge.close()


class Running:
    """A kernel, and what it prints."""

    def __init__(self, forge: Forge, cwd: Path, **env: str) -> None:
        self.manager = forking_manager(forge)(kernel_name="python3")
        self.manager.start_kernel(cwd=str(cwd), env={**os.environ, **env})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    @property
    def pid(self) -> int:
        return self.manager.provisioner.pid

    @property
    def parent(self) -> int:
        return int(Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[1])

    def ask(self, code: str, first: Callable = lambda: None) -> str:
        """What is printed and raised; with the first of it something is done."""
        said: list[str] = []

        def hear(message: dict) -> None:
            content = message["content"]
            if words := content.get("text", content.get("ename")):
                said.append(words)
                if len(said) == 1:
                    first()

        self.client.execute_interactive(code, timeout=60, output_hook=hear, allow_stdin=False)
        return "".join(said).strip()

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(forge: Forge, tmp_path: Path) -> Iterator[Running]:
    running = Running(forge, tmp_path, HERE="told", PYTHONSTARTUP=str(ROOT / "tools/kernel_start.py"))
    yield running
    running.stop()


def ended(pid: int, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
        time.sleep(0.02)
    return not Path(f"/proc/{pid}").exists()


def test_a_forked_kernel_has_what_is_imported_and_an_empty_namespace(kernel: Running, forge: Forge) -> None:
    assert kernel.parent == forge.process.pid
    assert len(list(Path(f"/proc/{forge.process.pid}/task").iterdir())) == 1  # a thread would not be forked
    told = kernel.ask("import sys; print(*(name in globals() for name in ('numpy', 'sympy', 'serve')))")
    assert told == "False False False"
    assert kernel.ask("print({'numpy', 'sympy', 'numba', 'throughtime'} <= set(sys.modules))") == "True"
    told = kernel.ask("print(__name__, sys.argv[0], 'forked_kernels' in sys.modules)")
    assert told == "__main__ ipykernel_launcher False"


def test_no_letter_of_a_system_is_made_before_the_chapter_makes_it(kernel: Running) -> None:
    made = "from throughtime.derivation.formulas.domains import Ranked; print(*Ranked._first)"
    assert kernel.ask(made) == "T"


def test_a_forked_kernel_is_a_process_of_its_own_where_it_was_asked_to_be(kernel: Running, tmp_path: Path) -> None:
    told = kernel.ask("import os; print(os.getpid(), os.getsid(0), os.getpgrp())")
    assert told == " ".join(3 * [str(kernel.pid)])
    assert kernel.ask("print(os.getcwd(), os.environ['HERE'])") == f"{tmp_path} told"
    assert kernel.ask("import gc; print(gc.get_threshold())") == "(10000, 20, 20)"  # tools/kernel_start.py has run
    assert kernel.ask("import subprocess; print(subprocess.run(['false']).returncode)") == "1"


def test_what_a_kernel_changes_no_other_sees(kernel: Running, forge: Forge, tmp_path: Path) -> None:
    kernel.ask("import numpy, os; numpy.planted = 1; os.environ['HERE'] = 'changed'; here = 1")
    other = Running(forge, tmp_path, HERE="told")
    told = other.ask("import numpy, os; print(hasattr(numpy, 'planted'), os.environ['HERE'], 'here' in globals())")
    assert told == "False told False"
    other.stop()


def test_numba_compiles_and_figures_are_drawn(kernel: Running) -> None:
    assert kernel.ask("import numba; print(numba.njit(lambda x: x + 1)(2))") == "3"
    drawn = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.close(); print(plt.get_backend().lower())"
    assert kernel.ask(drawn) == os.environ["MPLBACKEND"].lower()


def test_a_cell_is_interrupted(kernel: Running) -> None:
    code = "import time; print('begun', flush=True); time.sleep(600)"
    assert kernel.ask(code, kernel.manager.interrupt_kernel) == "begun\nKeyboardInterrupt"
    assert kernel.ask("print('goes on')") == "goes on"


@pytest.mark.parametrize("now", [True, False])
def test_a_kernel_ends_when_told(forge: Forge, tmp_path: Path, now: bool) -> None:
    running = Running(forge, tmp_path)
    running.client.stop_channels()
    running.manager.shutdown_kernel(now=now)
    assert ended(running.pid)
    assert not running.manager.is_alive()


@pytest.mark.nightly
def test_when_the_forge_dies_its_kernels_end_and_the_next_is_a_plain_one(tmp_path: Path) -> None:
    forge = Forge(["ipykernel.kernelapp"])
    first = Running(forge, tmp_path)
    os.kill(forge.process.pid, signal.SIGKILL)
    assert ended(first.pid)
    assert not first.manager.is_alive()
    second = Running(forge, tmp_path)
    assert second.parent == os.getpid()
    assert second.ask("print(1 + 1)") == "2"
    first.stop()
    second.stop()
    forge.close()
