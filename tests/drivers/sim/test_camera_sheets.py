"""A simulated camera over printed sheets: true to its lens, and as a camera behaves."""

from __future__ import annotations

import asyncio

import cv2
import numpy as np
import pytest

from drivers.camera.frame import Frame
from drivers.sim.camera_flat import Lens, Sheet, above, held, laid_over, taken
from drivers.sim.camera_sheets import SheetCamera

LENS = Lens(640, 360, 480.0, (326.0, 174.0))
FELT = np.full((360, 640, 3), 50, dtype=np.uint8)


def dots(places_mm: list[tuple[float, float]]) -> Sheet:
    """White dots on black, their middles at those millimetres."""
    image = np.zeros((900, 1500, 3), dtype=np.uint8)
    sheet = Sheet(image, 1.0, (749.5, 449.5), y_up=True)
    for x, y in places_mm:
        cv2.circle(
            image,
            (round((749.5 + x) * 16), round((449.5 - y) * 16)),
            14 * 16,
            (255,) * 3,
            -1,
            cv2.LINE_AA,
            4,
        )
    return sheet


@pytest.mark.parametrize("place", [(0.0, 0.0), (-400.0, 150.0), (420.0, -180.0)])
def test_a_dot_shows_where_opencv_projects_it(place: tuple[float, float]) -> None:
    stance = above(1000.0, (0.0, -100.0), (0.0, 0.0))
    seen = laid_over(np.zeros_like(FELT), dots([place]), LENS, stance)[..., 0].astype(float)
    rows, columns = np.indices(seen.shape)
    middle = np.array([(columns * seen).sum(), (rows * seen).sum()]) / seen.sum()
    turn, _ = cv2.Rodrigues(stance.turn)
    there, _ = cv2.projectPoints(
        np.array([[*place, 0.0]]), turn, stance.at, LENS.matrix, np.array(LENS.distortion)
    )
    assert middle == pytest.approx(there.ravel(), abs=0.12)


def test_around_a_sheet_the_picture_stays_as_it_was() -> None:
    sheet = Sheet(np.full((100, 100, 3), 255, dtype=np.uint8), 1.0, (0.0, 0.0))
    stance = held((100.0, 100.0), 0.5, 0.5, 600.0, (0.0, 0.0), 0.0, LENS)
    seen = laid_over(FELT, sheet, LENS, stance)
    assert (seen[:50] == 50).all()
    assert (seen[170:190, 310:330] == 255).all()


def test_grain_is_as_asked_for_and_repeats_by_its_seed() -> None:
    grainy = taken(FELT, 0.0, 4.0, seed=1)
    assert grainy.astype(float).std() == pytest.approx(4.0, rel=0.05)
    assert (grainy == taken(FELT, 0.0, 4.0, seed=1)).all()
    assert (grainy != taken(FELT, 0.0, 4.0, seed=2)).any()


def test_a_held_sheet_goes_from_stance_to_stance_and_round_again() -> None:
    async def six() -> list[Frame]:
        now = 0.0

        async def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds

        camera = SheetCamera(
            1, LENS, above(), clock=lambda: now, sleep=sleep, noise=0.0, frames_hz=10.0
        )
        sheet = Sheet(np.full((100, 100, 3), 255, dtype=np.uint8), 1.0, (0.0, 0.0))
        stances = [held((100.0, 100.0), x, 0.5, 600.0, (0.0, 0.0), 0.0, LENS) for x in (0.3, 0.7)]
        camera.move(sheet, stances, each=2)
        found: list[Frame] = []
        async with camera:
            async for frame in camera.frames():
                assert isinstance(frame, Frame)
                found.append(frame)
                if len(found) == 6:
                    break
        return found

    frames = asyncio.run(six())
    sides = ["left" if f.image[180, 192, 0] > 200 else "right" for f in frames]
    assert sides == ["left", "left", "right", "right", "left", "left"]
    assert [f.started for f in frames] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert {f.camera for f in frames} == {1}
