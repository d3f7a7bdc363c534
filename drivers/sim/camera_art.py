"""Cards as pictures, drawn by formula: a deck of our own.

Nothing of it is what the network that reads cards was trained on; a simulated camera is a fair
examination for it only as long as that stays so. Suits are polygons, indices Pillow's own font.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from drivers.camera.frame import Image
from drivers.table_plan import CARD_MM

Points = NDArray[np.float64]

_CORNER_MM = 3.4
_PAPER = (246, 250, 251)
_INK = {"s": (34, 26, 24), "c": (34, 26, 24), "h": (40, 30, 196), "d": (40, 30, 196)}
_FOUR_INK = {**_INK, "c": (52, 120, 24), "d": (176, 72, 20)}
_BACKS = {
    "red": (46, 34, 158),
    "blue": (128, 62, 28),
    "green": (62, 104, 30),
    "black": (52, 48, 46),
}
_COLUMNS = {"left": 0.31, "middle": 0.5, "right": 0.69}
_FINE = 3  # drawn so many times larger, then averaged


@dataclass(frozen=True, slots=True)
class DeckStyle:
    """A deck's make. index_mm: height of the rank in the corner. four_colour: blue diamonds, green
    clubs. weight: of the index's strokes, as a share of its height."""

    index_mm: float = 11.0
    four_colour: bool = False
    weight: float = 0.045


PLAIN = DeckStyle()


@lru_cache(maxsize=512)
def card_face(code: str, px_per_mm: float, style: DeckStyle = PLAIN) -> Image:
    """A card's face ("As", "Td", "joker1", anything else: a card of another game), upright; (88,
    63) millimetres at that scale. Do not write to it."""
    sheet = _Sheet(px_per_mm)
    suit, rank = code[-1:], code[:-1]
    if suit in _INK and rank and rank in "23456789TJQKA":
        ink = (_FOUR_INK if style.four_colour else _INK)[suit]
        sheet.both_ways(lambda s: _index(s, rank, suit, ink, style))
        _middle(sheet, rank, suit, ink)
    elif code.startswith("joker"):
        sheet.both_ways(lambda s: s.word("JOKER", 7.0, 22.0, 4.4, (120, 40, 120), upright=True))
        sheet.fill(_star(31.5, 44.0, 17.0), (120, 40, 120))
        sheet.fill(_star(31.5, 44.0, 8.0), (60, 190, 235))
    else:
        sheet.both_ways(lambda s: s.fill(_ring(10.0, 12.0, 5.0), (150, 110, 30)))
        sheet.fill(_ring(31.5, 44.0, 17.0), (150, 110, 30))
    return sheet.done()


@lru_cache(maxsize=64)
def card_back(name: str, px_per_mm: float) -> Image:
    """A deck's back: a lattice in its colour within a white rim. Do not write to it."""
    sheet = _Sheet(px_per_mm)
    ink = _BACKS.get(name, (96, 96, 96))
    light = tuple(int(0.45 * c + 0.55 * p) for c, p in zip(ink, _PAPER, strict=True))
    w, h = CARD_MM
    sheet.fill(_box(4.5, 4.5, w - 4.5, h - 4.5), ink)
    for n in range(-18, 40):
        for slope in (1, -1):
            x = n * 4.0
            ends = np.array([(x, 0.0), (x + slope * h, h)])
            sheet.line(ends, light, 0.5, within=6.0)
    sheet.fill(_ring(w / 2, h / 2, 13.0), ink)
    sheet.fill(_star(w / 2, h / 2, 11.0), light)
    return sheet.done()


def outline_mm(grow_mm: float = 0.0) -> Points:
    """A card's rounded outline, from its top left corner at 0, 0; grown by so much on all sides."""
    w, h = CARD_MM
    r = _CORNER_MM + max(0.0, grow_mm)
    points = []
    for cx, cy, start in (
        (w - _CORNER_MM, h - _CORNER_MM, 0),
        (_CORNER_MM, h - _CORNER_MM, 90),
        (_CORNER_MM, _CORNER_MM, 180),
        (w - _CORNER_MM, _CORNER_MM, 270),
    ):
        for step in range(7):
            a = math.radians(start + 15 * step)
            points.append((cx + r * math.cos(a), cy + r * math.sin(a)))
    return np.array(points)


