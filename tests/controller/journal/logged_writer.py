"""A process that writes a journal in FOLDER, and acknowledges every commit in FOLDER/acknowledged.
Not a test: `test_journal_power_cut` starts it with its writes logged."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from controller.journal.resume import begin
from controller.journal.writer import Journal
from controller.model.events import numbered
from tests.controller.journal import night


def main(folder: Path) -> None:
    acknowledge = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT, 0o600)
    state, done = night.closed(), 0
    for run in range(3):
        journal = Journal(folder / "j.db", build="b", checkpoint_commits=7)
        if run == 0:
            begin(journal, 0.0, boot="boot")
        for commit in range(10):
            for _ in range(1 + commit % 3 * 4):
                event = night.happening(done)
                blob = b"sealed" * 20 if event.kind == "card-came" else None
                seq = journal.stage(event, sealed=blob)
                state, said = night.step(state, numbered(event, seq))
                for each in said:
                    journal.stage(each)
                done += 1
            head = journal.commit()
            os.write(acknowledge, f"{head}\n".encode())
            journal.tidy()
        if run != 2:  # the last run ends without closing
            journal.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    os._exit(0)
