"""Whether a camera still hangs where it was calibrated: looked for at a start, and now and then."""

from __future__ import annotations

import math
from collections.abc import Callable

from calibration.camera.moved import Moved, moved_mm
from calibration.camera_profile import CameraProfile
from drivers.camera.frame import Frame

AGAIN_S = 5.0
"""What nobody can tell, or is not as it was, is looked at again after so long."""

TRIES = 3
"""Looks at the stickers before it is said that they cannot be seen, or are not where they were: an
arm that lies over them is gone by then."""

SELDOM_S = 600.0
"""From one look to the next, once it is known; to look takes a tenth of a second."""


class MovedWatch:
    """Of one camera. profile: as it was calibrated. look: how far a picture's stickers lie off."""

    def __init__(
        self,
        profile: CameraProfile,
        look: Callable[[CameraProfile, Frame], Moved] = lambda profile, frame: moved_mm(
            profile, frame.image
        ),
    ) -> None:
        self._profile = profile
        self._look = look
        self._due = -math.inf
        self._tries = 0
        self._said = ""
        self._told_apart = False  # once it was known, an arm over the stickers is no news

    def see(self, frame: Frame) -> str:
        """What people should be told after a picture that was fit to be read; "": nothing new."""
        image = frame.image
        size = (image.shape[1], image.shape[0])
        if frame.ended < self._due or size != (self._profile.width_px, self._profile.height_px):
            return ""
        moved = self._look(self._profile, frame)
        words = moved.words(self._profile.camera)
        self._told_apart |= moved.mm is not None
        if not words:
            self._due, self._tries, self._said = frame.ended + SELDOM_S, 0, ""
            return ""
        self._tries += 1
        if self._tries < TRIES:
            self._due = frame.ended + AGAIN_S
            return ""
        self._due, self._tries = frame.ended + SELDOM_S, 0
        kind = "moved" if moved.moved else "odd" if moved.odd else "unseen"
        if kind == self._said or (kind == "unseen" and self._told_apart):
            return ""
        self._said = kind
        return words