class _Sheet:
    """A card's paper, written on in millimetres from its top left corner."""

    def __init__(self, px_per_mm: float) -> None:
        self._size = tuple(max(1, round(mm * px_per_mm)) for mm in CARD_MM)
        self._scale = px_per_mm * _FINE
        width, height = (round(mm * self._scale) for mm in CARD_MM)
        self.pixels = np.full((height, width, 3), _PAPER, np.uint8)

    def fill(self, points: Points, ink: tuple[int, ...]) -> None:
        cv2.fillPoly(self.pixels, [self._fixed(points)], ink, cv2.LINE_AA, 4)

    def line(self, points: Points, ink: tuple[int, ...], width_mm: float, within: float) -> None:
        """A line that keeps so far from the card's rim."""
        rim = round(within * self._scale)
        inner = self.pixels[rim:-rim, rim:-rim]
        moved = self._fixed(points - within)
        thick = max(1, round(width_mm * self._scale))
        cv2.polylines(inner, [moved], False, ink, thick, cv2.LINE_AA, 4)

    def word(
        self,
        text: str,
        x_mm: float,
        y_mm: float,
        height_mm: float,
        ink: tuple[int, ...],
        weight: float = 0.0,
        upright: bool = False,
    ) -> None:
        """Text of that height, its middle there; upright: written from top to bottom."""
        tile = _lettered(text, height_mm * self._scale, weight)
        if upright:
            tile = cv2.rotate(tile, cv2.ROTATE_90_CLOCKWISE).astype(np.uint8)
        h, w = tile.shape
        left, top = round(x_mm * self._scale - w / 2), round(y_mm * self._scale - h / 2)
        left, top = max(0, left), max(0, top)
        part = self.pixels[top : top + h, left : left + w]
        cover = tile[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
        part[:] = (part * (1 - cover) + np.array(ink, np.float32) * cover).astype(np.uint8)

    def both_ways(self, write: object) -> None:
        """Write the same at the top and, turned round, at the bottom."""
        assert callable(write)
        for _ in range(2):
            write(self)
            self.pixels = np.ascontiguousarray(self.pixels[::-1, ::-1])

    def done(self) -> Image:
        small = cv2.resize(self.pixels, self._size, interpolation=cv2.INTER_AREA)
        small.setflags(write=False)
        return small.astype(np.uint8, copy=False)

    def _fixed(self, points: Points) -> NDArray[np.int32]:
        return np.round(points * self._scale * 16).astype(np.int32)


@lru_cache(maxsize=256)
def _lettered(text: str, height_px: float, weight: float) -> Image:
    """Coverage (0-255) of a word so many pixels high, trimmed to its ink."""
    size = 96
    font = ImageFont.load_default(size=size)
    stroke = round(weight * size)
    box = font.getbbox(text, stroke_width=stroke)
    width, height = math.ceil(box[2] - box[0]) + 4, math.ceil(box[3] - box[1]) + 4
    picture = PilImage.new("L", (width, height))
    ImageDraw.Draw(picture).text(
        (2 - box[0], 2 - box[1]), text, fill=255, font=font, stroke_width=stroke
    )
    tile = np.asarray(picture)
    rows, columns = np.flatnonzero(tile.max(1)), np.flatnonzero(tile.max(0))
    tile = tile[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    factor = height_px / tile.shape[0]
    wanted = (max(1, round(tile.shape[1] * factor)), max(1, round(height_px)))
    return cv2.resize(tile, wanted, interpolation=cv2.INTER_AREA).astype(np.uint8)


def _index(sheet: _Sheet, rank: str, suit: str, ink: tuple[int, ...], style: DeckStyle) -> None:
    size = style.index_mm
    x = 3.0 + 0.42 * size
    sheet.word("10" if rank == "T" else rank, x, 4.0 + size / 2, size, ink, style.weight)
    sheet.fill(suit_shape(suit, x, 5.2 + size + 0.36 * size, 0.72 * size), ink)


def _middle(sheet: _Sheet, rank: str, suit: str, ink: tuple[int, ...]) -> None:
    w, h = CARD_MM
    if rank == "A":
        sheet.fill(suit_shape(suit, w / 2, h / 2, 25.0), ink)
    elif rank in "JQK":
        _court(sheet, rank, suit, ink)
    else:
        for x, y, turned in _pips(10 if rank == "T" else int(rank)):
            shape = suit_shape(suit, 0.0, 0.0, 10.0)
            sheet.fill((-shape if turned else shape) + (x * w, y * h), ink)


def _pips(count: int) -> list[tuple[float, float, bool]]:
    """Where a number card's pips are, as shares of width and height, and which stand on their
    heads."""
    left, middle, right = _COLUMNS.values()
    rows = {2: (0.2, 0.8), 3: (0.2, 0.5, 0.8)}
    side = {4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, 10: 4}.get(count, 0)
    pips: list[tuple[float, float, bool]] = []
    if side:
        for n in range(side):
            y = 0.2 + 0.6 * n / (side - 1)
            pips += [(left, y, y > 0.55), (right, y, y > 0.55)]
    inner = {5: (0.5,), 7: (0.35,), 8: (0.35, 0.65), 9: (0.5,), 10: (0.3, 0.7)}
    pips += [(middle, y, y > 0.55) for y in inner.get(count, rows.get(count, ()))]
    return pips


def _court(sheet: _Sheet, rank: str, suit: str, ink: tuple[int, ...]) -> None:
    """A figure that nobody would call art: a framed half-length, the same from both ends."""
    w, h = CARD_MM
    red, yellow, blue = (52, 44, 190), (64, 196, 236), (150, 84, 36)
    sheet.fill(_box(15.0, 10.0, w - 15.0, h - 10.0), (214, 226, 230))

    def half(s: _Sheet) -> None:
        s.fill(np.array([(17, 44), (21, 30), (31.5, 26), (42, 30), (46, 44)], float), red)
        s.fill(np.array([(25, 44), (31.5, 29), (38, 44)], float), yellow)
        s.fill(_ring(31.5, 21.0, 5.2), (172, 206, 238))
        if rank == "K":
            points = [(25, 16.5), (24, 10.5), (28, 13.5), (31.5, 10.2), (35, 13.5), (39, 10.5)]
            s.fill(np.array([*points, (38, 16.5)], float), yellow)
            s.fill(np.array([(27, 23), (31.5, 30), (36, 23)], float), (60, 60, 80))
        elif rank == "Q":
            s.fill(np.array([(25, 16), (31.5, 11), (38, 16), (39.5, 27), (36, 20)], float), blue)
            s.fill(np.array([(25, 16), (27, 20), (23.5, 27)], float), blue)
        else:
            s.fill(np.array([(24, 17), (26, 11.5), (41, 14), (39, 17.5)], float), blue)
        s.fill(suit_shape(suit, 21.0, 15.5, 7.0), ink)

    sheet.both_ways(half)


def suit_shape(suit: str, x: float, y: float, size: float) -> Points:
    """A suit's outline, so high, its middle there; y grows downwards."""
    shape = {"h": _heart, "d": _diamond, "s": _spade, "c": _club}[suit]()
    return shape * size + (x, y)


def _heart() -> Points:
    t = np.linspace(0, 2 * math.pi, 60, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    return np.stack([x / 32, (y + 2.5) / 29], axis=1)


def _diamond() -> Points:
    points = []
    corners = [(0.0, -0.5), (0.39, 0.0), (0.0, 0.5), (-0.39, 0.0)]
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        for step in range(8):
            t = step / 8
            inwards = 1 - 0.16 * math.sin(math.pi * t)
            points.append(((ax + (bx - ax) * t) * inwards, (ay + (by - ay) * t) * inwards))
    return np.array(points)


def _stem(low: float) -> list[tuple[float, float]]:
    return [(0.06, low), (0.08, 0.34), (0.2, 0.5), (-0.2, 0.5), (-0.08, 0.34), (-0.06, low)]


def _spade() -> Points:
    leaf = -_heart() * (0.98, 0.84) + (0.0, -0.08)
    bottom = int(np.argmin(np.abs(leaf[:, 0]) - (leaf[:, 1] > 0)))
    turned = np.roll(leaf, -bottom, axis=0)
    if turned[1, 0] > 0:  # go on to the left of the stem
        turned = np.roll(turned[::-1], 1, axis=0)
    return np.concatenate([np.array(_stem(0.16)), turned[1:]])


def _club() -> Points:
    points = list[tuple[float, float]]()
    for cx, cy, first in ((-0.24, 0.1, 60), (0.0, -0.25, 150), (0.24, 0.1, 240)):
        for step in range(13):
            a = math.radians(first + 20 * step)
            points.append((cx + 0.245 * math.cos(a), cy + 0.245 * math.sin(a)))
    return np.array([*points, *_stem(0.1)])


def _ring(x: float, y: float, r: float) -> Points:
    t = np.linspace(0, 2 * math.pi, 40, endpoint=False)
    return np.stack([x + r * np.cos(t), y + r * np.sin(t)], axis=1)


def _star(x: float, y: float, r: float) -> Points:
    a = np.arange(10) * math.pi / 5 - math.pi / 2
    far = np.where(np.arange(10) % 2 == 0, r, 0.45 * r)
    return np.stack([x + far * np.cos(a), y + far * np.sin(a)], axis=1)


def _box(left: float, top: float, right: float, bottom: float) -> Points:
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
