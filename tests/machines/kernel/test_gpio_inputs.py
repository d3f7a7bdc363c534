"""Keys, chairs and the dealer button on a GPIO chip of the kernel, through both libraries."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.util import find_spec

import periphery
import pytest

from drivers.errors import DriverError, MisconfiguredError
from drivers.gpio.gpiochip import Gpiochip
from drivers.gpio.inputs import GpioInputs
from drivers.gpio.lines import Chair, Edge, InputLine, Key, Library
from drivers.gpio.rpi_gpio import RpiGpio
from drivers.readings import Health, HealthState, KeyPress
from tests.drivers.contract_inputs import Heard, InputsContract, Switchboard
from tests.machines.kernel.devices import GpioChip
from tests.machines.kernel.switchboard import INPUTS, OUTPUTS, Hands, header_chip

pytestmark = pytest.mark.kernel

PATIENCE_S = 15.0
CONFIRM = INPUTS[0]
LIBRARIES = {"periphery": Gpiochip, "RPi.GPIO": RpiGpio}
with_rpi_gpio = pytest.mark.skipif(
    find_spec("lgpio") is None, reason="rpi-lgpio has no wheel for this Python"
)


def gpio_inputs(library: Library) -> GpioInputs:
    return GpioInputs(library, INPUTS, OUTPUTS, backoff_s=(0.02,), look_s=0.1)


@pytest.fixture
def chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[GpioChip]:
    with header_chip() as there:
        monkeypatch.setenv("RPI_LGPIO_REVISION", "c03111")
        monkeypatch.setenv("RPI_LGPIO_CHIP", str(there.number))
        yield there
        if "RPi.GPIO" in sys.modules:
            # It keeps the chip that it opened first, until it is told to give back everything.
            sys.modules["RPi.GPIO"].cleanup()


@pytest.fixture(params=["periphery", pytest.param("RPi.GPIO", marks=with_rpi_gpio)])
def library(request: pytest.FixtureRequest) -> Library:
    made: Library = LIBRARIES[request.param]()
    return made


class _OnKernel(InputsContract):
    library: Callable[[], Library]

    @pytest.fixture(autouse=True)
    def on_chip(self, chip: GpioChip) -> None:
        self.chip = chip

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[GpioInputs, Switchboard]]:
        yield gpio_inputs(type(self).library()), Hands(self.chip)


class TestGpiochip(_OnKernel):
    library = Gpiochip


class HandsAtPi(Hands):
    """rpi-lgpio finds the chip of a Pi by its driver, whatever number it has when it is back;
    gpio-sim's it must be told."""

    def plug(self) -> None:
        super().plug()
        os.environ["RPI_LGPIO_CHIP"] = str(self._chip.number)


@with_rpi_gpio
class TestRpiGpio(_OnKernel):
    library = RpiGpio

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[GpioInputs, Switchboard]]:
        yield gpio_inputs(RpiGpio()), HandsAtPi(self.chip)


def test_outputs_follow_the_device(chip: GpioChip, library: Library) -> None:
    async def main() -> None:
        async with gpio_inputs(library) as inputs:
            await Heard(inputs.readings()).until(Health)
            assert (chip.level(22), chip.level(23)) == (True, False)

    Hands(chip)
    asyncio.run(main())
    assert chip.level(22) is False


def test_inputs_are_pulled_as_configured(chip: GpioChip, library: Library) -> None:
    """Without a wire, the resistor inside decides."""

    async def main() -> None:
        inputs = (InputLine(17, Key("confirm")), InputLine(6, Chair(2), bias="down"))
        lines = library.open(inputs, (), lambda _: None)
        assert lines.levels() == (True, False)
        lines.close()

    asyncio.run(main())


def test_edges_come_in_order_each_with_its_time(chip: GpioChip, library: Library) -> None:
    """Of edges that we read late, python-periphery has the kernel's own time."""
    apart_s = 0.2

    async def main() -> list[Edge]:
        edges: asyncio.Queue[Edge] = asyncio.Queue()

        def told(what: Edge | DriverError) -> None:
            assert isinstance(what, Edge)
            edges.put_nowait(what)

        async with asyncio.timeout(PATIENCE_S):
            lines = library.open((CONFIRM,), (), told)
            for high in (False, True):
                chip.pull(17, high)
                time.sleep(apart_s)  # noqa: ASYNC251 - the loop shall read neither in time
            taken = [await edges.get() for _ in range(2)]
            lines.close()
        return taken

    chip.pull(17, True)
    before = time.monotonic()
    first, second = asyncio.run(main())
    assert [first.high, second.high] == [False, True]
    assert before <= first.at < second.at <= time.monotonic()
    if isinstance(library, Gpiochip):  # the other's time is when its thread came to it
        assert apart_s <= second.at - first.at < apart_s + 0.1


def test_a_line_that_another_program_holds_is_reported_and_taken_once_free(
    chip: GpioChip, library: Library
) -> None:
    async def main() -> None:
        hands = Hands(chip)
        other = periphery.GPIO(chip.path, 17, "in", label="pump")
        async with asyncio.timeout(PATIENCE_S), gpio_inputs(library) as inputs:
            heard = Heard(inputs.readings())
            lost = await heard.until(Health)
            assert lost.state is HealthState.LOST
            assert "line 17 (key confirm)" in lost.reason
            assert '"pump"' in lost.reason or "another program" in lost.reason
            other.close()
            await heard.until(Health, lambda h: h.state is HealthState.OK)
            hands.press("confirm")
            assert (await heard.until(KeyPress)).key == "confirm"

    asyncio.run(main())


def test_a_line_that_there_is_not_ends_the_opening(chip: GpioChip, library: Library) -> None:
    async def main() -> None:
        with pytest.raises(MisconfiguredError):
            async with GpioInputs(library, (InputLine("BUTTON", Key("count")),)):
                pass

    asyncio.run(main())
