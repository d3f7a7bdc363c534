"""A desktop NFC reader by PC/SC through `pyscard`, which is an option: for the registration desk.

A look powers the card that lies there, asks for its UID (``FF CA 00 00 00``, PC/SC part 3) and lets
go of it, so each look finds the card anew. The reader names one card, whatever lies there with it:
lay one at a time. That none lies there, it knows.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any, Self

from drivers.contracts import Clock, Sleep
from drivers.errors import (
    DriverError,
    LinkLostError,
    MisconfiguredError,
    PortUnavailableError,
)
from drivers.readings import Poll, Uid
from drivers.rfid.link import poll_of

GET_UID = (0xFF, 0xCA, 0x00, 0x00, 0x00)
DONE = (0x90, 0x00)
UID_SIZES = (4, 7, 8, 10)
PERIOD_S = 0.05
"""A look takes at least this long; an empty reader answers at once."""
ANY = "any"
_ICODE = 0xE0


def reader_names() -> tuple[str, ...]:
    """The PC/SC readers that are attached. Raises DriverError where nobody can say."""
    with _Service() as service:
        return service.names()


class _Service:
    """A connection to the PC/SC service, for one look."""

    def __init__(self) -> None:
        try:
            from smartcard import scard
        except ImportError:
            raise MisconfiguredError(
                "PC/SC readers need the Python package pyscard, which is not installed",
                "PC/SC",
                "Install it with: sudo apt-get install pcscd swig libpcsclite-dev, then "
                "pip install 'burnturn[pcsc]'.",
            ) from None
        self._scard: Any = scard
        self._context: Any = None

    def __enter__(self) -> Self:
        result, self._context = self._scard.SCardEstablishContext(self._scard.SCARD_SCOPE_USER)
        if result != self._scard.SCARD_S_SUCCESS:
            raise PortUnavailableError(
                "the PC/SC service does not answer",
                "PC/SC",
                "Install and start it: sudo apt-get install pcscd; sudo systemctl start pcscd.",
            )
        return self

    def __exit__(self, *ends: object) -> None:
        self._scard.SCardReleaseContext(self._context)

    def names(self) -> tuple[str, ...]:
        result, names = self._scard.SCardListReaders(self._context, [])
        return tuple(names) if result == self._scard.SCARD_S_SUCCESS else ()

    def uid(self, reader: str) -> bytes | None:
        """What the card on the reader answers: b"" if there is none, None if it is no clean answer.
        Raises LinkLostError."""
        scard = self._scard
        protocols = scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1
        result, card, protocol = scard.SCardConnect(
            self._context, reader, scard.SCARD_SHARE_SHARED, protocols
        )
        if result == scard.SCARD_E_NO_SMARTCARD:
            return b""
        if result != scard.SCARD_S_SUCCESS:
            if reader not in self.names():
                raise LinkLostError(
                    "the reader is gone",
                    reader,
                    "Put its cable back; it is tried again by itself.",
                )
            return None
        result, answer = scard.SCardTransmit(card, protocol, list(GET_UID))
        # Without power the next look finds the card anew, and does not repeat what was known.
        scard.SCardDisconnect(card, scard.SCARD_UNPOWER_CARD)
        if result != scard.SCARD_S_SUCCESS or tuple(answer[-2:]) != DONE or len(answer) < 3:
            return None
        return bytes(byte & 0xFF for byte in answer[:-2])


def chosen(wanted: str, names: Sequence[str]) -> int:
    """Which of the readers is meant by a name, a part of it, or "any" if there is one. Raises
    DriverError."""
    found = [i for i, n in enumerate(names) if wanted == ANY or wanted.lower() in n.lower()]
    exact = [i for i in found if names[i] == wanted]
    if len(exact or found) == 1:
        return (exact or found)[0]
    there = ", ".join(names) if names else "none"
    what = f"several readers are called {wanted!r}" if found else f"no reader is called {wanted!r}"
    if wanted == ANY:
        what = "there are several readers" if found else "no reader is attached"
    raise PortUnavailableError(what, "PC/SC", f"Attached are: {there}. Give a part of its name.")


def uid_of(told: bytes) -> Uid | None:
    """The UID in an answer, most significant byte first; None if it is none. Readers of ISO 15693
    disagree on the order; there the first byte is E0."""
    if len(told) not in UID_SIZES:
        return None
    if len(told) == 8 and told[-1] == _ICODE and told[0] != _ICODE:
        return Uid(told[::-1])
    return Uid(told)


class PcscLink:
    """One reader. wanted: its name, a part of it, or "any". antenna: the number that its polls
    bear."""

    push = None

    def __init__(
        self,
        name: str,
        wanted: str,
        antenna: int,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.name = name
        self.ports = {antenna: 1}
        self.down = asyncio.Event()
        self.error: DriverError | None = None
        self.introduction = ""
        self._wanted = wanted
        self._clock = clock
        self._sleep = sleep
        self._reader: str | None = None
        self._bus = threading.Lock()

    @property
    def up(self) -> bool:
        """The reader is attached."""
        return self._reader is not None and not self.down.is_set()

    async def open(self) -> None:
        """Find the reader. Raises DriverError."""
        self.down.clear()
        self.error = None
        names = await asyncio.to_thread(reader_names)
        self._reader = names[chosen(self._wanted, names)]
        self.introduction = f"it is attached: {self._reader}"

    def close(self) -> None:
        """Let go of the reader. Does nothing twice."""
        self._reader = None

    async def poll(self, antenna: int) -> Poll:
        """One look. Raises DriverError when the reader is lost, and is `down` then."""
        started = self._clock()
        try:
            reader = self._reader
            if reader is None:
                raise LinkLostError("it is closed", self.name, "It is tried again by itself.")
            uids = await asyncio.to_thread(self._look, reader)
        except DriverError as error:
            self.error = error
            self.down.set()
            raise
        ended = self._clock()
        if ended - started < PERIOD_S:
            await self._sleep(PERIOD_S - (ended - started))
        return poll_of(antenna, uids, started, ended)

    async def listen(self, until: float) -> list[Poll]:
        raise MisconfiguredError("it is asked", self.name, 'Use mode "polled".')

    async def quiet(self) -> None:
        """The service has the reader's field; there is nothing to switch."""

    def _look(self, reader: str) -> tuple[Uid, ...] | None:
        with self._bus, _Service() as service:
            told = service.uid(reader)
        if told == b"":
            return ()
        uid = None if told is None else uid_of(told)
        return None if uid is None else (uid,)
