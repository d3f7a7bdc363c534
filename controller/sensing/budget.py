"""How sure sensing must be: every threshold follows from one number, the false alarms a house
accepts per hand.

A table that cries wolf is switched off on the first evening, so the budget is stated once and
shared out:

* Order. A card's arrival is known to lie between the start of the k-th last silent poll and the end
  of the first poll that saw it. It is dated too late only if k polls in a row missed it, and that
  reverses the order of two cards only if one more poll between the two arrivals missed it as well:
  probability p^(k+1) for a miss rate p. A hand asks about some 18 pairs (nine seats, two rounds),
  so k is the smallest number with ``order_pairs * p**(k + 1) <= per_hand``: 4 at 5 %, 5 at 10 %.
* Place. A newcomer is settled by a sequential likelihood-ratio test (A. Wald, Sequential Analysis,
  1947): deciding at log odds ln(1/e) errs with probability of at most e. `arrivals` cards with up
  to two neighbours each share `place_share` of the budget.
* Moves. A lying card is tested afresh at every look (E. S. Page, Continuous inspection schemes,
  1954), so the share `move_share` is divided by `looks`, the card-looks of a long hand (25 cards,
  300 sweeps, two neighbours).
* What a camera says of a lying card (which way up it lies, what is printed on it) is tested afresh
  at every picture, too: as many pictures must agree as make an error as rare as `move_share` of the
  budget, over `looks`, allows.
* Absence of a settled card is told as CardLeft, which accuses nobody; it may err once in
  `left_error` per run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

RATE_FLOOR = 0.005  # no antenna is trusted to miss less than this, whatever was measured
CROSS_FLOOR = 0.002
WRONG_SIDE = 2e-3  # share of pictures of a card that no reader is trusted to misjudge less often
WRONG_FACE = 1e-3  # the same for a face that it accepts


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarmBudget:
    """per_hand: false alarms of warning or above that the house accepts per hand. The rest: see the
    module.
    """

    per_hand: float = 1e-4
    order_pairs: int = 18
    arrivals: int = 40
    place_share: float = 0.1
    looks: int = 15_000
    move_share: float = 0.1
    left_error: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("per_hand", "place_share", "move_share", "left_error"):
            value = getattr(self, name)
            if not 0.0 < value <= 1.0:
                raise ValueError(f"false-alarm budget, {name} = {value}; allowed above 0 up to 1")
        for name in ("order_pairs", "arrivals", "looks"):
            value = getattr(self, name)
            if value < 1:
                raise ValueError(f"false-alarm budget, {name} = {value}; allowed 1 and more")

    def silences(self, miss_rate: float) -> int:
        """k: how many clean silent polls of an antenna with that miss rate prove that no card lay
        there.
        """
        p = min(max(miss_rate, RATE_FLOOR), 0.9)
        k = math.ceil(math.log(self.per_hand / self.order_pairs) / math.log(p) - 1 - 1e-9)
        return max(k, 1)

    @property
    def place_nats(self) -> float:
        """Log odds at which a newcomer is settled in a zone rather than in a neighbour's."""
        return math.log(2 * self.arrivals / (self.per_hand * self.place_share))

    @property
    def move_nats(self) -> float:
        """Log odds at which a settled card is believed to have moved, not been read across."""
        return math.log(self.looks / (self.per_hand * self.move_share))

    @property
    def side_pictures(self) -> int:
        """Pictures that must agree on which way up a card lies."""
        return math.ceil(self.move_nats / -math.log(WRONG_SIDE))

    @property
    def face_pictures(self) -> int:
        """Pictures that must agree on a card's face."""
        return math.ceil(self.move_nats / -math.log(WRONG_FACE))

    @property
    def left_nats(self) -> float:
        """Log odds at which a settled card's silence is believed."""
        return -math.log(self.left_error)
