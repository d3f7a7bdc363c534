"""Stands in for Adafruit's library for a Pi 5, found by its name on the path. What is lit goes into
the file $PANEL."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Any

PANEL = Path(os.environ["PANEL"])


class Orientation(Enum):
    Normal = 0


class Pinout(Enum):
    AdafruitMatrixBonnet = 0


class Colorspace(Enum):
    RGB888Packed = 0


class Geometry:
    def __init__(
        self, *, width: int, height: int, n_addr_lines: int, rotation: Orientation
    ) -> None:
        if height != 2 << n_addr_lines:
            raise RuntimeError("height does not fit the address lines")
        self.shape = height, width, 3


class PioMatter:
    def __init__(
        self, colorspace: Colorspace, pinout: Pinout, framebuffer: Any, geometry: Geometry
    ) -> None:
        if framebuffer.shape != geometry.shape:
            raise RuntimeError("framebuffer does not fit the geometry")
        self._framebuffer = framebuffer

    def show(self) -> None:
        if PANEL.with_suffix(".gone").exists():
            os._exit(139)
        fresh = PANEL.with_suffix(".new")
        fresh.write_bytes(self._framebuffer.tobytes())
        fresh.rename(PANEL)
