"""The power goes at every single write of a journal's life: un-synced writes are lost, torn, or
land in any order.

A writer runs with its writes logged below SQLite (`write_log.c`, preloaded). From the log, the disk
is rebuilt as a power cut after each operation could leave it; the journal must open there, verify,
hold everything that was acknowledged, and go on."""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.journal.reader import JournalFile
from controller.journal.resume import left_behind
from controller.journal.store import Head
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.model.events import Tick, numbered
from tests.controller.journal import night

SECTOR = 512
HERE = Path(__file__).parent
Disk = dict[str, bytearray]


class Operation(NamedTuple):
    kind: str  # c create, w write, s sync, t truncate, u unlink, r rename
    name: str  # "" is the folder
    offset: int
    data: bytes


def operations(log: bytes) -> Iterator[Operation]:
    at = 0
    while at < len(log):
        kind, length, offset, size = struct.unpack_from("=cIqQ", log, at)
        at += struct.calcsize("=cIqQ")
        name = log[at : at + length].decode()
        at += length
        yield Operation(kind.decode(), name, offset, log[at : at + size])
        at += size


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> list[Operation]:
    """Everything that a journal's life did to the disk, in order."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("logging the writes below SQLite needs a C compiler")
    built, folder = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("disk")
    library = built / "write_log.so"
    source = HERE / "write_log.c"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl", "-lpthread"],
        check=True,
    )
    logged = {
        "LD_PRELOAD": str(library),
        "WRITE_LOG": str(built / "log"),
        "WRITE_LOG_FOLDER": str(folder),
    }
    command = [sys.executable, str(HERE / "logged_writer.py"), str(folder)]
    subprocess.run(command, check=True, env=os.environ | logged)
    found = list(operations((built / "log").read_bytes()))
    # The log is complete if it rebuilds what is there.
    for name, content in after(found).items():
        if not name.endswith("-shm"):
            assert (folder / name).read_bytes() == content, name
    return found


def apply(disk: Disk, operation: Operation, sectors: Iterable[int] | None = None) -> None:
    """Carry it out; of a write only the given sectors, where they are given."""
    kind, name, offset, data = operation
    if kind == "u":
        disk.pop(name, None)
    elif kind == "r":
        disk[data.decode()] = disk.pop(name)
    elif kind == "t":
        content = disk.setdefault(name, bytearray())
        del content[offset:]
        content.extend(bytes(offset - len(content)))
    elif kind == "c":
        disk.setdefault(name, bytearray())
    elif kind == "w":
        content = disk.setdefault(name, bytearray())
        edges = pieces(operation)
        for n, (start, end) in enumerate(pairwise(edges)):
            if sectors is None or n in sectors:
                content.extend(bytes(max(0, end - len(content))))
                content[start:end] = data[start - offset : end - offset]


def pieces(write: Operation) -> list[int]:
    """Where the write begins, crosses sectors, and ends."""
    begin, end = write.offset, write.offset + len(write.data)
    inner = range((begin // SECTOR + 1) * SECTOR, end, SECTOR)
    return [begin, *inner, end]


def after(done: Iterable[Operation]) -> Disk:
    disk: Disk = {}
    for operation in done:
        apply(disk, operation)
    return disk


class PowerCut:
    """The disk at one moment: what is safe, and what is still on its way, in order."""

    def __init__(self) -> None:
        self.safe: Disk = {}
        self.pending: list[Operation] = []

    def add(self, operation: Operation) -> None:
        if operation.kind != "s":
            self.pending.append(operation)
            return
        kept: list[Operation] = []
        for earlier in self.pending:
            in_folder = earlier.kind in "cur"
            if (in_folder and operation.name == "") or earlier.name == operation.name:
                apply(self.safe, earlier)
            else:
                kept.append(earlier)
        self.pending = kept

    def disks(self, chance: random.Random) -> Iterator[tuple[str, Disk]]:
        yield "all lost", self._with(())
        if not self.pending:
            return
        yield "none lost", self._with((o, None) for o in self.pending)
        last = self.pending[-1]
        if last.kind == "w":
            landed = range(chance.randrange(len(pieces(last))))
            torn = [(o, None) for o in self.pending[:-1]]
            yield "last torn", self._with([*torn, (last, landed)])
        yield "any order", self._with((o, self._some(o, chance)) for o in self.pending)

    def _some(self, operation: Operation, chance: random.Random) -> list[int]:
        count = len(pieces(operation)) - 1 if operation.kind == "w" else 0
        return [n for n in range(count) if chance.random() < 0.5]

    def _with(self, landed: Iterable[tuple[Operation, Iterable[int] | None]]) -> Disk:
        disk = {name: bytearray(content) for name, content in self.safe.items()}
        for operation, sectors in landed:
            apply(disk, operation, sectors)
        return disk


def heads(acknowledged: bytes) -> list[Head]:
    lines = [line.split(":") for line in acknowledged.decode().splitlines()]
    return [Head(int(seq), own) for seq, own in lines]


def laid_out(disk: Disk, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in disk.items():
        if name.startswith("j.db") and not name.endswith(("-shm", ".lock")):
            (folder / name).write_bytes(content)
    return folder / "j.db"


def check(path: Path, kept: list[Head]) -> int:
    """Whether everything is there; the number of events."""
    found = left_behind(path)
    if found is None:
        assert not kept
        return 0
    with JournalFile(path) as file:
        assert verify(file, kept).faults == ()
    bare = [numbered(event, 0) for event in found.events]
    assert bare == [night.happening(n) for n in range(len(bare))]
    return len(bare)


def goes_on(path: Path) -> None:
    with Journal(path, build="b") as journal:
        journal.append([Tick(at=0.0)])
        head = journal.head
    with JournalFile(path) as file:
        assert verify(file, [head]).faults == ()


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    """Where writing is quick, if this machine has that; what a power cut leaves is made by hand
    here."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.mark.slow
def test_the_power_may_go_at_any_write(log: list[Operation], quick_folder: Path) -> None:
    chance = random.Random(3)
    now, acknowledged = PowerCut(), bytearray()
    seen: set[int] = set()
    events = 0
    for moment, operation in enumerate(log):
        if operation.name == "acknowledged":
            acknowledged += operation.data
            continue
        if operation.name.endswith((".lock", "-shm")):
            continue
        now.add(operation)
        for how, disk in now.disks(chance):
            case = (len(acknowledged), *sorted((name, bytes(c)) for name, c in disk.items()))
            if hash(case) in seen:
                continue
            seen.add(hash(case))
            path = laid_out(disk, quick_folder / "disk")
            try:
                events = max(events, check(path, heads(bytes(acknowledged))))
                if how == "any order":
                    goes_on(path)
            except Exception as e:
                raise AssertionError(f"power cut after operation {moment} {how}") from e
    assert len(heads(bytes(acknowledged))) == 30
    assert len(seen) > 500
    assert events > 100


def test_the_log_would_show_a_commit_that_was_not_synced(
    log: list[Operation], tmp_path: Path
) -> None:
    """The check itself can fail: with the syncs of the write-ahead log left out, acknowledged
    records are lost."""
    unsynced = PowerCut()
    acknowledged = bytearray()
    for operation in log[: len(log) // 3]:
        if operation.name == "acknowledged":
            acknowledged += operation.data
        elif operation.kind != "s" or not operation.name.endswith("-wal"):
            unsynced.add(operation)
    _, disk = next(unsynced.disks(random.Random(0)))
    path = laid_out(disk, tmp_path / "disk")
    with JournalFile(path) as file:
        assert not verify(file, heads(bytes(acknowledged))).ok
