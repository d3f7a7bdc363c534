"""Whether a sense errs more than it should: a sequential test with a stated budget of false words.
Pure.

Each portion of tries (`counts`) is one bet against "no more than `allowed` of the tries go wrong,
however they hang together": with x the share that went wrong, capital is multiplied by
1 + b(x - allowed), which gains nothing on average while that holds (Waudby-Smith and Ramdas,
Estimating means of bounded random variables by betting, 2024). A new capital of one is put in with
every portion, so that a change is found however long all was well (Shiryaev 1963, Roberts 1966; as
e-values: Shin, Ramdas, Rinaldo, E-detectors, 2024). While all is well the capital is at most the
number of portions on average, and so, by Doob's inequality, reaches A within N portions with
probability N/A at most. Three bets share the capital, for small changes and large ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controller.rates.counts import Error, Portion

NOTHING = Portion(0, 0)

FALSE_PER_NIGHT = 1e-4
"""False words about any sense of a table that a house bears a night: one in thirty years."""
SENSES = 100
"""Tests of one table at most; 16 antennas have 64 of them."""
PORTIONS_PER_NIGHT = 300
CAPITAL = SENSES * PORTIONS_PER_NIGHT / FALSE_PER_NIGHT
"""At which a drift is told."""
RECOVERED = 1e5
"""The same of a bet that all is well again: it is told wrongly in one of 300 nights at most."""

_SHARES = (0.08, 0.25, 0.7)
"""Of the largest bet that may not lose everything."""
_LEAST_TRIED = {
    Error.MISS: 20,
    Error.CROSS: 100,
    Error.NOISE: 200,
    Error.GHOST: 200,
    Error.UNCLEAR: 50,
    Error.UNREAD: 20,
    Error.UNSURE: 50,
    Error.UNDECIDED: 4,
}
"""Hands are put together until a portion has so many tries: a share of few says little."""


def allowed(error: Error, reference: float) -> float:
    """How much may go wrong before it is called a drift: half as much again as measured, and at
    least a step that matters."""
    step = {Error.CROSS: 0.01, Error.GHOST: 0.005, Error.NOISE: 0.01, Error.UNDECIDED: 0.05}
    return min(0.9, reference + max(reference / 2, step.get(error, 0.02)))


@dataclass(frozen=True, slots=True)
class Drift:
    """The test of one sense. reference: the rate that it should have. capital: of each bet.
    pending: tries that make no whole portion yet. told: a drift has been told; since then
    `recovery` is the capital of the bet that it is over."""

    error: Error
    reference: float
    capital: tuple[float, ...] = field(default=(0.0,) * len(_SHARES))
    pending: Portion = NOTHING
    told: bool = False
    recovery: float = 0.0

    @property
    def allowed(self) -> float:
        return allowed(self.error, self.reference)

    def hand(self, portion: Portion) -> Drift:
        """With what one hand brought."""
        pending = Portion(self.pending.tried + portion.tried, self.pending.wrong + portion.wrong)
        if pending.tried < _LEAST_TRIED[self.error]:
            return replace(self, pending=pending)
        after = replace(self, pending=NOTHING)
        over = min(1.0, pending.wrong / pending.tried) - self.allowed
        return after._recovering(over) if self.told else after._watching(over)

    def _watching(self, over: float) -> Drift:
        capital = tuple(
            (before + 1.0) * (1.0 + share / self.allowed * over)
            for before, share in zip(self.capital, _SHARES, strict=True)
        )
        if sum(capital) / len(capital) < CAPITAL:
            return replace(self, capital=capital)
        return replace(self, capital=(0.0,) * len(_SHARES), told=True, recovery=0.0)

    def _recovering(self, over: float) -> Drift:
        recovery = (self.recovery + 1.0) * (1.0 - 0.5 / (1.0 - self.allowed) * over)
        if recovery < RECOVERED:
            return replace(self, recovery=recovery)
        return replace(self, told=False, recovery=0.0)
