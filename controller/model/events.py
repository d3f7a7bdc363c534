"""What happened at the table, in the table's own words: the input of the rules and the body of the
journal.

Every event carries `at`, the monotonic second at which the table knew it, and `seq`, its number in
the journal (0 until it has one). Tokens stand for cards: random, new for every hand, meaningless
outside this process.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NewType, TypeVar

from controller.model.findings import DutyKind
from controller.model.table import Zone

Token = NewType("Token", int)


class SeatStatus(StrEnum):
    """The registry's word on a seat; sensors never change it. IN: due cards. SIT_OUT: seated, not
    due cards. OUT: nobody registered there."""

    IN = "in"
    SIT_OUT = "sit-out"
    OUT = "out"


class TagFault(StrEnum):
    """Integrity of a tag, told as a code; which card it is stays in the vault."""

    FOREIGN = "foreign"
    CLONE = "clone"
    DUPLICATE = "duplicate"
    JOKER = "joker"
    OTHER_DECK = "other-deck"
    OTHER_FACE = "other-face"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCame:
    """A card has settled in a zone.

    before: end of the zone's first poll that saw it. after: start of the k-th last clean poll of
    that zone before then which did not see it (−inf where the record does not reach so far). The
    card arrived between the two with the confidence that the antenna's miss rate and the
    false-alarm budget ask for. source: the zone in which it was last settled in this hand; None if
    it never was (it came from the deck, as far as anybody saw). source == zone means that a lifted
    card was put back.
    """

    at: float
    token: Token
    zone: Zone
    after: float
    before: float
    source: Zone | None = None
    seq: int = 0
    kind: Literal["card-came"] = "card-came"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLeft:
    """A settled card is no longer read in its zone, nor settled elsewhere: lifted, or taken away.
    Not a fold.

    after: end of the last poll that saw it there. before: start of the clean poll from which its
    absence is believed.
    """

    at: float
    token: Token
    zone: Zone
    after: float
    before: float
    seq: int = 0
    kind: Literal["card-left"] = "card-left"


@dataclass(frozen=True, slots=True, kw_only=True)
class StillEmpty:
    """No card has come to `zone` in [since, until]: `clean_polls` clean polls of its antenna, each
    begun at or after `since` and below the antenna's stack limit, named no newcomer. Emitted for
    watched zones only, at k polls (`level` 1), at 2k (`level` 2), and no more. `since` is the
    `since` of the watch that asked."""

    at: float
    zone: Zone
    since: float
    until: float
    clean_polls: int
    level: int
    seq: int = 0
    kind: Literal["still-empty"] = "still-empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGlimpsed:
    """A card from the deck was read at a seat for longer than a flight takes, and taken up or
    folded before it was settled there: the seat was served, though nobody can say since when."""

    at: float
    zone: Zone
    seq: int = 0
    kind: Literal["card-glimpsed"] = "card-glimpsed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCarried:
    """After a hand ended and tokens were renewed: a card that still lies in a zone, under its new
    token."""

    at: float
    token: Token
    zone: Zone
    seq: int = 0
    kind: Literal["card-carried"] = "card-carried"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSide:
    """A camera saw which way up a card lies: the first time after it came, and whenever it changed;
    and, with the same times, once more or again and again while it goes on to lie so: in the
    picture that ended at `at` it did. Which card it is stays in the vault.

    token: the card, where it can be told; None in a zone that has no tokens ("stub", "table") or
    where any of several cards may be meant. up: its face is to be seen. before: end of the first
    picture that showed this side. after: start of the last one before it that did not.
    """

    at: float
    zone: Zone
    up: bool
    after: float
    before: float
    token: Token | None = None
    seq: int = 0
    kind: Literal["card-side"] = "card-side"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidTogether:
    """A camera saw `cards` cards come to a zone as one block, lying on one another, within one
    pair of pictures: `after` is the start of the last one without them, `before` the end of the
    first one with them."""

    at: float
    zone: Zone
    cards: int
    after: float
    before: float
    seq: int = 0
    kind: Literal["laid-together"] = "laid-together"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagVerdict:
    at: float
    token: Token
    zone: Zone
    fault: TagFault
    seq: int = 0
    kind: Literal["tag-verdict"] = "tag-verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLost:
    at: float
    device: str
    zones: tuple[Zone, ...]
    reason: str
    seq: int = 0
    kind: Literal["reader-lost"] = "reader-lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderBack:
    at: float
    device: str
    zones: tuple[Zone, ...]
    seq: int = 0
    kind: Literal["reader-back"] = "reader-back"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonSeen:
    """Where buttons are sensed. None: the sensors cannot tell any more."""

    at: float
    seats: tuple[int, ...] | None
    seq: int = 0
    kind: Literal["button-seen"] = "button-seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSeen:
    """What a chair's sensor says. None: it cannot tell any more."""

    at: float
    seat: int
    occupied: bool | None
    seq: int = 0
    kind: Literal["seat-seen"] = "seat-seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPressed:
    at: float
    key: str
    by: str = "dealer"
    seq: int = 0
    kind: Literal["key-pressed"] = "key-pressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRegistered:
    at: float
    seat: int
    status: SeatStatus
    by: str
    seq: int = 0
    kind: Literal["seat-registered"] = "seat-registered"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonDeclared:
    """The floor says where the button is (tables without button sensors, or to correct one)."""

    at: float
    seat: int
    by: str
    seq: int = 0
    kind: Literal["button-declared"] = "button-declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorSaid:
    """The floor on a finding (`finding` None: on whatever is being asked). word: rule, dismiss or
    confirm."""

    at: float
    word: Literal["rule", "dismiss", "confirm"]
    finding: int | None
    text: str
    by: str
    seq: int = 0
    kind: Literal["floor-said"] = "floor-said"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstantialAction:
    """Somebody says whether substantial action has taken place in this hand; until then it is
    unknown."""

    at: float
    happened: bool
    by: str
    seq: int = 0
    kind: Literal["substantial-action"] = "substantial-action"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckAtTable:
    """A deck that the house has brought to the table. pair: what the decks of one pair share. used:
    taken out of play as used, on an earlier night."""

    name: str
    back: str
    pair: str = ""
    used: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckInPlay:
    """From now on this deck is in play: its first cards have come to the table, or somebody said
    so (`by`)."""

    at: float
    deck: str
    by: str = ""
    seq: int = 0
    kind: Literal["deck-in-play"] = "deck-in-play"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckCounted:
    """The deck in play was counted between two hands, and the result confirmed by somebody.

    present: how many of its `expected` cards were there. missing, duplicated: faces, named now that
    no hand is live; duplicated ones came twice under two tags. other_deck, foreign, jokers: tags
    that are no cards of this deck. passes: how often the deck was passed over. An extra card
    without a tag is not seen by a count.
    """

    at: float
    deck: str
    expected: int
    present: int
    missing: tuple[str, ...] = ()
    duplicated: tuple[str, ...] = ()
    other_deck: int = 0
    foreign: int = 0
    jokers: int = 0
    passes: int = 1
    duration_s: float = 0.0
    by: str = ""
    seq: int = 0
    kind: Literal["deck-counted"] = "deck-counted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountStopped:
    """A count that somebody had begun came to no result; nothing of it is kept."""

    at: float
    reason: str
    seq: int = 0
    kind: Literal["count-stopped"] = "count-stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attested:
    """Somebody confirms what no sensor sees: that the duty of this row of the rules is done."""

    at: float
    row: str
    by: str
    seq: int = 0
    kind: Literal["attested"] = "attested"


