"""Registering a deck: a pure state machine over the looks of one antenna and four keys.

First pass: the cards are laid on the antenna one by one, in the order of `FACES`, each taken away
again. Then jokers, if the deck has any. Then the verify pass: all cards are passed over the
antenna in any order, and each must be read again. What goes wrong is said in words, and takes
nothing back.

A card is judged by `LOOKS` looks from the one after its first sight on, and accepted if at least
`RATE_NEEDED` of them read it. A tag that misses 5 % of its looks fails that once in 29,000 layings
(once in 570 decks), one that misses 10 % once in 420; one that answers every other look passes once
in 17, and one that answers in 2 of 5 once in 150. Twenty looks of one antenna take half a second.
What table and count assume is 5 to 10 % misses; a tag below 70 % is missed several times as often,
and would be asked about night after night.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from controller.integrity.decks import (
    MAX_JOKERS,
    Deck,
    DeckError,
    DeckStatus,
    DeckTag,
    added,
    deck_faults,
    name_faults,
    named,
    paired,
    same_back,
    same_back_words,
)
from controller.model.cards import FACES, JOKER_FACE, face_name, is_joker
from drivers.readings import Outcome, Poll, Uid

LOOKS: Final = 20
RATE_NEEDED: Final = 0.7
GONE_LOOKS: Final = 5
"""Clean looks in a row without a tag after which it is gone: of a good tag's looks, five in a row
miss once in three million."""
LYING_SIGHTS: Final = 3
"""Sights, never parted by `GONE_LOOKS`, after which a tag lies there: a card that is read over from
a neighbouring antenna in 2 looks of 100 hardly ever gets so far."""
FAINT_SIGHTS: Final = 2
NOISY_LOOKS: Final = 20
LAY_AGAIN_AT_MOST: Final = 10
"""Cards that were not seen in the verify pass and may be laid again without beginning anew."""
_NO_MORE_JOKERS = f"{MAX_JOKERS} jokers are registered already, and no deck has more"


class Step(StrEnum):
    """How far a registration is."""

    FIRST_PASS = "first pass"
    JOKERS = "jokers"
    VERIFY = "verify"
    DONE = "done"
    ABORTED = "aborted"


class Key(StrEnum):
    """UNDO takes the last card back. JOKER: the card that lies there, was laid last and lies there
    still, or is laid next, is a joker. FINISH: no (more) jokers; in the verify pass, that was all.
    ABORT: nothing is registered."""

    UNDO = "undo"
    JOKER = "joker"
    FINISH = "finish"
    ABORT = "abort"


class Trouble(StrEnum):
    """What went wrong last."""

    TWO_CARDS = "two-cards"
    OTHER_DECK = "other-deck"
    LAID_ALREADY = "laid-already"
    JOKER = "joker"
    READS_BADLY = "reads-badly"
    LIFTED = "lifted"
    FOREIGN = "foreign"
    NOT_SEEN = "not-seen"
    NO_CLEAN_LOOK = "no-clean-look"
    NOTHING_TO_UNDO = "nothing-to-undo"


@dataclass(frozen=True, slots=True)
class Sight:
    """A tag in the field: how often it was seen since it came, and read of the looks after that.
    absent: looks in a row that did not read it."""

    uid: Uid
    seen: int = 1
    reads: int = 0
    looks: int = 0
    absent: int = 0

    @property
    def lying(self) -> bool:
        return self.seen >= LYING_SIGHTS


@dataclass(frozen=True, slots=True)
class View:
    """What the person sees.

    ask: what to do next. face: the face that is to be laid now, "joker" for any; None where none
    is. away: what lies there must be taken away first. done of total: cards of this step. trouble
    and said: what went wrong last, in a word and in a sentence; None and "" if nothing did. rate:
    read rate of the card accepted last. strangers: tags in the verify pass that are not of this
    deck.
    """

    step: Step
    ask: str
    face: str | None
    away: bool
    done: int
    total: int
    trouble: Trouble | None
    said: str
    rate: float | None
    strangers: int

    @property
    def line(self) -> str:
        """The progress in a few letters, as a board has room for: ``VERIFY 37/52``."""
        word = {Step.FIRST_PASS: "LAY", Step.JOKERS: "JOKERS"}.get(self.step, "VERIFY")
        return f"{word} {self.done}" + (f"/{self.total}" if self.total else "")


@dataclass(frozen=True, slots=True)
class Registration:
    """A registration under way; made by `begin`, moved on by `poll` and `key`.

    antenna: the only one whose looks count. others: every tag of the house, with its deck and
    whether it is a joker there. laid: this deck's tags in the order of laying, jokers among them.
    hold: tags that were judged and must be taken away before the next is looked at.
    """

    name: str
    back: str
    antenna: int
    others: Mapping[Uid, tuple[str, bool]] = field(repr=False)
    step: Step = Step.FIRST_PASS
    laid: tuple[DeckTag, ...] = ()
    sights: tuple[Sight, ...] = ()
    hold: frozenset[Uid] = frozenset()
    joker_next: bool = False
    seen: frozenset[Uid] = frozenset()
    strangers: frozenset[Uid] = frozenset()
    noisy: int = 0
    trouble: Trouble | None = None
    said: str = ""

    # -- what comes --------------------------------------------------------------------------------

    def poll(self, poll: Poll) -> Registration:
        """Go on by one look. Looks of other antennas, and those that name single tags only
        (`complete` is False), say nothing here."""
        if poll.antenna != self.antenna or not poll.complete or self.over:
            return self
        if poll.outcome is Outcome.NOISE:
            noisy = self.noisy + 1
            after = replace(self, noisy=noisy)
            if noisy != NOISY_LOOKS:
                return after
            return after._troubled(
                Trouble.NO_CLEAN_LOOK,
                "the antenna gives no clean answer: take away everything that lies near it, and"
                " check the reader's cable",
            )
        sights, left = _looked(self.sights, poll.uids)
        gone = tuple(sight for sight in left if sight.uid not in self.hold)
        there = frozenset(sight.uid for sight in sights)
        after = replace(self, sights=sights, hold=self.hold & there, noisy=0)
        if self.step is Step.VERIFY:
            return after._passed(poll.uids)
        return after._examined(gone)

    def key(self, key: Key) -> Registration:
        """Go on by one key."""
        if self.over:
            return self
        match key:
            case Key.ABORT:
                return replace(self, step=Step.ABORTED, trouble=None, said="")
            case Key.UNDO:
                return self._undone()
            case Key.JOKER:
                return self._joker_told()
            case Key.FINISH:
                return self._finished()

    @property
    def over(self) -> bool:
        return self.step in (Step.DONE, Step.ABORTED)

    def deck(self, registered: str) -> Deck:
        """The registered deck. registered: wall time, ISO 8601. Raises DeckError while anything is
        missing, naming it."""
        rank = {face: place for place, face in enumerate(FACES)}
        tags = sorted(self.laid, key=lambda tag: (rank.get(tag.face, len(rank)), tag.face))
        deck = Deck(self.name, self.back, tuple(tags), DeckStatus.READY, None, registered)
        faults = list(deck_faults(deck))
        unseen = len(self._unseen())
        if self.step is not Step.DONE and not faults:
            faults.append(f"deck {self.name}: {unseen} of its cards were not verified")
        if faults:
            raise DeckError("\n".join(faults))
        return deck

    @property
    def view(self) -> View:
        """What the person sees now."""
        total = 0 if self.step is Step.JOKERS else len(FACES)
        done = {
            Step.FIRST_PASS: len(self._faces()),
            Step.JOKERS: len(self._jokers()),
        }.get(self.step, len(self.seen))
        rate = self.laid[-1].rate if self.laid and self.step is not Step.VERIFY else None
        return View(
            step=self.step,
            ask=self._ask(),
            face=self._asked_face(),
            away=bool(self.hold) and not self.over,
            done=done,
            total=total,
            trouble=self.trouble,
            said=self.said,
            rate=rate,
            strangers=len(self.strangers),
        )

    @property
    def next_face(self) -> str | None:
        """The face that is to be laid next; None when all 52 are."""
        faces = self._faces()
        return next((face for face in FACES if face not in faces), None)

    def _asked_face(self) -> str | None:
        if self.hold or self.step not in (Step.FIRST_PASS, Step.JOKERS):
            return None
        return JOKER_FACE if self.joker_next or self.step is Step.JOKERS else self.next_face

    def _ask(self) -> str:
        match self.step:
            case Step.DONE:
                return "done: all 52 cards are registered and verified"
            case Step.ABORTED:
                return "aborted: nothing was registered"
            case Step.VERIFY:
                return "pass all 52 cards over the antenna, in any order"
            case _ if self.hold:
                return "take it away" if len(self.hold) == 1 else "take them all away"
            case _ if self.joker_next:
                return "lay the joker"
            case Step.JOKERS:
                return "lay a joker; or finish, or begin to pass the 52 cards over the antenna"
            case _:
                face = self.next_face
                return f"lay the {face_name(face)}" if face is not None else ""

    # -- first pass and jokers ---------------------------------------------------------------------

    def _examined(self, gone: Sequence[Sight]) -> Registration:
        if self.hold:
            more = frozenset(s.uid for s in self.sights if s.lying) - self.hold
            # A quick hand lays the next card before the looks have proved the last one gone.
            stays = any(s.absent < LYING_SIGHTS for s in self.sights if s.uid in self.hold)
            if not more or not stays:
                return self
            return replace(self, hold=self.hold | more)._troubled(
                Trouble.TWO_CARDS,
                "another card came before the last one was taken away: take them all away, then lay"
                " the one that is asked for",
            )
        if self.step is Step.JOKERS and (passing := self._passing()):
            return self._verifying()._passed(passing)
        lying = [sight for sight in self.sights if sight.lying]
        if len(lying) > 1:
            held = frozenset(sight.uid for sight in self.sights)
            return replace(self, hold=held)._troubled(
                Trouble.TWO_CARDS,
                f"{len(lying)} cards lie there: take them all away, then lay the one that is asked"
                " for",
            )
        if lying:
            return self._judged(lying[0])
        if any(sight.seen >= FAINT_SIGHTS for sight in gone):
            return self._lifted()
        return self

    def _passing(self) -> tuple[Uid, ...]:
        """Cards of this deck that come again: the person has begun to pass them over."""
        cards = frozenset(tag.uid for tag in self.laid if not is_joker(tag.face))
        ours = [sight for sight in self.sights if sight.uid in cards]
        begun = any(sight.seen >= FAINT_SIGHTS for sight in ours)
        return tuple(sight.uid for sight in ours) if begun else ()

    def _judged(self, sight: Sight) -> Registration:
        refusal = self._refusal(sight.uid)
        if refusal is not None:
            return replace(self, hold=frozenset((sight.uid,)))._troubled(*refusal)
        # While another tag is about, it is not clear which of them is the card that was asked for.
        if sight.looks < LOOKS or len(self.sights) > 1:
            return self
        if sight.reads < RATE_NEEDED * sight.looks:
            return replace(self, hold=frozenset((sight.uid,)))._troubled(
                Trouble.READS_BADLY,
                f"it was read in only {sight.reads} of {sight.looks} looks: lay it again, flat and"
                " in the middle; if that does not help, its tag is worn, and the deck needs another"
                " card in its place",
            )
        return self._accepted(sight)

    def _refusal(self, uid: Uid) -> tuple[Trouble, str] | None:
        """Why the tag cannot be the card that was asked for."""
        again = f"{self._again()} is still asked for"
        if uid in self.others:
            deck, joker = self.others[uid]
            what = "a joker" if joker else "a card"
            trouble = Trouble.JOKER if joker else Trouble.OTHER_DECK
            return trouble, f"that is {what} of deck {deck}; {again}"
        for tag in self.laid:
            if tag.uid != uid:
                continue
            if is_joker(tag.face):
                if self.step is Step.JOKERS:
                    return Trouble.LAID_ALREADY, "that joker was laid already; put it apart"
                return Trouble.JOKER, f"that is a joker of this deck: put it apart; {again}"
            return (
                Trouble.LAID_ALREADY,
                f"that card was laid already, as the {face_name(tag.face)}; {again}",
            )
        if (self.joker_next or self.step is Step.JOKERS) and not self._joker_room():
            return Trouble.JOKER, _NO_MORE_JOKERS
        return None

    def _again(self) -> str:
        face = self.next_face
        return f"the {face_name(face)}" if face is not None and not self.joker_next else "a joker"

    def _accepted(self, sight: Sight) -> Registration:
        joker = self.joker_next or self.step is Step.JOKERS
        face = self._joker_face() if joker else self.next_face
        assert face is not None, "a joker is asked for once the 52 are laid"
        tag = DeckTag(sight.uid, face, sight.reads, sight.looks)
        return replace(
            self,
            laid=(*self.laid, tag),
            hold=frozenset((sight.uid,)),
            joker_next=False,
            trouble=None,
            said="",
        )._stepped()

    def _stepped(self) -> Registration:
        """In the step that fits what is laid."""
        if self.next_face is not None:
            return replace(self, step=Step.FIRST_PASS)
        if not self._joker_room():
            return self._verifying()
        return replace(self, step=Step.JOKERS)

    def _lifted(self) -> Registration:
        return self._troubled(
            Trouble.LIFTED,
            "it was lifted too soon, or reads badly: lay it flat and in the middle, and leave it"
            " until the next is asked for",
        )

    # -- keys --------------------------------------------------------------------------------------

    def _undone(self) -> Registration:
        held = frozenset(sight.uid for sight in self.sights)
        plain = replace(self, trouble=None, said="", joker_next=False)
        if self.step is Step.VERIFY:
            return replace(plain, step=Step.JOKERS, seen=frozenset(), hold=held)
        if self.joker_next:
            return plain
        if not self.laid:
            return plain._troubled(Trouble.NOTHING_TO_UNDO, "no card is laid yet")
        return replace(plain, laid=self.laid[:-1], hold=held)._stepped()

    def _joker_told(self) -> Registration:
        if self._last_lies() and not is_joker(self.laid[-1].face) and self._joker_room():
            # It was taken for the card that had been asked for.
            tag = replace(self.laid[-1], face=self._joker_face())
            return replace(self, laid=(*self.laid[:-1], tag), trouble=None, said="")._stepped()
        if self.step is not Step.FIRST_PASS:
            return self
        if self.joker_next or self._joker_room():
            return replace(self, joker_next=not self.joker_next, trouble=None, said="")
        return self._troubled(Trouble.JOKER, _NO_MORE_JOKERS)

    def _joker_room(self) -> bool:
        return len(self._jokers()) < MAX_JOKERS

    def _last_lies(self) -> bool:
        return bool(self.laid) and self.laid[-1].uid in self.hold

    def _finished(self) -> Registration:
        match self.step:
            case Step.JOKERS:
                return self._verifying()
            case Step.VERIFY:
                return self._all_passed()
        left = len(FACES) - len(self._faces())
        return self._troubled(
            Trouble.NOT_SEEN, f"{left} cards are not laid yet; abort if the deck is not whole"
        )

    def _all_passed(self) -> Registration:
        """The person says that all were passed over, and some were not seen."""
        unseen = self._unseen()
        few = len(unseen) <= LAY_AGAIN_AT_MOST
        names = ", ".join(face_name(face) for face in unseen[:LAY_AGAIN_AT_MOST])
        if self.trouble is Trouble.NOT_SEEN and few:
            kept = tuple(tag for tag in self.laid if tag.face not in unseen)
            held = frozenset(sight.uid for sight in self.sights)
            again = replace(self, laid=kept, seen=frozenset(), strangers=frozenset(), hold=held)
            return again._stepped()._troubled(Trouble.NOT_SEEN, f"to be laid again: {names}")
        then = "; finish once more to lay them again" if few else ""
        more = "" if few else f" and {len(unseen) - LAY_AGAIN_AT_MOST} more"
        return self._troubled(
            Trouble.NOT_SEEN, f"not seen yet: {names}{more}. Pass them over once more{then}"
        )

    # -- the verify pass ---------------------------------------------------------------------------

    def _verifying(self) -> Registration:
        return replace(
            self,
            step=Step.VERIFY,
            seen=frozenset(),
            strangers=frozenset(),
            hold=frozenset(),
            joker_next=False,
            trouble=None,
            said="",
        )

    def _passed(self, uids: Sequence[Uid]) -> Registration:
        faces = {tag.uid: tag.face for tag in self.laid}
        cards = frozenset(uid for uid in uids if uid in faces and not is_joker(faces[uid]))
        after = replace(self, seen=self.seen | cards)
        if cards - self.seen:
            after = replace(after, trouble=None, said="")
        for sight in self.sights:
            if sight.uid in uids and sight.seen >= FAINT_SIGHTS and sight.absent == 0:
                after = after._stranger(sight.uid, faces)
        if not after._unseen():
            return replace(after, step=Step.DONE, trouble=None, said="")
        return after

    def _stranger(self, uid: Uid, faces: Mapping[Uid, str]) -> Registration:
        """Name a tag that is no play card of this deck."""
        if uid in faces:
            if not is_joker(faces[uid]):
                return self
            trouble, what = Trouble.JOKER, "a joker of this deck"
        elif uid in self.others:
            deck, joker = self.others[uid]
            trouble = Trouble.JOKER if joker else Trouble.OTHER_DECK
            what = f"a {'joker' if joker else 'card'} of deck {deck}"
        elif _merged(uid, faces):
            return self
        else:
            trouble, what = Trouble.FOREIGN, "a card that was not laid"
        return replace(self, strangers=self.strangers | {uid})._troubled(
            trouble, f"{what} lies among them: take it out, and go on"
        )

    # -- what is laid ------------------------------------------------------------------------------

    def _faces(self) -> frozenset[str]:
        return frozenset(tag.face for tag in self.laid if not is_joker(tag.face))

    def _jokers(self) -> tuple[DeckTag, ...]:
        return tuple(tag for tag in self.laid if is_joker(tag.face))

    def _joker_face(self) -> str:
        taken = {tag.face for tag in self._jokers()}
        names = (f"{JOKER_FACE}{n}" for n in range(1, MAX_JOKERS + 1))
        return next(name for name in names if name not in taken)

    def _unseen(self) -> tuple[str, ...]:
        seen = {tag.face for tag in self.laid if tag.uid in self.seen}
        return tuple(face for face in FACES if face not in seen)

    def _troubled(self, trouble: Trouble, said: str) -> Registration:
        return replace(self, trouble=trouble, said=said)


def begin(
    name: str, back: str, antenna: int, house: Sequence[Deck] = (), pair: str | None = None
) -> Registration:
    """A registration that waits for the first card.

    house: the decks that are registered, retired ones too. pair: the deck with which this one will
    take turns. Raises DeckError, before a card is laid, for whatever would refuse the deck at the
    end: its name, its back, its pair.
    """
    faults = list(name_faults(name, back))
    if any(deck.name == name for deck in house):
        faults.append(f"there is a deck {name} already. Next: choose another name")
    if pair is not None:
        try:
            other = named(house, pair)
        except DeckError as error:
            faults.append(str(error))
        else:
            if other.status is not DeckStatus.READY:
                faults.append(
                    f"deck {pair} is {other.status}. Next: pair it with one that is ready"
                )
            if same_back(back, other.back):
                faults.append(same_back_words(name, pair, back))
    if faults:
        raise DeckError("\n".join(faults))
    others = {tag.uid: (d.name, is_joker(tag.face)) for d in house for tag in d.tags}
    return Registration(name, back, antenna, others)


def registered(house: Sequence[Deck], deck: Deck, pair: str | None = None) -> tuple[Deck, ...]:
    """The house with the new deck, paired if wished. Raises DeckError."""
    more = added(house, deck)
    return more if pair is None else paired(more, deck.name, pair)


def _looked(
    sights: Sequence[Sight], uids: Sequence[Uid]
) -> tuple[tuple[Sight, ...], tuple[Sight, ...]]:
    """The tags in the field after a clean look, and those that are gone by it."""
    read = frozenset(uids)
    here: list[Sight] = []
    gone: list[Sight] = []
    for sight in sights:
        hit = sight.uid in read
        after = Sight(
            sight.uid,
            seen=sight.seen + hit,
            reads=sight.reads + hit,
            looks=sight.looks + 1,
            absent=0 if hit else sight.absent + 1,
        )
        (gone if after.absent >= GONE_LOOKS else here).append(after)
    known = {sight.uid for sight in sights}
    here += [Sight(uid) for uid in dict.fromkeys(uids) if uid not in known]
    return tuple(here), tuple(gone)


def _merged(uid: Uid, known: Mapping[Uid, str]) -> bool:
    """Whether it is what two of the known tags read as when their answers collide: the bitwise OR
    of their UIDs."""
    whole = int.from_bytes(uid, "big")
    parts = [v for k in known if (v := int.from_bytes(k, "big")) | whole == whole]
    return any(a | b == whole for i, a in enumerate(parts) for b in parts[i + 1 :])
