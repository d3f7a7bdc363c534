"""Patches to train with: cut out of scenes by the very code that later cuts them out of pictures,
so that what is wrong looks as it will look at a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.model.cards import RANKS, SUITS
from controller.vision import glyphs
from controller.vision.training import art, decks
from controller.vision.training.decks import Card
from controller.vision.training.scenes import Deal, Scene, from_deck, scene

Floats = NDArray[np.float32]

NO_RANK: Final = len(RANKS)
NO_SUIT: Final = len(SUITS)

_HIT, _NEAR = 0.2, 0.5  # of the way from rank to suit: that index; neither it nor anything else
_WRONG_PER_SCENE = 70
_EACH = 2  # pairs of one index: a few shades of ink show it, and a ten by either digit
_FOREIGN = 0.05
_PRINTED = 0.3


@dataclass(frozen=True, slots=True)
class Samples:
    """patches (n, 60, 32, 3), and for each its rank (13: none) and suit (4: none)."""

    patches: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    suits: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ranks)


def joined(parts: Sequence[Samples]) -> Samples:
    return Samples(
        np.concatenate([p.patches for p in parts]),
        np.concatenate([p.ranks for p in parts]),
        np.concatenate([p.suits for p in parts]),
    )


def labels(
    shown: Scene, rank: Floats, suit: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each pair its rank, its suit (-1 where it is too near an index to be called wrong), and
    which of the scene's indices it is, -1 for none."""
    which = np.full(len(rank), -1, np.int64)
    ranks = np.full(len(rank), NO_RANK, np.int64)
    suits = np.full(len(rank), NO_SUIT, np.int64)
    for number, index in enumerate(shown.indices):
        apart = float(np.hypot(*(index.suit_at - index.rank_at)))
        to_suit = np.hypot(*(suit - index.suit_at).T) / apart
        places = (index.rank_at, *index.characters_at)
        to_rank = np.min([np.hypot(*(rank - at).T) for at in places], axis=0) / apart
        near = (to_rank < _NEAR) & (to_suit < _NEAR)
        hit = (to_rank < _HIT) & (to_suit < _HIT) & (index.shown == 1.0)
        ranks[near], suits[near] = -1, -1
        ranks[hit] = RANKS.index(index.rank) if index.rank else NO_RANK
        suits[hit] = SUITS.index(index.suit) if index.suit else NO_SUIT
        which[hit] = number
    return ranks, suits, which


def cut(shown: Scene, rng: np.random.Generator) -> Samples:
    """A scene's right pairs and as many wrong ones, each a little askew."""
    found = glyphs.shapes(shown.image)
    rank, suit = glyphs.pairs(found)
    if not len(rank):
        return _none()
    ranks, suits, which = labels(shown, rank, suit)
    right = [
        rng.permutation(np.flatnonzero(which == n))[:_EACH] for n in np.unique(which[which >= 0])
    ]
    wrong = rng.permutation(np.flatnonzero((which < 0) & (ranks == NO_RANK) & (suits == NO_SUIT)))
    some = wrong[: max(12, min(_WRONG_PER_SCENE, sum(len(part) for part in right)))]
    chosen = np.concatenate([*right, some]).astype(np.intp)
    apart = np.hypot(*(suit[chosen] - rank[chosen]).T)[:, None]
    askew = rng.normal(0, 0.025, (2, len(chosen), 2)) * apart
    at_rank = (rank[chosen] + askew[0]).astype(np.float32)
    at_suit = (suit[chosen] + askew[1]).astype(np.float32)
    patches = glyphs.patches(shown.image, at_rank, at_suit)
    return Samples(patches, ranks[chosen], suits[chosen])


def _none() -> Samples:
    shape = (0, glyphs.PATCH_H, glyphs.PATCH_W, 3)
    return Samples(np.zeros(shape, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))


def any_deal(rng: np.random.Generator, fonts: list[Path], printed: list[dict[str, Card]]) -> Deal:
    """A deck at random: a printed one, one drawn anew, or one of another game."""
    if printed and rng.random() < _PRINTED:
        return from_deck(printed[int(rng.integers(len(printed)))])
    deck = decks.design(rng, fonts, foreign=rng.random() < _FOREIGN)
    return drawn(deck)


def drawn(deck: decks.Design) -> Deal:
    """Deals from a deck of our own."""
    return lambda rng: decks.draw(
        deck, RANKS[int(rng.integers(len(RANKS)))], SUITS[int(rng.integers(len(SUITS)))]
    )


_fonts: list[Path] = []
_printed: list[dict[str, Card]] = []


def _begin(fonts: list[Path], printed: list[dict[str, Card]]) -> None:
    """What every process of the pool has."""
    cv2.setNumThreads(1)
    _fonts[:], _printed[:] = fonts, printed


def _one(seed: tuple[int, int]) -> Samples:
    rng = np.random.default_rng(seed)
    return cut(scene(any_deal(rng, _fonts, _printed), rng), rng)


def samples(seed: int, scenes: int, fetched: Path | None, jobs: int = 2) -> Samples:
    """Patches of so many scenes; the same for the same seed. fetched: the folder of fonts and art;
    None for decks that are never trained with."""
    fonts = art.unseen_fonts() if fetched is None else art.fonts(fetched)
    printed = [] if fetched is None else art.printed_decks(fetched)
    with get_context("fork").Pool(jobs, _begin, (fonts, printed)) as pool:
        parts = pool.map(_one, [(seed, number) for number in range(scenes)], chunksize=8)
    return joined(parts)
