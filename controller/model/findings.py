"""Findings, verdicts and what else the rules say. None of them holds an identity or a token."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from controller.model.table import Zone


class Severity(StrEnum):
    """In ascending gravity; `warning` and above alarm."""

    INFO = "info"
    NOTICE = "notice"
    WARNING = "warning"
    MISDEAL = "misdeal"
    FOULED = "fouled"
    SECURITY = "security"

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


class Street(StrEnum):
    DEAL = "deal"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"


class FindingState(StrEnum):
    ASKING = "asking"  # a question on the board: its evidence is a silence so far
    OPEN = "open"
    CORRECTED = (
        "corrected"  # the usual remedy was carried out, or the missing card was read after all
    )
    RULED = "ruled"
    DISMISSED = "dismissed"  # a wrong reading, says the floor
    CLOSED = "closed"  # the hand is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mistake at the table, as far as it is known; a later version with the same `id` replaces
    it.

    code: a code of the findings table; `codes`: every code it has borne, oldest first. clause: row
    id of the clause that it breaks ("" only for sensor health and security). seat: the seat due, or
    the one that received where nothing was due there. expected, seen: short phrases. evidence:
    journal numbers of the events that prove it. remedy: the usual correction, both cases where it
    hangs on substantial action. first_at: when it was first shown; at: when this version was
    decided; delay_s: from the first evidence that could have shown it to `first_at`.
    """

    id: int
    code: str
    codes: tuple[str, ...]
    severity: Severity
    state: FindingState
    clause: str
    clause_note: str = ""  # e.g. "standard practice", "assumed rule"
    hand: int
    street: Street | None
    seat: int | None = None
    zone: Zone | None = None
    expected: str = ""
    seen: str = ""
    board_text: str = ""  # at most 16 characters for the LED board
    remedy: str = ""
    evidence: tuple[int, ...] = ()
    first_at: float = 0.0
    at: float = 0.0
    delay_s: float = 0.0
    stood: bool = False  # it has been more than a question at some time
    ruling: str = ""
    by: str = ""

    @property
    def asking(self) -> bool:
        return self.state is FindingState.ASKING

    @property
    def alarming(self) -> bool:
        """Whether it stands as an alarm: warning or above, and neither settled nor merely asked."""
        return self.state is FindingState.OPEN and self.severity.rank >= Severity.WARNING.rank


class Judgement(StrEnum):
    IN_ORDER = "in order"
    VIOLATION = "violation"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the table can say about one question of one street (code: the finding that a violation
    would be)."""

    at: float
    hand: int
    code: str
    street: Street
    judgement: Judgement
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingChanged:
    finding: Finding
    kind: Literal["finding"] = "finding"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChanged:
    verdict: Verdict
    kind: Literal["verdict"] = "verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBegan:
    at: float
    hand: int
    button: int | None
    seats: tuple[int, ...]
    kind: Literal["hand-began"] = "hand-began"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnded:
    """The hand is over; whoever keeps the tokens must renew them now."""

    at: float
    hand: int
    reason: Literal["key", "gather", "misdeal"]
    kind: Literal["hand-ended"] = "hand-ended"


Said = FindingChanged | VerdictChanged | HandBegan | HandEnded


@dataclass(frozen=True, slots=True)
class Watch:
    """The rules want to know whether a card comes to `zone` after `since` (monotonic seconds)."""

    zone: Zone
    since: float


@dataclass(frozen=True, slots=True)
class Sensed:
    """What is open in the zones, of which only looks can tell more.

    undecided: where a few looks more would decide something. arriving: those of them to which a
    card seems to have come from the deck, the first to come first. searched: where k looks have
    found nothing new since the last of those was first read. close: whether looks follow each other
    so closely that k of them at one place, every other one, fit between two dealt cards: only then
    can they prove an order.
    """

    undecided: tuple[Zone, ...] = ()
    arriving: tuple[Zone, ...] = ()
    searched: frozenset[Zone] = frozenset()
    close: bool = True


class Stage(StrEnum):
    CLOSED = "closed"
    BETWEEN = "between"
    DEAL = "deal"
    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"


class DutyKind(StrEnum):
    """What a deck asks for by the clock."""

    COUNT = "count"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty of the clock. due_at: monotonic second of its limit. ask_at: from then on it is asked
    for between hands: ahead of the limit, and early enough that no hand carries past it. deferred:
    the floor's reason for putting it off. age_known: False where nobody knows for how long the deck
    has been in play, and it is due at once."""

    kind: DutyKind
    due_at: float
    ask_at: float
    deferred: str = ""
    age_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What the LED board and the plan of the table may show: places and counts, never values.

    due: zones where the next cards go, in order. seats: dealt-in seats. cards: settled cards by
    seat. lifted: seats whose cards are in the player's hand. folded: seats out of the hand. burned:
    whether the burn for the current or next street lies. board: board cards. blind: zones whose
    reader is lost. deck: the one in play, where decks are registered. counted: how many of its
    cards the last count found. duties: what it asks for by the clock, soonest first.
    """

    stage: Stage
    hand: int
    button: int | None
    game: str
    profile: str
    hole_cards: int
    seats: tuple[int, ...] = ()
    due: tuple[Zone, ...] = ()
    cards: tuple[tuple[int, int], ...] = ()
    lifted: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    absent: tuple[int, ...] = ()
    burned: bool = False
    burns: int = 0
    board: int = 0
    blind: tuple[Zone, ...] = ()
    watch_only: bool = False
    findings: tuple[Finding, ...] = ()  # asking or open, gravest first
    deck: str | None = None
    counted: int | None = None
    duties: tuple[Duty, ...] = ()
