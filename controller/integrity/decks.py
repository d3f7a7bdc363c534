"""The decks of a house, as values: what a deck is made of, and what may be done with it.

Everything here is pure: a function takes the house's decks and returns them changed, or raises
`DeckError` with every fault at once. No text names a UID.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from controller.model.cards import FACES, face_name, is_joker
from drivers.readings import Uid

MAX_JOKERS: Final = 4
_NAME_LONGEST = 40
_BACK_LONGEST = 20
_UID_LONGEST = 16  # bytes; the longest tags have ten
_MISSING_NAMED = 8


class DeckError(ValueError):
    """What cannot be done with the house's decks. The message names every fault, one a line, and
    what to do next."""


class DeckStatus(StrEnum):
    """`READY`: may come into play. `USED`: taken out of play as used, by rule. `RETIRED`: for good;
    its cards are no cards of this house any more."""

    READY = "ready"
    USED = "used"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class DeckTag:
    """A card's tag: which face it stands for, and how well it was read when it was registered.

    face: as in `FACES`, or "joker1" and so on. reads of looks: the per-tag read rate. Masked when
    printed.
    """

    uid: Uid
    face: str
    reads: int
    looks: int

    @property
    def rate(self) -> float:
        """Share of looks that read it."""
        return self.reads / self.looks if self.looks else 0.0

    def __repr__(self) -> str:
        return "<tag>"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class Deck:
    """A registered deck.

    back: the colour of its backs. tags: its cards and jokers. pair: the deck that takes turns with
    it at a table. registered: wall time, ISO 8601.
    """

    name: str
    back: str
    tags: tuple[DeckTag, ...]
    status: DeckStatus
    pair: str | None
    registered: str

    @property
    def cards(self) -> tuple[DeckTag, ...]:
        """The play cards."""
        return tuple(tag for tag in self.tags if not is_joker(tag.face))

    @property
    def jokers(self) -> tuple[DeckTag, ...]:
        """Known tags of this deck that must not be in play."""
        return tuple(tag for tag in self.tags if is_joker(tag.face))

    @property
    def weakest(self) -> DeckTag | None:
        """The play card that was read worst."""
        return min(self.cards, key=lambda tag: tag.rate, default=None)

    def __repr__(self) -> str:
        return f"<deck {self.name}, {len(self.cards)} cards, {self.status}>"


# ---- what is wrong


def name_faults(name: str, back: str) -> tuple[str, ...]:
    """What is wrong with a deck's name and the colour of its backs, in words."""
    faults = []
    for what, text, longest in (("name", name, _NAME_LONGEST), ("back", back, _BACK_LONGEST)):
        if not 1 <= len(text) <= longest or not text.isprintable() or text != text.strip():
            faults.append(
                f"the {what} of a deck has 1 to {longest} characters that can be printed, and no"
                " space before or after them"
            )
    if name.startswith(("-", ".")) or "/" in name or "\\" in name:
        faults.append("the name of a deck begins with no - or . and has no / or \\ in it")
    return tuple(faults)


def deck_faults(deck: Deck) -> tuple[str, ...]:
    """Everything that keeps a deck from being one: a name, 52 faces once each, a tag each."""
    faults = [f"deck {deck.name!r}: {fault}" for fault in name_faults(deck.name, deck.back)]
    cards, jokers = deck.cards, deck.jokers
    faces = [tag.face for tag in cards]
    missing = [face for face in FACES if face not in faces]
    if missing:
        named = ", ".join(face_name(face) for face in missing[:_MISSING_NAMED])
        more = f" and {len(missing) - _MISSING_NAMED} more" if missing[_MISSING_NAMED:] else ""
        there = len(FACES) - len(missing)
        faults.append(f"deck {deck.name}: {there} of {len(FACES)} cards; missing: {named}{more}")
    unknown = sum(face not in FACES for face in faces)
    if unknown:
        faults.append(f"deck {deck.name}: {unknown} of its cards have a face that no card has")
    twice = sorted({f for f in faces if f in FACES and faces.count(f) > 1}, key=FACES.index)
    faults += [f"deck {deck.name}: the {face_name(face)} is in it more than once" for face in twice]
    if len(jokers) > MAX_JOKERS or len({tag.face for tag in jokers}) != len(jokers):
        faults.append(f"deck {deck.name}: allowed are up to {MAX_JOKERS} jokers, each once")
    if len({tag.uid for tag in deck.tags}) != len(deck.tags):
        faults.append(f"deck {deck.name}: one tag stands for two of its cards")
    if any(not 1 <= len(tag.uid) <= _UID_LONGEST for tag in deck.tags):
        faults.append(f"deck {deck.name}: a tag has no number, or one that no tag can have")
    if any(not 0 <= tag.reads <= tag.looks for tag in deck.tags):
        faults.append(f"deck {deck.name}: a tag was read more often than it was looked at")
    return tuple(faults)


