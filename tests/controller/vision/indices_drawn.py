"""Patches of corner indices, of a deck whose font was never trained with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from controller.vision import glyphs
from controller.vision.training import art, decks

Image = NDArray[np.uint8]


def font() -> Path:
    return next(font for font in art.unseen_fonts() if font.name == "DejaVuSerif-Bold.ttf")


def index_patches(faces: Sequence[str], seed: int = 2) -> tuple[Image, list[str]]:
    """(n, 60, 32, 3) and the faces again."""
    deck = decks.design(np.random.default_rng(seed), [font()])
    cut = []
    for face in faces:
        card = decks.draw(deck, face[0], face[1])
        index = card.indices[0]
        rank, suit = (np.array([at], np.float32) for at in (index.rank_at, index.suit_at))
        cut.append(glyphs.patches(card.face, rank, suit))
    return np.concatenate(cut), list(faces)
