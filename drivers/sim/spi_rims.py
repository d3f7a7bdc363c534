"""Where an emulated SPI chip meets its driver: in virtual time, or against a real clock."""

from __future__ import annotations

import time
from typing import Protocol

from drivers.contracts import Clock
from drivers.errors import PortUnavailableError
from drivers.rfid.mfrc522 import OpenSpi, SpiPort
from drivers.sim.pepper_rims import VirtualClock

TRANSFER_S = 20e-6
"""What a transfer costs apart from its bytes."""
BYTE_S = 8e-6


class SpiChip(Protocol):
    def transfer(self, data: bytes, now: float) -> bytes: ...


class VirtualSpi:
    """A chip select whose transfers and pauses move a virtual clock."""

    def __init__(self, chip: SpiChip, clock: VirtualClock) -> None:
        self._chip = chip
        self._clock = clock

    def transfer(self, data: bytes) -> bytes:
        self._clock.advance_to(self._clock() + TRANSFER_S + len(data) * BYTE_S)
        return self._chip.transfer(data, self._clock())

    def pause(self, seconds: float) -> None:
        self._clock.advance_to(self._clock() + seconds)

    def close(self) -> None:
        pass


class TimedSpi:
    """A chip select by the machine's clock."""

    def __init__(self, chip: SpiChip, clock: Clock = time.monotonic) -> None:
        self._chip = chip
        self._clock = clock

    def transfer(self, data: bytes) -> bytes:
        return self._chip.transfer(data, self._clock())

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        pass


def spi_connect(port: SpiPort | None) -> OpenSpi:
    """A connector for `Mfrc522Link`; None: there is no such device."""

    async def connect() -> SpiPort:
        if port is None:
            raise PortUnavailableError("the SPI device is not there", "bench", "Switch SPI on.")
        return port

    return connect
