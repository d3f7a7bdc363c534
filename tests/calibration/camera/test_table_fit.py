"""Where the camera hangs: against a camera that is known, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import marks
from calibration.camera.detect import doubled_stickers, find_stickers
from calibration.camera.geometry import through, undistorted
from calibration.camera.table_fit import Known, TableFit, fit_table, known_stickers
from tests.calibration.camera import measured
from tests.calibration.camera.measured import OVER, SMALL, seen_at
from tests.calibration.camera.rendered import stuck_down, table_picture

LENS = (SMALL.rows, SMALL.distortion)
WHERE = {
    "upper left": (-176.0, 56.0),
    "upper right": (176.0, 56.0),
    "lower right": (176.0, -56.0),
    "lower left": (-176.0, -56.0),
}


def corners(at: tuple[float, float], side: float = marks.STICKER_MM) -> NDArray[np.float64]:
    half = side / 2
    square = [(-half, half), (half, half), (half, -half), (-half, -half)]
    return seen_at(np.add(square, at))


def exact(
    places: Mapping[int, tuple[float, float]] = marks.STICKERS, side: float = marks.STICKER_MM
) -> dict[int, NDArray[np.float64]]:
    """The stickers as an exact camera sees them where they really lie."""
    return {n: corners(at, side) for n, at in places.items()}


def fit(
    lie: Mapping[int, tuple[float, float]],
    said: Mapping[int, tuple[float, float]] = marks.STICKERS,
    side: float = marks.STICKER_MM,
) -> TableFit:
    return fit_table(known_stickers(exact(lie, side), said), *LENS)


def off_mm(table: TableFit, at: tuple[float, float]) -> float:
    """By how much the fit puts a place of the table elsewhere than the true camera has it."""
    assert table.table_to_picture is not None
    back = np.linalg.inv(np.array(table.table_to_picture))
    straight = undistorted(seen_at([at]), *LENS)
    return float(np.linalg.norm(through(back / back[2, 2], straight) - at))


def points(shift: float = 0.0, mirrored: bool = False) -> list[Known]:
    at = seen_at(list(WHERE.values()))
    if mirrored:
        at[:, 0] = SMALL.width - at[:, 0]
    wide = [(2.0, 3.0), (-1.0, 2.0), (0.5, -1.0), (1.0, 1.0)]
    return [
        Known(f"point {n}", *mm, *(px + shift * np.array(push)))
        for n, (mm, px, push) in enumerate(zip(WHERE.values(), at, wide, strict=True), 1)
    ]


def test_a_rendered_table_is_found_to_half_a_millimetre() -> None:
    lens = measured.lens()
    seen = {n: s.corners_px for n, s in measured.stickers().items()}
    assert set(seen) == set(marks.STICKERS)
    table = fit_table(known_stickers(seen, marks.STICKERS), lens.matrix, lens.distortion)
    assert table.faults == ()
    assert table.rms_mm < 0.5
    assert table.height_mm == pytest.approx(1000, rel=0.01)
    assert table.tilt_deg == pytest.approx(math.degrees(math.atan(70 / 1000)), abs=0.6)
    back = np.linalg.inv(np.array(table.table_to_picture))
    grid = [(x, y) for x in range(-400, 401, 100) for y in range(-250, 251, 50)]
    straight = undistorted(seen_at(grid), lens.matrix, lens.distortion)
    off = np.linalg.norm(through(back / back[2, 2], straight) - grid, axis=1)
    assert off.max() < 1.0


def test_one_sticker_elsewhere_is_left_out_and_named() -> None:
    table = fit({**marks.STICKERS, 4: (400.0, 190.0)})
    assert table.faults == ()
    assert [r.name for r in table.residuals if not r.used] == ["sticker 4"]
    assert any("sticker 4 lies 39 mm from its place" in w for w in table.warnings)
    assert off_mm(table, (100.0, 100.0)) < 0.1


def test_stickers_stuck_by_hand_give_a_table_as_good_as_the_hand() -> None:
    lie = {n: (x, y) for n, (x, y, _) in stuck_down(err_mm=2.0, seed=4).items()}
    table = fit(lie)
    assert table.faults == ()
    assert 0.5 < table.rms_mm < 4
    assert off_mm(table, (0.0, 0.0)) < 3 * table.error_mm(0.0, 0.0)
    assert table.error_mm(900.0, -300.0) > 2 * table.error_mm(0.0, 0.0)


def test_stickers_at_places_of_the_houses_own() -> None:
    own = {9: (-300.0, 100.0), 10: (300.0, 120.0), 11: (250.0, -180.0), 12: (-280.0, -150.0)}
    assert fit(own, own).faults == ()
    assert "0 places" in fit(own).faults[0]


@pytest.mark.parametrize("count", range(4))
def test_fewer_than_four_places_are_refused_by_name(count: int) -> None:
    few = dict(list(marks.STICKERS.items())[:count])
    table = fit(few)
    assert table.table_to_picture is None
    assert f"{count} places of the table are known" in table.faults[0]
    assert all(f"sticker {n}" in table.faults[0] for n in few)


def test_places_in_a_line_are_refused() -> None:
    line = {n: (-400.0 + 110 * n, 100.0 + n) for n in range(1, 8)}
    assert any("close to one line" in f for f in fit(line, line).faults)


def test_stickers_measured_in_inches_are_refused() -> None:
    inches = {n: (x / 25.4, y / 25.4) for n, (x, y) in marks.STICKERS.items()}
    assert fit(marks.STICKERS, inches).faults != ()


def test_places_twice_as_far_apart_as_they_are_do_not_pass() -> None:
    doubled = {n: (x / 2, y / 2) for n, (x, y) in marks.STICKERS.items()}
    assert any("seem to measure 80.0 mm" in f for f in fit(doubled).faults)


def test_a_sheet_printed_small_is_told_from_a_good_one() -> None:
    assert fit(marks.STICKERS, side=38.8).faults == ()
    assert any("printed at another scale" in f for f in fit(marks.STICKERS, side=30.0).faults)


def test_two_stickers_exchanged_do_not_pass_unseen() -> None:
    swapped = {**marks.STICKERS, 1: marks.STICKERS[2], 2: marks.STICKERS[1]}
    table = fit(swapped)
    assert not table.good or {r.name for r in table.residuals if not r.used} == {
        "sticker 1",
        "sticker 2",
    }


def test_places_measured_badly_are_refused_with_the_worst_one() -> None:
    lie = {n: (x, y) for n, (x, y, _) in stuck_down(err_mm=25.0, seed=2).items()}
    assert any("do not fit together" in f or "disagree" in f for f in fit(lie).faults)


def test_four_points_do_and_are_said_to_be_without_a_check() -> None:
    table = fit_table(points(), *LENS)
    assert table.faults == ()
    assert any("a fifth and sixth" in w for w in table.warnings)
    assert off_mm(table, (0.0, 0.0)) < 0.1


def test_points_of_a_mirrored_picture_are_refused() -> None:
    table = fit_table(points(mirrored=True), *LENS)
    assert any("mirrored" in f for f in table.faults)


def test_a_point_given_twice_is_refused_and_nothing_breaks() -> None:
    twice = [points()[0]] * 4
    assert fit_table(twice, *LENS).faults


def test_a_sticker_that_shows_twice_is_not_guessed_at() -> None:
    lie = {**stuck_down(), 20: (100.0, 150.0, 0.0)}
    image = table_picture(SMALL, OVER, lie)
    copy = image.copy()
    (x, y), side = find_stickers(image)[20].middle_px, 40
    x, y = round(x), round(y)
    copy[400 : 400 + 2 * side, 300 : 300 + 2 * side] = image[
        y - side : y + side, x - side : x + side
    ]
    assert doubled_stickers(copy) == (20,)
    assert 20 not in find_stickers(copy)
    assert 20 in find_stickers(image)
