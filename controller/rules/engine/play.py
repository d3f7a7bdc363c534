"""Whether a hand is still being played, or has been given up, awarded, and is being taken up."""

from __future__ import annotations

from controller.model.events import Token
from controller.model.table import BURN, is_board, seat_of
from controller.rules.engine.state import Hand, RulesState

HELD_S = 20.0  # a player may hold the cards in hand for so long and still be in
GATHER_S = 15.0  # a dealer who takes up the board and the piles is at it for so long


def live_seats(state: RulesState, hand: Hand, at: float) -> frozenset[int]:
    """Seats that still hold cards: lying there, or in a player's hand for a moment."""
    found: set[int] = set()
    for token, seat in hand.at_seat.items():
        place = state.cards.get(token)
        if place is None or seat_of(place.zone) != seat or seat in hand.folded or seat in hand.dead:
            continue
        if place.lifted_since is None or at - place.lifted_since <= HELD_S:
            found.add(seat)
    return frozenset(found)


def over(state: RulesState, hand: Hand, at: float) -> bool:
    """Whether the hand has been given up or awarded: board and burns are all taken up again, or
    fewer than two seats hold cards after the deal."""
    if not hand.closed:
        return False
    piles = [
        c
        for c in state.cards.values()
        if (is_board(c.zone) or c.zone == BURN) and not c.carried and not c.returned
    ]
    if piles and all(c.lifted_since is not None for c in piles):
        return True
    return len(live_seats(state, hand, at)) < 2


def in_play(state: RulesState, hand: Hand, at: float, besides: Token | None = None) -> bool:
    """The hand is not over, and nobody is taking up the piles. `besides`: a card whose own leaving
    does not count as taking up."""
    if any(
        token != besides and 0.0 <= at - left <= GATHER_S for token, left in hand.pile_left.items()
    ):
        return False
    return not over(state, hand, at)
