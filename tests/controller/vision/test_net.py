"""The network as shipped: its files are those of the recipe, and it names patches whatever their
number."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

import numpy as np
import pytest

from controller.vision.net import GlyphNet
from controller.vision.training import decks
from tests.controller.vision.indices_drawn import index_patches

DATA = resources.files("controller.vision") / "data"


def test_the_weights_are_those_of_the_recipe_and_small() -> None:
    recipe = json.loads((DATA / "recipe.json").read_text(encoding="utf-8"))
    for name, digest in recipe["sha256"].items():
        assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest, name
    assert sum(len((DATA / name).read_bytes()) for name in recipe["sha256"]) <= 1_000_000


def test_it_names_indices_and_says_how_likely_that_is() -> None:
    patches, faces = index_patches(["As", "Td", "7c", "Kh", "2s", "9h", "Qd", "Jc"])
    rank, suit = GlyphNet.load().name(patches)
    assert rank.shape == (8, 14)
    assert suit.shape == (8, 5)
    np.testing.assert_allclose(rank.sum(1), 1, atol=1e-4)
    np.testing.assert_allclose(suit.sum(1), 1, atol=1e-4)
    named = [
        "A23456789TJQK-"[r] + "shdc-"[s]
        for r, s in zip(rank.argmax(1), suit.argmax(1), strict=True)
    ]
    assert named == faces


@pytest.mark.parametrize("many", [0, 1, 63, 64, 65, 130])
def test_what_it_says_of_a_patch_does_not_depend_on_the_others(many: int) -> None:
    net = GlyphNet.load()
    patches = np.random.default_rng(many).integers(0, 256, (many, 60, 32, 3), np.uint8)
    named = net.look(patches)
    assert named.features.shape == (many, 96)
    for n in {0, many - 1} if many else ():
        alone = net.look(patches[n : n + 1])
        np.testing.assert_allclose(alone.rank[0], named.rank[n], atol=1e-5)
    sifted = net.sift(patches[:, ::2, ::2].min(3))
    assert sifted.shape == (many,)


def test_the_sieve_keeps_indices_and_holds_plain_card() -> None:
    net = GlyphNet.load()
    patches, _ = index_patches(["As", "Td", "7c", "Kh"])
    kept = net.sift(patches[:, ::2, ::2].min(3))
    plain = net.sift(np.full((4, 30, 16), 230, np.uint8))
    assert kept.min() > 0.5 > plain.max()


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        GlyphNet(b"no network", b"nor this")


def test_a_deck_of_every_font_it_is_tested_with_has_all_characters() -> None:
    from controller.vision.training import art

    assert sum(decks.usable(font) for font in art.unseen_fonts()) >= 6


def test_what_it_says_prints_no_card() -> None:
    patches, _ = index_patches(["As"])
    assert repr(GlyphNet.load().look(patches)) == "<1 patches named>"