@dataclass(frozen=True, slots=True, kw_only=True)
class DutyDeferred:
    """The floor puts a duty off, and says why."""

    at: float
    duty: DutyKind
    reason: str
    by: str
    seq: int = 0
    kind: Literal["duty-deferred"] = "duty-deferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckSuspected:
    """A registered card has stayed unseen for longer than chance allows: missing, or its tag is
    dead. Which one is kept where no rule looks. hands: in how many in a row; 0: it was seen again.
    """

    at: float
    deck: str
    hands: int
    seq: int = 0
    kind: Literal["deck-suspected"] = "deck-suspected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time has passed; sent when a deadline that the rules asked for has come, never otherwise."""

    at: float
    seq: int = 0
    kind: Literal["tick"] = "tick"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResumed:
    """The table goes on after a restart. Tokens of the time before mean nothing any more: cards
    that are read where one lay are taken for it (by position; that they are the same cards nobody
    can say). cards_known: somebody else takes the cards up by their old tokens. away_known: whether
    `at` has gone on by the time that really passed meanwhile; a machine without a trusted clock
    does not know it."""

    at: float
    away_known: bool = True
    cards_known: bool = False
    seq: int = 0
    kind: Literal["table-resumed"] = "table-resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckSoFar:
    """What is known of the decks: the one in play, since when, when it was last counted (monotonic
    seconds; None: not yet) and how many cards were there, whether its age is known, which decks
    were taken out of play, what was confirmed, and how long the last hands took."""

    name: str | None = None
    since: float = 0.0
    counted_at: float | None = None
    present: int | None = None
    age_known: bool = True
    used: tuple[str, ...] = ()
    attested: tuple[str, ...] = ()
    shuffled_at: float | None = None
    hand_lengths_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """What the rules still know of hands that are over and settled.

    hands, findings: how many there were. last_button, last_seats: where the button lay in the last
    hand, and who was dealt in. ended_at: when that hand ended. occupied: seats where a sensor says
    that somebody sits.
    """

    hands: int
    findings: int
    last_button: int | None
    last_seats: tuple[int, ...]
    ended_at: float
    occupied: tuple[int, ...] = ()
    deck: DeckSoFar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    """The table was opened, or its profile or game changed between hands: everything that the rules
    go by.

    profile: the profile's full content as JSON (so that a replay needs no other file). seats:
    status by seat. opening: the first hand is the table's opening. console: money is entered.
    camera: faces can be seen. absent: seats whose chair is empty at the moment. decks: those at the
    table, as far as the house has registered them. anew: after a clean stop between hands; what the
    hands before have left is nobody's concern any more, and the decks go on. so_far: everything
    before is over and settled, and this is what the rules go on from: whoever takes the table up
    again reads no further back. Between hands only; cards that still lie follow as CardCarried.
    """

    at: float
    profile: str
    game: str
    layout: str
    seats: tuple[tuple[int, SeatStatus], ...]
    button: tuple[int, ...] | None = None
    absent: tuple[int, ...] = ()
    opening: bool = False
    console: bool = False
    camera: bool = False
    watch_only: bool = False
    decks: tuple[DeckAtTable, ...] = ()
    anew: bool = False
    so_far: SoFar | None = None
    seq: int = 0
    kind: Literal["table-opened"] = "table-opened"


TableEvent = (
    CardCame
    | CardLeft
    | StillEmpty
    | CardGlimpsed
    | CardCarried
    | CardSide
    | LaidTogether
    | TagVerdict
    | ReaderLost
    | ReaderBack
    | ButtonSeen
    | SeatSeen
    | KeyPressed
    | SeatRegistered
    | ButtonDeclared
    | FloorSaid
    | SubstantialAction
    | DeckInPlay
    | DeckCounted
    | CountStopped
    | DeckSuspected
    | Attested
    | DutyDeferred
    | Tick
    | TableOpened
    | TableResumed
)

E = TypeVar("E", bound=TableEvent)


def numbered(event: E, seq: int) -> E:
    """The same event with its journal number."""
    return dataclasses.replace(event, seq=seq)
