"""The deck's cards and their names."""

from __future__ import annotations

import pytest

from controller.model.cards import FACES, face_name, is_joker


def test_a_deck_has_every_card_once_in_the_order_of_registration() -> None:
    assert len(set(FACES)) == len(FACES) == 52
    assert FACES[:2] == ("As", "2s")
    assert (FACES[12], FACES[13], FACES[-1]) == ("Ks", "Ah", "Kc")


@pytest.mark.parametrize(
    ("face", "name"),
    [
        ("As", "ace of spades"),
        ("Td", "ten of diamonds"),
        ("7c", "seven of clubs"),
        ("Joker2", "joker"),
    ],
)
def test_every_card_has_a_name_to_say(face: str, name: str) -> None:
    assert face_name(face) == name
    assert is_joker(face) == (name == "joker")


def test_what_is_no_card_is_refused_with_the_spelling() -> None:
    with pytest.raises(ValueError, match=r"1s.*As, Td"):
        face_name("1s")
