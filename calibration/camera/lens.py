"""The lens: camera matrix and distortion from views of the lens board. Pure.

Zhang's method (2000) as OpenCV has it. What makes a fit worthless is not its residual alone: views
all from one angle fit well and leave the focal length open, and a corner of the picture that no
view reached bends as it likes. Each of these refuses a fit, and says what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import BoardView
from calibration.camera.geometry import Matrix, rows
from calibration.camera_profile import Row

FEWEST_VIEWS = 10
FEWEST_CORNERS = 10
"""Of the board's inner corners in one view."""
RMS_LIMIT_PX = 0.8
"""At 1920 pixels across; in proportion for others."""
FOCAL_LIMIT = 0.01
"""Standard deviation of the focal length, as a share of it."""
TILT_LIMIT_DEG = 20.0
"""Between the two views that differ most."""
CELLS = (8, 6)
"""Columns and rows into which the picture is parted for its coverage."""
COVERED_LIMIT = 0.6
_VIEW_WORSE = 2.5  # times the median view
_VIEW_FLOOR_PX = 0.35  # a view as good as this is never thrown out, at 1920 pixels across
_OUTLIERS_LIMIT = 1 / 3
_GAIN_OF_K3 = 0.95
_SAME_SHARE = 0.012


@dataclass(frozen=True, slots=True)
class LensFit:
    """A lens as fitted.

    matrix, distortion: as in `CameraProfile`. rms_px: of all corners of the views used. views: a
    figure for each view given. covered: (rows, columns), corners in each cell of the picture.
    focal_error: standard deviation of the focal length as a share of it. tilt_deg: between the two
    views that differ most. faults: why the fit must not be used, with what to do; () if it may.
    """

    width_px: int
    height_px: int
    matrix: tuple[Row, Row, Row]
    distortion: tuple[float, float, float, float, float]
    rms_px: float
    views: tuple[ViewFit, ...]
    covered: NDArray[np.int64] = field(repr=False)
    focal_error: float
    tilt_deg: float
    faults: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not self.faults

    @property
    def field_deg(self) -> float:
        """Across the picture, by the focal length alone."""
        return math.degrees(2 * math.atan(self.width_px / 2 / self.matrix[0][0]))


@dataclass(frozen=True, slots=True)
class ViewFit:
    """One view in the fit. rms_px: nan if it was not fitted. rejected: why it was left out, ""
    if it was used. errors_px: (N, 2), seen less fitted. corners_px: (N, 2)."""

    rms_px: float
    rejected: str
    errors_px: NDArray[np.float64] = field(repr=False)
    corners_px: NDArray[np.float64] = field(repr=False)


def fit_lens(views: Sequence[BoardView], width_px: int, height_px: int) -> LensFit:
    """The lens from views of the board in pictures of that size. Never raises for bad views: the
    fit's `faults` say what is wrong with them."""
    reasons = dict(_unusable(views, width_px))
    used = [i for i in range(len(views)) if i not in reasons]
    scale = width_px / 1920
    fitted = _calibrate([views[i] for i in used], width_px, height_px)
    while fitted is not None and len(used) > max(FEWEST_VIEWS, len(views) * (1 - _OUTLIERS_LIMIT)):
        worst = int(np.argmax(fitted.view_rms))
        limit = max(_VIEW_WORSE * float(np.median(fitted.view_rms)), _VIEW_FLOOR_PX * scale)
        if fitted.view_rms[worst] <= limit:
            break
        reasons[used[worst]] = (
            f"fits {fitted.view_rms[worst]:.2f} px, the others {np.median(fitted.view_rms):.2f} px:"
            " blurred, moved, or the board was bent"
        )
        del used[worst]
        fitted = _calibrate([views[i] for i in used], width_px, height_px)
    return _judged(views, used, reasons, fitted, width_px, height_px)


def same_view(one: BoardView, other: BoardView, width_px: int) -> bool:
    """Whether two views show the board so much alike that the second teaches nothing."""
    shared, a, b = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(shared) < 4:
        return False
    apart = np.linalg.norm(one.corners_px[a] - other.corners_px[b], axis=1)
    return float(apart.mean()) < _SAME_SHARE * width_px


