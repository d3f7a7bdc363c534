"""python-periphery's own SPI code on emulated ports: the contract of `LedBoard`, and what a port
can refuse. Run by `test_on_umockdev.py`."""

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
from drivers.leds.spi_boards import RESEND_S, RETRY_S, Max7219Board, Ws2812Board
from drivers.readings import HealthState
from tests.drivers.contract_boards import Eyes, LedBoardContract, picture
from tests.drivers.led_chips import Max7219Chain, Ws2812Chain
from tests.drivers.on_umockdev.mock_pi import MockPi, mock_pi

PORT = "spidev0.0"


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class PiEyes:
    """Who looks at lamps on an emulated port."""

    def __init__(
        self, pi: MockPi, feed: Callable[[bytes], None], lit: Callable[[], list[bool]]
    ) -> None:
        self._pi, self._feed, self._lit = pi, feed, lit
        self.clock = Clock()

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        for transfer in self._pi.sent(PORT)[0]:
            self._feed(transfer)
        return self._lit()

    def unplug(self) -> None:
        self._pi.pull()

    def plug(self) -> None:
        self._pi.pull(False)

    async def retry(self) -> None:
        self.clock.now += RETRY_S


def ws2812_board(clock: Clock, width: int, height: int) -> Ws2812Board:
    chain = along_chain(width, height, "columns-zigzag")
    encoder = ws2812.Encoder(chain, brightness=0.3, gamma=2.2)
    port = spidev(f"/dev/{PORT}", ws2812.SPEED_HZ, encoder.frame_bytes)
    return Ws2812Board("lamps", width, height, encoder, port, clock=clock)


def max7219_board(clock: Clock) -> Max7219Board:
    encoder = max7219.Encoder(4)
    port = spidev(f"/dev/{PORT}", max7219.SPEED_HZ, 8)
    return Max7219Board("board 1", encoder, port, clock=clock)


class Ws2812Contract(LedBoardContract):
    width, height = 11, 1

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        lamps = self.width * self.height
        chain = Ws2812Chain(lamps)
        places = along_chain(self.width, self.height, "columns-zigzag")

        def lit() -> list[bool]:
            return [any(chain.colours[places.index(n)]) for n in range(lamps)]

        with mock_pi() as pi:
            eyes = PiEyes(pi, chain.feed, lit)
            yield ws2812_board(eyes.clock, self.width, self.height), eyes


class TestSeatLamps(Ws2812Contract):
    pass


class TestWs2812Grid(Ws2812Contract):
    width, height = 32, 8


class TestMax7219(LedBoardContract):
    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        chain = Max7219Chain(4)

        def lit() -> list[bool]:
            return [chain.lamp(3 - x // 8, x % 8, y) for y in range(8) for x in range(32)]

        with mock_pi() as pi:
            eyes = PiEyes(pi, chain.feed, lit)
            yield max7219_board(eyes.clock), eyes


def test_modules_that_lost_their_state_are_right_again_within_seconds() -> None:
    async def main() -> None:
        with mock_pi() as pi:
            chain, clock = Max7219Chain(4), Clock()
            async with max7219_board(clock) as board:
                for _ in range(2):
                    await board.show(b"\xff" * 768)
                for transfer in pi.sent(PORT)[0]:
                    chain.feed(transfer)
                chain.brown_out(1)
                assert not chain.lamp(1, 0, 0)
                clock.now += RESEND_S
                await board.show(b"\xff" * 768)
                for transfer in pi.sent(PORT)[0]:
                    chain.feed(transfer)
                assert chain.lamp(1, 0, 0)

    asyncio.run(main())


def test_a_frame_goes_out_in_one_transfer_at_its_speed() -> None:
    async def main() -> None:
        with mock_pi() as pi:
            async with ws2812_board(Clock(), 11, 1) as board:
                await board.show(picture(11, 3))
                ((frame,),) = pi.sent(PORT)
                assert len(frame) == ws2812.frame_bytes(11)
                assert pi.speed(PORT) == 2_400_000

    asyncio.run(main())


def test_a_picture_that_the_kernel_would_refuse_is_refused_at_opening_with_the_remedy() -> None:
    async def main(lamps: int) -> None:
        async with ws2812_board(Clock(), lamps, 1) as board:
            await board.show(bytes(3 * lamps))

    with mock_pi():
        asyncio.run(main(435))  # 2 * 90 + 9 * 435 = 4095 bytes
        with pytest.raises(MisconfiguredError, match=r"4104 bytes .* 4096") as caught:
            asyncio.run(main(436))
        assert "spidev.bufsiz=8192" in str(caught.value)
        assert "cmdline.txt" in str(caught.value)
    with mock_pi(bufsiz=8192):
        asyncio.run(main(436))


def test_a_port_that_is_not_there_says_how_to_switch_spi_on() -> None:
    async def main() -> None:
        encoder = max7219.Encoder(4)
        board = Max7219Board("board 1", encoder, spidev("/dev/spidev9.9", 1_000_000, 8))
        async with board:
            (health,) = board.health
            assert health.state is HealthState.LOST
            assert "dtparam=spi=on" in health.reason

    with mock_pi():
        asyncio.run(main())
