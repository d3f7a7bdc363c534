"""Could one card explain where a tag was read? The yardstick for copied tags.

Shares no code with sensing or rules. It knows the true noise of the antennas, and where the cards
of that tag really lay; a table in service knows neither.

One card is at one place at a time. It may start anywhere, be taken up whenever it likes, and land
again wherever it likes, if only for a moment, but it takes `TRAVEL_S` from one place to the next;
a silence costs it nothing meanwhile, and a read is a ghost. Its best course is found poll by poll,
from the best score of each place and of the air. Against it stands what really happened: each poll
reads a copy that lies there with probability 1 − m, one that lies next to it with probability c,
and any other as a ghost. Polls about the time at which a copy moved are left out of both.

A copied tag is provable if the best course of one card is less likely than the truth by a factor
below the budget. On a table without noise two reads in one sweep would do; one that lies where
nobody reads it is never provable.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from controller.simulate.provable import BUDGET, TrueNoise
from drivers.readings import Outcome, Poll, Uid

TRAVEL_S = 0.5
MOVING_S = 1.2
"""A copy may be read in the air for so long before it lies, and after."""


@dataclass(frozen=True, slots=True)
class CopyLay:
    """One of the cards lay at an antenna, from `since` to `until`; monotonic seconds."""

    antenna: int
    since: float
    until: float = math.inf

    def moves_at(self, poll: Poll) -> bool:
        starts = self.since - MOVING_S < poll.ended and poll.started < self.since + 0.1
        ends = self.until - 0.1 < poll.ended and poll.started < self.until + MOVING_S
        return starts or ends


def copies_provable(
    polls: Iterable[Poll],
    tag: Uid,
    lay: Sequence[CopyLay],
    noise: TrueNoise,
    cards_at: Callable[[int, float], int] = lambda antenna, at: 1,
    budget: float = BUDGET,
) -> bool:
    """Whether no single card explains these polls well enough. cards_at: how many cards lie on an
    antenna at a time, where it can tell only so many apart.
    """
    heard = [
        p for p in polls if p.outcome is not Outcome.NOISE and not any(c.moves_at(p) for c in lay)
    ]
    odds = _Odds(tag, noise, cards_at)
    truth = sum(
        odds.lying([c.antenna for c in lay if c.since <= p.started < c.until], p) for p in heard
    )
    return _one_card(heard, odds) - truth < math.log(budget)


class _Odds:
    def __init__(self, tag: Uid, noise: TrueNoise, cards_at: Callable[[int, float], int]) -> None:
        self.tag = tag
        self._noise = noise
        self._cards_at = cards_at

    def lying(self, places: Sequence[int], poll: Poll) -> float:
        """ln of the chance of what this poll said of the tag, with cards of it at these places."""
        unread = 1.0
        for place in places:
            unread *= 1.0 - self._read(place, poll)
        unread = min(max(unread, self._noise.ghost), 1.0 - self._noise.ghost)
        return math.log(1.0 - unread if self.tag in poll.uids else unread)

    def in_the_air(self, poll: Poll) -> float:
        return math.log(self._noise.ghost) if self.tag in poll.uids else 0.0

    def _read(self, place: int, poll: Poll) -> float:
        noise = self._noise
        if place == poll.antenna:
            limit = noise.max_stack.get(place)
            cards = max(self._cards_at(place, poll.started), 1)
            return (1.0 - noise.miss) * (1.0 if limit is None else min(1.0, limit / cards))
        return noise.cross if poll.antenna in noise.neighbours.get(place, ()) else 0.0


def _one_card(polls: Sequence[Poll], odds: _Odds) -> float:
    """ln of the likelihood of the best course that one card can have taken."""
    best = {p.antenna: 0.0 for p in polls if odds.tag in p.uids}
    air, landed_from = 0.0, 0.0  # in the air all the time; best score of a card ready to land
    left: deque[tuple[float, float]] = deque()
    for p in polls:
        while left and left[0][0] <= p.started - TRAVEL_S:
            landed_from = max(landed_from, left.popleft()[1])
        for place, score in best.items():
            best[place] = max(score, landed_from + air) + odds.lying((place,), p)
        air += odds.in_the_air(p)
        left.append((p.ended, max(best.values(), default=-math.inf) - air))
    return max([*best.values(), landed_from + air, *(score + air for _, score in left)])
