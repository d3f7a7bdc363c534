"""The network that names patches, run by OpenCV: ranks and suits apart, each with "none"."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.model.cards import RANKS, SUITS

Floats = NDArray[np.float32]

RANK_COUNT: Final = len(RANKS) + 1
SUIT_COUNT: Final = len(SUITS) + 1
FEATURES: Final = 96
WEIGHTS: Final = "glyphs.onnx"
SIEVE: Final = "sieve.onnx"
SIEVE_STEP: Final = 2
"""The sieve sees every second row and column of a patch, and only how dark they are."""

SIEVE_LINE: Final = 0.05
"""What the sieve finds less likely is not looked at (the recipe says what that costs)."""

_BATCH = 8
_SIEVE_BATCH = 32
"""Always so many at once, filled up with nothing: OpenCV plans anew for every other number."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Named:
    """What the network says of n patches; prints without the cards. rank (n, 14) and suit (n, 5):
    probabilities, the last column that it is none. features (n, 96): what it saw, for decks that
    were learned."""

    rank: Floats
    suit: Floats
    features: Floats

    def __repr__(self) -> str:
        return f"<{len(self.rank)} patches named>"


def normal(patches: NDArray[np.uint8]) -> Floats:
    """(n, 60, 32, 3) bytes to (n, 3, 60, 32): each channel of each patch against its own light
    ground, so that darkness and the colour of the light do not matter."""
    few = patches[:, ::4, ::2].reshape(len(patches), -1, 3)
    nth = int(0.9 * few.shape[1])
    white = np.partition(few, nth, axis=1)[:, nth].astype(np.float32)
    scaled = patches * (1.0 / np.maximum(white, 20.0))[:, None, None, :]
    out = np.minimum(scaled, 1.3) - 0.7
    return np.ascontiguousarray(out.transpose(0, 3, 1, 2), np.float32)


def normal_ink(patches: NDArray[np.uint8]) -> Floats:
    """(n, 30, 16) bytes to (n, 1, 30, 16), likewise."""
    few = patches.reshape(len(patches), -1)[:, ::2]
    nth = int(0.9 * few.shape[1])
    white = np.partition(few, nth, axis=1)[:, nth].astype(np.float32)
    scaled = patches * (1.0 / np.maximum(white, 20.0))[:, None, None]
    return np.minimum(scaled, 1.3)[:, None].astype(np.float32) - np.float32(0.7)


class GlyphNet:
    """Names patches, for one thread at a time, whatever other networks there are: OpenCV's fail
    when two run at once. `load` takes the weights that come with the package."""

    def __init__(self, onnx: bytes, sieve: bytes) -> None:
        """Raises ValueError where these are no weights for it."""
        try:
            self._net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
            self._sieve = cv2.dnn.readNetFromONNX(np.frombuffer(sieve, np.uint8))
            self._forward(np.zeros((_BATCH, 3, 60, 32), np.float32))
            self.sift(np.zeros((1, 30, 16), np.uint8))
        except cv2.error as error:
            raise ValueError("the network's weights cannot be read; reinstall burnturn") from error

    @classmethod
    def load(cls) -> GlyphNet:
        """The network as shipped."""
        data = resources.files("controller.vision") / "data"
        return cls((data / WEIGHTS).read_bytes(), (data / SIEVE).read_bytes())

    def sift(self, ink: NDArray[np.uint8]) -> Floats:
        """(n,): how likely each of some patches (n, 30, 16) of the darkest channel is an index at
        all, 0 to 1. Some thirty times quicker than naming it."""
        out = np.zeros(len(ink), np.float32)
        for begin in range(0, len(ink), _SIEVE_BATCH):
            some = normal_ink(ink[begin : begin + _SIEVE_BATCH])
            full = np.zeros((_SIEVE_BATCH, 1, 30, 16), np.float32)
            full[: len(some)] = some
            self._sieve.setInput(full)
            said = np.asarray(self._sieve.forward(), np.float32).reshape(-1)
            out[begin : begin + len(some)] = said[: len(some)]
        return out

    def name(self, patches: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """Rank probabilities (n, 14) and suit probabilities (n, 5) of patches (n, 60, 32, 3)."""
        named = self.look(patches)
        return named.rank, named.suit

    def look(self, patches: NDArray[np.uint8]) -> Named:
        """The same with features."""
        parts = []
        for begin in range(0, len(patches), _BATCH):
            some = normal(patches[begin : begin + _BATCH])
            full = np.zeros((_BATCH, 3, 60, 32), np.float32)
            full[: len(some)] = some
            parts.append([out[: len(some)] for out in self._forward(full)])
        if not parts:
            empty = [np.zeros((0, n), np.float32) for n in (RANK_COUNT, SUIT_COUNT, FEATURES)]
            return Named(*empty)
        return Named(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _forward(self, patches: Floats) -> list[Floats]:
        self._net.setInput(patches, "patch")
        said = self._net.forward(("rank", "suit", "features"))
        return [np.array(out, np.float32) for out in said]
