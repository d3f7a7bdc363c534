"""What holds of faces whatever is dealt: a lawful hand raises nothing, the order in which things
become known that have nothing to do with each other changes nothing, and without a camera nothing
is ever said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.model.events import (
    CardCame,
    CardSide,
    LaidTogether,
    TableEvent,
    Tick,
    Token,
    numbered,
)
from controller.model.findings import FindingChanged, Street
from controller.model.table import BOARD, BURN, MUCK, STUB, Zone, seat_zone
from controller.rules import engine
from controller.rules.catalogue import catalogue
from controller.rules.profile import load, names
from tests.controller.rules.engine.told_table import opened

PROFILES = [(name, game) for name in names() for game in load(name).games.value]
SEATS = (2, 5, 7)
BY_CAMERA = {code for code, entry in catalogue().items() if "camera" in entry.needs}
some = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass
class Hand:
    """A hand as it is dealt, and what becomes known of it. chance: how long after each other things
    happen, how exactly they are known, and when."""

    profile: str
    game: str
    chance: random.Random
    at: float = 1.0
    cards: int = 0
    events: list[TableEvent] = field(default_factory=list)

    def lay(self, zone: Zone, up: bool = False, source: Zone | None = None) -> Token:
        """A card comes to lie somewhere, and is seen there a moment later."""
        self.cards += 1
        token = Token(self.cards)
        self.at += self.chance.uniform(0.45, 0.8)
        unsure = self.chance.uniform(0.05, 0.3)
        self.events.append(
            CardCame(
                at=self.at + self.chance.uniform(0.0, 0.4),
                token=token,
                zone=zone,
                after=self.at - unsure,
                before=self.at,
                source=source,
            )
        )
        self.turn(token, zone, up, self.at)
        return token

    def turn(self, token: Token, zone: Zone, up: bool, when: float) -> None:
        """A card is turned, or lies so; a picture or two later a camera has seen it."""
        seen = when + self.chance.uniform(0.0, 0.15)
        self.events.append(
            CardSide(
                at=seen + self.chance.uniform(0.0, 0.4),
                token=token,
                zone=zone,
                up=up,
                after=when - self.chance.uniform(0.02, 0.15),
                before=seen,
            )
        )

    def move(self, token: Token, zone: Zone, source: Zone) -> None:
        self.events.append(
            CardCame(
                at=self.at + self.chance.uniform(0.0, 0.4),
                token=token,
                zone=zone,
                after=self.at - 0.2,
                before=self.at,
                source=source,
            )
        )

    def deal(self) -> None:
        """The whole hand, by the profile's rules, with a fold and a showdown."""
        profile = load(self.profile).for_game(self.game)
        face_down = profile.flop_style.value != "face-up"
        held: dict[int, list[Token]] = {s: [] for s in SEATS}
        if profile.burn_before_hole_cards.value:
            self.lay(BURN)
        for _ in range(profile.hole_cards.value):
            for seat in SEATS:
                held[seat].append(self.lay(seat_zone(seat)))
        for street in (Street.FLOP, Street.TURN, Street.RIVER):
            self.at += self.chance.uniform(4.0, 20.0)
            if street is Street.TURN:
                for token in held[2]:
                    self.move(token, MUCK, seat_zone(2))
                self.at += self.chance.uniform(4.0, 9.0)
            self.lay(BURN)
            down = street is Street.FLOP and face_down
            cards = [self.lay(BOARD, up=not down) for _ in range(profile.board_cards_of(street))]
            if down:
                self.at += self.chance.uniform(0.3, 2.0)
                for token in cards:
                    self.turn(token, BOARD, True, self.at + self.chance.uniform(0.0, 0.6))
        self.at += self.chance.uniform(4.0, 20.0)
        for seat in (5, 7):
            self.at += self.chance.uniform(0.2, 6.0)
            for token in held[seat]:
                self.turn(token, seat_zone(seat), True, self.at)
        self.at += self.chance.uniform(2.0, 9.0)
        for token in held[7]:
            self.move(token, MUCK, seat_zone(7))
            self.turn(token, MUCK, self.chance.random() < 0.5, self.at + 0.3)


