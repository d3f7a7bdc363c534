"""A short night at a table, as events in order, and rules small enough to see through: they begin
and end hands by key, and find fault with every burn card. For the journal's tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

from controller.model.events import (
    CardCame,
    CardLeft,
    KeyPressed,
    SeatStatus,
    StillEmpty,
    TableEvent,
    TableOpened,
    Token,
)
from controller.model.findings import (
    Finding,
    FindingChanged,
    FindingState,
    HandBegan,
    HandEnded,
    Judgement,
    Said,
    Severity,
    Street,
    Verdict,
    VerdictChanged,
)
from controller.model.table import BURN, seat_zone


@dataclass(frozen=True)
class Rules:
    hand: int = 0
    on: bool = False
    burns: int = 0


def closed() -> Rules:
    return Rules()


def step(state: Rules, event: TableEvent) -> tuple[Rules, tuple[Said, ...]]:
    at = event.at
    if isinstance(event, TableOpened):
        return Rules(), ()
    if isinstance(event, KeyPressed) and event.key == "new-hand":
        hand = state.hand + 1
        began = HandBegan(at=at, hand=hand, button=1, seats=(1, 2, 3))
        return Rules(hand, True), (began,)
    if isinstance(event, KeyPressed) and event.key == "end-hand":
        return Rules(state.hand), (HandEnded(at=at, hand=state.hand, reason="key"),)
    if isinstance(event, CardCame) and event.zone == BURN:
        burns = state.burns + 1
        finding = Finding(
            id=burns,
            code="BURN_DOUBLE",
            codes=("BURN_DOUBLE",),
            severity=Severity.WARNING,
            state=FindingState.OPEN,
            clause="X-1",
            hand=state.hand,
            street=Street.FLOP,
            evidence=(event.seq,),
            first_at=at,
            at=at,
        )
        verdict = Verdict(
            at=at,
            hand=state.hand,
            code="BURN_DOUBLE",
            street=Street.FLOP,
            judgement=Judgement.VIOLATION,
        )
        return Rules(state.hand, state.on, burns), (
            FindingChanged(finding=finding),
            VerdictChanged(verdict=verdict),
        )
    return state, ()


OPENED = TableOpened(
    at=0.0,
    profile='{"name":"house"}',
    game="holdem",
    layout="{}",
    seats=((1, SeatStatus.IN), (2, SeatStatus.IN), (3, SeatStatus.SIT_OUT)),
    button=(1,),
)
HAND = 12
"""Events of one hand of the night."""


def happening(n: int) -> TableEvent:
    """The n-th event of a night without end; number 0 opens the table."""
    if n == 0:
        return OPENED
    at, place = 0.25 * n, (n - 1) % HAND
    token = Token(1000 + n)
    if place == 0:
        return KeyPressed(at=at, key="new-hand")
    if place == HAND - 1:
        return KeyPressed(at=at, key="end-hand")
    if place == 4:
        return CardLeft(
            at=at, token=Token(1000 + n - 1), zone=seat_zone(3), after=at - 1, before=at
        )
    if place == 6:
        return StillEmpty(at=at, zone=BURN, since=at - 2, until=at, clean_polls=4, level=1)
    zone = BURN if place == 7 else seat_zone(place)
    return CardCame(at=at, token=token, zone=zone, after=-math.inf, before=at)
