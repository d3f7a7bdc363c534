"""What hangs on the table board keeps the contracts of every `LedBoard` and `SeatLamps`: on the
twin, on the firmware as a Linux process, and on a simulated ATmega2560."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import pytest

from drivers.contracts import LampPattern, LedBoard, SeatLamp, SeatLamps
from drivers.factory import BoardKind, BoardProcess, table_board
from drivers.mcu import BoardPixels, TableBoard
from drivers.readings import Health, HealthState
from drivers.sim.firmware_build import avr_missing
from drivers.sim.pepper_rims import PtyRim, ServedByLoop
from drivers.sim.table_board import BoardTwin
from tablelink.messages import Settings
from tests.drivers.contract_boards import Eyes, LampEyes, LedBoardContract, SeatLampsContract

LONG_ENOUGH_S = 20.0
ROUND_S = 2.0
"""Every pattern has come round by then."""
GLANCE_S = 0.1
NOBODY_S = 2.0
"""The board knows after 1.5 s that nobody speaks to it."""

FULL_LIGHT = Settings(lamp_brightness=255)

T = TypeVar("T")


class FarEnd(Protocol):
    """The board itself, as somebody sees it who stands before it."""

    @property
    def port(self) -> str: ...

    async def pixels(self) -> bytes:
        """Eight rows of 32 lamps, a bit each; all dark while it says that nobody speaks to it."""
        ...

    async def lamps(self, round_s: float) -> dict[int, SeatLamp]:
        """Those that were lit within that time."""
        ...

    async def cut(self, cut: bool) -> None: ...


class Twin:
    """`BoardTwin` on a pseudo-terminal."""

    def __init__(self) -> None:
        self._board = BoardTwin(now=time.monotonic())
        self._rim = PtyRim(self._board)
        self._served = ServedByLoop((self._rim,))

    async def __aenter__(self) -> Self:
        await self._served.__aenter__()
        return self

    async def __aexit__(self, *ends: Any) -> None:
        await self._served.__aexit__(*ends)

    @property
    def port(self) -> str:
        return self._rim.address

    async def pixels(self) -> bytes:
        return self._board.pixels(time.monotonic()) or bytes(32)

    async def lamps(self, round_s: float) -> dict[int, SeatLamp]:
        lamps = enumerate(self._board.lamps(time.monotonic()), start=1)
        patterns = list(LampPattern)
        return {
            seat: SeatLamp(lamp.red, lamp.green, lamp.blue, patterns[lamp.pattern])
            for seat, lamp in lamps
            if lamp.red or lamp.green or lamp.blue
        }

    async def cut(self, cut: bool) -> None:
        (self._served.unplug if cut else self._served.plug)(self._rim)


class Firmware:
    """The C program. How a lamp blinks is seen by looking at it again and again."""

    def __init__(self, kind: BoardKind) -> None:
        self._board = BoardProcess(kind)

    async def __aenter__(self) -> Self:
        await self._board.__aenter__()
        return self

    async def __aexit__(self, *ends: Any) -> None:
        await self._board.__aexit__(*ends)

    @property
    def port(self) -> str:
        return self._board.port

    async def pixels(self) -> bytes:
        picture = await self._board.picture()
        return bytes(32) if picture is None else picture.rows

    async def lamps(self, round_s: float) -> dict[int, SeatLamp]:
        colours: dict[int, tuple[int, int, int]] = {}
        lit: dict[int, list[bool]] = defaultdict(list)
        began_us = now_us = await self._board.time_us()
        while now_us - began_us < round_s * 1e6:
            for seat, colour in enumerate(await self._board.lamps(), start=1):
                lit[seat].append(any(colour))
                colours[seat] = max(colour, colours.get(seat, (0, 0, 0)))
            await asyncio.sleep(0.008)
            now_us = await self._board.time_us()
        return {
            seat: SeatLamp(*colour, pattern_of(lit[seat]))
            for seat, colour in colours.items()
            if any(colour)
        }

    async def cut(self, cut: bool) -> None:
        await self._board.cut_line(cut)


def pattern_of(lit: Sequence[bool]) -> LampPattern:
    """What somebody calls it who saw a lamp through one round of all patterns."""
    flashes = sum(now and not before for before, now in zip(lit, [*lit[1:], lit[0]], strict=True))
    much = sum(lit) * 2 > len(lit)
    named = {
        0: LampPattern.STEADY,
        1: LampPattern.GAP if much else LampPattern.WINK,
        2: LampPattern.SLOW,
        4: LampPattern.DOUBLE,
        8: LampPattern.FAST,
    }
    return named.get(flashes, LampPattern.STEADY)


class Whole:
    """The board's driver and one thing that hangs on it: opened together, once it is known whether
    the board is there. far: the board, whose cable may have been pulled before."""

    def __init__(self, board: TableBoard, far: FarEnd) -> None:
        self._board, self._far = board, far
        self._cable: list[Coroutine[Any, Any, None]] = []
        self._there, self._opened = True, False

    async def __aenter__(self) -> Self:
        await self._pulled()
        await self._board.__aenter__()
        await self._until(lambda health: bool(health))
        self._opened = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened = False
        await self._board.__aexit__(kind, error, trace)

    @property
    def health(self) -> tuple[Health, ...]:
        return self._board.health

    # -- the hand at the cable

    def unplug(self) -> None:
        self._cable.append(self._far.cut(True))
        self._there = False

    def plug(self) -> None:
        self._cable.append(self._far.cut(False))
        self._there = True

    async def retry(self) -> None:
        """Until the driver knows how it is; closed, until the board knows that nobody speaks."""
        await self._pulled()
        if not self._opened:
            await asyncio.sleep(NOBODY_S)
            return
        wanted = HealthState.OK if self._there else HealthState.LOST
        await self._until(lambda health: {h.state for h in health} == {wanted})
        if not self._there:
            await asyncio.sleep(NOBODY_S)

    async def _until(self, done: Callable[[tuple[Health, ...]], bool]) -> None:
        """Takes its readings until its health is so."""
        readings = self._board.readings()
        while not done(self._board.health):
            await anext(readings)

    async def _pulled(self) -> None:
        cable, self._cable = self._cable, []
        for deed in cable:
            await deed


async def until(look: Callable[[], Awaitable[T]], expected: T | None) -> T:
    """Looks until it is as expected, or for long enough; None: once."""
    ends = time.monotonic() + LONG_ENOUGH_S
    while True:
        seen = await look()
        if expected in (None, seen) or time.monotonic() > ends:
            return seen
        await asyncio.sleep(0.02)


class Pixels(Whole):
    """Its LED board, as a board of its own and as somebody sees it."""

    width, height = BoardPixels.width, BoardPixels.height

    async def show(self, pixels: bytes) -> None:
        await self._board.pixels.show(pixels)

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        async def look() -> list[bool]:
            bits = int.from_bytes(await self._far.pixels(), "big")
            return [bool(bits >> (255 - n) & 1) for n in range(256)]

        return await until(look, list(expected) or None)


class Lamps(Whole):
    """Its lamps at the seats, likewise."""

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        await self._board.lamps.light(lamps)

    async def colours(self, expected: Mapping[int, SeatLamp] | None = None) -> dict[int, SeatLamp]:
        patterns = {lamp.pattern for lamp in (expected or {}).values()}
        round_s = GLANCE_S if patterns <= {LampPattern.STEADY} else ROUND_S

        async def look() -> dict[int, SeatLamp]:
            return await self._far.lamps(round_s)

        return await until(look, None if expected is None else dict(expected))


def far_end(kind: BoardKind | None) -> Twin | Firmware:
    return Twin() if kind is None else Firmware(kind)


class OnTableBoard(LedBoardContract):
    """kind: what the firmware runs on; None: the twin."""

    part = True
    kind: BoardKind | None = None

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        async with far_end(self.kind) as far:
            pixels = Pixels(table_board(far.port, settings=FULL_LIGHT), far)
            yield pixels, pixels


class LampsOnTableBoard(SeatLampsContract):
    kind: BoardKind | None = None

    @asynccontextmanager
    async def row(self) -> AsyncIterator[tuple[SeatLamps, LampEyes]]:
        async with far_end(self.kind) as far:
            lamps = Lamps(table_board(far.port, settings=FULL_LIGHT), far)
            yield lamps, lamps


with_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
with_avr = pytest.mark.skipif(avr_missing() is not None, reason=avr_missing() or "")


class TestTwinsBoard(OnTableBoard):
    pass


class TestTwinsLamps(LampsOnTableBoard):
    pass


@with_cc
class TestFirmwaresBoardAsAProcess(OnTableBoard):
    kind = BoardKind.LINUX


@with_cc
class TestFirmwaresLampsAsAProcess(LampsOnTableBoard):
    kind = BoardKind.LINUX


@with_avr
class TestFirmwaresBoardOnASimulatedMega(OnTableBoard):
    kind = BoardKind.AVR


@with_avr
class TestFirmwaresLampsOnASimulatedMega(LampsOnTableBoard):
    kind = BoardKind.AVR
