"""A HUB75 panel's own library behind one face, chosen by what the machine is and what is installed.

rgbmatrix: the Python bindings of hzeller/rpi-rgb-led-matrix, built from its sources; every Pi, a Pi
5 since 2026. piomatter: the package adafruit-blinka-raspberry-pi5-piomatter; a Pi 5 alone. Both
keep a thread or the processor's own state machine busy with the panel: they belong into a process
of their own.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from drivers.errors import DriverError, MisconfiguredError, PortUnavailableError
from drivers.gpio.chips import machine

MODULES = {"rgbmatrix": "rgbmatrix", "piomatter": "adafruit_blinka_raspberry_pi5_piomatter"}
_GET = {
    "rgbmatrix": (
        "Build the Python bindings of rpi-rgb-led-matrix from its sources into this environment "
        "(its folder bindings/python says how)."
    ),
    "piomatter": "pip install adafruit-blinka-raspberry-pi5-piomatter (a Raspberry Pi 5 alone).",
}


class Matrix(Protocol):
    """A panel that is driven."""

    def show(self, pixels: bytes) -> None:
        """Red, green, blue of each lamp, row by row."""
        ...


def chosen(library: str, model: str = "") -> str:
    """The library to take. library: "auto", or a name of `MODULES`. model: of the machine.

    Raises MisconfiguredError where none is installed.
    """
    if library != "auto":
        if find_spec(MODULES[library]) is None:
            raise MisconfiguredError(f"{library} is not installed", "HUB75", _GET[library])
        return library
    pi5 = "Pi 5" in (model or machine())
    order = ("piomatter", "rgbmatrix") if pi5 else ("rgbmatrix",)
    for name in order:
        if find_spec(MODULES[name]) is not None:
            return name
    raise MisconfiguredError(
        "no library for HUB75 panels is installed", "HUB75", " Or: ".join(_GET[n] for n in order)
    )


def opened(
    library: str, width: int, height: int, *, hat: str, brightness: float, slowdown: int
) -> Matrix:
    """A panel by that library. brightness: 0 to 1. Raises DriverError."""
    kind = _PioMatrix if library == "piomatter" else _RgbMatrix
    try:
        return kind(width, height, hat, brightness, slowdown)
    except DriverError:
        raise
    except Exception as error:  # each library has errors of its own
        raise PortUnavailableError(
            f"{library} cannot drive it ({type(error).__name__}: {error})",
            "HUB75",
            "rgbmatrix must be run by root, with the Pi's sound switched off (dtparam=audio=off in "
            "/boot/firmware/config.txt); piomatter needs /dev/pio0 and the group gpio.",
        ) from error


class _RgbMatrix:
    def __init__(self, width: int, height: int, hat: str, brightness: float, slowdown: int) -> None:
        library: Any = import_module(MODULES["rgbmatrix"])
        options = library.RGBMatrixOptions()
        options.cols, options.rows = width, height
        options.hardware_mapping = hat
        options.brightness = max(1, round(100 * brightness))
        options.gpio_slowdown = slowdown
        options.drop_privileges = False  # it would lose the right to the files we were given
        self._size = width, height
        self._matrix = library.RGBMatrix(options=options)
        self._canvas = self._matrix.CreateFrameCanvas()

    def show(self, pixels: bytes) -> None:
        from PIL import Image

        self._canvas.SetImage(Image.frombytes("RGB", self._size, pixels))
        self._canvas = self._matrix.SwapOnVSync(self._canvas)


class _PioMatrix:
    def __init__(self, width: int, height: int, hat: str, brightness: float, slowdown: int) -> None:
        import numpy as np

        if not hat.startswith("adafruit-hat"):
            raise MisconfiguredError(
                f"piomatter knows no wiring {hat!r}",
                "HUB75",
                'Use an Adafruit bonnet or hat (hat = "adafruit-hat"), or library = "rgbmatrix".',
            )
        library: Any = import_module(MODULES["piomatter"])
        self._dimmed = bytes(round(value * brightness) for value in range(256))
        self._frame = np.zeros((height, width, 3), dtype=np.uint8)
        lines = (height // 2 - 1).bit_length()  # two halves are scanned together
        geometry = library.Geometry(
            width=width,
            height=height,
            n_addr_lines=lines,
            rotation=library.Orientation.Normal,
        )
        self._matrix = library.PioMatter(
            colorspace=library.Colorspace.RGB888Packed,
            pinout=library.Pinout.AdafruitMatrixBonnet,
            framebuffer=self._frame,
            geometry=geometry,
        )

    def show(self, pixels: bytes) -> None:
        import numpy as np

        dimmed = np.frombuffer(pixels.translate(self._dimmed), dtype=np.uint8)
        self._frame[:] = dimmed.reshape(self._frame.shape)
        self._matrix.show()
