"""WS2812 lamps by SPI: three bits on the wire for each bit of colour. Pure.

At 2.4 MHz a bit on the wire is 417 ns. A 0 is 100 (high 417 ns, low 833), a 1 is 110 (high 833 ns,
low 417); the datasheet of the WS2812B wants 400 and 850, 800 and 450, each within 150 ns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Literal

SPEED_HZ = 2_400_000
RESET_BYTES = 90
"""300 microseconds of low: newer WS2812B latch after 280, older ones after 50.

Also sent before the lamps: the line may idle high until its first bit. And so no frame is shorter
than the 96 bytes from which the Pi's SPI driver sends by DMA, without the pause after each byte
that would stretch a 0 into a 1 (linux/drivers/spi/spi-bcm2835.c).
"""

ColourOrder = Literal["rgb", "rbg", "grb", "gbr", "brg", "bgr"]
ORDERS = tuple("".join(p) for p in permutations("rgb"))


def _on_wire(value: int) -> bytes:
    bits = "".join("110" if value >> n & 1 else "100" for n in range(7, -1, -1))
    return int(bits, 2).to_bytes(3, "big")


_ON_WIRE = tuple(_on_wire(value) for value in range(256))


def levels(brightness: float, gamma: float) -> bytes:
    """What a lamp is sent for each value of a picture. brightness: 0 to 1, of full light. gamma: of
    the eye; 1 sends values as they are. A value that is not dark stays lit."""
    top = 255 * brightness
    return bytes(
        max(1, round(top * (v / 255) ** gamma)) if v and brightness else 0 for v in range(256)
    )


def frame_bytes(lamps: int) -> int:
    """Length of a frame for so many lamps."""
    return 2 * RESET_BYTES + 9 * lamps


class Encoder:
    """Pictures → frames for one chain.

    chain: for each lamp of the chain, its place in the picture (`grid.along_chain`, lamps may share
    one). order: of the colours on the wire. brightness, gamma: see `levels`.
    """

    def __init__(
        self,
        chain: Sequence[int],
        *,
        order: ColourOrder = "grb",
        brightness: float = 1.0,
        gamma: float = 1.0,
    ) -> None:
        table = levels(brightness, gamma)
        self._coded = tuple(_ON_WIRE[level] for level in table)
        self._places = [3 * place + "rgb".index(c) for place in chain for c in order]

    @property
    def frame_bytes(self) -> int:
        return 2 * RESET_BYTES + 3 * len(self._places)

    def frame(self, pixels: bytes) -> bytes:
        """The bytes that show the picture: red, green, blue of each lamp, row by row."""
        coded = self._coded
        lit = b"".join([coded[pixels[place]] for place in self._places])
        return bytes(RESET_BYTES) + lit + bytes(RESET_BYTES)
