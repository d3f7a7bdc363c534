"""A small picture of inks, and a canvas to draw one on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from controller.outputs.font import Face


class Ink(IntEnum):
    """What a lamp is lit for. FAINT is context (frames, empty places), dark in one colour."""

    OFF = 0
    FAINT = 1
    TEXT = 2
    GOOD = 3
    DUE = 4
    ASK = 5
    ALARM = 6
    FAULT = 7


RGB: tuple[tuple[int, int, int], ...] = (
    (0, 0, 0),
    (58, 62, 72),
    (255, 250, 235),
    (40, 220, 90),
    (60, 170, 255),
    (255, 176, 0),
    (255, 48, 40),
    (214, 92, 255),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of inks, top row first, `width * height` bytes."""

    width: int
    height: int
    inks: bytes

    def at(self, x: int, y: int) -> Ink:
        return Ink(self.inks[y * self.width + x])

    def rgb(self) -> bytes:
        """24-bit pixels, row by row: the body of a colour board's frame."""
        pixels = bytearray(3 * len(self.inks))
        for channel in range(3):
            pixels[channel::3] = self.inks.translate(_CHANNELS[channel])
        return bytes(pixels)

    def bits(self) -> bytes:
        """One bit a lamp, rows padded to bytes, leftmost lamp in the highest bit; FAINT is dark."""
        row_bytes = (self.width + 7) // 8
        rows = bytearray()
        for y in range(self.height):
            value = 0
            for ink in self.inks[y * self.width : (y + 1) * self.width]:
                value = value << 1 | (ink > Ink.FAINT)
            rows += (value << (row_bytes * 8 - self.width)).to_bytes(row_bytes, "big")
        return bytes(rows)

    def text(self) -> str:
        """The picture in characters: a space, a dot for FAINT, `#` for the rest."""
        chars = "".join(" .######"[i] for i in self.inks)
        w = self.width
        return "\n".join(chars[y * w : (y + 1) * w].rstrip() for y in range(self.height))


_CHANNELS = [bytes(RGB[i][c] if i < len(RGB) else 0 for i in range(256)) for c in range(3)]


class Canvas:
    """Drawing with clipping: what falls outside is left out and never fails."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._inks = bytearray(width * height)

    def picture(self) -> Picture:
        return Picture(self.width, self.height, bytes(self._inks))

    def dot(self, x: int, y: int, ink: Ink) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self._inks[y * self.width + x] = ink

    def dots(self, x: int, y: int, places: Iterable[tuple[int, int]], ink: Ink) -> None:
        for dx, dy in places:
            self.dot(x + dx, y + dy, ink)

    def fill(self, x: int, y: int, width: int, height: int, ink: Ink) -> None:
        left, right = max(0, x), min(self.width, x + width)
        if right <= left:
            return
        row = bytes((ink,)) * (right - left)
        for line in range(max(0, y), min(self.height, y + height)):
            start = line * self.width
            self._inks[start + left : start + right] = row

    def frame(self, x: int, y: int, width: int, height: int, ink: Ink) -> None:
        self.fill(x, y, width, 1, ink)
        self.fill(x, y + height - 1, width, 1, ink)
        self.fill(x, y, 1, height, ink)
        self.fill(x + width - 1, y, 1, height, ink)

    def write(
        self, x: int, y: int, text: str, face: Face, ink: Ink, *, left: int = 0, right: int = 10_000
    ) -> int:
        """Draw from x on, within columns left to right (exclusive); answer the next column."""
        right = min(right, self.width)
        left = max(left, 0)
        for character in text:
            width, lit = face.glyph(character)
            if x < right and x + width > left:
                for dx, dy in lit:
                    column = x + dx
                    if left <= column < right and 0 <= y + dy < self.height:
                        self._inks[(y + dy) * self.width + column] = ink
            x += width + 1
        return x
