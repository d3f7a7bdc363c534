"""A journal replays to what was said then; other rules show as differences; a killed hand is taken
up."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.reader import JournalFile
from controller.journal.record import Body, Gap, Stopped
from controller.journal.replay import Replay, replay
from controller.journal.resume import Resumption, begin, left_behind
from controller.journal.writer import Journal
from controller.model.events import CardCame, TableEvent, Tick, Token, numbered
from controller.model.findings import FindingChanged, Said
from controller.model.table import BURN
from tests.controller.journal import night


class Program:
    """One life of the program that watches the night. in_order: what is said follows its event at
    once; else after the whole batch."""

    def __init__(self, path: Path, *, build: str = "b", in_order: bool = True) -> None:
        self.found = left_behind(path)
        self.journal = Journal(path, build=build)
        self.in_order = in_order
        self.state, self.done = night.closed(), 0
        for event in self.found.events if self.found else ():
            self.state, _ = night.step(self.state, event)
            self.done += 1
        begin(self.journal, night.happening(self.done).at, self.found, boot="boot")

    def watch(self, *batches: int) -> None:
        for batch in batches:
            later: list[Body] = []
            for _ in range(batch):
                event = night.happening(self.done)
                seq = self.journal.stage(event)
                self.state, said = night.step(self.state, numbered(event, seq))
                later += said
                self.done += 1
                if self.in_order:
                    self._stage(later)
            self._stage(later)
            self.journal.commit()

    def _stage(self, later: list[Body]) -> None:
        for body in later:
            self.journal.stage(body)
        later.clear()

    def die(self) -> None:
        self.journal.close()

    def stop(self) -> None:
        self.journal.append([Stopped(at=night.happening(self.done).at, reason="SIGTERM")])
        self.journal.close()


def replayed(path: Path) -> Replay:
    with JournalFile(path) as file:
        return replay(file, night.closed, night.step)


@given(
    lives=st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=4), min_size=1, max_size=3),
    in_order=st.booleans(),
)
@settings(deadline=None, max_examples=25)
def test_it_replays_to_the_same_through_batches_and_deaths(
    tmp_path_factory: pytest.TempPathFactory, lives: list[list[int]], in_order: bool
) -> None:
    path = tmp_path_factory.mktemp("replay") / "j.db"
    for life in lives:
        program = Program(path, in_order=in_order)
        program.watch(*life)
        program.die()
    found = replayed(path)
    assert found.differences == ()
    assert found.events == sum(map(sum, lives))
    said = [r for r in records(path) if r in ("hand-began", "hand-ended", "finding", "verdict")]
    assert found.said == len(said)


def records(path: Path) -> list[str]:
    with JournalFile(path) as file:
        return [r.kind for r in file.records()]


def lenient(state: night.Rules, event: TableEvent) -> tuple[night.Rules, tuple[Said, ...]]:
    """Other rules: no verdicts, and another clause."""
    state, said = night.step(state, event)
    other = []
    for each in said:
        if isinstance(each, FindingChanged):
            finding = dataclasses.replace(each.finding, clause="X-2")
            other.append(FindingChanged(finding=finding))
    return state, tuple(other) if other else said


def test_another_build_lists_what_it_says_differently(tmp_path: Path) -> None:
    program = Program(tmp_path / "j.db", build="old")
    program.watch(24)
    program.stop()
    with JournalFile(tmp_path / "j.db") as file:
        found = replay(file, night.closed, lenient)
        burns = [r.seq for r in file.records() if r.kind == "finding"]
    assert found.builds == ("old",)
    assert not found.same
    clauses = [d for d in found.differences if d.now is not None]
    assert [(d.event, d.record) for d in clauses] == [(seq - 1, seq) for seq in burns]
    assert all('"X-1"' in (d.then or "") and '"X-2"' in (d.now or "") for d in clauses)
    verdicts = [d for d in found.differences if d.now is None]
    assert [d.record for d in verdicts] == [seq + 1 for seq in burns]
    assert len(clauses) + len(verdicts) == len(found.differences) == 4


def test_something_said_now_and_not_then(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.db") as journal:
        journal.append([night.OPENED])
        came = CardCame(at=1.0, token=Token(5), zone=BURN, after=0.0, before=1.0)
        journal.append([came, Tick(at=2.0)])
    found = replayed(tmp_path / "j.db")
    assert [(d.event, d.record, d.then) for d in found.differences] == [(2, None, None)] * 2


def test_after_a_gap_nothing_is_compared_until_a_table_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    program = Program(path)
    program.watch(3)
    program.journal.append([Gap(at=1.0, lost=1)])
    program.watch(5)
    program.journal.append([night.OPENED])
    program.state, program.done = night.closed(), 1
    program.watch(12)
    program.die()
    found = replayed(path)
    assert found.same
    assert (found.skipped, found.events) == (5, 3 + 13)


def resumption(path: Path) -> Resumption:
    found = left_behind(path)
    assert found is not None
    return found


def test_a_killed_hand_is_taken_up_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    program = Program(path)
    program.watch(1 + night.HAND + 5)
    program.die()
    found = resumption(path)
    assert found.since == 2
    assert found.hand == 2
    assert [numbered(e, 0) for e in found.events] == [
        night.happening(n) for n in range(1 + night.HAND + 5)
    ]
    again = Program(path)
    assert again.state == program.state
    again.watch(2)
    again.die()
    with JournalFile(path) as file:
        bodies = [r.kind for r in file.records()]
        resumed = [r for r in file.records() if r.kind == "resume"]
    assert bodies.count("start") == 2
    assert '"hand":2' in resumed[0].body
    assert "identities" in resumed[0].body
    assert resumption(path).since == 2


def test_a_hand_that_ended_is_over_but_the_table_is_open(tmp_path: Path) -> None:
    program = Program(tmp_path / "j.db")
    program.watch(1 + night.HAND)
    program.die()
    found = resumption(tmp_path / "j.db")
    assert (found.hand, found.since) == (None, 2)


def test_a_run_that_opened_no_table_leaves_nothing_to_take_up(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    assert left_behind(path) is None
    Program(path).die()
    assert left_behind(path) is None


@pytest.mark.parametrize("events", [3, 1 + night.HAND])
def test_after_a_clean_stop_there_is_as_much_to_take_up_as_after_a_kill(
    tmp_path: Path, events: int
) -> None:
    killed, stopped = Program(tmp_path / "killed.db"), Program(tmp_path / "stopped.db")
    killed.watch(events)
    killed.die()
    stopped.watch(events)
    stopped.stop()
    one, other = resumption(tmp_path / "killed.db"), resumption(tmp_path / "stopped.db")
    assert (one.stopped, other.stopped) == (False, True)
    assert (one.events, one.hand, one.since) == (other.events, other.hand, other.since)

    again = Program(tmp_path / "stopped.db")
    again.watch(0)
    again.die()
    third = resumption(tmp_path / "stopped.db")
    assert (third.stopped, third.hand) == (False, one.hand)


def test_a_gap_leaves_nothing_to_take_up(tmp_path: Path) -> None:
    program = Program(tmp_path / "j.db")
    program.watch(3)
    program.journal.append([Gap(at=1.0, lost=1), Tick(at=1.0)])
    program.die()
    assert left_behind(tmp_path / "j.db") is None


def test_another_build_that_goes_on_says_so(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    Program(path, build="old").die()
    program = Program(path, build="old")
    program.watch(2)
    program.die()
    program = Program(path, build="new")
    program.watch(1)
    program.die()
    with JournalFile(path) as file:
        changes = [r.body for r in file.records() if r.kind == "build"]
    assert len(changes) == 1
    assert '"before":"old"' in changes[0]


def test_the_clock_goes_on_through_boots(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path, wall=lambda: 5000.0) as journal:
        begin(journal, 1000.0, boot="one")
        journal.append([dataclasses.replace(night.OPENED, at=1001.0)])
    found = resumption(path)
    # Same boot: the machine's own clock went on. Another: what the wall clock says has passed.
    assert found.clock_at(5060.0, 1060.5, "one") == 1060.5
    assert found.clock_at(5060.0, 3.0, "two") == 1061.0
    assert found.clock_at(None, 3.0, "two") == 1001.0
    assert found.clock_at(4000.0, 3.0, "two") == 1001.0
    now = found.clock_at(5060.0, 3.0, "two")
    with Journal(path, wall=lambda: 5060.0) as journal:
        begin(journal, now, found, offset_s=now - 3.0, away_s=60.0, boot="two")
        journal.commit()
    found = resumption(path)
    assert found.clock_at(9999.0, 13.0, "two") == 1071.0
    with JournalFile(path) as file:
        resumed = [r for r in file.records() if r.kind == "resume"]
    assert len(resumed) == 1
    assert '"away_s":60.0' in resumed[0].body


def test_a_table_opened_anew_within_a_run_is_taken_up_whole(tmp_path: Path) -> None:
    """The rules keep hands and findings when the profile changes; so must the state rebuilt."""
    path = tmp_path / "j.db"
    program = Program(path)
    program.watch(5)
    program.journal.append([dataclasses.replace(night.OPENED, profile='{"name":"other"}')])
    program.die()
    found = resumption(path)
    assert found.since == 2
    assert [e.kind for e in found.events].count("table-opened") == 2
