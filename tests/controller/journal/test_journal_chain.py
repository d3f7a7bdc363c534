"""Any single change to a journal is found, and named with the record it is in."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.reader import JournalFile
from controller.journal.record import CHAINED, own_hash
from controller.journal.resume import begin
from controller.journal.store import COLUMNS
from controller.journal.trouble import JournalReadError
from controller.journal.verify import Verification, Wrong, verify
from controller.journal.writer import Journal
from controller.model.events import CardCame
from tests.controller.journal import night

COUNT = 60
unhurried = settings(deadline=None)


class Written:
    """A journal of a night, once written, copied for each attempt on it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "night.db"
        self.blobs: list[int] = []
        with Journal(self.path, build="b") as journal:
            begin(journal, 0.0, boot="boot")
            for n in range(COUNT - 1):
                event = night.happening(n)
                if isinstance(event, CardCame):
                    self.blobs.append(journal.stage(event, sealed=b"sealed %d" % n))
                else:
                    journal.stage(event)
            self.head = journal.commit()
        assert self.head.seq == COUNT
        with JournalFile(self.path) as file:
            self.records = list(file.records())

    def after(self, attempt: Callable[[sqlite3.Connection], object]) -> Verification:
        with self.copy() as path:
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("PRAGMA synchronous = OFF")
                db.execute("PRAGMA journal_mode = MEMORY")
                attempt(db)
            return self.verified(path)

    def verified(self, path: Path) -> Verification:
        with JournalFile(path) as file:
            return verify(file, [self.head])

    @contextmanager
    def copy(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(shutil.copy(self.path, folder))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("chain"))


def named(found: Verification) -> set[tuple[int, Wrong]]:
    return {(f.seq, f.wrong) for f in found.faults}


numbers = st.integers(1, COUNT)


def test_untouched_it_is_whole_and_anchored(written: Written) -> None:
    found = written.verified(written.path)
    assert found.faults == ()
    assert (found.records, found.anchored, found.head) == (COUNT, COUNT, written.head)


@given(seq=numbers, column=st.sampled_from([c for c in COLUMNS if c != "seq"]), data=st.data())
@unhurried
def test_a_changed_field(written: Written, seq: int, column: str, data: st.DataObject) -> None:
    old = getattr(written.records[seq - 1], column)
    if column in ("mono", "wall"):
        new: Any = data.draw(st.floats(allow_nan=False).filter(lambda v: v != old))
    elif column == "schema":
        new = data.draw(st.integers(-(2**63), 2**63 - 1).filter(lambda v: v != old))
    else:
        new = data.draw(st.text(st.characters(codec="utf-8")).filter(lambda v: v != old))
    found = written.after(
        lambda db: db.execute(f"UPDATE records SET {column} = ? WHERE seq = ?", (new, seq))
    )
    assert seq in {f.seq for f in found.faults if f.wrong in (Wrong.CHANGED, Wrong.MALFORMED)}
    assert found.anchored < seq


@given(seq=numbers, where=st.integers(0, 10_000), letter=st.sampled_from('0189abz{" é'))
@unhurried
def test_a_changed_letter_in_a_body(written: Written, seq: int, where: int, letter: str) -> None:
    body = written.records[seq - 1].body
    where %= len(body)
    changed = body[:where] + letter + body[where + 1 :]
    found = written.after(
        lambda db: db.execute("UPDATE records SET body = ? WHERE seq = ?", (changed, seq))
    )
    assert (changed == body) == found.ok
    assert changed == body or (seq, Wrong.CHANGED) in named(found)


@given(first=numbers, count=st.integers(1, COUNT))
@unhurried
def test_deleted_records(written: Written, first: int, count: int) -> None:
    last = min(COUNT, first + count - 1)
    found = written.after(
        lambda db: db.execute("DELETE FROM records WHERE seq BETWEEN ? AND ?", (first, last))
    )
    cut = (COUNT, Wrong.HEAD) if last == COUNT else (first, Wrong.MISSING)
    assert cut in named(found)


@given(one=numbers, other=numbers)
@unhurried
def test_two_records_in_each_others_place(written: Written, one: int, other: int) -> None:
    def swap(db: sqlite3.Connection) -> None:
        db.execute("UPDATE records SET seq = -1 WHERE seq = ?", (one,))
        db.execute("UPDATE records SET seq = ? WHERE seq = ?", (one, other))
        db.execute("UPDATE records SET seq = ? WHERE seq = -1", (other,))

    found = written.after(swap)
    if one == other:
        assert found.ok
    else:
        assert {(one, Wrong.MOVED), (other, Wrong.MOVED)} <= named(found)
        text = next(str(f) for f in found.faults if (f.seq, f.wrong) == (one, Wrong.MOVED))
        assert f"that of record {other}" in text


@given(seq=numbers)
@unhurried
def test_a_record_slipped_in(written: Written, seq: int) -> None:
    def slip(db: sqlite3.Connection) -> None:
        db.execute("UPDATE records SET seq = -seq WHERE seq >= ?", (seq,))
        db.execute("UPDATE records SET seq = 1 - seq WHERE seq < 0")
        db.execute(
            f"INSERT INTO records SELECT {seq}, {', '.join(COLUMNS[1:])}"
            f" FROM records WHERE seq = {seq + 1}"
        )

    found = written.after(slip)
    assert not found.ok
    assert min(f.seq for f in found.faults if f.seq) <= seq + 1


