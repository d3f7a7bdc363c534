"""Whether a picture is fit to be read. What is dark, burnt out, blurred or hidden gives "I cannot
see" and the reason, never a guess.

Sharpness is the width of the sharpest edges: how many pixels an edge takes from dark to light, in
the direction in which it is widest (a camera that moved blurs one direction only). At a known scale
that is measured against the strokes of an index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.picture import Quality

Image = NDArray[np.uint8]
Grey = NDArray[np.float32]

STROKE_MM: Final = 0.9
"""Strokes of an index are about so wide; an edge wider than that blurs them away."""

WIDEST_PX: Final = 6.5
"""Where the scale is not known, no edge of a picture may be wider. Sharp photographs of tables
measure 2.4 to 5, the same out of focus or moved 7 and more."""

LEAST_WIDEST_PX: Final = 4.5  # nor is any known scale so small that edges must be sharper

DARK: Final = 30.0
"""Where the lightest hundredth of a picture is darker (of 255), nothing can be told."""

FLAT: Final = 16.0
"""Edges have at least so much contrast (of 255); less is noise."""

SHADOW: Final = 60.0
"""Soft edges of less contrast, in an area of a sharp picture, are a shadow's: no card is white on
felt with so little."""

_LEAST_PX = 16  # along the shorter side
_BURNT = 0.55  # of the picture white to the last
_SIDE_PX = 1200  # a larger picture is looked at in windows of its full resolution
_REACH = 15  # pixels, within which an edge's dark and light sides are looked for
_STEEP = 0.8
_SCALE = 4.0  # pixels a millimetre, where that is known
_LONG_PX = 2600  # along the longer side, where it is not
_EDGES = 24  # pixels of edges in a direction that say something of it


@dataclass(frozen=True, slots=True)
class _Edges:
    """What the edges of a picture say. width_px: None where there are none. contrast: of the
    strongest, 0 to 255."""

    width_px: float | None
    contrast: float


def judge(image: Image, px_per_mm: float | None = None) -> Quality:
    """Whether a whole picture can be read.

    image: (h, w, 3). px_per_mm: its scale, if known. A picture without a single edge is "covered":
    a table has edges, and a lens that a hand or a cloth covers sees none.
    """
    return _judge(image, px_per_mm, None)


def judge_area(image: Image, whole: Quality, px_per_mm: float | None = None) -> Quality:
    """Whether an area of a picture can be read: as `judge`, but an area may be plain felt, and
    is then as sharp as the `whole` picture that it was cut from."""
    return _judge(image, px_per_mm, whole)


def _judge(image: Image, px_per_mm: float | None, whole: Quality | None) -> Quality:
    if image.ndim != 3 or min(image.shape[:2]) < _LEAST_PX:
        size = " x ".join(str(n) for n in image.shape[1::-1])
        return Quality(False, f"the picture is too small: {size} pixels", 0.0, 0.0, 0.0)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    exposure = float(grey.mean()) / 255.0
    burnt = float((cv2.min(cv2.min(image[..., 0], image[..., 1]), image[..., 2]) >= 253).mean())
    light = float(np.percentile(grey[::3, ::3], 99))
    if light < DARK:
        return Quality(False, "too dark: give the table more light", 0.0, exposure, burnt)
    if burnt > _BURNT:
        return Quality(False, "too bright: less light, or a shorter exposure", 0.0, exposure, burnt)
    scale = _scale(grey.shape, px_per_mm)
    if scale < 1.0:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    edges = _edges(grey.astype(np.uint8, copy=False))
    if edges.width_px is None:
        if whole is not None:
            return Quality(whole.good, whole.reason, whole.sharpness, exposure, burnt)
        why = "nothing can be told apart: something covers the lens, or it is far out of focus"
        return Quality(False, why, 0.0, exposure, burnt)
    sharp = min(1.0, 1.6 / edges.width_px)
    widest = WIDEST_PX
    if px_per_mm is not None:
        widest = max(LEAST_WIDEST_PX, 1.4 * STROKE_MM * px_per_mm * scale)
    shadow = whole is not None and whole.good and edges.contrast < SHADOW
    if edges.width_px > widest and not shadow:
        return Quality(False, "not sharp: focus, and hold still", sharp, exposure, burnt)
    return Quality(True, "", sharp, exposure, burnt)


def _scale(shape: tuple[int, ...], px_per_mm: float | None) -> float:
    """How much smaller a picture is looked at than it is: edges are measured up to a dozen pixels,
    and the finest of a large photograph are its camera's doing."""
    if px_per_mm is not None:
        return min(1.0, _SCALE / px_per_mm)
    return min(1.0, _LONG_PX / max(shape))


def _edges(grey: Image) -> _Edges:
    """The width of the sharpest edges in the direction that is worst off."""
    part = _busiest(grey)
    smooth = cv2.GaussianBlur(part, (3, 3), 0.6)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    steep = cv2.magnitude(gx, gy)
    box = np.ones((_REACH, _REACH), np.uint8)
    # Blurred first: the range of noise grows with the window and would pass for contrast.
    calm = cv2.blur(part, (3, 3))
    contrast = cv2.subtract(cv2.dilate(calm, box), cv2.erode(calm, box)).astype(np.float32)
    crest = steep >= cv2.dilate(steep, np.ones((3, 3), np.uint8)) - 1e-6
    noise = float(np.median(steep))
    least = max(FLAT, 0.2 * float(np.percentile(contrast, 99)), 10.0 * noise)
    # However soft an edge is, within the reach it rises by no more than its steepness times that.
    # What is less steep is grain beside an edge, and would pass for one that is out of focus.
    least_steep = np.maximum(_STEEP / _REACH * contrast, 4.0 * noise)
    on_edge = crest & (contrast >= least) & (steep > least_steep)
    if int(on_edge.sum()) < _EDGES:
        return _Edges(None, 0.0)
    width = contrast[on_edge] / steep[on_edge]
    turn = (np.degrees(np.arctan2(gy[on_edge], gx[on_edge])) + 22.5) % 180.0 // 45.0
    widths = [
        float(np.percentile(width[turn == t], 15)) for t in range(4) if (turn == t).sum() >= _EDGES
    ]
    worst = max(widths) if widths else float(np.percentile(width, 15))
    return _Edges(worst, float(np.percentile(contrast[on_edge], 90)))


def _busiest(grey: Image) -> Image:
    """A window of full resolution, where the picture has most to be judged by."""
    h, w = grey.shape
    if max(h, w) <= _SIDE_PX:
        return grey
    share = 8
    small = cv2.resize(grey, (w // share, h // share), interpolation=cv2.INTER_AREA)
    rough = cv2.magnitude(
        cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3), cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3)
    )
    wide = min(_SIDE_PX // share, rough.shape[1]), min(_SIDE_PX // share, rough.shape[0])
    # Light surroundings of a window would pull it over the border, so the sums are not centred.
    sums = cv2.boxFilter(rough, -1, wide, anchor=(0, 0), normalize=False, borderType=0)
    inside = sums[: rough.shape[0] - wide[1] + 1, : rough.shape[1] - wide[0] + 1]
    y, x = np.unravel_index(int(inside.argmax()), inside.shape)
    top, left = int(y) * share, int(x) * share
    return grey[top : top + wide[1] * share, left : left + wide[0] * share]
