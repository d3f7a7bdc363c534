"""LED boards as configured, and which settings each driver goes by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from drivers.leds.grid import Corner, Wiring
from drivers.leds.max7219 import First, Turn
from drivers.leds.ws2812 import ColourOrder

Picture = Literal["seats", "32x8", "64x32"]
"""A lamp a seat, the small board, the large one."""

HubLibrary = Literal["auto", "rgbmatrix", "piomatter"]
Hat = Literal["adafruit-hat", "adafruit-hat-pwm", "regular"]
"""How a HUB75 panel is wired to the header, by rpi-rgb-led-matrix's names."""


@dataclass(frozen=True, slots=True)
class BoardKind:
    """pictures: what it can show, its default first. settings: names of `BoardSpec`'s fields that
    it goes by."""

    what: str
    pictures: tuple[Picture, ...]
    settings: frozenset[str]


BOARDS: Mapping[str, BoardKind] = {
    "ws2812": BoardKind(
        "WS2812 lamps at an SPI port",
        ("seats", "32x8", "64x32"),
        frozenset(("port", "order", "brightness", "gamma", "wiring", "corner", "lamps_per_seat")),
    ),
    "max7219": BoardKind(
        "four MAX7219 modules at an SPI port",
        ("32x8",),
        frozenset(("port", "first", "turn", "mirrored", "intensity")),
    ),
    "hub75": BoardKind(
        "a HUB75 panel at the header",
        ("64x32",),
        frozenset(("library", "hat", "brightness", "slowdown")),
    ),
}
"""Names that a configuration may give, and what they stand for."""

PORTLESS = frozenset(name for name, kind in BOARDS.items() if "port" not in kind.settings)


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """One board as configured.

    name: for people, such as "board 1". driver: one of `BOARDS`. picture: what it shows. seats: of
    the table. port: its device, such as /dev/spidev0.0. brightness: 0 to 1, of full light. The
    others as for `ws2812.Encoder`, `grid.along_chain`, `max7219.Encoder` and `hub75.Panel`;
    lamps_per_seat: so many lamps in a row show one seat's.
    """

    name: str
    driver: str
    picture: Picture
    seats: int
    port: str = ""
    order: ColourOrder = "grb"
    brightness: float = 0.3
    gamma: float = 2.2
    wiring: Wiring = "rows"
    corner: Corner = "top-left"
    lamps_per_seat: int = 1
    first: First = "right"
    turn: Turn = 0
    mirrored: bool = False
    intensity: int = 2
    library: HubLibrary = "auto"
    hat: Hat = "adafruit-hat"
    slowdown: int = 2

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, in lamps."""
        match self.picture:
            case "seats":
                return self.seats, 1
            case "32x8":
                return 32, 8
            case "64x32":
                return 64, 32
