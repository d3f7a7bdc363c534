"""Whether a camera still hangs where it was calibrated: its stickers are where they were. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera.detect import find_stickers
from calibration.camera.geometry import picture_to_table
from calibration.camera_profile import CameraProfile

MOVED_MM = 5.0
"""A card pushed by this much stays in its area; a bump of the camera moves far more."""
_FEWEST = 2  # one sticker alone may have been stuck elsewhere


@dataclass(frozen=True, slots=True)
class Moved:
    """How far the table lies from where the camera was calibrated.

    mm: the stickers' median; None where fewer than two of them show, and then nobody can tell.
    seen, of: how many show, and how many there are. odd: stickers that alone are elsewhere.
    """

    mm: float | None
    seen: int
    of: int
    odd: tuple[int, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether the camera must be calibrated anew."""
        return self.mm is not None and self.mm > MOVED_MM

    def words(self, camera: int) -> str:
        """What, where and what next; "" if all is well."""
        if self.mm is None:
            if not self.of:
                return (
                    f"camera {camera} was calibrated without stickers, so nobody can see whether it"
                    " has moved"
                )
            return (
                f"camera {camera} sees {self.seen} of its {self.of} stickers, so nobody can tell"
                " whether it has moved. Next: clear the table and start again, or stick on new ones"
            )
        if self.moved:
            return (
                f"camera {camera} has moved: the table lies {self.mm:.0f} mm from where it was."
                " Next: burnturn calibrate camera table"
            )
        if self.odd:
            numbers = ", ".join(map(str, self.odd))
            return (
                f"camera {camera}: sticker {numbers} is not where it was. Next: put it back, or"
                " burnturn calibrate camera table"
            )
        return ""


def moved_mm(profile: CameraProfile, image: NDArray[np.uint8]) -> Moved:
    """How far the stickers in a picture lie from where the profile has them. image: (H, W, 3) BGR,
    of the profile's size; raises ValueError for another."""
    height, width = image.shape[:2]
    if (width, height) != (profile.width_px, profile.height_px):
        raise ValueError(
            f"a picture of {width}x{height}, and the profile is for"
            f" {profile.width_px}x{profile.height_px}"
        )
    known = {n: s for n, s in find_stickers(image).items() if n in profile.stickers}
    if len(known) < _FEWEST:
        return Moved(None, len(known), len(profile.stickers))
    at = picture_to_table(profile, [s.middle_px for s in known.values()])
    off = {
        n: float(np.linalg.norm(place - profile.stickers[n]))
        for n, place in zip(known, at, strict=True)
    }
    middle = statistics.median_high(off.values())
    odd = tuple(n for n, mm in off.items() if mm > MOVED_MM) if middle <= MOVED_MM else ()
    return Moved(middle, len(known), len(profile.stickers), odd)
