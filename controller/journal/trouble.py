"""Why a journal cannot be written or read, in words for the person who must do something about
it."""

from __future__ import annotations

import errno
import sqlite3
from enum import StrEnum
from pathlib import Path


class Trouble(StrEnum):
    FULL = "disk full"
    READ_ONLY = "read-only"
    CORRUPT = "damaged"
    LOCKED = "locked"
    GONE = "gone"
    FOREIGN = "written by somebody else"
    SLOW = "slow"
    STORAGE = "storage fault"


_NEXT = {
    Trouble.FULL: "free space there, or move old journals to another disk",
    Trouble.READ_ONLY: "make the folder and the file writable for burnturn; a card that turned"
    " read-only by itself is failing: copy the journal away and replace the card",
    Trouble.CORRUPT: "copy the file with its -wal beside it for the regulator, then start a new"
    " journal elsewhere",
    Trouble.LOCKED: "end the other program that holds it (a second burnturn, a database browser)",
    Trouble.GONE: "put the file back where it was, or restart the table with a new journal",
    Trouble.FOREIGN: "end the other writer, run `burnturn journal verify`, restart the table",
    Trouble.SLOW: "look for a worn-out card, or another program that writes much",
    Trouble.STORAGE: "check the cable and the card, and the system's log for that device",
}

_SQLITE = {
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.READ_ONLY,
    sqlite3.SQLITE_PERM: Trouble.READ_ONLY,
    sqlite3.SQLITE_AUTH: Trouble.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: Trouble.CORRUPT,
    sqlite3.SQLITE_NOTADB: Trouble.CORRUPT,
    sqlite3.SQLITE_FORMAT: Trouble.CORRUPT,
    sqlite3.SQLITE_ERROR: Trouble.CORRUPT,  # a table or a column that is not there
    sqlite3.SQLITE_BUSY: Trouble.LOCKED,
    sqlite3.SQLITE_LOCKED: Trouble.LOCKED,
}

_ERRNO = {
    errno.ENOSPC: Trouble.FULL,
    errno.EDQUOT: Trouble.FULL,
    errno.EROFS: Trouble.READ_ONLY,
    errno.EACCES: Trouble.READ_ONLY,
    errno.EPERM: Trouble.READ_ONLY,
    errno.ENOENT: Trouble.GONE,
    errno.ENOTDIR: Trouble.GONE,
    errno.EWOULDBLOCK: Trouble.LOCKED,
}


class JournalError(Exception):
    """The journal cannot be written now. `trouble` is the class of it; the text says what, where,
    what next."""

    def __init__(self, trouble: Trouble, path: Path, detail: str = "") -> None:
        self.trouble = trouble
        self.path = path
        self.detail = detail
        said = f" ({detail})" if detail else ""
        super().__init__(f"journal {path}: {trouble}{said}. Next: {_NEXT[trouble]}.")


class JournalReadError(Exception):
    """A file cannot be read as a journal; the text says what, where, what next."""


class EmptyJournalError(JournalReadError):
    """The file was made, but the power went before anything was in it."""


DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file makes sqlite3 raise: its own errors, or a failure to decode their text."""


def failure(path: Path, cause: Exception) -> JournalError:
    """The trouble behind an error of the database or of the file system."""
    if isinstance(cause, OSError):
        return JournalError(
            _ERRNO.get(cause.errno or 0, Trouble.STORAGE), path, cause.strerror or "unknown"
        )
    if isinstance(cause, UnicodeDecodeError):
        return JournalError(Trouble.CORRUPT, path, "a text in it is none")
    code: int = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
    trouble = _SQLITE.get(code, Trouble.STORAGE)
    if code == sqlite3.SQLITE_CANTOPEN:
        trouble = Trouble.GONE if not path.parent.is_dir() else Trouble.READ_ONLY
    return JournalError(trouble, path, str(cause))
