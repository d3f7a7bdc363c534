"""What the rules remember between two events. Values only: `step` works on a copy and returns it.

Containers are replaced or copied by `RulesState.copy`; whatever lies in them is immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter

from controller.model.events import CardCame, DeckAtTable, LaidTogether, SeatStatus, Token
from controller.model.findings import DutyKind, Finding, Severity, Street
from controller.model.table import Zone
from controller.rules.engine.book import Rulebook
from controller.rules.plans import DealPlan

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Fill:
    """An arrival that took a slot, with the interval that is fixed for good. `token` None: excused
    by the floor."""

    token: Token | None
    after: float
    before: float
    seq: int
    at: float


@dataclass(frozen=True, slots=True)
class CardAt:
    """Where a card is believed to be. `lifted`: no longer read there, nor anywhere else.
    `returned`: it was put back on the stub as a remedy, so that its next arrival comes from the
    deck again."""

    zone: Zone
    origin: Zone | None  # zone it lay in before, None: the deck
    after: float
    before: float
    lifted_since: float | None = None
    slot: int | None = None
    returned: bool = False
    carried: bool = False
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a card as a camera saw it (`CardSide`). up None: nobody has seen the card since the
    side before it was seen. until: end of the latest picture that showed it so."""

    up: bool | None
    after: float
    before: float
    seq: int
    until: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What a camera has seen of the cards of this hand: the sides of each card in the order in
    which they were seen, those of zones whose cards cannot be told apart, and blocks of cards.
    Never changed in place."""

    cards: Mapping[Token, tuple[Side, ...]] = field(default_factory=dict)
    zones: Mapping[Zone, tuple[Side, ...]] = field(default_factory=dict)
    blocks: tuple[LaidTogether, ...] = ()


FaceCase = tuple[str, int | str, float]
"""A mistake of faces: what it is, whose card (a token, a zone, a street), and since when."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """A hole card that showed its face: the finding about it, whether the dealer dealt it so, and
    the finding's detail."""

    token: Token
    seat: int
    finding: int
    dealt: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A card seems not to have come: `zones` were all asked to be silent since `since`; `silent`
    are those that were.

    code, street, seat, zone, expected, seen: what the question would say. `slots`: the plan's slots
    it is about; another order mistake that touches one of them follows from this one. `finding`:
    None until the question is shown. `step`: 1 until the question, 2 until the warning, 3 done.
    `not_before`: earliest second for the question.
    """

    code: str
    street: Street
    seat: int | None
    zone: Zone | None
    zones: tuple[Zone, ...]
    since: float
    slots: frozenset[int]
    missing: frozenset[int] = frozenset()
    silent: frozenset[Zone] = frozenset()
    evidence: tuple[int, ...] = ()
    seen: str = ""
    expected: str = ""
    finding: int | None = None
    step: int = 1
    not_before: float = NEVER
    evident: float = 0.0
    token: Token | None = None
    counts: tuple[int, int] | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A judgement that waits for what else comes: `what` on `token` in `zone`, decided at `due`."""

    what: str
    token: Token
    zone: Zone
    due: float
    seq: int
    evident: float
    street: Street | None = None
    origin: Zone | None = None
    slots: tuple[int, int] | None = None  # the late and the early slot of an order mistake
    asked: bool = False  # it is a question on the board already
    # The pile to which the card might have gone is known to have stayed as it was.
    silent: bool = False


@dataclass(slots=True)
class Hand:
    """One hand, from its first card to its end."""

    number: int
    plan: DealPlan
    button: int | None
    began: float
    fills: dict[int, Fill] = field(default_factory=dict)
    closed: bool = False  # the deal of hole cards is over
    closed_at: float = 0.0
    last_hole_at: float = NEVER  # `before` of the latest hole card
    last_board_at: float = NEVER
    suspicions: tuple[Suspicion, ...] = ()
    pendings: tuple[Pending, ...] = ()
    folded: frozenset[int] = frozenset()
    burned_from_seat: dict[int, Token] = field(
        default_factory=dict
    )  # seat → its one card that went to the burn pile
    extra_board: tuple[Token, ...] = ()  # board cards beyond the plan
    extra_seat: dict[int, tuple[Token, ...]] = field(default_factory=dict)
    extra_burns: tuple[Token, ...] = ()
    unknown_in_pile: tuple[Token, ...] = ()  # deck-origin cards in the muck
    replaced: frozenset[int] = frozenset()
    pile_left: dict[Token, float] = field(
        default_factory=dict
    )  # board, burn and muck cards taken up, and when
    provisional: bool = False  # no hole card has come: what lies may still be a wash
    announced: bool = False
    late_burns: dict[int, int] = field(
        default_factory=dict
    )  # slot filled late → finding it corrected
    blind: frozenset[Zone] = frozenset()  # zones that were blind at some time in this hand
    dead: frozenset[int] = frozenset()
    absent_tested: frozenset[int] = frozenset()
    substantial_action: bool | None = None
    order_slots: frozenset[int] = frozenset()  # slots that a shown order finding is about
    order_findings: tuple[
        tuple[int, int | None], ...
    ] = ()  # (finding, seat) of shown order findings
    wrong_first: bool = False
    by_silence: frozenset[int] = frozenset()  # order questions that a seat's full count answers
    boundary: tuple[float, float] = (NEVER, NEVER)  # after and before of the last fold or burn
    excused: frozenset[int] = frozenset()  # slots about which the floor wants to hear no more
    cannot_tell: frozenset[str] = frozenset()  # codes that this hand can no longer decide
    beside_board: dict[Street, Token] = field(default_factory=dict)  # burns laid beside the board
    at_seat: dict[Token, int] = field(default_factory=dict)  # the seat a hole card belongs to
    token_findings: dict[Token, int] = field(
        default_factory=dict
    )  # finding that a card's place raised
    faces: dict[FaceCase, int] = field(
        default_factory=dict
    )  # mistakes of faces that are settled, and the finding of each (0: none)
    exposures: tuple[Exposure, ...] = ()
    last_turned_at: float = NEVER  # when the dealer last answered that board cards are turned
    ceilings: dict[int, Severity] = field(
        default_factory=dict
    )  # findings that are no graver than this, whatever their code

    def copy(self) -> Hand:
        new = Hand(*_hand_fields(self))
        new.fills = dict(self.fills)
        new.burned_from_seat = dict(self.burned_from_seat)
        new.extra_seat = dict(self.extra_seat)
        new.late_burns = dict(self.late_burns)
        new.beside_board = dict(self.beside_board)
        new.at_seat = dict(self.at_seat)
        new.token_findings = dict(self.token_findings)
        new.pile_left = dict(self.pile_left)
        new.faces = dict(self.faces)
        new.ceilings = dict(self.ceilings)
        return new


