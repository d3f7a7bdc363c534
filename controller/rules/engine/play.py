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
        if place is None or seat_of(place.zone) != seat or seat in hand.folded:
            continue
        if place.lifted_since is None or at - place.lifted_since <= HELD_S:
            found.add(seat)
    return frozenset(found)


def taken_up(state: RulesState, hand: Hand) -> bool:
    """Whether board and burns, where there were any, are all taken up again."""
    piles = [
        c
        for c in state.cards.values()
        if (is_board(c.zone) or c.zone == BURN) and not c.carried and not c.returned
    ]
    return hand.closed and bool(piles) and all(c.lifted_since is not None for c in piles)


def over(state: RulesState, hand: Hand, at: float) -> bool:
    """Whether the hand has been given up or awarded: its piles are taken up, or fewer than two
    seats hold cards after the deal."""
    return hand.closed and (taken_up(state, hand) or len(live_seats(state, hand, at)) < 2)


def being_taken_up(hand: Hand, at: float, besides: Token | None = None) -> bool:
    """Whether a card of the board, the burns or the muck was taken up lately. `besides`: a card
    whose own leaving does not count."""
    return any(
        token != besides and 0.0 <= at - left <= GATHER_S for token, left in hand.pile_left.items()
    )


def in_play(state: RulesState, hand: Hand, at: float, besides: Token | None = None) -> bool:
    """The hand is not over, and nobody is taking up the piles."""
    return not being_taken_up(hand, at, besides) and not over(state, hand, at)
