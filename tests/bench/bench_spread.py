"""Counts by camera of drawn decks that were never trained with: right, wrong and unsettled results,
and how long a look at a still takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.integrity.count import CountResult
from controller.integrity.spread_count import SpreadCount
from controller.vision.backs import BackPattern
from controller.vision.net import GlyphNet
from controller.vision.spread_reader import SpreadReader
from controller.vision.training import art, decks
from tests.controller.vision.drawn import (
    ART_PX_MM,
    Shot,
    back,
    deck,
    face,
    photograph,
    ribbon,
)

Image = NDArray[np.uint8]

KINDS = ("whole", "one missing", "one doubled", "a joker", "a foreign back")
SPREADS = 5  # so often a dealer spreads the deck before somebody looks through it by hand


class Case:
    """One deck with its fault, and the truth about it."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind = kind
        self._rng = np.random.default_rng((seed, KINDS.index(kind)))
        self._fonts = art.unseen_fonts()
        self._design = decks.design(self._rng, [self._fonts[seed % len(self._fonts)]])
        order = deck(seed)
        self.out, self.twice = order[3], order[9]

    def stills(self, megapixels: float) -> Iterator[Image]:
        for _ in range(SPREADS):
            shown = self._shown()
            laid, w, h = ribbon(
                shown,
                seed=int(self._rng.integers(1 << 30)),
                step_mm=float(self._rng.uniform(14, 18)),
                uneven=float(self._rng.uniform(0.05, 0.25)),
            )
            shot = Shot(
                px_per_mm=(megapixels * 1e6 / (w * h)) ** 0.5,
                light=float(self._rng.uniform(0.5, 0.95)),
                blur_px=float(self._rng.uniform(0.4, 1.0)),
                noise=float(self._rng.uniform(1, 4)),
                slope=float(self._rng.uniform(0, 0.3)),
                slant=float(self._rng.uniform(0, 0.03)),
                seed=int(self._rng.integers(1 << 30)),
            )
            yield photograph(laid, w, h, shot)

    def _shown(self) -> list[Image]:
        seed = int(self._rng.integers(1 << 30))
        out = [] if self.kind in ("whole", "a joker") else [self.out]
        extra = [self.twice] if self.kind == "one doubled" else []
        shown = [self._face(code) for code in deck(seed, out, extra)]
        place = int(self._rng.integers(len(shown)))
        if self.kind == "a joker":
            shown.insert(place, face("joker"))
        elif self.kind == "a foreign back":
            shown.insert(place, back((30, 30, 160)))
        return shown

    def _face(self, code: str) -> Image:
        return np.ascontiguousarray(decks.draw(self._design, code[0], code[1]).face[..., :3])

    def right(self, found: CountResult) -> bool:
        if self.kind == "whole":
            return found.complete
        if self.kind == "a joker":
            return not found.missing and found.jokers == 1 and found.surplus == 1
        doubled = (self.twice,) if self.kind == "one doubled" else ()
        return found.missing == (self.out,) and found.duplicates == doubled


def run(quick: bool = False) -> list[str]:
    seeds, megapixels = (1, 7.0) if quick else (5, 12.0)
    said: list[str] = []
    cv2.setNumThreads(1)
    reader = SpreadReader(GlyphNet.load(), BackPattern.learnt([back()], ART_PX_MM))
    took: list[float] = []
    for kind in KINDS:
        ended: Counter[str] = Counter()
        spreads: list[int] = []
        for seed in range(seeds):
            case, count = Case(kind, seed), SpreadCount("bench").start(0.0)
            for image in case.stills(megapixels):
                began = time.process_time()
                seen = reader.look(image)
                took.append(time.process_time() - began)
                count = count.seen(seen, 0.0)
                if count.result is not None:
                    break
            spreads.append(count.stills)
            if count.result is None:
                ended[f"asks ({count.board_text})"] += 1
            else:
                ended["right" if case.right(count.result) else "WRONG"] += 1
        said.append(f"{kind}: {dict(ended)}, {np.mean(spreads):.1f} spreads each")
    return [
        *said,
        f"processor time of a look at {megapixels:g} megapixels, one thread:"
        f" median {np.median(took):.2f} s",
    ]
