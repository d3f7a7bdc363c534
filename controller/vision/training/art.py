"""What is fetched to train with: fonts (OFL and Apache-2.0) and one set of CC0 card art, each from
its npm package, at a fixed version. Art under GPL or LGPL is never trained with."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from controller.model.cards import RANKS, SUITS
from controller.vision.training.decks import CARD_H, CARD_W, Card, Index, Pixels, rounded, usable

ART: Final = "@heruka_urgyen/react-playing-cards@0.5.0"
"""Four decks by Adrian Kennard, CC0: two and four colours, usual and big indices."""

FONTS: Final = {
    "rokkitt": (400, 700),
    "roboto-slab": (400, 700),
    "oswald": (400, 600),
    "bitter": (500, 700),
    "arvo": (400, 700),
    "playfair-display": (400, 700),
    "old-standard-tt": (400, 700),
    "libre-baskerville": (400, 700),
    "fjalla-one": (400,),
    "patua-one": (400,),
    "zilla-slab": (400, 600),
    "alfa-slab-one": (400,),
    "bebas-neue": (400,),
    "anton": (400,),
    "archivo-narrow": (400, 700),
    "pt-serif": (400, 700),
    "merriweather": (400, 700),
    "abril-fatface": (400,),
    "bree-serif": (400,),
    "sanchez": (400,),
    "bodoni-moda": (500, 700),
    "roboto-condensed": (400, 700),
    "open-sans": (400, 600),
    "slabo-27px": (400,),
    "barlow-condensed": (400, 600),
    "stint-ultra-condensed": (400,),
    "kreon": (400, 700),
    "podkova": (400, 700),
    "courier-prime": (400, 700),
    "coustard": (400,),
    "cutive": (400,),
    "josefin-slab": (600,),
    "league-gothic": (400,),
    "eb-garamond": (500, 700),
}
FONTS_VERSION: Final = "5.3.0"

UNSEEN_FONTS: Final = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSerif-Bold.ttf",
    "STIXGeneral.ttf",
    "STIXGeneralBol.ttf",
    "cmb10.ttf",
    "cmss10.ttf",
)
"""Fonts of matplotlib; never trained with, so that they show how unseen decks are read."""


class ArtError(Exception):
    """Something to train with could not be had; the text says what to do."""


def fetch(package: str, into: Path) -> Path:
    """An npm package's files, unpacked in a folder of `into`; fetched once. Raises ArtError."""
    there = into / package.strip("@").replace("/", "-")
    if there.is_dir():
        return there
    if shutil.which("npm") is None:
        raise ArtError(f"{package}: there is no npm. Next: sudo apt-get install npm")
    into.mkdir(parents=True, exist_ok=True)
    asked = ["npm", "pack", "--silent", package]
    ended = subprocess.run(asked, cwd=into, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ArtError(f"{package}: npm could not fetch it. Next: try `{' '.join(asked)}` by hand")
    packed = into / ended.stdout.strip().splitlines()[-1]
    with tarfile.open(packed) as archive:
        archive.extractall(there, filter="data")
    packed.unlink()
    return there


def fonts(into: Path) -> list[Path]:
    """Every font to train with, in a fixed order."""
    out = []
    for name, weights in FONTS.items():
        folder = fetch(f"@fontsource/{name}@{FONTS_VERSION}", into) / "package" / "files"
        out += [folder / f"{name}-latin-{weight}-normal.woff" for weight in weights]
    return [font for font in out if usable(font)]


def unseen_fonts() -> list[Path]:
    """Fonts that are only tested with."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [folder / name for name in UNSEEN_FONTS]


def printed_decks(into: Path) -> list[dict[str, Card]]:
    """The CC0 decks, each a card by its code."""
    folder = fetch(ART, into) / "package" / "src" / "images"
    return [
        {r + s: _card(folder / kind / f"{r}{s.upper()}.svg", r, s) for s in SUITS for r in RANKS}
        for kind in ("2color", "2color-bf", "4color", "4color-bf")
    ]


_USE = re.compile(r'<use xlink:href="#(\w+)" height="([\d.]+)" x="([-\d.]+)" y="([-\d.]+)"')
_VIEW = (-120.0, -168.0, 240.0, 336.0)


def _card(svg: Path, rank: str, suit: str) -> Card:
    """One of the drawings. Raises ArtError where its index is not found."""
    text = svg.read_text(encoding="utf-8")
    (rx, ry, half), (sx, sy, _) = printed_index(text, svg.name)
    to_x, to_y = CARD_W / _VIEW[2], CARD_H / _VIEW[3]
    rank_at = ((rx - _VIEW[0]) * to_x, (ry - _VIEW[1]) * to_y)
    suit_at = ((sx - _VIEW[0]) * to_x, (sy - _VIEW[1]) * to_y)
    aside = half * 0.45 * to_x
    each: tuple[tuple[float, float], ...] = (rank_at,)
    if rank == "T":
        each = ((rank_at[0] - 1.2 * aside, rank_at[1]), (rank_at[0] + 0.5 * aside, rank_at[1]))
    face = _raster(text)
    index = Index(rank, suit, rank_at, each, suit_at, half * to_y * 0.9)
    return Card(face, rounded(3.2), (index,))


Symbol = tuple[float, float, float]
"""Its middle, right and down, and half its height."""


def printed_index(text: str, name: str) -> tuple[Symbol, Symbol]:
    """Where a drawing shows its value first, and the suit that stands right below it: pips are the
    same symbol, and in aces come before it. Raises ArtError."""
    shown: dict[str, list[Symbol]] = {"V": [], "S": []}
    for symbol, height, x, y in _USE.findall(text):
        half = float(height) / 2
        shown.setdefault(symbol[0], []).append((float(x) + half, float(y) + half, half))
    for rx, ry, half in shown["V"][:1]:
        below = [s for s in shown["S"] if ry < s[1] < ry + 4 * half and abs(s[0] - rx) < half]
        if below:
            return (rx, ry, half), min(below, key=lambda s: s[1])
    raise ArtError(f"{name}: it shows no index as it used to. Next: look at {ART} anew")


def _raster(svg: str) -> Pixels:
    import resvg_py

    sized = svg.replace('"3.5in"', f'"{CARD_H}"', 1).replace('"2.5in"', f'"{CARD_W}"', 1)
    drawn = resvg_py.svg_to_bytes(svg_string=sized)  # it knows no inches
    image = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise ArtError("a drawing could not be rendered. Next: pip install -U resvg-py")
    image = cv2.resize(image, (CARD_W, CARD_H), interpolation=cv2.INTER_AREA)
    part = image[:, :, 3:].astype(np.float32) / 255
    return (image[:, :, :3] * part + 255 * (1 - part)).astype(np.uint8)
