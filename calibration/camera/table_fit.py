"""Where the camera hangs: from stickers or points of known place to a homography. Pure.

It is fitted in millimetres of the table, for the hand that sticks a sticker down errs by
millimetres, and the detector by tenths of a pixel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.geometry import Matrix, Points, rows, through, undistorted
from calibration.camera_profile import Row

FEWEST = 4
OUTLIER_MM = 12.0
RMS_LIMIT_MM = 5.0
SPREAD_LIMIT_MM = 40.0
"""The stickers' standard deviation from their middle, across the narrowest direction."""
SIDE_LIMIT = 0.12
"""How far the size of the stickers may be from what was printed."""
SIDE_DIFFERS = 0.12
"""How far one sticker's size may be from the others'."""
_TRUST_MM = 1.0  # nobody sticks them down better
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class Known:
    """A place of the table as found in the picture. name: for people, "sticker 3". corners_px: of
    a sticker, (4, 2), for its size; None for a point."""

    name: str
    x_mm: float
    y_mm: float
    x_px: float
    y_px: float
    corners_px: Points | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Residual:
    """How one of them fits. dx_mm, dy_mm: seen less known. side_mm: of a sticker as it seems. used:
    False for one that was left out."""

    name: str
    x_mm: float
    y_mm: float
    dx_mm: float
    dy_mm: float
    side_mm: float | None
    used: bool

    @property
    def off_mm(self) -> float:
        return math.hypot(self.dx_mm, self.dy_mm)


@dataclass(frozen=True, slots=True)
class TableFit:
    """The table as fitted.

    table_to_picture: see `CameraProfile`; None where nothing could be fitted. rms_mm: of those
    used. height_mm, tilt_deg: of the camera above the table, and of its look from straight down.
    faults: why it must not be used; warnings: what deserves a look.
    """

    table_to_picture: tuple[Row, Row, Row] | None
    residuals: tuple[Residual, ...]
    rms_mm: float
    height_mm: float
    tilt_deg: float
    spread_mm: Matrix | None = field(repr=False, compare=False)
    faults: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not self.faults

    def error_mm(self, x_mm: float, y_mm: float) -> float:
        """By how much a place is likely to be off, in millimetres (one standard deviation)."""
        if self.spread_mm is None:
            return math.inf
        slopes = _slopes(np.array([[x_mm, y_mm]]))
        return float(np.sqrt(np.trace(slopes @ self.spread_mm @ slopes.T)))


def known_stickers(
    seen: Mapping[int, Points], places: Mapping[int, tuple[float, float]]
) -> tuple[Known, ...]:
    """The stickers of known place among those seen. seen: corners by number, as `Sticker` has
    them."""
    from calibration.camera.detect import Sticker

    found = []
    for number, corners in sorted(seen.items()):
        if number in places:
            x_px, y_px = Sticker(number, corners).middle_px
            found.append(Known(f"sticker {number}", *places[number], x_px, y_px, corners))
    return tuple(found)


def fit_table(
    known: Sequence[Known], matrix: tuple[Row, Row, Row], distortion: Sequence[float]
) -> TableFit:
    """The homography through those places, with a lens as fitted. Never raises for bad places: the
    fit's faults say what is wrong with them."""
    early = tuple(_early_faults(known))
    if early:
        return _nothing(known, early)
    mm = np.array([(k.x_mm, k.y_mm) for k in known])
    px = undistorted([(k.x_px, k.y_px) for k in known], matrix, distortion)
    if not np.isfinite(px).all():
        return _nothing(known, (_BEYOND,))
    used = _agreeing(mm, px)
    back = _homography(px[used], mm[used])
    if back is None:
        return _nothing(known, (_NO_PLANE,))
    forth = _inverted(back)
    off = through(back, px) - mm
    sides = [_side_mm(k, back, matrix, distortion) for k in known]
    residuals = tuple(
        Residual(k.name, k.x_mm, k.y_mm, float(dx), float(dy), side, bool(is_used))
        for k, (dx, dy), side, is_used in zip(known, off, sides, used, strict=True)
    )
    rms = float(np.sqrt((off[used] ** 2).sum(axis=1).mean()))
    height, tilt = _hanging(forth, matrix)
    return TableFit(
        rows(forth),
        residuals,
        rms,
        height,
        tilt,
        _spread(mm[used], off[used]),
        tuple(_faults(residuals, rms, forth)),
        tuple(_warnings(residuals)),
    )


_BEYOND = (
    "a place lies where this lens draws nothing, so the lens is not this camera's: burnturn"
    " calibrate camera lens"
)
_NO_PLANE = (
    "no flat table fits these places: see that the right numbers stick at the right places, or"
    " measure them anew"
)


def _early_faults(known: Sequence[Known]) -> Iterator[str]:
    if len(known) < FEWEST:
        names = ", ".join(k.name for k in known) or "none"
        yield (
            f"{len(known)} places of the table are known in the picture ({names}), {FEWEST} needed:"
            " stick more stickers where the camera sees them, take away what covers them, or give"
            " points with --point"
        )
        return
    mm = np.array([(k.x_mm, k.y_mm) for k in known])
    narrow = float(np.linalg.svd(mm - mm.mean(axis=0), compute_uv=False)[-1] / math.sqrt(len(mm)))
    if narrow < SPREAD_LIMIT_MM:
        yield (
            f"the places lie close to one line ({narrow:.0f} mm from it): use some nearer to the"
            " dealer and some farther away"
        )


