"""A camera behind the kernel's V4L2 interface (every USB webcam), through OpenCV."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

from drivers.camera.eye import CameraSettings, Taken
from drivers.camera.frame import Image
from drivers.contracts import Clock
from drivers.errors import LinkLostError, MisconfiguredError, PortUnavailableError

# Menu values of V4L2_CID_EXPOSURE_AUTO (linux/v4l2-controls.h), which OpenCV hands through.
_EXPOSURE_MANUAL, _EXPOSURE_APERTURE_PRIORITY = 1, 3

_TRUSTED_S = 1.0  # a time stamp that is older than this, or in the future, is of another clock
_FLUSH = 6  # pictures that may still be of the size before


class V4l2Eye:
    """device: "/dev/v4l/by-id/..." (which stays the same camera wherever it is plugged in),
    "/dev/video0", or a number."""

    def __init__(
        self, device: str, settings: CameraSettings, *, clock: Clock = time.monotonic
    ) -> None:
        self._device = device
        self._settings = settings
        self._clock = clock
        self._capture: Any = None
        self._before = float("-inf")

    def open(self) -> None:
        cv2 = quiet_opencv(self._device)
        if not Path(self._device).exists():
            raise PortUnavailableError(
                "no camera is there", self._device, "Plug it in; see: burnturn devices"
            )
        capture = cv2.VideoCapture(str(Path(self._device).resolve()), cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise PortUnavailableError(
                "the camera cannot be opened",
                self._device,
                "Let this user use it (group video), and end other programs that look through it.",
            )
        self._capture = capture
        # Compressed, as two cameras' raw pictures do not fit one USB 2 bus.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FPS, self._settings.fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._resize(self._settings.size)
        if self._settings.lock:
            # It may have been left on the values of another evening's light.
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _EXPOSURE_APERTURE_PRIORITY)
            capture.set(cv2.CAP_PROP_AUTO_WB, 1)
            capture.set(cv2.CAP_PROP_AUTOFOCUS, 1)
        self._before = self._clock()

    def take(self) -> Taken:
        image = self._read()
        now = self._clock()
        return Taken(image, *self._exposed(now))

    def lock(self) -> str:
        import cv2

        held = [
            (
                "exposure",
                self._hold(cv2.CAP_PROP_AUTO_EXPOSURE, _EXPOSURE_MANUAL, cv2.CAP_PROP_EXPOSURE),
            ),
            ("white balance", self._hold(cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE)),
        ]
        self._open_capture().set(cv2.CAP_PROP_AUTOFOCUS, 0)  # most have a fixed lens
        return " and ".join(name for name, done in held if not done)

    def still(self) -> Taken:
        wanted = self._settings.still
        if wanted is None or wanted == self._settings.size:
            return self.take()
        self._resize(wanted)
        try:
            for _ in range(_FLUSH):
                self._read()
            started = self._clock()
            image = self._read()
            # The first picture after a change of size has no time stamp to be trusted.
            return Taken(image, started - 1.0 / self._settings.fps, self._clock())
        finally:
            self._resize(self._settings.size)
            with contextlib.suppress(LinkLostError):
                self._read()

    def close(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()

    # -- inside ------------------------------------------------------------------------------------

    def _open_capture(self) -> Any:
        if self._capture is None:
            raise LinkLostError("it is closed", self._device, "Open it again.")
        return self._capture

    def _read(self) -> Image:
        done, image = self._open_capture().read()
        if not done or image is None:
            raise LinkLostError(
                "it gives no picture any more", self._device, "Check its cable and its plug."
            )
        return image  # type: ignore[no-any-return]

    def _exposed(self, now: float) -> tuple[float, float]:
        """Between when the newest picture was exposed: by the kernel's time stamp (a monotonic one;
        whether of a picture's begin or end depends on the camera), or else since the last one."""
        import cv2

        period = 1.0 / self._settings.fps
        stamp = self._open_capture().get(cv2.CAP_PROP_POS_MSEC) / 1000.0
        before, self._before = self._before, now
        if now - _TRUSTED_S <= stamp <= now:
            return stamp - period, min(stamp + period, now)
        return min(before, now - period) - period, now

    def _resize(self, size: tuple[int, int]) -> None:
        import cv2

        capture = self._open_capture()
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])

    def _hold(self, switch: int, off: float, value: int) -> bool:
        """Switch an automatism off and keep what it had found; whether the camera obeys."""
        capture = self._open_capture()
        found = capture.get(value)
        if not capture.set(switch, off):
            return False
        if found > 0:
            capture.set(value, found)
        return bool(capture.get(switch) == off)


def quiet_opencv(where: str) -> Any:
    """OpenCV, told to keep its warnings to itself. Raises MisconfiguredError if it is missing."""
    try:
        import cv2
    except ImportError as error:
        raise MisconfiguredError(
            f"OpenCV cannot be loaded ({error})",
            where,
            "Install it with: pip install 'burnturn[camera-headless]' (without a desktop, no libGL "
            "is needed) or 'burnturn[camera]', never both.",
        ) from error
    cv2.setNumThreads(1)  # the readers' sweep and the rules need the other cores
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    return cv2
