"""The printed marks as pictures, for a simulated table and for tests: what a printer makes of the
sheets."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import board_dictionary, sticker_dictionary
from calibration.camera.sheets import cells

_INK, _PAPER = 20, 245
BOARD_EDGE_MM = 10.0
"""White around the lens board's squares."""


def board_image(px_per_mm: int = 8) -> NDArray[np.uint8]:
    """The lens board, (H, W, 3), with `BOARD_EDGE_MM` of white around its squares."""
    columns, rows = marks.BOARD_SQUARES
    edge, side = round(BOARD_EDGE_MM * px_per_mm), round(marks.SQUARE_MM * px_per_mm)
    mark = round(marks.BOARD_MARK_MM * px_per_mm)
    inset = (side - mark) // 2
    sheet = np.full((rows * side + 2 * edge, columns * side + 2 * edge), _PAPER, dtype=np.uint8)
    number = 0
    for row in range(rows):
        for column in range(columns):
            y, x = edge + row * side, edge + column * side
            if (row + column) % 2 == 0:
                sheet[y : y + side, x : x + side] = _INK
                continue
            y, x = y + inset, x + inset
            sheet[y : y + mark, x : x + mark] = _inked(cells(board_dictionary(), number), mark)
            number += 1
    return _coloured(sheet)


def sticker_image(number: int, px_per_mm: int = 10) -> NDArray[np.uint8]:
    """A sticker or place card as it is cut out, (H, W, 3)."""
    edge, ink = round(marks.QUIET_MM * px_per_mm), round(marks.STICKER_MM * px_per_mm)
    card = np.full((ink + 2 * edge, ink + 2 * edge), _PAPER, dtype=np.uint8)
    card[edge : edge + ink, edge : edge + ink] = _inked(cells(sticker_dictionary(), number), ink)
    return _coloured(card)


def _inked(black: NDArray[np.bool_], side: int) -> NDArray[np.uint8]:
    small = np.where(black, _INK, _PAPER).astype(np.uint8)
    return np.asarray(cv2.resize(small, (side, side), interpolation=cv2.INTER_NEAREST), np.uint8)


def _coloured(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
