"""One look at a time of the table's own readers, and what is said of readers that are lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from calibration.looking import OneByOne
from drivers.contracts import TagReader
from drivers.errors import DeviceSilentError
from drivers.readings import Health, HealthState, Outcome, Poll


class Readers:
    """Gives looks of the antenna asked for; those of lost ones are replaced by others'."""

    antennas = (1, 2, 3)
    health = ()

    def __init__(self, lost: Sequence[int] = (), silent: bool = False) -> None:
        self._lost = lost
        self._silent = silent
        self._only: int | None = None
        self.asked: list[int | None] = []

    async def __aenter__(self) -> Readers:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    def focus(self, antennas: Sequence[int]) -> None: ...

    def only(self, antenna: int | None) -> None:
        self._only = antenna
        self.asked.append(antenna)

    async def readings(self) -> AsyncIterator[Poll | Health]:
        if self._lost:
            yield Health("reader 2", HealthState.LOST, "reader 2: its cable is out.", 0.0, (3,))
        while True:
            await asyncio.sleep(0)
            if self._silent:
                await asyncio.Event().wait()
            assert self._only is not None
            antenna = 1 if self._only in self._lost else self._only
            yield Poll(antenna, (), Outcome.EMPTY, 0.0, 0.1)


def looks(readers: Readers, *antennas: int, patience_s: float = 15.0) -> list[int]:
    async def go() -> list[int]:
        reader: TagReader = readers
        eyes = OneByOne(reader, patience_s)
        return [(await eyes.look(a)).antenna for a in antennas]

    return asyncio.run(go())


def test_every_look_is_of_the_antenna_asked_for() -> None:
    readers = Readers()
    assert looks(readers, 3, 1, 1, 2) == [3, 1, 1, 2]
    assert readers.asked == [3, 1, 1, 2]


def test_looks_of_others_are_not_taken_for_a_lost_readers() -> None:
    assert looks(Readers(lost=(3,)), 1, 2) == [1, 2]
    with pytest.raises(DeviceSilentError) as error:
        looks(Readers(lost=(3,)), 3, patience_s=0.05)
    assert "antenna 3" in str(error.value)
    assert "its cable is out" in str(error.value)


def test_silence_of_all_readers_ends_and_says_what_to_do() -> None:
    with pytest.raises(DeviceSilentError, match="burnturn doctor"):
        looks(Readers(silent=True), 2, patience_s=0.05)
