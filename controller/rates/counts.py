"""How often something went wrong of how often it was tried, by sense and kind of error. Pure.

Counts alone: no card, no time of a look. A portion is what came together between two hands' ends,
and one sense's errors in it may hang together (a card that lies badly is missed look after look);
so sums of squares over portions are kept beside the counts, and tell how far a rate can be trusted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SURE = 1.96
"""Standard errors to either side of a 95 % interval."""


class Error(StrEnum):
    """What a sense can do wrong.

    MISS: a look of an antenna does not read a card that lies there. CROSS: a look reads a card that
    lies on a neighbour. NOISE: a look ends without a clean answer. GHOST: a look names a tag that
    there is not. UNCLEAR: a picture's area is hidden or too poor. UNREAD: a card that is seen face
    up has no face that was accepted. UNSURE: of a card that is seen, the side cannot be told.
    UNDECIDED: a question of a hand stays open ("cannot tell").
    """

    MISS = "miss"
    CROSS = "cross"
    NOISE = "noise"
    GHOST = "ghost"
    UNCLEAR = "unclear"
    UNREAD = "unread"
    UNSURE = "unsure"
    UNDECIDED = "undecided"


class Sense(NamedTuple):
    """Whose errors. what: for people, "antenna 3", "camera 1, board", "table". error: which."""

    what: str
    error: Error


class Portion(NamedTuple):
    """How often it was tried, and how often it went wrong."""

    tried: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Portions added up. tried2, both, wrong2: the sums of tried², tried·wrong and wrong²."""

    portions: int = 0
    tried: int = 0
    wrong: int = 0
    tried2: int = 0
    both: int = 0
    wrong2: int = 0

    def plus(self, portion: Portion) -> Tally:
        """With one portion more; one in which nothing was tried changes nothing."""
        tried, wrong = portion
        if not tried:
            return self
        return self.joined(Tally(1, tried, wrong, tried * tried, tried * wrong, wrong * wrong))

    def joined(self, other: Tally) -> Tally:
        return Tally(
            self.portions + other.portions,
            self.tried + other.tried,
            self.wrong + other.wrong,
            self.tried2 + other.tried2,
            self.both + other.both,
            self.wrong2 + other.wrong2,
        )

    @property
    def rate(self) -> float | None:
        """The share that went wrong; None if nothing was tried."""
        return self.wrong / self.tried if self.tried else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The rate's 95 % interval; None if nothing was tried.

        The wider of two: E. B. Wilson's (1927), as if each try were drawn by itself, and that of a
        ratio of sums over portions that were (Cochran, Sampling Techniques, 6.4).
        """
        rate = self.rate
        if rate is None:
            return None
        n, z2 = self.tried, SURE * SURE
        middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
        # One try may go wrong twice (a look that names two ghosts), so a rate may pass one.
        alone = max(0.0, rate * (1 - rate) / n)
        half = SURE / (1 + z2 / n) * math.sqrt(alone + z2 / (4 * n * n))
        spread = max(0.0, self.wrong2 - 2 * rate * self.both + rate * rate * self.tried2)
        m = self.portions
        apart = SURE * math.sqrt(spread * m / (m - 1)) / n if m > 1 else 0.0
        low, high = min(middle - half, rate - apart), max(middle + half, rate + apart)
        return min(max(0.0, low), 1.0), min(1.0, high)

    @property
    def rounded(self) -> tuple[int, int, int, int, int, int]:
        """As a row of numbers."""
        return self.portions, self.tried, self.wrong, self.tried2, self.both, self.wrong2
