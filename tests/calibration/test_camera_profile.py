"""A camera's profile as a file holds it, and why one is not taken."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from calibration.camera_profile import (
    CameraProfile,
    CameraProfileError,
    checked,
    foreign_faults,
)
from calibration.camera_store import OLD, load_camera, old_words, place_of
from calibration.steps import Belongs
from calibration.store import DamagedError, ForeignError, ProfileStore, StoreError
from controller import files
from drivers.table_plan import table_plan

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOOD = CameraProfile(
    camera=1,
    width_px=1920,
    height_px=1080,
    matrix=((1500.0, 0.0, 960.0), (0.0, 1500.0, 540.0), (0.0, 0.0, 1.0)),
    distortion=(-0.1, 0.01, 0.0, 0.0, 0.0),
    table_to_picture=((1.3, 0.0, 960.0), (0.0, -1.3, 540.0), (0.0, 0.0, 1.0)),
    areas={z: a.corners_mm for z, a in table_plan(11).items() if z != "table"},
    px_per_mm=1.3,
    stickers={1: (-430.2, -60.1), 8: (431.0, -264.0)},
    residual_mm=0.4,
    device="sim",
)


def saved(
    folder: Path, profile: CameraProfile, port: str = "/dev/video0", at: datetime = NOW
) -> ProfileStore:
    store = ProfileStore(folder, files, "0")
    belongs = Belongs(place_of(profile.camera, port))
    store.save(f"camera-{profile.camera}", profile, store.made(belongs, by="Kim", at=at))
    return store


def test_a_profile_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    store = saved(tmp_path, GOOD)
    loaded = load_camera(store, 1, "/dev/video0", 1920, 1080, "sim")
    assert loaded.profile == GOOD
    assert loaded.made.by == "Kim"


def test_no_profile_is_refused_with_the_way_to_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"camera 2 is not calibrated.*burnturn calibrate camera"):
        load_camera(saved(tmp_path, GOOD), 2, "/dev/video0", 1920, 1080)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ((1, "/dev/video2", 1920, 1080, "sim"), "/dev/video2"),
        ((1, "/dev/video0", 1280, 720, "sim"), "1280x720"),
        ((1, "/dev/video0", 1920, 1080, "another make"), "another make"),
    ],
)
def test_a_profile_of_another_camera_or_picture_size_is_foreign(
    tmp_path: Path, asked: tuple[int, str, int, int, str], why: str
) -> None:
    store = saved(tmp_path, GOOD)
    with pytest.raises(ForeignError, match=why) as caught:
        load_camera(store, *asked)
    assert "burnturn calibrate camera" in str(caught.value)
    assert len(caught.value.differences) == 1


def test_a_file_under_another_cameras_name_is_foreign(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path, files, "0")
    made = store.made(Belongs(place_of(2, "/dev/video0")), by="Kim", at=NOW)
    store.save("camera-2", GOOD, made)
    with pytest.raises(ForeignError, match="it is of camera 1, and this is camera 2"):
        load_camera(store, 2, "/dev/video0", 1920, 1080)


def test_what_a_camera_does_not_say_of_itself_makes_nothing_foreign() -> None:
    assert foreign_faults(GOOD, 1, 1920, 1080) == ()


def test_a_changed_file_and_one_without_sense_are_damaged(tmp_path: Path) -> None:
    store = saved(tmp_path, GOOD)
    path = store.path("camera-1")
    path.write_text(path.read_text().replace("1500.0", "1400.0"))
    with pytest.raises(DamagedError):
        load_camera(store, 1, "/dev/video0", 1920, 1080)
    store = saved(tmp_path, replace(GOOD, areas={}))
    with pytest.raises(DamagedError, match="sees no area"):
        load_camera(store, 1, "/dev/video0", 1920, 1080)


def test_unknown_names_in_a_file_are_refused(tmp_path: Path) -> None:
    store = saved(tmp_path, GOOD)
    path = store.path("camera-1")
    body = json.loads(path.read_text())
    body["values"]["zoom"] = 2
    body.pop("sha256")
    from calibration.store import _hash

    path.write_text(json.dumps({**body, "sha256": _hash(body)}))
    with pytest.raises(DamagedError, match="zoom"):
        load_camera(store, 1, "/dev/video0", 1920, 1080)


def test_an_old_profile_is_named_and_a_young_one_is_not(tmp_path: Path) -> None:
    loaded = load_camera(saved(tmp_path, GOOD), 1, "/dev/video0", 1920, 1080)
    assert old_words(loaded, NOW + OLD) == ""
    assert "181 days" in old_words(loaded, NOW + OLD + timedelta(days=1))


SQUARE = ((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0))
STAR = tuple(
    (100 * math.cos(math.radians(144 * k)), 100 * math.sin(math.radians(144 * k))) for k in range(5)
)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"camera": 0}, "camera = 0; allowed 1 and more"),
        ({"width_px": 0}, "width_px = 0; allowed 1 to 20000"),
        ({"px_per_mm": 0.0}, "px_per_mm = 0; allowed 0.05 to 100"),
        ({"residual_mm": -1.0}, "residual_mm = -1"),
        ({"areas": {}}, "areas: none"),
        ({"areas": {"seat/12": SQUARE}}, "'seat/12' is no place"),
        ({"areas": {"table": SQUARE}}, "'table' is no place"),
        ({"areas": {"board": SQUARE[::-1]}}, "board: its corners do not go round once"),
        ({"areas": {"board": STAR}}, "board: its corners do not go round once"),
        ({"areas": {"board": SQUARE[:2]}}, "board: 2 corners; at least 3"),
        ({"areas": {"board": ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))}}, "board: no room"),
        ({"stickers": {1: (9000.0, 0.0)}}, "stickers: 1 at 9000, 0 mm is not on the table"),
        ({"matrix": ((-1.0, 0, 1), (0, 1.0, 1), (0, 0, 1.0))}, "matrix: not a camera's"),
        ({"table_to_picture": ((1.0, 0, 0), (1.0, 0, 0), (0, 0, 1.0))}, "no plane is seen"),
    ],
)
def test_each_fault_of_a_profile_is_named(change: dict[str, object], why: str) -> None:
    with pytest.raises(CameraProfileError) as caught:
        checked(replace(GOOD, **change))  # type: ignore[arg-type]
    assert why in str(caught.value)


def test_all_faults_are_named_together() -> None:
    with pytest.raises(CameraProfileError) as caught:
        checked(replace(GOOD, camera=0, px_per_mm=1e6, areas={"x": SQUARE}))
    assert len(caught.value.faults) == 3


def test_the_plan_of_any_table_makes_a_sound_profile() -> None:
    assert checked(GOOD) == GOOD
