"""Where a card's corner index may be: pairs of small dark shapes on light ground, a rank and its
suit, cut out so that every pair stands upright and has one size.

No card's outline is needed, so that isolated, turned, fanned and spread cards are all the same. The
pairs are many and mostly wrong; naming them is the network's work (`controller.vision.net`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

PATCH_W: Final = 32
PATCH_H: Final = 60
RANK_Y: Final = 17.0
SUIT_Y: Final = 43.0
"""In a patch (32 wide, 60 high) the middle of the rank's shape lies at (16, 17), of the suit's at
(16, 43)."""

GLYPH_PX: Final = 22.0
"""The working scale: index glyphs about this high. Pairs are found from a third to twice of it."""

_SMALLEST, _LARGEST = 5, 64  # pixels along a glyph's box at the working scale
_SUIT_FAR = (0.62, 2.3)  # middle to middle, in sizes of the rank's shape
_LIGHT = 0.34  # ground is lighter than this share of the lightest ground of the picture
_NEIGHBOURS = 9  # of one shape, the nearest; its suit is among them
_INKS = (0.56, 0.74, 0.88)  # darker than this share of the ground around: thick ink to thin ink
_LONG = 1.7  # a rank and a suit in one are this much longer than wide
_REACH = 41  # pixels; wider than any stroke of a glyph, so that ground is always in reach
_CUT = 256  # patches in one remapping


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Dark shapes on light ground. centre (n, 2): x and y in pixels. size (n,): three quarters of
    the box's diagonal, about the height of a letter. grown (m, 2, 2): the middles of both halves of
    shapes that are long enough to be a rank and a suit grown together."""

    centre: Floats
    size: Floats
    grown: Floats

    def __len__(self) -> int:
        return len(self.size)


