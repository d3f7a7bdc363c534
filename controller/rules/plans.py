"""Which card goes where, in which order: the plan of a hand as data.

A plan is a list of slots in the required order. What physically happens is compared with it in
`engine`; the plan itself knows no cards and no time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from controller.model.findings import Street
from controller.model.table import Zone, seat_zone

BOARD_STREETS = (Street.FLOP, Street.TURN, Street.RIVER)


class SlotKind(StrEnum):
    BURN = "burn"
    HOLE = "hole"
    BOARD = "board"


@dataclass(frozen=True, slots=True)
class Slot:
    """One place for one card. `index` is its rank in the required order; `round` counts hole passes
    from 1."""

    index: int
    kind: SlotKind
    street: Street
    zone: Zone
    seat: int | None = None
    round: int = 0


@dataclass(frozen=True, slots=True)
class DealPlan:
    """The slots of one hand.

    seats: dealt-in seats in dealing order, the seat left of the button first, the button's seat (if
    dealt in) last. by_seat: hole slots of a seat in round order. burns, board: slots by street.
    first_hole: index of the first hole slot. ordered: False where no button is known, so that only
    counts can be judged.
    """

    slots: tuple[Slot, ...]
    seats: tuple[int, ...]
    button: int | None
    hole_cards: int
    by_seat: Mapping[int, tuple[int, ...]]
    burns: Mapping[Street, tuple[int, ...]]
    board: Mapping[Street, tuple[int, ...]]
    first_hole: int
    last_hole: int
    ordered: bool = True

    @property
    def predeal_burn(self) -> int | None:
        """Index of the burn before the hole cards, where the house has one."""
        early = self.burns[Street.DEAL]
        return early[0] if early else None


@dataclass(frozen=True, slots=True)
class DealShape:
    """How many cards go where: the part of a house's rules that shapes a plan.

    burns: cards burned ahead of each street (DEAL: ahead of the hole cards). board: board cards of
    each street.
    """

    hole_cards: int
    burns: Mapping[Street, int]
    board: Mapping[Street, int]


def dealing_order(seats: Sequence[int], button: int | None) -> tuple[int, ...]:
    """The seats clockwise, beginning left of the button; a button at a seat without a hand is
    passed over."""
    ordered = sorted(seats)
    if button is None:
        return tuple(ordered)
    return tuple([s for s in ordered if s > button] + [s for s in ordered if s <= button])


def make_plan(
    shape: DealShape,
    seats: Sequence[int],
    button: int | None,
    burn_zone: Zone,
    board_zones: Mapping[Street, Zone],
) -> DealPlan:
    """The plan of a hand for the seats that are due cards (source: clauses on dealing order, e.g.
    TDA-order)."""
    slots: list[Slot] = []
    burns: dict[Street, tuple[int, ...]] = {}
    board: dict[Street, tuple[int, ...]] = {}

    def add(kind: SlotKind, street: Street, zone: Zone, seat: int | None = None, n: int = 0) -> int:
        slots.append(Slot(len(slots), kind, street, zone, seat, n))
        return len(slots) - 1

    order = dealing_order(seats, button)
    burns[Street.DEAL] = tuple(
        add(SlotKind.BURN, Street.DEAL, burn_zone) for _ in range(shape.burns[Street.DEAL])
    )
    first_hole = len(slots)
    by_seat: dict[int, list[int]] = {s: [] for s in order}
    for n in range(1, shape.hole_cards + 1):
        for s in order:
            by_seat[s].append(add(SlotKind.HOLE, Street.DEAL, seat_zone(s), s, n))
    last_hole = len(slots) - 1
    for street in BOARD_STREETS:
        burns[street] = tuple(
            add(SlotKind.BURN, street, burn_zone) for _ in range(shape.burns[street])
        )
        board[street] = tuple(
            add(SlotKind.BOARD, street, board_zones[street]) for _ in range(shape.board[street])
        )
    return DealPlan(
        slots=tuple(slots),
        seats=order,
        button=button,
        hole_cards=shape.hole_cards,
        by_seat={s: tuple(i) for s, i in by_seat.items()},
        burns=burns,
        board=board,
        first_hole=first_hole,
        last_hole=last_hole,
        ordered=button is not None,
    )
