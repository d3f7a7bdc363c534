"""`step` under any order of any events: it never raises, never changes what it was given, and
what it says keeps to its own rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.model.events import (
    ButtonDeclared,
    ButtonSeen,
    CardCame,
    CardCarried,
    CardLeft,
    CardSide,
    FloorSaid,
    KeyPressed,
    LaidTogether,
    ReaderBack,
    ReaderLost,
    SeatRegistered,
    SeatSeen,
    SeatStatus,
    StillEmpty,
    SubstantialAction,
    TableEvent,
    TableOpened,
    TableResumed,
    TagFault,
    TagVerdict,
    Tick,
    Token,
    numbered,
)
from controller.model.findings import Finding, FindingChanged, FindingState, Said, Severity
from controller.model.table import Layout, LayoutOptions, Zone, reference_layout, seat_zone
from controller.rules import engine
from controller.rules.catalogue import entry
from controller.rules.engine import RulesState, layout_json, ledger
from controller.rules.profile import load, names
from tests.controller.rules.engine.told_table import opened, without_book

KEYS = (
    "shuffled",
    "new-hand",
    "end-hand",
    "misdeal",
    "count",
    "confirm",
    "deck-change",
    "turned",
    "quiet",
    "no such key",
)
NEXT = {
    FindingState.ASKING: set(FindingState),
    FindingState.OPEN: set(FindingState) - {FindingState.ASKING},
    FindingState.CORRECTED: set(FindingState) - {FindingState.CLOSED},
    FindingState.RULED: {FindingState.RULED},
    FindingState.DISMISSED: {FindingState.DISMISSED},
    FindingState.CLOSED: {FindingState.CLOSED},
}
"""What a finding may be after it was something. A corrected one may be found wrong after all."""

BY_SILENCE = ("HOLE", "BURN", "BOARD")
PROFILES = [(name, game) for name in names() for game in load(name).games.value]
many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

times = st.floats(0.0, 12.0).map(lambda s: round(s, 2))
places = st.sampled_from(
    [*map(seat_zone, range(1, 12)), Zone("board"), Zone("burn"), Zone("muck")]
    + [Zone(z) for z in ("board/flop", "board/turn", "board/river", "count", "stub")]
)
cards = st.integers(1, 12).map(Token)
seat_numbers = st.integers(1, 11)


@st.composite
def openings(draw: st.DrawFn, at: float = 0.0) -> TableOpened:
    """Any shipped profile at any table."""
    name, game = draw(st.sampled_from(PROFILES))
    placed = draw(st.frozensets(seat_numbers, max_size=2))
    layout: Layout = reference_layout(
        LayoutOptions(
            board=draw(st.sampled_from(["one", "three"])),
            burn=draw(st.sampled_from(["own", "own", "muck"])),
            stub=draw(st.sampled_from(["none", "own"])),
            placement_seats=placed,
        )
    )
    dealt_in = draw(st.sets(seat_numbers, min_size=2, max_size=11))
    button = draw(
        st.none()
        | st.sampled_from(sorted(dealt_in)).map(lambda s: (s,))
        | st.lists(seat_numbers, max_size=2, unique=True).map(tuple)
    )
    return TableOpened(
        at=at,
        profile=load(name).model_dump_json(),
        game=game,
        layout=layout_json(layout),
        seats=tuple((s, SeatStatus.IN) for s in sorted(dealt_in)),
        button=button,
        absent=tuple(draw(st.sets(seat_numbers, max_size=2))),
        opening=draw(st.booleans()),
        console=draw(st.booleans()),
        camera=draw(st.booleans()),
    )


Act = Callable[["Watcher", float], Iterator[TableEvent]]
"""What happens next at a table: the events, each made when the ones before it have been judged."""


def _fresh(state: RulesState, at: float) -> Token:
    """A token that no card has: they are random."""
    return Token(random.Random(f"{at} {len(state.cards)}").randrange(10**4, 10**9))


def _deal_on(cards: int, pace_s: float, uncertain_s: float) -> Act:
    """The dealer deals cards where the next are due: most of a night."""

    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        for _ in range(cards):
            due = engine.progress(watcher.state).due
            if not due:
                return
            yield CardCame(
                at=at,
                token=_fresh(watcher.state, at),
                zone=due[0],
                after=at - uncertain_s,
                before=at - 0.1,
            )
            at += pace_s

    return act


def _passed_over(watcher: Watcher, at: float) -> Iterator[TableEvent]:
    """The card that is due never comes, or is never read: the next one comes where it goes."""
    state = watcher.state
    due = engine.progress(state).due
    if state.hand is not None and len(due) > 1:
        token = _fresh(state, at)
        yield CardCame(at=at, token=token, zone=due[1], after=at - 0.4, before=at - 0.1)


def _silence(watcher: Watcher, at: float) -> Iterator[TableEvent]:
    for w in engine.watches(watcher.state):
        yield StillEmpty(at=at, zone=w.zone, since=w.since, until=at, clean_polls=4, level=1)


def _tick(watcher: Watcher, at: float) -> Iterator[TableEvent]:
    due = engine.deadline(watcher.state)
    if due is not None:
        yield Tick(at=max(at, due))


def _came(token: Token, zone: Zone, uncertain_s: float, truthful: bool) -> Act:
    """Any card comes anywhere, from where it lay if it lay somewhere, or falsely from the deck."""

    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        place = watcher.state.cards.get(token)
        yield CardCame(
            at=at,
            token=token,
            zone=zone,
            after=at - uncertain_s if uncertain_s < 11.0 else float("-inf"),
            before=at - min(0.1, uncertain_s),
            source=place.zone if truthful and place and not place.carried else None,
        )

    return act


def _goes(pick: int, zone: Zone | None, only_from_seats: bool = False) -> Act:
    """A card that lies somewhere is lifted (zone None), or has gone elsewhere."""

    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        lying = [
            (t, c.zone)
            for t, c in watcher.state.cards.items()
            if not only_from_seats or c.zone.startswith("seat/")
        ]
        if not lying:
            return
        token, was = lying[pick % len(lying)]
        if zone is None:
            yield CardLeft(at=at, token=token, zone=was, after=at - 0.5, before=at - 0.2)
        elif watcher.state.hand is not None:
            yield CardCame(
                at=at, token=token, zone=zone, after=at - 0.5, before=at - 0.2, source=was
            )

    return act


def _carried(zone: Zone) -> Act:
    """A card of an earlier hand lies somewhere, under a token that no card has had."""

    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        yield CardCarried(at=at, token=_fresh(watcher.state, at), zone=zone)

    return act


def _turned(pick: int, up: bool, unsure_s: float, told_s: float) -> Act:
    """A camera sees which way up a card lies, sooner or later."""

    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        lying = list(watcher.state.cards.items())
        if lying:
            token, was = lying[pick % len(lying)]
            before = at - told_s
            yield CardSide(
                at=at, token=token, zone=was.zone, up=up, after=before - unsure_s, before=before
            )

    return act


def _block(cards: int) -> Act:
    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        yield LaidTogether(at=at, zone=Zone("board"), cards=cards, after=at - 0.4, before=at - 0.2)

    return act


def _always(event: TableEvent) -> Act:
    def act(watcher: Watcher, at: float) -> Iterator[TableEvent]:
        yield replace(event, at=at)

    return act


words = st.sampled_from(["rule", "dismiss", "confirm"])
other_events: st.SearchStrategy[TableEvent] = st.one_of(
    st.builds(
        CardLeft,
        at=st.just(0.0),
        token=cards,
        zone=places,
        after=st.just(0.0),
        before=st.just(0.0),
    ),
    st.builds(
        StillEmpty,
        at=st.just(0.0),
        zone=places,
        since=times,
        until=times,
        clean_polls=st.just(4),
        level=st.sampled_from([1, 2]),
    ),
    st.builds(
        TagVerdict, at=st.just(0.0), token=cards, zone=places, fault=st.sampled_from(TagFault)
    ),
    st.builds(
        ReaderLost,
        at=st.just(0.0),
        device=st.sampled_from(["reader 1", "reader 2"]),
        zones=st.lists(places, max_size=3).map(tuple),
        reason=st.sampled_from(["", "unplugged"]),
    ),
    st.builds(ReaderBack, at=st.just(0.0), device=st.sampled_from(["reader 1"]), zones=st.just(())),
    st.builds(
        ButtonSeen,
        at=st.just(0.0),
        seats=st.none() | st.lists(seat_numbers, max_size=2, unique=True).map(tuple),
    ),
    st.builds(ButtonDeclared, at=st.just(0.0), seat=seat_numbers, by=st.just("floor")),
    st.builds(SeatSeen, at=st.just(0.0), seat=seat_numbers, occupied=st.none() | st.booleans()),
    st.builds(KeyPressed, at=st.just(0.0), key=st.sampled_from(KEYS)),
    st.builds(
        SeatRegistered,
        at=st.just(0.0),
        seat=seat_numbers,
        status=st.sampled_from(SeatStatus),
        by=st.just("floor"),
    ),
    st.builds(
        FloorSaid,
        at=st.just(0.0),
        word=words,
        finding=st.none() | st.integers(1, 6),
        text=st.just("stands"),
        by=st.just("floor"),
    ),
    st.builds(SubstantialAction, at=st.just(0.0), happened=st.booleans(), by=st.just("floor")),
    st.builds(TableResumed, at=st.just(0.0)),
    st.just(Tick(at=0.0)),
    st.builds(
        CardSide,
        at=st.just(0.0),
        token=st.none() | cards,
        zone=places | st.just(Zone("table")),
        up=st.booleans(),
        after=times,
        before=times,
    ),
    st.builds(
        LaidTogether,
        at=st.just(0.0),
        zone=places,
        cards=st.integers(2, 5),
        after=times,
        before=times,
    ),
)
few = st.builds(_deal_on, st.integers(1, 3), st.floats(0.3, 0.8), st.floats(0.2, 2.0))
lots = st.builds(_deal_on, st.integers(4, 24), st.floats(0.3, 0.8), st.floats(0.2, 0.5))
sides = st.builds(
    _turned, st.integers(0, 40), st.booleans(), st.floats(0.05, 3.0), st.floats(0.0, 1.5)
) | st.builds(_block, st.integers(2, 4))
acts: st.SearchStrategy[Act] = st.one_of(
    few,
    lots,
    st.just(_silence),
    st.just(_tick),
    st.builds(_came, cards, places, times, st.booleans()),
    st.builds(_goes, st.integers(0, 40), st.none() | places),
    st.builds(_carried, places),
    sides,
    other_events.map(_always),
    openings().map(_always),
)


class Watcher:
    """Takes every step with the rules and holds them to what they promise."""

    def __init__(self) -> None:
        self.state = engine.closed()
        self.events: list[TableEvent] = []
        self.said: list[Said] = []
        self.latest: dict[int, Finding] = {}

    def step(self, event: TableEvent) -> None:
        event = numbered(event, len(self.events) + 1)
        before = self.state
        looked_like = repr(without_book(before))
        self.state, said = engine.step(before, event)
        assert repr(without_book(before)) == looked_like, "the state that was given has changed"
        self.events.append(event)
        self.said += said
        for word in said:
            if isinstance(word, FindingChanged):
                self._finding(word.finding)
        self._asked()
        self._places()

    def _finding(self, new: Finding) -> None:
        old = self.latest.get(new.id)
        if old is None:
            assert all(n < new.id for n in self.latest), "an id is used twice"
            assert new.state in (FindingState.ASKING, FindingState.OPEN)
        else:
            assert new.state in NEXT[old.state], (old.state, new.state)
            assert (new.hand, new.street) == (old.hand, old.street)
            assert new.codes[: len(old.codes)] == old.codes
            assert set(old.evidence) <= set(new.evidence)
        self.latest[new.id] = new
        assert new.code in new.codes
        assert new.clause or new.code in ledger.LOSSES or new.severity is Severity.SECURITY
        assert new.remedy
        assert len(new.board_text) <= 16
        assert new.board_text or not entry(new.code).board
        assert new.delay_s >= 0.0
        assert new.severity.rank <= Severity.NOTICE.rank or not new.asking, "a question alarms"
        assert all(0 < seq <= len(self.events) for seq in new.evidence)

    def _asked(self) -> None:
        """Whatever may be asked of a state has an answer."""
        state = self.state
        progress = engine.progress(state)
        shown = {f.id for f in progress.findings}
        assert shown <= {f.id for f in engine.findings(state)}
        zones = state.book.layout.by_zone if state.book else {}
        assert all(w.zone in zones for w in engine.watches(state)), "a zone nobody can see"
        engine.focus(state)
        engine.verdicts(state)

    def _places(self) -> None:
        """No card fills two slots, nor counts as one of the plan and as one too many."""
        hand = self.state.hand
        if hand is None:
            return
        counted = Counter(f.token for f in hand.fills.values() if f.token is not None)
        counted.update(hand.extra_board)
        counted.update(hand.extra_burns)
        for extra in hand.extra_seat.values():
            counted.update(extra)
        twice = [t for t, n in counted.items() if n > 1]
        assert not twice or any(f.code == "DECK_CLONE" for f in self.latest.values()), (
            "a card counts in two places"
        )

    def run_out(self) -> None:
        """Ticks at every deadline end sometime, each later than the one before."""
        last = float("-inf")
        for _ in range(200):
            due = engine.deadline(self.state)
            if due is None:
                return
            assert due > last, "a tick has decided nothing"
            last = due
            self.step(Tick(at=due))
        raise AssertionError("the deadlines never end")


def night(watcher: Watcher, happening: list[tuple[float, Act]]) -> None:
    for pause_s, act in happening:
        at = max((e.at for e in watcher.events), default=0.0) + pause_s
        for event in act(watcher, at):
            watcher.step(event)


nights = st.lists(st.tuples(st.one_of(st.floats(0.0, 1.0), times), acts), max_size=45)


@many
@given(before=st.lists(other_events, max_size=4), opening=openings(), happening=nights)
def test_any_order_of_any_events(
    before: list[TableEvent], opening: TableOpened, happening: list[tuple[float, Act]]
) -> None:
    watcher = Watcher()
    for event in before:
        watcher.step(event)
    watcher.step(opening)
    night(watcher, happening)
    watcher.run_out()
    state = engine.closed()
    said: list[Said] = []
    for event in watcher.events:
        state, new = engine.step(state, event)
        said += new
    assert said == watcher.said
    assert repr(state) == repr(watcher.state)


played: st.SearchStrategy[Act] = st.one_of(
    few,
    few,
    lots,
    sides,
    st.just(_silence),
    st.just(_passed_over),
    st.builds(_goes, st.integers(0, 40), st.none() | places),
    st.builds(_goes, st.integers(0, 40), st.just(Zone("muck"))),
    acts,
)


@many
@given(
    opening=openings(),
    happening=st.lists(
        st.tuples(st.one_of(st.floats(0.3, 0.8), times), played), min_size=5, max_size=30
    ),
)
def test_hands_that_are_mostly_dealt_by_the_book(
    opening: TableOpened, happening: list[tuple[float, Act]]
) -> None:
    watcher = Watcher()
    watcher.step(replace(opening, seats=opening.seats[:4]))
    watcher.step(KeyPressed(at=1.0, key="new-hand"))
    night(watcher, happening)
    watcher.run_out()


silent: st.SearchStrategy[Act] = st.one_of(
    few,
    lots,
    st.just(_passed_over),
    st.just(_silence),
    st.just(_silence),
    st.just(_tick),
    st.builds(_goes, st.integers(0, 30), st.none(), st.just(True)),
)


@many
@given(
    profile=st.sampled_from(PROFILES),
    happening=st.lists(
        st.tuples(st.one_of(st.floats(0.3, 0.8), times), silent), min_size=5, max_size=40
    ),
)
def test_no_silence_makes_more_than_a_warning(
    profile: tuple[str, str], happening: list[tuple[float, Act]]
) -> None:
    watcher = Watcher()
    watcher.step(opened(*profile, seats=(2, 5, 7), button=(7,)))
    watcher.step(KeyPressed(at=1.0, key="new-hand"))
    night(watcher, happening)
    night(watcher, [(pause_s, _silence) for pause_s in (0.3, 2.0, 5.0)])
    watcher.run_out()
    for word in watcher.said:
        if isinstance(word, FindingChanged) and word.finding.code.startswith(BY_SILENCE):
            assert word.finding.severity.rank <= Severity.WARNING.rank, word.finding
