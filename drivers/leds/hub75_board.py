"""A HUB75 panel as a `LedBoard`: starts `drivers.leds.hub75`, feeds it, and starts it again when it
dies."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from drivers.contracts import Clock
from drivers.errors import (
    DeviceSilentError,
    DriverError,
    LinkLostError,
    MisconfiguredError,
    PortUnavailableError,
)
from drivers.leds.hub75 import HEADER, SILENCE_S
from drivers.readings import Health, HealthState

START_S = 20.0
"""How long a library may take to start; a Pi with a cold card takes some seconds."""
ANSWER_S = 0.5
"""How long a picture may take: the table waits for it."""
RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Panel:
    """How the panel hangs on the Pi. library: "auto", rgbmatrix or piomatter. hat: the wiring, by
    rgbmatrix's name for it. brightness: 0 to 1. slowdown: of the Pi's lines, for panels that
    flicker. silence_s: without a picture for so long, it shows its own sign."""

    library: str = "auto"
    hat: str = "adafruit-hat"
    brightness: float = 0.3
    slowdown: int = 2
    silence_s: float = SILENCE_S


class Hub75Board:
    """A HUB75 panel."""

    def __init__(
        self,
        name: str,
        width: int,
        height: int,
        panel: Panel,
        *,
        clock: Clock = time.monotonic,
        retry_s: float = RETRY_S,
        start_s: float = START_S,
        answer_s: float = ANSWER_S,
    ) -> None:
        self.name = name
        self._width, self._height = width, height
        self._panel = panel
        self._clock = clock
        self._retry_s = retry_s
        self._start_s = start_s
        self._answer_s = answer_s
        self._process: Process | None = None
        self._library = ""
        self._number = 0
        self._failed: DriverError | None = None
        self._health: Health | None = None
        self._turn = asyncio.Lock()
        self._up, self._down = asyncio.Event(), asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def width(self) -> int:
        return self._width

    @property
    def height(self) -> int:
        return self._height

    @property
    def library(self) -> str:
        """The one that drives it; "" before it was started."""
        return self._library

    @property
    def health(self) -> tuple[Health, ...]:
        return () if self._health is None else (self._health,)

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except MisconfiguredError:
            raise
        except DriverError as error:
            await self._fail(error)
        self._keeper = asyncio.create_task(self._keep(), name=f"keep {self.name}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
        async with self._turn:
            await self._end()

    async def show(self, pixels: bytes) -> None:
        """See `LedBoard.show`. Raises DriverError while the panel is lost; its process is started
        again meanwhile. Raises ValueError for a picture of another size."""
        if len(pixels) != self._width * self._height * 3:
            raise ValueError(f"{self.name} shows {self._width} x {self._height} lamps")
        if self._keeper is None:
            raise PortUnavailableError("it is not open", self.name, "Open it first.")
        if self._failed is not None:
            raise self._failed
        async with self._turn:
            try:
                await self._show(pixels)
            except DriverError as error:
                await self._fail(error)
                raise

    async def ready(self) -> None:
        """Returns when the panel is driven."""
        await self._up.wait()

    # ---- inside

    async def _keep(self) -> None:
        """Starts the process again whenever it is lost."""
        while True:
            await self._down.wait()
            await asyncio.sleep(self._retry_s)
            async with self._turn:
                self._down.clear()
                try:
                    await self._start()
                except DriverError as error:
                    await self._fail(error)

    async def _start(self) -> None:
        panel = self._panel
        options: dict[str, object] = {
            "width": self._width,
            "height": self._height,
            "library": panel.library,
            "hat": panel.hat,
            "brightness": panel.brightness,
            "slowdown": panel.slowdown,
            "silence": panel.silence_s,
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "drivers.leds.hub75",
            *arguments,
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,  # Ctrl-C is for us: it goes dark when we do
            env={**os.environ, "PYTHONPATH": path},
        )
        said = await self._heard(self._start_s)
        if "ready" not in said:
            what, remedy = str(said.get("what")), str(said.get("remedy"))
            kind = MisconfiguredError if said.get("hopeless") else PortUnavailableError
            await self._end()
            raise kind(what, self.name, remedy)
        self._library = str(said["ready"])
        self._failed = None
        self._up.set()
        self._health = Health(
            self.name, HealthState.OK, f"driven by {self._library}", self._clock()
        )

    async def _show(self, pixels: bytes) -> None:
        if self._process is None:
            raise self._failed or self._died()
        assert self._process.stdin is not None
        self._number = (self._number + 1) & 0xFFFFFFFF
        try:
            self._process.stdin.write(HEADER.pack(b"F", self._number, len(pixels)) + pixels)
            await self._process.stdin.drain()
        except OSError as error:
            raise self._died() from error
        while (await self._heard(self._answer_s)).get("shown") != self._number:
            continue  # an answer that somebody no longer waited for

    async def _heard(self, within_s: float) -> dict[str, Any]:
        """The process's next line. Raises DriverError if it dies or stays silent."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(within_s):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise DeviceSilentError(
                "its process does not answer", self.name, "It is started again by itself."
            ) from None
        if not line:
            raise self._died()
        said: dict[str, Any] = json.loads(line)
        return said

    def _died(self) -> LinkLostError:
        return LinkLostError(
            "its process has ended", self.name, "It is started again by itself; see its messages."
        )

    async def _fail(self, error: DriverError) -> None:
        await self._end()
        self._failed = error
        self._up.clear()
        self._down.set()
        self._health = Health(self.name, HealthState.LOST, str(error), self._clock())

    async def _end(self) -> None:
        """Let it go dark and end; if it does not, end it."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(4 * self._answer_s):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        with suppress(OSError):
            await process.stdin.wait_closed()
