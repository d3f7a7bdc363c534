"""What the network is trained with: the same for the same seed, and labelled with the truth."""

from __future__ import annotations

import numpy as np

from controller.model.cards import RANKS, SUITS
from controller.vision import glyphs
from controller.vision.training import decks
from controller.vision.training.samples import NO_RANK, cut, drawn, joined, labels
from controller.vision.training.scenes import Scene, scene
from tests.controller.vision.indices_drawn import font


def shown(seed: int, layout: str = "apart", foreign: bool = False) -> Scene:
    rng = np.random.default_rng(seed)
    deck = decks.design(rng, [font()], foreign)
    return scene(drawn(deck), rng, 480, layout, harsh=0.2, clutter=False)


def test_a_seed_makes_the_same_patches_every_time() -> None:
    one, two = (cut(shown(5), np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(one.patches, two.patches)
    np.testing.assert_array_equal(one.ranks, two.ranks)


def test_a_pair_has_the_card_on_which_it_stands() -> None:
    picture = shown(5)
    rank, suit = glyphs.pairs(glyphs.shapes(picture.image))
    ranks, suits, which = labels(picture, rank, suit)
    whole = [n for n, index in enumerate(picture.indices) if index.shown == 1.0]
    assert len(whole) >= 4
    assert set(np.unique(which[which >= 0])) <= set(whole)
    for n in np.flatnonzero(which >= 0):
        index = picture.indices[which[n]]
        assert index.code == RANKS[ranks[n]] + SUITS[suits[n]]
        assert np.hypot(*(suit[n] - index.suit_at)) < 8
    found = len(np.unique(which[which >= 0]))
    assert found >= 0.7 * len(whole)


def test_right_and_wrong_pairs_are_both_there() -> None:
    parts = [cut(shown(seed, "spread"), np.random.default_rng(1)) for seed in range(4)]
    given = joined(parts)
    right = given.ranks < NO_RANK
    assert right.sum() >= 8
    assert (~right).sum() >= 8


def test_cards_of_another_game_are_no_cards() -> None:
    for seed in range(6):
        given = cut(shown(seed, foreign=True), np.random.default_rng(1))
        assert not ((given.ranks < NO_RANK) & (given.suits < len(SUITS))).any()


def test_what_lies_under_another_card_is_not_shown() -> None:
    picture = shown(11, "pile")
    assert any(index.shown < 0.5 for index in picture.indices)
