"""The table as its camera sees it, for pages that people pass on: no card in it can be read.

Whoever calibrates is asked to clear the table, and does not always. So what is dark on light and
smaller than a card is filled with the light around it (a grey-scale closing of each colour: Serra,
Image Analysis and Mathematical Morphology, 1982): a card stays where it lies and is blank. What is
left of light print on dark faces is blurred. Nothing is recognized for it, so nothing can be
overlooked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.camera.marks import STICKER_MM

Image = NDArray[np.uint8]

FILLED_MM: Final = 38.0
"""Dark things smaller than that vanish. A court's picture has light in it everywhere, and the
largest ace is no square of that size; a card is 63 mm wide."""

BLURRED_MM: Final = 3.0
"""An index is 8 mm high."""

_NEARER = 1.25  # a part of the table may be nearer to the camera than any sticker
_UNKNOWN_SHARE = 1 / 16  # of the picture's width, where no sticker tells the scale: 60 cm of table


def faceless(image: Image, marks_px: Iterable[ArrayLike] = ()) -> Image:
    """A picture (h, w, 3) in which no card can be read.

    marks_px: the corners, (4, 2), of every sticker and place card that was found in it: they tell
    the scale, and are shown as they are.
    """
    found = [np.asarray(four, dtype=np.float64) for four in marks_px]
    filled = _filled_px(image, found)
    kernel = np.ones((filled, filled), np.uint8)
    blank = cv2.morphologyEx(image, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    blurred = cv2.GaussianBlur(blank, (0, 0), max(0.8, filled * BLURRED_MM / FILLED_MM))
    out = blurred.astype(np.uint8, copy=False)
    if found:
        shown = np.zeros(image.shape[:2], np.uint8)
        cv2.fillPoly(shown, [np.round(four).astype(np.int32) for four in found], (255,))
        out[shown > 0] = image[shown > 0]
    return out


def _filled_px(image: Image, marks_px: list[NDArray[np.float64]]) -> int:
    """How many pixels `FILLED_MM` are where the table is nearest."""
    if marks_px:
        sides = [np.linalg.norm(np.roll(four, -1, axis=0) - four, axis=1) for four in marks_px]
        longest = float(np.max(sides))
        return max(3, int(FILLED_MM / STICKER_MM * longest * _NEARER + 0.5))
    return max(3, int(image.shape[1] * _UNKNOWN_SHARE + 0.5))
