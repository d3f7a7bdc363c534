"""The person who calibrates a simulated table: does what is asked, and says what an eye would
see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from calibration.antennas_capture import Clear, Lay
from calibration.button import LayButton
from calibration.lamps import SayBrightness, SayLamp
from calibration.seats import Sit
from calibration.steps import Act, News, Person, Remark
from controller.calibrating.hardware import SimulatedTable
from drivers.contracts import Clock, Sleep

LIKES = 0.4
"""The brightness that suits the simulated room."""
_BLINK_S = 0.25  # until a lamp that was told to be lit is lit


class RobotPerson:
    """Carries out what is asked; whoever watches is told, and judges.

    watcher: sees every act and its answer. beat_s: between two acts. otherwise: does what is asked
    beyond the sensors of the table (a camera's sheets); gives the answer, None for the usual one.
    """

    def __init__(
        self,
        table: SimulatedTable,
        watcher: Watcher,
        clock: Clock,
        sleep: Sleep,
        *,
        beat_s: float = 0.3,
        likes: float = LIKES,
        otherwise: Callable[[Act], Awaitable[str | None]] | None = None,
    ) -> None:
        self._table = table
        self._watcher = watcher
        self._clock = clock
        self._sleep = sleep
        self._beat_s = beat_s
        self._likes = likes
        self._otherwise = otherwise

    async def does(self, act: Act) -> str:
        self._watcher.asked(act)
        await self._sleep(self._beat_s)
        said = await self._do(act)
        answer = next(iter(act.answers)) if said is None else said
        self._watcher.answered(act, answer)
        return answer

    def hears(self, news: News) -> None:
        self._watcher.hears(news)

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        return await self._watcher.judges(kind, remarks, page)

    async def _do(self, act: Act) -> str | None:
        table, now = self._table, self._clock()
        match act.task:
            case Lay(antenna, spot, cards):
                table.table.lay(antenna, spot, cards)
            case Clear():
                table.table.clear()
            case Sit(seat):
                table.chairs.sit(seat, now)
            case LayButton(seat):
                table.chairs.lay_button(seat, now)
            case SayLamp():
                await self._sleep(_BLINK_S)
                lit = table.chairs.lit(self._clock())
                return "n" if not lit else str(lit[0]) if len(lit) == 1 else "m"
            case SayBrightness(level):
                return "d" if level > self._likes else "b" if level < self._likes else ""
            case _ if self._otherwise is not None:
                return await self._otherwise(act)
        return None


class Watcher(Person, Protocol):
    """Somebody at the terminal who only watches, and judges."""

    def asked(self, act: Act) -> None: ...

    def answered(self, act: Act, answer: str) -> None: ...
