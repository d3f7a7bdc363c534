"""What every `LedBoard` must do, whatever is behind it: one suite for emulated boards and, marked
`bench`, for real ones. Subclass it, name the class Test..., and give a board."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from drivers.contracts import LedBoard
from drivers.errors import DriverError
from drivers.readings import HealthState

PATIENCE_S = 60.0


class Eyes(Protocol):
    """Who looks at the board, and may pull its cable."""

    def lit(self) -> list[bool]:
        """Whether each lamp is lit, row by row from the top left."""
        ...

    def unplug(self) -> None: ...

    def plug(self) -> None: ...

    async def retry(self) -> None:
        """Let the time pass after which the board is tried again."""
        ...


class LedBoardContract(ABC):
    @abstractmethod
    def table(self) -> AbstractAsyncContextManager[tuple[LedBoard, Eyes]]:
        """A closed board and somebody who sees it."""

    def test_each_corner_is_where_it_should_be(self) -> None:
        async def corners(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            for place in sorted({0, board.width - 1, lamps - board.width, lamps - 1, lamps // 3}):
                await board.show(picture(lamps, place))
                assert eyes.lit() == [n == place for n in range(lamps)]

        self._run(corners)

    def test_a_picture_takes_the_place_of_the_one_before(self) -> None:
        async def two(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(b"\xff" * (3 * lamps))
            assert all(eyes.lit())
            await board.show(bytes(3 * lamps))
            assert not any(eyes.lit())

        self._run(two)

    def test_a_picture_of_another_size_is_refused_and_shows_nothing(self) -> None:
        async def other(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(bytes(3 * lamps))
            for size in (0, 3 * lamps - 1, 3 * lamps + 3):
                with pytest.raises(ValueError):
                    await board.show(b"\xff" * size)
            assert not any(eyes.lit())

        self._run(other)

    def test_it_is_dark_when_it_is_closed(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                async with board:
                    await board.show(b"\xff" * (3 * board.width * board.height))
                assert not any(eyes.lit())
                assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(main())

    def test_a_board_that_is_not_open_refuses_pictures_and_stays_dark(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                white = b"\xff" * (3 * board.width * board.height)
                with pytest.raises(DriverError):
                    await board.show(white)
                async with board:
                    await board.show(white)
                with pytest.raises(DriverError):
                    await board.show(white)
                assert not any(eyes.lit())

        asyncio.run(main())

    def test_an_unplugged_board_says_so_and_shows_again_when_it_is_back(self) -> None:
        async def lost(board: LedBoard, eyes: Eyes) -> None:
            lamps = board.width * board.height
            await board.show(picture(lamps, 0))
            assert {h.state for h in board.health} == {HealthState.OK}
            eyes.unplug()
            await eyes.retry()
            with pytest.raises((OSError, DriverError)):
                await board.show(picture(lamps, 1))
            assert HealthState.LOST in {h.state for h in board.health}
            eyes.plug()
            await eyes.retry()
            await board.show(picture(lamps, 2))
            assert eyes.lit() == [n == 2 for n in range(lamps)]
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
                    assert eyes.lit() == [n == 1 for n in range(lamps)]

        asyncio.run(main())

    def test_it_opens_again(self) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes):
                lamps = board.width * board.height
                for place in (0, 1):
                    async with board:
                        await board.show(picture(lamps, place))
                        assert eyes.lit() == [n == place for n in range(lamps)]

        asyncio.run(main())

    def _run(self, body: Callable[[LedBoard, Eyes], Coroutine[None, None, None]]) -> None:
        async def main() -> None:
            async with asyncio.timeout(PATIENCE_S), self.table() as (board, eyes), board:
                await body(board, eyes)

        asyncio.run(main())


def picture(lamps: int, *lit: int) -> bytes:
    """White lamps at these places."""
    return b"".join(b"\xff\xff\xff" if n in lit else b"\0\0\0" for n in range(lamps))
