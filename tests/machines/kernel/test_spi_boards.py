"""Lamps and boards on the kernel's own SPI port: the board contract, read back from the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from drivers.contracts import LedBoard
from drivers.errors import MisconfiguredError
from drivers.leds import max7219, ws2812
from drivers.leds.grid import along_chain
from drivers.leds.spi import spidev
from drivers.leds.spi_boards import RETRY_S, Max7219Board, Ws2812Board
from tests.drivers.contract_boards import Eyes, LedBoardContract, picture
from tests.drivers.led_chips import Max7219Chain, Ws2812Chain
from tests.machines.kernel.devices import SPI, plug_spi, take_transfers, unplug_spi

pytestmark = pytest.mark.kernel


class HandClock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class WireEyes:
    """Looks at lamps through what came over the wire."""

    def __init__(
        self, speed_hz: int, feed: Callable[[bytes], None], lit: Callable[[], list[bool]]
    ) -> None:
        self._speed_hz, self._feed, self._lit = speed_hz, feed, lit
        self.clock = HandClock()
        plug_spi()
        take_transfers()

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        for transfer in take_transfers():
            assert (transfer.speed_hz, transfer.mode) == (self._speed_hz, 0)
            self._feed(transfer.data)
        return self._lit()

    def unplug(self) -> None:
        unplug_spi()

    def plug(self) -> None:
        plug_spi()

    async def retry(self) -> None:
        self.clock.now += RETRY_S


def ws2812_board(clock: HandClock, width: int, height: int) -> Ws2812Board:
    chain = along_chain(width, height, "columns-zigzag")
    encoder = ws2812.Encoder(chain, brightness=0.3, gamma=2.2)
    port = spidev(SPI, ws2812.SPEED_HZ, encoder.frame_bytes)
    return Ws2812Board("lamps", width, height, encoder, port, clock=clock)


class TestWs2812(LedBoardContract):
    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        chain = Ws2812Chain(256)
        places = along_chain(32, 8, "columns-zigzag")
        eyes = WireEyes(
            ws2812.SPEED_HZ,
            chain.feed,
            lambda: [any(chain.colours[places.index(n)]) for n in range(256)],
        )
        yield ws2812_board(eyes.clock, 32, 8), eyes


class TestMax7219(LedBoardContract):
    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        chain = Max7219Chain(4)
        eyes = WireEyes(
            max7219.SPEED_HZ,
            chain.feed,
            lambda: [chain.lamp(3 - x // 8, x % 8, y) for y in range(8) for x in range(32)],
        )
        port = spidev(SPI, max7219.SPEED_HZ, 8)
        yield Max7219Board("board 1", max7219.Encoder(4), port, clock=eyes.clock), eyes


def test_the_longest_picture_that_the_kernel_takes_goes_out_and_a_longer_one_is_refused() -> None:
    async def show(lamps: int) -> None:
        async with ws2812_board(HandClock(), lamps, 1) as board:
            await board.show(picture(lamps, lamps - 1))

    plug_spi()
    take_transfers()
    asyncio.run(show(435))
    assert 4090 < len(take_transfers()[0].data) <= 4096
    with pytest.raises(MisconfiguredError, match=r"spidev\.bufsiz=8192"):
        asyncio.run(show(436))
