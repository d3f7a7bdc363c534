"""What light, lens and file format do to a picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def photographed(image: Pixels, rng: np.random.Generator, harsh: float = 1.0) -> Pixels:
    """An image as some camera in some light would have it. harsh: how bad that may get, 0 to 1."""
    lit = _lit(image.astype(np.float32), rng, harsh)
    lit = _blurred(lit, rng, harsh)
    grain = rng.uniform(0, 9) * harsh
    lit += rng.standard_normal(lit.shape, np.float32) * np.float32(grain)
    bent = 255 * (np.clip(lit, 0, 255) / 255) ** np.float32(rng.uniform(0.75, 1.4))
    out = np.clip(bent, 0, 255).astype(np.uint8)
    return _filed(out, rng)


def _lit(image: NDArray[np.float32], rng: np.random.Generator, harsh: float) -> NDArray[np.float32]:
    """Gradient, cast, shadow's edge, glare."""
    h, w = image.shape[:2]
    x = np.linspace(-1, 1, w, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, h, dtype=np.float32)[:, None]
    slope = 0.35 * harsh
    light = (
        1 + np.float32(rng.uniform(-slope, slope)) * x + np.float32(rng.uniform(-slope, slope)) * y
    )
    light = light * np.float32(rng.uniform(1 - 0.7 * harsh, 1.12))
    if rng.random() < 0.3:
        turn, at = rng.uniform(0, 2 * np.pi), rng.uniform(-0.7, 0.7)
        edge = np.float32(np.cos(turn)) * x + np.float32(np.sin(turn)) * y - np.float32(at)
        soft = np.clip(edge / np.float32(rng.uniform(0.02, 0.3)), 0, 1)
        light = light * (1 - soft * np.float32(rng.uniform(0.2, 0.6) * harsh))
    cast = 1 + rng.uniform(-0.13, 0.13, 3).astype(np.float32) * np.float32(harsh)
    out = image * light[:, :, None] * cast
    if rng.random() < 0.35 * harsh:
        out += _glare(h, w, rng)[:, :, None] * np.float32(rng.uniform(30, 170))
    out += np.float32(rng.uniform(0, 22) * harsh)
    lit: NDArray[np.float32] = out.astype(np.float32, copy=False)
    return lit


def _glare(h: int, w: int, rng: np.random.Generator) -> NDArray[np.float32]:
    small = np.zeros((h // 4, w // 4), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        at = (int(rng.integers(0, w // 4)), int(rng.integers(0, h // 4)))
        axes = (int(rng.integers(w // 40, w // 9)), int(rng.integers(h // 40, h // 9)))
        cv2.ellipse(small, at, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(3, 12)))
    return cv2.resize(soft, (w, h)).astype(np.float32)


def _blurred(
    image: cv2.typing.MatLike, rng: np.random.Generator, harsh: float
) -> NDArray[np.float32]:
    """Softness of the lens; now and then out of focus, moved, or made of fewer pixels."""
    h, w = image.shape[:2]
    kind = rng.random()
    if kind < 0.25 * harsh:
        fewer = float(rng.uniform(1.3, 2.8))
        small = cv2.resize(
            image, (round(w / fewer), round(h / fewer)), interpolation=cv2.INTER_AREA
        )
        how = cv2.INTER_CUBIC if rng.random() < 0.6 else cv2.INTER_LINEAR
        image = cv2.resize(small, (w, h), interpolation=how)
    elif kind < 0.37 * harsh:
        image = cv2.filter2D(image, -1, _disc(float(rng.uniform(1.0, 3.2))))
    elif kind < 0.49 * harsh:
        image = cv2.filter2D(image, -1, _stroke(float(rng.uniform(2, 7)), rng.uniform(0, np.pi)))
    if rng.random() < 0.75:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 1.5)))
    if rng.random() < 0.3:  # a camera's own sharpening
        soft = cv2.GaussianBlur(image, (0, 0), 1.5)
        image = image + (image - soft) * np.float32(rng.uniform(0.3, 1.3))
    return image.astype(np.float32, copy=False)


def _disc(radius: float) -> NDArray[np.float32]:
    n = int(np.ceil(radius))
    y, x = np.mgrid[-n : n + 1, -n : n + 1]
    disc = np.clip(radius + 0.5 - np.hypot(x, y), 0, 1).astype(np.float32)
    out: NDArray[np.float32] = (disc / disc.sum()).astype(np.float32)
    return out


def _stroke(length: float, turn: float) -> NDArray[np.float32]:
    n = int(np.ceil(length))
    kernel = np.zeros((2 * n + 1, 2 * n + 1), np.float32)
    for at in np.linspace(-length / 2, length / 2, 8 * n):
        kernel[round(n + at * np.sin(turn)), round(n + at * np.cos(turn))] += 1
    out: NDArray[np.float32] = (kernel / kernel.sum()).astype(np.float32)
    return out


def _filed(image: Pixels, rng: np.random.Generator) -> Pixels:
    if rng.random() < 0.55:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 96))]
        back = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
        if back is not None:
            return back.astype(np.uint8, copy=False)
    return image


@dataclass(frozen=True, slots=True)
class Ground:
    """Colours of what cards lie on."""

    def draw(self, h: int, w: int, rng: np.random.Generator) -> Pixels:
        """Felt, wood, cloth, paper, or a made-up pattern."""
        felt = rng.random() < 0.4
        if felt:
            colour = np.array([(50, 110, 30), (120, 50, 20), (30, 25, 120), (35, 35, 35)])[
                int(rng.integers(4))
            ] * rng.uniform(0.6, 1.4)
        else:
            colour = rng.integers(0, 256, 3).astype(np.float64)
        out = np.full((h, w, 3), colour, np.float32)
        for coarse in (3, 12, 50):
            shape = (max(2, h // coarse), max(2, w // coarse), 3 if rng.random() < 0.4 else 1)
            noise = rng.normal(0, rng.uniform(1, 16), shape).astype(np.float32)
            wide = cv2.resize(noise, (w, h))
            out += wide if wide.ndim == 3 else wide[:, :, None]
        if rng.random() < 0.25:
            step = int(rng.integers(8, 60))
            out[::step] *= rng.uniform(0.4, 1.3)
            out[1::step] *= rng.uniform(0.4, 1.3)
        if rng.random() < 0.2:
            _pattern(out, rng)
        return np.clip(out, 0, 255).astype(np.uint8)


def _pattern(out: NDArray[np.float32], rng: np.random.Generator) -> None:
    h, w = out.shape[:2]
    ink = tuple(float(v) for v in rng.integers(0, 256, 3))
    for _ in range(int(rng.integers(10, 60))):
        at = rng.uniform([0, 0], [w, h])
        polygon = np.round(at + rng.normal(0, rng.uniform(6, 60), (5, 2))).astype(np.int32)
        cv2.fillPoly(out, [polygon], ink, cv2.LINE_AA)
