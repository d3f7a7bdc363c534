"""A card where it lies, for whoever draws the simulated table."""

from __future__ import annotations

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
