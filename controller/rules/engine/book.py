"""The rules in force at a table: a profile read for one game and one layout, as the engine asks for
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from pydantic import TypeAdapter

from controller.model.events import TableOpened
from controller.model.findings import Severity, Street
from controller.model.table import BURN, MUCK, Layout, Zone
from controller.rules import remedies
from controller.rules.clauses import STANDARD, rows_of
from controller.rules.plans import BOARD_STREETS, DealPlan, DealShape, make_plan
from controller.rules.settings import Profile, from_json

_LAYOUT = TypeAdapter(Layout)


def layout_json(layout: Layout) -> str:
    """A layout as the text that a TableOpened carries."""
    return _LAYOUT.dump_json(layout).decode()


@cache
def _layout(text: str) -> Layout:
    return _LAYOUT.validate_json(text)


@cache
def _profile(text: str) -> Profile:
    return from_json(text)


@dataclass(frozen=True)
class Rulebook:
    """A profile in force for `game` at a table of that `layout`."""

    profile: Profile
    layout: Layout
    game: str
    console: bool
    camera: bool

    @cached_property
    def shape(self) -> DealShape:
        own = self.profile
        return DealShape(
            hole_cards=own.hole_cards.value,
            burns={s: own.burns_before(s) for s in Street},
            board={s: own.board_cards_of(s) for s in BOARD_STREETS},
        )

    @cached_property
    def board_zones(self) -> Mapping[Street, Zone]:
        return {s: self.layout.board_zone(s) for s in BOARD_STREETS}

    @cached_property
    def placement_zones(self) -> frozenset[Zone]:
        return frozenset(a.zone for a in self.layout.antennas if a.arrival == "placement")

    @cached_property
    def burn_zones(self) -> tuple[Zone, ...]:
        """Every pile on which this house's burn may lie: a burn is missing only when all of them
        are silent."""
        places = self.profile.burn_place.value
        zones = [self.layout.burn_zone]
        if "muck" in places and MUCK not in zones:
            zones.append(MUCK)
        return tuple(zones)

    @cached_property
    def pile_zones(self) -> tuple[Zone, ...]:
        return tuple(z for z in (BURN, MUCK) if z in self.layout.by_zone)

    @cached_property
    def attested_rows(self) -> tuple[tuple[str, str], ...]:
        """What somebody has to confirm about decks and gear: rows of the documents in force, each
        with its finding code."""
        own = self.profile
        documents = own.documents or (STANDARD,)
        return tuple(
            (row.id, row.codes[0])
            for document in documents
            for row in rows_of(document)
            if row.how == "attested" and row.kind in ("deck", "equipment") and row.codes
        )

    @property
    def burn_may_lie_in_muck(self) -> bool:
        return "muck" in self.profile.burn_place.value

    @property
    def burn_may_lie_beside_board(self) -> bool:
        return self.profile.burn_at_board.value == "allowed"

    @property
    def burn_beside_board_is_open(self) -> bool:
        """Whether a card more at the board, with no burn seen, may be the burn (decision 7)."""
        return self.profile.burn_at_board.value != "never"

    @property
    def button_last_strict(self) -> bool:
        return self.profile.button_last.value == "strict"

    @property
    def button_start(self) -> str:
        return self.profile.button_start.value

    @property
    def quiet_s(self) -> float:
        return self.profile.deal_quiet_s.value

    @property
    def lift_grace_s(self) -> float:
        return self.profile.hole_lift_grace_s.value

    @property
    def absent_dead_when(self) -> str:
        return self.profile.absent_dead_when.value

    @property
    def max_seats(self) -> int:
        return self.profile.max_seats.value

    def severity(self, code: str) -> Severity:
        return self.profile.severity(code)

    def clause(self, code: str, street: Street | None, detail: str = "") -> tuple[str, str]:
        return self.profile.clause_for(code, street, detail=detail)

    def remedy(
        self, code: str, street: Street | None, detail: str, substantial_action: bool | None
    ) -> str:
        return remedies.remedy(self.profile, code, street, detail, substantial_action)

    def plan(self, seats: tuple[int, ...], button: int | None) -> DealPlan:
        return make_plan(self.shape, seats, button, self.layout.burn_zone, self.board_zones)


def rulebook(event: TableOpened) -> Rulebook:
    """The rules that a TableOpened puts in force. Raises pydantic.ValidationError if its profile or
    layout is none."""
    return Rulebook(
        profile=_profile(event.profile).for_game(event.game),
        layout=_layout(event.layout),
        game=event.game,
        console=event.console,
        camera=event.camera,
    )
