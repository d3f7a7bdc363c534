"""What every decoder of a byte stream has in common: portions, damage, a bounded rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

M = TypeVar("M")
B = TypeVar("B")


class StreamDecoder(ABC, Generic[M, B]):
    """Finds the messages in a stream that comes in any portions and may be damaged anywhere.

    M: a message. B: what stands for bytes that were none. Never raises; holds at most one
    unfinished message. The same bytes give the same messages however they are portioned.
    `skipped`: bytes that belonged to no message; `damaged`: stretches of them.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._in_rubbish = False
        self.skipped = 0
        self.damaged = 0

    @property
    def waiting(self) -> int:
        """Bytes held of an unfinished message."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[M | B]:
        """The messages that these bytes complete, in order."""
        out: list[M | B] = []
        buf = self._rest + data
        self._rest = buf[self._scan(buf, out) :]
        return out

    def give_up(self) -> list[M | B]:
        """No more bytes are coming for the unfinished message: drop its first byte, look behind
        it."""
        out: list[M | B] = []
        while self._rest:
            rest, self._rest = self._rest[1:], b""
            self._spoilt(out, self._cut())
            self._rest = rest[self._scan(rest, out) :]
        return out

    @abstractmethod
    def _scan(self, buf: bytes, out: list[M | B]) -> int:
        """Appends what is complete in `buf`; returns where the unfinished rest begins."""

    @abstractmethod
    def _cut(self) -> B:
        """What stands for a message that was cut short."""

    def _found(self, out: list[M | B], message: M) -> None:
        self._in_rubbish = False
        out.append(message)

    def _spoilt(self, out: list[M | B], what: B, size: int = 1) -> None:
        """`size` bytes were no message, although they began like one."""
        self.skipped += size
        self.damaged += 1
        self._in_rubbish = True
        out.append(what)

    def _rubbish(self, out: list[M | B], what: B, size: int) -> None:
        """`size` bytes between messages; a stretch of them is told once."""
        if size <= 0:
            return
        self.skipped += size
        if not self._in_rubbish:
            self.damaged += 1
            self._in_rubbish = True
            out.append(what)
