"""The only place that knows which card a token stands for.

Tokens are random, new for every hand, and live in memory only. A card's identity leaves the vault
in two ways: sealed to the regulator's public key, or in clear once the rules have made the card
public. Integrity questions are answered as codes (`TagFault`). Nothing in here prints an identity.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from nacl.public import PublicKey, SealedBox

from controller.model.cards import is_joker
from controller.model.events import TagFault, Token
from drivers.readings import Face, Uid

SEALED_CLEAR_BYTES = 128  # every identity is padded to this before it is sealed
_LOCK_AFTER = 3  # settled cards of one deck that name the deck in play when nobody has said it
_DRAWN = b"\xca\xfe"  # no tag's UID begins so: ISO 7816-6 has no maker CA
_TOKEN_BITS = 53  # exact in every JSON reader


@dataclass(frozen=True, slots=True)
class CardFace:
    """A card as printed: its deck and its face ("As", "Td", "joker"). Masked when printed."""

    deck: str
    face: str

    def __repr__(self) -> str:
        return "<card>"

    __str__ = __repr__


def _same(printed: str, seen: str) -> bool:
    """Jokers of a deck are not told apart."""
    return printed == seen or (is_joker(printed) and is_joker(seen))


def random_token() -> int:
    return secrets.randbits(_TOKEN_BITS)


class Vault:
    """Token ↔ UID ↔ card.

    decks: deck name and face by UID, of every enrolled deck; None or empty: no deck is known, every
    UID is accepted. source: where tokens come from (seeded in tests). public_key: 32 bytes, the
    regulator's Curve25519 key; its private half never is on the table. lock: the deck in play;
    without it the first deck of which three cards settled in a hand.

    A card that only a camera sees has no UID: it is `draw`n one, which stands for it as a tag's
    does, and its face, once read, is kept like a tag's identity.
    """

    def __init__(
        self,
        decks: Mapping[Uid, tuple[str, str]] | None = None,
        *,
        source: Callable[[], int] = random_token,
        public_key: bytes | None = None,
        lock: str | None = None,
    ) -> None:
        self._cards = {Uid(uid): CardFace(*card) for uid, card in (decks or {}).items()}
        self.uid_lengths = frozenset(len(uid) for uid in self._cards)
        self._source = source
        self._box = SealedBox(PublicKey(public_key)) if public_key is not None else None
        self._lock: str | None = None
        self._tokens: dict[Uid, Token] = {}
        self._uids: dict[Token, Uid] = {}
        self._public: set[Token] = set()
        self._came: dict[Uid, set[TagFault]] = {}
        self._guess: str | None = None
        self._drawn = 0
        self._seen: dict[Uid, str] = {}  # faces that a camera read of drawn cards, in this hand
        self.lock(lock)

    def __repr__(self) -> str:
        return f"<vault of {len(self._cards)} enrolled tags>"

    @property
    def enrolled(self) -> bool:
        """Whether any deck is known."""
        return bool(self._cards)

    @property
    def registered(self) -> dict[Uid, tuple[str, str]]:
        """Deck and face of every enrolled tag, for a count."""
        return {uid: (card.deck, card.face) for uid, card in self._cards.items()}

    @property
    def deck_of(self) -> dict[Uid, str]:
        """The deck of every enrolled tag."""
        return {uid: card.deck for uid, card in self._cards.items()}

    @property
    def settled_in_hand(self) -> frozenset[Uid]:
        """Enrolled tags that have settled anywhere on the table in this hand."""
        return frozenset(self._came)

    def knows(self, uid: Uid) -> bool:
        """Whether the tag belongs to an enrolled deck, or was drawn for a seen card."""
        return uid in self._cards or uid.startswith(_DRAWN)

    # -- cards that a camera sees ------------------------------------------------------------------

    def draw(self) -> Uid:
        """A name for a card that no antenna reads. It is no tag's and tells nothing."""
        self._drawn += 1
        return Uid(_DRAWN + self._drawn.to_bytes(6))

    def saw(self, uid: Uid, face: Face) -> None:
        """Keep what a camera has read of a drawn card."""
        if uid.startswith(_DRAWN):
            self._seen[uid] = face.code

    def known_face(self, face: Face) -> bool:
        """Whether a card of the decks that are enrolled, or of the one in play, bears that face."""
        playing = self.playing
        return any(
            _same(card.face, face.code) and playing in (None, card.deck)
            for card in self._cards.values()
        )

    def any_has(self, uids: Iterable[Uid], face: Face) -> bool:
        """Whether one of these tags may be on a card with that face: it is, or is not enrolled."""
        return any(
            (card := self._cards.get(uid)) is None or _same(card.face, face.code) for uid in uids
        )

    def has(self, token: Token, face: Face) -> bool:
        """Whether the token's card has that face, by its tag."""
        uid = self._uids.get(token)
        card = self._cards.get(uid) if uid is not None else None
        return card is not None and _same(card.face, face.code)

    def enrol(self, uid: Uid, deck: str, face: str) -> None:
        """Add a tag to an enrolled deck, as when a worn card is replaced by another with a new
        tag."""
        self._cards[Uid(uid)] = CardFace(deck, face)
        self.uid_lengths |= {len(uid)}

    def lock(self, deck: str | None) -> None:
        """Say which deck is in play, or (None) leave it to the cards. Raises ValueError for a deck
        that is not enrolled.
        """
        if deck is not None and deck not in {card.deck for card in self._cards.values()}:
            raise ValueError(
                f"vault, deck {deck!r} is not enrolled; enrol it before it comes into play"
            )
        self._lock = deck
        self._guess = None

    @property
    def playing(self) -> str | None:
        """The deck in play: the one that somebody said, else the first of which three cards have
        settled in this hand; None while nobody can tell.
        """
        return self._lock or self._guess

    def token(self, uid: Uid) -> Token:
        """The tag's token in this hand; drawn at the first call."""
        known = self._tokens.get(uid)
        if known is not None:
            return known
        token = Token(self._source())
        while token in self._uids:
            token = Token(self._source())
        self._tokens[uid] = token
        self._uids[token] = uid
        return token

    def renew(self) -> None:
        """A hand is over: forget every token, what was public and which deck was guessed."""
        self._tokens.clear()
        self._uids.clear()
        self._public.clear()
        self._came.clear()
        self._seen.clear()
        self._guess = None

    def forget(self, uid: Uid) -> None:
        """The card was shuffled into the deck: its next token is another one."""
        token = self._tokens.pop(uid, None)
        if token is not None:
            del self._uids[token]
            self._public.discard(token)

    def fault(self, uid: Uid) -> TagFault | None:
        """What is wrong with a tag by itself: foreign (decks are known and it is in none), joker,
        other deck.
        """
        if not self._cards or uid.startswith(_DRAWN):
            return None
        card = self._cards.get(uid)
        if card is None:
            return TagFault.FOREIGN
        playing = self._lock or self._guess
        if playing is not None and card.deck != playing:
            return TagFault.OTHER_DECK
        if is_joker(card.face):
            return TagFault.JOKER
        return None

    def came(self, uid: Uid) -> list[tuple[Uid, TagFault]]:
        """Note that a tag has settled on the table; returns the faults that are new thereby, each
        once in a hand.

        A tag that settled earlier may become faulty now: of another deck once the deck in play
        shows, or a duplicate (two enrolled tags of one deck with one face).
        """
        if not self._cards or uid in self._came or uid.startswith(_DRAWN):
            return []
        self._came[uid] = set()
        if self._lock is None and self._guess is None:
            self._guess = self._deck_of_most()
            suspects = list(self._came) if self._guess is not None else [uid]
        else:
            suspects = [uid]
        found = [
            (suspect, fault) for suspect in suspects if (fault := self.fault(suspect)) is not None
        ]
        card = self._cards.get(uid)
        if card is not None and any(self._cards.get(o) == card for o in self._came if o != uid):
            found.append((uid, TagFault.DUPLICATE))
        fresh = []
        for suspect, fault in found:
            if fault not in self._came[suspect]:
                self._came[suspect].add(fault)
                fresh.append((suspect, fault))
        return fresh

    def _deck_of_most(self) -> str | None:
        counts: dict[str, int] = {}
        for uid in self._came:
            card = self._cards.get(uid)
            if card is not None:
                counts[card.deck] = counts.get(card.deck, 0) + 1
                if counts[card.deck] >= _LOCK_AFTER:
                    return card.deck
        return None

    def make_public(self, *tokens: Token) -> None:
        """The rules say that everybody may see these cards."""
        self._public.update(token for token in tokens if token in self._uids)

    def public(self, token: Token) -> CardFace | None:
        """The card, if the rules made it public and its deck is enrolled or its face was read; else
        None."""
        if token not in self._public:
            return None
        return self._card(self._uids[token])

    def _card(self, uid: Uid) -> CardFace | None:
        seen = self._seen.get(uid)
        return self._cards.get(uid) if seen is None else CardFace(self.playing or "", seen)

    def sealed(self, token: Token) -> bytes | None:
        """The card's identity, sealed to the regulator's key; always of the same length.

        None without a key, and for a token that is not of this hand.
        """
        uid = self._uids.get(token)
        if self._box is None or uid is None:
            return None
        card = self._card(uid)
        deck, face = (card.deck, card.face) if card is not None else ("", "")
        parts = (bytes(uid), deck.encode()[:64], face.encode()[:16])
        clear = b"".join(bytes((len(part),)) + part for part in parts)
        return self._box.encrypt(clear.ljust(SEALED_CLEAR_BYTES, b"\0"))


def unsealed(clear: bytes) -> tuple[bytes, str, str]:
    """UID, deck and face from what a sealed identity held, for whoever has the private key.

    Raises ValueError if it is not such a thing.
    """
    parts: list[bytes] = []
    at = 0
    if len(clear) != SEALED_CLEAR_BYTES:
        raise ValueError(f"sealed identity, {len(clear)} bytes; allowed {SEALED_CLEAR_BYTES}")
    for _ in range(3):
        length = clear[at] if at < len(clear) else len(clear)
        if at + 1 + length > len(clear):
            raise ValueError(
                "sealed identity, a part runs past the end; it was not made by a vault"
            )
        parts.append(clear[at + 1 : at + 1 + length])
        at += 1 + length
    return parts[0], parts[1].decode(errors="replace"), parts[2].decode(errors="replace")
