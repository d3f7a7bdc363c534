"""Readers and inputs as one source: everything is told, and nothing ends in silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest

from controller.sources import Joined
from drivers.factory import ReaderSpec, emulated_readers, tag_reader
from drivers.readings import ButtonReading, Health, Poll, Reading, Uid


class Buttons:
    """An input that says its button's seat now and then, or fails."""

    health: tuple[Health, ...] = ()

    def __init__(self, fails: bool = False) -> None:
        self.opened = False
        self._fails = fails

    async def __aenter__(self) -> Self:
        self.opened = True
        return self

    async def __aexit__(self, *ends: Any) -> None:
        self.opened = False

    async def readings(self) -> AsyncIterator[ButtonReading]:
        for seat in range(1, 1000):
            yield ButtonReading((seat,), float(seat))
            await asyncio.sleep(0)
            if self._fails:
                raise ZeroDivisionError


class Empty:
    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...]:
        return ()


def joined(buttons: Buttons) -> Joined:
    specs = [ReaderSpec("reader 1", "simulated", {1: 1, 2: 2})]
    reader = tag_reader(specs, emulated=emulated_readers(specs, Empty(), 0.0005))
    return Joined(reader, [buttons])


def test_both_are_heard_and_closed() -> None:
    async def main() -> None:
        buttons = Buttons()
        heard: list[Reading] = []
        async with asyncio.timeout(20), joined(buttons) as source:
            source.only(2)
            async for reading in source.readings():
                heard.append(reading)
                if sum(isinstance(r, Poll) for r in heard) > 20:
                    break
            assert buttons.opened
        assert not buttons.opened
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert {r.antenna for r in heard if isinstance(r, Poll)} == {2}
        seats = [r.seats[0] for r in heard if isinstance(r, ButtonReading)]
        assert seats == list(range(1, len(seats) + 1))
        assert seats

    asyncio.run(main())


def test_a_device_that_fails_ends_the_readings_with_its_error() -> None:
    async def main() -> None:
        async with asyncio.timeout(20), joined(Buttons(fails=True)) as source:
            async for _ in source.readings():
                pass

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())
