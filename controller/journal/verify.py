"""Whether a journal is the one that was written: every record, every link, every sealed blob.

What this can prove: any change, deletion, insertion or reordering before the last head that
somebody keeps outside the box. Whoever can write the file can also cut its tail, or forge the whole
chain anew; only a head kept elsewhere shows that. Records after the last such head are reported as
not anchored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from controller.journal.reader import JournalFile, record_of
from controller.journal.record import (
    GENESIS,
    SCHEMA,
    Record,
    RecordError,
    blob_hash,
    body_of,
    hash_of,
    is_event,
    numbers_taken,
)
from controller.journal.store import TABLES, Anchor, Head
from controller.journal.trouble import DATABASE_ERRORS, failure

_MOVED_WITHIN = 1000
_MOVED_TRIES = 20


class Wrong(StrEnum):
    MISSING = "missing"
    CHANGED = "changed"
    MOVED = "moved"
    BROKEN_LINK = "broken link"
    MALFORMED = "malformed"
    BLOB_MISSING = "sealed blob missing"
    BLOB_CHANGED = "sealed blob changed"
    BLOB_ADDED = "sealed blob added"
    DAMAGED = "database damaged"
    FOREIGN = "foreign object in the database"
    HEAD = "head not met"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with which record (seq 0: with the file)."""

    seq: int
    wrong: Wrong
    text: str

    def __str__(self) -> str:
        where = f"record {self.seq}" if self.seq else "file"
        return f"{where}: {self.wrong}: {self.text}"


