"""The recorder says when recording is not possible, loses nothing meanwhile, and says when it works
again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.reader import JournalFile
from controller.journal.record import Outage, body_of
from controller.journal.recorder import Recorder, Recording
from controller.journal.trouble import Trouble
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.model.events import Tick


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "j.db"


@pytest.fixture
def browser(path: Path) -> Iterator[sqlite3.Connection]:
    """Somebody who looks into the file, and can hold it."""
    with Journal(path) as journal:
        journal.append([Tick(at=0.0)])
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as db:
        yield db


class Clock:
    """Goes on by `step_s` with every look at it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.step_s = 0.0

    def __call__(self) -> float:
        self.now += self.step_s
        return self.now


def kinds(path: Path) -> list[str]:
    with JournalFile(path) as file:
        assert verify(file).faults == ()
        return [r.kind for r in file.records()]


def test_a_commit_returns_when_it_is_on_the_disk(path: Path) -> None:
    async def evening() -> None:
        recorder = Recorder(Journal(path))
        assert recorder.stage(Tick(at=1.0)) == 1
        assert recorder.stage(Tick(at=2.0), sealed=b"blob") == 2
        assert (await recorder.commit()).ok
        assert kinds(path) == ["tick", "tick"]
        recorder.stage(Tick(at=3.0))
        await recorder.close()
        assert kinds(path) == ["tick"] * 3

    asyncio.run(evening())


def test_many_commits_at_once_keep_the_order(path: Path) -> None:
    async def evening() -> None:
        recorder = Recorder(Journal(path))

        async def one(n: int) -> None:
            recorder.stage(Tick(at=float(n)))
            assert (await recorder.commit()).ok

        await asyncio.gather(*(one(n) for n in range(150)))
        await recorder.close()

    asyncio.run(evening())
    with JournalFile(path) as file:
        assert [r.mono for r in file.records()] == [float(n) for n in range(150)]
        assert verify(file).ok


def test_not_recording_and_back(path: Path, browser: sqlite3.Connection) -> None:
    told: list[Recording] = []
    clock = Clock()

    async def evening() -> None:
        recorder = Recorder(Journal(path, busy_s=0.01), changed=told.append, clock=clock)
        assert recorder.state.ok
        browser.execute("BEGIN IMMEDIATE")
        recorder.stage(Tick(at=1.0))
        state = await recorder.commit()
        assert (state.ok, state.trouble, state.since) == (False, Trouble.LOCKED, 100.0)
        assert "end the other program" in state.reason
        clock.now = 103.0
        recorder.stage(Tick(at=2.0))
        assert not (await recorder.commit()).ok
        assert recorder.state.since == 100.0
        browser.execute("ROLLBACK")
        clock.now = 105.0
        # Nothing happened since; the commit writes all the same, so it knows.
        state = await recorder.commit()
        assert (state.ok, state.since, state.reason) == (True, 105.0, "")
        await recorder.close()

    asyncio.run(evening())
    assert [r.ok for r in told] == [False, True]
    assert kinds(path) == ["tick", "tick", "tick", "outage"]
    with JournalFile(path) as file:
        outage = body_of(list(file.records())[-1])
    assert isinstance(outage, Outage)
    assert (outage.since, outage.waited, outage.reason) == (100.0, 2, "locked")


def test_a_slow_commit_is_not_recording_until_a_quick_one(path: Path) -> None:
    told: list[Recording] = []
    clock = Clock()
    recorder = Recorder(Journal(path), changed=told.append, clock=clock)
    clock.step_s = 0.6
    recorder.stage(Tick(at=1.0))
    state = recorder.commit_now()
    assert (state.ok, state.trouble) == (False, Trouble.SLOW)
    assert "600 ms" in state.reason
    clock.step_s = 0.4
    assert recorder.commit_now().ok
    assert [r.ok for r in told] == [False, True]
    assert kinds(path) == ["tick", "outage"]
    asyncio.run(recorder.close())


def test_a_commit_under_way_for_too_long_is_told_before_it_ends(
    path: Path, browser: sqlite3.Connection
) -> None:
    told: list[Recording] = []

    def changed(state: Recording) -> None:
        told.append(state)
        if not state.ok:
            browser.execute("ROLLBACK")  # only now can the commit go on

    async def evening() -> None:
        recorder = Recorder(Journal(path, busy_s=60.0), changed=changed, limit_s=0.02)
        browser.execute("BEGIN IMMEDIATE")
        recorder.stage(Tick(at=1.0))
        state = await recorder.commit()
        assert not state.ok
        assert "took" in state.reason
        await recorder.close()

    asyncio.run(evening())
    assert told[0].trouble is Trouble.SLOW
    assert "under way" in told[0].reason
    assert kinds(path)[:2] == ["tick", "tick"]


def test_what_is_lost_is_counted(path: Path, browser: sqlite3.Connection) -> None:
    recorder = Recorder(Journal(path, busy_s=0.01, keep=3), clock=Clock())
    browser.execute("BEGIN IMMEDIATE")
    for n in range(10):
        recorder.stage(Tick(at=float(n)))
    assert recorder.commit_now().lost == 7
    browser.execute("ROLLBACK")
    assert recorder.commit_now().ok
    assert kinds(path) == ["tick", "gap", "tick", "tick", "outage"]
    asyncio.run(recorder.close())
