"""Pepper readers: polled, or reporting by themselves.

What is said to a reader is decided in `pepper_session`; the bytes are moved by `WireLink`, and
`ReaderTable` (`PepperTable` here) sweeps them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from drivers.contracts import Clock
from drivers.errors import DriverError, MisconfiguredError
from drivers.readings import Outcome, Poll, Uid
from drivers.rfid.link import LOST_AFTER_POLLS as LOST_AFTER_POLLS
from drivers.rfid.link import WireLink
from drivers.rfid.pepper_codec import JsonPush, Push
from drivers.rfid.pepper_session import PepperSession, PepperSettings, Procedure, SessionCounts
from drivers.rfid.table import BACKOFF_S as BACKOFF_S
from drivers.rfid.table import ReaderTable
from drivers.rfid.wires import Connect

Mode = Literal["polled", "json", "binary"]

PUSH_AGE_S = 0.4
"""A pushed report tells of a tag that was in the field at most so long ago."""
PUSH_QUIET_S = 2.0
"""A reader that reports by itself and says nothing for so long is told its task anew."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """How a reader that reports by itself takes turns with the others of its table."""

    form: Literal["json", "binary"]
    dwell_s: float = 0.4


PepperTable = ReaderTable
"""All Pepper readers of one table, swept as one."""


class PepperLink(WireLink[PepperSession]):
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
        super().__init__(
            name, connect, ports, settings.where, lambda: PepperSession(settings), clock=clock
        )
        self.push = push
        self.strangers = 0
        self._settings = settings
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
    def counts(self) -> SessionCounts:
        """What went wrong on the link since it was last opened."""
        return self.session.counts

    @property
    def introduction(self) -> str:
        return f"it answers, firmware {self.session.version}"

    def _greet(self) -> Procedure[str]:
        return self.session.hello()

    def _look(self, antenna: int) -> Procedure[tuple[Uid, ...] | None]:
        return self.session.poll(self.ports[antenna])

    def _hush(self) -> Procedure[bool]:
        if self._pushing:
            self._pushing = False
            return self.session.stop_push()
        return self.session.quiet()

    async def _set_up(self) -> None:
        self._pushing = False
        await super()._set_up()
        if self.push and not await self._run(self.session.prepare_push(self.push.form)):
            raise MisconfiguredError(
                f"it refuses to report by itself as {self.push.form}",
                self._settings.where,
                'Use mode "polled".',
            )

    async def listen(self, until: float) -> list[Poll]:
        """What the reader reports by itself: the next portion, or none by `until`. Raises
        DriverError like `poll`."""
        try:
            return await self._listen(until)
        except DriverError as error:
            self._fail(error)
            raise

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