def told(opening: TableEvent, events: Sequence[TableEvent]) -> list[tuple[str, int | None, str]]:
    """The findings of a night, by what they last were."""
    state = engine.closed()
    latest: dict[int, tuple[str, int | None, str]] = {}

    def take(event: TableEvent) -> None:
        nonlocal state
        state, said = engine.step(state, event)
        for word in said:
            if isinstance(word, FindingChanged):
                f = word.finding
                latest[f.id] = (f.code, f.seat, f.clause)

    for n, event in enumerate([opening, *events], start=1):
        while (due := engine.deadline(state)) is not None and due < event.at:
            take(Tick(at=due))
        take(numbered(event, n))
    for _ in range(60):
        if (due := engine.deadline(state)) is None:
            break
        take(Tick(at=due))
    return sorted(latest.values(), key=str)


def in_time(events: Sequence[TableEvent]) -> list[TableEvent]:
    return sorted(events, key=lambda e: e.at)


def seen_on(events: list[TableEvent]) -> list[TableEvent]:
    """The same, and what a camera goes on to see told again until the card is moved or turned."""
    made = list(events)
    for event in events:
        if isinstance(event, CardSide):
            ends = [
                e.after
                for e in events
                if isinstance(e, CardSide | CardCame)
                and e.token == event.token
                and e.before > event.before
            ]
            until = min(ends, default=event.before + 9.0)
            at = event.before + 1.0
            while at < min(until, event.before + 9.0):
                made.append(replace(event, at=max(at, event.at)))
                at += 1.0
    return in_time(made)


@some
@given(profile=st.sampled_from(PROFILES), seed=st.integers(0, 2**32))
def test_a_lawful_hand_raises_nothing(profile: tuple[str, str], seed: int) -> None:
    hand = Hand(*profile, random.Random(seed))
    hand.deal()
    opening = opened(*profile, seats=SEATS, button=(7,), camera=True)
    assert told(opening, seen_on(hand.events)) == []


def _faults(chance: random.Random, events: list[TableEvent]) -> list[TableEvent]:
    """The same hand with some sides the other way round, blocks, and faces of the deck."""
    made: list[TableEvent] = []
    for event in events:
        if isinstance(event, CardSide) and chance.random() < 0.15:
            made.append(replace(event, up=not event.up))
            if chance.random() < 0.5:
                later = chance.uniform(0.2, 4.0)
                made.append(
                    replace(
                        event,
                        at=event.at + later,
                        after=event.after + later,
                        before=event.before + later,
                    )
                )
            continue
        made.append(event)
        if chance.random() < 0.03:
            made.append(
                CardSide(
                    at=event.at,
                    zone=chance.choice([STUB, BURN, MUCK, BOARD, Zone("table")]),
                    up=chance.random() < 0.6,
                    after=event.at - 0.2,
                    before=event.at - 0.1,
                )
            )
        if chance.random() < 0.03:
            made.append(
                LaidTogether(
                    at=event.at, zone=BOARD, cards=3, after=event.at - 0.3, before=event.at - 0.1
                )
            )
    return made


@some
@given(profile=st.sampled_from(PROFILES), seed=st.integers(0, 2**32))
def test_without_a_camera_no_side_raises_anything(profile: tuple[str, str], seed: int) -> None:
    hand = Hand(*profile, random.Random(seed))
    hand.deal()
    events = seen_on(_faults(hand.chance, hand.events))
    opening = opened(*profile, seats=SEATS, button=(7,))
    without: list[TableEvent] = [e for e in events if not isinstance(e, CardSide | LaidTogether)]
    said = told(opening, events)
    assert said == told(opening, without)
    assert not {code for code, _, _ in said} & BY_CAMERA


@some
@given(profile=st.sampled_from(PROFILES), seed=st.integers(0, 2**32))
def test_the_order_in_which_sides_become_known_changes_nothing(
    profile: tuple[str, str], seed: int
) -> None:
    """What different cards show, told at one and the same moment, in any order."""
    hand = Hand(*profile, random.Random(seed))
    hand.deal()
    events = seen_on(_faults(hand.chance, hand.events))
    opening = opened(*profile, seats=SEATS, button=(7,), camera=True)
    turns = [
        replace(e, at=float(round(e.at + 1.0)))
        for e in events
        if isinstance(e, CardSide) and e.token is not None
    ]
    others = [e for e in events if not isinstance(e, CardSide)]
    straight = in_time([*others, *turns])
    mixed: list[CardSide] = []
    for at in sorted({e.at for e in turns}):
        once = [e for e in turns if e.at == at]
        of = [e.token for e in once]
        if len(set(of)) == len(of):
            hand.chance.shuffle(once)
        mixed += once
    assert told(opening, straight) == told(opening, in_time([*others, *mixed]))
