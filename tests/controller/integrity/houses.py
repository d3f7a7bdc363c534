"""Decks for the tests of the registry: whole ones with tags of their own."""

from __future__ import annotations

import random

from controller.integrity.decks import Deck, DeckStatus, DeckTag
from controller.model.cards import FACES
from drivers.readings import Uid


def deck(name: str, back: str = "red", *, jokers: int = 2, status: str = "ready") -> Deck:
    """A whole deck whose tags depend on its name alone."""
    draw = random.Random(f"deck {name}")
    faces = (*FACES, *(f"joker{n + 1}" for n in range(jokers)))
    tags = tuple(DeckTag(Uid(b"\xe0\x04" + draw.randbytes(6)), face, 19, 20) for face in faces)
    return Deck(name, back, tags, DeckStatus(status), None, "2026-11-30T20:00:00+00:00")
