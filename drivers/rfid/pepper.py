"""Pepper readers of one table as one `TagReader`: ports, reconnection, health, and whose turn it
is.

What is said to a reader is decided in `pepper_session`; this is the rim that moves the bytes.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

from drivers.contracts import Clock, Sleep
from drivers.errors import (
    AntennaRefusedError,
    DeviceSilentError,
    DriverError,
    FirmwareUnknownError,
    MisconfiguredError,
)
from drivers.readings import Health, HealthState, Outcome, Poll, Uid
from drivers.rf import RfMutex
from drivers.rfid.pepper_codec import JsonPush, Push
from drivers.rfid.pepper_session import PepperSession, PepperSettings, Procedure, SessionCounts
from drivers.rfid.wires import Connect, Wire
from drivers.sweep import SweepScheduler

Mode = Literal["polled", "json", "binary"]

LOST_AFTER_POLLS = 6
"""Polls in a row without one answer after which a reader counts as lost. A restart takes fewer."""
BACKOFF_S = (0.25, 0.5, 1.0, 2.0, 5.0)
"""Pauses before the port is tried again; the last one repeats."""
PUSH_AGE_S = 0.4
"""A pushed report tells of a tag that was in the field at most so long ago."""
PUSH_QUIET_S = 2.0
"""A reader that reports by itself and says nothing for so long is told its task anew."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """How a reader that reports by itself takes turns with the others of its table."""

    form: Literal["json", "binary"]
    dwell_s: float = 0.4


class PepperLink:
    """One reader: its port, its session, its antennas.

    name: as in the configuration. ports: antenna number at the table to the reader's port.
    push: None to poll it; else it reports by itself, and its polls are incomplete.
    Raises MisconfiguredError if the antennas do not fit the reader or the mode.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        ports: Mapping[int, int],
        settings: PepperSettings,
        *,
        push: PushPlan | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        self.ports = dict(ports)
        self.push = push
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.strangers = 0
        self.session = PepperSession(settings)
        self._connect = connect
        self._settings = settings
        self._clock = clock
        self._wire: Wire | None = None
        self._ready = False
        self._pushing = False
        self._heard_at = 0.0
        self._antenna_at = {port: antenna for antenna, port in self.ports.items()}
        self._check()

    def _check(self) -> None:
        where, ports = self._settings.where, self.ports
        if not ports or len(self._antenna_at) != len(ports):
            raise MisconfiguredError(
                "its antennas need ports, each of its own", where, "Give each antenna one port."
            )
        allowed = range(1, 9) if self._settings.switching else range(1, 2)
        wrong = sorted(port for port in ports.values() if port not in allowed)
        if wrong:
            raise MisconfiguredError(
                f"it has no antenna port {wrong[0]}",
                where,
                "Allowed are 1 to 8 with driver pepper-c1-mux, and only 1 with pepper-c1.",
            )
        if self.push is not None and self.push.form == "binary" and len(ports) > 1:
            raise MisconfiguredError(
                "binary reports do not say which antenna they come from",
                where,
                'Use mode "polled" or "json", or give the reader one antenna.',
            )

    @property
    def up(self) -> bool:
        """The port is open and the reader has been set up."""
        return self._ready and not self.down.is_set()

    @property
    def counts(self) -> SessionCounts:
        """What went wrong on the link since it was last opened."""
        return self.session.counts

    async def open(self) -> None:
        """Open the port and set the reader up. Raises DriverError; the port is closed then."""
        self.down.clear()
        self.error = None
        self._pushing = False
        self.session = PepperSession(self._settings)
        self._wire = await self._connect()
        try:
            await self._run(self.session.hello())
            if self.push and not await self._run(self.session.prepare_push(self.push.form)):
                raise MisconfiguredError(
                    f"it refuses to report by itself as {self.push.form}",
                    self._settings.where,
                    'Use mode "polled".',
                )
        except BaseException:
            self.close()
            raise
        self._ready = True

    def close(self) -> None:
        """Close the port. Does nothing if it is closed."""
        self._ready = False
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    async def poll(self, antenna: int) -> Poll:
        """One look of one of our antennas. Raises DriverError when the reader is lost, and is
        `down` then."""
        started = self._clock()
        try:
            uids: tuple[Uid, ...] | None = await self._run(self.session.poll(self.ports[antenna]))
            if self.session.silent_polls >= LOST_AFTER_POLLS:
                raise self._silent()
        except DriverError as error:
            self._fail(error)
            raise
        ended = self._clock()
        if uids is None:
            return Poll(antenna, (), Outcome.NOISE, started, ended)
        return Poll(antenna, uids, Outcome.SEEN if uids else Outcome.EMPTY, started, ended)

    async def listen(self, until: float) -> list[Poll]:
        """What the reader reports by itself: the next portion, or none by `until`. Raises
        DriverError like `poll`."""
        try:
            return await self._listen(until)
        except DriverError as error:
            self._fail(error)
            raise

    async def quiet(self) -> None:
        """Field off. Returns when the reader confirmed it, does not, or is out of reach."""
        if not self.up:
            return
        try:
            if self._pushing:
                self._pushing = False
                await self._run(self.session.stop_push())
            else:
                await self._run(self.session.quiet())
        except DriverError as error:
            self._fail(error)

    async def _listen(self, until: float) -> list[Poll]:
        assert self.push is not None
        session = self.session
        if not self._pushing:
            if not await self._run(session.push(self.push.form)):
                if not await self._run(session.ping()):
                    raise self._silent()
                return []
            self._pushing = True
            self._heard_at = self._clock()
        now = self._clock()
        data = await self._open_wire().read(until - now)
        now = self._clock()
        if data:
            self._heard_at = now
            session.feed(data, now)
        elif now - self._heard_at > PUSH_QUIET_S:
            # Nothing lies there, or it restarted and forgot its task: the task is given anew, and a
            # reader that is gone shows by not answering.
            self._pushing = False
        return [
            poll
            for push in session.take_pushes()
            if (poll := self._reported(push, now)) is not None
        ]

    def _reported(self, push: Push, now: float) -> Poll | None:
        port = push.antenna if isinstance(push, JsonPush) else None
        if port is None and len(self._antenna_at) == 1:
            port = next(iter(self._antenna_at))
        antenna = None if port is None else self._antenna_at.get(port)
        if antenna is None:
            self.strangers += 1
            return None
        uid = Uid(push.uid[::-1]) if self._settings.reversed_uids else push.uid
        return Poll(antenna, (uid,), Outcome.SEEN, now - PUSH_AGE_S, now, complete=False)

    async def _run(self, procedure: Procedure[Any]) -> Any:
        session, wire, clock = self.session, self._open_wire(), self._clock
        try:
            stale = wire.take()
            if stale:
                session.feed(stale, clock())
            out = session.start(procedure, clock())
            while True:
                if out:
                    wire.write(out)
                if not session.busy:
                    return session.result
                data = await wire.read(session.deadline - clock())
                out = session.feed(data, clock()) if data else session.tick(clock())
        finally:
            if session.busy:
                session.cancel()

    def _open_wire(self) -> Wire:
        if self._wire is None:
            raise DeviceSilentError(
                "its port is closed", self._settings.where, "It is tried again by itself."
            )
        return self._wire

    def _silent(self) -> DeviceSilentError:
        return DeviceSilentError(
            "it no longer answers",
            self._settings.where,
            "Check its cable and power; it is tried again by itself.",
        )

    def _fail(self, error: DriverError) -> None:
        self.error = error
        self.down.set()


