"""Boards and lamps on an SPI port: `LedBoard`s that open the port when they can and go on trying
when they cannot."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Self

from drivers.contracts import Clock
from drivers.errors import DriverError, MisconfiguredError, PortUnavailableError
from drivers.leds import max7219, ws2812
from drivers.leds.spi import OpenPort, Port
from drivers.readings import Health, HealthState

RETRY_S = 1.0
RESEND_S = 3.0
"""How often MAX7219 modules are told their working state anew: they lose it to supply dips."""


class _SpiBoard(ABC):
    """What boards on a port have in common. Frames go out in a thread, one at a time."""

    def __init__(
        self, name: str, width: int, height: int, open_port: OpenPort, clock: Clock
    ) -> None:
        self.name = name
        self._width, self._height = width, height
        self._open_port = open_port
        self._clock = clock
        self._port: Port | None = None
        self._failed: tuple[DriverError, float] | None = None
        self._health: Health | None = None
        self._sender: ThreadPoolExecutor | None = None

    @property
    def width(self) -> int:
        return self._width

    @property
    def height(self) -> int:
        return self._height

    @property
    def health(self) -> tuple[Health, ...]:
        return () if self._health is None else (self._health,)

    async def __aenter__(self) -> Self:
        # One thread: what was begun is over before anything else is sent, even if nobody waits.
        self._sender = ThreadPoolExecutor(1, thread_name_prefix=self.name)
        try:
            await self._beside(self._open)
        except MisconfiguredError:
            self._sender.shutdown(wait=False)
            raise
        except DriverError as error:
            self._fail(error)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._beside(self._end)
        sender, self._sender = self._sender, None
        if sender is not None:
            sender.shutdown(wait=False)

    async def show(self, pixels: bytes) -> None:
        """See `LedBoard.show`. Raises DriverError while it is not open, or its port is lost, which
        is tried again at most once a second; ValueError for a picture of another size."""
        if len(pixels) != self._width * self._height * 3:
            raise ValueError(f"{self.name} shows {self._width} x {self._height} lamps")
        if self._sender is None:
            raise PortUnavailableError("it is not open", self.name, "Open it first.")
        if self._failed is not None and self._clock() - self._failed[1] < RETRY_S:
            raise self._failed[0]
        try:
            await self._beside(self._show, pixels)
        except DriverError as error:
            self._fail(error)
            raise

    async def _beside(self, work: Callable[..., None], *arguments: object) -> None:
        await asyncio.get_running_loop().run_in_executor(self._sender, work, *arguments)

    def _show(self, pixels: bytes) -> None:
        if self._port is None:
            self._open()
        assert self._port is not None
        for transfer in self._transfers(pixels):
            self._port.send(transfer)

    def _open(self) -> None:
        self._port = self._open_port()
        self._failed = None
        self._health = Health(self.name, HealthState.OK, "its port is open", self._clock())
        self._opened()

    def _end(self) -> None:
        """Dark, and closed."""
        port, self._port = self._port, None
        if port is None:
            return
        with suppress(DriverError):  # lost: nobody can switch its lamps off
            for transfer in self._dark():
                port.send(transfer)
        port.close()

    def _fail(self, error: DriverError) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()
        self._failed = (error, self._clock())
        self._health = Health(self.name, HealthState.LOST, str(error), self._clock())

    @abstractmethod
    def _opened(self) -> None:
        """The port was opened, at first or anew."""

    @abstractmethod
    def _transfers(self, pixels: bytes) -> Sequence[bytes]:
        """What shows the picture."""

    @abstractmethod
    def _dark(self) -> Sequence[bytes]:
        """What switches all lamps off."""


class Ws2812Board(_SpiBoard):
    """WS2812 lamps, a lamp per seat or a grid. The first frame after a disturbance puts everything
    right: each holds every lamp."""

    def __init__(
        self,
        name: str,
        width: int,
        height: int,
        encoder: ws2812.Encoder,
        open_port: OpenPort,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(name, width, height, open_port, clock)
        self._encoder = encoder

    def _opened(self) -> None:
        return

    def _transfers(self, pixels: bytes) -> Sequence[bytes]:
        return (self._encoder.frame(pixels),)

    def _dark(self) -> Sequence[bytes]:
        return (self._encoder.frame(bytes(self._width * self._height * 3)),)


class Max7219Board(_SpiBoard):
    """A row of MAX7219 modules."""

    def __init__(
        self,
        name: str,
        encoder: max7219.Encoder,
        open_port: OpenPort,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(name, encoder.width, encoder.height, open_port, clock)
        self._encoder = encoder
        self._set_up_at: float | None = None

    def _opened(self) -> None:
        self._set_up_at = None

    def _transfers(self, pixels: bytes) -> Sequence[bytes]:
        now = self._clock()
        rows = self._encoder.rows(pixels)
        if self._set_up_at is not None and now - self._set_up_at < RESEND_S:
            return rows
        self._set_up_at = now
        # The picture first: a module that wakes up shows what it holds.
        return rows + self._encoder.setup()

    def _dark(self) -> Sequence[bytes]:
        return self._encoder.dark()
