"""Stands in for the bindings of rpi-rgb-led-matrix, found by its name on the path: as much of its
API as its documentation has for one panel. What is lit goes into the file $PANEL."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PIL import Image

PANEL = Path(os.environ["PANEL"])


class RGBMatrixOptions:
    def __init__(self) -> None:
        self.rows, self.cols = 32, 32
        self.hardware_mapping = "regular"
        self.brightness = 100
        self.gpio_slowdown = 1
        self.drop_privileges = True


class Canvas:
    def __init__(self, size: tuple[int, int]) -> None:
        self.picture = Image.new("RGB", size)

    def SetImage(self, image: Image.Image, offset_x: int = 0, offset_y: int = 0) -> None:
        assert image.mode == "RGB", "Currently, only RGB mode is supported for SetImage()"
        self.picture.paste(image, (offset_x, offset_y))


class RGBMatrix:
    def __init__(self, *, options: RGBMatrixOptions) -> None:
        print("Suggestion: to slightly improve display update, add isolcpus=3")  # as it does
        if PANEL.with_suffix(".gone").exists():
            sys.exit("Can't set realtime thread priority")  # it ends the program itself
        self._size = options.cols, options.rows
        self._lit = Canvas(self._size)
        settings = f"{options.hardware_mapping} {options.brightness} {options.gpio_slowdown}"
        PANEL.with_suffix(".options").write_text(settings)

    def CreateFrameCanvas(self) -> Canvas:
        return Canvas(self._size)

    def SwapOnVSync(self, canvas: Canvas) -> Canvas:
        if PANEL.with_suffix(".gone").exists():
            os._exit(139)
        self._lit, canvas = canvas, self._lit
        fresh = PANEL.with_suffix(".new")
        fresh.write_bytes(self._lit.picture.tobytes())
        fresh.rename(PANEL)
        return canvas
