"""pytest plugin for nbval: on Linux kernels are forked from a process that has imported what chapters import.

Each worker has one such process. It imports and runs nothing else, and has neither threads nor sockets of ZMQ, so that
a fork of it is a fresh kernel: an empty namespace in a process and session of its own. The kernels of a worker share
its hash seed and the state of NumPy's global generator, both of which differ from run to run. If it cannot start or has
died, notebooks get plain kernels.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# What many notebooks import, or few at great length. No system of equations: formulas print in the order in which
# their letters were made in the process.
IMPORTED = [
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "IPython.core.historyapp",
    "numpy",
    "sympy",
    "scipy.linalg",
    "numba",
    "matplotlib.figure",
    "matplotlib.backends.backend_svg",
    "throughtime.derivation.judging.claims",
    "throughtime.derivation.publishing.statement",
    "throughtime.arrays.activations",
    *(
        f"book.shared.{name}"
        for name in ("rendered", "statements", "in_print", "intervals", "kept", "reading", "words", "svg")
    ),
]
FEW = 4  # below so many notebooks for a worker, the imports cost more than they save
SECONDS = 120  # for the imports, and then for a fork


def serve(requests: socket.socket, imported: list[str]) -> None:
    """Import, then fork a kernel at each request until the worker closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: os.waitpid(-1, os.WNOHANG))  # and its processor time is counted
    # Read at import: kernels end when this process does, and draw in the notebook unless told otherwise.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for name in imported:
        importlib.import_module(name)
    gc.freeze()
    while True:
        word, files, *_ = socket.recv_fds(requests, 1, 4)
        if not word:
            return
        if not os.fork():
            requests.close()
            break
        for file in files:
            os.close(file)
    become_kernel(*files)


def become_kernel(answer: int, *streams: int) -> None:
    """What the fork does: take up what the kernel was asked to be, answer with a handle of this process, and run."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for stream, file in enumerate(streams):
        os.dup2(file, stream)
        os.close(file)
    with socket.socket(fileno=answer) as worker:
        wanted = json.load(worker.makefile())
        os.environ.clear()
        os.environ.update(wanted["env"])
        os.chdir(wanted["cwd"])
        handle = os.pidfd_open(os.getpid())
        socket.send_fds(worker, [str(os.getpid()).encode()], [handle])
        os.close(handle)
    sys.argv = wanted["argv"]
    sys.modules["ipykernel.kernelapp"].launch_new_instance()


class Forked:
    """A forked kernel, with what jupyter_client uses of ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int, handle: int) -> None:
        self.pid, self.handle, self.returncode = pid, handle, None

    def poll(self, milliseconds: int | None = 0) -> int | None:
        """Whether it has ended: None, or 0 whatever its status was, which only its parent knows."""
        if self.returncode is None:
            ended = select.poll()
            ended.register(self.handle, select.POLLIN)
            if ended.poll(milliseconds):
                os.close(self.handle)
                self.returncode = 0
        return self.returncode

    def wait(self) -> int | None:
        return self.poll(None)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            signal.pidfd_send_signal(self.handle, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class Forge:
    """The process that kernels are forked from, started with the first."""

    def __init__(self, imported: Sequence[str] = IMPORTED) -> None:
        self.imported, self.process = imported, None

    def start(self) -> None:
        self.requests, other = socket.socketpair()
        command = [sys.executable, __file__, str(other.fileno()), *self.imported]
        with other:
            self.process = subprocess.Popen(
                command, pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
            )

    def fork(self, argv: list[str], cwd: str, env: dict[str, str], stdout: Any, stderr: Any) -> Forked:
        """A new kernel; OSError if the process has died or does not answer."""
        if self.process is None:
            self.start()
        mine, other = socket.socketpair()
        with mine, other, Path(os.devnull).open() as nothing:
            streams = [nothing.fileno(), *(1 + n if s is None else s.fileno() for n, s in enumerate((stdout, stderr)))]
            socket.send_fds(self.requests, [b"k"], [other.fileno(), *streams])
            other.close()
            mine.settimeout(SECONDS)
            mine.sendall(json.dumps({"argv": argv, "cwd": str(cwd), "env": env}).encode())
            mine.shutdown(socket.SHUT_WR)
            pid, handles, *_ = socket.recv_fds(mine, 20, 1)
        if not handles:
            raise ConnectionError("no kernel was forked")
        return Forked(int(pid), handles[0])

    def close(self) -> None:
        if self.process is not None:
            self.requests.close()
            self.process.wait()
            self.process = None


def forking_manager(forge: Forge) -> type:
    """The manager of jupyter_client with kernels that ``forge`` forks, and plain ones where it cannot."""
    from jupyter_client.manager import KernelManager
    from jupyter_client.provisioning import LocalProvisioner

    class Provisioner(LocalProvisioner):
        async def launch_kernel(self, cmd: list[str], **wanted: Any) -> Any:
            try:
                python, *_, module = cmd[: cmd.index("-f")]
                if (python, module) != (sys.executable, "ipykernel_launcher"):
                    raise ValueError(f"{cmd} is no kernel of this Python")
                argv = cmd[cmd.index(module) :]
                streams = wanted.get("stdout"), wanted.get("stderr")
                self.process = forge.fork(argv, wanted["cwd"] or Path.cwd(), wanted["env"], *streams)
            except (OSError, ValueError):
                return await super().launch_kernel(cmd, **wanted)
            self.pid = self.pgid = self.process.pid
            self.cwd = wanted["cwd"]
            return self.connection_info

    class Manager(KernelManager):
        def __init__(self, *args: Any, **traits: Any) -> None:
            super().__init__(*args, **traits)
            self.provisioner = Provisioner(kernel_id="", kernel_spec=self.kernel_spec, parent=self)

    return Manager


FORGE = Forge()


def pytest_collection_finish(session: Any) -> None:
    """Let nbval fork its kernels, where there are notebooks enough."""
    notebooks = {item.path for item in session.items if item.path.suffix == ".ipynb"}
    if sys.platform == "linux" and len(notebooks) >= FEW * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)):
        import nbval.kernel

        nbval.kernel.KernelManager = forking_manager(FORGE)


def pytest_sessionfinish() -> None:
    FORGE.close()


if __name__ == "__main__":
    del sys.path[0]  # this folder
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
