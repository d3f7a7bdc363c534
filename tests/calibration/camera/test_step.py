"""A camera's calibration from the first question to the file, over a rendered table."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from calibration.camera.geometry import picture_to_table
from calibration.camera.moved import moved_mm
from calibration.camera.samples import Said
from calibration.camera.step import CameraStep, ClearTable, LayPlaceCards, MoveBoard, Part
from calibration.camera_profile import CameraProfile
from calibration.camera_store import load_camera
from calibration.steps import End, Outcome, Weight, carry_out
from calibration.store import ProfileStore
from controller import files
from drivers.errors import LinkLostError
from drivers.table_plan import Area, table_plan
from tests.calibration.camera.camera_twin import CameraTwin, HandAtCamera, table
from tests.calibration.camera.measured import SMALL, seen_at
from tests.calibration.camera.rendered import stuck_down

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def run(
    folder: Path, hand: HandAtCamera, **how: object
) -> tuple[Outcome[CameraProfile], ProfileStore]:
    step = CameraStep(hand.twin, 1, "sim", 9, "twin", **how)  # type: ignore[arg-type]
    store = ProfileStore(folder, files, "0")
    return asyncio.run(carry_out(step, hand, store, by="Kim", now=lambda: NOW)), store


def in_force(store: ProfileStore) -> CameraProfile:
    return load_camera(store, 1, "sim", SMALL.width, SMALL.height, "twin").profile


@pytest.fixture(scope="module")
def calibrated(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]:
    hand = HandAtCamera(CameraTwin(), says={LayPlaceCards: ["p"]})
    return (hand, *run(tmp_path_factory.mktemp("calibration"), hand))


def test_a_camera_is_calibrated_and_its_profile_is_true(
    calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore],
) -> None:
    hand, outcome, store = calibrated
    assert outcome.end is End.SAVED
    assert not hand.twin.open
    profile = in_force(store)
    board = np.array(table_plan(9)["board"].corners_mm)
    assert picture_to_table(profile, seen_at(board)) == pytest.approx(board, abs=1.5)
    assert set(profile.stickers) == set(range(1, 9))
    assert not moved_mm(profile, table(stuck_down())(1)).moved


def test_every_act_is_asked_for_once_and_progress_is_told(
    calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore],
) -> None:
    hand, _, _ = calibrated
    assert [type(act.task) for act in hand.acts] == [MoveBoard, ClearTable, LayPlaceCards]
    assert [(act.done, act.of) for act in hand.acts] == [(0, 3), (1, 3), (2, 3)]
    assert any("views of the lens board are enough" in text for text in hand.news)
    assert "stickers seen: 1, 2, 3, 4, 5, 6, 7, 8" in hand.news


def test_the_page_shows_table_lens_and_figures(
    calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore],
) -> None:
    hand, outcome, _ = calibrated
    page = hand.pages[0].read_text()
    assert outcome.page == hand.pages[0]
    for heading in ("The table from straight above", "Where the lens board was", "sticker 8"):
        assert heading in page
    assert page.count("data:image/svg+xml") == 3
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    weights = {r.weight for r in hand.remarks}
    assert Weight.REFUSED not in weights
    assert Weight.GOOD in weights


def test_a_second_time_the_lens_is_kept_and_the_table_measured_anew(
    tmp_path: Path, calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]
) -> None:
    before = in_force(calibrated[2])
    moved = {n: (x, y, a) for n, (x, y, a) in stuck_down(err_mm=1.0, seed=5).items()}
    hand = HandAtCamera(CameraTwin(), stickers=[moved])
    outcome, store = run(tmp_path, hand, parts=frozenset({Part.TABLE}), before=before)
    assert outcome.end is End.SAVED
    assert [type(act.task) for act in hand.acts] == [ClearTable]
    after = in_force(store)
    assert (after.matrix, after.distortion) == (before.matrix, before.distortion)
    assert after.table_to_picture != before.table_to_picture
    for zone, corners in before.areas.items():
        assert np.array(after.areas[zone]) == pytest.approx(np.array(corners), abs=1e-6)


def test_a_first_time_needs_the_lens() -> None:
    with pytest.raises(ValueError, match="burnturn calibrate camera"):
        CameraStep(CameraTwin(), 1, "sim", 9, parts=frozenset({Part.TABLE}))


def test_place_cards_move_the_areas(
    tmp_path: Path, calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]
) -> None:
    hand = HandAtCamera(CameraTwin())
    parts = frozenset({Part.TABLE, Part.AREAS})
    outcome, store = run(tmp_path, hand, parts=parts, before=in_force(calibrated[2]))
    assert outcome.end is End.SAVED
    areas = in_force(store).areas
    for zone in ("board", "stub", "burn"):
        expected = np.add(table_plan(9)[zone].corners_mm, (20, 0))
        assert np.array(areas[zone]) == pytest.approx(expected, abs=6)


def test_typed_areas_and_points_do_without_cards_and_stickers(
    tmp_path: Path, calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]
) -> None:
    mine = Area(10.0, 5.0, 340.0, 105.0)
    places = [(-300.0, 150.0), (300.0, 150.0), (300.0, -200.0), (-300.0, -200.0), (0.0, 0.0)]
    at = seen_at(places)
    said = Said(
        points=tuple((x, y, float(u), float(v)) for (x, y), (u, v) in zip(places, at, strict=True)),
        areas={"board": mine},
    )
    hand = HandAtCamera(CameraTwin(), stickers=[{}])
    outcome, store = run(
        tmp_path,
        hand,
        parts=frozenset({Part.TABLE}),
        before=in_force(calibrated[2]),
        said=said,
    )
    assert outcome.end is End.SAVED
    profile = in_force(store)
    assert np.array(profile.areas["board"]) == pytest.approx(np.array(mine.corners_mm))
    assert profile.stickers == {}
    assert any("nobody will see it if the camera moves" in r.text for r in hand.remarks)


def test_a_board_that_does_not_move_on_is_asked_for_again_with_what_is_missing(
    tmp_path: Path,
) -> None:
    hand = HandAtCamera(
        CameraTwin(),
        spots=[[4], range(18)],
        says={LayPlaceCards: ["p"]},
    )
    outcome, _ = run(tmp_path, hand)
    first, second = hand.asked(MoveBoard)
    assert "Nothing new came for a while: hold it in the" in second
    assert "Views kept so far: 1" in second
    assert "Nothing new" not in first
    assert outcome.end is End.SAVED


def test_too_little_of_the_board_is_worked_out_on_demand_and_refused(tmp_path: Path) -> None:
    hand = HandAtCamera(
        CameraTwin(),
        spots=[[4, 3, 5]],
        says={MoveBoard: ["", "e"], LayPlaceCards: ["p"]},
    )
    outcome, store = run(tmp_path, hand)
    assert outcome.end is End.REFUSED
    refused = [r.text for r in hand.remarks if r.weight is Weight.REFUSED]
    assert any("3 good views, 10 needed" in text for text in refused)
    assert not store.path("camera-1").exists()
    assert "cannot be used" in hand.pages[0].read_text()


def test_too_few_stickers_are_asked_for_by_number(
    tmp_path: Path, calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]
) -> None:
    two = {n: at for n, at in stuck_down().items() if n < 3}
    strange = {**two, 14: (100.0, 100.0, 0.0)}
    hand = HandAtCamera(CameraTwin(), stickers=[strange, stuck_down()])
    outcome, _ = run(tmp_path, hand, parts=frozenset({Part.TABLE}), before=in_force(calibrated[2]))
    _, again = hand.asked(ClearTable)
    assert "2 stickers of known place show, 4 are needed" in again
    assert "where 14 lies: --sticker" in again
    assert outcome.end is End.SAVED


def test_what_was_measured_survives_leaving_and_a_pulled_cable(tmp_path: Path) -> None:
    left = HandAtCamera(CameraTwin(), leaves_at=2)
    outcome, _ = run(tmp_path, left)
    assert outcome.end is End.LEFT
    assert left.asked(MoveBoard)
    torn = HandAtCamera(CameraTwin(lost_after=5))
    with pytest.raises(LinkLostError, match="unplugged"):
        run(tmp_path, torn)
    again = HandAtCamera(CameraTwin(), says={LayPlaceCards: ["p"]})
    outcome, _ = run(tmp_path, again)
    assert again.asked(MoveBoard) == []
    assert outcome.end is End.SAVED


def test_a_declined_calibration_changes_nothing(
    tmp_path: Path, calibrated: tuple[HandAtCamera, Outcome[CameraProfile], ProfileStore]
) -> None:
    hand = HandAtCamera(CameraTwin(), accepts=False)
    outcome, store = run(
        tmp_path, hand, parts=frozenset({Part.TABLE}), before=in_force(calibrated[2])
    )
    assert outcome.end is End.DECLINED
    assert not store.path("camera-1").exists()
