"""The third reader: how many pips a number card shows, and whether clubs or spades, from the card
laid straight.

Both indices of a card are printed in one font, so that a network which takes one digit of it for
another does so twice. Pips are another witness: what is counted here has no font. A number is said
only where all ink between the indices is pips of one size and colour, in one of the arrangements in
which English pattern decks print them; whatever is covered, blurred or drawn otherwise has none.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.picture import PipsRead
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Light = NDArray[np.float32]

PIPS_PX_MM: Final = 2.5
"""Cards are laid straight at this scale."""

_INNER_MM = (23.0, 41.5)  # from a card's middle, across and down: what is looked at
_INDEX_MM = 18.5  # ink whose middle lies farther aside is an index's,
_REACH_MM = (12.0, 36.0)  # and so is what reaches from without to here, no farther
_STEP_MM = 2.4  # the paper's light is told from every so many
_INK = 0.62  # of the paper's light: ink is darker, or there is none to be told
_FAINT = 0.3  # of the way from paper to ink: what is so dark is something
_GLARE = 1.14  # of the paper's light: it hides ink where it is more than a speck
_SPECK = 0.07  # of a pip's area: so little ink is dirt or noise,
_SPECKS = 6  # of which there are no more than so many
_SHADE = 2.0  # of a pip's area: what surrounds it faintly is no larger
_MIDDLE_MM = 4.0  # from a card's middle to every side
_BARE = 0.05  # so near is paper to its light
_PIP_MM = (5.0, 17.5)  # how high and how wide pips are
_ACE_MM = (5.0, 46.0)
_ALIKE = 1.3  # pips of one card differ in area by no more than this factor from the usual
_TINT = 30.0  # of 255: and in colour,
_SPOTTED = 24.0  # and within one it varies by less
_SLIM = (0.55, 1.3)  # width by height
_FULL = (0.36, 0.8)  # of its box
_SOLID = 0.72  # of its hull a pip fills, a star or a scrap less
_MIRRORED = 0.7  # of a pip and its mirror image both cover
_COLUMN_MM = (7.5, 17.5)  # from the middle column to the others
_ROW_MM = (17.0, 35.0)  # from the middle to the outermost row
_OFF_MM = 4.5  # so far may the arrangement's middle lie from the card's
_TURN = 0.16  # and so much, as a tangent, may it be turned or askew
_FIT_MM = 1.6  # so far may a pip lie from its place,
_BETWEEN_MM = 4.2  # and one between the rows, whose places decks differ in, up or down

_SHAPE_PX = (20, 20)
_CLUB, _SPADE = 1.36, 1.5
"""How much wider a suit is at a quarter of its height than at an eighth. Of 530 cards of 15 decks,
half of them blurred, noisy and askew, clubs have 1.38 at most (1 in 100 more than 1.35), spades
1.44 at least (1 in 100 less than 1.51)."""

_THREE, _FOUR = (-1.0, 0.0, 1.0), (-1.0, -1 / 3, 1 / 3, 1.0)


def _arrangement(rows: tuple[float, ...], middle: tuple[float, ...]) -> Floats:
    """(n, 2): pips of both side columns and of the middle one; x and y from -1 to 1."""
    sides = [(x, y) for x in (-1.0, 1.0) for y in rows]
    return np.array([*sides, *((0.0, y) for y in middle)])


_ARRANGEMENTS: Final = {
    2: (_arrangement((), (-1.0, 1.0)),),
    3: (_arrangement((), _THREE),),
    4: (_arrangement((-1.0, 1.0), ()),),
    5: (_arrangement((-1.0, 1.0), (0.0,)),),
    6: (_arrangement(_THREE, ()),),
    7: (_arrangement(_THREE, (-0.5,)), _arrangement(_THREE, (0.5,))),
    8: (_arrangement(_THREE, (-0.5, 0.5)),),
    9: (_arrangement(_FOUR, (0.0,)),),
    10: (_arrangement(_FOUR, (-2 / 3, 2 / 3)),),
}
"""By their number, as a card shows them; the seven also as it stands on its head."""

_DIFFER = (7, 8, 10)  # whose middle column has pips between the rows


def read_pips(card: Image, px_per_mm: float = PIPS_PX_MM) -> PipsRead | None:
    """The pips that a card shows; None where no arrangement of them is to be seen.

    card: (88, 63) millimetres at that scale, (h, w, 3) blue, green, red, laid straight, either end
    up. Never raises for an image of that form.
    """
    part = _inner(card, px_per_mm)
    light = _light(cv2.blur(_darkest(part), (3, 3)).astype(np.uint8, copy=False), px_per_mm)
    if light is None or np.count_nonzero(light > _GLARE) > 0.004 * light.size:
        return None
    ink = float(np.partition(light.ravel(), light.size // 100)[light.size // 100])
    if ink > _INK:
        return None
    labels, rows = _islands(light < (1.0 + ink) / 2)
    found = _told(rows, part, px_per_mm)
    if found is None or not _are_pips(labels, found, part):
        return None
    if not _alone(light < 1.0 - _FAINT * (1.0 - ink), part, found, px_per_mm):
        return None
    places = found[:, :2] - _middle_px(part)
    if not _arranged(places / px_per_mm) or (len(found) in (2, 4) and not _bare(light, px_per_mm)):
        return None
    return PipsRead(len(found), _black(light, ink, found, places[:, 1]) if len(found) > 1 else "")


def _inner(card: Image, px_per_mm: float) -> Image:
    """What lies between the indices."""
    cut = [
        round((mm / 2 - inner) * px_per_mm) for mm, inner in zip(CARD_MM, _INNER_MM, strict=True)
    ]
    return np.ascontiguousarray(card[cut[1] : -cut[1], cut[0] : -cut[0]])


def _middle_px(part: Image) -> Floats:
    return np.array([(part.shape[1] - 1) / 2, (part.shape[0] - 1) / 2])


def _darkest(part: Image) -> Image:
    least = cv2.min(cv2.min(part[..., 0], part[..., 1]), part[..., 2])
    return least.astype(np.uint8, copy=False)


def _light(darkest: Image, px_per_mm: float) -> Light | None:
    """(h, w): how light a card is, 1 where it is as light as its paper there, whose light may fall
    off towards any side; None where no paper is to be told."""
    step = max(1, round(_STEP_MM * px_per_mm))
    some = darkest[step // 2 :: step, step // 2 :: step].astype(np.float64)
    base = np.ones((*some.shape, 3))
    base[..., 1] = np.linspace(-1.0, 1.0, some.shape[1])
    base[..., 2] = np.linspace(-1.0, 1.0, some.shape[0])[:, None]
    base, value = base.reshape(-1, 3), some.ravel()
    paper = np.full(value.size, np.partition(value, 3 * value.size // 4)[3 * value.size // 4])
    for within in (0.2, 0.12, 0.12):
        near = np.abs(value - paper) < within * paper
        if near.sum() < 0.4 * value.size:
            return None
        kept = base[near]
        paper = base @ np.linalg.solve(kept.T @ kept, kept.T @ value[near])
    if paper.min() < 30.0:
        return None
    sized = cv2.resize((1.0 / paper).reshape(some.shape).astype(np.float32), darkest.shape[::-1])
    return np.asarray(darkest * sized, np.float32)


def _islands(ink: NDArray[np.bool_]) -> tuple[NDArray[np.int32], Floats]:
    """What of some ink hangs together: all labels, and for each the box's middle (x, y), width,
    height, area, left end, top, and its label, in pixels."""
    how = (8, cv2.CV_32S, cv2.CCL_BBDT)
    _, labels, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(ink.view(np.uint8), *how)
    box = stats[1:].astype(np.float64)
    middle = box[:, :2] + (box[:, 2:4] - 1) / 2
    rows = np.column_stack([middle, box[:, 2:5], box[:, :2], np.arange(1, len(stats))])
    return labels.astype(np.int32, copy=False), rows


def _between(rows: Floats, part: Image, px_per_mm: float) -> tuple[Floats, bool]:
    """The islands that are no index's and no edge's; and whether one that comes from without
    reaches in among the pips."""
    middle = _middle_px(part)
    off, half = np.abs(rows[:, :2] - middle), (rows[:, 2:4] - 1) / 2
    cut = (off + half > middle - 0.75).any(axis=1)
    reaches = (off - half < np.array(_REACH_MM) * px_per_mm).all(axis=1)
    index = off[:, 0] > _INDEX_MM * px_per_mm
    return rows[~cut & ~index], bool((cut & reaches & (rows[:, 4] > 4)).any())


def _told(rows: Floats, part: Image, px_per_mm: float) -> Floats | None:
    """The islands that may be pips, all of one size; None where there is other ink too."""
    rows, strange = _between(rows, part, px_per_mm)
    if strange or not len(rows):
        return None
    pips = rows[rows[:, 4] > _SPECK * rows[:, 4].max()]
    if len(pips) > 10 or np.count_nonzero(rows[:, 4] > 6.0) > len(pips) + _SPECKS:
        return None
    size, usual = pips[:, 2:4] / px_per_mm, np.median(pips[:, 4])
    least, most = _PIP_MM if len(pips) > 1 else _ACE_MM
    fit = (size > least) & (size < most)
    alike = (pips[:, 4] < _ALIKE * usual) & (pips[:, 4] * _ALIKE > usual)
    slim = size[:, 0] / size[:, 1]
    full = pips[:, 4] / (pips[:, 2] * pips[:, 3])
    good = fit.all() and alike.all() and (slim > _SLIM[0]).all() and (slim < _SLIM[1]).all()
    return pips if good and (full > _FULL[0]).all() and (full < _FULL[1]).all() else None


def _are_pips(labels: NDArray[np.int32], pips: Floats, part: Image) -> bool:
    """Whether each island is as suits are, alike on both sides and in one piece, and all of them
    have one colour."""
    tints = []
    for _, _, w, h, area, left, top, label in pips.astype(np.intp).tolist():
        box = np.s_[top : top + h, left : left + w]
        own = (labels[box] == label).astype(np.uint8)
        both = int(np.count_nonzero(own & own[:, ::-1]))
        if both < _MIRRORED * area:
            return False
        edges, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        hull = cv2.contourArea(cv2.convexHull(max(edges, key=len)))
        if area < _SOLID * hull:
            return False
        inside = cv2.erode(own, np.ones((3, 3), np.uint8), borderValue=0)
        mean, spread = cv2.meanStdDev(part[box], mask=inside)
        if spread.max() > _SPOTTED:
            return False
        tints.append(mean.ravel())
    tint = np.array(tints)
    return bool((np.abs(tint - np.median(tint, axis=0)) < _TINT).all())


def _alone(faint: NDArray[np.bool_], part: Image, pips: Floats, px_per_mm: float) -> bool:
    """Whether nothing is printed or lies among the pips, not even faintly, and no two of them flow
    together: a pip that was half hidden would leave another number's arrangement."""
    around, rows = _islands(faint)
    rows, strange = _between(rows, part, px_per_mm)
    if strange:
        return False
    usual = float(np.median(pips[:, 4]))
    large = rows[rows[:, 4] > _SPECK * usual]
    if len(large) != len(pips) or large[:, 4].max() > _SHADE * usual:
        return False
    x, y = np.round(pips[:, :2]).astype(np.intp).T
    return set(around[y, x].tolist()) == set(large[:, 7].astype(np.intp).tolist())


