"""What stands between a camera's library and `LiveCamera`: calls that block, made in one thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from drivers.camera.frame import Image


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """How a camera is to be used.

    size: width and height of its pictures in pixels; still: of one taken on request, the same if
    None. fps: pictures a second that it is asked for. lock: exposure, white balance and focus are
    held once they have settled, so that a card does not change colour when a sleeve comes into the
    picture. settle: pictures that they are given for it.
    """

    size: tuple[int, int] = (1920, 1080)
    still: tuple[int, int] | None = None
    fps: float = 10.0
    lock: bool = True
    settle: int = 20


class Taken(NamedTuple):
    """A picture, and the monotonic seconds between which it was exposed. Prints without it."""

    image: Image
    started: float
    ended: float

    def __repr__(self) -> str:
        return f"<picture of {self.started} to {self.ended} s>"


class Eye(Protocol):
    """A camera that is opened, looked through and closed, by one thread at a time."""

    def open(self) -> None:
        """Raises DriverError."""
        ...

    def take(self) -> Taken | None:
        """The next picture; None: a recording is at its end. Raises DriverError."""
        ...

    def lock(self) -> str:
        """Hold exposure, white balance and focus as they are. What cannot be held, for people; ""
        if all is. Raises DriverError."""
        ...

    def still(self) -> Taken:
        """A picture at the highest resolution. Raises DriverError."""
        ...

    def close(self) -> None:
        """Does nothing if it is closed."""
        ...
