"""Stands in for picamera2: what its manual says of the calls that are used, no more."""

from __future__ import annotations

from typing import Any

import numpy as np


class Request:
    def __init__(self, camera: Picamera2, size: tuple[int, int]) -> None:
        self._camera, self._size = camera, size
        camera.held_requests += 1

    def make_array(self, name: str) -> Any:
        assert name == "main"
        width, height = self._size
        return np.zeros((height, width, 3), np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return self._camera.metadata()

    def release(self) -> None:
        self._camera.held_requests -= 1


class Picamera2:
    cameras: list[Picamera2] = []  # noqa: RUF012 - the stand-in's own record
    there = True

    def __init__(self, camera_num: int = 0) -> None:
        if not Picamera2.there:
            raise IndexError("list index out of range")
        self.number = camera_num
        self.controls: dict[str, Any] = {}
        self.size = (0, 0)
        self.held_requests = 0
        self.broken = False
        Picamera2.cameras.append(self)

    def create_video_configuration(self, main: Any, controls: Any) -> Any:
        return {"main": main, "controls": controls}

    def create_still_configuration(self, main: Any) -> Any:
        return {"main": main}

    def configure(self, config: Any) -> None:
        assert config["main"]["format"] == "RGB888"
        self.size = config["main"]["size"]
        self.controls |= config["controls"]

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.controls |= controls

    def metadata(self) -> dict[str, Any]:
        return {
            "SensorTimestamp": 1_000_000_000_000,
            "ExposureTime": 10_000,
            "FrameDuration": 33_000,
            "AnalogueGain": 2.0,
            "ColourGains": (1.5, 1.7),
        }

    def capture_metadata(self) -> dict[str, Any]:
        return self.metadata()

    def capture_request(self) -> Request:
        if self.broken:
            raise RuntimeError("camera frontend has timed out")
        return Request(self, self.size)

    def switch_mode_and_capture_request(self, config: Any) -> Request:
        return Request(self, config["main"]["size"])