@dataclass(frozen=True, slots=True)
class Verification:
    """records: how many were looked at. gaps: numbers that were never recorded, as `gap` records
    own up to. anchored: number up to which a head given from outside vouches; 0 if none does."""

    records: int
    gaps: int
    head: Head
    anchored: int
    faults: tuple[Fault, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.faults


def verify(
    journal: JournalFile, heads: Sequence[Head] = (), anchors: Sequence[Anchor] = ()
) -> Verification:
    """Look at everything. heads, anchors: heads of this journal that were kept outside the box,
    anchors with what certificates know besides. Never raises for what it finds, however damaged the
    file is."""
    journal.read_anything()
    walk = _Walk(journal)
    faults = list(_of_the_file(journal))
    try:
        faults += walk.faults()
        faults += walk.stray_blobs()
    except DATABASE_ERRORS as e:
        text = f"reading stopped after record {walk.head.seq}: {failure(journal.path, e)}"
        faults.append(Fault(walk.head.seq + 1, Wrong.DAMAGED, text))
    anchored = 0
    for head in heads:
        fault = walk.fault_of(head)
        if fault is None:
            anchored = max(anchored, head.seq)
        else:
            faults.append(fault)
    for anchor in anchors:
        found = tuple(walk.faults_of(anchor))
        faults += found
        if not found:
            anchored = max(anchored, anchor.head.seq)
    if faults:
        anchored = min(anchored, max(0, min(f.seq for f in faults) - 1))
    return Verification(walk.records, walk.gaps, walk.head, anchored, tuple(faults))


def _of_the_file(journal: JournalFile) -> Iterator[Fault]:
    try:
        for text in journal.damage():
            yield Fault(0, Wrong.DAMAGED, text)
        tables = journal.tables()
    except DATABASE_ERRORS as e:
        yield Fault(0, Wrong.DAMAGED, str(failure(journal.path, e)))
        return
    for name, sql in tables.items():
        if TABLES.get(name) != sql:
            yield Fault(0, Wrong.FOREIGN, f"{name!r} is not as burnturn makes it")
    for name in TABLES.keys() - tables.keys():
        yield Fault(0, Wrong.MISSING, f"the table {name!r}")


class _Walk:
    """One way through the records, from the first to the last."""

    def __init__(self, journal: JournalFile) -> None:
        self._journal = journal
        self._hashes: dict[int, str] = {}
        self._sealed: set[int] = set()
        self._due = 1
        self._moved_tries = _MOVED_TRIES
        self.records = 0
        self.gaps = 0
        self.head = Head(0, GENESIS)

    def faults(self) -> Iterator[Fault]:
        for row in self._journal.rows(since=-(2**63)):
            self.records += 1
            record = record_of(row)
            if record is None:
                yield Fault(_number(row[0]), Wrong.MALFORMED, "a column is not of its type")
                self._due, self.head = _number(row[0]) + 1, Head(_number(row[0]), str(row[-1]))
                continue
            yield from self._missing(record)
            yield from self._link(record)
            yield from self._body(record)
            yield from self._blob(record)
            self._hashes[record.seq] = record.hash
            self.head = Head(record.seq, record.hash)

    def stray_blobs(self) -> Iterator[Fault]:
        for seq in self._journal.blob_numbers():
            if not isinstance(seq, int) or seq not in self._sealed:
                yield Fault(_number(seq), Wrong.BLOB_ADDED, "no record speaks of this sealed blob")

    def fault_of(self, head: Head) -> Fault | None:
        found = self._hashes.get(head.seq)
        if found == head.hash:
            return None
        text = (
            "the head kept outside names this record, and it is not there"
            if found is None
            else "the head kept outside has another hash for this record"
        )
        return Fault(head.seq, Wrong.HEAD, text)

    def faults_of(self, anchor: Anchor) -> Iterator[Fault]:
        head = anchor.head
        first = next(iter(self._hashes.values()), GENESIS)
        if first != anchor.first:
            text = (
                "the certificate is of a journal that begins with another record: this is another"
                " journal, or its beginning was changed"
            )
            yield Fault(1, Wrong.HEAD, text)
        if head != Head(0, GENESIS) and (fault := self.fault_of(head)) is not None:
            yield fault
        records = sum(seq <= head.seq for seq in self._hashes)
        if records != anchor.records:
            text = f"up to here there are {records} records, the certificate counts"
            yield Fault(head.seq, Wrong.HEAD, f"{text} {anchor.records}")

    def _missing(self, record: Record) -> Iterator[Fault]:
        if record.seq < self._due:
            yield Fault(record.seq, Wrong.MOVED, f"number {self._due} was due here")
        elif record.seq > self._due:
            last = record.seq - 1
            those = f"record {last}" if last == self._due else f"records {self._due} to {last}"
            yield Fault(self._due, Wrong.MISSING, f"{those} cannot be found")

    def _link(self, record: Record) -> Iterator[Fault]:
        if hash_of(record) != record.hash:
            came_from = self._came_from(record)
            if came_from is None:
                text = "its content does not match its own hash"
                yield Fault(record.seq, Wrong.CHANGED, text)
            else:
                text = f"its content is that of record {came_from}"
                yield Fault(record.seq, Wrong.MOVED, text)
        if record.prev != self.head.hash and record.seq == self._due:
            before = f"record {self.head.seq}" if self.head.seq else "the start"
            text = f"it was written after something else than {before} as it is now"
            yield Fault(record.seq, Wrong.BROKEN_LINK, text)

    def _came_from(self, record: Record) -> int | None:
        if not self._moved_tries:
            return None
        self._moved_tries -= 1
        near = range(max(1, record.seq - _MOVED_WITHIN), record.seq + _MOVED_WITHIN)
        return next((n for n in near if hash_of(replace(record, seq=n)) == record.hash), None)

    def _body(self, record: Record) -> Iterator[Fault]:
        taken = 1
        try:
            taken = numbers_taken(record.kind, record.body)
            if record.schema == SCHEMA:
                body = body_of(record)
                if is_event(body) and body.seq != record.seq:
                    yield Fault(record.seq, Wrong.MALFORMED, f"the event bears number {body.seq}")
        except RecordError as e:
            yield Fault(record.seq, Wrong.MALFORMED, str(e))
        self._due = record.seq + taken
        if record.kind == "gap":
            self.gaps += taken

    def _blob(self, record: Record) -> Iterator[Fault]:
        if record.sealed is None:
            return
        self._sealed.add(record.seq)
        blob = self._journal.blob(record.seq)
        if blob is None:
            yield Fault(record.seq, Wrong.BLOB_MISSING, "the record speaks of one")
        elif blob_hash(blob) != record.sealed:
            yield Fault(record.seq, Wrong.BLOB_CHANGED, "it is not the one that the record names")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
