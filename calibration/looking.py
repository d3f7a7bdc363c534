"""One look of one antenna after another, of the table's own readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from drivers.contracts import TagReader
from drivers.errors import DeviceSilentError
from drivers.readings import Health, HealthState, Poll

PATIENCE_S = 15.0


class OneByOne:
    """Looks as `Eyes` of `calibration.antennas_capture`, of an open reader.

    patience_s: how long a lost reader is waited for.
    """

    def __init__(self, reader: TagReader, patience_s: float = PATIENCE_S) -> None:
        self.health: dict[str, Health] = {}
        self._reader = reader
        self._patience_s = patience_s
        self._readings: AsyncIterator[Poll | Health] | None = None

    async def look(self, antenna: int) -> Poll:
        """Raises DeviceSilentError if its reader gives none for too long."""
        self._reader.only(antenna)
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._next(antenna)
        except TimeoutError:
            why = [h.reason for h in self.health.values() if h.state is HealthState.LOST]
            raise DeviceSilentError(
                f"it gave no look for {self._patience_s:.0f} s", f"antenna {antenna}",
                " ".join(why) or "Check its reader: burnturn doctor.",
            ) from None  # fmt: skip

    async def _next(self, antenna: int) -> Poll:
        if self._readings is None:
            self._readings = self._reader.readings()
        async for reading in self._readings:
            if isinstance(reading, Health):
                self.health[reading.device] = reading
            elif reading.antenna == antenna:
                return reading
        raise DeviceSilentError("the readers have ended", f"antenna {antenna}", "Start again.")