def ground(darkest: Image) -> Image:
    """The light ground around every pixel: (h, w) like `darkest`, found at half resolution."""
    h, w = darkest.shape
    half = cv2.resize(darkest, ((w + 1) // 2, (h + 1) // 2), interpolation=cv2.INTER_AREA)
    reach = _REACH // 2 | 1
    wide = cv2.dilate(half, np.ones((reach, reach), np.uint8))
    smooth = cv2.blur(wide, (reach, reach))
    return cv2.resize(smooth, (w, h), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)


def darkest_channel(image: Image) -> Image:
    """(h, w): the least of blue, green and red, in which ink of any colour is dark."""
    least = cv2.min(cv2.min(image[:, :, 0], image[:, :, 1]), image[:, :, 2])
    return least.astype(np.uint8, copy=False)


def shapes(image: Image, darkest: Image | None = None) -> Glyphs:
    """The dark shapes of an image (h, w, 3) at working scale that could be half an index. darkest:
    its `darkest_channel`, where that is known already."""
    darkest = darkest_channel(image) if darkest is None else darkest
    around = ground(darkest)
    light = max(28.0, _LIGHT * float(np.percentile(around[::8, ::8], 99)))
    rows, grown = [], []
    for share in _INKS:
        level = cv2.convertScaleAbs(around, alpha=share)
        level[around < light] = 0
        alone, together = _islands(cv2.compare(darkest, level, cv2.CMP_LT).astype(np.uint8))
        rows.append(alone)
        grown.append(together)
    centre, size = _distinct(np.concatenate(rows))
    return Glyphs(centre, size, np.concatenate(grown))


def _islands(ink: Image) -> tuple[Floats, Floats]:
    """Rows x, y, size, area of what hangs together and may be a rank or a suit; and (m, 2, 2) the
    middles of the halves of what may be both."""
    # of OpenCV's algorithms the quickest where statistics are wanted, by half
    how = (8, cv2.CV_32S, cv2.CCL_BBDT)
    _, labels, stats, centres = cv2.connectedComponentsWithStatsWithAlgorithm(ink, *how)
    box = stats.astype(np.float32)
    w, h, area = box[:, cv2.CC_STAT_WIDTH], box[:, cv2.CC_STAT_HEIGHT], box[:, cv2.CC_STAT_AREA]
    longer, shorter = np.maximum(w, h), np.minimum(w, h)
    some = (longer >= _SMALLEST) & (shorter >= 2) & (area >= 10)
    some[0] = False  # what is no ink
    one = some & (longer <= _LARGEST) & (area >= 0.12 * w * h) & (longer <= 6 * shorter)
    rows = np.column_stack([centres, 0.75 * np.hypot(w, h), area])[one].astype(np.float32)
    both = some & (longer >= 2 * _SMALLEST) & (longer <= 2 * _LARGEST) & (area >= 0.1 * w * h)
    middles = centres.astype(np.float64, copy=False)
    return rows, _halves(labels.astype(np.int32, copy=False), both, middles)


def _halves(
    labels: NDArray[np.int32], which: NDArray[np.bool_], centres: NDArray[np.float64]
) -> Floats:
    """(m, 2, 2): the middles of both halves of the long ones of some islands, cut across."""
    count = len(which)
    where = np.flatnonzero(np.take(which, labels))
    y, x = np.divmod(where, labels.shape[1])
    of = labels.reshape(-1)[where]
    dx, dy = x - centres[of, 0], y - centres[of, 1]

    def sums(of_what: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(of, of_what, count).astype(np.float64, copy=False)

    n = np.maximum(np.bincount(of, minlength=count), 1)
    xx, yy, xy = sums(dx * dx) / n, sums(dy * dy) / n, sums(dx * dy) / n
    middle, apart = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    long_one = which & (middle + apart >= _LONG**2 * np.maximum(middle - apart, 0.5))
    turn = 0.5 * np.arctan2(2 * xy, xx - yy)
    side = dx * np.cos(turn)[of] + dy * np.sin(turn)[of] > 0
    upper = np.maximum(sums(side.astype(np.float64)), 1)
    lower = np.maximum(n - upper, 1)
    ux, uy = sums(dx * side), sums(dy * side)
    first = centres + np.column_stack([ux / upper, uy / upper])
    second = centres - np.column_stack([ux / lower, uy / lower])  # all offsets sum to nothing
    return np.stack([first, second], axis=1)[long_one].astype(np.float32)


def _distinct(rows: Floats) -> tuple[Floats, Floats]:
    """Middles and sizes without shapes that two kinds of ink show alike; the larger one stays."""
    rows = rows[np.argsort(-rows[:, 3], kind="stable")]
    cell = np.round(rows[:, :2] / np.maximum(2.0, 0.2 * rows[:, 2:3]))
    step = np.round(np.log(np.maximum(rows[:, 2], 1.0)) * 4)
    _, first = np.unique(np.column_stack([cell, step]), axis=0, return_index=True)
    rows = rows[np.sort(first)]
    return rows[:, :2], rows[:, 2]


def pairs(glyphs: Glyphs, most: int = 2500) -> tuple[Floats, Floats]:
    """Middles (m, 2) and (m, 2) of what may be a rank and its suit; both orders are tried. At most
    `most` of them, those of the likeliest sizes and distances first."""
    rank, suit = _likeliest(glyphs, most)
    halves = glyphs.grown[: most // 4]
    return (
        np.concatenate([glyphs.centre[rank], halves[:, 0], halves[:, 1]]),
        np.concatenate([glyphs.centre[suit], halves[:, 1], halves[:, 0]]),
    )


def _likeliest(glyphs: Glyphs, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.argsort(glyphs.centre[:, 0], kind="stable")
    x = glyphs.centre[order, 0]
    far = _SUIT_FAR[1] * float(glyphs.size.max(initial=0.0))
    found = []
    for begin in range(0, len(order), 128):
        some = order[begin : begin + 128]
        lo = int(np.searchsorted(x, glyphs.centre[some[0], 0] - far))
        hi = int(np.searchsorted(x, glyphs.centre[some[-1], 0] + far))
        found.append(_near(glyphs, some, order[lo:hi]))
    if not found:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    rank, suit, odd = (np.concatenate(part) for part in zip(*found, strict=True))
    if len(rank) > most:
        kept = np.sort(np.argsort(odd, kind="stable")[:most])
        rank, suit = rank[kept], suit[kept]
    return rank, suit


def _near(
    glyphs: Glyphs, ranks: NDArray[np.intp], suits: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Pairs of these ranks and suits, and how odd each is in size and distance."""
    away = glyphs.centre[suits][None, :, :] - glyphs.centre[ranks][:, None, :]
    distance = np.hypot(away[:, :, 0], away[:, :, 1])
    rank, suit = glyphs.size[ranks][:, None], glyphs.size[suits][None, :]
    fit = (suit > 0.33 * rank) & (suit < 1.7 * rank)
    fit &= distance > _SUIT_FAR[0] * np.maximum(rank, suit) * 0.8
    fit &= (distance < _SUIT_FAR[1] * rank) & (distance < 2.7 * suit)
    odd = np.abs(np.log(np.maximum(distance, 1.0) / (1.15 * rank)))
    odd = (odd + 0.7 * np.abs(np.log(suit / (0.85 * rank)))).astype(np.float32)
    odd[~fit] = np.inf
    kept = min(_NEIGHBOURS, odd.shape[1])
    best = np.argpartition(odd, kept - 1, axis=1)[:, :kept] if kept else np.zeros((0, 0), np.intp)
    rows = np.repeat(np.arange(len(ranks)), kept)
    columns = best.reshape(-1)
    value = odd[rows, columns]
    good = np.isfinite(value)
    return ranks[rows[good]], suits[columns[good]], value[good]


def patches(image: Image, rank: Floats, suit: Floats, step: int = 1) -> Image:
    """(n, 60, 32, 3), or (n, 60, 32) of an image of one channel: what is around each pair, turned
    upright, one size. rank, suit (n, 2): middles of the two shapes in pixels. step: only every
    second, third ... row and column."""
    h, w = len(range(0, PATCH_H, step)), len(range(0, PATCH_W, step))
    out = np.empty((len(rank), h, w, *image.shape[2:]), np.uint8)
    for begin in range(0, len(rank), _CUT):
        part = slice(begin, begin + _CUT)
        x, y = _places(rank[part], suit[part], step)
        cut = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        out[part] = cut.reshape(-1, h, w, *image.shape[2:])
    return out


def _places(rank: Floats, suit: Floats, step: int) -> tuple[Floats, Floats]:
    """For each pixel of each patch, one patch below another, where it lies in the image."""
    unit = (suit - rank) / (
        SUIT_Y - RANK_Y
    )  # a patch's y, in image pixels; its x is at a right angle
    dx = np.arange(0, PATCH_W, step, dtype=np.float32) - PATCH_W / 2
    dy = np.arange(0, PATCH_H, step, dtype=np.float32) - RANK_Y
    ux, uy = unit[:, 0, None, None], unit[:, 1, None, None]
    x = rank[:, 0, None, None] + dy[None, :, None] * ux + dx[None, None, :] * uy
    y = rank[:, 1, None, None] + dy[None, :, None] * uy - dx[None, None, :] * ux
    wide = (-1, len(dx))
    return (
        x.reshape(wide).astype(np.float32, copy=False),
        y.reshape(wide).astype(np.float32, copy=False),
    )
