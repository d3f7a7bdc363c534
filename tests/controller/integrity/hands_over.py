"""Hands that are over, for the tests of the running test."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from controller.integrity.watched import HandOver, Stand
from drivers.readings import Uid


def over(
    deck: str | None,
    seen: Collection[Uid],
    at: float,
    *,
    dealt: int = 26,
    hand: int | None = None,
    counted_at: float | None = None,
    looks: Mapping[Uid, tuple[int, int]] | None = None,
) -> HandOver:
    """A hand of nine players that ended at `at`; its number is that second, if none is given."""
    stand = Stand(deck, int(at) if hand is None else hand, at, counted_at)
    return HandOver(stand, frozenset(seen), dealt, 9, looks=looks or {})
