"""What a simulated camera's pictures show of a planted mistake: the yardstick beside which the
table's verdicts are counted at a table with a camera.

For where cards came and went the pictures are read as if whoever looks knew each card by its back,
which no table can: what cannot be proved even so is not provable (`controller.simulate.provable`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot

from controller.model.table import Layout
from drivers.factory import HandPlayed
from drivers.readings import AreaSight, Outcome, Poll, Side, Sight, Uid

OF_SIDES: Mapping[str, Side] = {
    "card-exposed": Side.UP,
    "burn-face-up": Side.UP,
    "board-face-down": Side.DOWN,
    "flop-face-up": Side.UP,
}
"""Mistakes in which way up a card lies, and what a picture of them shows."""

SHOWN = 6
"""In so many pictures a card must be seen lying the wrong way up before anybody may be sure."""

EARLY = 4
"""In so many pictures a flop card must lie face up beside fewer than two others: those before the
last two of them say nothing of what the last one to come missed."""

_NEAR_MM = 12.0


def shows_side(hand: HandPlayed, sights: Sequence[Sight]) -> bool:
    """Whether the pictures show the planted card lying the wrong way up, by its street's end."""
    planted = hand.planted
    assert planted is not None, "shows_side needs a hand with a mistake"
    side = OF_SIDES[planted.kind]
    area = {
        "card-exposed": f"seat/{planted.seat}",
        "burn-face-up": "burn",
    }.get(planted.kind, "board")
    street = hand.street(planted.street)
    until = street.ended_at if street is not None else hand.ended_at
    shown = early = 0
    for sight in sights:
        if sight.started < planted.evident_at or sight.ended > until:
            continue
        for seen in sight.areas:
            if seen.area == area and any(c.side is side for c in seen.cards):
                shown += 1
                early += len(seen.cards) < 3
    if planted.kind == "flop-face-up":
        return early >= EARLY and shown >= SHOWN
    return shown >= SHOWN


def as_polls(
    sight: Sight, uids: Mapping[str, Sequence[tuple[float, float, Uid]]], layout: Layout
) -> list[Poll]:
    """A picture as looks of antennas, each seen card named by the tag of the card that lies there.

    uids: what really lies in each area, and where in millimetres.
    """
    polls = []
    for seen in sight.areas:
        place = layout.by_zone.get(seen.area)  # type: ignore[call-overload]
        if place is None:
            continue
        named = _named(seen, uids.get(seen.area, ()))
        outcome = Outcome.NOISE if not seen.proves else Outcome.SEEN if named else Outcome.EMPTY
        polls.append(Poll(place.antenna, named, outcome, sight.started, sight.ended))
    return polls


def _named(seen: AreaSight, lying: Sequence[tuple[float, float, Uid]]) -> tuple[Uid, ...]:
    found: dict[Uid, None] = {}
    for card in seen.cards:
        near = [(hypot(card.x_mm - x, card.y_mm - y), uid) for x, y, uid in reversed(lying)]
        if near and min(near)[0] < _NEAR_MM:
            found[min(near, key=lambda n: n[0])[1]] = None
    return tuple(found)
