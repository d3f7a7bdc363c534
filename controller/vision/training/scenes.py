"""Cards on a table: apart, in a spread, in fans, in piles, on a board; with shadows, chips, print
and other games' cards about. What is seen of each index is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.model.cards import RANKS, SUITS
from controller.vision.training.decks import CARD_H, CARD_W, Card, Index, back
from controller.vision.training.photo import Ground, photographed

Pixels = NDArray[np.uint8]
Point = NDArray[np.float64]
Deal = Callable[[np.random.Generator], Card]
"""Gives one card of one deck at random."""

LAYOUTS: Final = ("apart", "board", "spread", "fan", "pile")
_CHANCES: Final = (0.24, 0.1, 0.34, 0.22, 0.1)


@dataclass(frozen=True, slots=True)
class SeenIndex:
    """A corner index in a scene, in pixels. shown: how much of it is, 0 to 1."""

    code: str
    rank: str
    suit: str
    rank_at: Point
    characters_at: tuple[Point, ...]
    suit_at: Point
    shown: float
    card: int


@dataclass(frozen=True, slots=True)
class Scene:
    image: Pixels
    indices: tuple[SeenIndex, ...]
    cards: int


@dataclass(frozen=True, slots=True)
class _Lie:
    """How a card lies: its middle in pixels, its turn in degrees, its height in pixels."""

    x: float
    y: float
    turn: float
    tall: float

    @property
    def move(self) -> NDArray[np.float64]:
        """From the card's pixels to the scene's: (2, 3)."""
        s, t = self.tall / CARD_H, np.radians(self.turn)
        m = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) * s
        return np.column_stack([m, [self.x, self.y] - m @ [CARD_W / 2, CARD_H / 2]])


def _lies(layout: str, size: int, rng: np.random.Generator) -> list[_Lie]:
    tall = float(np.exp(rng.uniform(np.log(105), np.log(430))))
    turn = float(rng.uniform(0, 360))
    if layout in ("apart", "board"):
        return _apart(size, tall, turn, rng, board=layout == "board")
    if layout == "spread":
        return _spread(size, tall, turn, rng)
    if layout == "fan":
        return _fan(size, tall, turn, rng)
    many = min(18, int(1.3 * (size / tall) ** 2) + 1)
    return [_Lie(*_anywhere(size, rng), float(rng.uniform(0, 360)), tall) for _ in range(many)]


def _anywhere(size: int, rng: np.random.Generator) -> tuple[float, float]:
    x, y = rng.uniform(0.05, 0.95, 2) * size
    return float(x), float(y)


def _apart(
    size: int, tall: float, turn: float, rng: np.random.Generator, *, board: bool
) -> list[_Lie]:
    out = []
    wide = tall * 63 / 88 * rng.uniform(1.03, 1.4)
    if not board:
        wide = tall * rng.uniform(0.95, 1.3)
    many = max(1, int(size / wide))
    for i in range(many * max(1, int(size / tall))):
        x, y = (i % many + 0.5) * wide, (i // many + 0.5) * tall * 1.08
        askew = rng.normal(0, 2.5) if board else rng.uniform(0, 360)
        way = turn if board else 0.0
        t, c = np.radians(way), size / 2
        dx, dy = x - c + rng.normal(0, 0.02) * tall, y - c + rng.normal(0, 0.02) * tall
        at = (c + dx * np.cos(t) - dy * np.sin(t), c + dx * np.sin(t) + dy * np.cos(t))
        out.append(_Lie(*at, way + askew, tall))
    return out


def _spread(size: int, tall: float, turn: float, rng: np.random.Generator) -> list[_Lie]:
    step = tall * rng.uniform(0.13, 0.34)
    bow = rng.uniform(-0.9, 0.9)
    t = np.radians(turn)
    along, down = np.array([np.cos(t), np.sin(t)]), np.array([-np.sin(t), np.cos(t)])
    many = min(26, int(1.2 * size / step) + 1)
    out = []
    rows = int(np.ceil(size / (tall * 1.15)))
    way = 1 if rng.random() < 0.8 else -1  # which edge lies on top
    for row in range(rows):
        offset = (row - (rows - 1) / 2) * tall * rng.uniform(1.0, 1.15)
        for i in range(many)[::way]:
            a = (i - many / 2) * step
            curve = bow * a * a / (2 * size)
            at = size / 2 + along * a + down * (offset + curve) + rng.normal(0, 0.01, 2) * tall
            askew = np.degrees(np.arctan(bow * a / size)) + rng.normal(0, 1.4)
            out.append(_Lie(at[0], at[1], turn + askew, tall))
    return out


def _fan(size: int, tall: float, turn: float, rng: np.random.Generator) -> list[_Lie]:
    out = []
    for _ in range(max(1, int((size / (1.7 * tall)) ** 2))):
        many = int(rng.integers(2, 14))
        open_deg = rng.uniform(5, 18) * rng.choice([-1, 1])
        arm = tall * rng.uniform(0.5, 1.6)
        pivot = rng.uniform(0.2, 0.8, 2) * size
        turn = turn + rng.uniform(0, 360)
        for i in range(many):
            way = turn + open_deg * (i - many / 2)
            t = np.radians(way - 90)
            at = pivot + arm * np.array([np.cos(t), np.sin(t)])
            out.append(_Lie(at[0], at[1], way, tall))
    return out


class _Canvas:
    """A scene being laid: its picture, and which card is seen at each pixel."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.size, self.rng = size, rng
        self.image = Ground().draw(size, size, rng)
        self.top = np.zeros((size, size), np.int32)

    def lay(self, card: Card, lie: _Lie, number: int) -> None:
        move = lie.move
        shrunk, alpha, by = _shrunk(card, lie.tall / CARD_H)
        corners = move @ np.array([[0, CARD_W, CARD_W, 0], [0, 0, CARD_H, CARD_H], [1, 1, 1, 1]])
        pad = 10
        x0, y0 = np.maximum(0, np.floor(corners.min(1)).astype(int) - pad)
        x1, y1 = np.minimum(self.size, np.ceil(corners.max(1)).astype(int) + pad)
        if x1 - x0 < 8 or y1 - y0 < 8:
            return
        move = move.copy()
        move[:, :2] /= by
        move[:, 2] -= [x0, y0]
        box = (int(x1 - x0), int(y1 - y0))
        face = cv2.warpAffine(shrunk, move, box, flags=cv2.INTER_LINEAR)
        solid = cv2.warpAffine(alpha, move, box, flags=cv2.INTER_LINEAR)
        under = self.image[y0:y1, x0:x1]
        if self.rng.random() < 0.75:
            under = _shaded(under, solid, lie.tall, self.rng)
        part = solid[:, :, None].astype(np.float32) / 255
        self.image[y0:y1, x0:x1] = (face * part + under * (1 - part)).astype(np.uint8)
        self.top[y0:y1, x0:x1][solid > 127] = number

    def cover(self, mask: Pixels, colour: tuple[int, int, int]) -> None:
        self.image[mask > 0] = colour
        self.top[mask > 0] = 0


