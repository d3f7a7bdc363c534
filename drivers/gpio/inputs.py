"""The table's inputs on the Pi's own lines: an `Inputs` device over any GPIO library."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Self

from drivers.contracts import Clock, Sleep
from drivers.errors import DriverError, MisconfiguredError
from drivers.gpio.lines import Edge, InputLine, Library, Lines, OutputLine
from drivers.gpio.switches import Said, Switches, unknown
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading
from drivers.rf import RfPermits

BACKOFF_S = (1.0, 2.0, 5.0, 10.0)
LOOK_S = 1.0
"""How often all levels are read, whatever the edges say: the kernel keeps 16 edges a line and drops
the rest, and a chip that is gone may say nothing at all."""


class GpioInputs:
    """Keys, chairs and the dealer button on GPIO lines: an `Inputs`.

    A chip that is absent or a line that somebody holds is reported and tried again, and meanwhile
    seats and button are told as unknown; a configuration that can never work raises
    MisconfiguredError at opening. Outputs of readers that `permits` knows follow the readers'
    turns; the others are active while the lines are open. name: of the device, in its health.
    """

    def __init__(
        self,
        library: Library,
        inputs: Sequence[InputLine],
        outputs: Sequence[OutputLine] = (),
        *,
        name: str = "inputs",
        permits: RfPermits | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        backoff_s: Sequence[float] = BACKOFF_S,
        look_s: float = LOOK_S,
    ) -> None:
        self.name = name
        self._permits = permits or RfPermits()
        self._library = library
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._clock = clock
        self._sleep = sleep
        self._backoff_s = tuple(backoff_s)
        self._look_s = look_s
        self._lines: Lines | None = None
        self._switches: Switches | None = None
        self._error: DriverError | None = None
        self._known: bool | None = None  # where everything stands; None: nothing was told yet
        self._health: dict[str, Health] = {}
        self._news: deque[Said] = deque()
        self._said = asyncio.Event()
        self._woken = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(self._health.values())

    async def __aenter__(self) -> Self:
        try:
            self._open()
        except MisconfiguredError:
            raise
        except DriverError as error:
            self._error = error
        self._keeper = asyncio.create_task(self._keep(), name=f"keep {self.name}")
        self._keeper.add_done_callback(lambda _: self._said.set())
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
        self._close()

    async def readings(self) -> AsyncIterator[ButtonReading | SeatReading | KeyPress | Health]:
        """See `Inputs.readings`. Begins with where everything stands, and again whenever the lines
        were lost."""
        while True:
            while self._news:
                yield self._news.popleft()
            if self._keeper is not None and self._keeper.done():
                self._keeper.result()
            self._said.clear()
            await self._said.wait()

    # ---- inside

    def _open(self) -> None:
        lines = self._library.open(self._inputs, self._outputs, self._told)
        try:
            for place, output in enumerate(self._outputs):
                if output.rf_enable not in self._permits.readers:
                    lines.switch(place, output.active == "high")
            at = self._clock()
            switches = Switches(self._inputs, lines.levels(), at)
        except BaseException:
            lines.close()
            raise
        self._lines, self._switches, self._error = lines, switches, None
        self._permits.attach(self._drive)
        count = len(self._inputs) + len(self._outputs)
        self._say([Health(self.name, HealthState.OK, f"{count} lines are open", at)])
        self._known = True
        self._say(switches.first())

    def _close(self) -> None:
        lines, self._lines, self._switches = self._lines, None, None
        if lines is None:
            return
        self._permits.detach()
        try:
            for place, output in enumerate(self._outputs):
                lines.switch(place, output.active != "high")
        except DriverError:
            pass  # lost: there is nothing to switch off
        lines.close()

    def _drive(self, reader: str, on: bool) -> bool:
        """Drives the outputs of that reader; False when they are lost."""
        if self._lines is None or self._error is not None:
            return False
        try:
            for place, output in enumerate(self._outputs):
                if output.rf_enable == reader:
                    self._lines.switch(place, on == (output.active == "high"))
        except DriverError as error:
            self._told(error)
            return False
        return True

    def _told(self, what: Edge | DriverError) -> None:
        if isinstance(what, DriverError):
            self._error = what
            self._permits.detach()
        elif self._switches is not None:
            self._say(self._switches.edge(what))
        self._woken.set()

    async def _keep(self) -> None:
        """Judges what has settled, looks at all levels now and then, and opens the lines anew when
        they are lost."""
        tries = 0
        look_at = self._clock() + self._look_s
        while True:
            if self._error is not None:
                self._report_lost(self._error)
                self._close()
                await self._sleep(self._backoff_s[min(tries, len(self._backoff_s) - 1)])
                tries += 1
                try:
                    self._open()
                except DriverError as error:
                    self._error = error
                continue
            tries = 0
            now = self._clock()
            if now >= look_at:
                self._look(now)
                look_at = now + self._look_s
            await self._wait(min(look_at, self._settle(now)))

    def _look(self, now: float) -> None:
        if self._lines is None or self._switches is None:
            return
        try:
            levels = self._lines.levels()
        except DriverError as error:
            self._told(error)
        else:
            self._say(self._switches.look(levels, now))

    def _settle(self, now: float) -> float:
        """Says what has settled; answers when to ask again."""
        if self._switches is None or self._error is not None:
            return now
        self._say(self._switches.settle(now))
        due = self._switches.due
        return now + self._look_s if due is None else due

    async def _wait(self, until: float) -> None:
        self._woken.clear()
        try:
            async with asyncio.timeout(max(0.0, until - self._clock())):
                await self._woken.wait()
        except TimeoutError:
            pass

    def _report_lost(self, error: DriverError) -> None:
        before = self._health.get(self.name)
        reason = str(error)
        if before is None or before.state is not HealthState.LOST or before.reason != reason:
            self._say([Health(self.name, HealthState.LOST, reason, self._clock())])
        if self._known is not False:
            self._known = False
            self._say(unknown(self._inputs, self._clock()))

    def _say(self, said: Sequence[Said]) -> None:
        for one in said:
            if isinstance(one, Health):
                self._health[one.device] = one
        self._news.extend(said)
        if said:
            self._said.set()
