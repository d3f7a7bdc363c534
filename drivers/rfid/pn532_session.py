"""The conversation with one PN532: commands, each acknowledged and then answered. No I/O.

Driven like `pepper_session`. Neither acknowledgements nor answers are numbered, so after any
silence or damage the session aborts what is under way, rouses the chip, and waits for the answer to
SAMConfiguration, which comes after whatever was late; then it sets the chip up anew, which may have
restarted.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import TypeVar

from drivers.errors import DeviceSilentError, FirmwareUnknownError
from drivers.readings import Uid
from drivers.rfid.lock_step import LockStep
from drivers.rfid.pn532_codec import (
    ACK,
    MAX_TARGETS,
    WAKE_UP,
    Acked,
    Answer,
    BadFrame,
    Command,
    Damage,
    Done,
    FirmwareVersion,
    GetFirmwareVersion,
    InListPassiveTarget,
    MaxRetries,
    Nacked,
    Pn532Decoder,
    Refused,
    Reply,
    RfField,
    SamConfiguration,
    Targets,
    read_reply,
)

T = TypeVar("T")
Procedure = Generator[Command, Answer | None, T]
"""Asks commands, is sent each answer (None: silence or damage), returns its value."""

PN532 = 0x32
_HELLO_TRIES = 8  # a USB port may swallow the first second after it was opened
_LIST = InListPassiveTarget(MAX_TARGETS)
_DARK = RfField(False)


@dataclass(frozen=True, slots=True)
class Pn532Settings:
    """How to talk to one reader.

    where: name of the reader for messages. ack_s, reply_s, look_s: longest wait for an
    acknowledgement, an answer, an inventory, seconds. retries: how often an inventory that finds
    nothing tries again.
    """

    where: str = "reader"
    ack_s: float = 0.1
    reply_s: float = 0.15
    look_s: float = 0.5
    retries: int = 1


@dataclass(slots=True)
class Pn532Counts:
    """What went wrong on the link since it was opened.

    late: answers that came when nothing was asked. foreign: answers to another command. silences:
    commands without an acknowledgement or answer. damaged: stretches of bytes that were no message.
    refused: syntax errors. unacked: answers that no acknowledgement preceded.
    """

    late: int = 0
    foreign: int = 0
    silences: int = 0
    damaged: int = 0
    refused: int = 0
    unacked: int = 0


class Pn532Session(LockStep[Reply | Acked | Nacked | BadFrame]):
    """One reader's conversation, driven as `LockStep` says."""

    def __init__(self, settings: Pn532Settings | None = None) -> None:
        self.settings = settings or Pn532Settings()
        self.counts = Pn532Counts()
        super().__init__(Pn532Decoder(read_reply))
        self.version = ""
        self.silent_polls = 0
        self._acked = False
        self._settled = False
        self._dark = False
        self._heard = False

    # -- driving -----------------------------------------------------------------------------------

    def _ask(self, command: Command, now: float) -> bytes:
        self._asked, self._acked = command.code, False
        self.deadline = now + self.settings.ack_s
        # The first command after silence aborts what may be under way and ends the chip's sleep.
        rouse = ACK + WAKE_UP if isinstance(command, SamConfiguration) else b""
        return rouse + command.wire()

    def _silent(self) -> None:
        self.counts.silences += 1

    def _take(self, messages: Iterable[Reply | Acked | Nacked | BadFrame], now: float) -> bytes:
        out = b""
        # What comes behind an answer in one portion was sent before the next command went out.
        for message in messages:
            if isinstance(message, BadFrame):
                self.counts.damaged += 1
                if self._asked >= 0 and not out and message.damage is not Damage.RUBBISH:
                    out = self._fail(now)
            elif isinstance(message, Nacked):
                if self._asked >= 0 and not out:
                    out = self._fail(now)
            elif isinstance(message, Acked):
                if self._asked >= 0 and not out:
                    self._acked = True
                    self.deadline = now + self._patience()
            else:
                self._heard = True
                out += self._answered(message, now, fresh=not out)
        return out

    def _answered(self, message: Answer, now: float, fresh: bool) -> bytes:
        if self._asked < 0 or not fresh:
            self.counts.late += 1
            return b""
        if isinstance(message, Refused):
            self.counts.refused += 1
            return self._advance(message, now)
        if message.command != self._asked:
            self.counts.foreign += 1
            return b""
        if not self._acked:
            self.counts.unacked += 1
            return self._fail(now)
        return self._advance(message, now)

    def _patience(self) -> float:
        s = self.settings
        return s.look_s if self._asked == _LIST.code else s.reply_s

    def _unsettle(self) -> None:
        self._settled = self._dark = False

    # -- procedures --------------------------------------------------------------------------------

    def hello(self) -> Procedure[str]:
        """Rouse the chip and set it up; gives its firmware. Raises DeviceSilentError,
        FirmwareUnknownError."""
        for _ in range(_HELLO_TRIES):
            if (yield from self._settle()):
                break
        else:
            raise DeviceSilentError(
                "no PN532 answers",
                self.settings.where,
                "Check its power, its cable (TX and RX crossed) and that its switches choose HSU.",
            )
        told = yield GetFirmwareVersion()
        if told is None:
            raise DeviceSilentError(
                "it stopped answering while it was set up",
                self.settings.where,
                "Check its cable and power; it is tried again by itself.",
            )
        if not isinstance(told, FirmwareVersion) or told.ic != PN532 or not told.support & 1:
            raise FirmwareUnknownError(
                "what answers there is no PN532 that reads ISO 14443 A",
                self.settings.where,
                "Make sure that the port leads to a PN532; choose its driver in the configuration.",
            )
        self.version = f"{told.version}.{told.revision}"
        return self.version

    def _settle(self) -> Procedure[bool]:
        """Back in step after silence or damage, and set up as after a restart, field off."""
        if not isinstance((yield SamConfiguration()), Done):
            return False
        for command in (MaxRetries(self.settings.retries), _DARK):
            if not isinstance((yield command), Done):
                return False
        self._settled = self._dark = True
        return True

    def poll(self) -> Procedure[tuple[Uid, ...] | None]:
        """One look: up to two tags, or None if anything but a clean, complete answer came. The
        field is off afterwards."""
        self._heard = False
        found = yield from self._look()
        self.silent_polls = 0 if self._heard else self.silent_polls + 1
        return found

    def _look(self) -> Procedure[tuple[Uid, ...] | None]:
        if not self._settled and not (yield from self._settle()):
            return None
        self._dark = False
        told = yield _LIST
        if not self._settled:
            # Silence or damage: the chip may still transmit. One try to end it at once.
            yield from self._settle()
            return None
        yield from self.quiet()
        if not isinstance(told, Targets):
            return None
        uids = tuple(target.uid for target in told.found)
        return uids if len(set(uids)) == len(uids) else None

    def quiet(self) -> Procedure[bool]:
        """Field off. False if the chip did not confirm it."""
        if self._dark:
            return True
        if not self._settled:
            return (yield from self._settle())
        self._dark = isinstance((yield _DARK), Done)
        return self._dark
