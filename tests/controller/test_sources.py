"""Readers and inputs as one source."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from controller.app import readers_of
from controller.config import read, sample_text
from controller.sources import Together, in_order
from controller.taking_up import TableClock
from controller.tape import time_of
from drivers.readings import (
    AreaSight,
    ButtonReading,
    Health,
    KeyPress,
    Outcome,
    Poll,
    Reading,
    SeatReading,
    Sight,
)

InputReading = ButtonReading | SeatReading | KeyPress | Health


class Opened:
    """Remembers in which order things are opened and closed."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    async def __aenter__(self) -> Self:
        self.log.append(f"open {self.name}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.log.append(f"close {self.name}")


class Looks(Opened):
    """Readers that look at one antenna after another, when they are asked to."""

    def __init__(self, log: list[str], count: int = 10_000) -> None:
        super().__init__("readers", log)
        self.count = count
        self.asked = 0
        self.antenna = 1

    def focus(self, antennas: Sequence[int]) -> None:
        self.antenna = antennas[0]

    def only(self, antenna: int | None) -> None:
        self.log.append(f"only {antenna}")

    async def readings(self) -> AsyncIterator[Reading]:
        while self.asked < self.count:
            self.asked += 1
            await asyncio.sleep(0)
            at = float(self.asked)
            yield Poll(self.antenna, (), Outcome.EMPTY, at - 1, at)


class Keys(Opened):
    """A device whose keys a test presses."""

    def __init__(self, log: list[str]) -> None:
        super().__init__("keys", log)
        self.pressed: asyncio.Queue[InputReading] = asyncio.Queue()
        self.health: tuple[Health, ...] = ()

    async def readings(self) -> AsyncIterator[InputReading]:
        while True:
            yield await self.pressed.get()


def run(body: object) -> None:
    async def main() -> None:
        async with asyncio.timeout(30):
            await body()  # type: ignore[operator]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_both_are_told_and_ask_is_passed_on() -> None:
    async def body() -> None:
        log: list[str] = []
        looks, keys = Looks(log), Keys(log)
        async with Together(looks, (keys,)) as source:
            source.only(4)
            readings = source.readings()
            assert isinstance(await anext(readings), Poll)
            keys.pressed.put_nowait(KeyPress("count", 1.0))
            told = [await anext(readings) for _ in range(3)]
            assert [r.key for r in told if isinstance(r, KeyPress)] == ["count"]
            assert sum(isinstance(r, Poll) for r in told) == 2
            await readings.aclose()  # type: ignore[attr-defined]
        # A simulated table stands before anything that hangs on it is looked for.
        assert log == ["open readers", "open keys", "only 4", "close keys", "close readers"]

    run(body)


def test_no_look_is_taken_ahead_so_that_what_is_asked_holds_from_the_next_one() -> None:
    async def body() -> None:
        looks = Looks([])
        readings = Together(looks, (Keys([]),)).readings()
        for taken in range(1, 5):
            poll = await anext(readings)
            assert isinstance(poll, Poll)
            assert poll.antenna == taken
            assert looks.asked == taken
            looks.focus((taken + 1,))
        await readings.aclose()  # type: ignore[attr-defined]

    run(body)


def test_a_button_keeps_the_time_at_which_it_was_laid_down() -> None:
    assert in_order(ButtonReading((4,), 5.0), 5.3) == ButtonReading((4,), 5.0)
    assert in_order(SeatReading(4, True, 5.0), 5.3) == SeatReading(4, True, 5.3)
    assert in_order(KeyPress("count", 5.5), 5.3) == KeyPress("count", 5.5)


def test_a_key_that_is_told_late_is_not_dated_before_the_looks_that_were_told() -> None:
    async def body() -> None:
        looks, keys = Looks([], count=50), Keys([])
        told: list[Reading] = []
        async for reading in Together(looks, (keys,)).readings():
            told.append(reading)
            if len(told) % 10 == 5:
                keys.pressed.put_nowait(KeyPress("confirm", time_of(reading) - 3.0))
        assert sum(isinstance(r, KeyPress) for r in told) >= 4
        assert all(time_of(a) <= time_of(b) for a, b in pairwise(told))

    run(body)


def test_what_came_at_once_is_told_in_the_order_of_its_time() -> None:
    async def body() -> None:
        a, b = Keys([]), Keys([])
        a.pressed.put_nowait(KeyPress("count", 0.9))
        b.pressed.put_nowait(KeyPress("confirm", 0.2))
        readings = Together(Looks([]), (a, b)).readings()
        told = [await anext(readings) for _ in range(3)]
        keys = [r.key for r in told if isinstance(r, KeyPress)]
        assert keys == ["confirm", "count"]
        await readings.aclose()  # type: ignore[attr-defined]

    run(body)


def test_it_ends_with_the_readers_and_fails_with_whoever_fails() -> None:
    class Broken(Keys):
        async def readings(self) -> AsyncIterator[InputReading]:
            await asyncio.sleep(0)
            raise RuntimeError("a bug")
            yield

    async def ends() -> None:
        told = [r async for r in Together(Looks([], count=7), (Keys([]),)).readings()]
        assert len(told) == 7

    async def fails() -> None:
        with pytest.raises(RuntimeError, match="a bug"):
            async for _ in Together(Looks([]), (Broken([]),)).readings():
                pass

    run(ends)
    run(fails)


class OneSight(Opened):
    """A camera that has seen the table once."""

    async def readings(self) -> AsyncIterator[Sight | Health]:
        yield Sight(1, 1.0, 1.1, (AreaSight("board", ()),))
        await asyncio.Event().wait()


def test_a_table_of_real_cameras_and_no_reader_is_watched(tmp_path: Path) -> None:
    simulated = sample_text("camera")
    real = simulated[: simulated.index("[simulation]")].replace("simulated", "picamera2")
    config = read(re.sub(r"\[table_board\][^\[]*", "", real), "table.toml", tmp_path)
    assert not config.file.reader

    async def first() -> Reading:
        readers = readers_of(config, TableClock())
        readers.focus((1, 2))
        readers.only(None)
        async with Together(readers, [OneSight("camera", [])]) as source:
            readings = source.readings()
            reading = await anext(readings)
            silent = asyncio.ensure_future(anext(readings))
            for _ in range(20):
                await asyncio.sleep(0)
            assert not silent.done(), "nothing but the camera tells anything, and nothing ends"
            silent.cancel()
        return reading

    assert asyncio.run(first()) == Sight(1, 1.0, 1.1, (AreaSight("board", ()),))
