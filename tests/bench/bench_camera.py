"""A camera calibrated again and again over one rendered table: how far the same place of the table
comes out from one time to the next, and from where it is. Other views of the lens board, other
grain, other hands each time; the stickers stay."""

from __future__ import annotations

import time
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera.camera_fit import CameraFit, fit_camera
from calibration.camera.detect import BoardView, find_board, find_stickers
from calibration.camera.geometry import distorted, picture_to_table, through
from calibration.camera.samples import BoardSample, CameraSamples, Said
from tests.calibration.camera.rendered import (
    Lens,
    Place,
    above,
    board_picture,
    stuck_down,
    table_picture,
    views_over_the_picture,
)

GOAL_MM = 2.0
PICTURES = 3
"""Of the table, of which the stickers' places are the mean; the tool takes eight."""


@dataclass(frozen=True)
class Rig:
    name: str
    lens: Lens
    place: Place
    blur_px: float
    noise: float


RIGS = (
    Rig("1280x720 from 115 cm", Lens(), above(), 0.6, 2.5),
    Rig(
        "1920x1080, wide, from 95 cm, aslant",
        Lens(1920, 1080, 1150.0, (975.0, 525.0), (-0.21, 0.06, 0.0006, -0.0004, 0.0)),
        above(950.0, (0.0, -250.0), (0.0, 60.0)),
        0.8,
        3.0,
    ),
    Rig("1280x720, soft and noisy", Lens(), above(1050.0, (60.0, 0.0)), 1.8, 8.0),
)


def run(quick: bool = False) -> list[str]:
    cv2.setNumThreads(1)
    rigs, times = (RIGS[:1], 3) if quick else (RIGS, 6)
    lines = []
    for rig in rigs:
        lines += _rig(rig, times)
    return lines


def _rig(rig: Rig, times: int) -> list[str]:
    grid = np.array([(x, y) for x in range(-420, 421, 70) for y in range(-260, 261, 52)], float)
    straight = through(rig.place.homography(rig.lens), grid)
    pixels = distorted(straight, rig.lens.matrix, rig.lens.distortion)
    inside = ((pixels > 0) & (pixels < (rig.lens.width, rig.lens.height))).all(axis=1)
    grid, pixels = grid[inside], pixels[inside]
    found, fits, took = [], [], {"find": 0.0, "fit": 0.0}
    for seed in range(times):
        fitted = _calibrated(rig, seed, took)
        if fitted.profile is None or fitted.refused:
            return [f"{rig.name}: refused: {'; '.join(r.text for r in fitted.remarks)}"]
        fits.append(fitted)
        found.append(picture_to_table(fitted.profile, pixels))
    places = np.array(found)
    apart = np.linalg.norm(places - places.mean(axis=0), axis=-1)
    pairs = np.linalg.norm(places[:, None] - places[None], axis=-1)[np.triu_indices(times, 1)]
    off = np.linalg.norm(places - grid, axis=-1)
    rms = [f.lens.rms_px for f in fits if f.lens is not None]
    focal = [f.profile.matrix[0][0] for f in fits if f.profile is not None]
    return [
        f"{rig.name}: {times} calibrations, {len(grid)} places of the table each",
        f"  one time and the next: p50 {_p(pairs, 50)}, p99 {_p(pairs, 99)}, max"
        f" {pairs.max():.2f} mm (goal < {GOAL_MM:.0f} mm); from their mean p50 {_p(apart, 50)}",
        f"  from where they are: p50 {_p(off, 50)}, max {off.max():.2f} mm",
        f"  lens: rms {min(rms):.2f} to {max(rms):.2f} px; focal length off by"
        f" {max(abs(f / rig.lens.focal - 1) for f in focal):.2%} at most",
        f"  a picture of the lens board searched in {took['find'] / times / 18 * 1e3:.0f} ms,"
        f" everything fitted in {took['fit'] / times:.2f} s of processor time",
    ]


def _calibrated(rig: Rig, seed: int, took: dict[str, float]) -> CameraFit:
    how = {"blur_px": rig.blur_px, "noise": rig.noise}
    pictures = [
        board_picture(rig.lens, place, seed=100 * seed + i, **how)
        for i, place in enumerate(views_over_the_picture(rig.lens, seed))
    ]
    begun = time.process_time()
    views = [find_board(picture) for picture in pictures]
    took["find"] += time.process_time() - begun
    samples = _samples(rig, seed, [v for v in views if v is not None])
    begun = time.process_time()
    fitted = fit_camera(1, 9, samples, Said())
    took["fit"] += time.process_time() - begun
    return fitted


def _samples(rig: Rig, seed: int, views: list[BoardView]) -> CameraSamples:
    corners: dict[int, list[NDArray[np.float64]]] = {}
    for n in range(PICTURES):
        picture = table_picture(
            rig.lens,
            rig.place,
            stuck_down(),
            blur_px=rig.blur_px,
            noise=rig.noise,
            seed=1000 * seed + n,
        )
        for number, sticker in find_stickers(picture).items():
            corners.setdefault(number, []).append(sticker.corners_px)
    stickers = {
        number: tuple((float(x), float(y)) for x, y in np.mean(each, axis=0))
        for number, each in corners.items()
    }
    return CameraSamples(
        rig.lens.width,
        rig.lens.height,
        "rendered",
        tuple(BoardSample.of(v) for v in views),
        stickers,
    )


def _p(values: NDArray[np.float64], share: float) -> str:
    return f"{np.percentile(values, share):.2f} mm"
