"""The count of the deck: the dealer passes it card by card over the count antenna, and the table
says what is missing and what does not belong.

What a count can prove. It attests that the registered tags of one deck were passed over the
antenna, each of them. It reads tags, not faces: an extra card without a tag is not seen by it, a
card whose tag has died counts as missing, and a copied tag (two cards with one UID) cannot be told
from one card read twice; a copy shows in play, when one UID lies in two places.

How sure it is. A tag counts as present when the reads of a pass can hardly be cross-reads of a card
that lies beside the zone (`CountFigures.beside_error`, see `controller.integrity.passing`). A card
is called missing only after at least two passes: each leaves a card unread with a chance that is
estimated from the cards that it did not read although another pass did, and the product of these,
over all cards called missing, must be below `CountFigures.missing_error`. Until then the table asks
for another pass.

What it keeps. A count reveals the order of the deck, so it comes before the shuffle, and only sets
are kept: the reads of a pass are dropped at its end, and nothing says which card came when.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import log
from typing import Final

from controller.integrity.passing import FOREIGN_READS, CountFigures, Pass
from controller.model.cards import FACES, face_name, is_joker
from controller.model.events import CountMeans
from controller.sensing.ghosts import merged
from drivers.readings import Poll, Uid

UNTAGGED_NOTE: Final = "A count reads tags: an extra card without a tag is not seen by it."

_RANK_OF = {face: i for i, face in enumerate(FACES)}


MOST_MISSING = 12
"""With fewer tags read than a deck without so many cards has, no deck was passed over: no result
comes of it."""


class CountStage(StrEnum):
    """Where a count stands. PASSING: cards are awaited or coming. ASKING: the deck is to be passed
    again. READY: the result awaits the dealer's confirmation."""

    IDLE = "idle"
    PASSING = "passing"
    ASKING = "asking"
    READY = "ready"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CountResult:
    """What a count found; the set, never the order. Prints without the cards.

    deck: name of the deck in play. expected, present: registered cards, and how many of them were
    passed. missing: faces, in the order of registration. nearby: those of the missing that were
    read faintly, as if they lay beside the zone. extra: deck and face of cards of other decks.
    foreign: unknown tags. jokers: of the deck in play. duplicates: faces that two tags bear,
    once for each tag beyond the first.
    passes: how often the deck was passed, or spread. Times in monotonic seconds; confirmed_by ""
    until then. error: highest chance that a card called missing is in the pack. means: by what the
    deck was counted; where by camera, duplicates and foreign are faces and cards, not tags.
    """

    deck: str
    expected: int
    present: int
    missing: tuple[str, ...] = ()
    nearby: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    foreign: int = 0
    jokers: int = 0
    duplicates: tuple[str, ...] = ()
    passes: int = 1
    duration_s: float = 0.0
    started_at: float = 0.0
    ended_at: float = 0.0
    confirmed_by: str = ""
    error: float = 0.0
    means: CountMeans = CountMeans.TAGS

    def __repr__(self) -> str:
        return f"<count: {self.present} of {self.expected}, {self.surplus} too many>"

    @property
    def surplus(self) -> int:
        """Cards that do not belong: of another deck, unknown, jokers, second copies."""
        return len(self.extra) + self.foreign + self.jokers + len(self.duplicates)

    @property
    def complete(self) -> bool:
        """Every registered card, and none besides that has a tag."""
        return not self.missing and not self.surplus

    @property
    def board_text(self) -> str:
        """At most 16 characters: "DECK 51/52", "DECK 52/52 +1"."""
        more = f" +{self.surplus}" if self.surplus else ""
        return f"DECK {self.present}/{self.expected}{more}"

    @property
    def sentence(self) -> str:
        """For the floor: "51 of 52: the seven of clubs is missing." and what else there is to say.
        Names cards, so it is for when no hand is live."""
        said = []
        if self.missing and self.present == 0 and self._other_deck is not None:
            return (
                f"None of the {self.deck} deck's {self.expected} cards: this is the "
                f"{self._other_deck} deck."
            )
        if self.missing:
            names = _and([f"the {face_name(face)}" for face in self.missing])
            verb = "is" if len(self.missing) == 1 else "are"
            said.append(f"{self.present} of {self.expected}: {names} {verb} missing.")
        else:
            which = "registered card" if self.means is CountMeans.TAGS else "card"
            said.append(f"{self.present} of {self.expected}: every {which} is there.")
        for deck in sorted({deck for deck, _ in self.extra}):
            names = _and([_a_card(face) for d, face in self.extra if d == deck])
            said.append(f"Of the {deck} deck there is also {names}.")
        if self.foreign:
            said.append(_number(self.foreign, "unknown card") + " in the pack.")
        if self.jokers:
            said.append(_number(self.jokers, "joker") + " in the pack.")
        for face in dict.fromkeys(self.duplicates):
            cards = 1 + self.duplicates.count(face)
            said.append(f"There are {cards} cards that are the {face_name(face)}.")
        if self.nearby:
            names = _and([f"the {face_name(face)}" for face in self.nearby])
            said.append(f"Look beside the count zone for {names}.")
        elif self.missing and self.means is CountMeans.CAMERA:
            said.append("Cards that stick together show as one: look through the pack.")
        elif self.missing:
            said.append("A card whose tag has died counts as missing too: look through the pack.")
        return " ".join(said)

    @property
    def _other_deck(self) -> str | None:
        """The deck that was passed instead, if one was."""
        decks = {deck for deck, _ in self.extra}
        return decks.pop() if len(decks) == 1 and len(self.extra) > self.expected // 2 else None

    def as_json(self) -> dict[str, object]:
        """Every field as JSON has it, and whether the deck is complete."""
        return {
            "deck": self.deck,
            "complete": self.complete,
            "expected": self.expected,
            "present": self.present,
            "missing": list(self.missing),
            "nearby": list(self.nearby),
            "extra": [{"deck": deck, "face": face} for deck, face in self.extra],
            "foreign": self.foreign,
            "jokers": self.jokers,
            "duplicates": list(self.duplicates),
            "passes": self.passes,
            "duration_s": round(self.duration_s, 3),
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "confirmed_by": self.confirmed_by,
            "error": self.error,
            "means": self.means.value,
        }


