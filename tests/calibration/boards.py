"""A table board's twin on a wire in virtual time, with people at its sensors."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from calibration.button import LayButton
from calibration.ears import Listening
from calibration.lamps import SayBrightness, SayLamp
from calibration.seats import Sit
from calibration.steps import Act
from drivers.factory import BoardTwin, Chairs, Flaws
from drivers.mcu import OnePort, TableBoard
from drivers.sim.pepper_rims import VirtualClock, virtual_connect
from drivers.sim.table_board import Build
from tests.calibration.hands import Hand


class AtBoard:
    """The driver, the twin and its chairs, inside `async with`; `hand` does what is asked."""

    def __init__(
        self,
        build: Build | None = None,
        flaws: Flaws | None = None,
        *,
        likes: float = 0.4,
        **chairs: object,
    ) -> None:
        self.clock = VirtualClock()
        self.twin = BoardTwin(build=build)
        self.chairs = Chairs(self.twin, flaws, **chairs)  # type: ignore[arg-type]
        connect = virtual_connect(self.twin, self.clock, "table board")
        self.board = TableBoard(
            OnePort(connect, "table board"), clock=self.clock, sleep=self.clock.sleep, baud=None
        )
        self.ears = Listening([self.board], self.board, self._analogue, sleep=self._sleep_breathing)
        self.hand = Hand(other=self._does)
        self._likes = likes
        self._open = AsyncExitStack()

    def _analogue(self) -> range:
        analogue = self.twin.build.sensor.name.startswith(("HIGH", "LOW"))
        return range(1, self.twin.build.seats + 1) if analogue else range(0)

    async def __aenter__(self) -> Self:
        self.chairs.sit(None, 0.0)
        self.chairs.lay_button(None, 0.0)
        await self._open.enter_async_context(self.ears)
        await self.clock.sleep(6.0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    async def _sleep_breathing(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds / 0.1))):
            self.chairs.breathe(self.clock())
            await self.clock.sleep(0.1)

    def _does(self, act: Act) -> str | None:
        now = self.clock()
        match act.task:
            case Sit(seat):
                self.chairs.sit(seat, now)
            case LayButton(seat):
                self.chairs.lay_button(seat, now)
            case SayLamp():
                self.twin.tick(now)
                lit = self.chairs.lit(now)
                return "n" if not lit else str(lit[0]) if len(lit) == 1 else "m"
            case SayBrightness(level):
                return "d" if level > self._likes else "b" if level < self._likes else ""
        return None


def at_board(run: Callable[[AtBoard], Awaitable[None]], **world: object) -> None:
    async def go() -> None:
        async with AtBoard(**world) as table:  # type: ignore[arg-type]
            await run(table)

    asyncio.run(go())
