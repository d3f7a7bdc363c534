"""What every `LedBoard` and every `SeatLamps` must do, whatever is behind it: one suite for
emulated boards and, marked `bench`, for real ones. Subclass it, name the class Test..., and give a
board."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from drivers.contracts import LampPattern, LedBoard, SeatLamp, SeatLamps
from drivers.errors import DriverError
from drivers.readings import HealthState

PATIENCE_S = 60.0


class Eyes(Protocol):
    """Who looks at the board, and may pull its cable."""

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        """Whether each lamp is lit, row by row from the top left. Where pictures take time: looks
        until it sees what is expected, or has looked for long enough."""
        ...

    def unplug(self) -> None: ...

    def plug(self) -> None: ...

    async def retry(self) -> None:
        """Let the time pass after which the board is tried again."""
        ...


class LedBoardContract(ABC):
    """part: it hangs on a device that is opened, watched and reported on its own: it takes pictures
    at any time, the newest is shown once that device is there, and what it shows when nobody speaks
    to it is that device's business."""

    part = False

    @abstractmethod
    def table(self) -> AbstractAsyncContextManager[tuple[LedBoard, Eyes]]:
        """A closed board and somebody who sees it."""

    def test_each_corner_is_where_it_should_be(self) -> None:
        async def corners(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            for place in sorted({0, board.width - 1, lamps - board.width, lamps - 1, lamps // 3}):
                await board.show(picture(lamps, place))
                await sees(eyes, lamps, place)

        self._run(corners)

    def test_a_picture_takes_the_place_of_the_one_before(self) -> None:
        async def two(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(b"\xff" * (3 * lamps))
            await sees(eyes, lamps, *range(lamps))
            await board.show(bytes(3 * lamps))
            await sees(eyes, lamps)

        self._run(two)

    def test_a_picture_of_another_size_is_refused_and_shows_nothing(self) -> None:
        async def other(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(bytes(3 * lamps))
            await sees(eyes, lamps)
            for size in (0, 3 * lamps - 1, 3 * lamps + 3):
                with pytest.raises(ValueError):
                    await board.show(b"\xff" * size)
            await sees(eyes, lamps)

        self._run(other)

    def test_it_is_dark_when_it_is_closed(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                lamps = board.width * board.height
                async with board:
                    await board.show(b"\xff" * (3 * lamps))
                    await sees(eyes, lamps, *range(lamps))
                if self.part:
                    await eyes.retry()
                    assert await eyes.lit() != [True] * lamps, "it still shows the last picture"
                else:
                    await sees(eyes, lamps)
                assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(main())

    def test_a_board_that_is_not_open_refuses_pictures_or_keeps_the_newest(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                lamps = board.width * board.height
                if self.part:
                    for place in (0, lamps - 1):
                        await board.show(picture(lamps, place))
                    async with board:
                        await sees(eyes, lamps, lamps - 1)
                    return
                with pytest.raises(DriverError):
                    await board.show(picture(lamps, 0))
                async with board:
                    await board.show(b"\xff" * (3 * lamps))
                with pytest.raises(DriverError):
                    await board.show(picture(lamps, 0))
                await sees(eyes, lamps)

        asyncio.run(main())

    def test_an_unplugged_board_says_so_and_shows_again_when_it_is_back(self) -> None:
        async def lost(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(picture(lamps, 0))
            assert {h.state for h in board.health} == {HealthState.OK}
            eyes.unplug()
            await eyes.retry()
            if self.part:
                await board.show(picture(lamps, 1))
            else:
                with pytest.raises((OSError, DriverError)):
                    await board.show(picture(lamps, 1))
            assert HealthState.LOST in {h.state for h in board.health}
            eyes.plug()
            await eyes.retry()
            if self.part:
                await sees(eyes, lamps, 1)
            await board.show(picture(lamps, 2))
            await sees(eyes, lamps, 2)
            assert {h.state for h in board.health} == {HealthState.OK}

        self._run(lost)

    def test_a_board_that_is_absent_opens_all_the_same(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                eyes.unplug()
                async with board:
                    assert {h.state for h in board.health} == {HealthState.LOST}
                    eyes.plug()
                    await eyes.retry()
                    lamps = board.width * board.height
                    await board.show(picture(lamps, 1))
                    await sees(eyes, lamps, 1)

        asyncio.run(main())

    def test_it_opens_again(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                lamps = board.width * board.height
                for place in (0, 1):
                    async with board:
                        await board.show(picture(lamps, place))
                        await sees(eyes, lamps, place)

        asyncio.run(main())

    def _run(self, body: Callable[[LedBoard, Eyes], Coroutine[None, None, None]]) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes), board:
                await body(board, eyes)

        asyncio.run(main())


def picture(lamps: int, *lit: int) -> bytes:
    """White lamps at these places."""
    return b"".join(b"\xff\xff\xff" if n in lit else b"\0\0\0" for n in range(lamps))


async def sees(eyes: Eyes, lamps: int, *lit: int) -> None:
    """These lamps are lit, and no others."""
    expected = [n in lit for n in range(lamps)]
    assert await eyes.lit(expected) == expected


class LampEyes(Protocol):
    """Who looks at the lamps of the seats, and may pull the cable of what they hang on."""

    async def colours(self, expected: Mapping[int, SeatLamp] | None = None) -> dict[int, SeatLamp]:
        """Every seat whose lamp is not dark, with its colour and how it blinks. Looks until it sees
        what is expected, or has looked for long enough."""
        ...

    def unplug(self) -> None: ...

    def plug(self) -> None: ...

    async def retry(self) -> None:
        """Let the time pass after which the device is tried again, or is known to be lost."""
        ...


class SeatLampsContract(ABC):
    """seats: those that have a lamp; at least three."""

    seats: Sequence[int] = range(1, 12)

    @abstractmethod
    def row(self) -> AbstractAsyncContextManager[tuple[SeatLamps, LampEyes]]:
        """Closed lamps, which are opened with the device that they hang on, and somebody who sees
        them."""

    def test_every_pattern_is_shown_in_its_colour(self) -> None:
        async def patterns(row: SeatLamps, eyes: LampEyes) -> None:
            for pattern in LampPattern:
                lamps = {self.seats[1]: SeatLamp(0, 200, 40, pattern)}
                await row.light(lamps)
                assert await eyes.colours(lamps) == lamps

        self._run(patterns)

    def test_every_seat_has_its_own_lamp_and_those_not_named_are_dark(self) -> None:
        async def each(row: SeatLamps, eyes: LampEyes) -> None:
            every = {seat: SeatLamp(10 * seat, 255 - seat, 1) for seat in self.seats}
            await row.light(every)
            assert await eyes.colours(every) == every
            for seat in (self.seats[0], self.seats[-1]):
                lamps = {seat: SeatLamp(255, 0, 0)}
                await row.light(lamps)
                assert await eyes.colours(lamps) == lamps
            await row.light({})
            assert await eyes.colours({}) == {}

        self._run(each)

    def test_a_seat_without_a_lamp_is_refused_and_nothing_changes(self) -> None:
        async def wrong(row: SeatLamps, eyes: LampEyes) -> None:
            lamps = {self.seats[0]: SeatLamp(0, 0, 255)}
            await row.light(lamps)
            assert await eyes.colours(lamps) == lamps
            for seat in (0, 99):
                with pytest.raises(ValueError, match=f"seat {seat}"):
                    await row.light({seat: SeatLamp(255, 255, 255)})
            assert await eyes.colours(lamps) == lamps

        self._run(wrong)

    def test_after_a_loss_the_newest_wish_is_shown_and_no_older_one(self) -> None:
        async def lost(row: SeatLamps, eyes: LampEyes) -> None:
            first, second, third = (
                {seat: SeatLamp(0, 255, 0)} for seat in (self.seats[0], *self.seats[-2:])
            )
            await row.light(first)
            assert await eyes.colours(first) == first
            eyes.unplug()
            await eyes.retry()
            await row.light(second)
            await row.light(third)
            assert await eyes.colours() != first, "nobody would see that it is lost"
            eyes.plug()
            await eyes.retry()
            assert await eyes.colours(third) == third

        self._run(lost)

    def _run(self, body: Callable[[SeatLamps, LampEyes], Coroutine[None, None, None]]) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.row() as (row, eyes), row:
                await body(row, eyes)

        asyncio.run(main())
