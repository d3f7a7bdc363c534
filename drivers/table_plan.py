"""Where things lie on a table, in millimetres: the plan that a simulated table has, and that a
camera's calibration begins with.

The origin is the middle of the board cards; x grows to the dealer's right, y away from the dealer,
so that the dealer sits below the plan and looks up it. Seats are numbered clockwise as seen from
above, from the dealer's left hand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

CARD_MM = (63.0, 88.0)
"""Width and height of a poker card."""

TABLE_MM = (2400.0, 1150.0)
"""Length and width of the table; it is an oval, the dealer in the middle of a long side."""

_CENTRE_Y_MM = 20.0  # of the table, as seen from the board's middle
_SEAT_RING = 0.72  # where cards are dealt to, as a share of the way from the middle to the rail
_DEALER_GAP_DEG = 62.0  # no seat on this much of the rim, around the dealer
_GAP_MM = 6.0  # between board cards
_BURN_STEP_MM = 22.0  # from one burn to the next
_SEAT_SPOTS = ((-0.5, 0.0), (0.5, 0.0), (1.5, 0.0), (-1.5, 0.0), (0.0, -40.0), (1.0, -40.0))
"""Where a seat's cards lie: in cards' widths across, and in millimetres up."""


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the table in which cards of one zone lie.

    x_mm, y_mm: its middle. width_mm, height_mm: along and across its own direction. angle_deg:
    anticlockwise from the table's x to the area's width.
    """

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    angle_deg: float = 0.0

    @property
    def corners_mm(self) -> tuple[tuple[float, float], ...]:
        """Its four corners, anticlockwise."""
        w, h = self.width_mm / 2, self.height_mm / 2
        return tuple(self.at(x, y) for x, y in ((-w, -h), (w, -h), (w, h), (-w, h)))

    def at(self, across_mm: float, up_mm: float) -> tuple[float, float]:
        """The table's x and y of a place in the area's own directions, from its middle."""
        c, s = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        return (self.x_mm + across_mm * c - up_mm * s, self.y_mm + across_mm * s + up_mm * c)

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a place on the table is in it."""
        c, s = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        dx, dy = x_mm - self.x_mm, y_mm - self.y_mm
        across, up = dx * c + dy * s, dy * c - dx * s
        return abs(across) <= self.width_mm / 2 and abs(up) <= self.height_mm / 2


def table_plan(seats: int) -> Mapping[str, Area]:
    """The areas of a table with that many seats, by zone name: "seat/1" to "seat/N", "board",
    "burn", "muck", "stub", "count"; and "table", all of it. Raises ValueError outside 2 to 11.
    """
    if not 2 <= seats <= 11:
        raise ValueError(f"a table of {seats} seats; allowed 2 to 11")
    w, h = CARD_MM
    areas = {
        "table": Area(0.0, _CENTRE_Y_MM, *TABLE_MM),
        "board": Area(0.0, 0.0, 5 * w + 6 * _GAP_MM, h + 4 * _GAP_MM),
        "burn": Area(-270.0, -60.0, 130.0, 130.0),
        "muck": Area(-330.0, -230.0, 190.0, 150.0),
        "stub": Area(60.0, -250.0, 130.0, 130.0),
        "count": Area(270.0, -210.0, 180.0, 150.0),
    }
    sweep = 360.0 - _DEALER_GAP_DEG
    for seat in range(1, seats + 1):
        turn = _DEALER_GAP_DEG / 2 + sweep * (seat - 0.5) / seats  # clockwise from the dealer
        theta = math.radians(270.0 - turn)
        x = math.cos(theta) * TABLE_MM[0] / 2 * _SEAT_RING
        y = _CENTRE_Y_MM + math.sin(theta) * TABLE_MM[1] / 2 * _SEAT_RING
        outwards = math.degrees(math.atan2(y - _CENTRE_Y_MM, x))
        areas[f"seat/{seat}"] = Area(x, y, 220.0, 150.0, (outwards + 90.0) % 360.0)
    return areas


def slot_mm(area: Area, place: str, card: int) -> tuple[float, float, float]:
    """Where the card number `card` (from 0) of a place lies: x, y, and the angle of its long side.

    Board cards lie side by side, a sixth one below them; cards of a seat beside each other, a
    little on one another; burns are fanned, so that each shows a strip with its index; piles lie
    askew on the spot.
    """
    w, _ = CARD_MM
    if place == "board":
        x, y = area.at((card % 5 - 2) * (w + _GAP_MM), -0.4 * area.height_mm * (card // 5))
    elif place.startswith("seat/"):
        across, up = _SEAT_SPOTS[card % len(_SEAT_SPOTS)]
        x, y = area.at(across * 0.8 * w, up)
    elif place == "burn":
        x, y = area.at(_BURN_STEP_MM * (card % 4 - 1.5), _BURN_STEP_MM * (card // 4))
    else:
        x, y = area.at(3.0 * (card % 3 - 1), 4.0 * (card % 4 - 1.5))
    return x, y, (area.angle_deg + 90.0) % 180.0
