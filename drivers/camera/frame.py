"""A picture as a camera took it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""(height, width, 3), blue, green, red, 0 to 255."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Frame:
    """One picture of one camera. It shows cards, so it prints as a mask.

    camera: its number at this table. image: (H, W, 3) uint8, BGR; nobody writes to it. started,
    ended: monotonic seconds; the exposure lies between them. still: taken on request at the
    camera's highest resolution.
    """

    camera: int
    image: Image
    started: float
    ended: float
    still: bool = False

    def __repr__(self) -> str:
        height, width = self.image.shape[:2]
        return f"<frame of camera {self.camera}, {width}x{height}>"
