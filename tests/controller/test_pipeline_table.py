"""The table's heart: readings become events, events are numbered, judged and followed by what they
ask for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from controller.model.events import (
    ButtonSeen,
    CardCame,
    CardCarried,
    KeyPressed,
    ReaderBack,
    ReaderLost,
    SeatSeen,
    SeatStatus,
    TableEvent,
    TableOpened,
    Tick,
)
from controller.model.findings import FindingChanged, HandBegan, HandEnded, Stage
from controller.model.table import reference_layout
from controller.pipeline import Table
from controller.rules import engine
from controller.rules.profile import load
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import Dealer, SweepScheduler, World, polls
from drivers.readings import (
    ButtonReading,
    Health,
    HealthState,
    KeyPress,
    Outcome,
    Poll,
    Reading,
    SeatReading,
)

SEATS = (1, 2, 3, 4)
LAYOUT = reference_layout()


class Night:
    """A perfect table, dealt in virtual time and fed reading by reading."""

    def __init__(self, numbers: Iterator[int] | None = None) -> None:
        self.world = World(field_antennas(LAYOUT), cards_seed=1)
        self.dealer = Dealer(self.world, SEATS, button=4, deck_seed=1)
        self.events: list[TableEvent] = []
        self._numbers = numbers
        self.table = Table(LAYOUT, Vault(source=itertools.count(500).__next__), self._record)
        self.said = self.table.open(
            TableOpened(
                at=0.0,
                profile=load("tda").model_dump_json(),
                game="holdem",
                layout="not this one",
                seats=tuple((s, SeatStatus.IN) for s in SEATS),
                button=(4,),
            )
        )
        self.scheduler = SweepScheduler([a.antenna for a in LAYOUT.antennas])
        self._polls = polls(self.world, self.scheduler)
        self.dealer.wait(4.0)  # until every antenna has been seen to be empty for a while

    def _record(self, event: TableEvent) -> int | None:
        self.events.append(event)
        return next(self._numbers) if self._numbers is not None else None

    def until(self, at: float) -> None:
        for reading in self._polls:
            assert isinstance(reading, Poll)
            for other in self.dealer.due(reading.ended):
                self.said += self.table.feed(other)
            self.said += self.table.feed(reading)
            self.scheduler.focus(self.table.focus)
            if reading.ended >= at:
                return


def test_polls_become_a_hand() -> None:
    night = Night()
    night.dealer.hole()
    night.dealer.wait(6.0)
    night.dealer.burn()
    night.dealer.flop()
    night.until(night.dealer.at + 4.0)
    progress = night.table.progress
    assert (progress.stage, progress.board, progress.burns) == (Stage.FLOP, 3, 1)
    assert progress.cards == ((1, 2), (2, 2), (3, 2), (4, 2))
    assert [type(w) for w in night.said] == [HandBegan]
    assert sum(isinstance(e, CardCame) for e in night.events) == 12


def test_the_layout_is_the_tables_own_whatever_the_opening_says() -> None:
    night = Night()
    assert isinstance(night.events[0], TableOpened)
    assert night.events[0].layout == engine.layout_json(LAYOUT)


def test_evidence_is_numbered_as_the_journal_numbers_it() -> None:
    night = Night(itertools.count(1000, 10))
    night.dealer.hole()
    night.dealer.wait(6.0)
    night.dealer.flop()
    night.until(night.dealer.at + 15.0)
    found = [w.finding for w in night.said if isinstance(w, FindingChanged)]
    assert {f.code for f in found} == {"BURN_MISSING"}
    evidence = found[-1].evidence
    assert evidence
    for number in evidence:
        assert number % 10 == 0
        event = night.events[(number - 1000) // 10]
        assert getattr(event, "zone", "") in ("board", "burn")


def test_without_a_journal_the_table_counts_for_itself() -> None:
    night = Night()
    night.dealer.hole()
    night.dealer.wait(6.0)
    night.dealer.flop()
    night.until(night.dealer.at + 15.0)
    found = [w.finding for w in night.said if isinstance(w, FindingChanged)]
    assert all(0 < n <= len(night.events) for n in found[-1].evidence)


def test_time_passes_only_when_somebody_waits_for_it() -> None:
    night = Night()
    night.until(20.0)
    assert not any(isinstance(e, Tick) for e in night.events)
    night.dealer.wait(20.0)
    night.dealer.hole(until=3)
    night.until(night.dealer.at + 15.0)
    ticks = [e.at for e in night.events if isinstance(e, Tick)]
    assert len(ticks) == len(set(ticks))
    due = engine.deadline(night.table.state)
    assert due is None or due > night.world.now


def test_other_readings_become_their_events() -> None:
    night = Night()
    readings: list[tuple[Reading, type]] = [
        (ButtonReading((2,), 1.0), ButtonSeen),
        (ButtonReading(None, 1.0), ButtonSeen),
        (SeatReading(3, False, 1.1), SeatSeen),
        (SeatReading(3, None, 1.1), SeatSeen),
        (KeyPress("new-hand", 1.2), KeyPressed),
        (Health("reader 1", HealthState.LOST, "unplugged", 1.3, (1, 2)), ReaderLost),
        (Health("reader 1", HealthState.OK, "back", 1.4, (1, 2)), ReaderBack),
    ]
    for reading, kind in readings:
        night.table.feed(reading)
        assert type(night.events[-1]) is kind
    lost = night.events[-2]
    assert isinstance(lost, ReaderLost)
    assert lost.zones == ("seat/1", "seat/2")
    before = len(night.events)
    night.table.feed(Health("reader 1", HealthState.DEGRADED, "slow", 1.5, (1,)))
    assert len(night.events) == before


def test_an_antenna_of_no_layout_is_no_card() -> None:
    night = Night()
    night.table.feed(Poll(99, (night.world.deck("red")[0].uid,), Outcome.SEEN, 1.0, 1.1))
    assert not any(isinstance(e, CardCame) for e in night.events)


def test_a_hands_end_renews_every_token() -> None:
    night = Night()
    night.dealer.hole()
    night.until(night.dealer.at + 3.0)
    before = set(night.table.state.cards)
    assert len(before) == 8
    night.said += night.table.feed(KeyPress("end-hand", night.world.now))
    assert isinstance(night.said[-1], HandEnded)
    carried = [e for e in night.events if isinstance(e, CardCarried)]
    assert len(carried) == 8
    after = set(night.table.state.cards)
    assert len(after) == 8
    assert not before & after
    night.until(night.world.now + 5.0)
    assert sum(isinstance(w, HandBegan) for w in night.said) == 1


def test_the_focus_is_where_the_next_cards_go() -> None:
    night = Night()
    night.table.feed(KeyPress("new-hand", 0.5))
    by_zone = {a.zone: a.antenna for a in LAYOUT.antennas}
    assert [z for z, n in by_zone.items() if n in night.table.focus][:2] == ["seat/1", "seat/2"]
    night.dealer.hole()
    night.until(night.dealer.at + 8.0)
    quiet = night.table.focus
    assert by_zone[LAYOUT.burn_zone] not in quiet or quiet == ()
    assert all(n in LAYOUT.by_antenna for n in quiet)
