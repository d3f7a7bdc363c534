"""Decks that no printer made: every one drawn anew from a seed, with indices of free fonts, suits
of our own, two or four colours, small or big indices, and stand-ins for court cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from controller.model.cards import RANKS, SUITS
from controller.vision.training import suits
from controller.vision.training.suits import SuitStyle, paint

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]

PX_PER_MM: Final = 7.0
CARD_W, CARD_H = round(63 * PX_PER_MM), round(88 * PX_PER_MM)

_OTHER_LETTERS = "FLPWEU"  # none that some font draws like one of ours
_LETTER_PX = 120
_SLIMMEST = 0.42  # an ace's width by its height, at least


@dataclass(frozen=True, slots=True)
class Index:
    """Where a card's index is, in its own pixels, as seen upright: the middle of the rank, of each
    of its characters, and of the suit, and half the height of the rank. rank or suit is "" where it
    is none of ours."""

    rank: str
    suit: str
    rank_at: tuple[float, float]
    characters_at: tuple[tuple[float, float], ...]
    suit_at: tuple[float, float]
    half: float


@dataclass(frozen=True, slots=True)
class Card:
    """A card's picture, BGR and alpha, and its indices: at the upper left, with some decks at the
    upper right too, and the same turned by half a turn below. A back has none."""

    face: Pixels
    alpha: Pixels
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """How one deck looks; millimetres and shares."""

    font: Path
    style: SuitStyle
    colours: dict[str, Colour]
    rank_mm: float
    rank_slim: float
    rank_bold: float
    suit_mm: float
    gap_mm: float
    left_mm: float
    top_mm: float
    ten_gap: float
    paper: Colour
    radius_mm: float
    four: bool
    foreign: bool
    seed: int = 0
    letters: Mapping[str, str] = field(default_factory=dict)
    """What it prints instead of A, 2 ... 10, J, Q, K, by rank."""


def design(rng: np.random.Generator, fonts: list[Path], foreign: bool = False) -> Design:
    """A deck at random. foreign: of another game, with ranks or suits that are none of ours."""
    big = rng.random() < 0.25
    rank = float(rng.uniform(9.0, 14.0) if big else rng.uniform(4.6, 8.0))
    suit = rank * float(rng.uniform(0.55, 0.95))
    font = fonts[int(rng.integers(len(fonts)))]
    tall, wide = _letter(font, "A").shape
    slim = max(float(rng.uniform(0.5, 1.05)), _SLIMMEST * tall / wide)
    return Design(
        font=font,
        style=SuitStyle.drawn(rng),
        colours=_colours(rng),
        rank_mm=rank,
        rank_slim=slim,
        suit_mm=suit,
        gap_mm=float(rng.uniform(0.4, 2.2)) * (1.4 if big else 1.0),
        left_mm=max(float(rng.uniform(4.0, 7.0)), rank * 0.42 + 1.2),
        top_mm=float(rng.uniform(2.0, 6.0)),
        ten_gap=float(rng.uniform(-0.02, 0.12)),
        paper=_paper(rng),
        radius_mm=float(rng.uniform(2.0, 4.5)),
        four=not big and rng.random() < 0.3,
        foreign=foreign,
        seed=int(rng.integers(2**31)),
        rank_bold=float(rng.uniform(-0.02, 0.05)) if rng.random() < 0.5 else 0.0,
    )


def _paper(rng: np.random.Generator) -> Colour:
    b = int(rng.integers(225, 256))
    return (b - int(rng.integers(0, 18)), b, b)


def _colours(rng: np.random.Generator) -> dict[str, Colour]:
    black = tuple(int(v) for v in rng.integers(0, 45, 3))
    red = (int(rng.integers(0, 70)), int(rng.integers(0, 60)), int(rng.integers(170, 245)))
    out = {"s": black, "h": red, "d": red, "c": black}
    if rng.random() < 0.3:
        out["d"] = (
            int(rng.integers(150, 240)),
            int(rng.integers(20, 110)),
            int(rng.integers(0, 50)),
        )
        out["c"] = (int(rng.integers(0, 60)), int(rng.integers(90, 160)), int(rng.integers(0, 60)))
        if rng.random() < 0.15:
            out["d"] = (int(rng.integers(0, 40)), int(rng.integers(120, 190)), 230)
    return {s: (c[0], c[1], c[2]) for s, c in out.items()}


@lru_cache(maxsize=4000)
def _letter(font: Path, text: str) -> Pixels:
    """A text's ink, (h, w) 0 to 255, cut to its box."""
    face = ImageFont.truetype(str(font), _LETTER_PX)
    sheet = Image.new("L", (_LETTER_PX * (len(text) + 1), 2 * _LETTER_PX), 0)
    ImageDraw.Draw(sheet).text((_LETTER_PX // 2, _LETTER_PX // 3), text, 255, font=face)
    ink = np.asarray(sheet)
    ys, xs = np.where(ink > 100)
    if not len(ys):
        raise ValueError(f"{font.name} has no {text!r}")
    return ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1].copy()


@lru_cache(maxsize=4000)
def _bolder(font: Path, text: str, by: float) -> Pixels:
    """A text's ink with strokes thicker, or thinner, by so much of its height; cut to its box."""
    ink = _letter(font, text)
    many = round(abs(by) * ink.shape[0] / 2)
    if not many:
        return ink
    ink = np.pad(ink, many)
    brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * many + 1, 2 * many + 1))
    out = cv2.dilate(ink, brush) if by > 0 else cv2.erode(ink, brush)
    ys, xs = np.where(out > 100)
    if not len(ys) or (by < 0 and (out > 100).sum() < 0.4 * (ink > 100).sum()):
        return _letter(font, text)  # hairlines would be gone
    return out[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1].astype(np.uint8)


