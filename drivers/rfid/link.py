"""One reader on a wire: opening, exchange of bytes, loss. What is said is its session's business.

A driver subclasses `WireLink`, says how it greets its reader and looks at an antenna, and is then
swept by a `ReaderTable`.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from drivers.contracts import Clock
from drivers.errors import DeviceSilentError, DriverError
from drivers.readings import Outcome, Poll, Uid
from drivers.rfid.wires import Connect, Wire

LOST_AFTER_POLLS = 6
"""Polls in a row without one answer after which a reader counts as lost. A restart takes fewer."""


class Session(Protocol):
    """A conversation without I/O: see `drivers.rfid.pepper_session` for how it is driven."""

    deadline: float
    result: Any
    silent_polls: int

    @property
    def busy(self) -> bool: ...

    def start(self, procedure: Any, now: float) -> bytes: ...

    def feed(self, data: bytes, now: float) -> bytes: ...

    def tick(self, now: float) -> bytes: ...

    def cancel(self) -> None: ...


S = TypeVar("S", bound=Session)


def poll_of(antenna: int, uids: tuple[Uid, ...] | None, started: float, ended: float) -> Poll:
    """A complete look; None for one that was not clean."""
    if uids is None:
        return Poll(antenna, (), Outcome.NOISE, started, ended)
    return Poll(antenna, uids, Outcome.SEEN if uids else Outcome.EMPTY, started, ended)


def silent(where: str) -> DeviceSilentError:
    """A reader that does not answer any more."""
    return DeviceSilentError(
        "it no longer answers",
        where,
        "Check its cable and power; it is tried again by itself.",
    )


class WireLink(ABC, Generic[S]):
    """One reader: its wire, its session, its antennas; `poll` one, until it is `down`.

    name: as in the configuration. ports: antenna number at the table to the reader's port. where:
    the reader for messages. session: makes the conversation of a fresh link.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        ports: Mapping[int, int],
        where: str,
        session: Callable[[], S],
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        self.ports = dict(ports)
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.session = session()
        self._fresh = session
        self._connect = connect
        self._where = where
        self._clock = clock
        self._wire: Wire | None = None
        self._ready = False

    @property
    def up(self) -> bool:
        """The port is open and the reader has been set up."""
        return self._ready and not self.down.is_set()

    @property
    @abstractmethod
    def introduction(self) -> str:
        """How it is known to be there."""

    @abstractmethod
    def _greet(self) -> Any:
        """The procedure that sets the reader up."""

    @abstractmethod
    def _look(self, antenna: int) -> Any:
        """The procedure of one look: the tags, or None if it was not clean."""

    @abstractmethod
    def _hush(self) -> Any:
        """The procedure that switches the field off."""

    async def open(self) -> None:
        """Open the port and set the reader up. Raises DriverError; the port is closed then."""
        self.down.clear()
        self.error = None
        self.session = self._fresh()
        self._wire = await self._connect()
        try:
            await self._set_up()
        except BaseException:
            self.close()
            raise
        self._ready = True

    async def _set_up(self) -> None:
        await self._run(self._greet())

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
            uids: tuple[Uid, ...] | None = await self._run(self._look(antenna))
            if self.session.silent_polls >= LOST_AFTER_POLLS:
                raise self._silent()
        except DriverError as error:
            self._fail(error)
            raise
        return poll_of(antenna, uids, started, self._clock())

    async def quiet(self) -> None:
        """Field off. Returns when the reader confirmed it, does not, or is out of reach."""
        if not self.up:
            return
        try:
            await self._run(self._hush())
        except DriverError as error:
            self._fail(error)

    async def _run(self, procedure: Any) -> Any:
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
                "its port is closed", self._where, "It is tried again by itself."
            )
        return self._wire

    def _silent(self) -> DeviceSilentError:
        return silent(self._where)

    def _fail(self, error: DriverError) -> None:
        self.error = error
        self.down.set()
