"""The journal's writer and reader as a pair, and what the writer does when the storage fails it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.journal.reader import JournalFile, export
from controller.journal.record import Body, Gap, Started, body_of, with_number
from controller.journal.trouble import JournalError, JournalReadError, Trouble
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.model.events import Tick
from drivers.readings import Health, HealthState
from tests.controller.journal import night
from tests.controller.journal.test_journal_records import bodies
from tests.disks import mounted


def ticks(count: int) -> list[Body]:
    return [Tick(at=float(n)) for n in range(count)]


def whole(path: Path) -> list[Body]:
    """All bodies of a journal that verifies."""
    with JournalFile(path) as file:
        assert verify(file).faults == ()
        return [body_of(r) for r in file.records()]


@given(batches=st.lists(st.lists(bodies(), max_size=4), max_size=4), reopen=st.booleans())
@example(batches=[[Tick(at=-0.0), Tick(at=cast(float, 3))]], reopen=True)
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Body]], reopen: bool
) -> None:
    path = tmp_path_factory.mktemp("pair") / "j.db"
    journal = Journal(path, build="b")
    written: list[Body] = []
    for batch in batches:
        bare = [b for b in batch if not getattr(b, "seq", 0) and not isinstance(b, Gap)]
        numbers = journal.append(bare)
        assert numbers == list(range(len(written) + 1, len(written) + len(bare) + 1))
        written += [with_number(b, n) for b, n in zip(bare, numbers, strict=True)]
        if reopen:
            journal.close()
            journal = Journal(path, build="b")
    journal.close()
    assert whole(path) == written


def test_records_name_build_profile_and_wall_time(tmp_path: Path) -> None:
    wall = iter(range(100, 200))
    with Journal(tmp_path / "j.db", build="1.2+x", wall=lambda: float(next(wall))) as journal:
        journal.append([Started(at=1.0), night.OPENED, Tick(at=2.0)])
        before = journal.head
    with Journal(tmp_path / "j.db", build="1.3+y", wall=lambda: float(next(wall))) as journal:
        assert journal.written_by == "1.2+x"
        assert journal.head == before
        journal.append([Tick(at=3.0)])
    with JournalFile(tmp_path / "j.db") as file:
        records = list(file.records())
        assert list(file.records(since=4)) == records[3:]
    assert [r.build for r in records] == ["1.2+x"] * 3 + ["1.3+y"]
    assert [r.wall for r in records] == [100.0, 101.0, 102.0, 103.0]
    assert records[0].profile == ""
    assert len({r.profile for r in records[1:]}) == 1
    assert records[1].profile != ""


def test_nothing_staged_is_readable_before_the_commit(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as journal:
        assert journal.append(ticks(2)) == [1, 2]
        assert journal.stage(Tick(at=5.0)) == 3
        assert journal.waiting == 1
        assert len(whole(tmp_path / "j.db")) == 2
        journal.commit()
        assert len(whole(tmp_path / "j.db")) == 3


def test_the_export_leaves_sealed_blobs_out_unless_asked(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as journal:
        journal.stage(Tick(at=1.0), sealed=b"\x01secret")
        journal.commit()
    with JournalFile(tmp_path / "j.db") as file:
        assert "blob" not in next(export(file))
        assert '"blob":"AXNlY3JldA=="' in next(export(file, sealed=True))


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as journal:
        journal.append(ticks(1))
        for file in tmp_path.iterdir():
            assert file.stat().st_mode & 0o077 == 0, file.name


def test_a_second_writer_is_kept_out_and_named(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as first, Journal(tmp_path / "j.db") as second:
        first.append(ticks(1))
        with pytest.raises(JournalError, match="second burnturn") as refused:
            second.append(ticks(1))
        assert refused.value.trouble is Trouble.LOCKED
        first.append(ticks(1))
    assert len(whole(tmp_path / "j.db")) == 2


def test_a_lock_held_by_a_database_browser_delays_nothing_for_good(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path, busy_s=0.01) as journal:
        journal.append(ticks(1))
        with closing(sqlite3.connect(path, isolation_level=None)) as browser:
            browser.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError) as refused:
                journal.append(ticks(2))
            assert refused.value.trouble is Trouble.LOCKED
            browser.execute("ROLLBACK")
        assert journal.waiting == 2
        assert journal.commit().seq == 3
    assert len(whole(path)) == 3


def test_what_does_not_fit_in_memory_is_a_gap_that_says_how_much(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path, busy_s=0.01, keep=5) as journal:
        journal.append(ticks(2))
        with closing(sqlite3.connect(path, isolation_level=None)) as browser:
            browser.execute("BEGIN IMMEDIATE")
            for n in range(12):
                journal.stage(Tick(at=100.0 + n))
                if n % 3 == 0:
                    with pytest.raises(JournalError):
                        journal.commit()
            browser.execute("ROLLBACK")
        assert journal.lost == 7
        assert journal.waiting == 5
        journal.commit()
        journal.append([Tick(at=200.0)])
    found = whole(path)
    assert [type(b) for b in found] == [Tick, Tick, Gap, *[Tick] * 6]
    gap = found[2]
    assert isinstance(gap, Gap)
    assert gap.lost == 7
    first_kept = found[3]
    assert isinstance(first_kept, Tick)
    assert first_kept == Tick(at=107.0, seq=10)
    with Journal(path) as journal:
        assert journal.append(ticks(1)) == [16]
    with JournalFile(path) as file:
        assert verify(file).gaps == 7


def test_numbers_go_on_after_a_gap_at_the_very_end(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as journal:
        journal.append([Gap(at=1.0, lost=1)])
    with Journal(tmp_path / "j.db") as journal:
        assert journal.append(ticks(1)) == [2]
    assert len(whole(tmp_path / "j.db")) == 2


def test_a_file_taken_away_under_the_table(tmp_path: Path) -> None:
    path, away = tmp_path / "j.db", tmp_path / "away"
    away.mkdir()
    with Journal(path) as journal:
        journal.append(ticks(2))
        for file in list(tmp_path.glob("j.db*")):
            file.rename(away / file.name)
        for _ in range(2):
            with pytest.raises(JournalError, match="put the file back") as refused:
                journal.append(ticks(1))
            assert refused.value.trouble is Trouble.GONE
        for file in list(away.iterdir()):
            file.rename(tmp_path / file.name)
        journal.commit()
    assert len(whole(path)) == 4


def test_a_file_exchanged_for_an_older_copy(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        journal.append(ticks(2))
    shutil.copy(path, tmp_path / "old.db")
    with Journal(path) as journal:
        journal.append(ticks(2))
        path.unlink()
        for side in ("-wal", "-shm"):
            Path(f"{path}{side}").unlink()
        (tmp_path / "old.db").rename(path)
        troubles = []
        for _ in range(3):
            with pytest.raises(JournalError) as refused:
                journal.append(ticks(1))
            troubles.append(refused.value.trouble)
        assert troubles == [Trouble.GONE, Trouble.FOREIGN, Trouble.FOREIGN]


@pytest.mark.parametrize("side", ["", "-wal"])
def test_a_file_cut_short_under_the_table(tmp_path: Path, side: str) -> None:
    path = tmp_path / "j.db"
    with Journal(path, checkpoint_commits=2) as journal:
        for _ in range(4):
            journal.append(ticks(1))
        os.truncate(f"{path}{side}", 100)
        for _ in range(2):
            with pytest.raises(JournalError, match="cut short") as refused:
                journal.append(ticks(1))
            assert refused.value.trouble is Trouble.CORRUPT


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    rubbish, other = tmp_path / "rubbish.db", tmp_path / "other.db"
    rubbish.write_bytes(b"not a database" * 1000)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE t (x)")
    for path, trouble in ((rubbish, Trouble.CORRUPT), (other, Trouble.FOREIGN)):
        before = path.read_bytes()
        with Journal(path) as journal:
            with pytest.raises(JournalError) as refused:
                journal.append(ticks(1))
            assert refused.value.trouble is trouble
        assert path.read_bytes() == before
        with pytest.raises(JournalReadError, match="Next:"):
            JournalFile(path)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "CREATE TABLE notes (text TEXT)",
        "DROP TABLE records; CREATE VIEW records AS SELECT 1 AS seq",
    ],
)
def test_a_file_in_which_somebody_has_put_something_is_not_written(
    tmp_path: Path, sql: str
) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        journal.append(ticks(3))
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)
    with Journal(path) as journal:
        with pytest.raises(JournalError, match=r"is not burnturn's.*journal verify") as refused:
            journal.append(ticks(1))
        assert refused.value.trouble is Trouble.FOREIGN


def test_a_number_after_which_none_can_come_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        journal.append(ticks(3))
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"UPDATE records SET seq = {2**63 - 1} WHERE seq = 3")
        db.commit()
    with Journal(path) as journal:
        with pytest.raises(JournalError) as refused:
            journal.append(ticks(1))
        assert refused.value.trouble is Trouble.CORRUPT


def test_a_folder_that_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "stick" / "j.db"
    with Journal(path) as journal:
        with pytest.raises(JournalError) as refused:
            journal.append([Health(device="reader 1", state=HealthState.OK, reason="", at=1.0)])
        assert refused.value.trouble is Trouble.GONE
        path.parent.mkdir()
        assert journal.commit().seq == 1
    assert len(whole(path)) == 1


def fill(file: Path) -> None:
    """Take every byte that the disk still has."""
    with file.open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(512)):
                pass
        except OSError:
            return


def test_a_full_disk_loses_nothing_and_recovers(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=1m", "burnturn-test"):
        path, filler = tmp_path / "j.db", tmp_path / "filler"
        with Journal(path) as journal:
            journal.append(ticks(3))
            fill(filler)
            staged, refused = 3, []
            for _ in range(60):
                staged += 10
                try:
                    journal.append(ticks(10))
                except JournalError as e:
                    refused.append(e)
            assert {e.trouble for e in refused} == {Trouble.FULL}
            assert "free space" in str(refused[0])
            assert len(whole(path)) == journal.head.seq < staged
            filler.unlink()
            assert journal.commit().seq == staged
        assert len(whole(path)) == staged


def test_a_disk_full_from_the_start(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=64k", "burnturn-test"):
        filler = tmp_path / "filler"
        fill(filler)
        with Journal(tmp_path / "j.db") as journal:
            with pytest.raises(JournalError) as refused:
                journal.append(ticks(1))
            assert refused.value.trouble is Trouble.FULL
            filler.unlink()
            assert journal.commit().seq == 1


def test_a_read_only_disk_is_read_but_not_written(tmp_path: Path) -> None:
    real, bound = tmp_path / "real", tmp_path / "bound"
    real.mkdir()
    bound.mkdir()
    with Journal(real / "j.db") as journal:
        journal.append(ticks(3))
    with mounted(bound, "--bind", "-o", "ro", str(real)):
        with Journal(bound / "j.db") as journal:
            with pytest.raises(JournalError, match="writable") as refused:
                journal.append(ticks(1))
            assert refused.value.trouble is Trouble.READ_ONLY
        assert len(whole(bound / "j.db")) == 3