def relinked(db: sqlite3.Connection, seq: int, body: str, prev: str | None = None) -> str:
    """Change a body as somebody would who knows how the hash is made."""
    names = ", ".join(CHAINED)
    row = db.execute(f"SELECT {names} FROM records WHERE seq = ?", (seq,)).fetchone()
    fields = dict(zip(CHAINED, row, strict=True)) | {"body": body}
    fields["prev"] = fields["prev"] if prev is None else prev
    own = own_hash(**fields)
    db.execute(
        "UPDATE records SET body = ?, prev = ?, hash = ? WHERE seq = ?",
        (body, fields["prev"], own, seq),
    )
    return own


@given(seq=st.integers(1, COUNT - 1))
@unhurried
def test_a_change_with_its_own_hash_made_to_fit(written: Written, seq: int) -> None:
    body = written.records[seq].body  # the body of the next one
    found = written.after(lambda db: relinked(db, seq, body))
    assert (seq + 1, Wrong.BROKEN_LINK) in named(found)


@given(seq=numbers)
@settings(unhurried, max_examples=20)
def test_a_chain_forged_to_the_end_breaks_on_the_head_kept_outside(
    written: Written, seq: int
) -> None:
    def forge(db: sqlite3.Connection) -> None:
        body = written.records[seq - 1].body.replace('"at":', '"at":1')
        prev = relinked(db, seq, body)
        for later in range(seq + 1, COUNT + 1):
            prev = relinked(db, later, written.records[later - 1].body, prev)

    found = written.after(forge)
    assert named(found) == {(COUNT, Wrong.HEAD)}
    assert found.anchored == 0


@given(link=st.booleans())
@unhurried
def test_a_record_appended_by_somebody_else(written: Written, link: bool) -> None:
    def append(db: sqlite3.Connection) -> None:
        db.execute(
            f"INSERT INTO records SELECT {COUNT + 1}, {', '.join(COLUMNS[1:])}"
            f" FROM records WHERE seq = {COUNT}"
        )
        if link:
            body = '{"at":1.0,"kind":"stop","reason":"ours"}'
            db.execute(
                "UPDATE records SET kind = 'stop', sealed = NULL WHERE seq = ?", (COUNT + 1,)
            )
            relinked(db, COUNT + 1, body, written.head.hash)

    found = written.after(append)
    if link:
        # It cannot be told from one of ours; but no head outside vouches for it, and that is said.
        assert found.ok
        assert found.anchored == COUNT < found.head.seq
    else:
        assert {f.seq for f in found.faults} == {COUNT + 1}


@given(data=st.data(), act=st.sampled_from(["change", "delete", "swap", "add"]))
@unhurried
def test_a_sealed_blob_tampered_with(written: Written, data: st.DataObject, act: str) -> None:
    one = data.draw(st.sampled_from(written.blobs))
    other = data.draw(st.sampled_from([b for b in written.blobs if b != one]))
    bare = data.draw(st.sampled_from(sorted(set(range(1, COUNT + 5)) - set(written.blobs))))

    def attempt(db: sqlite3.Connection) -> None:
        if act == "change":
            db.execute("UPDATE sealed SET blob = blob || x'00' WHERE seq = ?", (one,))
        elif act == "delete":
            db.execute("DELETE FROM sealed WHERE seq = ?", (one,))
        elif act == "swap":
            db.execute("UPDATE sealed SET seq = -1 WHERE seq = ?", (one,))
            db.execute("UPDATE sealed SET seq = ? WHERE seq = ?", (one, other))
            db.execute("UPDATE sealed SET seq = ? WHERE seq = -1", (other,))
        else:
            db.execute("INSERT INTO sealed VALUES (?, x'01')", (bare,))

    expected = {
        "change": {(one, Wrong.BLOB_CHANGED)},
        "delete": {(one, Wrong.BLOB_MISSING)},
        "swap": {(one, Wrong.BLOB_CHANGED), (other, Wrong.BLOB_CHANGED)},
        "add": {(bare, Wrong.BLOB_ADDED)},
    }[act]
    assert named(written.after(attempt)) == expected


@pytest.mark.parametrize(
    ("sql", "wrong"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM sealed; END", Wrong.FOREIGN),
        ("CREATE VIEW v AS SELECT 1", Wrong.FOREIGN),
        ("DROP TABLE sealed", Wrong.MISSING),
        ("DROP TABLE records", Wrong.MISSING),
    ],
)
def test_an_object_that_is_not_ours(written: Written, sql: str, wrong: Wrong) -> None:
    assert (0, wrong) in named(written.after(lambda db: db.execute(sql)))


def findings(written: Written, raw: bytes) -> Verification | str:
    """What is found in a file with that content, or why it is not even opened."""
    with written.copy() as path:
        path.write_bytes(raw)
        try:
            with JournalFile(path) as file:
                found = verify(file, [written.head])
                if found.ok:  # then what was changed is a byte that means nothing
                    assert list(file.records()) == written.records
                return found
        except JournalReadError as e:
            return str(e)


@given(where=st.integers(0, 10**9), bits=st.integers(1, 255))
@settings(unhurried, max_examples=200)
def test_a_flipped_byte_of_the_file(written: Written, where: int, bits: int) -> None:
    raw = bytearray(written.path.read_bytes())
    raw[where % len(raw)] ^= bits
    found = findings(written, bytes(raw))
    assert isinstance(found, Verification) or "night.db" in found


@given(length=st.integers(0, 10**9))
@unhurried
def test_a_file_cut_short(written: Written, length: int) -> None:
    raw = written.path.read_bytes()
    found = findings(written, raw[: length % len(raw)])
    assert "Next:" in found if isinstance(found, str) else not found.ok
