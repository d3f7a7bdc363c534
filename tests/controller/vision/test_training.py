"""What the network is trained with: the same for the same seed, and labelled with the truth."""

from __future__ import annotations

import numpy as np
import pytest

from controller.model.cards import RANKS, SUITS
from controller.vision import glyphs
from controller.vision.training import decks
from controller.vision.training.art import ArtError, printed_index
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
    picture = shown(7)
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


def use(symbol: str, height: float, x: float, y: float) -> str:
    return f'<use xlink:href="#{symbol}" height="{height}" x="{x}" y="{y}"></use>'


def test_a_drawn_aces_suit_is_the_one_below_its_letter_and_not_its_pip() -> None:
    pip, letter, small = (
        use("SCA", 70, -35, -35),
        use("VCA", 32, -114.4, -156),
        use("SCA", 26.8, -111.8, -119),
    )
    rank, suit = printed_index(pip + letter + small, "AC.svg")
    assert rank == pytest.approx((-98.4, -140.0, 16.0))
    assert suit == pytest.approx((-98.4, -105.6, 13.4))
    with pytest.raises(ArtError, match="AC"):
        printed_index(pip + letter, "AC.svg")


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
