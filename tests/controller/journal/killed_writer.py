"""A process that writes journals until it is killed. Not a test: `test_journal_kills` starts it.

Each line on stdin is the path of a journal. A child process takes up what it finds there and writes
on, acknowledging every commit on stdout as ``NUMBER HASH``. The first line of a child is its
process id, the last, once it is gone, is ``gone``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from controller.journal.resume import begin, left_behind
from controller.journal.writer import Journal
from controller.model.events import numbered
from tests.controller.journal import night


def write_for_ever(path: Path) -> None:
    found = left_behind(path)
    state, done = night.closed(), 0
    for event in found.events if found else ():
        state, _ = night.step(state, event)
        done += 1
    journal = Journal(path, build="b", checkpoint_commits=5)
    begin(journal, night.happening(done).at, found, boot="boot")
    while True:
        for _ in range(1 + done % 4):
            event = night.happening(done)
            sealed = b"sealed" * 20 if event.kind == "card-came" else None
            seq = journal.stage(event, sealed=sealed)
            state, said = night.step(state, numbered(event, seq))
            for each in said:
                journal.stage(each)
            done += 1
        head = journal.commit()
        os.write(1, f"{head.seq} {head.hash}\n".encode())
        journal.tidy()


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os.write(1, f"{os.getpid()}\n".encode())
            write_for_ever(Path(line.strip()))
        os.waitpid(child, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()
