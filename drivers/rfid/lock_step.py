"""A conversation with a reader in lock step, without I/O: a command, its answer, the next one.

What is said is a procedure: a generator that yields commands and is sent their answers, None where
none came. Whoever drives it moves the bytes and says the time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from math import inf
from typing import Any, Generic, Protocol, TypeVar

M = TypeVar("M")


class Decoding(Protocol[M]):
    """Bytes to messages. give_up: what a message that never ended may have hidden."""

    def feed(self, data: bytes) -> list[M]: ...

    def give_up(self) -> list[M]: ...


class LockStep(ABC, Generic[M]):
    """One reader's conversation. M: its decoder's messages.

    deadline: when `tick` is due, monotonic seconds; `inf` while nothing is asked. result: what the
    last procedure gave.
    """

    def __init__(self, decoder: Decoding[M]) -> None:
        self.deadline = inf
        self.result: Any = None
        self._decoder = decoder
        self._procedure: Generator[Any, Any, Any] | None = None
        self._asked = -1

    @property
    def busy(self) -> bool:
        """A procedure is under way."""
        return self._procedure is not None

    def start(self, procedure: Generator[Any, Any, Any], now: float) -> bytes:
        """Begin a procedure; gives the bytes to send. Raises RuntimeError while one is under
        way."""
        if self._procedure is not None:
            raise RuntimeError("one procedure at a time: wait until busy is False")
        self._procedure = procedure
        self.result = None
        return self._advance(None, now)

    def feed(self, data: bytes, now: float) -> bytes:
        """Bytes from the reader; gives the bytes to send next, b"" if none. A procedure's
        DriverError passes through."""
        return self._take(self._decoder.feed(data), now)

    def tick(self, now: float) -> bytes:
        """The time; past the deadline the command counts as unanswered. Gives the bytes to send
        next."""
        if now < self.deadline:
            return b""
        # A damaged length may have made the decoder wait for more: the answer can be among what it
        # holds.
        out = self._take(self._decoder.give_up(), now)
        if now >= self.deadline:
            self._silent()
            out += self._fail(now)
        return out

    def cancel(self) -> None:
        """Drop the procedure under way, as when the port is lost."""
        if self._procedure is not None:
            self._procedure.close()
        self._finish()
        self._unsettle()

    # -- what a reader's own session says ----------------------------------------------------------

    @abstractmethod
    def _ask(self, command: Any, now: float) -> bytes:
        """The bytes of a command that is asked now; sets `_asked` to its code, and the deadline."""

    @abstractmethod
    def _take(self, messages: Iterable[M], now: float) -> bytes:
        """Messages that came; gives the bytes to send next."""

    @abstractmethod
    def _silent(self) -> None:
        """Count a command that got no answer."""

    @abstractmethod
    def _unsettle(self) -> None:
        """The reader's state is not known any more."""

    # -- for it ------------------------------------------------------------------------------------

    def _advance(self, answer: object, now: float) -> bytes:
        procedure = self._procedure
        assert procedure is not None
        try:
            command = procedure.send(answer)
        except StopIteration as stop:
            self._finish()
            self.result = stop.value
            return b""
        except BaseException:
            self._finish()
            raise
        return self._ask(command, now)

    def _finish(self) -> None:
        self._procedure = None
        self._asked = -1
        self.deadline = inf

    def _fail(self, now: float) -> bytes:
        self._unsettle()
        return self._advance(None, now)