def coverage(views: Sequence[BoardView], width_px: int, height_px: int) -> NDArray[np.int64]:
    """(rows, columns): how many corners fell into each cell of the picture."""
    columns, rows = CELLS
    if not views:
        return np.zeros((rows, columns), dtype=np.int64)
    at = np.concatenate([view.corners_px for view in views])
    counts, *_ = np.histogram2d(
        at[:, 1], at[:, 0], bins=(rows, columns), range=((0, height_px), (0, width_px))
    )
    return np.asarray(counts, dtype=np.int64)


def bare_corners(covered: NDArray[np.int64]) -> tuple[str, ...]:
    """The corners of the picture that no view reached: of the two cells by two in each, none has
    anything."""
    quarters = {
        "upper left": covered[:2, :2],
        "upper right": covered[:2, -2:],
        "lower left": covered[-2:, :2],
        "lower right": covered[-2:, -2:],
    }
    return tuple(name for name, cells in quarters.items() if not cells.any())


@dataclass(frozen=True, slots=True)
class _Fitted:
    matrix: Matrix
    distortion: Matrix
    rms: float
    view_rms: Matrix
    errors: list[Matrix]
    normals: Matrix
    focal_error: float


def _unusable(views: Sequence[BoardView], width_px: int) -> Iterator[tuple[int, str]]:
    kept: list[BoardView] = []
    for number, view in enumerate(views):
        if len(view.numbers) < FEWEST_CORNERS:
            yield (
                number,
                f"{len(view.numbers)} of {marks.BOARD_CORNERS} corners show; {FEWEST_CORNERS} are"
                " needed",
            )
        elif (
            np.linalg.matrix_rank(np.column_stack((view.corners_mm, np.ones(len(view.numbers)))))
            < 3
        ):
            yield number, "the corners that show lie in one line"
        elif any(same_view(view, before, width_px) for before in kept):
            yield number, "the same as one before"
        else:
            kept.append(view)


def _calibrate(views: Sequence[BoardView], width_px: int, height_px: int) -> _Fitted | None:
    """The fit, with k3 only where it earns its place: one more bend fits noise as readily."""
    if len(views) < 3:
        return None
    try:
        plain = _calibrate_once(views, width_px, height_px, cv2.CALIB_FIX_K3)
        bent = _calibrate_once(views, width_px, height_px, 0)
    except cv2.error:  # views that no camera could have taken
        return None
    return (
        bent
        if bent.rms < _GAIN_OF_K3 * plain.rms and _straight(bent, width_px, height_px)
        else plain
    )


def _calibrate_once(
    views: Sequence[BoardView], width_px: int, height_px: int, flags: int
) -> _Fitted:
    flat = [
        np.column_stack((v.corners_mm, np.zeros(len(v.numbers)))).astype(np.float32) for v in views
    ]
    seen = [v.corners_px.astype(np.float32).reshape(-1, 1, 2) for v in views]
    start = np.eye(3)
    rms, matrix, distortion, turns, places, spread, _, _ = cv2.calibrateCameraExtended(
        flat, seen, (width_px, height_px), start, np.zeros(5), flags=flags
    )
    errors = []
    for on_board, view, turn, place in zip(flat, views, turns, places, strict=True):
        drawn, _ = cv2.projectPoints(on_board, turn, place, matrix, distortion)
        errors.append(view.corners_px - np.reshape(drawn, (-1, 2)))
    view_rms = np.array([math.sqrt(float((e**2).sum(axis=1).mean())) for e in errors])
    normals = np.array([np.asarray(cv2.Rodrigues(turn)[0])[:, 2] for turn in turns])
    focal_error = float(np.ravel(spread)[0] / matrix[0, 0])
    return _Fitted(
        np.asarray(matrix),
        np.ravel(distortion)[:5].astype(np.float64),
        float(rms),
        view_rms,
        errors,
        normals,
        focal_error,
    )