def usable(font: Path) -> bool:
    """Whether a font has every character of an index."""
    try:
        return all(_letter(font, c).size > 100 for c in "A23456789JQK10")
    except (OSError, ValueError):
        return False


def _ink(card: Pixels, ink: Pixels, x: float, y: float, w: float, h: float, colour: Colour) -> None:
    """Lay ink of any size onto a card, its middle at x, y, w by h pixels."""
    move = np.array([[w / ink.shape[1], 0, x - w / 2], [0, h / ink.shape[0], y - h / 2]])
    x0, y0 = max(0, int(x - w / 2) - 2), max(0, int(y - h / 2) - 2)
    x1, y1 = min(CARD_W, int(x + w / 2) + 3), min(CARD_H, int(y + h / 2) + 3)
    if x1 <= x0 or y1 <= y0:
        return
    move[:, 2] -= [x0, y0]
    shrunk = cv2.GaussianBlur(ink, (0, 0), max(0.3, 0.4 * ink.shape[0] / h))
    mask = cv2.warpAffine(shrunk, move, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
    part = mask[:, :, None].astype(np.float32) / 255
    under = card[y0:y1, x0:x1].astype(np.float32)
    card[y0:y1, x0:x1] = (under * (1 - part) + np.array(colour, np.float32) * part).astype(np.uint8)


def draw(deck: Design, rank: str, suit: str) -> Card:
    """One card of a deck. rank of RANKS, suit of SUITS; what foreign decks make of them differs."""
    own = np.random.default_rng([deck.seed, RANKS.index(rank), SUITS.index(suit)])
    face = np.full((CARD_H, CARD_W, 3), deck.paper, np.uint8)
    shape, colour = suits.SHAPES[suit](deck.style), deck.colours[suit]
    text = deck.letters.get(rank, "10" if rank == "T" else rank)
    rank_name, suit_name = rank, suit
    if deck.foreign:
        by_deck = np.random.default_rng(deck.seed)
        if by_deck.random() < 0.6:
            options = [suits.star(5), suits.star(8), suits.bell(), suits.cup(), suits.star(4)]
            shape, suit_name = options[(SUITS.index(suit) + deck.seed) % len(options)], ""
        if suit_name or by_deck.random() < 0.5:
            at = (RANKS.index(rank) + deck.seed) % len(_OTHER_LETTERS)
            text, rank_name = _OTHER_LETTERS[at], ""
    if rank in "JQK":
        _court(face, deck, shape, colour, own)
    else:
        _pips(face, deck, shape, colour, RANKS.index(rank) + 1)
    if own.random() < 0.3:
        cv2.rectangle(face, (0, 0), (CARD_W - 1, CARD_H - 1), (60, 60, 60), 2)
    sides = (False, True) if deck.four else (False,)
    for _ in range(2):  # both ends
        face = np.ascontiguousarray(face[::-1, ::-1])
        places = [_index(face, deck, text, shape, colour, right) for right in sides]
    indices = tuple(Index(rank_name, suit_name, *place) for place in places)
    return Card(face, rounded(deck.radius_mm), indices)


def rounded(radius_mm: float) -> Pixels:
    """A card's outline with round corners, 255 inside."""
    r = round(radius_mm * PX_PER_MM)
    alpha = np.zeros((CARD_H, CARD_W), np.uint8)
    cv2.rectangle(alpha, (r, 0), (CARD_W - 1 - r, CARD_H - 1), 255, -1)
    cv2.rectangle(alpha, (0, r), (CARD_W - 1, CARD_H - 1 - r), 255, -1)
    for x in (r, CARD_W - 1 - r):
        for y in (r, CARD_H - 1 - r):
            cv2.circle(alpha, (x, y), r, 255, -1)
    return alpha


Where = tuple[tuple[float, float], tuple[tuple[float, float], ...], tuple[float, float], float]


def _index(
    face: Pixels,
    deck: Design,
    text: str,
    shape: list[suits.Polygon],
    colour: Colour,
    right: bool,
) -> Where:
    """Rank and suit at the upper left or right; where they are."""
    p = PX_PER_MM
    h = deck.rank_mm * p
    x, y = deck.left_mm * p, deck.top_mm * p + h / 2
    inks = [_bolder(deck.font, c, deck.rank_bold) for c in text]
    squeeze = deck.rank_slim * (0.82 if len(text) > 1 else 1.0)
    unit = h / _bolder(deck.font, "8", deck.rank_bold).shape[0]
    widths = [ink.shape[1] * unit * squeeze for ink in inks]
    gap = deck.ten_gap * h
    total = sum(widths) + gap * (len(widths) - 1)
    x = max(x, total / 2 + 0.8 * p)
    x = CARD_W - x if right else x
    at, places = x - total / 2, []
    for ink, w in zip(inks, widths, strict=True):
        high = min(1.3 * h, ink.shape[0] * unit)  # a tail hangs below the line
        _ink(face, ink, at + w / 2, y + (high - h) / 2, w, high, colour)
        places.append((at + w / 2, y))
        at += w + gap
    suit_h = deck.suit_mm * p
    suit_y = y + h / 2 + deck.gap_mm * p + suit_h / 2
    paint(face, shape, x, suit_y, suit_h, deck.style.slim, colour)
    return (x, y), tuple(places), (x, suit_y), h / 2


_COLUMNS = {1: (), 2: (0.0, 1.0), 3: (0.0, 0.5, 1.0), 4: (0.0, 1 / 3, 2 / 3, 1.0)}


def _pip_places(count: int) -> list[tuple[float, float]]:
    """Where pips lie: x of -1, 0, 1, and y of 0 to 1 down the card."""
    if count <= 3:
        return [(0.0, y) for y in ({1: (0.5,), 2: (0.0, 1.0), 3: (0.0, 0.5, 1.0)}[count])]
    side = {4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, 10: 4}[count]
    out = [(x, y) for x in (-1.0, 1.0) for y in _COLUMNS[side]]
    middle = {5: (0.5,), 7: (0.25,), 8: (0.25, 0.75), 9: (0.5,), 10: (1 / 6, 5 / 6)}
    return out + [(0.0, y) for y in middle.get(count, ())]


def _pips(
    face: Pixels, deck: Design, shape: list[suits.Polygon], colour: Colour, count: int
) -> None:
    own = np.random.default_rng([deck.seed, 77])
    apart = float(own.uniform(11.5, 14.5)) * PX_PER_MM
    top, tall = float(own.uniform(13, 18)) * PX_PER_MM, float(own.uniform(9, 14)) * PX_PER_MM
    if deck.rank_mm > 8.5 and count > 3:
        apart, tall = 0.8 * apart, 0.8 * tall
    if count == 1:
        tall *= float(own.uniform(1.0, 3.2))
    for x, y in _pip_places(count):
        at_y = top + y * (CARD_H - 2 * top)
        turned = y > 0.5
        paint(face, shape, CARD_W / 2 + x * apart, at_y, tall, deck.style.slim, colour, turned)


def _court(
    face: Pixels,
    deck: Design,
    shape: list[suits.Polygon],
    colour: Colour,
    rng: np.random.Generator,
) -> None:
    """No court of anybody's: a frame full of coloured scraps, alike when turned, with a suit."""
    p = PX_PER_MM
    x0, y0 = int(rng.uniform(9, 14) * p), int(rng.uniform(6, 12) * p)
    inks: list[Colour] = [(20, 20, 20), (40, 30, 200), (170, 60, 20), (30, 200, 240), colour]
    for _ in range(int(rng.integers(14, 60))):
        middle = rng.uniform([x0, y0], [CARD_W - x0, CARD_H / 2])
        polygon = np.round(middle + rng.normal(0, rng.uniform(1.0, 7.0) * p, (5, 2)))
        ink = inks[int(rng.integers(len(inks)))]
        if rng.random() < 0.3:
            cv2.polylines(face, [polygon.astype(np.int32)], True, ink, int(rng.integers(1, 5)))
        else:
            cv2.fillPoly(face, [cv2.convexHull(polygon.astype(np.int32))], ink)
    face[:, :x0] = face[:, CARD_W - x0 :] = deck.paper
    face[:y0] = face[CARD_H - y0 :] = deck.paper
    face[CARD_H // 2 :] = face[: CARD_H - CARD_H // 2][::-1, ::-1]
    if rng.random() < 0.85:
        width = int(rng.integers(1, 5))
        ink = inks[int(rng.integers(0, 3))]
        cv2.rectangle(face, (x0, y0), (CARD_W - x0, CARD_H - y0), ink, width)
    if rng.random() < 0.75:
        tall = float(rng.uniform(8, 13)) * p
        x, y = x0 + tall * 0.65, y0 + tall * 0.7
        cv2.circle(face, (int(x), int(y)), int(tall * 0.6), deck.paper, -1)
        paint(face, shape, x, y, tall, deck.style.slim, colour)
        cv2.circle(face, (int(CARD_W - x), int(CARD_H - y)), int(tall * 0.6), deck.paper, -1)
        paint(face, shape, CARD_W - x, CARD_H - y, tall, deck.style.slim, colour, True)


def back(rng: np.random.Generator) -> Card:
    """A card's back: a pattern in one colour, mostly with a light rim."""
    ink = tuple(int(v) for v in rng.integers(0, 200, 3))
    face = np.full((CARD_H, CARD_W, 3), 245, np.uint8)
    rim = int(rng.uniform(0, 6) * PX_PER_MM)
    step = int(rng.integers(8, 40))
    inner = face[rim : CARD_H - rim, rim : CARD_W - rim]
    inner[:] = ink
    light = tuple(int(v) for v in rng.integers(150, 256, 3))
    for at in range(-CARD_H, CARD_W, step):
        cv2.line(inner, (at, 0), (at + CARD_H, CARD_H), light, int(rng.integers(1, 5)))
        cv2.line(inner, (at + CARD_H, 0), (at, CARD_H), light, 2)
    return Card(face, rounded(3.0))
