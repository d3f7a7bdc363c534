"""What a table has learned over nights, for `burnturn deck`: worn tags and the house's shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from controller.config import Config
from controller.floor.client import NotRunningError, operator, say
from controller.floor.commands import Command, FloorError
from controller.integrity.box import DeckBox
from controller.integrity.deck_watch import returns_of
from controller.integrity.decks import Deck
from controller.integrity.house_record import Belief, HouseRecord
from controller.integrity.memory import HouseMemory, MemoryFileError
from controller.integrity.shuffles import AGES, FIT_HANDS, Returns, Shuffle, comes_back
from controller.model.findings import Stage
from controller.watching import usual_shuffle
from drivers.readings import Uid


@dataclass(frozen=True, slots=True, repr=False)
class DeckWear:
    """A deck's tags at the table, in nights that are over. rates: reads a look, lately, of the tags
    that were looked at. weak: tags that are wearing out."""

    rates: Mapping[Uid, float]
    weak: frozenset[Uid]
    deck_rate: float
    nights: int


@dataclass(frozen=True, slots=True)
class Learned:
    """The house's shuffle. stated: what the configuration says of it. belief: what was fitted, None
    if it were too few hands. returns: what was counted in this game up to the last hand."""

    stated: str
    usual: Shuffle
    belief: Belief | None
    returns: Returns

    @property
    def believed(self) -> Shuffle:
        return self.usual if self.belief is None else self.belief.shuffle


def worn(config: Config, decks: Iterable[Deck], warn: Callable[[str], None]) -> dict[str, DeckWear]:
    """How worn each of these decks is; where that cannot be read, nothing is known of it."""
    record = HouseRecord()
    try:
        record = _memory(config).record()
    except MemoryFileError as error:
        warn(str(error))
    found = {}
    for deck in decks:
        wear = record.wear(tag.uid for tag in deck.cards)
        found[deck.name] = DeckWear(
            rates={uid: wear.read_rate(uid) for uid in wear.nights},
            weak=frozenset(wear.uid(weak) for weak in wear.weak()),
            deck_rate=wear.deck_rate,
            nights=record.nights,
        )
    return found


def hand_is_on(config: Config) -> bool:
    """Whether a table is being watched at which a hand is on, or may be: then no card is named."""
    try:
        answer = say(config.socket, Command(do="status", by=operator()))
    except NotRunningError:
        return False
    except FloorError:
        return True
    return answer.data.get("stage") not in (Stage.CLOSED.value, Stage.BETWEEN.value)


def learned_shuffle(config: Config) -> Learned:
    """What is believed, and counted, of the shuffle. Raises MemoryFileError."""
    memory = _memory(config)
    record, kept = memory.record(), memory.tonight()
    usual = usual_shuffle(config)
    return Learned(
        config.file.decks.shuffle,
        usual,
        record.beliefs.get(usual.hole),
        returns_of(record, kept, usual.hole),
    )


def _memory(config: Config) -> HouseMemory:
    return HouseMemory(DeckBox(config.deck_file, config.deck_key), {})


# ---- words


def shuffle_words(learned: Learned) -> Iterator[str]:
    """Line by line, for the floor."""
    hands = learned.returns.hands
    yield f"believed: {learned.believed}"
    belief = learned.belief
    if belief is None:
        yield (
            f'  as the house says of itself ([decks] shuffle = "{learned.stated}"); from'
            f" {FIT_HANDS} hands on the table goes by what it counts, so far {_hands(hands)}"
        )
    elif belief.explained:
        yield f"  fitted to {_hands(belief.hands)}; it explains how often cards came back in them"
    else:
        yield (
            f"  fitted to {_hands(belief.hands)}; no shuffle known here explains how often cards"
            " came back in them, so the one that hides a card longest is believed: a missing card"
            " is suspected later, never sooner"
        )
        yield "Next: see whether the dealers keep to the routine, and whether all antennas read"
    if belief is not None:
        yield f"the house says of itself: {learned.stated} ({learned.usual})"
    yield "  (acts in their order; gathered cards lie on the stub; stub-over: the stub on them)"
    if not any(learned.returns.waited):
        return
    yield (
        f"counted in {_hands(hands)}, {learned.returns.seen_share:.0%} of the dealt cards seen;"
        " a card that was last seen"
    )
    expected = comes_back(learned.believed, learned.returns)
    for age, (waited, again) in enumerate(
        zip(learned.returns.waited, learned.returns.again, strict=True)
    ):
        if waited:
            when = "in the hand before" if not age else f"{age + 1} hands before"
            when = f"{AGES} hands before, or more" if age == AGES - 1 else when
            yield (
                f"  {when:24}  came again {again:6,} of {waited:6,} times, {again / waited:4.0%};"
                f" believed {expected[age]:4.0%}"
            )


def shuffle_told(learned: Learned) -> dict[str, object]:
    """The same as plain values."""
    returns, belief = learned.returns, learned.belief
    return {
        "believed": [
            {"share": share, "routine": str(routine)} for share, routine in learned.believed.parts
        ],
        "stated": learned.stated,
        "fitted_to_hands": belief.hands if belief is not None else None,
        "explained": belief.explained if belief is not None else None,
        "fitted_from_hands": FIT_HANDS,
        "hands": returns.hands,
        "seen_share": round(returns.seen_share, 4),
        "waited": list(returns.waited),
        "again": list(returns.again),
        "expected": (
            [round(c, 4) for c in comes_back(learned.believed, returns)] if returns.hands else []
        ),
    }


def _hands(count: int) -> str:
    return "1 hand" if count == 1 else f"{count:,} hands"
