"""What was measured of a camera: its lens, where it hangs over the table, and which parts of the
table it sees. Pure data; fitting and saving come elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Row = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class CameraProfile:
    """A camera as calibrated.

    camera: its number at this table. width_px, height_px: of the pictures it was calibrated with.
    matrix: the 3x3 camera matrix in those pixels. distortion: OpenCV's k1, k2, p1, p2, k3.
    table_to_picture: the 3x3 homography from the table's millimetres (`drivers.table_plan`) to
    undistorted pixels. areas: by zone name ("seat/4", "board", "burn", "muck", "stub"), the corners
    of a convex polygon in table millimetres, anticlockwise; only what this camera sees.
    px_per_mm: at the middle of the board.
    """

    camera: int
    width_px: int
    height_px: int
    matrix: tuple[Row, Row, Row]
    distortion: tuple[float, float, float, float, float]
    table_to_picture: tuple[Row, Row, Row]
    areas: Mapping[str, tuple[tuple[float, float], ...]]
    px_per_mm: float
