"""A camera that was bumped is noticed by its stickers; one that was not is left in peace."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.camera.camera_fit import fit_camera
from calibration.camera.moved import Moved, moved_mm
from calibration.camera.samples import BoardSample, CameraSamples, Said
from calibration.camera_profile import CameraProfile
from tests.calibration.camera import measured
from tests.calibration.camera.measured import OVER, SMALL
from tests.calibration.camera.rendered import Image, Place, above, stuck_down, table_picture


@cache
def profile() -> CameraProfile:
    samples = CameraSamples(
        SMALL.width,
        SMALL.height,
        "twin",
        tuple(BoardSample.of(v) for v in measured.views()),
        {
            n: tuple((float(x), float(y)) for x, y in s.corners_px)
            for n, s in measured.stickers().items()
        },
    )
    fitted = fit_camera(1, 9, samples, Said())
    assert fitted.profile is not None
    assert not fitted.refused
    return fitted.profile


def seen(place: Place = OVER, **lie: tuple[float, float, float]) -> Image:
    stickers = {**stuck_down(), **{int(n[1:]): at for n, at in lie.items()}}
    return table_picture(SMALL, place, stickers, seed=7)


def test_a_camera_that_stayed_is_within_a_millimetre() -> None:
    found = moved_mm(profile(), seen())
    assert found.mm is not None
    assert found.mm < 1.0
    assert not found.moved
    assert found.words(1) == ""
    assert (found.seen, found.of) == (8, 8)


@pytest.mark.parametrize(
    "place",
    [
        above(1000.0, (0.0, -60.0), (12.0, 10.0)),
        above(1000.0, (15.0, -60.0), (15.0, 10.0)),
        above(1000.0, (0.0, -60.0), (0.0, 10.0), turned_deg=3.0),
        above(960.0, (0.0, -60.0), (0.0, 10.0)),
    ],
    ids=["turned aside", "pushed", "turned round", "lowered"],
)
def test_a_camera_that_was_bumped_is_said_to_have_moved(place: Place) -> None:
    found = moved_mm(profile(), seen(place))
    assert found.moved
    assert "camera 1 has moved" in found.words(1)
    assert "burnturn calibrate camera table" in found.words(1)


def test_one_sticker_stuck_elsewhere_is_named_and_the_camera_is_not_blamed() -> None:
    found = moved_mm(profile(), seen(s3=(30.0, 240.0, 0.0)))
    assert not found.moved
    assert found.odd == (3,)
    assert "sticker 3 is not where it was" in found.words(1)


def test_a_covered_table_tells_nothing() -> None:
    found = moved_mm(profile(), np.zeros((SMALL.height, SMALL.width, 3), dtype=np.uint8))
    assert found.mm is None
    assert not found.moved
    assert "sees 0 of its 8 stickers" in found.words(1)


def test_a_camera_without_stickers_cannot_be_watched_and_that_is_said() -> None:
    found = moved_mm(replace(profile(), stickers={}), seen())
    assert "without stickers" in found.words(2)


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="1x1"):
        moved_mm(profile(), np.zeros((1, 1, 3), dtype=np.uint8))


def test_nothing_is_said_of_a_camera_that_stands_still() -> None:
    assert Moved(0.4, 6, 8).words(1) == ""