def _bare(light: Light, px_per_mm: float) -> bool:
    """Whether a card's middle, where a three and a five have a pip more, is as light as paper."""
    (y, x), half = (n // 2 for n in light.shape), round(_MIDDLE_MM * px_per_mm)
    return abs(float(light[y - half : y + half, x - half : x + half].mean()) - 1.0) < _BARE


def _arranged(at: Floats) -> bool:
    """Whether places (n, 2), millimetres from the card's middle, are those of n pips."""
    if len(at) == 1:
        return bool(np.abs(at).max() < _OFF_MM)
    return any(_fits(at, places) for places in _ARRANGEMENTS[len(at)])


def _black(light: Light, ink: float, pips: Floats, down: Floats) -> str:
    """Which of the black suits pips are more like, by those at both ends, which stand upright above
    and on their heads below, whichever end is up: a spade widens steadily from its tip, a club's
    upper leaf is soon as wide as it gets. down: how far each lies below the card's middle."""
    shape = np.zeros(_SHAPE_PX, np.float32)
    for (left, top, w, h), y in zip(
        pips[:, [5, 6, 2, 3]].astype(np.intp).tolist(), down.tolist(), strict=True
    ):
        if abs(y) > 0.8 * np.abs(down).max():
            box = light[top : top + h, left : left + w]
            cover = np.clip((1.0 - box) / (1.0 - ink), 0.0, 1.0)
            how = cv2.INTER_AREA if h > _SHAPE_PX[0] else cv2.INTER_LINEAR
            sized = cv2.resize(cover, _SHAPE_PX, interpolation=how)
            shape += sized if y < 0 else sized[::-1]
    widths = shape.sum(axis=1)
    wider = float(widths[4:6].mean() / max(widths[2], 1e-6))
    return "c" if wider < _CLUB else "s" if wider > _SPADE else ""


def _fits(at: Floats, places: Floats) -> bool:
    """Whether pips lie as an arrangement's places do, turned and stretched a little."""
    low, high = at.min(0), at.max(0)
    columns = bool(places[:, 0].any())
    half = np.array([(high[0] - low[0]) / 2 if columns else _COLUMN_MM[1], (high[1] - low[1]) / 2])
    if not _ROW_MM[0] < half[1] < _ROW_MM[1] or not _COLUMN_MM[0] < half[0] <= _COLUMN_MM[1]:
        return False
    unit = (at - (low + high) / 2) / half
    nearest = np.abs(unit[:, None] - places).sum(2).argmin(1)
    if len(set(nearest.tolist())) < len(at):
        return False
    to = np.column_stack([places[nearest], np.ones(len(at))])
    if not columns:
        to[:, 0] = 0.0
    by = np.linalg.lstsq(to, at, rcond=None)[0]
    off = np.abs(at - to @ by)
    between = np.abs(to[:, 1]) < 1.0 - 1e-6
    allowed = np.where(between & (to[:, 0] == 0.0) & (len(at) in _DIFFER), _BETWEEN_MM, _FIT_MM)
    askew = [by[1, 0] / by[1, 1], by[0, 1] / by[0, 0] if columns else 0.0]
    return bool(
        (off[:, 0] < _FIT_MM).all()
        and (off[:, 1] < allowed).all()
        and np.abs(by[2]).max() < _OFF_MM
        and np.abs(askew).max() < _TURN
    )
