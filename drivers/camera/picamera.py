"""A camera on a Raspberry Pi's own connector, through picamera2 (libcamera).

The library comes with Raspberry Pi OS (apt: python3-picamera2) and is loaded only when a camera of
this kind is opened. Names and units are those of its manual: SensorTimestamp in nanoseconds since
the machine's start (CLOCK_BOOTTIME), ExposureTime and FrameDuration in microseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from drivers.camera.eye import CameraSettings, Taken
from drivers.camera.frame import Image
from drivers.contracts import Clock
from drivers.errors import LinkLostError, MisconfiguredError, PortUnavailableError

_HELD = ("ExposureTime", "AnalogueGain", "ColourGains")
_NS, _US = 1e-9, 1e-6


def _boot_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class PicameraEye:
    """device: the number of the connector, "0" or "1". boot_clock: seconds of the clock that stamps
    the pictures."""

    def __init__(
        self,
        device: str,
        settings: CameraSettings,
        *,
        clock: Clock = time.monotonic,
        boot_clock: Callable[[], float] = _boot_s,
    ) -> None:
        self._where = f"camera connector {device or '0'}"
        if device and not device.isdigit():
            raise MisconfiguredError(
                f"{device!r} is no connector", self._where, "Give its number: 0 or 1."
            )
        self._number = int(device or 0)
        self._settings = settings
        self._clock, self._boot_clock = clock, boot_clock
        self._camera: Any = None

    def open(self) -> None:
        try:
            library = import_module("picamera2")
        except ImportError as error:
            raise MisconfiguredError(
                "picamera2 is not installed",
                self._where,
                "On Raspberry Pi OS: sudo apt-get install python3-picamera2, and make the virtual "
                'environment with --system-site-packages. A USB camera needs driver = "v4l2".',
            ) from error
        try:
            camera = library.Picamera2(self._number)
            # Its RGB888 lies in memory as blue, green, red.
            camera.configure(
                camera.create_video_configuration(
                    main={"size": self._settings.size, "format": "RGB888"},
                    controls={"FrameRate": self._settings.fps},
                )
            )
            camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise PortUnavailableError(
                "the camera does not start",
                self._where,
                "Check its ribbon cable, both ends, with the power off; end other programs that "
                "look through it.",
            ) from error
        self._camera = camera

    def take(self) -> Taken:
        return self._taken(lambda camera: camera.capture_request())

    def lock(self) -> str:
        metadata = self._call(lambda camera: camera.capture_metadata())
        held = {name: metadata[name] for name in _HELD if name in metadata}
        self._call(
            lambda camera: camera.set_controls({"AeEnable": False, "AwbEnable": False, **held})
        )
        names = {"ExposureTime": "exposure", "ColourGains": "white balance"}
        return " and ".join(word for name, word in names.items() if name not in held)

    def still(self) -> Taken:
        size = self._settings.still or self._settings.size

        def shot(camera: Any) -> Any:
            config = camera.create_still_configuration(main={"size": size, "format": "RGB888"})
            return camera.switch_mode_and_capture_request(config)

        return self._taken(shot)

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.stop()
            camera.close()

    # -- inside ------------------------------------------------------------------------------------

    def _call(self, ask: Callable[[Any], Any]) -> Any:
        if self._camera is None:
            raise LinkLostError("it is closed", self._where, "Open it again.")
        try:
            return ask(self._camera)
        except (RuntimeError, OSError, TimeoutError) as error:
            raise LinkLostError(
                "it gives no picture any more", self._where, "Check its ribbon cable."
            ) from error

    def _taken(self, ask: Callable[[Any], Any]) -> Taken:
        request = self._call(ask)
        try:
            image: Image = request.make_array("main")
            metadata: Mapping[str, Any] = request.get_metadata()
        finally:
            request.release()
        return Taken(image, *self._exposed(metadata))

    def _exposed(self, metadata: Mapping[str, Any]) -> tuple[float, float]:
        """The stamp is of the moment when the first line was read out: that line was exposed before
        it, the last one is read within a frame's duration after it."""
        now, boot_now = self._clock(), self._boot_clock()
        frame_s = metadata.get("FrameDuration", 1e6 / self._settings.fps) * _US
        exposure_s = metadata.get("ExposureTime", frame_s / _US) * _US
        stamp = metadata.get("SensorTimestamp")
        if stamp is None:
            return now - 2 * frame_s, now
        first_line = stamp * _NS + (now - boot_now)
        return first_line - exposure_s, min(first_line + frame_s, now)
