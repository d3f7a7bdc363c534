"""python-periphery's own code on an emulated GPIO chip: the contract of `Inputs`, and what the
character device alone can do. Run by `test_on_umockdev.py`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from drivers.errors import DriverError, MisconfiguredError, PortUnavailableError
from drivers.gpio.chips import chips, header_chip, line_info
from drivers.gpio.gpiochip import Gpiochip
from drivers.gpio.inputs import GpioInputs
from drivers.gpio.lines import Edge, InputLine, Key
from drivers.readings import Health, HealthState, KeyPress, SeatReading
from tests.drivers.contract_inputs import Heard, InputsContract, Switchboard
from tests.drivers.on_umockdev.mock_pi import MockPi, mock_pi
from tests.drivers.on_umockdev.switchboard import ALL, INPUTS, OUTPUTS, PiSwitchboard

PULL_UP, PULL_DOWN, BOTH_EDGES = 0x100, 0x200, 0x30
CONFIRM = INPUTS[0]


def gpio_inputs() -> GpioInputs:
    return GpioInputs(Gpiochip(), INPUTS, OUTPUTS, backoff_s=(0.02,), look_s=0.1)


class TestGpiochip(InputsContract):
    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[GpioInputs, Switchboard]]:
        with mock_pi() as pi:
            yield gpio_inputs(), PiSwitchboard(pi)


@pytest.fixture
def pi() -> Iterator[MockPi]:
    with mock_pi() as pi:
        yield pi


def test_the_chip_behind_the_header_is_found_by_its_label(pi: MockPi) -> None:
    assert chips() == ["/dev/gpiochip0"]
    assert header_chip() == "/dev/gpiochip0"
    assert line_info("/dev/gpiochip0", 4).name == "GPIO4"


def test_a_chip_of_something_else_is_not_taken_for_the_header() -> None:
    async def main() -> None:
        with pytest.raises(PortUnavailableError, match="there is /dev/gpiochip0"):
            Gpiochip().open((CONFIRM,), (), lambda _: None)

    with mock_pi(label="gpio-mockup"):
        assert header_chip() is None
        asyncio.run(main())


def test_bias_and_edges_are_asked_of_the_kernel_and_outputs_follow_the_device(pi: MockPi) -> None:
    async def main() -> None:
        async with gpio_inputs() as inputs:
            await Heard(inputs.readings()).until(Health)
            assert pi.flags(17) & (PULL_UP | PULL_DOWN | BOTH_EDGES) == PULL_UP | BOTH_EDGES
            assert pi.flags(6) & (PULL_UP | PULL_DOWN) == PULL_DOWN
            assert (pi.is_high(22), pi.is_high(23)) == (True, False)
        assert (pi.is_high(22), pi.is_high(23)) == (False, True)

    PiSwitchboard(pi)
    asyncio.run(main())


async def edges_of(count: int, move: Callable[[], None]) -> list[Edge]:
    """What one line tells of that many edges."""
    edges: asyncio.Queue[Edge] = asyncio.Queue()

    def told(what: Edge | DriverError) -> None:
        assert isinstance(what, Edge)
        edges.put_nowait(what)

    async with asyncio.timeout(20):
        lines = Gpiochip().open((CONFIRM,), (), told)
        move()
        taken = [await edges.get() for _ in range(count)]
        lines.close()
    return taken


def test_an_edge_has_the_kernels_time_however_late_we_read_it(pi: MockPi) -> None:
    def move() -> None:
        pi.set(17, False, ago_s=0.25)
        pi.set(17, True)

    pi.offer((17,))
    before = time.monotonic()
    first, second = asyncio.run(edges_of(2, move))
    assert (first.high, second.high) == (False, True)
    assert 0.25 <= second.at - first.at < 0.5
    assert before - 0.25 <= first.at <= time.monotonic() - 0.25


@pytest.mark.parametrize("ago_s", [3600.0, -3600.0])
def test_a_wall_clock_that_was_set_does_not_move_an_edge(pi: MockPi, ago_s: float) -> None:
    pi.offer((17,))
    before = time.monotonic()
    (edge,) = asyncio.run(edges_of(1, lambda: pi.set(17, False, ago_s=ago_s)))
    assert before <= edge.at <= time.monotonic()


def test_a_lost_edge_is_made_up_for(pi: MockPi) -> None:
    async def main() -> None:
        async with asyncio.timeout(20), gpio_inputs() as inputs:
            heard = Heard(inputs.readings())
            await heard.until(SeatReading, lambda s: s.seat == 1 and not s.occupied)
            pi.set_unseen(5, False)
            await heard.until(SeatReading, lambda s: s.seat == 1 and s.occupied)

    PiSwitchboard(pi)
    asyncio.run(main())


def test_a_line_that_somebody_holds_is_named_with_its_holder_and_taken_once_free(
    pi: MockPi,
) -> None:
    async def main() -> None:
        async with asyncio.timeout(20), gpio_inputs() as inputs:
            heard = Heard(inputs.readings())
            lost = await heard.until(Health)
            assert lost.state is HealthState.LOST
            assert "line 17 (key confirm)" in lost.reason
            assert '"spi0 CS0"' in lost.reason
            assert "config.txt" in lost.reason
            pi.hold(17, "")
            assert (await heard.until(Health)).state is HealthState.OK
            pi.set(17, False)
            assert (await heard.until(KeyPress)).key == "confirm"

    PiSwitchboard(pi)
    pi.hold(17, "spi0 CS0")
    asyncio.run(main())


@pytest.mark.parametrize(("line", "what"), [(99, "no such line"), ("BUTTON", "named 'BUTTON'")])
def test_a_line_that_there_is_not_ends_the_opening_with_what_to_do(
    pi: MockPi, line: int | str, what: str
) -> None:
    async def main() -> None:
        with pytest.raises(MisconfiguredError, match=what) as caught:
            async with GpioInputs(Gpiochip(), (InputLine(line, Key("count")),)):
                pass
        assert "gpioinfo" in str(caught.value)

    asyncio.run(main())


def test_a_chip_that_is_not_there_is_reported(pi: MockPi) -> None:
    async def main() -> None:
        async with GpioInputs(Gpiochip("/dev/gpiochip7"), INPUTS) as inputs:
            lost = await Heard(inputs.readings()).until(Health)
            assert lost.state is HealthState.LOST
            assert "gpiodetect" in lost.reason

    asyncio.run(main())


def test_lines_that_were_opened_before_another_failed_are_given_back(pi: MockPi) -> None:
    async def main() -> None:
        with pytest.raises(PortUnavailableError):
            Gpiochip().open(INPUTS, (), lambda _: None)
        pi.hold(19, "")
        pi.offer(ALL)
        lines = Gpiochip().open(INPUTS, (), lambda _: None)
        assert len(lines.levels()) == len(INPUTS)
        lines.close()

    PiSwitchboard(pi)
    pi.hold(19, "hdmi")
    asyncio.run(main())
