"""The board as it looks, as a PNG: round lamps on black. Pillow is imported when wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.files import beside
from controller.outputs.lamps import Lamp
from controller.outputs.picture import RGB, Ink, Picture
from drivers.readings import Health

UNLIT = (17, 18, 20)
Colour = tuple[int, int, int]


def save(
    path: Path,
    picture: Picture,
    *,
    pitch: int = 12,
    one_colour: Colour | None = None,
    lamps: Sequence[Lamp] = (),
    now_s: float = 0.0,
) -> None:
    """Write the board, and below it a lamp a seat if any are given, as a PNG.

    pitch: pixels from lamp to lamp. one_colour: the colour of a one-colour board (FAINT is then
    dark).

    Raises:
        OSError: the file cannot be written.
    """
    if one_colour is None:
        colours = [RGB[i] for i in picture.inks]
    else:
        colours = [one_colour if i > Ink.FAINT else RGB[Ink.OFF] for i in picture.inks]
    below = [RGB[lamp.ink] if lamp.lit(now_s) else RGB[Ink.OFF] for lamp in lamps]
    _draw(path, picture.width, colours, pitch, below)


def save_rgb(path: Path, width: int, pixels: bytes, pitch: int = 12) -> None:
    """Write a colour frame as a PNG.

    Raises:
        OSError: the file cannot be written.
    """
    colours = [(pixels[i], pixels[i + 1], pixels[i + 2]) for i in range(0, len(pixels), 3)]
    _draw(path, width, colours, pitch, [])


def _draw(
    path: Path, width: int, colours: Sequence[Colour], pitch: int, below: Sequence[Colour]
) -> None:
    from PIL import Image, ImageDraw

    scale = 3  # drawn larger and reduced, for round edges
    step = pitch * scale
    margin = step
    height = len(colours) // width
    extra = 4 * step if below else 0
    size = (width * step + 2 * margin, height * step + 2 * margin + extra)
    image = Image.new("RGB", size, (6, 6, 7))
    draw = ImageDraw.Draw(image)

    def disc(x: float, y: float, radius: float, colour: Colour) -> None:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    for n, colour in enumerate(colours):
        lit = any(colour)
        x, y = margin + (n % width + 0.5) * step, margin + (n // width + 0.5) * step
        disc(x, y, step * (0.44 if lit else 0.36), colour if lit else UNLIT)
    for n, colour in enumerate(below):
        x = margin + (n + 0.5) * width * step / len(below)
        disc(x, margin + (height + 2) * step, step * 1.1, colour if any(colour) else UNLIT)
    image = image.resize((size[0] // scale, size[1] // scale), Image.Resampling.LANCZOS)
    with beside(path, mode=0o644, lasting=False) as new:
        image.save(new, "PNG")


class PngBoard:
    """An LED board that is a PNG file, for tables without one: it always shows the latest frame, a
    second late at most. path: replaced whole, never half written.
    """

    def __init__(
        self,
        path: Path,
        width: int = 64,
        height: int = 32,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.width, self.height = width, height
        self._path, self._clock = path, clock
        self._written: bytes | None = None
        self._written_at = float("-inf")
        self._drawing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawing is not None:
            await asyncio.gather(self._drawing, return_exceptions=True)

    @property
    def health(self) -> tuple[Health, ...]:
        return ()

    async def show(self, pixels: bytes) -> None:
        """Raises OSError, at the next frame, if the file could not be written."""
        if self._drawing is not None and self._drawing.done():
            drawing, self._drawing = self._drawing, None
            drawing.result()
        if self._drawing is not None or pixels == self._written:
            return
        if self._clock() - self._written_at < 1.0:
            return
        self._written, self._written_at = pixels, self._clock()
        self._drawing = asyncio.create_task(
            asyncio.to_thread(save_rgb, self._path, self.width, pixels)
        )
