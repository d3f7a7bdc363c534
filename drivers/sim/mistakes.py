"""The mistakes that the dealer robot can make, by name, and how they change the cards of a street.
Pure.

A street is a row of zones, one for each card that leaves the deck. A mistake in dealing changes the
row; a mistake in the course of the betting is an act of its own (see `drivers.sim.robot`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

STREETS = ("deal", "flop", "turn", "river")
BOARD_STREETS = STREETS[1:]
BOARD_CARDS: Mapping[str, int] = {"flop": 3, "turn": 1, "river": 1}


@dataclass(frozen=True, slots=True)
class DealScript:
    """What a legal hand is, as far as the robot must know.

    seats: those due cards, clockwise. hole_cards: 2 in hold'em, 4 in Omaha. cards_per_pass: 1, or 2
    where a house deals so. burns: by street; "deal" is a burn before the hole cards.
    """

    seats: tuple[int, ...]
    hole_cards: int = 2
    cards_per_pass: int = 1
    burns: Mapping[str, int] = field(
        default_factory=lambda: {"deal": 0, "flop": 1, "turn": 1, "river": 1}
    )

    def order(self, button: int) -> tuple[int, ...]:
        """The seats from the one left of the button round to the button."""
        ahead = tuple(s for s in self.seats if s > button)
        return ahead + tuple(s for s in self.seats if s <= button)

    def slots(self, button: int) -> list[int]:
        """The seat of every hole card, in the order in which they are due."""
        row = []
        for first in range(0, self.hole_cards, self.cards_per_pass):
            n = min(self.cards_per_pass, self.hole_cards - first)
            row += [seat for seat in self.order(button) for _ in range(n)]
        return row

    def burns_before(self, street: str) -> int:
        return self.burns.get(street, 0)

    @property
    def cards(self) -> int:
        """How many cards a hand takes that goes to the river."""
        hole = len(self.seats) * self.hole_cards
        return hole + sum(self.burns_before(s) + BOARD_CARDS.get(s, 0) for s in STREETS)


@dataclass(frozen=True, slots=True)
class Planted:
    """A mistake that was made, as the physical truth has it.

    codes: the finding codes that name it rightly, the usual one first. seat: the one due, or the
    one that received where nothing was due; None where no seat is meant. seats: all seats that may
    be named with equal right. street: deal, flop, turn or river. evident_at: when the mistake is
    complete to an eye (a count that stays short: five seconds after the last card, or when the next
    card from the deck shows that nothing more comes).
    """

    kind: str
    codes: tuple[str, ...]
    seat: int | None
    street: str
    evident_at: float
    seats: tuple[int, ...] = ()

    @property
    def code(self) -> str:
        return self.codes[0]


@dataclass(frozen=True, slots=True)
class MistakeKind:
    """A mistake by name. codes: the findings that name it rightly. streets: where it can be made.
    group: whether it is in the hole cards, the burns, the board, which way up a card is dealt, the
    course of the betting, or the button. extra: it takes one card more from the deck than a legal
    hand."""

    kind: str
    codes: tuple[str, ...]
    streets: tuple[str, ...]
    group: str
    extra: bool = False


MISTAKES: Mapping[str, MistakeKind] = {
    m.kind: m
    for m in (
        MistakeKind("wrong-first-seat", ("HOLE_FIRST_SEAT",), ("deal",), "hole"),
        MistakeKind("seat-skipped", ("HOLE_ORDER", "HOLE_COUNT"), ("deal",), "hole"),
        MistakeKind("seat-dealt-out", ("HOLE_DEALT_OUT", "HOLE_ORDER"), ("deal",), "hole"),
        MistakeKind("count-short", ("HOLE_COUNT",), ("deal",), "hole"),
        MistakeKind("count-extra", ("HOLE_COUNT",), ("deal",), "hole", extra=True),
        MistakeKind("adjacent-swap", ("HOLE_ORDER",), ("deal",), "hole"),
        MistakeKind("two-at-once", ("HOLE_TWO_AT_ONCE", "HOLE_ORDER"), ("deal",), "hole"),
        MistakeKind("outsider", ("HOLE_TO_OUTSIDER",), ("deal",), "hole", extra=True),
        MistakeKind("burn-missing", ("BURN_MISSING",), STREETS, "burn"),
        MistakeKind("burn-double", ("BURN_EXTRA",), STREETS, "burn", extra=True),
        MistakeKind(
            "burn-unexpected", ("BURN_UNEXPECTED", "BURN_EXTRA"), STREETS, "burn", extra=True
        ),
        MistakeKind("burn-misplaced", ("BURN_MISPLACED",), BOARD_STREETS, "burn"),
        MistakeKind("board-four-flop", ("BOARD_COUNT",), ("flop",), "board", extra=True),
        MistakeKind("board-two-flop", ("BOARD_COUNT",), ("flop",), "board"),
        MistakeKind("board-two-turn", ("BOARD_COUNT",), ("turn",), "board", extra=True),
        MistakeKind("board-misplaced", ("BOARD_POSITION",), ("turn", "river"), "board"),
        MistakeKind(
            "river-extra", ("CARD_AFTER_RIVER", "BOARD_COUNT"), ("river",), "betting", extra=True
        ),
        MistakeKind("board-mucked", ("BOARD_MUCK_MIX",), BOARD_STREETS, "betting"),
        MistakeKind("card-seat-mismatch", ("CARD_SEAT_MISMATCH",), STREETS, "betting"),
        MistakeKind("muck-retrieved", ("MUCK_RETRIEVED",), STREETS, "betting"),
        MistakeKind("card-foreign", ("DECK_FOREIGN",), STREETS, "betting"),
        MistakeKind("card-joker", ("DECK_JOKER",), STREETS, "betting"),
        MistakeKind("card-other-deck", ("DECK_MIXED",), STREETS, "betting"),
        MistakeKind("card-clone", ("DECK_CLONE",), STREETS, "betting"),
        MistakeKind("card-exposed", ("HOLE_EXPOSED",), ("deal",), "face"),
        MistakeKind("burn-face-up", ("BURN_FACE_UP",), STREETS, "face"),
        MistakeKind("board-face-down", ("BOARD_FACE_DOWN",), BOARD_STREETS, "face"),
        MistakeKind("flop-face-up", ("BOARD_FACE_UP_EARLY",), ("flop",), "face"),
        MistakeKind("button-missing", ("BTN_MISSING",), ("deal",), "button"),
        MistakeKind("button-duplicate", ("BTN_DUPLICATE",), ("deal",), "button"),
        MistakeKind("button-not-moved", ("BTN_NOT_MOVED",), ("deal",), "button"),
        MistakeKind("button-skipped", ("BTN_SKIPPED",), ("deal",), "button"),
        MistakeKind("button-backward", ("BTN_BACKWARD",), ("deal",), "button"),
        MistakeKind("button-moved-midhand", ("BTN_MOVED_MIDHAND",), STREETS, "betting"),
    )
}

STRANGERS = frozenset(("card-foreign", "card-joker", "card-other-deck", "card-clone"))
"""Mistakes that bring a card into the deck which does not belong there."""

TAGS_ALONE = STRANGERS
"""Mistakes that nobody sees on the backs of cards."""


@dataclass(frozen=True, slots=True)
class Row:
    """The zones of a street's cards, in order, and what a mistake in them has to say.

    evident: the card (index) whose landing completes the mistake; short: only what does not come
    completes it.
    """

    zones: tuple[str, ...]
    seat: int | None = None
    seats: tuple[int, ...] = ()
    evident: int | None = None
    short: bool = False


def hole_row(
    script: DealScript,
    button: int,
    mistake: str | None,
    outsiders: Sequence[int],
    chance: random.Random,
) -> Row:
    """The hole cards of a hand, with a mistake of the group "hole" if one is named."""
    order, slots, per = script.order(button), script.slots(button), script.cards_per_pass
    n = len(order)
    match mistake:
        case None:
            return _row(slots)
        case "wrong-first-seat":
            by = chance.randrange(1, n)
            turned = order[by:] + order[:by]
            wrong = [turned[order.index(s)] for s in slots]
            return _row(wrong, order[0], (order[0], turned[0]), 0)
        case "seat-skipped":
            # Neither the very first slot (a wrong first seat) nor the very last one (a short
            # count), nor the button, which may lawfully get its cards together at the end.
            at = chance.choice(
                [i for i in range(per, len(slots) - per, per) if slots[i] != order[-1]]
            )
            return _row(slots[:at] + slots[at + per :], slots[at], (slots[at],), at)
        case "seat-dealt-out":
            seat = chance.choice(order[1:-1])
            return _row([s for s in slots if s != seat], seat, (seat,), slots.index(seat))
        case "count-short":
            return replace(_row(slots[:-1], slots[-1], (slots[-1],)), short=True)
        case "count-extra":
            seat = chance.choice(order)
            return _row([*slots, seat], seat, (seat,), len(slots))
        case "adjacent-swap":
            first = chance.choice(swappable(script))
            a, b, c = first * per, (first + 1) * per, (first + 2) * per
            swapped = slots[:a] + slots[b:c] + slots[a:b] + slots[c:]
            return _row(swapped, slots[a], (slots[a], slots[b]), a)
        case "two-at-once":
            at = chance.randrange(0, n - 1) * per
            late = slots.index(slots[at], at + per)
            again = slots[late : late + per]
            wrong = slots[: at + per] + again + slots[at + per : late] + slots[late + per :]
            return _row(wrong, slots[at + per], (slots[at + per], slots[at]), at + per)
        case "outsider":
            seat = chance.choice(outsiders)
            passes = range(len(slots) // (n * per))
            before = sum(_round(s, button) < _round(seat, button) for s in order) * per
            # A card to an outsider before all others would be a wrong first seat.
            at = chance.choice([i for p in passes if (i := p * n * per + before) > 0] or [per])
            return _row([*slots[:at], seat, *slots[at:]], seat, (seat,), at)
    raise ValueError(f"{mistake} is no mistake in the hole cards")


def swappable(script: DealScript) -> tuple[int, ...]:
    """Turns of the deal that can change places with the next one in the same pass, the first of all
    excepted."""
    n = len(script.seats)
    turns = len(script.slots(0)) // script.cards_per_pass
    return tuple(i for i in range(1, turns - 1) if i // n == (i + 1) // n)


def board_row(zone: str, street: str, mistake: str | None) -> Row:
    """The board cards of a street, with a mistake of the group "board" if one is named."""
    zones = (zone,) * BOARD_CARDS[street]
    match mistake:
        case "board-four-flop" | "board-two-turn":
            return Row((*zones, zone), evident=len(zones))
        case "board-two-flop":
            return Row(zones[:-1], short=True)
        case "board-misplaced":
            return Row((*zones[:-1], "board/flop"), evident=len(zones) - 1)
    return Row(zones)


def with_burns(row: Row, burns: int, mistake: str | None) -> Row:
    """The row with its burns before it, as many as a mistake of the group "burn" makes them."""
    zones = ("burn",) * burns
    evident = None if row.evident is None else row.evident + burns
    match mistake:
        case "burn-missing":
            zones, evident = zones[:-1], burns - 1
        case "burn-double" | "burn-unexpected":
            zones, evident = (*zones, "burn"), burns
        case "burn-misplaced":
            zones, evident = (*zones[:-1], "muck"), burns - 1
    return replace(row, zones=zones + row.zones, evident=evident)


def _row(
    slots: Sequence[int],
    seat: int | None = None,
    seats: tuple[int, ...] = (),
    evident: int | None = None,
) -> Row:
    return Row(tuple(f"seat/{s}" for s in slots), seat, seats, evident)


def _round(seat: int, button: int) -> tuple[bool, int]:
    """Sorts seats clockwise from the one left of the button."""
    return seat <= button, seat
