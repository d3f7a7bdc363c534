"""The journal's reading side: records in order, sealed blobs, the head, and the export. Changes
nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.journal.record import GENESIS, Record, canonical, exported
from controller.journal.store import SELECT, Anchor, Head, open_for_reading
from controller.journal.trouble import DATABASE_ERRORS, JournalReadError, failure

_PAGE = 500


class JournalFile:
    """A journal opened for reading, also while a table writes it. Raises JournalReadError."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._db = open_for_reading(self.path)

    def __enter__(self) -> JournalFile:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def read_anything(self) -> None:
        """From here on, read texts that are none too: a bad byte must not hide its record."""
        self._db.text_factory = _lenient

    def rows(self, since: int = 0) -> Iterator[tuple[Any, ...]]:
        """Rows as they lie in the file, in the columns of `store.COLUMNS`, from number `since` on;
        nothing is checked. Raises one of DATABASE_ERRORS where the file is damaged."""
        # A page at a time: one long read would keep a running table's write-ahead log from being
        # reused.
        last: object = None
        found = self._db.execute(f"{SELECT} WHERE seq >= ? ORDER BY seq LIMIT {_PAGE}", (since,))
        while True:
            count = 0
            for row in found:
                count, last = count + 1, row[0]
                yield row
            if count < _PAGE:
                return
            found = self._db.execute(f"{SELECT} WHERE seq > ? ORDER BY seq LIMIT {_PAGE}", (last,))

    def records(self, since: int = 0) -> Iterator[Record]:
        """The records from number `since` on. Raises JournalReadError at the first that is damaged
        or malformed; whether they are the ones once written, `verify` says."""
        try:
            for row in self.rows(since):
                record = record_of(row)
                if record is None:
                    raise JournalReadError(
                        f"journal {self.path}, record {row[0]}: not a record."
                        " Next: run `burnturn journal verify`."
                    )
                yield record
        except DATABASE_ERRORS as e:
            raise JournalReadError(str(failure(self.path, e))) from e

    def kinds_backwards(self) -> Iterator[tuple[int, str]]:
        """Number and kind of each record, the newest first. Raises JournalReadError."""
        before = 2**63 - 1
        try:
            while True:
                page = self._db.execute(
                    f"SELECT seq, kind FROM records WHERE seq <= ? ORDER BY seq DESC LIMIT {_PAGE}",
                    (before,),
                ).fetchall()
                yield from page
                if len(page) < _PAGE:
                    return
                before = page[-1][0] - 1
        except DATABASE_ERRORS as e:
            raise JournalReadError(str(failure(self.path, e))) from e

    def head(self) -> Head:
        """The newest record; number 0 in an empty journal. Raises JournalReadError."""
        try:
            row = self._db.execute(
                "SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1"
            ).fetchone()
        except DATABASE_ERRORS as e:
            raise JournalReadError(str(failure(self.path, e))) from e
        return Head(*row) if row else Head(0, GENESIS)

    def anchor(self) -> Anchor:
        """What to keep outside of this journal as it is now, also while a table writes it. Counts
        its records: some tenths of a second for a long one. Raises JournalReadError."""
        head = self.head()
        try:
            # Records only ever come behind the head, so the three looks agree.
            (records,) = self._db.execute(
                "SELECT count(*) FROM records WHERE seq <= ?", (head.seq,)
            ).fetchone()
            first = self._db.execute("SELECT hash FROM records ORDER BY seq LIMIT 1").fetchone()
        except DATABASE_ERRORS as e:
            raise JournalReadError(str(failure(self.path, e))) from e
        return Anchor(head, first[0] if first else GENESIS, records)

    def blob(self, seq: int) -> bytes | None:
        """The sealed blob of that record. Raises one of DATABASE_ERRORS where the file is
        damaged."""
        row = self._db.execute("SELECT blob FROM sealed WHERE seq = ?", (seq,)).fetchone()
        if row is None or isinstance(row[0], bytes):
            return None if row is None else row[0]
        return str(row[0]).encode("utf-8", "surrogateescape")  # somebody made it a text or a number

    def blob_numbers(self) -> list[object]:
        """Numbers of the records that have a sealed blob, as the blobs' table has them: in a
        damaged one not even numbers."""
        return [row[0] for row in self._db.execute("SELECT seq FROM sealed ORDER BY seq")]

    def tables(self) -> dict[str, str]:
        """Whatever the database holds by name: tables, indexes, triggers, views, with the SQL that
        made them."""
        found = self._db.execute("SELECT name, sql FROM sqlite_master ORDER BY name")
        return {str(name): str(sql) for name, sql in found}

    def damage(self) -> list[str]:
        """What SQLite's own check of the file's structure finds; [] if nothing."""
        found = [str(row[0]) for row in self._db.execute("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found


_SHAPES = {
    (int, float, float, str, str, int, str, str, sealed, str, str) for sealed in (str, type(None))
}


def record_of(row: tuple[Any, ...]) -> Record | None:
    """The row as a record, or None if a column is not of its type."""
    return Record(*row) if tuple(map(type, row)) in _SHAPES else None


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def export(journal: JournalFile, *, since: int = 0, sealed: bool = False) -> Iterator[str]:
    """One JSON object a line. sealed: with each sealed blob, as base64 under `blob`."""
    for record in journal.records(since):
        row = exported(record)
        if sealed and record.sealed is not None:
            blob = journal.blob(record.seq)
            row["blob"] = None if blob is None else base64.b64encode(blob).decode("ascii")
        yield canonical(row)
