"""The conversation with one Pepper reader: commands in lock step with their answers. No I/O.

Whoever holds the port calls `start` with a procedure, writes what it gives, and hands every portion
of bytes to `feed`, or the time to `tick` when `deadline` has passed, until `busy` is False; then
`result` holds the procedure's value. So the same conversation runs over asyncio, over a
pseudo-terminal or in virtual time.

The protocol numbers nothing, so an answer that comes late could be taken for the answer to the same
command asked again. After any silence or damage the session therefore first sends a DUMMY and waits
for its echo, which comes after whatever was late, and sets the reader up anew, which may have
restarted.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from drivers.errors import AntennaRefusedError, DeviceSilentError, FirmwareUnknownError
from drivers.readings import Uid
from drivers.rfid.lock_step import LockStep
from drivers.rfid.pepper_codec import (
    Answer,
    BadFrame,
    Command,
    Damage,
    Decoder,
    Done,
    Dummy,
    Failed,
    GetTagCount,
    GetUid,
    GetVersion,
    Halt,
    JsonPush,
    Notice,
    PollingEvents,
    PollingTimeout,
    Push,
    PushFormat,
    Reply,
    SetActiveAntenna,
    SetPolling,
    TagCount,
    TagUid,
    UidPushed,
    Version,
    read_reply,
)

T = TypeVar("T")
Procedure = Generator[Command, Answer | None, T]
"""Asks commands, is sent each answer (None: silence or damage), returns its value."""

MAX_PUSHES = 1024
"""Unasked reports kept between two calls of `take_pushes`; older ones are dropped and counted."""

_MAJOR = re.compile(r"\s*[vV]?(\d{1,4})\.\d+")
# The commands of a look, made once: a table sends nothing else all night.
_COUNT = GetTagCount()
_SWITCH = tuple(SetActiveAntenna(port) for port in range(256))
_NAME = tuple(GetUid(index) for index in range(256))
_OFTEN: tuple[Command, ...] = (_COUNT, *_SWITCH, *_NAME)
_WIRE = {id(command): command.wire() for command in _OFTEN}


@dataclass(frozen=True, slots=True)
class PepperSettings:
    """How to talk to one reader.

    where: name of the reader for messages, such as ``reader 1 on /dev/ttyUSB0``.
    ports: ports with an antenna, 1 to 8 on a C1 MUX.
    switching: False for a plain C1, which has one antenna and is never told to switch.
    reply_s: longest wait for an answer, seconds. look_s: longest wait for an inventory.
    accept_major: firmware major versions that we speak.
    reversed_uids: True where this firmware gives a UID's least significant byte first.
    push_pause_ms: pause of the reader's own polling in the pushed modes.
    """

    where: str = "reader"
    ports: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    switching: bool = True
    reply_s: float = 0.15
    look_s: float = 0.5
    accept_major: tuple[int, ...] = (2,)
    reversed_uids: bool = False
    push_pause_ms: int = 50


@dataclass(slots=True)
class SessionCounts:
    """What went wrong on the link since it was opened; figures for the health page.

    late: answers that came when nothing was asked. foreign: answers to another command than the one
    asked. silences: commands that got no answer. damaged: stretches of bytes that were no message.
    refused: error answers. unasked: reports pushed while we poll. dropped: reports nobody took.
    """

    late: int = 0
    foreign: int = 0
    silences: int = 0
    damaged: int = 0
    refused: int = 0
    unasked: int = 0
    dropped: int = 0


class PepperSession(LockStep[Reply]):
    """One reader's conversation. See the module for how it is driven.

    silent_polls: polls in a row without one intact answer. version: the firmware's own words, ""
      before `hello`.
    """

    def __init__(self, settings: PepperSettings | None = None) -> None:
        self.settings = settings or PepperSettings()
        self.counts = SessionCounts()
        super().__init__(Decoder(read_reply))
        self.version = ""
        self.silent_polls = 0
        self._port: int | None = None
        self._settled = False
        self._heard = False
        self._pushing = False
        self._pushes: deque[Push] = deque()

    # -- driving -----------------------------------------------------------------------------------

    def take_pushes(self) -> list[Push]:
        """The reports that came since the last call, oldest first."""
        pushes = list(self._pushes)
        self._pushes.clear()
        return pushes

    def _ask(self, command: Command, now: float) -> bytes:
        self._asked = command.code
        self.deadline = now + (self.settings.look_s if command is _COUNT else self.settings.reply_s)
        return _WIRE.get(id(command)) or command.wire()

    def _silent(self) -> None:
        self.counts.silences += 1

    def _take(self, messages: Iterable[Reply], now: float) -> bytes:
        """Gives the first fitting answer to the procedure. What comes behind it in the same portion
        was sent before the next command went out, so it can answer nothing."""
        out = b""
        asked = self._asked
        for message in messages:
            kind = type(message)
            if kind is BadFrame:
                self.counts.damaged += 1
                # Rubbish between frames may precede the answer; a damaged frame most likely was it.
                if asked >= 0 and message.damage is not Damage.RUBBISH:  # type: ignore[union-attr]
                    asked = -1
                    out += self._fail(now)
            elif kind is UidPushed or kind is JsonPush:
                self._keep(message)  # type: ignore[arg-type]
            elif kind is not Notice:
                self._heard = True
                if message.command == asked:  # type: ignore[union-attr]
                    asked = -1
                    if kind is Failed:
                        self.counts.refused += 1
                    out += self._advance(message, now)
                elif asked < 0:
                    self.counts.late += 1
                else:
                    self.counts.foreign += 1
        return out

    def _unsettle(self) -> None:
        self._settled = False
        self._port = None

    def _keep(self, push: Push) -> None:
        if not self._pushing:
            self.counts.unasked += 1
            return
        if len(self._pushes) >= MAX_PUSHES:
            self._pushes.popleft()
            self.counts.dropped += 1
        self._pushes.append(push)

    # -- procedures --------------------------------------------------------------------------------

    def hello(self) -> Procedure[str]:
        """Set the reader up: in step, version spoken, own polling off, field off, every port
        switchable. The version.

        Raises DeviceSilentError, FirmwareUnknownError or AntennaRefusedError.
        """
        s = self.settings
        if not (yield from self._in_step()):
            raise DeviceSilentError(
                "the port is open, but no reader answers",
                s.where,
                "Check the reader's power and its port in the configuration (serial: 115200 baud).",
            )
        yield from self._check_version()
        yield SetPolling(False)
        yield Halt()
        if s.switching:
            for port in s.ports:
                answer = yield SetActiveAntenna(port)
                if answer is None:
                    raise self._broke_off()
                if not isinstance(answer, Done):
                    code = answer.shown if isinstance(answer, Failed) else "none"
                    raise AntennaRefusedError(
                        f"it does not switch to antenna port {port} (error {code})",
                        s.where,
                        "Use driver pepper-c1 for a reader without MUX, or correct its ports.",
                    )
                self._port = port
        self._settled = True
        return self.version

    def _broke_off(self) -> DeviceSilentError:
        return DeviceSilentError(
            "it stopped answering while it was set up",
            self.settings.where,
            "Check its cable and power; it is tried again by itself.",
        )

    def _in_step(self) -> Procedure[bool]:
        """The next answer will belong to the next command. False if the reader stays silent."""
        for _ in range(3):
            if isinstance((yield Dummy()), Done):
                return True
        return False

    def _check_version(self) -> Procedure[None]:
        s = self.settings
        answer = yield GetVersion()
        if answer is None:
            raise self._broke_off()
        if isinstance(answer, Version):
            self.version = answer.text[:32]
            major = _MAJOR.match(answer.text)
            if major and int(major[1]) in s.accept_major:
                return
            spoken = ", ".join(f"{m}.x" for m in s.accept_major)
            raise FirmwareUnknownError(
                f"its firmware is {self.version!r}; this driver speaks {spoken}",
                s.where,
                "Update it with the vendor's tool, or allow its version under accept_firmware.",
            )
        raise FirmwareUnknownError(
            "it does not tell its firmware version",
            s.where,
            "Make sure that the port leads to an Eccel Pepper C1 and not to another device.",
        )

    def _settle(self) -> Procedure[bool]:
        """Back in step after silence or damage, and set up as after a restart."""
        if not (yield from self._in_step()):
            return False
        for command in (SetPolling(False), Halt()):
            if (yield command) is None:
                return False
        self._settled = True
        return True

    def poll(self, port: int) -> Procedure[tuple[Uid, ...] | None]:
        """One look of the antenna at `port`: the tags in the reader's order, or None if anything
        but a clean, complete answer came (noise, refusal, silence). Leaves the field on."""
        self._heard = False
        found = yield from self._look(port)
        self.silent_polls = 0 if self._heard else self.silent_polls + 1
        return found

    def _look(self, port: int) -> Procedure[tuple[Uid, ...] | None]:
        if not self._settled and not (yield from self._settle()):
            return None
        if port != self._port and self.settings.switching:
            if type((yield _SWITCH[port])) is not Done:
                self._port = None
                return None
            self._port = port
        counted = yield _COUNT
        if type(counted) is not TagCount:
            return None
        if counted.count == 0:
            return ()
        uids: list[Uid] = []
        for index in range(counted.count):
            told = yield _NAME[index]
            if type(told) is not TagUid:
                return None
            uids.append(Uid(told.uid[::-1]) if self.settings.reversed_uids else told.uid)
        if len(set(uids)) != len(uids):
            # One tag cannot be told apart from itself: an answer came twice, so another one is
            # missing.
            self._unsettle()
            return None
        return tuple(uids)

    def quiet(self) -> Procedure[bool]:
        """Own polling and field off. False if the reader did not confirm it."""
        self._pushing = False
        if not self._settled:
            return (yield from self._settle())
        for _ in range(2):
            if isinstance((yield Halt()), Done):
                return True
        return False

    def prepare_push(self, form: Literal["json", "binary"]) -> Procedure[bool]:
        """Set up how the reader reports by itself, without letting it begin. False if it refused or
        was silent."""
        formats = {"json": PushFormat.JSON, "binary": PushFormat.BINARY}
        if not self._settled and not (yield from self._settle()):
            return False
        commands = (
            SetPolling(False),
            PollingTimeout(self.settings.push_pause_ms),
            PollingEvents(known=False, format=formats[form]),
            PollingEvents(known=True, format=formats[form]),
        )
        for command in commands:
            if not isinstance((yield command), Done):
                self._unsettle()
                return False
        return True

    def push(self, form: Literal["json", "binary"]) -> Procedure[bool]:
        """Let the reader poll by itself and report tags unasked. False if it refused or was
        silent."""
        if not (yield from self.prepare_push(form)):
            return False
        self._pushing = True
        if isinstance((yield SetPolling(True)), Done):
            return True
        self._pushing = False
        self._unsettle()
        return False

    def ping(self) -> Procedure[bool]:
        """Is the reader still there? Leaves everything as it is."""
        return (yield from self._in_step())

    def stop_push(self) -> Procedure[bool]:
        """End what `push` began and switch the field off. False if the reader did not confirm
        it."""
        done = isinstance((yield SetPolling(False)), Done)
        halted = isinstance((yield Halt()), Done)
        self._pushing = False
        self._port = None
        return done and halted
