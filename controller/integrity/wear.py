"""How well each tag is read, over nights, and which tag is wearing out.

Counted are looks at places where a tag lay settled and not more cards than the antenna can tell
apart (`Sensing.looked`); each look read it or not. Nights differ by more than chance (how the cards
lay, how warm the antenna was), so a night's reads are taken as beta-binomial: the night's own rate
varies about the tag's with a spread that is estimated from the deck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from drivers.readings import Uid

NIGHTS_KEPT: Final = 60
RECENT_NIGHTS: Final = 7
FEWEST_LOOKS: Final = 200
"""Fewer recent looks than this say nothing about a tag."""
USUAL_RATE: Final = 0.95
_PRIOR_LOOKS = 40.0
_USUAL_SPREAD = 0.02  # where a single night is known
_LEAST_SPREAD = 1e-4
_MOST_SPREAD = 0.2


@dataclass(frozen=True, slots=True)
class NightLooks:
    """One tag in one night. Raises ValueError if more was read than looked."""

    looks: int
    reads: int

    def __post_init__(self) -> None:
        if not 0 <= self.reads <= self.looks:
            raise ValueError(f"{self.reads} reads in {self.looks} looks: allowed 0 to all of them")


@dataclass(frozen=True, slots=True)
class WeakTag:
    """A tag that is read worse than its deck by more than chance. It names no card.

    row: the tag's place in the order of its UIDs, for whoever holds the deck's map (`Wear.uid`).
    rate: read per look, lately. deck_rate: the deck's. chance: how likely so few reads are for a
    tag as good as the deck's.
    """

    row: int
    rate: float
    deck_rate: float
    chance: float


@dataclass(frozen=True, slots=True, repr=False)
class Wear:
    """The record of a deck's tags: nights by tag, oldest first. A value: `night` gives the next
    one."""

    nights: Mapping[Uid, tuple[NightLooks, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<wear of {len(self.nights)} tags>"

    def night(self, looked: Mapping[Uid, NightLooks]) -> Wear:
        """The record with one more night. A tag without looks in it keeps what it has."""
        grown = {uid: self.nights.get(uid, ()) for uid in [*self.nights, *looked]}
        for uid, looks in looked.items():
            if looks.looks:
                grown[Uid(uid)] = (*grown[uid], looks)[-NIGHTS_KEPT:]
        return Wear(grown)

    def uid(self, weak: WeakTag) -> Uid:
        return sorted(self.nights)[weak.row]

    def read_rate(self, uid: Uid) -> float:
        """Reads per look of a tag, lately; drawn towards the deck's while little is known."""
        looks, reads = _sums(self.nights.get(uid, ())[-RECENT_NIGHTS:])
        return (reads + _PRIOR_LOOKS * self.deck_rate) / (looks + _PRIOR_LOOKS)

    @property
    def deck_rate(self) -> float:
        """Reads per look of the deck's middle tag, lately."""
        rates = [
            reads / looks
            for looks, reads in (_sums(n[-RECENT_NIGHTS:]) for n in self.nights.values())
            if looks >= FEWEST_LOOKS
        ]
        return float(np.median(rates)) if rates else USUAL_RATE

    def weak(self, error: float = 0.001) -> tuple[WeakTag, ...]:
        """Tags that are read worse than their deck, weakest first.

        error: how likely it may be that a deck of equally good tags has any tag named (shared out
        over the tags by Bonferroni).
        """
        mean, spread = self.deck_rate, self._spread()
        found = []
        for row, uid in enumerate(sorted(self.nights)):
            recent = self.nights[uid][-RECENT_NIGHTS:]
            looks, reads = _sums(recent)
            if looks < FEWEST_LOOKS or reads >= looks * mean:
                continue
            chance = _at_most(reads, looks, mean, _joint_spread(recent, spread))
            if chance <= error / len(self.nights):
                found.append(WeakTag(row, reads / looks, mean, chance))
        return tuple(sorted(found, key=lambda w: w.rate))

    def _spread(self) -> float:
        """How much a night's rate varies beyond chance, 0 to 1: the correlation of two looks of one
        night. By moments about each tag's own rate, so that a weak tag does not hide itself."""
        over: list[tuple[float, float]] = []
        for nights in self.nights.values():
            recent = nights[-NIGHTS_KEPT:]
            looks, reads = _sums(recent)
            if len(recent) < 2 or not 0 < reads < looks:
                continue
            rate = reads / looks
            unit = rate * (1 - rate)
            chi = sum((n.reads - n.looks * rate) ** 2 / (n.looks * unit) for n in recent)
            free = len(recent) - 1
            per_night = chi / free / (1 - 2 / (9 * free)) ** 3  # so that chance's middle is 1
            mean_looks = looks / len(recent)
            if mean_looks > 1:
                error = per_night * math.sqrt(2 / free)
                over.append(((per_night - 1) / (mean_looks - 1), error / (mean_looks - 1)))
        if not over:
            return _USUAL_SPREAD
        # The middle tag, as one that is dying varies more than all others; and two standard errors
        # on the safe side (a median's is a quarter larger than a mean's).
        middle, error = np.median(over, axis=0)
        safe = middle + 2 * 1.25 * error / math.sqrt(len(over))
        return float(np.clip(safe, _LEAST_SPREAD, _MOST_SPREAD))


def shown_share(read_rate: float, *, looks: int = 8, needed: int = 3) -> float:
    """The chance that a card which is dealt is seen in its hand, from its tag's reads per look.

    looks: how often it is looked at where it can be told apart, on the low side (a seat folded
    early). needed: reads that settle it. Looks are taken as independent.
    """
    if not 0 <= read_rate <= 1:
        raise ValueError(f"read rate {read_rate}: allowed 0 to 1")
    fewer = sum(
        math.comb(looks, k) * read_rate**k * (1 - read_rate) ** (looks - k) for k in range(needed)
    )
    return min(1.0, max(1e-6, 1.0 - fewer))


def _sums(nights: tuple[NightLooks, ...]) -> tuple[int, int]:
    return sum(n.looks for n in nights), sum(n.reads for n in nights)


def _joint_spread(nights: tuple[NightLooks, ...], spread: float) -> float:
    """The spread that gives the nights' sum its variance: looks of different nights are
    independent."""
    looks = sum(n.looks for n in nights)
    pairs = sum(n.looks * (n.looks - 1) for n in nights)
    return spread * pairs / (looks * (looks - 1)) if looks > 1 else spread


def _at_most(reads: int, looks: int, mean: float, spread: float) -> float:
    """The chance of at most so many reads, beta-binomial with that mean and spread."""
    mean = min(max(mean, 1e-6), 1 - 1e-6)
    total = 1 / spread - 1
    a, b = mean * total, (1 - mean) * total
    k = np.arange(reads)
    steps = np.log((looks - k) * (k + a)) - np.log((k + 1) * (looks - k - 1 + b))
    first = (
        math.lgamma(b + looks) - math.lgamma(b) + math.lgamma(a + b) - math.lgamma(a + b + looks)
    )
    logs = first + np.concatenate(([0.0], np.cumsum(steps)))
    top = float(logs.max())
    return min(1.0, math.exp(top) * float(np.exp(logs - top).sum()))
