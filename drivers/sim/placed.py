"""A card where it lies, for whoever draws the simulated table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class PlacedCard(NamedTuple):
    """A card on the table: where its middle is in millimetres, the angle of its long side
    (anticlockwise), its face as printed, which way up it lies, and whose back it has. Prints as a
    mask."""

    x_mm: float
    y_mm: float
    angle_deg: float
    face: str
    up: bool
    deck: str = "red"

    def __repr__(self) -> str:
        return "<placed card>"


SPREAD_STEP_MM = 24.0
"""From card to card: what an index needs to be seen beside the next card."""

_ROWS = 2
_ROW_MM = 110.0


def spread_out(faces: Sequence[tuple[str, str]]) -> tuple[PlacedCard, ...]:
    """Cards (face, deck) spread face up before the dealer, in two rows, each on the one to its
    left: as a dealer spreads a deck with one hand."""
    a_row = -(-len(faces) // _ROWS)
    out = []
    for n, (face, deck) in enumerate(faces):
        row, column = divmod(n, a_row)
        x = (column - (a_row - 1) / 2) * SPREAD_STEP_MM
        out.append(PlacedCard(x, 30.0 - row * _ROW_MM, 90.0, face, True, deck))
    return tuple(out)
