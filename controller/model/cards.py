"""The cards of a standard deck, as written in files and said to people: "As", "Td", "joker1"."""

from __future__ import annotations

from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
"""Spades, hearts, diamonds, clubs: the order in which a deck is registered."""

FACES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Every card of the deck once, ace to king in each suit: the order in which it is registered."""

JOKER_FACE: Final = "joker"
"""A joker's face; "joker1" and "joker2" where a deck tells them apart."""

_RANK_WORDS = "ace two three four five six seven eight nine ten jack queen king"
_RANK_NAMES = dict(zip(RANKS, _RANK_WORDS.split(), strict=True))
_SUIT_NAMES = dict(zip(SUITS, ("spades", "hearts", "diamonds", "clubs"), strict=True))


def is_joker(face: str) -> bool:
    return face.casefold().startswith(JOKER_FACE)


def face_name(face: str) -> str:
    """How a person says it: "ace of spades". Raises ValueError for what is no card."""
    if is_joker(face):
        return "joker"
    if face not in FACES:
        raise ValueError(f"{face!r} is no card; write it like As, Td, 7c, or joker")
    return f"{_RANK_NAMES[face[0]]} of {_SUIT_NAMES[face[1]]}"
