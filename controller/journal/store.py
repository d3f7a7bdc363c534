"""The database file under a journal: its tables, and how it is opened for writing and for
reading."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from controller.files import beside
from controller.journal.record import CHAINED, Record
from controller.journal.trouble import (
    DATABASE_ERRORS,
    EmptyJournalError,
    JournalError,
    JournalReadError,
    Trouble,
    failure,
)

APPLICATION = 0x62757274
"""SQLite application id of a burnturn journal ("burt")."""
FORMAT = 1

TABLES = {
    "records": "CREATE TABLE records (seq INTEGER PRIMARY KEY, mono REAL NOT NULL,"
    " wall REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, schema INTEGER NOT NULL,"
    " build TEXT NOT NULL, profile TEXT NOT NULL, sealed TEXT, prev TEXT NOT NULL,"
    " hash TEXT NOT NULL)",
    "sealed": "CREATE TABLE sealed (seq INTEGER PRIMARY KEY, blob BLOB NOT NULL)",
}
COLUMNS = (*CHAINED, "hash")
INSERT = f"INSERT INTO records ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
INSERT_BLOB = "INSERT INTO sealed (seq, blob) VALUES (?, ?)"
SELECT = f"SELECT {', '.join(COLUMNS)} FROM records"


class Head(NamedTuple):
    """The newest record of a journal. Copied somewhere else, it proves everything up to it."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


class Anchor(NamedTuple):
    """What a certificate keeps of a journal. head: its newest record then. first: the hash of its
    first record, which tells one journal from another. records: how many there were up to the
    head, which is less than its number where records were lost."""

    head: Head
    first: str
    records: int


def row_of(record: Record) -> tuple[object, ...]:
    return tuple(getattr(record, name) for name in COLUMNS)


def open_for_writing(path: Path, busy_s: float) -> sqlite3.Connection:
    """A connection whose commits are on the disk when they return. Makes the file (mode 0600) if
    need be. Raises one of DATABASE_ERRORS, OSError or JournalError."""
    if not path.exists() or (path.stat().st_size == 0 and not _wal(path).exists()):
        _make(path)
    db = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
    try:
        if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise JournalError(Trouble.FOREIGN, path, "a database, but not a burnturn journal")
        for name, sql in db.execute("SELECT name, sql FROM sqlite_master"):
            if TABLES.get(name) != sql:  # a trigger could delete what is recorded
                raise JournalError(Trouble.FOREIGN, path, f"{name!r} in it is not burnturn's")
        db.execute("PRAGMA synchronous = FULL")
        # Checkpoints are run after a commit was acknowledged; this is only the net below that.
        db.execute("PRAGMA wal_autocheckpoint = 10000")
    except BaseException:
        db.close()
        raise
    return db


def _wal(path: Path) -> Path:
    return Path(f"{path}-wal")


def _make(path: Path) -> None:
    # Made aside and renamed: a power cut leaves an empty journal or none, never half of one.
    with (
        beside(path, mode=0o600) as aside,
        closing(sqlite3.connect(aside, isolation_level=None)) as db,
    ):
        for sql in TABLES.values():
            db.execute(sql)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {FORMAT}")
        db.execute("PRAGMA journal_mode = WAL")


def _no_file(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    return "not a file of records" if path.exists() else "no such file"


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot change the file. Works beside a running table, and on a read-only
    disk.

    Raises JournalReadError."""
    if not path.is_file():
        raise JournalReadError(
            f"journal {path}: {_no_file(path)}."
            " Next: give the path that `journal` in table.toml names."
        )
    wal = _wal(path)
    address = path.absolute().as_uri()
    tries = [f"{address}?mode=ro"]
    if not wal.exists() or wal.stat().st_size == 0:
        tries.append(f"{address}?mode=ro&immutable=1")
    cause: Exception | None = None
    for uri in tries:
        try:
            db = sqlite3.connect(uri, uri=True, timeout=2.0, isolation_level=None)
        except sqlite3.Error as e:
            cause = e
            continue
        try:
            application = db.execute("PRAGMA application_id").fetchone()[0]
            objects = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except DATABASE_ERRORS as e:
            cause = e
            db.close()
            continue
        if application != APPLICATION:
            db.close()
            if not application and not objects:
                raise EmptyJournalError(
                    f"journal {path}: an empty file. Next: start the table, or check the path."
                )
            raise JournalReadError(
                f"journal {path}: a database, but not a burnturn journal. Next: check the path."
            )
        return db
    assert cause is not None
    if wal.exists() and len(tries) == 1 and not os.access(path.parent, os.W_OK):
        raise JournalReadError(
            f"journal {path}: its newest records are still in {wal.name}, and the folder is"
            " read-only. Next: copy both files to a folder that you can write, and read the copy."
        ) from cause
    raise JournalReadError(str(failure(path, cause))) from cause