def _shrunk(card: Card, scale: float) -> tuple[Pixels, Pixels, float]:
    """A card's picture near the size in which it is laid, so that laying it does not alias."""
    if scale > 0.8:
        return card.face, card.alpha, 1.0
    by = max(0.15, scale * 1.1)
    face = cv2.resize(card.face, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
    alpha = cv2.resize(card.alpha, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
    return face.astype(np.uint8), alpha.astype(np.uint8), face.shape[1] / CARD_W


def _shaded(
    under: Pixels, solid: cv2.typing.MatLike, tall: float, rng: np.random.Generator
) -> Pixels:
    soft = cv2.blur(solid, (2 * int(tall * rng.uniform(0.006, 0.03)) + 1,) * 2)
    shift = rng.normal(0, 0.01 * tall, 2)
    moved = cv2.warpAffine(
        soft, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (soft.shape[1], soft.shape[0])
    )
    light = 1 - moved[:, :, None].astype(np.float32) / 255 * np.float32(rng.uniform(0.1, 0.55))
    return (under * light).astype(np.uint8)


def scene(
    deal: Deal,
    rng: np.random.Generator,
    size: int = 640,
    layout: str | None = None,
    harsh: float = 1.0,
    clutter: bool = True,
) -> Scene:
    """A scene at random, square, `size` pixels wide. layout: of LAYOUTS, or None for any."""
    layout = layout or str(rng.choice(LAYOUTS, p=_CHANCES))
    canvas = _Canvas(size, rng)
    if clutter and rng.random() < 0.5:
        _clutter(canvas, rng, below=True)
    laid: list[tuple[Card, _Lie]] = []
    for lie in _lies(layout, size, rng):
        card = back(rng) if rng.random() < 0.06 else deal(rng)
        laid.append((card, lie))
        canvas.lay(card, lie, len(laid))
    if clutter and rng.random() < 0.25:
        _clutter(canvas, rng, below=False)
    image, top, tilt = _tilted(canvas.image, canvas.top, rng)
    seen = [
        _seen(index, lie, number, half_turn, tilt, top)
        for number, (card, lie) in enumerate(laid, 1)
        for index in card.indices
        for half_turn in (False, True)
    ]
    return Scene(photographed(image, rng, harsh), tuple(seen), len(laid))


def _tilted(
    image: Pixels, top: NDArray[np.int32], rng: np.random.Generator
) -> tuple[Pixels, NDArray[np.int32], NDArray[np.float64]]:
    """Seen from aside: perspective, and a squeeze in one direction."""
    size = image.shape[0]
    square = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    seen = square.copy()
    if rng.random() < 0.7:
        seen = seen + rng.normal(0, 0.06 * size, (4, 2)).astype(np.float32)
    if rng.random() < 0.5:
        squeeze, t = float(rng.uniform(0.6, 1.0)), float(rng.uniform(0, np.pi))
        turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
        by = turn @ np.diag([1.0, squeeze]) @ turn.T
        seen = ((seen - size / 2) @ by.T + size / 2).astype(np.float32)
    tilt = cv2.getPerspectiveTransform(square, seen)
    out = cv2.warpPerspective(image, tilt, (size, size), flags=cv2.INTER_LINEAR)
    which = cv2.warpPerspective(top.astype(np.float32), tilt, (size, size), flags=cv2.INTER_NEAREST)
    return out.astype(np.uint8), which.astype(np.int32), tilt.astype(np.float64)


def _seen(
    index: Index,
    lie: _Lie,
    number: int,
    half_turn: bool,
    tilt: NDArray[np.float64],
    top: NDArray[np.int32],
) -> SeenIndex:
    move = lie.move

    def at(x: float, y: float) -> Point:
        if half_turn:
            x, y = CARD_W - x, CARD_H - y
        flat = tilt @ [*(move @ [x, y, 1.0]), 1.0]
        out: Point = flat[:2] / flat[2]
        return out

    h = index.half
    (rx, ry), (sx, sy) = index.rank_at, index.suit_at
    box = [(rx - 0.6 * h, ry - 0.8 * h), (rx + 0.6 * h, ry - 0.8 * h), (rx, ry)]
    box += [(rx - 0.6 * h, ry + 0.8 * h), (rx + 0.6 * h, ry + 0.8 * h), (sx, sy)]
    box += [(sx - 0.5 * h, sy), (sx + 0.5 * h, sy), (sx, sy + 0.6 * h)]
    shown = float(np.mean([_is_top(at(x, y), number, top) for x, y in box]))
    return SeenIndex(
        code=index.rank + index.suit,
        rank=index.rank,
        suit=index.suit,
        rank_at=at(rx, ry),
        characters_at=tuple(at(x, y) for x, y in index.characters_at),
        suit_at=at(sx, sy),
        shown=shown,
        card=number,
    )


def _is_top(at: Point, number: int, top: NDArray[np.int32]) -> bool:
    x, y = int(at[0]), int(at[1])
    return 0 <= x < top.shape[1] and 0 <= y < top.shape[0] and bool(top[y, x] == number)


def _clutter(canvas: _Canvas, rng: np.random.Generator, *, below: bool) -> None:
    """Chips, print, paper; above the cards only chips and hands' shadows of shapes."""
    size = canvas.size
    for _ in range(int(rng.integers(1, 8 if below else 4))):
        at = rng.uniform(0, size, 2)
        mask = np.zeros((size, size), np.uint8)
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        kind = rng.random()
        if kind < 0.45:
            _chip(canvas, at, rng)
        elif kind < 0.8 and below:
            _print(canvas, at, rng)
        elif below:
            angle = float(rng.uniform(0, 90))
            span = tuple(rng.uniform(40, 240, 2))
            box = cv2.boxPoints(((at[0], at[1]), span, angle))
            cv2.fillPoly(mask, [np.round(box).astype(np.int32)], 255)
            canvas.cover(mask, colour)  # type: ignore[arg-type]


def _chip(canvas: _Canvas, at: Point, rng: np.random.Generator) -> None:
    mask = np.zeros(canvas.top.shape, np.uint8)
    r = int(rng.integers(16, 70))
    where = (int(at[0]), int(at[1]))
    cv2.circle(mask, where, r, 255, -1)
    ink = tuple(int(v) for v in rng.integers(0, 256, 3))
    canvas.cover(mask, ink)  # type: ignore[arg-type]
    for t in range(0, 360, 60):
        cv2.ellipse(canvas.image, where, (r - 2, r - 2), t, 0, 24, (240, 240, 240), r // 5)
    cv2.circle(canvas.image, where, int(0.6 * r), (235, 235, 235), -1, cv2.LINE_AA)
    text = str(rng.choice(["5", "10", "25", "100", "500", "1K", "A", "Q", "2"]))
    size = r / 38
    cv2.putText(
        canvas.image,
        text,
        (int(at[0] - 9 * size * len(text)), int(at[1] + 10 * size)),
        cv2.FONT_HERSHEY_DUPLEX,
        size,
        (20, 20, 20),
        max(1, int(2 * size)),
        cv2.LINE_AA,
    )


def _print(canvas: _Canvas, at: Point, rng: np.random.Generator) -> None:
    """A page with lines of letters."""
    h, w = int(rng.integers(60, 260)), int(rng.integers(60, 260))
    page = np.full((h, w, 3), int(rng.integers(190, 256)), np.uint8)
    size = float(rng.uniform(0.35, 1.1))
    letters = list(RANKS + "10 ABCDEFGHKLMNOPRSTUQJaegiost")
    for y in range(int(24 * size), h, int(34 * size)):
        line = "".join(rng.choice(letters, int(w / (18 * size))))
        ink = (20, 20, 20) if rng.random() < 0.7 else (30, 30, 190)
        cv2.putText(page, line, (4, y), cv2.FONT_HERSHEY_DUPLEX, size, ink, 1, cv2.LINE_AA)
    mask = np.full((h, w), 255, np.uint8)
    t = float(rng.uniform(0, 360))
    move = cv2.getRotationMatrix2D((w / 2, h / 2), t, 1.0)
    move[0, 2] += at[0] - w / 2
    move[1, 2] += at[1] - h / 2
    box = (canvas.size, canvas.size)
    there = cv2.warpAffine(mask, move, box)
    drawn = cv2.warpAffine(page, move, box)
    canvas.image[there > 127] = drawn[there > 127]
    canvas.top[there > 127] = 0


def from_deck(cards: dict[str, Card]) -> Deal:
    """Deals from a deck of ready pictures."""
    codes = [r + s for s in SUITS for r in RANKS]
    return lambda rng: cards[codes[int(rng.integers(52))]]