# One C call that reads every field: `dataclasses.replace` took half of the time of a step.
_hand_fields = attrgetter(*(f.name for f in fields(Hand)))


@dataclass(frozen=True, slots=True)
class Redeal:
    """What an exact redeal has to repeat."""

    button: int | None
    seats: tuple[int, ...]
    game: str


@dataclass(frozen=True, slots=True)
class DeckState:
    """What the rules know of the decks. Never changed in place.

    name: the deck in play. since, counted_at: monotonic seconds of its coming into play, and of the
    last completed count. age_known: False after a start that does not know how long the machine was
    off. used: decks taken out of play. asked: the finding of every duty past its limit. deferred:
    the floor's reasons. attested: rows that somebody confirmed. shuffled_at: the last time that the
    dealer said so. suspected, counted: findings that a later count settles.
    """

    name: str | None = None
    since: float = 0.0
    counted_at: float | None = None
    present: int | None = None  # cards that the last count found
    age_known: bool = True
    used: frozenset[str] = frozenset()
    asked: Mapping[DutyKind, int] = field(default_factory=dict)
    deferred: Mapping[DutyKind, str] = field(default_factory=dict)
    attested: frozenset[str] = frozenset()
    attested_findings: tuple[int, ...] = ()
    shuffled_at: float | None = None
    hand_lengths_s: tuple[float, ...] = ()
    suspected: int | None = None
    counted: tuple[int, ...] = ()


@dataclass(slots=True)
class RulesState:
    """Everything the rules know. `closed()` makes one; the first event must be a TableOpened."""

    book: Rulebook | None = None
    seats: dict[int, SeatStatus] = field(default_factory=dict)
    absent: frozenset[int] = frozenset()
    # What the button sensors say; None: no sensors, and nothing declared.
    buttons: tuple[int, ...] | None = None
    button_log: tuple[tuple[float, tuple[int, ...]], ...] = ()  # readings since the last hand
    occupied: frozenset[int] = frozenset()  # seats where a sensor says that somebody sits
    adopt: tuple[
        Token, ...
    ] = ()  # cards of the time before a restart that nobody has read again yet
    lone: Pending | None = None  # a single card that came to a seat between hands
    last_button: int | None = None
    last_seats: tuple[int, ...] = ()
    opening: bool = False
    hands: int = 0
    hand: Hand | None = None
    cards: dict[Token, CardAt] = field(default_factory=dict)
    seen: Seen = Seen()  # by a camera
    loose: tuple[CardCame, ...] = ()
    redeal: Redeal | None = None
    findings: dict[int, Finding] = field(
        default_factory=dict
    )  # asking or open, and all of the present hand
    next_finding: int = 1
    lost: dict[str, tuple[Zone, ...]] = field(default_factory=dict)
    watch_only: bool = False
    ended_at: float = NEVER
    quieted: frozenset[int] = frozenset()
    called: frozenset[str] = frozenset()  # registry findings already said, by code and seat
    decks: tuple[DeckAtTable, ...] = ()  # those that the house has brought to the table
    deck: DeckState = DeckState()
    next_duty_at: float = float("inf")  # the next limit of a duty of which nothing has been said

    def copy(self) -> RulesState:
        new = RulesState(*_state_fields(self))
        new.seats = dict(self.seats)
        new.hand = self.hand.copy() if self.hand else None
        new.cards = dict(self.cards)
        new.findings = dict(self.findings)
        new.lost = dict(self.lost)
        return new


_state_fields = attrgetter(*(f.name for f in fields(RulesState)))
