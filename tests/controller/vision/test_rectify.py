"""The map of an area: every pixel is taken from where its place on the table is in the picture."""

from __future__ import annotations

import math

import pytest

from calibration.camera_profile import CameraProfile
from controller.cameras import true_profile
from controller.vision.rectify import Window

SEATS = 9
NEAR = ("board", "burn", "muck")


def in_picture(profile: CameraProfile, x_mm: float, y_mm: float) -> tuple[float, float]:
    """The pixel of a place, by the camera's own formula (a pinhole and Brown's lens)."""
    h, m = profile.table_to_picture, profile.matrix
    u, v, w = (row[0] * x_mm + row[1] * y_mm + row[2] for row in h)
    x, y = (u / w - m[0][2]) / m[0][0], (v / w - m[1][2]) / m[1][1]
    k1, k2, p1, p2, k3 = profile.distortion
    r2 = x * x + y * y
    bent = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    dx = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    dy = p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return (
        m[0][0] * (x * bent + dx) + m[0][2],
        m[1][1] * (y * bent + dy) + m[1][2],
    )


@pytest.mark.parametrize(
    ("areas", "name"), [((), "seat/1"), ((), "seat/9"), ((), "board"), (NEAR, "burn")]
)
def test_a_straight_side_stays_straight(areas: tuple[str, ...], name: str) -> None:
    """A card's side that comes out in waves of a pixel is no straight line, and the card is taken
    for two."""
    profile = true_profile(2 if areas else 1, SEATS, areas)
    window = Window(profile, profile.areas[name], 1.3)
    fixed, fraction = window._maps
    worst = 0.0
    for row in range(3, fixed.shape[0], 7):
        for column in range(3, fixed.shape[1], 7):
            part = int(fraction[row, column])
            x = float(fixed[row, column, 0]) + part % 32 / 32
            y = float(fixed[row, column, 1]) + part // 32 / 32
            wanted = in_picture(profile, *window.to_mm(column, row))
            worst = max(worst, math.dist((x, y), wanted))
    assert worst < 0.1  # of a pixel; places are kept to 1/32
