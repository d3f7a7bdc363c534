"""A PN532 on a serial port: one antenna, at most two tags at once, ISO 14443 A only.

So it serves seats of a game with two hole cards; with more cards it would pass a third one over in
silence. The chip does not tell a garbled answer from none either: its empty looks are a little
weaker evidence than a Pepper's, which shows in the antenna's measured miss rate.
"""

from __future__ import annotations

import time

from drivers.contracts import Clock
from drivers.errors import MisconfiguredError
from drivers.readings import Poll, Uid
from drivers.rfid.link import WireLink
from drivers.rfid.pn532_session import Pn532Session, Pn532Settings, Procedure
from drivers.rfid.wires import Connect


class Pn532Link(WireLink[Pn532Session]):
    """One reader. antenna: its number at the table. Its field is on during a look only."""

    push = None

    def __init__(
        self,
        name: str,
        connect: Connect,
        antenna: int,
        settings: Pn532Settings,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__(
            name, connect, {antenna: 1}, settings.where, lambda: Pn532Session(settings), clock=clock
        )

    @property
    def introduction(self) -> str:
        return f"it answers, PN532 firmware {self.session.version}"

    def _greet(self) -> Procedure[str]:
        return self.session.hello()

    def _look(self, antenna: int) -> Procedure[tuple[Uid, ...] | None]:
        return self.session.poll()

    def _hush(self) -> Procedure[bool]:
        return self.session.quiet()

    async def listen(self, until: float) -> list[Poll]:
        raise MisconfiguredError(
            "a PN532 does not report by itself", self._where, 'Use mode "polled".'
        )
