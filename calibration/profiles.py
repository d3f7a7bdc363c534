"""What was measured of each antenna, and where it sits. Pure data; saving and fitting come
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AntennaProfile:
    """One antenna as calibrated.

    antenna: its number at this table (1 and up). reader, port: where its wire goes. neighbours:
    antennas whose cards it may read by mistake (and which may read its cards). miss_rate: share of
    clean polls that do not read a card lying in the middle of the field, 0 to 0.5. cross_rate:
    share of polls that read a given card lying on a neighbour, 0 to 0.2. max_stack: how many cards
    it can tell apart at once; None where no limit was found.
    """

    antenna: int
    reader: int
    port: int
    neighbours: tuple[int, ...] = ()
    miss_rate: float = 0.05
    cross_rate: float = 0.02
    max_stack: int | None = None


def symmetric_neighbours(pairs: tuple[tuple[int, int], ...]) -> Mapping[int, tuple[int, ...]]:
    """Neighbour lists from unordered pairs: each antenna's neighbours in ascending order."""
    found: dict[int, set[int]] = {}
    for a, b in pairs:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {a: tuple(sorted(s)) for a, s in found.items()}
