"""Playing cards drawn on the spot, laid on a table and photographed: their truth is known.

Lengths in millimetres of the table, x to the right, y down; pictures (h, w, 3) blue, green, red.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from controller.model.cards import FACES
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]

ART_PX_MM = 8.0
_W, _H = round(CARD_MM[0] * ART_PX_MM), round(CARD_MM[1] * ART_PX_MM)
_RED, _BLACK = (190, 20, 30), (20, 20, 24)
_EIGHT = tuple((x, y) for x in (-1, 1) for y in (-1, -0.34, 0.34, 1))
_PIPS = {
    "2": ((0, -1), (0, 1)),
    "3": ((0, -1), (0, 0), (0, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "7": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5)),
    "8": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5), (0, 0.5)),
    "9": (*_EIGHT, (0, 0)),
    "T": (*_EIGHT, (0, -0.67), (0, 0.67)),
}


def _suit(suit: str, size: int) -> Image:
    """(size, size): a suit's shape, 255 where it is."""
    s = size * 4
    picture = Pictures.new("L", (s, s))
    draw = ImageDraw.Draw(picture)

    def ball(x: float, y: float, r: float) -> None:
        draw.ellipse(((x - r) * s, (y - r) * s, (x + r) * s, (y + r) * s), fill=255)

    def corners(*points: tuple[float, float]) -> None:
        draw.polygon([(x * s, y * s) for x, y in points], fill=255)

    if suit == "d":
        corners((0.5, 0.02), (0.86, 0.5), (0.5, 0.98), (0.14, 0.5))
    elif suit == "h":
        ball(0.29, 0.3, 0.235)
        ball(0.71, 0.3, 0.235)
        corners((0.08, 0.41), (0.5, 0.34), (0.92, 0.41), (0.5, 0.96))
    elif suit == "s":
        ball(0.29, 0.58, 0.22)
        ball(0.71, 0.58, 0.22)
        corners((0.1, 0.49), (0.5, 0.03), (0.9, 0.49), (0.5, 0.62))
        corners((0.5, 0.55), (0.64, 0.97), (0.36, 0.97))
    else:
        for x, y in ((0.5, 0.24), (0.26, 0.58), (0.74, 0.58)):
            ball(x, y, 0.215)
        corners((0.5, 0.4), (0.64, 0.97), (0.36, 0.97))
        ball(0.5, 0.48, 0.1)
    return np.asarray(picture.resize((size, size), Pictures.Resampling.LANCZOS))


def _stamp(card: Image, shape: Image, x: float, y: float, colour: Sequence[int]) -> None:
    """Print a shape on a card, its middle at that place, in pixels."""
    h, w = shape.shape
    left, top = round(x - w / 2), round(y - h / 2)
    part = card[top : top + h, left : left + w]
    share = shape[..., None].astype(np.float32) / 255.0
    part[:] = (part * (1 - share) + np.array(colour, np.float32) * share).astype(np.uint8)


def _word(text: str, height: int, narrow: float = 1.0) -> Image:
    """A word in capitals of so many pixels."""
    font = ImageFont.load_default(size=height * 3)
    left, top, right, bottom = font.getbbox(text)
    picture = Pictures.new("L", (math.ceil(right - left) + 4, math.ceil(bottom - top) + 4))
    ImageDraw.Draw(picture).text((2 - left, 2 - top), text, fill=255, font=font, stroke_width=2)
    wide = max(1, round(picture.width * height / picture.height * narrow))
    return np.asarray(picture.resize((wide, height), Pictures.Resampling.LANCZOS))


@cache
def face(code: str) -> Image:
    """A card's face, or a joker's, (704, 504, 3)."""
    card = np.full((_H, _W, 3), 252, np.uint8)
    if code == "joker":
        _joker(card)
        return card
    rank, suit = code[0], code[1]
    colour = _RED if suit in "hd" else _BLACK
    _middle(card, rank, suit, colour)
    text = _word("10" if rank == "T" else rank, 54, 0.75 if rank == "T" else 1.0)
    for _ in range(2):
        _stamp(card, text, 45, 66, colour)
        _stamp(card, _suit(suit, 46), 45, 128, colour)
        card = np.ascontiguousarray(card[::-1, ::-1])
    return np.ascontiguousarray(card[..., ::-1])


