"""Judging with a time limit: items are put to a child process, of which one that takes too long is killed.

The limit is one of processor time, so that what is decided does not depend on what else the machine does.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

LIMIT = 20  # seconds of processor time for one judgement
MEMORY = 4 << 30
FOLDER = Path(__file__).parents[1]


class Worker:
    """A child process that judges one item after another; a new one is made where the last one was killed."""

    def __init__(self, limit: float = LIMIT):
        self.limit = limit
        self.process: subprocess.Popen[str] | None = None

    def judged(self, item: str) -> dict[str, Any]:
        """The record of an item: kind, verdict ("undecided" where time was up, "crashed" where the process
        ended otherwise), reason, seconds.
        """
        if self.process is None or self.process.poll() is not None:
            path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzzing.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": path},
            )  # fmt: skip
        self.process.stdin.write(f"{item} {self.limit}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            return json.loads(answer)
        code = self.close()
        late = code == -signal.SIGPROF
        reason = f"more than {self.limit} s" if late else f"the process ended with {code}"
        verdict = "undecided" if late else "crashed"
        return {"item": item, "kind": "", "verdict": verdict, "reason": reason, "seconds": self.limit}

    def close(self) -> int:
        """End the process; its return code."""
        if self.process is None:
            return 0
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        self.process = None
        return code


def main() -> None:
    """Answer each line "item limit" by its record. The default action of the timer's signal ends the process."""
    from fuzzing.engine import judged_again, judged_text
    from fuzzing.items import asked
    from fuzzing.printed import Printed

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        item, limit = line.split()
        found = asked(item)
        if found is None:
            record = {"item": item, "kind": "", "verdict": "none", "reason": "", "seconds": 0}
        else:
            kind, statement, _ = found
            signal.setitimer(signal.ITIMER_PROF, float(limit))
            start = process_time()
            verdict, reason = (judged_text if isinstance(statement, Printed) else judged_again)(statement)
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds = round(process_time() - start, 2)
            record = {"item": item, "kind": kind, "verdict": verdict, "reason": reason[:600], "seconds": seconds}
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
