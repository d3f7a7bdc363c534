"""The vault: tokens, integrity codes, sealed and public identities, and silence about the rest."""

from __future__ import annotations

import itertools
import traceback

import pytest
from nacl.public import PrivateKey, SealedBox

from controller.model.events import TagFault, Token
from controller.vault import Vault, unsealed
from drivers.readings import Face, Uid

ACE = Uid(bytes.fromhex("04A1B2C3D4E580"))
KING = Uid(bytes.fromhex("04A1B2C3D4E581"))
OTHER_ACE = Uid(bytes.fromhex("04A1B2C3D4E582"))
JOKER = Uid(bytes.fromhex("04A1B2C3D4E583"))
BLUE = Uid(bytes.fromhex("04A1B2C3D4E584"))
STRANGER = Uid(bytes.fromhex("04FFFFFFFFFF01"))
DECKS = {
    ACE: ("red", "As"),
    KING: ("red", "Ks"),
    OTHER_ACE: ("red", "As"),
    JOKER: ("red", "joker2"),
    BLUE: ("blue", "As"),
} | {Uid(bytes([4, n, 9, 9, 9, 9, n])): ("red", f"{n}h") for n in range(2, 8)}
PLAIN = [uid for uid, (_, face) in DECKS.items() if face.endswith("h")]


def counted(**given: object) -> Vault:
    return Vault(DECKS, source=itertools.count(1).__next__, **given)  # type: ignore[arg-type]


def test_a_token_holds_for_a_hand() -> None:
    vault = counted()
    first = vault.token(ACE)
    assert vault.token(ACE) == first != vault.token(KING)
    vault.renew()
    assert vault.token(ACE) not in (first, vault.token(KING))


def test_a_forgotten_card_gets_another_token_and_is_hidden_again() -> None:
    vault = counted()
    old, other = vault.token(ACE), vault.token(KING)
    vault.make_public(old)
    vault.forget(ACE)
    vault.forget(STRANGER)
    assert vault.token(ACE) not in (old, other)
    assert vault.public(old) is None
    assert vault.public(vault.token(ACE)) is None
    assert vault.token(KING) == other


def test_tokens_do_not_depend_on_the_card() -> None:
    one, other = counted(), counted()
    assert [one.token(u) for u in (ACE, KING)] == [other.token(u) for u in (BLUE, JOKER)]


def test_random_tokens_differ_from_run_to_run_and_fit_into_json() -> None:
    tokens = {Vault().token(ACE) for _ in range(50)}
    assert len(tokens) == 50
    assert all(0 <= t < 2**53 for t in tokens)


def test_a_source_that_repeats_itself_gives_no_token_twice() -> None:
    vault = Vault(source=iter([5, 5, 5, 6]).__next__)
    assert (vault.token(ACE), vault.token(KING)) == (5, 6)


def test_faults_of_a_tag_by_itself() -> None:
    vault = counted(lock="red")
    assert vault.fault(ACE) is None
    assert vault.fault(STRANGER) is TagFault.FOREIGN
    assert vault.fault(JOKER) is TagFault.JOKER
    assert vault.fault(BLUE) is TagFault.OTHER_DECK


def test_without_any_deck_every_tag_is_accepted() -> None:
    vault = Vault()
    assert vault.fault(STRANGER) is None
    assert vault.came(STRANGER) == []


def test_the_deck_in_play_shows_once_three_of_its_cards_have_come() -> None:
    vault = counted()
    assert vault.came(BLUE) == []
    assert vault.came(PLAIN[0]) == []
    assert vault.came(PLAIN[1]) == []
    assert vault.came(PLAIN[2]) == [(BLUE, TagFault.OTHER_DECK)]
    assert vault.came(PLAIN[3]) == []
    vault.renew()
    assert vault.fault(BLUE) is None


def test_two_tags_with_one_face_are_duplicates() -> None:
    vault = counted(lock="red")
    assert vault.came(ACE) == []
    assert vault.came(KING) == []
    assert vault.came(OTHER_ACE) == [(OTHER_ACE, TagFault.DUPLICATE)]
    assert vault.came(OTHER_ACE) == []


def test_a_deck_that_is_not_enrolled_cannot_be_in_play() -> None:
    with pytest.raises(ValueError, match="green"):
        counted(lock="green")


