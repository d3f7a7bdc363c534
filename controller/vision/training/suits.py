"""Suit shapes of our own, as polygons; each deck draws them a little differently."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Polygon = NDArray[np.float64]
"""(n, 2): x to the right, y down, within -0.5 and 0.5."""


@dataclass(frozen=True, slots=True)
class SuitStyle:
    """How a deck draws suits. waist: how hollow a diamond's sides are, 0 straight. cleft: how deep
    a heart is cut. belly: how round hearts and spades are. foot: half width of a stem's foot. leaf:
    radius of a club's leaves. slim: width by height. ball: radius of the balls that a heart and a
    spade are made of, 0 where they are drawn in one line."""

    waist: float
    cleft: float
    belly: float
    foot: float
    leaf: float
    slim: float
    ball: float

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> SuitStyle:
        """One at random."""
        return cls(
            waist=float(rng.uniform(0.0, 0.1)),
            cleft=float(rng.uniform(0.08, 0.26)),
            belly=float(rng.uniform(0.0, 0.2)),
            foot=float(rng.uniform(0.12, 0.3)),
            leaf=float(rng.uniform(0.2, 0.27)),
            slim=float(rng.uniform(0.78, 1.02)),
            ball=float(rng.uniform(0.19, 0.28)) if rng.random() < 0.4 else 0.0,
        )


def _cubic(*points: tuple[float, float]) -> Polygon:
    a, b, c, d = (np.array(p) for p in points)
    t = np.linspace(0, 1, 14)[:, None]
    out: Polygon = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
    return out


def _mirrored(right: Polygon) -> Polygon:
    return np.concatenate([right, right[::-1] * [-1.0, 1.0]])


def diamond(style: SuitStyle) -> list[Polygon]:
    w, k = 0.44, style.waist
    up = _cubic((0, -0.5), (w / 3 - k, -0.33 + k), (2 * w / 3 - k, -0.17 + k), (w, 0))
    return [_mirrored(np.concatenate([up, up[::-1] * [1.0, -1.0]]))]


def heart(style: SuitStyle) -> list[Polygon]:
    if style.ball:
        return _balls(style, tip=0.5)
    top = -0.5 + style.cleft
    lobe = _cubic((0, top), (0.06, -0.52), (0.5, -0.62), (0.5, -0.18))
    side = _cubic((0.5, -0.18), (0.5, 0.08 + style.belly), (0.16, 0.2 + style.belly / 2), (0, 0.5))
    return [_mirrored(np.concatenate([lobe, side]))]


def _balls(style: SuitStyle, tip: float) -> list[Polygon]:
    """Two balls side by side above (tip downwards) or below (tip upwards) and what joins them."""
    r, way = style.ball, 1.0 if tip > 0 else -1.0
    turn = np.linspace(0, 2 * np.pi, 40)
    circle = r * np.column_stack([np.cos(turn), np.sin(turn)])
    apart, y = 0.47 - r, way * (r - 0.5)
    balls = [circle + np.array([side * apart, y]) for side in (-1.0, 1.0)]
    wing = 0.47 - 0.12 * r
    sides = [(0.0, tip), (wing, y + way * 0.42 * r), (0.0, y - way * 0.3 * r)]
    body = np.array([*sides, (-wing, y + way * 0.42 * r)])
    return [*balls, body]


def _stem(style: SuitStyle, top: float) -> Polygon:
    edge = _cubic((0.03, top), (0.04, 0.3), (0.08, 0.42), (style.foot, 0.5))
    return _mirrored(edge)


def spade(style: SuitStyle) -> list[Polygon]:
    if style.ball:
        leaves = [
            part * np.array([1.0, 0.84]) + np.array([0.0, -0.08]) for part in _balls(style, -0.5)
        ]
        return [*leaves, _stem(style, 0.0)]
    leaf = heart(style)[0] * np.array([1.0, -0.84]) + np.array([0.0, -0.08])
    return [leaf, _stem(style, 0.0)]


def club(style: SuitStyle) -> list[Polygon]:
    turn = np.linspace(0, 2 * np.pi, 40)
    circle = style.leaf * np.column_stack([np.cos(turn), np.sin(turn)])
    spread = 0.48 - style.leaf
    middles = np.array([(0.0, -0.5 + style.leaf), (-spread, 0.06), (spread, 0.06)])
    leaves = [circle + middle for middle in middles]
    hub = 0.55 * circle + np.array([0.0, -0.04])
    return [*leaves, hub, _stem(style, 0.0)]


def star(points: int) -> list[Polygon]:
    """No suit of ours: what cards of other games carry."""
    turn = np.arange(2 * points) * np.pi / points - np.pi / 2
    far = np.where(np.arange(2 * points) % 2, 0.22, 0.5)[:, None]
    return [far * np.column_stack([np.cos(turn), np.sin(turn)])]


def bell() -> list[Polygon]:
    """As on German cards."""
    right = _cubic((0, -0.5), (0.35, -0.5), (0.25, 0.1), (0.45, 0.3))
    return [_mirrored(np.concatenate([right, np.array([[0.1, 0.3], [0.1, 0.5]])]))]


def cup() -> list[Polygon]:
    """As on Spanish cards."""
    right = np.array([[0.45, -0.5], [0.4, -0.1], [0.08, 0.05], [0.08, 0.35], [0.3, 0.5]])
    return [_mirrored(right)]


SHAPES = {"s": spade, "h": heart, "d": diamond, "c": club}


def paint(
    image: NDArray[np.uint8],
    polygons: list[Polygon],
    x: float,
    y: float,
    height: float,
    slim: float,
    colour: tuple[int, int, int],
    upside_down: bool = False,
) -> None:
    """A shape onto an image, its middle at x, y pixels."""
    size = np.array([height * slim, -height if upside_down else height])
    for polygon in polygons:
        at = np.round((polygon * size + [x, y]) * 16).astype(np.int32)
        cv2.fillPoly(image, [at], colour, cv2.LINE_AA, 4)
