"""The journal's writing side: numbers what happens at once, and commits it in batches that are on
the disk, chained, when the commit returns. Knows no event loop; `recorder` is the rim."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from controller.journal.build import build_name
from controller.journal.record import (
    GENESIS,
    Body,
    Gap,
    Record,
    RecordError,
    link,
    numbers_taken,
    profile_hash,
    time_of,
    with_number,
)
from controller.journal.store import INSERT, INSERT_BLOB, Head, open_for_writing, row_of
from controller.journal.trouble import DATABASE_ERRORS, JournalError, Trouble, failure
from controller.model.events import TableOpened

KEEP = 5_000
"""Records that are kept in memory while they cannot be written: some hours of a table, a few
megabytes."""
CHECKPOINT_COMMITS = 64
BUSY_S = 0.25
NEWEST = "SELECT seq, hash, profile, build, kind, body FROM records ORDER BY seq DESC LIMIT 1"


class Staged(NamedTuple):
    """Numbered, not yet written."""

    seq: int
    wall: float
    body: Body
    profile: str
    blob: bytes | None

    @property
    def taken(self) -> int:
        return self.body.lost if isinstance(self.body, Gap) else 1


class Journal:
    """One journal file, with this process as its only writer.

    Usual course, for every batch of readings: `stage` each event (its number comes back), judge it,
    `stage` what the rules said of it, then `commit`, and only then show anything. Events and what
    was said of them belong in one commit: a power cut then takes both or neither. `append` does it
    all for a batch that is ready.

    A failed commit raises JournalError and loses nothing: what is staged stays, up to `keep`
    records, and the next commit tries again. Beyond that the oldest make way, and a `gap` record
    says in their place how many they were.

    The storage may be in trouble from the start; the constructor does not raise for that, the first
    commit does. `stage` and `commit` may be called from two threads."""

    def __init__(
        self,
        path: Path | str,
        *,
        build: str | None = None,
        wall: Callable[[], float] = time.time,
        keep: int = KEEP,
        busy_s: float = BUSY_S,
        checkpoint_commits: int = CHECKPOINT_COMMITS,
    ) -> None:
        self.path = Path(path)
        self.build = build_name() if build is None else build
        self._wall = wall
        self._keep = keep
        self._busy_s = busy_s
        self._checkpoint_commits = checkpoint_commits
        self._staging = Lock()  # guards what `stage` touches
        self._writing = Lock()  # one commit at a time
        self._staged: deque[Staged] = deque()
        self._db: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._file: tuple[int, int] | None = None
        self._sizes: dict[Path, int] = {}
        self._head: Head | None = None
        self._doubt: Head | None = None
        self._next = 1
        self._profile = ""
        self._commits = 0
        self.written_by: str | None = None
        self.lost = 0
        with contextlib.suppress(JournalError):
            self._open()

    @property
    def head(self) -> Head:
        """The newest record on the disk; number 0 if there is none, or none could be read yet."""
        return self._head or Head(0, GENESIS)

    @property
    def waiting(self) -> int:
        """Records staged and not yet on the disk."""
        with self._staging:
            return sum(not isinstance(s.body, Gap) for s in self._staged)

    def stage(self, body: Body, *, sealed: bytes | None = None) -> int:
        """Number it. sealed: the sealed blob that belongs to it. Raises ValueError for an event
        that already bears another number."""
        with self._staging:
            seq = self._next
            numbered_body = with_number(body, seq)
            if isinstance(body, TableOpened):
                self._profile = profile_hash(body)
            self._staged.append(Staged(seq, self._wall(), numbered_body, self._profile, sealed))
            self._next += 1
            self._trim()
            return seq

    def append(self, batch: Iterable[Body]) -> list[int]:
        """Number the batch and put it on the disk; returns the numbers. Raises JournalError; the
        batch is then staged, and must not be appended again."""
        numbers = [self.stage(body) for body in batch]
        self.commit()
        self.tidy()
        return numbers

    def commit(self) -> Head:
        """Put everything staged on the disk, all or nothing; returns the new head. Raises
        JournalError."""
        with self._writing:
            with self._staging:
                flying = list(self._staged)
                self._staged.clear()
            if not flying:
                return self.head
            try:
                self._write(flying)
            except JournalError:
                self._put_back(flying)
                raise
            except (*DATABASE_ERRORS, OSError) as e:
                self._put_back(flying)
                raise failure(self.path, e) from e
            except (RecordError, OverflowError) as e:  # a number that no row can have
                self._put_back(flying)
                raise JournalError(Trouble.CORRUPT, self.path, str(e)) from e
            except BaseException:
                self._put_back(flying)
                raise
            self._commits += 1
            return self.head

    def tidy(self) -> None:
        """Move what is committed from the write-ahead log into the database now and then. To be
        called after a commit was acknowledged, so that nobody waits for it. Failing is harmless:
        the log is as good."""
        with self._writing:
            if self._db is not None and self._commits >= self._checkpoint_commits:
                self._commits = 0
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def close(self) -> None:
        """Let go of the file. What is still staged is not written; commit first."""
        with self._writing:
            self._shut()
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        try:
            self._hold()
            db = open_for_writing(self.path, self._busy_s)
        except (*DATABASE_ERRORS, OSError) as e:
            raise failure(self.path, e) from e
        self._db = db
        try:
            self._take_up(db)
        except (*DATABASE_ERRORS, OSError) as e:
            self._shut()
            raise failure(self.path, e) from e
        except RecordError as e:
            self._shut()
            raise JournalError(Trouble.CORRUPT, self.path, str(e)) from e
        except JournalError:
            self._shut()
            raise
        return db

    def _hold(self) -> None:
        # A lock file of its own: closing any handle of the database file would drop SQLite's locks
        # on it.
        if self._lock is None:
            lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                raise
            self._lock = lock

    def _take_up(self, db: sqlite3.Connection) -> None:
        stat = self.path.stat()
        self._file = (stat.st_dev, stat.st_ino)
        newest = db.execute(NEWEST).fetchone()
        if self._head is not None:
            return  # opened again after trouble; `_agree` compares the heads
        if newest is None:
            self._head = Head(0, GENESIS)
            return
        seq, own, profile, build = newest[:4]
        if self._next > 1:
            raise JournalError(
                Trouble.FOREIGN,
                self.path,
                "it could not be read at the start, and holds older records",
            )
        self._head = Head(seq, own)
        self._next = _after(newest)
        self._profile = profile
        self.written_by = build

    def _shut(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None
            self._sizes.clear()  # the last to close puts the log away

    def _write(self, flying: list[Staged]) -> None:
        self._still_there()
        db = self._db or self._open()
        records: list[Record] = []
        try:
            db.execute("BEGIN IMMEDIATE")
            head, free = self._agree(db)
            blobs: list[tuple[int, bytes]] = []
            prev = head.hash
            for s in flying:
                if s.seq + s.taken <= free:
                    continue  # a commit that failed had written it after all
                if s.seq < free:
                    s = s._replace(
                        seq=free, body=Gap(at=time_of(s.body), lost=s.seq + s.taken - free)
                    )
                record = link(prev, s.seq, s.wall, s.body, self.build, s.profile, s.blob)
                prev = record.hash
                records.append(record)
                if s.blob is not None:
                    blobs.append((s.seq, s.blob))
            self._doubt = Head(records[-1].seq, records[-1].hash) if records else head
            db.executemany(INSERT, map(row_of, records))
            db.executemany(INSERT_BLOB, blobs)
            db.execute("COMMIT")
        except BaseException as e:
            with contextlib.suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            if not (isinstance(e, sqlite3.Error) and _passing(e)):
                self._shut()
            raise
        self._head, self._doubt = self._doubt, None
        self._sizes = {f: _size(f) for f in (self.path, Path(f"{self.path}-wal"))}

    def _still_there(self) -> None:
        # SQLite would go on writing into a file that has been deleted, and call it committed.
        if self._file is None:
            return
        try:
            stat = self.path.stat()
            found = (stat.st_dev, stat.st_ino)
        except FileNotFoundError:
            found = None
        gone = found != self._file
        if self._db is None:
            # Not held at the moment: a copy put back in its place is as good, `_agree` judges it.
            gone = found is None and self.head.seq > 0
        if gone:
            self._shut()
            raise JournalError(
                Trouble.GONE, self.path, "moved, deleted or replaced under the table"
            )
        # SQLite reads back what it remembers, and would not notice either.
        if self._db is not None and any(_size(f) < size for f, size in self._sizes.items()):
            raise JournalError(Trouble.CORRUPT, self.path, "cut short under the table")

    def _agree(self, db: sqlite3.Connection) -> tuple[Head, int]:
        """The head on the disk and the number after it. It must be the head as we left it, or as a
        commit left it that failed after all."""
        newest = db.execute(NEWEST).fetchone()
        found, free = (Head(*newest[:2]), _after(newest)) if newest else (Head(0, GENESIS), 1)
        if found != self._head and found != self._doubt:
            raise JournalError(
                Trouble.FOREIGN,
                self.path,
                f"its newest record is {found.seq}, ours is {self.head.seq}",
            )
        self._head = found
        return found, free

    def _put_back(self, flying: list[Staged]) -> None:
        with self._staging:
            self._staged.extendleft(reversed(flying))
            self._trim()

    def _trim(self) -> None:
        """Let the oldest make way, leaving a gap in their place."""
        while len(self._staged) > self._keep + 1:
            first, second = self._staged.popleft(), self._staged.popleft()
            gap = Gap(at=time_of(second.body), lost=first.taken + second.taken)
            self._staged.appendleft(Staged(first.seq, second.wall, gap, first.profile, None))
            self.lost += sum(not isinstance(s.body, Gap) for s in (first, second))


def _after(newest: tuple[int, str, str, str, str, str]) -> int:
    """The number that follows a row of NEWEST."""
    return newest[0] + numbers_taken(newest[4], newest[5])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _passing(e: sqlite3.Error) -> bool:
    """Whether the connection is as good as before: somebody else holds a lock, or the disk is
    full."""
    code: int = getattr(e, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL)
