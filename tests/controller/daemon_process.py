"""`burnturn run` as a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.journal.reader import JournalFile
from controller.journal.record import body_of
from controller.journal.verify import verify


@contextmanager
def running(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The daemon, once it is ready; its lines so far."""
    command = [sys.executable, "-m", "controller.cli.main", "run", "--headless", *words]
    with subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        lines: list[str] = []
        try:
            assert process.stderr is not None
            for line in process.stderr:
                lines.append(line)
                if line.startswith("watching"):
                    break
            assert lines, "it ended before it was ready"
            yield process, lines
        finally:
            process.kill()


def kinds(folder: Path, name: str = "burnturn.journal") -> list[str]:
    with JournalFile(folder / name) as journal:
        assert verify(journal).ok
        return [type(body_of(r)).__name__ for r in journal.records()]
