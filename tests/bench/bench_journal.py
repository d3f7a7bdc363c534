"""How long a commit takes on this machine's storage, and how many records a second go in and are
verified."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from controller.journal.reader import JournalFile
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.model.events import CardCame, Token
from controller.model.table import seat_zone

BATCH = 3
"""Records in a usual batch: an event, and what was said of it."""


def storage(folder: Path) -> str:
    """The disk under a folder, as the system names it: file system, device, options, model."""
    found = subprocess.run(
        ["findmnt", "-no", "FSTYPE,SOURCE,OPTIONS", "-T", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    words = found.stdout.split() if found.returncode == 0 else ["unknown file system"]
    model = Path(f"/sys/block/{Path(words[1]).name}/device/model") if len(words) > 1 else None
    if model is not None and model.exists():
        words.append(model.read_text("ascii", "replace").strip())
    return " ".join(words)


def came(n: int) -> CardCame:
    return CardCame(
        at=0.4 * n, token=Token(n), zone=seat_zone(n % 9 + 1), after=0.4 * n - 1, before=0.4 * n
    )


def commits_s(folder: Path, commits: int) -> list[float]:
    """Seconds of each commit of a usual batch, checkpoints between them not counted."""
    took: list[float] = []
    with Journal(folder / "commits.db") as journal:
        for n in range(commits):
            for k in range(BATCH):
                journal.stage(came(BATCH * n + k), sealed=bytes(112) if k == 0 else None)
            began = time.perf_counter()
            journal.commit()
            took.append(time.perf_counter() - began)
            journal.tidy()
    return sorted(took)


def run(quick: bool = False) -> list[str]:
    commits, records = (200, 5_000) if quick else (2_000, 50_000)
    # In the working folder, not in /tmp: that is often kept in memory.
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as name:
        folder = Path(name)
        took = commits_s(folder, commits)
        with Journal(folder / "bulk.db") as journal:
            began = time.perf_counter()
            for _ in range(records // 500):
                journal.append(came(n) for n in range(500))
            written_s = time.perf_counter() - began
        with JournalFile(folder / "bulk.db") as file:
            began = time.perf_counter()
            found = verify(file)
            verified_s = time.perf_counter() - began
        assert found.ok
        size = (folder / "bulk.db").stat().st_size
        on = storage(folder)
    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
    return [
        f"commit of {BATCH} records: p50 {p50 * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms,"
        f" longest {took[-1] * 1e3:.1f} ms ({commits} commits) on {on}",
        f"written in batches of 500: {records / written_s:,.0f} records/s,"
        f" {size / records:.0f} bytes a record",
        f"verified: {records / verified_s:,.0f} records/s",
    ]
