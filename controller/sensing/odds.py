"""What one look says for and against "the card lies here", in nats, worked out once per antenna and
number of cards.

With miss rate p and a stack of n cards of which at most m can be told apart, a card lying at the
antenna is read in a share r = (1 − p)·min(1, m/n) of its looks. A rival account of the same look
reads it with another probability e: the cross-read rate for a card on a neighbour, almost never for
a card elsewhere. A read then weighs ln(r/e) for the card lying here, a silence ln((1 − r)/(1 − e)).
The same look weighs the other way round for whoever claims that the card lies at another antenna.
"""

from __future__ import annotations

from math import log

FAR = 1e-4  # share of looks that read a card lying on no neighbour: clones and ghosts, not fields
# share of looks that read a card lying nowhere near, apart from one flight over the antenna
AWAY = 1e-3


class Odds:
    """The weights of one antenna for one number of cards in its field.

    read_*, miss_*: weight of a read and of a silence for "here" against: cross, the card lies on a
    neighbour; far, it lies elsewhere; away, it lies nowhere. doubt: weight of a silence for "gone"
    against "here". crowded: more cards than can be told apart.
    """

    __slots__ = (
        "crowded",
        "doubt",
        "miss_away",
        "miss_cross",
        "miss_far",
        "read_away",
        "read_cross",
        "read_far",
    )

    def __init__(self, miss: float, cross: float, cards: int, max_stack: int | None) -> None:
        self.crowded = max_stack is not None and cards > max_stack
        share = 1.0 if max_stack is None or cards <= max_stack else max_stack / cards
        rate = (1.0 - miss) * share
        cross = min(cross, rate / 2)  # a heap so high that reads say nothing must not count against
        self.doubt = -log(1.0 - rate)
        self.read_cross = log(rate / cross)
        self.read_far = log(rate / FAR)
        self.read_away = log(rate / AWAY)
        self.miss_cross = log((1.0 - rate) / (1.0 - cross))
        self.miss_far = log((1.0 - rate) / (1.0 - FAR))
        self.miss_away = log((1.0 - rate) / (1.0 - AWAY))
