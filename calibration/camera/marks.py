"""The printed marks that a camera is calibrated with. Pure data, in millimetres.

Three kinds, each with numbers of its own, so that none is taken for another: the lens board
(ChArUco: Garrido-Jurado et al., 2014), stickers that stay on the table (AprilTag 36h11: Olson,
2011; a false one among them is rare), and place cards, which lie on the table for one picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BOARD_SQUARES = (7, 5)
"""Squares of the lens board, across and down. Fits A4 and Letter, and being odd in both has one
meaning in every release of OpenCV."""
SQUARE_MM = 35.0
BOARD_MARK_MM = 26.0
BOARD_CORNERS = (BOARD_SQUARES[0] - 1) * (BOARD_SQUARES[1] - 1)
"""Inner corners, where four squares meet: what is measured."""

STICKER_MM = 40.0
"""Side of the black of a sticker or place card; 36h11 has eight cells a side."""
QUIET_MM = 8.0
"""White to leave around the black when a sticker is cut out."""

STICKERS: Mapping[int, tuple[float, float]] = MappingProxyType(
    {
        1: (-430.0, -60.0),
        2: (-370.0, 215.0),
        3: (0.0, 250.0),
        4: (370.0, 215.0),
        5: (430.0, -60.0),
        6: (0.0, -121.0),
        7: (-120.0, -250.0),
        8: (430.0, -265.0),
    }
)
"""Where each sticker's middle belongs on the table (`drivers.table_plan`), clear of every area at
any number of seats. Stickers at other places are given as measured."""

STICKER_NUMBERS = range(1, 25)
"""1 to 8 have places on the plan; the rest are for a house's own."""

_FIRST_SEAT_CARD = 101
_DEALERS_CARDS = {"board": 121, "burn": 122, "muck": 123, "stub": 124, "count": 125}


def place_cards(seats: int) -> Mapping[int, str]:
    """The place cards of a table: a zone's name by the number of its card."""
    cards = {_FIRST_SEAT_CARD + seat - 1: f"seat/{seat}" for seat in range(1, seats + 1)}
    return cards | {number: zone for zone, number in _DEALERS_CARDS.items()}


def board_corners_mm() -> tuple[tuple[float, float], ...]:
    """The lens board's inner corners by number, from its upper left edge, y down."""
    across, down = BOARD_SQUARES
    return tuple(
        (column * SQUARE_MM, row * SQUARE_MM)
        for row in range(1, down)
        for column in range(1, across)
    )
