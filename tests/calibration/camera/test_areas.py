"""Areas of the table in the camera's picture, and what can be read there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import marks
from calibration.camera.areas import (
    FACES_PX,
    SeenArea,
    area_faults,
    area_of,
    area_warnings,
    card_areas,
    seen_areas,
)
from calibration.camera.detect import find_stickers
from calibration.camera.table_fit import TableFit, fit_table, known_stickers
from drivers.table_plan import Area, table_plan
from tests.calibration.camera.measured import OVER, SMALL, seen_at
from tests.calibration.camera.rendered import Lens, Place, above, table_picture
from tests.calibration.camera.test_table_fit import corners

LENS = (SMALL.rows, SMALL.distortion)


def known(place: Place = OVER, lens: Lens = SMALL) -> TableFit:
    seen = {
        n: seen_at(np.add(corners_mm(at), 0.0), lens, place) for n, at in marks.STICKERS.items()
    }
    return fit_table(known_stickers(seen, marks.STICKERS), lens.rows, lens.distortion)


def corners_mm(at: tuple[float, float]) -> list[tuple[float, float]]:
    half = marks.STICKER_MM / 2
    x, y = at
    return [(x - half, y + half), (x + half, y + half), (x + half, y - half), (x - half, y - half)]


def seen(
    seats: int = 9, place: Place = OVER, lens: Lens = SMALL, **typed: Area
) -> dict[str, SeenArea]:
    areas = seen_areas(
        seats,
        (lens.rows, lens.distortion),
        known(place, lens),
        (lens.width, lens.height),
        {},
        {zone.replace("_", "/"): area for zone, area in typed.items()},
    )
    return {a.zone: a for a in areas}


@pytest.mark.parametrize("seats", range(2, 12))
def test_only_what_the_picture_wholly_holds_is_given_to_the_camera(seats: int) -> None:
    areas = seen(seats)
    assert set(areas) == set(table_plan(seats)) - {"table"}
    for zone, area in areas.items():
        x, y = seen_at(area.area.corners_mm).T
        inside = x.min() > 2 and y.min() > 2 and x.max() < 957 and y.max() < 537
        assert (area.left_out == "") == inside, zone
    assert not areas["board"].left_out


def test_what_is_left_out_is_said_with_what_to_do() -> None:
    areas = seen(9)
    out = [zone.replace("/", " ") for zone, area in areas.items() if area.left_out]
    told = next(w for w in area_warnings(tuple(areas.values())) if "not given" in w)
    assert told.startswith(f"{', '.join(out)}: not given to this camera, not wholly in the picture")
    assert "raise the camera" in told


def test_scale_says_whether_faces_or_backs_alone_can_be_read() -> None:
    far = seen(9)["board"]
    assert not far.faces
    assert not far.left_out
    assert far.index_px == pytest.approx(far.px_per_mm * 6.0)
    near = Lens(3840, 2160, 2800.0, (1930.0, 1070.0))
    board = seen(9, OVER, near)["board"]
    assert board.index_px > FACES_PX
    assert board.faces
    assert "faces not be read" in "\n".join(area_warnings((far,)))
    assert "faces not be read" not in "\n".join(area_warnings((board,)))


def test_a_camera_much_too_far_away_gets_no_area_and_says_so() -> None:
    areas = tuple(seen(9, above(3200.0)).values())
    assert all("too small" in a.left_out for a in areas if a.left_out)
    assert "sees no area" in next(area_faults(areas))


def test_typed_areas_replace_the_plans() -> None:
    mine = Area(50.0, 40.0, 300.0, 100.0, 5.0)
    areas = seen(9, board=mine)
    assert areas["board"].area == mine
    assert areas["board"].origin == "typed"
    assert areas["burn"].origin == "plan"


def test_areas_that_share_room_are_named() -> None:
    areas = seen(9, burn=Area(-100.0, 0.0, 130.0, 130.0))
    assert any("board and burn share" in w for w in area_warnings(tuple(areas.values())))
    assert not any("share" in w for w in area_warnings(tuple(seen(9).values())))


def test_a_place_card_moves_and_turns_its_area() -> None:
    cards = {n: z for n, z in marks.place_cards(9).items() if z in ("board", "muck", "seat/5")}
    plan = table_plan(9)
    lie = {
        n: (plan[z].x_mm + 25.0, plan[z].y_mm - 12.0, plan[z].angle_deg + 10.0)
        for n, z in cards.items()
    }
    wide = replace(SMALL, focal=560.0)
    found = find_stickers(table_picture(wide, OVER, lie))
    areas = card_areas(
        {n: s.corners_px for n, s in found.items()},
        9,
        (wide.rows, wide.distortion),
        OVER.homography(wide),
    )
    assert set(areas) == {"board", "muck", "seat/5"}
    for zone, area in areas.items():
        assert (area.x_mm, area.y_mm) == pytest.approx(
            (plan[zone].x_mm + 25, plan[zone].y_mm - 12), abs=1.0
        )
        turned = (area.angle_deg - plan[zone].angle_deg - 10 + 180) % 360 - 180
        assert abs(turned) < 2.0
        assert (area.width_mm, area.height_mm) == (plan[zone].width_mm, plan[zone].height_mm)


def test_a_rectangle_comes_back_from_its_corners() -> None:
    for area in table_plan(11).values():
        back = area_of(area.corners_mm)
        assert back.corners_mm == pytest.approx(np.array(area.corners_mm), abs=1e-6)


def test_a_place_far_outside_does_not_fold_back_into_the_picture() -> None:
    strong = Lens(960, 540, 500.0, (480.0, 270.0), (-0.30, 0.0, 0.0, 0.0, 0.0))
    far = Area(1500.0, 40.0, 100.0, 60.0)
    x, y = seen_at(far.corners_mm, strong).T
    assert ((x > 2) & (x < 958) & (y > 2) & (y < 538)).all()  # where the polynomial puts it
    areas = seen(9, OVER, strong, muck=far)
    assert areas["muck"].left_out


def test_the_corner_order_is_that_of_a_printed_sticker() -> None:
    printed = corners((0.0, 0.0))
    assert printed[0, 1] < printed[3, 1]
    assert printed[0, 0] < printed[1, 0]
