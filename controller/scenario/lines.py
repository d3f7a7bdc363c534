"""The lines of a scenario file as values: a frozen dataclass per set-up line, act, expectation.

`line` is the number of the file's line (0: built by hand) and takes no part in comparisons.
Durations are seconds, rates are shares of 1, money is in chips.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from controller.model.findings import Street
from controller.model.table import MAX_SEATS

LAST_SEAT = MAX_SEATS + 1
"""The highest seat number of a file: one more than a table has, for one player too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    line: int = field(default=0, compare=False)


# Places and cards


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """The felt before a seat."""

    seat: int


PileName = Literal["burn", "board", "flop", "turn", "river", "muck", "count", "off-table", "stub"]


@dataclass(frozen=True, slots=True)
class Pile:
    """Any other place. `flop`, `turn`, `river`: the board's own places, where it has any."""

    name: PileName


Place = SeatPlace | Pile


@dataclass(frozen=True, slots=True)
class CardAt:
    """The `card`-th card that arrived at a place and lies there (1 and up); the stub's top card."""

    place: Place
    card: int = 1


# Set-up


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileLine(_Line):
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine(_Line):
    game: Literal["holdem", "omaha", "omaha8"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsLine(_Line):
    """Who is due cards, by the registry."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentLine(_Line):
    """Chairs that are empty; () fills them all."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchLine(_Line):
    what: Literal["camera", "console"]
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonLine(_Line):
    """Where dealer buttons lie: no seat, one, or by mistake more. Set-up line and act."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningLine(_Line):
    """The first hand is the table's opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AntennasLine(_Line):
    """How the table departs from the reference table.

    max_stack: by seat, burn, board, muck; () means no limits. none: it has no antennas at all, and
    a camera sees its cards.
    """

    board: Literal["one", "three"] = "one"
    burn: Literal["own", "muck"] = "own"
    stub: Literal["none", "own"] = "none"
    count: Literal["own", "burn"] = "own"
    placement_seats: tuple[int, ...] = ()
    max_stack: tuple[tuple[str, int], ...] = ()
    none: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DecksLine(_Line):
    pairs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckLine(_Line):
    """This deck is in play, in an order that follows from the seed.

    Set-up line, and the act of changing decks.
    """

    deck: str
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseLine(_Line):
    miss: float = 0.0
    cross: float = 0.0
    sweep_s: float = 0.4
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceLine(_Line):
    pace_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelLine(_Line):
    small: int
    big: int


# What the dealer and the players do


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnAct(_Line):
    """face_up None: as the house deals it, face down."""

    face_up: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleAct(_Line):
    """Hole cards in order: the rest of the deal, up to and with a seat, or one whole pass."""

    until_seat: int | None = None
    deal_pass: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetAct(_Line):
    """Three, one or one card to the board, without a burn. face_up None: as the house deals them.
    block: laid down together, as one."""

    street: Literal["flop", "turn", "river"]
    face_up: bool | None = None
    block: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DealAct(_Line):
    """One card from the stub. face_up None: as the house deals it there."""

    to: Place
    face_up: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAct(_Line):
    """A card lying beside a placement antenna is brought onto it; runs beside what follows."""

    seat: int
    card: int
    after_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldAct(_Line):
    seat: int
    face_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftAct(_Line):
    """A peek; runs beside what follows."""

    seat: int
    for_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAct(_Line):
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeAct(_Line):
    card: CardAt


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUpAct(_Line):
    """Board cards that lay face down are turned together."""

    street: Literal["flop", "turn", "river"] = "flop"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDownAct(_Line):
    """A card is turned so that its face is hidden."""

    card: CardAt


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashAct(_Line):
    """A card shows its face for a moment; runs beside what follows."""

    card: CardAt
    for_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverAct(_Line):
    """A hand or an arm is between the camera and a place, or (None) before its lens; runs beside
    what follows."""

    place: Place | None
    for_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAct(_Line):
    """stub_end: where in the stub the card goes (only with the stub as its goal)."""

    card: CardAt
    to: Place
    stub_end: Literal["top", "bottom"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapAct(_Line):
    """A card is replaced in secret. deck: for `card of`. of: the card that is doubled or cloned."""

    card: CardAt
    by: Literal["foreign", "joker", "card of", "duplicate of", "clone of"]
    deck: str | None = None
    of: CardAt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrambleAct(_Line):
    place: Place
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GatherAct(_Line):
    """The dealer collects every card of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleAct(_Line):
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReshuffleStubAct(_Line):
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChairAct(_Line):
    seat: int
    occupied: bool


KeyName = Literal[
    "shuffled",
    "new-hand",
    "end-hand",
    "misdeal",
    "count",
    "confirm",
    "deck-change",
    "turned",
    "quiet",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyAct(_Line):
    key: KeyName


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryAct(_Line):
    status: Literal["in", "sit-out", "out"]
    seat: int


# Faults of the hardware


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFault(_Line):
    """A reader stops answering. for_s None: for good."""

    reader: int
    for_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AntennaFault(_Line):
    """stuck: keeps answering its last look. ghost: names a tag that is not there. noise: rubbish.

    for_s None: for good.
    """

    antenna: int
    fault: Literal["stuck", "ghost", "noise"]
    for_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadTagFault(_Line):
    """The tag of a card of the deck in play answers no more."""

    face: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SwappedTagsFault(_Line):
    """The tags of two cards of the deck in play were exchanged long ago."""

    faces: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFault(_Line):
    """lost: the camera stops answering. blurred: its pictures are too poor to be read. for_s None:
    for good."""

    fault: Literal["lost", "blurred"]
    for_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFault(_Line):
    """A card is not read where it lies. for_s None: until it is moved or put down anew."""

    card: CardAt
    for_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockJumpAct(_Line):
    """The wall clock jumps by so many seconds (may be negative)."""

    by_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRtcAct(_Line):
    """From the next boot on, no trusted time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitAct(_Line):
    for_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCutAct(_Line):
    for_s: float = 0.0


# Console


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAct(_Line):
    seat: int
    blind: Literal["small", "big"]
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnteAct(_Line):
    seat: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StackAct(_Line):
    seat: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardAct(_Line):
    seat: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAct(_Line):
    """amount: of a bet, or what a raise raises to."""

    seat: int
    word: Literal["fold", "check", "call", "bet", "raise", "all-in"]
    amount: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAct(_Line):
    """The floor's ruling on the newest open finding of this code."""

    code: str
    ruling: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissAct(_Line):
    """The floor says that the newest finding of this code was a wrong reading."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttestAct(_Line):
    """Somebody confirms what no sensor sees. row: None: every row that is due at that point."""

    row: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDeckAct(_Line):
    """The deck passes over the count antenna. plus: foreign, joker, or a face that comes twice."""

    minus: tuple[str, ...] = ()
    plus: str | None = None


# Expectations

StateName = Literal["asking", "open", "corrected", "ruled", "dismissed", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectFinding(_Line):
    """One finding that bears or has borne one of `codes`; every attribute given must fit."""

    codes: tuple[str, ...]
    seat: int | None = None
    street: Street | None = None
    clause: str | None = None
    zone: str | None = None
    state: StateName | None = None
    within_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectCannotTell(_Line):
    """The verdict on one of `codes` is undecided, and nothing is alarmed."""

    codes: tuple[str, ...]
    street: Street | None = None
    within_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectBoard(_Line):
    """This text stands on the LED board."""

    text: str
    within_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectNone(_Line):
    """Nothing of notice or above has come since the last expectation."""


SetUp = (
    ProfileLine
    | GameLine
    | SeatsLine
    | AbsentLine
    | SwitchLine
    | ButtonLine
    | OpeningLine
    | AntennasLine
    | DecksLine
    | DeckLine
    | NoiseLine
    | PaceLine
    | LevelLine
)

Act = (
    BurnAct
    | HoleAct
    | StreetAct
    | DealAct
    | PlaceAct
    | FoldAct
    | LiftAct
    | ShowAct
    | ExposeAct
    | TurnUpAct
    | TurnDownAct
    | FlashAct
    | CoverAct
    | MoveAct
    | SwapAct
    | ScrambleAct
    | GatherAct
    | ShuffleAct
    | ReshuffleStubAct
    | ChairAct
    | KeyAct
    | RegistryAct
    | ReaderFault
    | AntennaFault
    | DeadTagFault
    | SwappedTagsFault
    | CameraFault
    | UnreadFault
    | ClockJumpAct
    | NoRtcAct
    | WaitAct
    | PowerCutAct
    | PostAct
    | AnteAct
    | StackAct
    | AwardAct
    | PlayerAct
    | RuleAct
    | DismissAct
    | AttestAct
    | CountDeckAct
)

Expectation = ExpectFinding | ExpectCannotTell | ExpectBoard | ExpectNone

ScenarioLine = SetUp | Act | Expectation

DEALING = (BurnAct, HoleAct, StreetAct, DealAct, MoveAct, FoldAct)
"""Acts that put cards down; `fault unread` lines right behind one hide its cards as they land."""

REPEATABLE = (
    SeatsLine,
    AbsentLine,
    ButtonLine,
    DeckLine,
    LevelLine,
    GameLine,
    ProfileLine,
)
"""Set-up lines that may come again between hands and then change the registry or the table."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole file.

    covers: ids of the rule rows that a comment says it shows (``# covers: NJ-T-e6-1, IRR-31``).
    """

    lines: tuple[ScenarioLine, ...]
    covers: tuple[str, ...] = field(default=(), compare=False)
