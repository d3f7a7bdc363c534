"""Where a lamp of the picture hangs on the wire. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Wiring = Literal["rows", "rows-zigzag", "columns", "columns-zigzag"]
"""How a chain runs through a grid from its first lamp: row by row or column by column, each in the
same direction or to and fro."""

Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]
"""Where a chain begins."""

WIRINGS: tuple[Wiring, ...] = get_args(Wiring)
CORNERS: tuple[Corner, ...] = get_args(Corner)


def along_chain(
    width: int, height: int, wiring: Wiring = "rows", corner: Corner = "top-left"
) -> tuple[int, ...]:
    """Index of the picture's lamp (row by row from the top left) for each lamp of the chain."""
    columns: Sequence[int] = range(width)
    rows: Sequence[int] = range(height)
    if corner.endswith("right"):
        columns = columns[::-1]
    if corner.startswith("bottom"):
        rows = rows[::-1]
    turns = wiring.endswith("zigzag")
    if wiring.startswith("rows"):
        places = [
            (x, y)
            for n, y in enumerate(rows)
            for x in (columns[::-1] if turns and n % 2 else columns)
        ]
    else:
        places = [
            (x, y) for n, x in enumerate(columns) for y in (rows[::-1] if turns and n % 2 else rows)
        ]
    return tuple(y * width + x for x, y in places)
