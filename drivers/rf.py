"""One transmitter at a time. Two HF readers under one table disturb each other, so a reader
transmits only in its turn, and whoever had the turn before switches its transmitter off first.

Source: reader-to-reader distance advice of NXP (three antenna diameters) and Phidgets (one active
at a time).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

from drivers.contracts import Sleep

T = TypeVar("T")

Drive = Callable[[str, bool], bool]
"""Drives the enable lines of a reader, on or off; whether they are driven so now."""


class RfTurns(Generic[T]):
    """Who may transmit; the decision alone, without waiting."""

    __slots__ = ("holder",)

    def __init__(self) -> None:
        self.holder: T | None = None

    def must_quiet(self, who: T) -> T | None:
        """Who has to switch off before `who` may transmit; None if the air is free or already
        `who`'s."""
        return None if self.holder is None or self.holder is who else self.holder

    def take(self, who: T) -> None:
        """`who` transmits from now on."""
        self.holder = who

    def gone(self, who: T) -> None:
        """`who` no longer transmits (switched off, or lost and out of our reach)."""
        if self.holder is who:
            self.holder = None


class RfPermits:
    """Enable lines of the readers' transmitters: a line is on only while its reader may transmit.

    readers: names of those that have one; the others need no permit. settle_s: from a line's
    switching on to the first look. Whoever holds the lines joins with `attach` while they are open.
    """

    def __init__(
        self,
        readers: Collection[str] = (),
        settle_s: float = 0.0,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.readers = frozenset(readers)
        self._settle_s = settle_s
        self._sleep = sleep
        self._drive: Drive | None = None
        self._on: set[str] = set()

    def attach(self, drive: Drive) -> None:
        """The lines are open, and all of them off."""
        self._drive = drive
        self._on.clear()

    def detach(self) -> None:
        """The lines are lost or closed: none of them is on for certain."""
        self._drive = None
        self._on.clear()

    async def permit(self, reader: str) -> None:
        """Returns when its line, if it has one, has been on for long enough, or cannot be driven:
        `permitted` tells which."""
        if reader not in self.readers or reader in self._on or self._drive is None:
            return
        drive = self._drive
        if not drive(reader, True):
            return
        await self._sleep(self._settle_s)
        if self._drive is drive:  # else they got lost meanwhile
            self._on.add(reader)

    def forbid(self, reader: str) -> None:
        """Its line is off from now on."""
        self._on.discard(reader)
        if reader in self.readers and self._drive is not None:
            self._drive(reader, False)

    def permitted(self, reader: str) -> bool:
        """Whether it has been able to transmit ever since `permit`."""
        return reader in self._on or reader not in self.readers


class Transmitter(Protocol):
    @property
    def name(self) -> str: ...

    async def quiet(self) -> None:
        """Switch the field off. Returns when it is off or the device is out of reach; never raises
        DriverError."""
        ...


class RfMutex:
    """One per table, shared by all HF readers of it, of whatever make. permits: the enable lines of
    their transmitters."""

    def __init__(self, permits: RfPermits | None = None) -> None:
        self.permits = permits or RfPermits()
        self._turns: RfTurns[Transmitter] = RfTurns()
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, who: Transmitter) -> AsyncIterator[None]:
        """`who` alone may transmit inside the block. Its field may stay on afterwards: the next
        one's turn quiets it."""
        async with self._lock:
            other = self._turns.must_quiet(who)
            if other is not None:
                await other.quiet()
                self.permits.forbid(other.name)
            self._turns.take(who)
            await self.permits.permit(who.name)
            yield

    def gone(self, who: Transmitter) -> None:
        """`who` was closed or lost; nobody needs to wait for it."""
        self._turns.gone(who)
        self.permits.forbid(who.name)
