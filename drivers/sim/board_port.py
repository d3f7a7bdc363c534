"""A table board's twin on a pseudo-terminal, in real time."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from drivers.contracts import Clock
from drivers.sim.pepper_rims import PtyRim, ServedByLoop
from drivers.sim.table_board import BoardTwin


class BoardPort:
    """Serves the twin inside `async with`; `port` is what a driver opens."""

    def __init__(self, twin: BoardTwin, clock: Clock = time.monotonic) -> None:
        self.twin = twin
        self._rim = PtyRim(twin)
        self._served = ServedByLoop((self._rim,), clock)

    @property
    def port(self) -> str:
        return self._rim.address

    async def __aenter__(self) -> Self:
        await self._served.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._served.__aexit__(kind, error, trace)
