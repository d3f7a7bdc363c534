"""The module RPi.GPIO, as rpi-lgpio provides it, on an emulated GPIO chip: the same contract of
`Inputs`. Run by `test_on_umockdev.py`."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from drivers.errors import PortUnavailableError
from drivers.gpio.inputs import GpioInputs
from drivers.gpio.rpi_gpio import RpiGpio
from tests.drivers.contract_inputs import InputsContract, Switchboard
from tests.drivers.on_umockdev.mock_pi import MockPi, mock_pi
from tests.drivers.on_umockdev.switchboard import ALL, INPUTS, OUTPUTS, PiSwitchboard

os.environ["RPI_LGPIO_REVISION"] = "c03111"  # a Pi 4, for a machine that is none
os.environ["RPI_LGPIO_CHIP"] = "0"
os.environ["LG_WD"] = tempfile.gettempdir()


class RpiSwitchboard(PiSwitchboard):
    """The library opens each input for reading, and once more for its edges."""

    opens = 2


@contextmanager
def rpi() -> Iterator[MockPi]:
    """An emulated Pi 4 that the library has not seen yet: it keeps its chip open otherwise."""
    with mock_pi() as pi:
        yield pi
        from RPi import GPIO

        GPIO.cleanup()


class TestRpiLgpio(InputsContract):
    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[GpioInputs, Switchboard]]:
        with rpi() as pi:
            switches = RpiSwitchboard(pi)
            inputs = GpioInputs(RpiGpio(), INPUTS, OUTPUTS, backoff_s=(0.02,), look_s=0.1)
            yield inputs, switches


def test_outputs_follow_the_device() -> None:
    async def main() -> None:
        with rpi() as pi:
            RpiSwitchboard(pi)
            async with GpioInputs(RpiGpio(), INPUTS, OUTPUTS):
                assert (pi.is_high(22), pi.is_high(23)) == (True, False)
            assert (pi.is_high(22), pi.is_high(23)) == (False, True)

    asyncio.run(main())


def test_a_line_that_somebody_holds_is_reported_with_what_to_do() -> None:
    async def main() -> None:
        with rpi() as pi:
            pi.offer(2 * ALL)
            pi.hold(17, "spi0 CS0")
            with pytest.raises(PortUnavailableError, match="another program holds it") as caught:
                RpiGpio().open(INPUTS, (), lambda _: None)
            assert "gpioinfo" in str(caught.value)

    asyncio.run(main())
