"""What a camera sees of the deal: which way up cards lie, and what is made of it.

Sides are remembered (`sides`); what they amount to is looked over anew after every event: the hole
cards and folded hands (`exposed`), burns and the deck (`hidden`), the board (`turning`). Without a
camera at the table nothing of this is ever said.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.model.events import CardSide, LaidTogether
from controller.model.findings import Said
from controller.rules.engine import exposed, hidden, sides, turning
from controller.rules.engine.cases import Case
from controller.rules.engine.state import Hand, RulesState


def on_side(state: RulesState, event: CardSide) -> None:
    if sees(state):
        sides.note(state, event)


def on_laid(state: RulesState, event: LaidTogether) -> None:
    if sees(state) and state.hand is not None:
        sides.note_block(state, event)


def sees(state: RulesState) -> bool:
    """Whether faces are looked at, at this table."""
    return state.book is not None and state.book.camera


def review(state: RulesState, said: list[Said], at: float) -> None:
    """Says what has fallen due, and takes back what has been put right."""
    hand = state.hand
    if hand is None or hand.provisional or not sees(state):
        return
    while due := [c for c in _cases(state, hand) if c.due <= at]:
        case = min(due, key=lambda c: (c.due, c.key[0], str(c.key[1])))
        hand.faces[case.key] = case.settle(state, said, at)
    # Only then: what was asked for and came too late is the same mistake, known better.
    if hand.faces:
        for room in (exposed, hidden, turning):
            room.mend(state, said, hand, at)


def deadline(state: RulesState) -> float | None:
    """When the next of what is seen now falls due."""
    hand = state.hand
    if hand is None or hand.provisional or not sees(state):
        return None
    return min((c.due for c in _cases(state, hand)), default=None)


def _cases(state: RulesState, hand: Hand) -> Iterator[Case]:
    seen = state.seen
    if not (seen.cards or seen.zones or seen.blocks):
        return
    for found in (
        exposed.cases(state, hand),
        hidden.cases(state, hand),
        turning.cases(state, hand),
    ):
        yield from (c for c in found if c.key not in hand.faces)
