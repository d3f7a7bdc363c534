"""Could any legal dealing explain these polls? The yardstick beside which the table's verdicts
are counted.

Shares no code with sensing or rules. It sees the polls and the true noise of the antennas, and
knows from the simulator which tag is which dealt card (who holds which card is not the question),
never when a card landed.

The likelihood of one card. Let a card land on antenna a at time t, and let every poll be
independent. A poll of a that began after t reads the card with probability 1 − m (m: the
antenna's miss rate), a poll of a neighbour with probability c (the cross-read rate). Before t the
card may fly over a neighbour and be read there with probability f a poll, but over a itself only
to land: a read of a before t is a ghost, of probability g. A poll that t falls into may do either
and is charged as if it did so willingly. Hence

    L(t) = Σ polls of a after t           ln(1 − m) if it read the card, else ln m
         + Σ polls of neighbours after t  ln c      if it read the card, else ln(1 − c)
         + Σ reads of a before t          ln g
         + Σ reads of neighbours before t ln f

which is constant between two poll boundaries; the stretches between them are called cells here,
and the answer is a list with one value a cell. Where more cards lie on an antenna than it can
tell apart, a poll reads a random `max_stack` of them, and 1 − m becomes (1 − m)·max_stack/cards.

The likelihood of a dealing. Cards come one after another: a dealing is an order of slots, and its
likelihood is

    max over t₁ ≤ t₂ ≤ … of Σ Lᵢ(tᵢ),

found in one pass over the slots by keeping, for every cell, the best sum whose last card landed
no later.

Legal explanations. The plan names the antenna of every slot in the order that the rules ask for.
Cards of an antenna fill its slots in the order in which they were dealt. An antenna with fewer
cards than slots holds cards that nobody ever read: such a slot costs ln m for every clean poll of
its antenna after it must have landed, nothing where the antenna was full (a full antenna proves
nothing by silence), and no more than ln(unread), the chance that a card stays unread all through
(a dead tag, a bad lie). It must have landed within `pause_s` of the first read of the street's
last card: nobody waits longer in the middle of a street. An antenna with more cards than slots
read cards that were never there: such a card flew over it once, for `FLIGHT_S`, and was read with
probability f a poll; every other read of it is a cross-read or a ghost. All ways to choose those
slots and cards are tried.

The verdict. A mistake is provable if the best legal explanation is less likely than the dealing
that took place (its own order and cards, its landing times equally free) by a factor below the
budget, 1 in 10,000 a hand by default. A hand that was dealt by the plan has the ratio 1, whatever
was read.

Left out, and therefore counted as provable: the replacement of an exposed card, which a planted
error never resembles.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, product

from drivers.readings import Outcome, Poll, Uid

BUDGET = 1e-4
PAUSE_S = 5.0
FLIGHT_S = 1.2
"""The longest time for which a card in the air, or sliding into the muck, is over one antenna."""

Cells = list[float]


@dataclass(frozen=True, slots=True)
class TrueNoise:
    """What the simulated antennas really do; a table in service never knows it.

    miss: probability that a clean poll does not read a card in its field. cross: that a poll
    reads a given card on a neighbouring antenna. flight: that it reads a card flying over it.
    ghost: that it reads a card that is nowhere near. unread: that a card stays unread as long as
    it lies. max_stack and neighbours by antenna number.
    """

    miss: float
    cross: float
    neighbours: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    max_stack: Mapping[int, int | None] = field(default_factory=dict)
    flight: float = 0.3
    ghost: float = 1e-6
    unread: float = 0.0


@dataclass(frozen=True, slots=True)
class Dealt:
    """One card as the simulator dealt it.

    away: stretches in which it was lifted; polls that touch them say nothing of it. until: when
    it was taken away for good, in monotonic seconds. otherwise: the antenna on which it lay if it
    never came to this one; None if that could be any.
    """

    card: Uid
    antenna: int
    away: tuple[tuple[float, float], ...] = ()
    until: float = math.inf
    otherwise: int | None = None

    def concerns(self, poll: Poll) -> bool:
        """Whether the poll, taken by itself, could tell something of this card."""
        return poll.ended <= self.until and not any(
            poll.started < end and poll.ended > start for start, end in self.away
        )


def provable(
    polls: Iterable[Poll],
    dealt: Sequence[Dealt],
    plan: Sequence[int],
    noise: TrueNoise,
    *,
    since: float,
    until: float,
    held: Mapping[int, int] | None = None,
    pause_s: float = PAUSE_S,
    budget: float = BUDGET,
) -> bool:
    """Whether no legal dealing explains the polls well enough; see `log_ratio`."""
    ratio = log_ratio(
        polls, dealt, plan, noise, since=since, until=until, held=held, pause_s=pause_s
    )
    return ratio < math.log(budget)


def log_ratio(
    polls: Iterable[Poll],
    dealt: Sequence[Dealt],
    plan: Sequence[int],
    noise: TrueNoise,
    *,
    since: float,
    until: float,
    held: Mapping[int, int] | None = None,
    pause_s: float = PAUSE_S,
) -> float:
    """ln of the best legal explanation's likelihood over that of the dealing that took place; at
    most about 0 for a mistake, 0 for a hand dealt by the plan.

    dealt: the cards of the stretch, in the order dealt. plan: antenna numbers in the order that
    the rules ask for; an empty plan asks whether a card can be said to have been on an antenna at
    all. since, until: the stretch of polls that is looked at, monotonic seconds. held: cards that
    lay on an antenna before it. pause_s: the longest pause between two cards of a street.
    """
    return _Hand(polls, dealt, noise, since, until, held or {}, pause_s).log_ratio(plan)


class _Hand:
    """The polls of one stretch, cut into cells, with what they say of every card."""

    def __init__(
        self,
        polls: Iterable[Poll],
        dealt: Sequence[Dealt],
        noise: TrueNoise,
        since: float,
        until: float,
        held: Mapping[int, int],
        pause_s: float,
    ) -> None:
        clean = [
            p
            for p in polls
            if p.started >= since and p.ended <= until and p.outcome is not Outcome.NOISE
        ]
        edges = sorted({p.started for p in clean} | {p.ended for p in clean})
        self._edge = {time: i for i, time in enumerate(edges)}
        self._width = len(edges) + 1
        self._of: dict[int, list[Poll]] = {}
        for p in clean:
            self._of.setdefault(p.antenna, []).append(p)
        self._dealt = dealt
        self._noise = noise
        self._cards = dict(held)
        for d in dealt:
            self._cards[d.antenna] = self._cards.get(d.antenna, 0) + 1
        self._landing = [self._arrival(d) for d in dealt]
        closed = max((self._first_read(d) for d in dealt), default=until) + pause_s
        self._open = 1 + bisect_right(edges, closed)

    def log_ratio(self, plan: Sequence[int]) -> float:
        as_dealt = _best_in_order(self._landing)
        legal = max(self._legal(plan), default=-math.inf)
        return legal - as_dealt

    def _legal(self, plan: Sequence[int]) -> Iterator[float]:
        """The likelihood of every way to read the cards as a dealing by the plan."""
        antennas = sorted(set(plan) | {d.antenna for d in self._dealt})
        choices = [list(self._fillings(a, plan)) for a in antennas]
        for chosen in product(*choices):
            fill: dict[int, Cells] = {}
            never_there = 0.0
            for slots, cost in chosen:
                fill.update(slots)
                never_there += cost
            yield _best_in_order([fill[i] for i in range(len(plan))]) + never_there

    def _fillings(
        self, antenna: int, plan: Sequence[int]
    ) -> Iterator[tuple[dict[int, Cells], float]]:
        """Every way to share out one antenna's cards over its slots: (slot number → likelihood by
        cell, cost of the cards left over)."""
        slots = [i for i, a in enumerate(plan) if a == antenna]
        cards = [i for i, d in enumerate(self._dealt) if d.antenna == antenna]
        if len(cards) <= len(slots):
            unread = self._never_read(antenna)
            for filled in combinations(slots, len(cards)):
                fill = dict.fromkeys(slots, unread)
                fill.update({s: self._landing[c] for s, c in zip(filled, cards, strict=True)})
                yield fill, 0.0
        else:
            for kept in combinations(cards, len(slots)):
                surplus = sum(self._never_there(self._dealt[c]) for c in cards if c not in kept)
                yield {s: self._landing[c] for s, c in zip(slots, kept, strict=True)}, surplus

    def _arrival(self, d: Dealt) -> Cells:
        """L(t) of one card, a value for every cell."""
        steps = [0.0] * (self._width + 1)
        ghost, flight = math.log(self._noise.ghost), math.log(self._flight())
        miss = self._miss(d.antenna)
        self._charge(steps, d, d.antenna, math.log(1 - miss), math.log(miss), ghost)
        cross = self._cross()
        for n in self._noise.neighbours.get(d.antenna, ()):
            self._charge(steps, d, n, math.log(cross), math.log(1 - cross), flight)
        values = list(accumulate(steps[: self._width]))
        if self._noise.unread:
            floor = math.log(self._noise.unread)
            values = [max(v, floor) for v in values]
        return values

    def _charge(
        self, steps: Cells, d: Dealt, antenna: int, read: float, unread: float, early: float
    ) -> None:
        """Add an antenna's polls as steps: landed before the poll, within it, after it."""
        for p in self._of.get(antenna, ()):
            if not d.concerns(p):
                continue
            seen = d.card in p.uids
            before = read if seen else unread
            within = read if seen else 0.0
            after = early if seen else 0.0
            steps[0] += before
            steps[self._edge[p.started] + 1] += within - before
            steps[self._edge[p.ended] + 1] += after - within

    def _first_read(self, d: Dealt) -> float:
        own = self._of.get(d.antenna, ())
        return next((p.ended for p in own if d.card in p.uids), -math.inf)

    def _never_read(self, antenna: int) -> Cells:
        """The likelihood, by cell, of a card landing there that no poll ever named."""
        limit = self._noise.max_stack.get(antenna)
        if limit is not None and self._cards.get(antenna, 0) >= limit:
            return self._in_time([0.0] * self._width)
        missed = math.log(self._miss(antenna))
        company = [d for d in self._dealt if d.antenna == antenna]
        steps = [0.0] * (self._width + 1)
        for p in self._of.get(antenna, ()):
            if all(d.concerns(p) for d in company):
                steps[0] += missed
                steps[self._edge[p.started] + 1] -= missed
        floor = math.log(self._noise.unread) if self._noise.unread else -math.inf
        return self._in_time([max(v, floor) for v in accumulate(steps[: self._width])])

    def _in_time(self, values: Cells) -> Cells:
        """Nothing lands after the street was closed."""
        return values[: self._open] + [-math.inf] * (len(values) - self._open)

    def _never_there(self, d: Dealt) -> float:
        """The likelihood that the card was only read there in flight, across or as a ghost."""
        beside = (None, *self._noise.neighbours.get(d.antenna, ()))
        rate = self._cross() if d.otherwise in beside else self._noise.ghost
        polls = [p for p in self._of.get(d.antenna, ()) if d.concerns(p)]
        lying = [math.log(rate if d.card in p.uids else 1 - rate) for p in polls]
        flight = self._flight()
        flying = [math.log(flight if d.card in p.uids else 1 - flight) for p in polls]
        best = whole = sum(lying)
        for i, first in enumerate(polls):
            if d.card not in first.uids:
                continue
            gain = 0.0
            for p, here, over in zip(polls[i:], lying[i:], flying[i:], strict=True):
                if p.started > first.started + FLIGHT_S:
                    break
                gain += over - here
                best = max(best, whole + gain)
        return best

    def _flight(self) -> float:
        return max(self._noise.flight, self._noise.ghost)

    def _miss(self, antenna: int) -> float:
        limit = self._noise.max_stack.get(antenna)
        cards = self._cards.get(antenna, 0)
        reads = 1 - self._noise.miss
        if limit is not None and cards > limit:
            reads *= limit / cards
        return min(max(1 - reads, 1e-6), 1 - 1e-6)

    def _cross(self) -> float:
        return max(self._noise.cross, self._noise.ghost)


def _best_in_order(landing: Sequence[Cells]) -> float:
    """The greatest sum of one value a slot with cells that never go back."""
    if not landing:
        return 0.0
    best = [0.0] * len(landing[0])
    for values in landing:
        best = list(accumulate((b + v for b, v in zip(best, values, strict=True)), max))
    return best[-1]