class _Cards:
    """The house's tags, as a count asks for them."""

    def __init__(self, cards: Mapping[Uid, tuple[str, str]], deck: str) -> None:
        self.deck = deck
        self.card_of = {Uid(uid): (str(d), str(face)) for uid, (d, face) in cards.items()}
        self.face_of = {
            uid: face for uid, (d, face) in self.card_of.items() if d == deck and not is_joker(face)
        }
        known = set(self.face_of.values())
        if deck not in {d for d, _ in self.card_of.values()}:
            raise ValueError(f"count, deck {deck!r} is not registered; register it first")
        if known != set(FACES):
            fit = len(known & set(FACES))
            raise ValueError(
                f"count, deck {deck!r} has {fit} of {len(FACES)} cards registered"
                + (f" and {len(known) - fit} that no deck has" if len(known) > fit else "")
                + "; register the deck again"
            )

    def __repr__(self) -> str:
        return f"<{len(self.card_of)} registered tags>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Cards):
            return NotImplemented
        return self.deck == other.deck and self.card_of == other.card_of

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def tags(self) -> frozenset[Uid]:
        """The tags of the deck in play, jokers left out."""
        return frozenset(self.face_of)

    def unread(self, present: Collection[Uid]) -> set[str]:
        """Faces of the deck in play of which no tag is present."""
        return set(FACES).difference(self.face_of[uid] for uid in present if uid in self.face_of)

    def copies(self, present: Collection[Uid]) -> tuple[str, ...]:
        """Faces of the deck in play, once for every tag present beyond the first."""
        faces = [self.face_of[uid] for uid in present if uid in self.face_of]
        return tuple(face for face in FACES for _ in range(faces.count(face) - 1))


