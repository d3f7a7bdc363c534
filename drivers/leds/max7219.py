"""A chain of MAX7219 modules, 8×8 lamps each. Pure.

Source: MAX7219 datasheet. A command is a register and a value; the whole chain is sent one command
each in a single transfer, the farthest module's first, and takes them when chip select rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

SPEED_HZ = 1_000_000
"""The chip takes 10 MHz, long chains of cheap modules do not."""

NO_OP, FIRST_DIGIT, DECODE, INTENSITY, SCAN_LIMIT, SHUTDOWN, TEST = 0, 1, 9, 10, 11, 12, 15
LIT_FROM = 128
"""A lamp is lit from this brightness of its brightest colour on; the grey of context is darker."""

First = Literal["left", "right"]
Turn = Literal[0, 90, 180, 270]
FIRSTS: tuple[First, ...] = get_args(First)
TURNS: tuple[Turn, ...] = get_args(Turn)


class Encoder:
    """Pictures → transfers for a row of modules.

    modules: how many. first: which end of the picture the module is at that hangs on the Pi. turn:
    degrees clockwise by which each module is mounted, against one that shows its rows from the top
    and its highest bit at the left. mirrored: left and right swapped in each module, as on boards
    that count columns the other way. intensity: 0 to 15.
    """

    def __init__(
        self,
        modules: int = 4,
        *,
        first: First = "right",
        turn: Turn = 0,
        mirrored: bool = False,
        intensity: int = 2,
    ) -> None:
        self.width, self.height = 8 * modules, 8
        self._modules = modules
        self._intensity = intensity
        farthest_first = range(modules) if first == "right" else range(modules - 1, -1, -1)
        # For each row register: for each module in order of sending: the eight places of its bits.
        self._places = [
            [
                [self._place(module, row, bit, turn, mirrored) for bit in range(7, -1, -1)]
                for module in farthest_first
            ]
            for row in range(8)
        ]

    def setup(self) -> tuple[bytes, ...]:
        """What brings every module into its working state, whatever state it is in."""
        return tuple(
            bytes((register, value)) * self._modules
            for register, value in (
                (TEST, 0),
                (DECODE, 0),
                (SCAN_LIMIT, 7),
                (INTENSITY, self._intensity),
                (SHUTDOWN, 1),
            )
        )

    def rows(self, pixels: bytes) -> tuple[bytes, ...]:
        """What shows the picture: red, green, blue of each lamp, row by row."""
        lit = [max(pixels[n : n + 3]) >= LIT_FROM for n in range(0, len(pixels), 3)]
        return tuple(
            b"".join(
                bytes((FIRST_DIGIT + row, _value(lit, places))) for places in self._places[row]
            )
            for row in range(8)
        )

    def dark(self) -> tuple[bytes, ...]:
        """What switches every lamp off."""
        return (bytes((SHUTDOWN, 0)) * self._modules,)

    def _place(self, module: int, row: int, bit: int, turn: Turn, mirrored: bool) -> int:
        """Index in the picture of the lamp that this bit of this row register lights."""
        x, y = (bit if mirrored else 7 - bit), row
        for _ in range(turn // 90):
            x, y = 7 - y, x
        return y * self.width + 8 * module + x


def _value(lit: Sequence[bool], places: Sequence[int]) -> int:
    value = 0
    for place in places:
        value = value << 1 | lit[place]
    return value
