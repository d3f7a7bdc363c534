"""Whether a hand is still being played, or has been given up, awarded, and is being taken up."""

from __future__ import annotations

from controller.model.events import Token
from controller.model.table import seat_of
from controller.rules.engine.state import Hand, RulesState

PEEK_S = 8.0  # a player who looks at the cards has them back on the table by then
GATHER_S = 15.0  # a dealer who takes up the board and the piles is at it for so long


def live_seats(state: RulesState, hand: Hand, at: float) -> frozenset[int]:
    """Seats that still hold cards: lying there, or in a player's hand for a moment."""
    found: set[int] = set()
    for token, seat in hand.at_seat.items():
        place = state.cards.get(token)
        if place is None or seat_of(place.zone) != seat or seat in hand.folded or seat in hand.dead:
            continue
        if place.lifted_since is None or at - place.lifted_since <= PEEK_S:
            found.add(seat)
    return frozenset(found)


def in_play(state: RulesState, hand: Hand, at: float, besides: Token | None = None) -> bool:
    """Two live hands at least (or a deal under way), and nobody is taking up the piles. `besides`: a card whose own leaving
    does not count as taking up."""
    if any(token != besides and at - left <= GATHER_S for token, left in hand.pile_left.items()):
        return False
    return not hand.closed or len(live_seats(state, hand, at)) >= 2
