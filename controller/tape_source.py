"""A recorded night in the place of the readers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.taking_up import TableClock
from controller.tape import moved, play, time_of
from drivers.readings import Reading


class TapeSource:
    """A tape played as the readers. speed: 1 as it was; 0 as fast as the table can. Its times are
    moved to the clock's present, and the clock runs with the tape: commits cannot be timed by it
    (`commit_limit_s`)."""

    commit_limit_s = 86_400.0

    def __init__(self, path: Path, clock: TableClock, speed: float = 1.0) -> None:
        self._path, self._clock, self._speed = path, clock, speed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def focus(self, antennas: Sequence[int]) -> None:
        """A tape cannot look elsewhere."""

    def only(self, antenna: int | None) -> None:
        """A tape cannot look elsewhere."""

    async def readings(self) -> AsyncIterator[Reading]:
        """Raises TapeError where the tape cannot be read."""
        begun, real = self._clock(), time.monotonic()
        first: float | None = None
        for n, reading in enumerate(play(self._path)):
            at = time_of(reading)
            if first is None:
                first = at
            if self._speed > 0:
                played = (time.monotonic() - real) * self._speed
                await asyncio.sleep(max(0.0, (at - first - played) / self._speed))
            elif n % 100 == 0:
                await asyncio.sleep(0)
            # The table's clock runs with the tape, or its readings would lie in the future.
            self._clock.offset_s += max(0.0, begun + at - first - self._clock())
            yield moved(reading, begun - first)
