"""An MFRC522 on an SPI bus: one antenna, several tags at once, ISO 14443 A only.

What is said to the chip is decided in `mfrc522_session`; here it is carried out, in a thread, as a
transfer blocks. Readers that share an SPI bus share its MISO line, and boards that do not let go of
it disturb the others: one chip a bus is best, and the session believes nothing that its tag did not
confirm.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from drivers.contracts import Clock
from drivers.errors import DriverError, LinkLostError, MisconfiguredError, PortUnavailableError
from drivers.readings import Poll, Uid
from drivers.rfid.link import LOST_AFTER_POLLS, poll_of, silent
from drivers.rfid.mfrc522_session import Mfrc522Session, Mfrc522Settings, Pause, Procedure

SPI_HZ = 1_000_000
"""The chip takes 10 MHz; jumper wires do not."""


class SpiPort(Protocol):
    """A chip select of an SPI bus. `transfer` raises OSError when the bus is gone."""

    def transfer(self, data: bytes) -> bytes: ...

    def pause(self, seconds: float) -> None:
        """Wait, while nothing is transferred."""
        ...

    def close(self) -> None: ...


OpenSpi = Callable[[], Awaitable[SpiPort]]
"""Opens the port; raises PortUnavailableError."""


class PeripherySpi:
    """A `/dev/spidev` through python-periphery."""

    def __init__(self, path: str, hz: int = SPI_HZ) -> None:
        from periphery import SPI

        self._spi: Any = SPI(path, 0, hz)

    def transfer(self, data: bytes) -> bytes:
        from periphery import SPIError

        try:
            return bytes(self._spi.transfer(data))
        except SPIError as error:
            raise OSError(str(error)) from error

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        self._spi.close()


def spi_connector(path: str, where: str, hz: int = SPI_HZ) -> OpenSpi:
    """How to open the SPI device at `path`, such as ``/dev/spidev0.0``. Raises
    MisconfiguredError."""
    if not path.startswith("/dev/spidev"):
        raise MisconfiguredError(
            f"{path!r} is no SPI device" if path else "its port is empty",
            where,
            "Give a bus and chip select such as /dev/spidev0.0.",
        )

    async def connect() -> SpiPort:
        from periphery import SPIError

        try:
            return await asyncio.to_thread(PeripherySpi, path, hz)
        except (SPIError, OSError) as error:
            raise PortUnavailableError(
                f"{path} cannot be opened",
                where,
                "Switch SPI on (raspi-config, Interface Options) and let this user use it (group "
                "spi).",
            ) from error

    return connect


class Mfrc522Link:
    """One reader. antenna: its number at the table. Its field is on during a look only.

    threaded: False to transfer in the caller's thread, as in virtual time.
    """

    push = None

    def __init__(
        self,
        name: str,
        connect: OpenSpi,
        antenna: int,
        settings: Mfrc522Settings,
        *,
        clock: Clock = time.monotonic,
        threaded: bool = True,
    ) -> None:
        self.name = name
        self.ports = {antenna: 1}
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.session = Mfrc522Session(settings)
        self._settings = settings
        self._connect = connect
        self._clock = clock
        self._threaded = threaded
        self._port: SpiPort | None = None
        self._ready = False
        self._bus = threading.Lock()

    @property
    def up(self) -> bool:
        """The port is open and the chip has been set up."""
        return self._ready and not self.down.is_set()

    @property
    def introduction(self) -> str:
        return f"it answers, chip {self.session.version}"

    async def open(self) -> None:
        """Open the port and set the chip up. Raises DriverError; the port is closed then."""
        self.down.clear()
        self.error = None
        self.session = Mfrc522Session(self._settings)
        self._port = await self._connect()
        try:
            await self._run(self.session.hello())
        except BaseException:
            self.close()
            raise
        self._ready = True

    def close(self) -> None:
        """Close the port, after the look that may be under way. Does nothing if it is closed."""
        self._ready = False
        with self._bus:
            port, self._port = self._port, None
            if port is not None:
                port.close()

    async def poll(self, antenna: int) -> Poll:
        """One look. Raises DriverError when the chip is lost, and is `down` then."""
        started = self._clock()
        try:
            uids: tuple[Uid, ...] | None = await self._run(self.session.poll())
            if self.session.silent_polls >= LOST_AFTER_POLLS:
                raise silent(self._settings.where)
        except DriverError as error:
            self._fail(error)
            raise
        return poll_of(antenna, uids, started, self._clock())

    async def listen(self, until: float) -> list[Poll]:
        raise MisconfiguredError(
            "an MFRC522 does not report by itself", self._settings.where, 'Use mode "polled".'
        )

    async def quiet(self) -> None:
        """Field off."""
        if not self.up:
            return
        try:
            await self._run(self.session.quiet())
        except DriverError as error:
            self._fail(error)

    async def _run(self, procedure: Procedure[Any]) -> Any:
        if self._threaded:
            return await asyncio.to_thread(self._carry_out, procedure)
        await asyncio.sleep(0)
        return self._carry_out(procedure)

    def _carry_out(self, procedure: Procedure[Any]) -> Any:
        with self._bus:
            port = self._port
            if port is None:
                raise self._gone()
            try:
                step = next(procedure)
                while True:
                    if isinstance(step, Pause):
                        port.pause(step.seconds)
                        step = procedure.send(b"")
                    else:
                        step = procedure.send(port.transfer(step))
            except StopIteration as stop:
                return stop.value
            except OSError as error:
                raise self._gone() from error

    def _gone(self) -> LinkLostError:
        return LinkLostError(
            "its SPI device is gone",
            self._settings.where,
            "Check that SPI is switched on; it is tried again by itself.",
        )

    def _fail(self, error: DriverError) -> None:
        self.error = error
        self.down.set()