@dataclass(frozen=True, slots=True, repr=False)
class Counting:
    """The count of a deck as it goes on: a value, fed with polls and words, each of which gives the
    next value. Made by `Counting.of`. Prints numbers only.

    stage, passes, result, why: for whoever shows or records it; `result` is there from READY on,
    and `why` says in a dealer's words why the deck is to be passed again. asked: how often that
    was asked. Polls of other antennas are ignored. Once done or cancelled nothing is left of what
    was read, except the result.
    """

    cards: _Cards
    antenna: int
    figures: CountFigures
    stage: CountStage = CountStage.IDLE
    started_at: float = 0.0
    passes: int = 0
    asked: int = 0
    why: str = ""
    result: CountResult | None = None
    _pass: Pass = field(default_factory=Pass)
    _tried: bool = False
    _present: frozenset[Uid] = frozenset()
    _faint: frozenset[tuple[Uid, float]] = frozenset()
    _loose: frozenset[Uid] = frozenset()
    _doubted: frozenset[Uid] = frozenset()
    _read: tuple[frozenset[Uid], ...] = ()

    @classmethod
    def of(
        cls,
        cards: Mapping[Uid, tuple[str, str]],
        deck: str,
        antenna: int,
        figures: CountFigures | None = None,
    ) -> Counting:
        """A count that waits for its start.

        cards: deck and face of every registered tag of the house. deck: the one in play. antenna:
        the count antenna's number. Raises ValueError unless all 52 cards of the deck are
        registered.
        """
        return cls(_Cards(cards, deck), antenna, figures or CountFigures())

    def __repr__(self) -> str:
        return f"<count: {self.stage.value}, pass {self.passes}, {self.live} of {len(FACES)}>"

    # -- what people see ---------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether the count antenna alone is to be read."""
        return self.stage in (CountStage.PASSING, CountStage.ASKING, CountStage.READY)

    @property
    def live(self) -> int:
        """Cards of the deck counted: in this pass while one goes on, else in all passes."""
        if self.result is not None:
            return self.result.present
        counted = self._pass.counted
        if self.stage is not CountStage.PASSING or self.passes < 2:
            counted = counted | self._present
        return len(FACES) - len(self.cards.unread(counted))

    @property
    def board_text(self) -> str:
        """At most 16 characters: COUNT 37/52, AGAIN 37/52, COUNT AGAIN, DECK 51/52; "" when no
        count is on."""
        if self.stage is CountStage.PASSING:
            word = "COUNT" if self.passes < 2 else "AGAIN"
            return f"{word} {self.live}/{len(FACES)}"
        if self.stage is CountStage.ASKING:
            return "COUNT AGAIN"
        return self.result.board_text if self.result is not None else ""

    # -- words -------------------------------------------------------------------------------------

    def start(self, at: float) -> Counting:
        """The dealer begins; nothing changes if a count is on already."""
        return self if self.running else self._fresh(CountStage.PASSING, at)

    def redo(self, at: float) -> Counting:
        """Throw away what was read and count from the beginning; nothing changes if no count is
        on."""
        return self._fresh(CountStage.PASSING, self.started_at) if self.running else self

    def cancel(self, at: float) -> Counting:
        """Give the count up; nothing of it is kept."""
        return self._fresh(CountStage.CANCELLED, self.started_at) if self.running else self

    def confirm(self, at: float, by: str) -> Counting:
        """The dealer's key. In a pass it means "that was the last card": a complete deck is then
        done at once, anything else is shown or asked first. When a result is shown, it accepts it.
        A deck that is to be passed again is not accepted.
        """
        if self.stage is CountStage.PASSING:
            if self._pass.new_at_s is None:
                return self
            ended = self._end(at)
            sure = ended.result is not None and ended.result.complete
            return ended.confirm(at, by) if sure else ended
        if self.stage is not CountStage.READY or self.result is None:
            return self
        result = replace(
            self.result,
            ended_at=at,
            duration_s=max(0.0, at - self.started_at),
            confirmed_by=by,
        )
        return replace(self._fresh(CountStage.DONE, self.started_at), result=result)

    # -- readings ----------------------------------------------------------------------------------

    def poll(self, poll: Poll) -> Counting:
        """One look of an antenna."""
        if poll.antenna != self.antenna or not self.running:
            return self
        before = self._pass.counted
        after = replace(self, _pass=self._pass.look(poll, self.figures))
        fresh = after._pass.counted - before if after._pass.counted is not before else ()
        if fresh:
            after = after._came(fresh, poll.ended)
        return after.tick(poll.ended)

    def tick(self, at: float) -> Counting:
        """The time: a pass ends when no new card comes any more."""
        new_at = self._pass.new_at_s
        if self.stage is not CountStage.PASSING or new_at is None:
            return self
        if at - new_at >= self.figures.quiet_s:
            return self._end(at)
        if at - new_at >= self.figures.linger_s and not self._tried:
            ended = self._end(at)
            return ended if ended.stage is CountStage.READY else replace(self, _tried=True)
        return self

    # -- inside ------------------------------------------------------------------------------------

    def _fresh(self, stage: CountStage, started_at: float) -> Counting:
        passes = 1 if stage is CountStage.PASSING else 0
        return Counting(
            self.cards, self.antenna, self.figures, stage, started_at, passes, asked=self.asked
        )

    def _came(self, fresh: Collection[Uid], at: float) -> Counting:
        """Tags have newly been counted in this pass."""
        if self.stage is CountStage.READY and self._present.issuperset(fresh):
            return self  # the pack is squared up over the antenna
        begins = self.stage is not CountStage.PASSING
        after = replace(
            self,
            stage=CountStage.PASSING,
            passes=self.passes + begins,
            why="",
            result=None,
            _tried=False,
        )
        # Only what is in doubt has to be passed again.
        if after.passes > 1 and not after._loose:
            still = self.cards.unread(self._present | after._pass.counted)
            if not still:
                ended = after._end(at)
                if ended.stage is CountStage.READY:
                    return ended
        return after

    def _end(self, at: float) -> Counting:
        """The pass is over: judge it, and drop everything that tells in which order it went."""
        sure, cards = log(self.figures.beside_error / 2), self.cards
        shown = self._pass.evidence(cards.card_of.keys(), cards.tags - self._present, self.figures)
        earlier = dict(self._faint)
        read, faint = set(), dict(earlier)
        loose, doubted = set(), set(self._doubted)
        for uid, proof in shown.items():
            known = uid in cards.card_of
            total = earlier.get(uid, 0.0) + proof.nats
            few = 0 if known else FOREIGN_READS
            if (
                (proof.reads >= few and proof.nats <= sure)
                or (known and total <= sure)
                # Two cards do not lie on each other in the same way twice.
                or (uid in self._doubted and proof.all_reads >= few and proof.all_nats <= sure)
            ):
                read.add(uid)
                continue
            faint[uid] = total
            if proof.all_reads >= few and proof.all_nats <= sure:
                doubted.add(uid)
            if proof.brief and uid not in earlier:
                loose.add(uid)
        reads = (*self._read, frozenset(read))
        present = self._present | read
        present -= self._mergers(present, reads)
        unread = cards.unread(present)
        loose = {u for u in loose if u not in present and cards.face_of.get(u) not in unread}
        after = replace(
            self,
            stage=CountStage.ASKING,
            _pass=Pass(),
            _tried=False,
            _present=present,
            _faint=frozenset((u, nats) for u, nats in faint.items() if u not in present),
            _loose=frozenset(loose),
            _doubted=frozenset(doubted - present),
            _read=reads,
        )
        error = after._error(len(unread))
        few = len(present) < len(FACES) - MOST_MISSING  # no deck was passed, whatever was read
        doubtful = bool(unread) and (
            few or len(after._read) < 2 or error > self.figures.missing_error
        )
        if doubtful or loose:
            why = after._reason(unread if doubtful else set())
            return replace(after, asked=self.asked + 1, why=why)
        return replace(after, stage=CountStage.READY, why="", result=after._found(at, error))

    def _mergers(self, present: frozenset[Uid], reads: Sequence[frozenset[Uid]]) -> set[Uid]:
        """Unknown tags that prove to be two cards read as one: one of the two was not read itself
        in any pass that read the unknown tag."""
        return {
            uid
            for uid in present
            if uid not in self.cards.card_of
            and all(
                any(
                    merged(uid, (one, other), ())
                    for one in present - read
                    for other in present
                    if one != other
                )
                for read in reads
                if uid in read
            )
        }

    def _error(self, unread: int) -> float:
        """The highest chance that one of so many unread cards is in the pack: every pass has left
        it unread, each as likely as the pass left others unread that are known to be there."""
        f, known = self.figures, len(self._present)
        chance = 1.0
        for read in self._read:
            left = known - len(read & self._present)
            chance *= (f.slip * f.slip_weight + left) / (f.slip_weight + known)
        return min(1.0, unread * chance)

    def _reason(self, unread: Collection[str]) -> str:
        """Why the deck is to be passed again, and what to do."""
        if len(unread) > len(FACES) // 2:
            others = [self.cards.card_of[u][0] for u in self._present if u in self.cards.card_of]
            decks = sorted(set(others) - {self.cards.deck})
            if decks and len(others) > len(FACES) // 2:
                return (
                    f"These are cards of the {_and(decks)} deck, and the {self.cards.deck} deck is "
                    f"in play. Pass the {self.cards.deck} deck over, or say that the deck was "
                    "changed."
                )
        how = "Pass the deck over again, one card at a time."
        if not unread:
            return f"A card that does not belong was read for a moment only. {how}"
        cards = "1 card was" if len(unread) == 1 else f"{len(unread)} cards were"
        return f"{cards} not read. {how}"

    def _found(self, at: float, error: float) -> CountResult:
        cards, present = self.cards, self._present
        unread = cards.unread(present)
        faintly = {cards.face_of[u] for u, _ in self._faint if u in cards.face_of}
        known = [cards.card_of[u] for u in present if u in cards.card_of]
        return CountResult(
            deck=cards.deck,
            expected=len(FACES),
            present=len(FACES) - len(unread),
            missing=tuple(face for face in FACES if face in unread),
            nearby=tuple(face for face in FACES if face in unread & faintly),
            extra=tuple(sorted((c for c in known if c[0] != cards.deck), key=_by_deck_and_rank)),
            foreign=sum(uid not in cards.card_of for uid in present),
            jokers=sum(deck == cards.deck and is_joker(face) for deck, face in known),
            duplicates=cards.copies(present),
            passes=self.passes,
            duration_s=max(0.0, at - self.started_at),
            started_at=self.started_at,
            ended_at=at,
            error=error,
        )


def _by_deck_and_rank(card: tuple[str, str]) -> tuple[str, int, str]:
    deck, face = card
    return deck, _RANK_OF.get(face, len(FACES)), face


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _a_card(face: str) -> str:
    return "a joker" if is_joker(face) else f"the {face_name(face)}" if face in FACES else "a card"


def _number(count: int, what: str) -> str:
    return f"There is 1 {what}" if count == 1 else f"There are {count} {what}s"