def test_a_card_is_public_only_once_the_rules_say_so() -> None:
    vault = counted()
    token, hidden = vault.token(ACE), vault.token(KING)
    assert vault.public(token) is None
    vault.make_public(token, Token(999))
    card = vault.public(token)
    assert card is not None
    assert (card.deck, card.face) == ("red", "As")
    assert vault.public(hidden) is None
    assert vault.public(Token(999)) is None
    vault.renew()
    assert vault.public(token) is None


def test_only_the_private_key_opens_a_sealed_identity() -> None:
    key = PrivateKey.generate()
    vault = counted(public_key=bytes(key.public_key))
    sealed = vault.sealed(vault.token(ACE))
    assert sealed is not None
    assert bytes(ACE) not in sealed
    assert unsealed(SealedBox(key).decrypt(sealed)) == (bytes(ACE), "red", "As")


def test_sealed_identities_are_all_of_one_length() -> None:
    vault = counted(public_key=bytes(PrivateKey.generate().public_key))
    odd = Uid(b"\x01\x02\x03\x04")
    sealed = [vault.sealed(vault.token(u)) for u in (ACE, JOKER, STRANGER, odd)]
    assert len({len(s) for s in sealed if s is not None}) == 1


def test_nothing_is_sealed_without_a_key_or_for_a_token_of_another_hand() -> None:
    assert counted().sealed(Token(1)) is None
    vault = counted(public_key=bytes(PrivateKey.generate().public_key))
    token = vault.token(ACE)
    vault.renew()
    assert vault.sealed(token) is None


@pytest.mark.parametrize("clear", [b"", b"\xff" * 128, bytes(127)])
def test_what_no_vault_made_is_refused(clear: bytes) -> None:
    with pytest.raises(ValueError, match="sealed identity"):
        unsealed(clear)


def test_nothing_prints_an_identity() -> None:
    vault = counted()
    token = vault.token(ACE)
    vault.make_public(token)
    shown = f"{vault} {vault!r} {vault.public(token)!r} {vault.public(token)} {ACE!r}"
    try:
        Vault({ACE: ("red",)})  # type: ignore[dict-item]
    except TypeError:
        shown += traceback.format_exc()
    for secret in ("As", "04a1b2", "04A1B2", "xa1"):
        assert secret not in shown


# --- cards that only a camera sees ----------------------------------------------------------------


def test_a_drawn_card_is_a_card_of_its_own_and_no_stranger() -> None:
    vault = counted()
    one, other = vault.draw(), vault.draw()
    assert one != other
    assert vault.knows(one)
    assert vault.fault(one) is None
    assert vault.came(one) == []
    assert one not in vault.settled_in_hand
    assert vault.token(one) != vault.token(other)


def test_a_seen_face_is_public_only_when_the_rules_say_so_and_for_a_hand() -> None:
    vault = Vault(source=itertools.count(1).__next__)
    card = vault.draw()
    token = vault.token(card)
    vault.saw(card, Face("Kd"))
    assert vault.public(token) is None
    assert "Kd" not in repr(vault)
    vault.make_public(token)
    shown = vault.public(token)
    assert shown is not None
    assert shown.face == "Kd"
    vault.renew()
    again = vault.token(card)
    vault.make_public(again)
    assert vault.public(again) is None


def test_a_seen_face_is_sealed_like_a_tag() -> None:
    key = PrivateKey.generate()
    vault = counted(public_key=bytes(key.public_key))
    card = vault.draw()
    vault.saw(card, Face("Kd"))
    blob, tagged = vault.sealed(vault.token(card)), vault.sealed(vault.token(ACE))
    assert blob is not None
    assert tagged is not None
    assert len(blob) == len(tagged)
    uid, _, face = unsealed(SealedBox(key).decrypt(blob))
    assert (uid, face) == (bytes(card), "Kd")


def test_what_a_camera_reads_of_a_tagged_card_changes_nothing_but_can_be_compared() -> None:
    vault = counted(lock="red")
    vault.saw(ACE, Face("Kd"))
    token = vault.token(ACE)
    vault.make_public(token)
    shown = vault.public(token)
    assert shown is not None
    assert shown.face == "As"
    assert vault.has(token, Face("As"))
    assert not vault.has(token, Face("Kd"))
    assert vault.has(vault.token(JOKER), Face("joker"))
    assert vault.any_has([ACE, KING], Face("Ks"))
    assert not vault.any_has([ACE, KING], Face("2h"))
    assert vault.any_has([ACE, STRANGER], Face("2h"))  # nobody knows what that one is
    assert vault.known_face(Face("2h"))
    assert not vault.known_face(Face("Qc"))
