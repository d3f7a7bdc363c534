"""Bouncing contacts: edges with their times in, changes that held out. The same for every
library, so a switch behaves alike on all of them."""

from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    """A level held long enough. at: when it had, in monotonic seconds."""

    high: bool
    at: float


class Contact:
    """One line. A new level counts once it has held for `hold_s`; shorter ones never were.

    The outcome depends on the edges' times alone, not on when they are handed over or how often
    `settle` is called, as long as `settle` is not asked about a time whose edges are still to come.
    """

    __slots__ = ("_level", "_since", "hold_s", "stable")

    def __init__(self, hold_s: float, high: bool, at: float) -> None:
        self.hold_s = hold_s
        self.stable = high
        self._level = high
        self._since = at

    @property
    def due(self) -> float | None:
        """When `settle` would say something; None while nothing is open."""
        return None if self._level == self.stable else self._since + self.hold_s

    def edge(self, high: bool, at: float) -> Change | None:
        """The line has this level from `at` on. Answers what had settled before that."""
        at = max(at, self._since)
        settled = self.settle(at)
        if high != self._level:
            self._level, self._since = high, at
        return settled

    def settle(self, at: float) -> Change | None:
        """What has settled by `at`."""
        due = self.due
        if due is None or at < due:
            return None
        self.stable = self._level
        return Change(self.stable, due)
