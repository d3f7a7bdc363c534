"""An RDM6300 or ID-12LA on a serial port: one antenna, one tag at a time, 125 kHz.

It reports by itself, cannot be asked or switched off, and has no anticollision: a second tag before
it silences both. So it says where a tag *is* and never where one is not, which is enough for a
button puck and nothing for cards. As it cannot be asked, a dead module on a good cable looks like
one with no tag; its port is all that can be seen to be lost.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from drivers.contracts import Clock
from drivers.errors import DriverError, MisconfiguredError
from drivers.readings import Outcome, Poll
from drivers.rfid.em4100_codec import BadFrame, Em4100Decoder
from drivers.rfid.wires import Connect, Wire

AGE_S = 0.2
"""A report tells of a tag that was there at most so long ago: 15 ms on the wire, the rest to be
recognised."""


@dataclass(frozen=True, slots=True)
class Listening:
    """It is listened to all the time, in portions."""

    dwell_s: float = 0.5


class Em4100Link:
    """One module. antenna: its number at the table. damaged: stretches of bytes that were no
    report."""

    def __init__(
        self,
        name: str,
        connect: Connect,
        antenna: int,
        where: str = "reader",
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = name
        self.ports = {antenna: 1}
        self.push = Listening()
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.damaged = 0
        self.introduction = "its port is open; it speaks of tags only"
        self._antenna = antenna
        self._connect = connect
        self._where = where
        self._clock = clock
        self._wire: Wire | None = None
        self._decoder = Em4100Decoder()

    @property
    def up(self) -> bool:
        """The port is open."""
        return self._wire is not None and not self.down.is_set()

    async def open(self) -> None:
        """Open the port. Raises DriverError."""
        self.down.clear()
        self.error = None
        self._decoder = Em4100Decoder()
        wire = await self._connect()
        try:
            wire.take()  # what was said before anybody listened is of no known time
        except BaseException:
            wire.close()
            raise
        self._wire = wire

    def close(self) -> None:
        """Close the port. Does nothing if it is closed."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    async def poll(self, antenna: int) -> Poll:
        raise MisconfiguredError("it cannot be asked", self._where, "It reports by itself.")

    async def listen(self, until: float) -> list[Poll]:
        """The next portion of reports, or none by `until`. Raises DriverError when the port is
        lost."""
        wire = self._wire
        if wire is None:
            return []
        try:
            data = await wire.read(until - self._clock())
        except DriverError as error:
            self.error = error
            self.down.set()
            raise
        now = self._clock()
        heard = self._decoder.feed(data) if data else self._decoder.give_up()
        self.damaged += sum(isinstance(message, BadFrame) for message in heard)
        return [
            Poll(self._antenna, (m.uid,), Outcome.SEEN, now - AGE_S, now, complete=False)
            for m in heard
            if not isinstance(m, BadFrame)
        ]

    async def quiet(self) -> None:
        """It cannot be switched off; on 125 kHz it disturbs no card reader."""
