"""Pictures, folders of pictures and videos in the place of a camera: to try a reader on what was
taken before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drivers.camera.eye import CameraSettings, Taken
from drivers.camera.frame import Image
from drivers.camera.v4l2 import quiet_opencv
from drivers.contracts import Clock
from drivers.errors import LinkLostError, MisconfiguredError, PortUnavailableError

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
VIDEOS = frozenset({".avi", ".mp4", ".mkv", ".mov", ".mjpg", ".mjpeg", ".webm"})
_MOST_PX = 60_000_000


class FilesEye:
    """Plays `path` once, `settings.fps` pictures a second: a picture, a folder of them in the order
    of their names, or a video. wait: waits that many seconds; a picture is as old as its turn.
    """

    def __init__(
        self,
        path: str,
        settings: CameraSettings,
        *,
        clock: Clock = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._path = Path(path)
        self._settings = settings
        self._clock, self._wait = clock, wait
        self._images: Iterator[Image] | None = None
        self._latest: Image | None = None
        self._due = float("-inf")
        self._video: Any = None

    def open(self) -> None:
        quiet_opencv(str(self._path))
        if not self._path.exists():
            raise PortUnavailableError(
                "there is no such file or folder", str(self._path), "Check the device's path."
            )
        if self._images is None:  # after a bad file the others still come
            self._images = self._played()

    def take(self) -> Taken | None:
        if self._images is None:
            raise LinkLostError("it is closed", str(self._path), "Open it again.")
        image = next(self._images, None)
        if image is None:
            return None
        now = self._clock()
        if now < self._due:
            self._wait(self._due - now)
        started = max(now, self._due)
        self._due = started + 1.0 / self._settings.fps
        self._latest = image
        return Taken(image, started, max(started, self._clock()))

    def lock(self) -> str:
        return ""

    def still(self) -> Taken:
        """The picture that was shown last."""
        if self._latest is None:
            raise LinkLostError("no picture was shown yet", str(self._path), "Ask again.")
        now = self._clock()
        return Taken(self._latest, now, now)

    def close(self) -> None:
        video, self._video = self._video, None
        if video is not None:
            video.release()

    # -- inside ------------------------------------------------------------------------------------

    def _played(self) -> Iterator[Image]:
        if self._path.is_dir():
            found = sorted(p for p in self._path.iterdir() if p.suffix.lower() in PICTURES)
            if not found:
                raise MisconfiguredError(
                    "no picture is in this folder",
                    str(self._path),
                    f"Pictures end in {', '.join(sorted(PICTURES))}.",
                )
            return _Pictures(found)
        if self._path.suffix.lower() in VIDEOS:
            return self._frames()
        return _Pictures([self._path])

    def _frames(self) -> Iterator[Image]:
        import cv2

        self._video = cv2.VideoCapture(str(self._path))
        if not self._video.isOpened():
            raise PortUnavailableError(
                "the video cannot be read", str(self._path), "Save it as MJPEG in an .avi file."
            )
        while self._video is not None:
            done, image = self._video.read()
            if not done:
                return
            yield image


class _Pictures(Iterator[Image]):
    """The pictures of these files; one that cannot be read is passed over after it was said."""

    def __init__(self, paths: list[Path]) -> None:
        self._left = list(paths)

    def __next__(self) -> Image:
        if not self._left:
            raise StopIteration
        return _picture(self._left.pop(0))


def _picture(path: Path) -> Image:
    import cv2
    from PIL import Image as PilImage

    try:
        with PilImage.open(path) as peeked:  # looks at the head of the file only
            width, height = peeked.size
    except (OSError, ValueError, PilImage.DecompressionBombError) as error:
        raise LinkLostError(
            "this is no picture that can be read", str(path), "Take it out of the folder."
        ) from error
    if width * height > _MOST_PX:
        raise LinkLostError(
            f"a picture of {width} x {height} pixels is too large",
            str(path),
            f"At most {_MOST_PX // 1_000_000} megapixels; make it smaller.",
        )
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise LinkLostError(
            "this is no picture that can be read", str(path), "Take it out of the folder."
        )
    return image  # type: ignore[return-value]
