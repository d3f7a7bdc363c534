"""The readers of one table that share the air, swept as one `TagReader`: whose turn it is,
reconnection, health. Of whatever make they are: a reader is a `ReaderLink` here.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Protocol, Self

from drivers.contracts import Clock, Sleep
from drivers.errors import (
    AntennaRefusedError,
    DriverError,
    FirmwareUnknownError,
    MisconfiguredError,
)
from drivers.readings import Health, HealthState, Outcome, Poll
from drivers.rf import RfMutex, Transmitter
from drivers.sweep import SweepScheduler

BACKOFF_S = (0.25, 0.5, 1.0, 2.0, 5.0)
"""Pauses before the port is tried again; the last one repeats."""

FORBIDDEN = (
    "its enable line cannot be switched on, so it may not transmit. See what is said of the "
    "inputs; it is tried again by itself."
)


class Dwell(Protocol):
    """How long a reader that reports by itself stays on in its turn, seconds."""

    @property
    def dwell_s(self) -> float: ...


class ReaderLink(Transmitter, Protocol):
    """One reader. `ports`: antenna number at the table to the reader's port. `push`: None if it is
    polled; else it reports by itself and is listened to. `down` is set, with `error`, when it is
    lost; `open` is tried again then."""

    @property
    def ports(self) -> Mapping[int, int]: ...

    @property
    def push(self) -> Dwell | None: ...

    @property
    def down(self) -> asyncio.Event: ...

    @property
    def error(self) -> DriverError | None: ...

    @property
    def up(self) -> bool:
        """It is open and has been set up."""
        ...

    @property
    def introduction(self) -> str:
        """How it is known to be there, such as ``it answers, firmware 2.56.2249``."""
        ...

    async def open(self) -> None:
        """Open the port and set the reader up. Raises DriverError; the port is closed then."""
        ...

    def close(self) -> Awaitable[None] | None:
        """Close the port; what is given back, if anything, is waited for."""
        ...

    async def poll(self, antenna: int) -> Poll:
        """One look. Raises DriverError when the reader is lost."""
        ...

    async def listen(self, until: float) -> list[Poll]:
        """What it reports by itself: the next portion, or none by `until`."""
        ...


class ReaderTable:
    """All readers of one table that share the air, swept as one: a `TagReader`.

    Readers that are absent or die are reported and tried again; the others go on. Only one of them
    transmits at any time. `companions` are opened before the ports and closed after them.
    """

    def __init__(
        self,
        links: Sequence[ReaderLink],
        scheduler: SweepScheduler,
        *,
        mutex: RfMutex | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        backoff_s: Sequence[float] = BACKOFF_S,
        companions: Sequence[AbstractAsyncContextManager[object]] = (),
    ) -> None:
        self.links = tuple(links)
        self.scheduler = scheduler
        self._mutex = mutex or RfMutex()
        self._clock = clock
        self._sleep = sleep
        self._backoff_s = tuple(backoff_s)
        self._companions = tuple(companions)
        self._link_of = {antenna: link for link in self.links for antenna in link.ports}
        if set(self._link_of) != set(scheduler.antennas):
            raise MisconfiguredError(
                "the sweep and the readers do not name the same antennas",
                "table",
                "Give each antenna of the layout one reader and one port.",
            )
        self._health: dict[str, Health] = {}
        self._forbidden: set[str] = set()
        self._news: deque[Health] = deque()
        self._changed = asyncio.Event()
        self._keepers: list[asyncio.Task[None]] = []
        self._stay: tuple[ReaderLink, float] | None = None
        self._had_turn: ReaderLink | None = None
        self._open = AsyncExitStack()

    @property
    def antennas(self) -> tuple[int, ...]:
        return self.scheduler.antennas

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(self._health.values())

    def focus(self, antennas: Sequence[int]) -> None:
        self.scheduler.focus(antennas)

    def only(self, antenna: int | None) -> None:
        self.scheduler.only(antenna)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            for companion in self._companions:
                await opening.enter_async_context(companion)
            self._open = opening.pop_all()
        for link in self.links:
            keeper = asyncio.create_task(self._keep(link), name=f"keep {link.name}")
            keeper.add_done_callback(lambda _: self._changed.set())
            self._keepers.append(keeper)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._keepers.clear()
        for link in self.links:
            await link.quiet()
            await _closed(link)
            self._mutex.gone(link)
        await self._open.aclose()

    async def readings(self) -> AsyncIterator[Poll | Health]:
        """See `TagReader.readings`."""
        while True:
            while self._news:
                yield self._news.popleft()
            for keeper in self._keepers:
                if keeper.done():
                    keeper.result()
            link, antenna = self._next()
            if link is None:
                await self._changed.wait()
                self._changed.clear()
                continue
            try:
                async with self._mutex.turn(link):
                    polls = (
                        [await link.poll(antenna)]
                        if link.push is None
                        else await link.listen(self._until(link, link.push))
                    )
            except DriverError:
                # The keeper, woken by the link, says what happened and tries again.
                await asyncio.sleep(0)
                continue
            permitted = self._mutex.permits.permitted(link.name)
            self._report_permit(link, permitted)
            for poll in polls:
                yield poll if permitted else unproven(poll)

    def _next(self) -> tuple[ReaderLink | None, int]:
        """Whose turn it is; (None, 0) if every reader is lost."""
        if self._stay is not None:
            link, until = self._stay
            if link.up and self._clock() < until:
                return link, 0
            self._stay, self._had_turn = None, link
        up = [link for link in self.links if link.up]
        if not up:
            return None, 0
        alone = self.scheduler.alone
        if alone is not None and (link := self._link_of[alone]) in up:
            self._had_turn = None
            return link, alone
        if self._had_turn is not None and len(up) > 1:
            up = [link for link in up if link is not self._had_turn]
        while True:
            antenna = self.scheduler.next_of_all()
            link = self._link_of[antenna]
            if link in up:
                self._had_turn = None
                return link, antenna

    def _until(self, link: ReaderLink, push: Dwell) -> float:
        """How long to listen to a reader that reports by itself; it stays on for its whole turn."""
        if self._stay is None:
            self._stay = (link, self._clock() + push.dwell_s)
        return self._stay[1]

    async def _keep(self, link: ReaderLink) -> None:
        """Opens a reader, waits until it is lost, opens it again, for ever."""
        tries = 0
        while True:
            try:
                await link.open()
            except DriverError as error:
                self._report(link, HealthState.LOST, str(error))
                last = len(self._backoff_s) - 1
                hopeless = isinstance(
                    error, (MisconfiguredError, FirmwareUnknownError, AntennaRefusedError)
                )
                pause_s = self._backoff_s[last if hopeless else min(tries, last)]
                tries += 1
                await self._sleep(pause_s)
                continue
            tries = 0
            self._report(link, HealthState.OK, link.introduction)
            await link.down.wait()
            self._report(link, HealthState.LOST, str(link.error))
            await _closed(link)
            self._mutex.gone(link)
            await self._sleep(self._backoff_s[0])

    def _report_permit(self, link: ReaderLink, permitted: bool) -> None:
        """Tells that a reader's enable line fails it, and that it does so no longer."""
        if not permitted and link.up:
            self._forbidden.add(link.name)
            self._report(link, HealthState.LOST, FORBIDDEN)
        elif permitted and link.name in self._forbidden:
            self._forbidden.discard(link.name)
            if link.up:
                self._report(link, HealthState.OK, link.introduction)

    def _report(self, link: ReaderLink, state: HealthState, reason: str) -> None:
        """Tells a change of state once, however often the port is tried."""
        before = self._health.get(link.name)
        if before is not None and (before.state, before.reason) == (state, reason):
            return
        first_loss = before is None or before.state is not state
        health = Health(link.name, state, reason, self._clock(), tuple(sorted(link.ports)))
        self._health[link.name] = health
        if first_loss:
            self._news.append(health)
        self._changed.set()


def unproven(poll: Poll) -> Poll:
    """What a look says whose transmitter may have been off: what answered was there, and silence
    proves nothing."""
    if poll.outcome is Outcome.EMPTY:
        return poll._replace(outcome=Outcome.NOISE)
    return poll._replace(complete=False)


async def _closed(link: ReaderLink) -> None:
    rest = link.close()
    if rest is not None:
        await rest
