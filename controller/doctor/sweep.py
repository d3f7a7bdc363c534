"""A few seconds of reading: who answers, how cleanly, and how long a round of the antennas takes.

It only listens: no card is looked up and none is kept.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from controller.model.table import Layout
from controller.sources import Source
from drivers.readings import Health, Outcome, Poll

SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class AntennaSwept:
    """noisy: looks without a clean answer."""

    number: int
    zone: str
    looks: int
    noisy: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """health: the latest word of every device. round_s: the median time from one look of an antenna
    to its next; None if none was read twice."""

    antennas: tuple[AntennaSwept, ...]
    health: tuple[Health, ...]
    round_s: float | None


class Swept:
    """Readings, summed up."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._ended: dict[int, list[float]] = defaultdict(list)
        self._noise: dict[int, int] = defaultdict(int)
        self._health: dict[str, Health] = {}

    def take(self, reading: object) -> None:
        if isinstance(reading, Poll):
            self._ended[reading.antenna].append(reading.ended)
            self._noise[reading.antenna] += reading.outcome is Outcome.NOISE
        elif isinstance(reading, Health):
            self._health[reading.device] = reading

    @property
    def sweep(self) -> Sweep:
        antennas = tuple(
            AntennaSwept(
                a.antenna, str(a.zone), len(self._ended[a.antenna]), self._noise[a.antenna]
            )
            for a in self._layout.antennas
        )
        rounds = [
            later - earlier for ended in self._ended.values() for earlier, later in pairwise(ended)
        ]
        health = tuple(sorted(self._health.values(), key=lambda h: h.device))
        return Sweep(antennas, health, median(rounds) if rounds else None)


async def listen(source: Source, layout: Layout, seconds: float = SECONDS) -> Sweep:
    """Open the readers, listen to them, close them again."""
    swept = Swept(layout)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), source:
            async for reading in source.readings():
                swept.take(reading)
    return swept.sweep
