"""One transmitter at a time. Two HF readers under one table disturb each other, so a reader
transmits only in its turn, and whoever had the turn before switches its transmitter off first.

Source: reader-to-reader distance advice of NXP (three antenna diameters) and Phidgets (one active
at a time).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


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


class Transmitter(Protocol):
    async def quiet(self) -> None:
        """Switch the field off. Returns when it is off or the device is out of reach; never raises
        DriverError."""
        ...


class RfMutex:
    """One per table, shared by all HF readers of it, of whatever make."""

    def __init__(self) -> None:
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
            self._turns.take(who)
            yield

    def gone(self, who: Transmitter) -> None:
        """`who` was closed or lost; nobody needs to wait for it."""
        self._turns.gone(who)