def _judged(
    views: Sequence[BoardView],
    used: list[int],
    reasons: dict[int, str],
    fitted: _Fitted | None,
    width_px: int,
    height_px: int,
) -> LensFit:
    covered = coverage([views[i] for i in used], width_px, height_px)
    if fitted is None:
        blank = np.zeros((0, 2))
        return LensFit(
            width_px,
            height_px,
            ((1.0, 0.0, width_px / 2), (0.0, 1.0, height_px / 2), (0.0, 0.0, 1.0)),
            (0.0, 0.0, 0.0, 0.0, 0.0),
            math.nan,
            tuple(
                ViewFit(math.nan, reasons.get(i, ""), blank, view.corners_px)
                for i, view in enumerate(views)
            ),
            covered,
            math.inf,
            0.0,
            (_too_few(len(used), reasons),),
        )
    tilt = _widest_deg(fitted.normals)
    place = {number: i for i, number in enumerate(used)}
    figures = tuple(
        ViewFit(float(fitted.view_rms[place[i]]), "", fitted.errors[place[i]], view.corners_px)
        if i in place
        else ViewFit(math.nan, reasons[i], np.zeros((0, 2)), view.corners_px)
        for i, view in enumerate(views)
    )
    return LensFit(
        width_px,
        height_px,
        rows(fitted.matrix),
        tuple(float(k) for k in fitted.distortion),  # type: ignore[arg-type]
        fitted.rms,
        figures,
        covered,
        fitted.focal_error,
        tilt,
        tuple(_faults(fitted, len(used), reasons, covered, tilt, width_px, height_px)),
    )


def _faults(
    fitted: _Fitted,
    used: int,
    reasons: dict[int, str],
    covered: NDArray[np.int64],
    tilt_deg: float,
    width_px: int,
    height_px: int,
) -> Iterator[str]:
    if used < FEWEST_VIEWS:
        yield _too_few(used, reasons)
    if tilt_deg < TILT_LIMIT_DEG:
        yield (
            f"all views are from nearly the same angle ({tilt_deg:.0f}° between the two that differ"
            f" most, {TILT_LIMIT_DEG:.0f}° needed): tilt the board, to each side and to and fro"
        )
    bare = bare_corners(covered)
    if bare:
        yield (
            f"no view reached the {' and the '.join(bare)} corner of the picture: hold the board"
            " there, too"
        )
    share = float((covered > 0).mean())
    if share < COVERED_LIMIT:
        yield (
            f"the views cover {share:.0%} of the picture, {COVERED_LIMIT:.0%} needed: bring the"
            " board nearer and move it about"
        )
    limit = RMS_LIMIT_PX * width_px / 1920
    if not fitted.rms <= limit:
        yield (
            f"the fit is off by {fitted.rms:.2f} px (rms), {limit:.2f} px allowed: hold the board"
            " still, flat and in good light, and lock the focus"
        )
    if not fitted.focal_error <= FOCAL_LIMIT and tilt_deg >= TILT_LIMIT_DEG:
        yield (
            f"the focal length is known to {fitted.focal_error:.1%} only, {FOCAL_LIMIT:.0%} needed:"
            " take more views, nearer and more tilted"
        )
    if not _straight(fitted, width_px, height_px):
        yield (
            "the fit folds the picture's edge over, which no lens does: take more views near the"
            " edges and corners"
        )


def _too_few(used: int, reasons: dict[int, str]) -> str:
    rejected = f" ({len(reasons)} more could not be used)" if reasons else ""
    return f"{used} good views{rejected}, {FEWEST_VIEWS} needed: take more, each from elsewhere"


def _straight(fitted: _Fitted, width_px: int, height_px: int) -> bool:
    """Whether points farther out in the scene come out farther in the picture, to its corners."""
    k1, k2, _, _, k3 = fitted.distortion
    m = fitted.matrix
    far = max(
        math.hypot((x - m[0, 2]) / m[0, 0], (y - m[1, 2]) / m[1, 1])
        for x in (0, width_px)
        for y in (0, height_px)
    )
    r = np.linspace(0.0, 1.6 * far, 400)
    bent = r * (1 + k1 * r**2 + k2 * r**4 + k3 * r**6)
    turning = np.flatnonzero(np.diff(bent) <= 0)
    return len(turning) == 0 or bool(bent[turning[0]] >= far)


def _widest_deg(normals: Matrix) -> float:
    return math.degrees(math.acos(float(np.clip((normals @ normals.T).min(), -1.0, 1.0))))