def _middle(card: Image, rank: str, suit: str, colour: Sequence[int]) -> None:
    if rank in _PIPS:
        shape = _suit(suit, 88)
        for x, y in _PIPS[rank]:
            turned = shape if y <= 0 else np.ascontiguousarray(shape[::-1])
            _stamp(card, turned, _W / 2 + x * 96, _H / 2 + y * 230, colour)
    elif rank == "A":
        _stamp(card, _suit(suit, 170), _W / 2, _H / 2, colour)
    else:
        cv2.rectangle(card, (84, 84), (_W - 84, _H - 84), (40, 60, 150), 4)
        rng = np.random.default_rng(ord(rank) * 7 + ord(suit))
        half = card[96 : _H // 2, 96 : _W - 96]
        for _ in range(60):
            at = rng.integers(0, (half.shape[1], half.shape[0]))
            ink = [(200, 30, 40), (240, 200, 40), (30, 40, 120), (20, 20, 20)][rng.integers(4)]
            cv2.circle(half, at.tolist(), int(rng.integers(8, 34)), ink, int(rng.integers(3, 9)))
        card[_H // 2 : _H - 96, 96 : _W - 96] = half[::-1, ::-1]


def _joker(card: Image) -> None:
    for _ in range(2):
        for n, letter in enumerate("JOKER"):
            _stamp(card, _word(letter, 30), 45, 52 + n * 38, _BLACK)
        turned = card[::-1, ::-1].copy()
        card[:] = turned
    cv2.circle(card, (_W // 2, _H // 2), 110, (180, 40, 160), -1)
    cv2.circle(card, (_W // 2, _H // 2 - 40), 60, (60, 180, 40), -1)


@cache
def back(colour: tuple[int, int, int] = (150, 30, 30), border_mm: float = 4.0) -> Image:
    """A card's back: a lattice within a light border."""
    card = np.full((_H, _W, 3), 248, np.uint8)
    b = round(border_mm * ART_PX_MM)
    inner = card[b : _H - b, b : _W - b]
    inner[:] = colour
    h, w = inner.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    u, v = (x - w / 2 + y - h / 2) % 40, (x - w / 2 - y + h / 2) % 40
    inner[(np.minimum(u, 40 - u) < 5) | (np.minimum(v, 40 - v) < 5)] = 240
    cv2.circle(inner, (w // 2, h // 2), 80, (245, 245, 245), -1)
    cv2.circle(inner, (w // 2, h // 2), 60, colour, -1)
    return card


@cache
def other_game(number: int) -> Image:
    """A card of another game: a coloured ground with a large number in an oval, no suit."""
    ink = [(40, 60, 220), (60, 160, 40), (200, 90, 20), (30, 190, 230)][number % 4]
    card = np.full((_H, _W, 3), 250, np.uint8)
    cv2.rectangle(card, (36, 36), (_W - 36, _H - 36), ink, -1)
    cv2.ellipse(card, (_W // 2, _H // 2), (150, 280), 25, 0, 360, (250, 250, 250), -1)
    big, small = _word(str(number % 10), 220), _word(str(number % 10), 60)
    _stamp(card, big, _W / 2, _H / 2, ink)
    for _ in range(2):
        _stamp(card, small, 80, 90, (250, 250, 250))
        card = np.ascontiguousarray(card[::-1, ::-1])
    return card


@dataclass(frozen=True)
class Laid:
    """A card on the table: what shows, where its middle is, how far it is turned clockwise."""

    shows: Image
    x_mm: float
    y_mm: float
    turned_deg: float = 0.0


@dataclass(frozen=True)
class Shot:
    """How a picture is taken. light: share of what is white. slant: of the camera, 0 none. Noise
    and blur in pixels and shades."""

    px_per_mm: float = 4.0
    light: float = 0.85
    slope: float = 0.15
    blur_px: float = 0.6
    noise: float = 2.5
    slant: float = 0.0
    felt: tuple[int, int, int] = (60, 105, 35)
    seed: int = 1


def photograph(
    cards: Iterable[Laid], width_mm: float, height_mm: float, shot: Shot | None = None
) -> Image:
    """The picture of that part of a table; later cards lie on earlier ones."""
    shot = shot or Shot()
    rng = np.random.default_rng(shot.seed)
    w, h = round(width_mm * shot.px_per_mm), round(height_mm * shot.px_per_mm)
    ground = np.full((h, w, 3), shot.felt, np.float32)
    for share in (2, 24):
        grain = rng.normal(0, 4, (max(2, h // share), max(2, w // share), 1)).astype(np.float32)
        ground += cv2.resize(grain, (w, h))[..., None]
    image = np.clip(ground, 0, 255).astype(np.uint8)
    for card in cards:
        _lay(image, card, shot.px_per_mm)
    if shot.slant:
        image = _slanted(image, shot.slant)
    return _exposed(image, shot, rng)


@cache
def _rounded() -> Image:
    """255 where a card is: its corners are round."""
    mask = np.zeros((_H, _W), np.uint8)
    r = round(3.2 * ART_PX_MM)
    cv2.rectangle(mask, (r, 0), (_W - r - 1, _H - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (_W - 1, _H - r - 1), 255, -1)
    for x in (r, _W - r - 1):
        for y in (r, _H - r - 1):
            cv2.circle(mask, (x, y), r, 255, -1)
    return mask


def _lay(image: Image, card: Laid, px_per_mm: float) -> None:
    share = px_per_mm / ART_PX_MM
    size = (max(1, round(_W * share * 1.0)), max(1, round(_H * share)))
    art = cv2.resize(card.shows, size, interpolation=cv2.INTER_AREA)
    mask = cv2.resize(_rounded(), size, interpolation=cv2.INTER_AREA)
    x, y = card.x_mm * px_per_mm, card.y_mm * px_per_mm
    reach = math.ceil(math.hypot(*size) / 2) + 6
    left, top = max(0, int(x) - reach), max(0, int(y) - reach)
    right, bottom = min(image.shape[1], int(x) + reach), min(image.shape[0], int(y) + reach)
    if right - left < 2 or bottom - top < 2:
        return
    turn = cv2.getRotationMatrix2D(((size[0] - 1) / 2, (size[1] - 1) / 2), -card.turned_deg, 1.0)
    turn[0, 2] += x - left - (size[0] - 1) / 2
    turn[1, 2] += y - top - (size[1] - 1) / 2
    box = (right - left, bottom - top)
    shows = cv2.warpAffine(art, turn, box, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    there = cv2.warpAffine(mask, turn, box).astype(np.float32)[..., None] / 255.0
    shade = cv2.GaussianBlur(there, (0, 0), 1.0 * px_per_mm)[..., None] * 0.35
    part = image[top:bottom, left:right]
    under = part * (1.0 - shade)
    part[:] = np.clip(under * (1 - there) + shows * there, 0, 255).astype(np.uint8)


def _slanted(image: Image, slant: float) -> Image:
    h, w = image.shape[:2]
    flat = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    away = np.array([[slant * w, 0], [w - slant * w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, away)
    out = cv2.warpPerspective(image, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8)


def _exposed(image: Image, shot: Shot, rng: np.random.Generator) -> Image:
    h, w = image.shape[:2]
    if shot.blur_px:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), shot.blur_px), np.uint8)
    across = np.linspace(1 - shot.slope, 1 + shot.slope, w, dtype=np.float32)[None, :, None]
    lit = image.astype(np.float32) * (across * shot.light)
    tile = rng.normal(0, shot.noise, (256, 256, 3)).astype(np.float32)
    lit += np.tile(tile, (h // 256 + 1, w // 256 + 1, 1))[:h, :w]
    return np.clip(lit, 0, 255).astype(np.uint8)


def ribbon(
    shown: Sequence[Image],
    *,
    rows: int = 2,
    step_mm: float = 17.0,
    seed: int = 1,
    left_mm: float = 60.0,
    top_mm: float = 75.0,
    uneven: float = 0.12,
) -> tuple[list[Laid], float, float]:
    """A deck spread in rows from left to right, as a hand does it; and the width and height of
    table that it takes."""
    rng = np.random.default_rng(seed)
    per_row = math.ceil(len(shown) / rows)
    cards, right = [], 0.0
    for n, shows in enumerate(shown):
        row, place = divmod(n, per_row)
        x = left_mm + place * step_mm + rng.normal(0, uneven * step_mm * 0.5)
        y = top_mm + row * 105.0 + 10 * math.sin(place / per_row * 2.5) + rng.normal(0, 0.8)
        right = max(right, x)
        turn = (place - per_row / 2) * 0.35 + rng.normal(0, 1.2)
        cards.append(Laid(shows, x, y, turn))
    return cards, right + 60.0, top_mm + (rows - 1) * 105.0 + 75.0


def deck(seed: int = 1, without: Iterable[str] = (), extra: Iterable[str] = ()) -> list[str]:
    """Faces of a shuffled deck, some left out, some more than once."""
    out = set(without)
    faces = [f for f in FACES if f not in out] + list(extra)
    return [faces[i] for i in np.random.default_rng(seed).permutation(len(faces))]