class PepperTable:
    """All Pepper readers of one table, swept as one: a `TagReader`.

    Readers that are absent or die are reported and tried again; the others go on. Only one of them
    transmits at any time. `companions` are opened before the ports and closed after them.
    """

    def __init__(
        self,
        links: Sequence[PepperLink],
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
        self._news: deque[Health] = deque()
        self._changed = asyncio.Event()
        self._keepers: list[asyncio.Task[None]] = []
        self._stay: tuple[PepperLink, float] | None = None
        self._had_turn: PepperLink | None = None
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
            link.close()
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
            for poll in polls:
                yield poll

    def _next(self) -> tuple[PepperLink | None, int]:
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

    def _until(self, link: PepperLink, push: PushPlan) -> float:
        """How long to listen to a reader that reports by itself; it stays on for its whole turn."""
        if self._stay is None:
            self._stay = (link, self._clock() + push.dwell_s)
        return self._stay[1]

    async def _keep(self, link: PepperLink) -> None:
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
            self._report(link, HealthState.OK, f"it answers, firmware {link.session.version}")
            await link.down.wait()
            self._report(link, HealthState.LOST, str(link.error))
            link.close()
            self._mutex.gone(link)
            await self._sleep(self._backoff_s[0])

    def _report(self, link: PepperLink, state: HealthState, reason: str) -> None:
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
