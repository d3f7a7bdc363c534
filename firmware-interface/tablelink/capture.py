"""A record of every byte on the line, as lines of text: `12.345678 > 0004…`, seconds, direction
(> to the board, < from it), hex. The first line names the format. Nothing but this link's bytes is
in it: no card, and no UID.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Self, TextIO

FORMAT = "# table link capture 1"
LINE_BYTES = 4096
"""No line of a capture holds more; a longer one is no capture's."""


class Way(Enum):
    """Which way bytes went."""

    TO_BOARD = ">"
    FROM_BOARD = "<"


@dataclass(frozen=True, slots=True)
class Portion:
    """Bytes that were written, or read, at once. at: seconds, by the clock of who recorded."""

    at: float
    way: Way
    data: bytes


class CaptureError(Exception):
    """The file is no capture, or a line of it cannot be read: what, where, what to do."""


class CaptureFile:
    """Writes a capture; close it, or use `with`. A disk that is full ends the capture, not the
    link."""

    def __init__(self, path: Path) -> None:
        """Raises OSError if the file cannot be made."""
        self.path = path
        self.error: OSError | None = None
        self._file: TextIO = path.open("w", encoding="ascii")
        self._line(FORMAT)

    def sent(self, data: bytes, at: float) -> None:
        self._line(f"{at:.6f} {Way.TO_BOARD.value} {data.hex()}")

    def heard(self, data: bytes, at: float) -> None:
        self._line(f"{at:.6f} {Way.FROM_BOARD.value} {data.hex()}")

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self.error = self.error or error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _line(self, text: str) -> None:
        if self.error is None:
            try:
                self._file.write(text + "\n")
            except OSError as error:
                self.error = error


def portions(lines: Iterable[str], where: str) -> Iterator[Portion]:
    """The portions of a capture's lines. A torn last line is left out.

    Raises:
        CaptureError: it is no capture, or line so-and-so is none of one.
    """
    number = 0
    for number, line in enumerate(lines, start=1):
        if number == 1:
            if line.rstrip("\r\n") != FORMAT:
                raise CaptureError(
                    f"{where}: is no capture of the table link; the first line of one is {FORMAT!r}"
                )
        elif not line.endswith("\n"):
            return  # the power went while it was written
        elif text := line.strip():
            yield _portion(text, f"{where}, line {number}")
    if number == 0:
        raise CaptureError(f"{where}: is empty; nothing was recorded")


def _portion(text: str, where: str) -> Portion:
    words = text.split()
    try:
        at, way, data = words
        if len(data) > 2 * LINE_BYTES:
            raise ValueError
        return Portion(float(at), Way(way), bytes.fromhex(data))
    except ValueError:
        raise CaptureError(
            f"{where}: is not seconds, > or <, and hex; the file was changed or is damaged there"
        ) from None