def _agreeing(mm: Points, px: Points) -> NDArray[np.bool_]:
    """Which places agree on one table: of all fours, the one with which most others agree (least
    median as the second word). With four or five places nobody can be outvoted reliably."""
    everything = np.ones(len(mm), dtype=np.bool_)
    if len(mm) < FEWEST + 2:
        return everything
    best = (0, -math.inf, everything)
    for four in islice(combinations(range(len(mm)), 4), _TRIES):
        back = _homography(px[list(four)], mm[list(four)])
        if back is None:
            continue
        off = np.linalg.norm(through(back, px) - mm, axis=1)
        near = np.nan_to_num(off, nan=math.inf) <= OUTLIER_MM
        rank = (int(near.sum()), -float(off[near].mean()) if near.any() else -math.inf)
        if rank > best[:2]:
            best = (*rank, near)
    return best[2] if best[0] >= FEWEST + 1 else everything


def _homography(px: Points, mm: Points) -> Matrix | None:
    """From pixels to millimetres, least squares in millimetres; None where there is none."""
    try:
        found, _ = cv2.findHomography(px.reshape(-1, 1, 2), mm.reshape(-1, 1, 2), 0)
    except cv2.error:
        return None
    if found is None:
        return None
    back = np.asarray(found, dtype=np.float64)
    if not np.isfinite(back).all() or abs(np.linalg.det(back)) < 1e-12:
        return None
    return back


def _inverted(back: Matrix) -> Matrix:
    forth = np.linalg.inv(back)
    return np.asarray(forth / forth[2, 2], dtype=np.float64)


def _side_mm(
    known: Known, back: Matrix, matrix: tuple[Row, Row, Row], distortion: Sequence[float]
) -> float | None:
    if known.corners_px is None:
        return None
    on_table = through(back, undistorted(known.corners_px, matrix, distortion))
    return float(np.linalg.norm(np.roll(on_table, -1, axis=0) - on_table, axis=1).mean())


def _faults(residuals: Sequence[Residual], rms: float, forth: Matrix) -> Iterator[str]:
    used = [r for r in residuals if r.used]
    if np.linalg.det(forth) > 0:
        yield (
            "the places run round the wrong way: the picture is mirrored (switch that off in the"
            " camera), or left and right were mistaken"
        )
    if len(residuals) - len(used) > len(residuals) / 3:
        out = ", ".join(r.name for r in residuals if not r.used)
        yield (
            f"too many places disagree ({out}): measure their places anew, and name them with"
            " --sticker"
        )
    if rms > RMS_LIMIT_MM:
        worst = max(used, key=lambda r: r.off_mm)
        yield (
            f"the places do not fit together: {rms:.1f} mm (rms), {RMS_LIMIT_MM:.0f} mm allowed;"
            f" {worst.name} is {worst.off_mm:.0f} mm off: measure them anew from the middle of the"
            " board cards"
        )
    sides = [r.side_mm for r in used if r.side_mm is not None]
    if not sides:
        return
    middle = float(np.median(sides))
    if abs(middle / marks.STICKER_MM - 1) > SIDE_LIMIT:
        yield (
            f"the stickers seem to measure {middle:.1f} mm, and {marks.STICKER_MM:.0f} mm were"
            " printed: the places are not in millimetres, or the sheet was printed at another scale"
            " (see its ruler)"
        )
    odd = [r.name for r in used if r.side_mm and abs(r.side_mm / middle - 1) > SIDE_DIFFERS]
    if odd:
        yield (
            f"{', '.join(odd)}: larger or smaller than the others as the places have it, so a place"
            " is wrong: measure them anew"
        )


def _warnings(residuals: Sequence[Residual]) -> Iterator[str]:
    for r in residuals:
        if not r.used:
            yield (
                f"{r.name} lies {r.off_mm:.0f} mm from its place and was left out: put it right, or"
                " give its place with --sticker"
            )
    if sum(r.used for r in residuals) == FEWEST:
        yield "four places fit any table exactly: a fifth and sixth would show a wrong one"


def _spread(mm: Points, off: Points) -> Matrix:
    """The covariance of the fit's eight numbers, from what is left over (but no less than a hand's
    own error)."""
    free = max(2 * len(mm) - 8, 1)
    variance = max(float((off**2).sum() / free), _TRUST_MM**2)
    slopes = _slopes(mm)
    return np.asarray(variance * np.linalg.pinv(slopes.T @ slopes))


def _slopes(mm: Points) -> Matrix:
    """(2N, 8): how places move on the table with the eight numbers of a homography near the
    identity, in units that keep them alike."""
    unit = 500.0
    x, y = mm[:, 0] / unit, mm[:, 1] / unit
    one, no = np.ones_like(x), np.zeros_like(x)
    across = np.column_stack((x, y, one, no, no, no, x * x, x * y))
    up = np.column_stack((no, no, no, x, y, one, x * y, y * y))
    return np.concatenate((across, up))


def _hanging(forth: Matrix, matrix: tuple[Row, Row, Row]) -> tuple[float, float]:
    """Height above the table in millimetres and the look's angle from straight down, degrees."""
    view = np.linalg.inv(np.asarray(matrix)) @ forth
    view /= math.sqrt(float(np.linalg.norm(view[:, 0]) * np.linalg.norm(view[:, 1])))
    if view[2, 2] < 0:
        view = -view
    normal = np.cross(view[:, 0], view[:, 1])
    normal /= np.linalg.norm(normal)
    height = abs(float(normal @ view[:, 2]))
    return height, math.degrees(math.acos(min(abs(float(normal[2])), 1.0)))


def _nothing(known: Sequence[Known], faults: tuple[str, ...]) -> TableFit:
    residuals = tuple(
        Residual(k.name, k.x_mm, k.y_mm, math.nan, math.nan, None, False) for k in known
    )
    return TableFit(None, residuals, math.nan, math.nan, math.nan, None, faults, ())