def house_faults(decks: Sequence[Deck]) -> tuple[str, ...]:
    """Everything that is wrong with a house's decks: in each of them, and between them."""
    faults = [fault for deck in decks for fault in deck_faults(deck)]
    first: dict[str, Deck] = {}
    owner: dict[Uid, str] = {}
    for deck in decks:
        if deck.name in first:
            faults.append(f"deck {deck.name}: there are two of this name")
        first.setdefault(deck.name, deck)
        others = sorted({owner[tag.uid] for tag in deck.tags if tag.uid in owner})
        faults += [
            f"deck {deck.name}: holds cards that are registered in deck {other}" for other in others
        ]
        for tag in deck.tags:
            owner.setdefault(tag.uid, deck.name)
    for deck in first.values():
        other = first.get(deck.pair) if deck.pair is not None else None
        if deck.pair is not None and (other is None or other.pair != deck.name):
            faults.append(f"deck {deck.name}: its pair {deck.pair} is not paired with it")
        elif other is not None and deck.name <= other.name and same_back(deck.back, other.back):
            faults.append(same_back_words(deck.name, other.name, deck.back))
    return tuple(faults)


def checked(decks: Iterable[Deck]) -> tuple[Deck, ...]:
    """The decks, if nothing is wrong with them. Raises DeckError naming every fault."""
    house = tuple(decks)
    if faults := house_faults(house):
        raise DeckError("\n".join(faults))
    return house


# ---- what may be done


def named(decks: Sequence[Deck], name: str) -> Deck:
    """The deck of that name. Raises DeckError saying which there are."""
    for deck in decks:
        if deck.name == name:
            return deck
    names = [deck.name for deck in decks]
    near = difflib.get_close_matches(name, names, 1)
    there = f"registered are {', '.join(names)}" if names else "none is registered yet"
    hint = f"; did you mean {near[0]}?" if near else "."
    raise DeckError(f"there is no deck {name!r}; {there}{hint} Next: burnturn deck list")


def added(decks: Sequence[Deck], *new: Deck) -> tuple[Deck, ...]:
    """The house with more decks. Raises DeckError: a name that is taken, a card that is enrolled
    already (the other deck is named, the card is not), a deck that is none."""
    return checked((*decks, *new))


def paired(decks: Sequence[Deck], one: str, other: str) -> tuple[Deck, ...]:
    """The two decks take turns at a table; decks that they were paired with before are left alone.

    Raises DeckError: one of them is not there, out of play, or their backs are the same.
    """
    a, b = named(decks, one), named(decks, other)
    faults = [
        f"deck {deck.name} is {deck.status}. Next: pair decks that are ready"
        for deck in (a, b)
        if deck.status is not DeckStatus.READY
    ]
    if a.name == b.name:
        faults.append(f"deck {a.name} cannot be paired with itself. Next: name two decks")
    elif same_back(a.back, b.back):
        faults.append(same_back_words(a.name, b.name, a.back))
    if faults:
        raise DeckError("\n".join(faults))
    pairs = {a.name: b.name, b.name: a.name}
    return tuple(
        replace(
            deck, pair=pairs.get(deck.name, None if deck.pair in (a.name, b.name) else deck.pair)
        )
        for deck in decks
    )


def retired(decks: Sequence[Deck], name: str) -> tuple[Deck, ...]:
    """The deck is out of the house for good; its pair is free for another. Raises DeckError."""
    named(decks, name)
    return tuple(
        replace(deck, status=DeckStatus.RETIRED, pair=None)
        if deck.name == name
        else replace(deck, pair=None if deck.pair == name else deck.pair)
        for deck in decks
    )


def used(decks: Sequence[Deck], name: str) -> tuple[Deck, ...]:
    """The deck was taken out of play as used. It keeps its pair: both go together. Raises DeckError
    for one that is retired."""
    if named(decks, name).status is DeckStatus.RETIRED:
        raise DeckError(f"deck {name} is retired. Next: burnturn deck retire {name} --undo")
    return _with_status(decks, name, DeckStatus.USED)


def ready(decks: Sequence[Deck], name: str) -> tuple[Deck, ...]:
    """The deck may come into play (again). Raises DeckError."""
    named(decks, name)
    return _with_status(decks, name, DeckStatus.READY)


def renamed(decks: Sequence[Deck], old: str, new: str) -> tuple[Deck, ...]:
    """The deck under another name, for its pair too. Raises DeckError."""
    named(decks, old)
    if faults := name_faults(new, "any"):
        raise DeckError("\n".join(faults))
    return tuple(
        replace(
            deck,
            name=new if deck.name == old else deck.name,
            pair=new if deck.pair == old else deck.pair,
        )
        for deck in decks
    )


def enrolled(decks: Iterable[Deck]) -> tuple[Deck, ...]:
    """The decks whose cards the table knows: all that are not retired."""
    return tuple(deck for deck in decks if deck.status is not DeckStatus.RETIRED)


def known_tags(decks: Iterable[Deck]) -> dict[Uid, tuple[str, str]]:
    """Deck and face by UID of every deck that the house ever registered: a retired one that comes
    back is called by its name, and is not taken for a stranger's."""
    return {tag.uid: (deck.name, tag.face) for deck in decks for tag in deck.tags}


def _with_status(decks: Sequence[Deck], name: str, status: DeckStatus) -> tuple[Deck, ...]:
    return tuple(replace(d, status=status) if d.name == name else d for d in decks)


def same_back(one: str, other: str) -> bool:
    """Whether two backs are of one colour, however they are written."""
    return one.strip().casefold() == other.strip().casefold()


def same_back_words(one: str, other: str, back: str) -> str:
    """Why two decks cannot be a pair: the text of DECK_SAME_BACK."""
    return (
        f"DECK_SAME_BACK: decks {one} and {other} both have a {back} back. The two decks of a table"
        " need different backs. Next: pair it with a deck of another back"
    )
