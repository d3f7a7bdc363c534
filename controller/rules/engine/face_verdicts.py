"""What may be said of the faces of a hand where no finding says it: in order, or that nobody can
tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.model.events import Token
from controller.model.findings import Judgement, Street
from controller.rules.engine import streets, turning
from controller.rules.engine.state import Hand, RulesState
from controller.rules.plans import BOARD_STREETS


@dataclass(frozen=True, slots=True)
class Faced:
    """A question about faces: the codes that would answer it with a violation, the first of them
    its name."""

    codes: tuple[str, ...]
    street: Street
    judgement: Judgement
    reason: str = ""


def faced(state: RulesState, hand: Hand) -> Iterator[Faced]:
    """Every question that a camera at the table raises so far."""
    holes = [t for i in range(hand.plan.first_hole, hand.plan.last_hole + 1) for t in _in(hand, i)]
    yield _seen_all(state, ("HOLE_EXPOSED",), Street.DEAL, holes)
    for street in Street:
        burns = [t for i in hand.plan.burns[street] for t in _in(hand, i)]
        if burns:
            yield _seen_all(state, ("BURN_FACE_UP",), street, burns)
    for street in BOARD_STREETS:
        if not streets.board_full(hand, street):
            continue
        cards = [t for i in hand.plan.board[street] for t in _in(hand, i)]
        yield _seen_all(state, ("BOARD_FACE_DOWN",), street, cards)
        if street is Street.FLOP and turning.turns_the_flop(state):
            judged, reason = turning.how_turned(state, hand)
            yield Faced((turning.SPLIT, turning.EARLY), street, judged, reason)


def _in(hand: Hand, slot: int) -> list[Token]:
    fill = hand.fills.get(slot)
    return [] if fill is None or fill.token is None else [fill.token]


def _seen_all(
    state: RulesState, codes: tuple[str, ...], street: Street, cards: list[Token]
) -> Faced:
    unseen = sum(not (sides := state.seen.cards.get(t, ())) or sides[-1].up is None for t in cards)
    if not unseen:
        return Faced(codes, street, Judgement.IN_ORDER)
    reason = f"which way up {unseen} of {len(cards)} cards lie has not been seen"
    return Faced(codes, street, Judgement.CANNOT_TELL, reason)
