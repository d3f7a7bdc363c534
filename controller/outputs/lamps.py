"""One lamp a seat: a blink pattern says what, colour only repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from controller.outputs.board import BoardView, Level, Mark
from controller.outputs.picture import Ink, Picture


class Blink(StrEnum):
    """SLOW 1 Hz; FAST 4 Hz; DOUBLE two flashes a second; WINK a short flash every two seconds;
    GAP steady with a short gap every two seconds.
    """

    OFF = "off"
    STEADY = "steady"
    SLOW = "slow"
    FAST = "fast"
    DOUBLE = "double"
    WINK = "wink"
    GAP = "gap"


_LIT: Mapping[Blink, tuple[float, tuple[tuple[float, float], ...]]] = {
    Blink.OFF: (1.0, ()),
    Blink.STEADY: (1.0, ((0.0, 1.0),)),
    Blink.SLOW: (1.0, ((0.0, 0.5),)),
    Blink.FAST: (0.25, ((0.0, 0.125),)),
    Blink.DOUBLE: (1.0, ((0.0, 0.125), (0.25, 0.375))),
    Blink.WINK: (2.0, ((0.0, 0.125),)),
    Blink.GAP: (2.0, ((0.25, 2.0),)),
}


@dataclass(frozen=True, slots=True)
class Lamp:
    seat: int
    ink: Ink
    blink: Blink

    def lit(self, now_s: float) -> bool:
        period, spans = _LIT[self.blink]
        phase = now_s % period
        return any(start <= phase < end for start, end in spans)


_OF_MARK: Mapping[Mark, tuple[Ink, Blink]] = {
    Mark.OUT: (Ink.OFF, Blink.OFF),
    Mark.WAITING: (Ink.OFF, Blink.OFF),
    Mark.CARDS: (Ink.GOOD, Blink.STEADY),
    Mark.LIFTED: (Ink.GOOD, Blink.GAP),
    Mark.FOLDED: (Ink.OFF, Blink.OFF),
    Mark.ABSENT: (Ink.TEXT, Blink.WINK),
    Mark.DUE: (Ink.DUE, Blink.SLOW),
    Mark.BLIND: (Ink.FAULT, Blink.WINK),
    Mark.QUESTION: (Ink.ASK, Blink.DOUBLE),
    Mark.ALARM: (Ink.ALARM, Blink.FAST),
}


def lamps(view: BoardView) -> tuple[Lamp, ...]:
    """The lamps of all seats, seat 1 first; all dark while the table is not recording."""
    if view.notice is not None and view.notice.level is Level.MUTE:
        return ()
    return tuple(Lamp(s.seat, *_OF_MARK[s.mark]) for s in view.seats)


def lamp_row(view: BoardView, width: int) -> Picture:
    """The lamps of the seats as a grid one lamp high, seat 1 first, as lit now."""
    inks = {lamp.seat: lamp.ink for lamp in lamps(view) if lamp.lit(view.now_s)}
    return Picture(width, 1, bytes(inks.get(seat, Ink.OFF) for seat in range(1, width + 1)))
