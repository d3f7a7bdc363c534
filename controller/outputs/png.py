"""The board as it looks, as a PNG: round lamps on black. Pillow is imported when wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.outputs.lamps import Lamp
from controller.outputs.picture import RGB, Ink, Picture

UNLIT = (17, 18, 20)


def save(
    path: Path,
    picture: Picture,
    *,
    pitch: int = 12,
    one_colour: tuple[int, int, int] | None = None,
    lamps: Sequence[Lamp] = (),
    now_s: float = 0.0,
) -> None:
    """Write the board, and below it a lamp a seat if any are given, as a PNG.

    pitch: pixels from lamp to lamp. one_colour: the colour of a one-colour board (FAINT is then
    dark).

    Raises:
        OSError: the file cannot be written.
    """
    from PIL import Image, ImageDraw

    scale = 3  # drawn larger and reduced, for round edges
    step = pitch * scale
    margin = step
    extra = 4 * step if lamps else 0
    size = (picture.width * step + 2 * margin, picture.height * step + 2 * margin + extra)
    image = Image.new("RGB", size, (6, 6, 7))
    draw = ImageDraw.Draw(image)

    def disc(x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    for y in range(picture.height):
        for x in range(picture.width):
            ink = picture.at(x, y)
            lit = ink > Ink.FAINT if one_colour else ink > Ink.OFF
            colour = (one_colour or RGB[ink]) if lit else UNLIT
            centre = margin + (x + 0.5) * step, margin + (y + 0.5) * step
            disc(*centre, step * (0.44 if lit else 0.36), colour)
    for n, lamp in enumerate(lamps):
        across = margin + (n + 0.5) * picture.width * step / len(lamps)
        down = margin + picture.height * step + 2 * step
        disc(across, down, step * 1.1, RGB[lamp.ink] if lamp.lit(now_s) else UNLIT)
    image.resize((size[0] // scale, size[1] // scale), Image.Resampling.LANCZOS).save(path)
