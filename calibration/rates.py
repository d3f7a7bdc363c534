"""Shares of looks and how certain they are: exact intervals, and an exact test of two shares.

Intervals are those of C. Clopper and E. Pearson (1934): whatever the true share is, they hold it
with at least the probability asked for, however few looks there were. Two shares are compared by
R. A. Fisher's exact test (1935).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

ERROR = 0.05
"""Share of intervals that may not hold the truth."""
_LITTLE = 1e-16


@dataclass(frozen=True, slots=True)
class Rate:
    """So many hits in so many looks. Raises ValueError for more hits than looks."""

    hits: int
    looks: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.looks:
            raise ValueError(f"{self.hits} hits in {self.looks} looks")

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.hits + other.hits, self.looks + other.looks)

    @property
    def others(self) -> Rate:
        """The share of looks that were no hits."""
        return Rate(self.looks - self.hits, self.looks)

    @property
    def share(self) -> float:
        """Hits a look; 0 without a look."""
        return self.hits / self.looks if self.looks else 0.0

    @property
    def careful(self) -> float:
        """The share with half a hit and half a miss added (H. Jeffreys): a thing that was never
        seen is rare, not impossible."""
        return (self.hits + 0.5) / (self.looks + 1)

    @property
    def interval(self) -> tuple[float, float]:
        """Between what the true share lies, with 95 %."""
        return interval(self.hits, self.looks)

    @property
    def half_width(self) -> float:
        low, high = self.interval
        return (high - low) / 2

    @property
    def words(self) -> str:
        """For people: "95 % (91 to 98 %)"."""
        if not self.looks:
            return "not measured"
        return between(self.share, *self.interval)


NOTHING = Rate(0, 0)


def percent(share: float) -> str:
    """With a decimal where it is small or nearly all."""
    digits = 0 if 0.1 <= share <= 0.9 or share in (0.0, 1.0) else 1
    return f"{share * 100:.{digits}f} %"


def between(share: float, low: float, high: float) -> str:
    """A share and its bounds for people: "95 % (91 to 98 %)"."""
    return f"{percent(share)} ({percent(low).removesuffix(' %')} to {percent(high)})"


def interval(hits: int, looks: int, error: float = ERROR) -> tuple[float, float]:
    """The share's bounds: both are exceeded with a probability of `error` / 2 at most."""
    if not looks:
        return (0.0, 1.0)
    low = 0.0 if hits == 0 else _crossing(lambda p: 1.0 - _at_most(hits - 1, looks, p), error / 2)
    high = 1.0 if hits == looks else _crossing(lambda p: -_at_most(hits, looks, p), -error / 2)
    return (low, high)


def certain(rate: Rate, within: float, relative: float = 0.2) -> bool:
    """Whether enough looks were taken: the interval's half width is at most `within`, or that part
    of the share of misses where misses are common."""
    if not rate.looks:
        return False
    return rate.half_width <= max(within, relative * rate.others.share)


def worse_by_chance(before: Rate, after: Rate) -> float:
    """How probable it is that `after` is as much lower than `before`, or more, if nothing has
    changed: small means that something has."""
    looks, hits = before.looks + after.looks, before.hits + after.hits
    if not before.looks or not after.looks:
        return 1.0
    ways = math.comb(looks, after.looks)
    least = max(0, hits - before.looks)
    found = sum(
        math.comb(hits, k) * math.comb(looks - hits, after.looks - k)
        for k in range(least, after.hits + 1)
    )
    return found / ways


def _at_most(k: int, n: int, p: float) -> float:
    """Probability of at most k hits in n looks, k < n."""
    if p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    odds = p / (1.0 - p)
    if k < n * p:  # summed away from the middle, terms only fall
        term = found = _exactly(k, n, p)
        for i in range(k, 0, -1):
            term *= i / ((n - i + 1) * odds)
            found += term
            if term < _LITTLE * found:
                break
        return found
    term = above = _exactly(k + 1, n, p)
    for i in range(k + 1, n):
        term *= (n - i) * odds / (i + 1)
        above += term
        if term < _LITTLE * above:
            break
    return 1.0 - above


def _exactly(k: int, n: int, p: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p))


def _crossing(rising: Callable[[float], float], at: float) -> float:
    """Where a curve that rises from 0 to 1 reaches `at`."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= at else (middle, high)
    return (low + high) / 2
