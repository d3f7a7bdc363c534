"""What a profile holds: every rule of dealing that a house can set, each value with the clause that
sets it.

`Profile` is what the rules go by; ``controller.rules.profile`` reads one from its TOML file. As
JSON it is part of the journal, so that a replay needs no file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from controller.model.findings import Severity, Street
from controller.rules.catalogue import default_severities
from controller.rules.clauses import STANDARD, prefix_of

T = TypeVar("T")

DECK = 52
BOARD_CARDS = 5
GAMES = ("holdem", "omaha", "omaha8")

STANDARD_NOTE = "standard practice"


class Setting(BaseModel, Generic[T]):
    """A value, the row of the clause that sets it, and a note where the clause is not the
    document's plain word ("standard practice", "assumed rule", "inferred")."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: T
    clause: str
    note: str = ""

    @property
    def cited(self) -> tuple[str, str]:
        """Clause and note, the note of the standard practice included."""
        note = self.note or (STANDARD_NOTE if prefix_of(self.clause) == STANDARD else "")
        return self.clause, note


Game = Literal["holdem", "omaha", "omaha8"]
BurnPlace = Literal["burn", "muck", "beside-board", "under-board"]

_GOES_BY: Mapping[str, tuple[Game, ...]] = MappingProxyType(
    {"holdem": ("holdem",), "omaha": ("omaha",), "omaha8": ("omaha", "omaha8")}
)

Flag = Setting[StrictBool]
Always = Setting[Literal[True]]
SeatCount = Setting[Annotated[StrictInt, Field(ge=2, le=11)]]
HoleCount = Setting[Annotated[StrictInt, Field(ge=1, le=6)]]
BurnCount = Setting[Annotated[StrictInt, Field(ge=0, le=1)]]
BoardCount = Setting[Annotated[StrictInt, Field(ge=1, le=3)]]
Seconds = Setting[Annotated[float, Field(ge=0.5, le=600)]]
Minutes = Setting[Annotated[StrictInt, Field(ge=0, le=1440)]]
Decks = Setting[Annotated[StrictInt, Field(ge=1, le=8)]]
Place = Setting[Literal["centre"]]
FlopStyle = Setting[Literal["face-up", "face-down-then-turn"]]
FirstSeat = Setting[Literal["left-of-button"]]
Direction = Setting[Literal["clockwise"]]
BoardFace = Setting[Literal["up"]]
FlopDeal = Setting[Literal["one-at-a-time", "free"]]
TurnWindow = Setting[Annotated[StrictInt, Field(ge=100, le=10_000)]]
ButtonLast = Setting[Literal["strict", "lawful-double"]]


class Dealing(BaseModel):
    """The settings that may differ from game to game, all optional: a game's own word over the
    profile's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hole_cards: HoleCount | None = None
    hole_passes: HoleCount | None = None
    first_card_seat: FirstSeat | None = None
    deal_direction: Direction | None = None
    one_at_a_time: Flag | None = None
    button_last: ButtonLast | None = None
    dealt_to: Setting[Literal["every-dealt-in-seat"]] | None = None
    hole_cards_face: Setting[Literal["down"]] | None = None
    burn_before_hole_cards: Flag | None = None
    burn_before_flop: BurnCount | None = None
    burn_before_turn: BurnCount | None = None
    burn_before_river: BurnCount | None = None
    burn_place: Setting[tuple[BurnPlace, ...]] | None = None
    flop_cards: BoardCount | None = None
    turn_cards: BoardCount | None = None
    river_cards: BoardCount | None = None
    flop_style: FlopStyle | None = None
    flop_deal: FlopDeal | None = None
    flop_turn_window_ms: TurnWindow | None = None
    board_face: BoardFace | None = None
    board_zone_flop: Place | None = None
    board_zone_turn: Place | None = None
    board_zone_river: Place | None = None
    deal_ends_at_river: Always | None = None
    max_seats: SeatCount | None = None


class Profile(BaseModel):
    """A house's rules of dealing.

    Every parameter is a `Setting`: ``profile.burn_before_flop.value`` and ``.clause``. Settings
    that differ from game to game stand under `game`; ``for_game("omaha")`` gives the profile with
    that game's word in force, and the rules read that one.

    The words of the settings:

    * button_last: ``strict``, the document says that the button is served last, so two cards
      running to it are a notice; ``lawful-double``, they raise nothing.
    * burn_place: where a burn may lie; ``burn`` and ``muck`` are the piles' own zones,
      ``beside-board`` and ``under-board`` mean that a board antenna may read it.
    * burn_at_board: ``allowed``; ``misplaced``, it happens there and is a fault of place; ``never``
      looked for. With the first two a further card at a board antenna while a burn is due and
      unseen is no proof of anything.
    * flop_style: ``face-down-then-turn``, the three lie face down until all are turned, within
      flop_turn_window_ms of each other. flop_deal: ``one-at-a-time`` or ``free``, singly or as one.
    * button_start: ``dealer-left`` or ``dealer-right`` (the first dealt-in seat from there),
      ``none``: not judged. button_draw: whether a one-card draw may settle it instead.
    * button_move: ``next-player``, the next dealt-in seat; ``dead-button`` and
      ``clockwise-each-hand``, on by one place in turn, which may be vacant, never past a player who
      is due it.
    * absent_dead_when: ``own-turn`` (needs entries of the betting), ``others-dealt`` (all others
      have their hole cards), ``last-card`` of the deal, ``off``.
    * muck_touch: ``folded``, a card that touches the muck is; ``ask``, the dealer or floor says.
    * deck_count_interval_min, deck_change_interval_min: 0 means not timed.
    * correction_book: whose remedies are advised: ``tda``, ``wsop-live`` or ``roberts``.

    severities: a code's severity where it differs from the catalogue's. documents: short names of
    the documents whose clauses may be cited beside the standard practice. house_rows: the house's
    own clauses, id → own words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    title: str = Field(min_length=1)
    jurisdiction: str = Field(min_length=1)
    edition: str = ""
    documents: tuple[str, ...] = ()
    house_rows: dict[str, str] = Field(default_factory=dict)
    overlay: str = ""

    games: Setting[tuple[Game, ...]]
    max_seats: SeatCount

    hole_cards: HoleCount
    hole_passes: HoleCount
    first_card_seat: FirstSeat
    deal_direction: Direction
    one_at_a_time: Flag
    button_last: ButtonLast
    dealt_to: Setting[Literal["every-dealt-in-seat"]]
    only_dealt_in: Always
    hole_cards_face: Setting[Literal["down"]]
    hole_cards_stay_down: Always
    deal_quiet_s: Seconds
    redeal_exact: Flag

    burn_before_hole_cards: Flag
    burn_before_flop: BurnCount
    burn_before_turn: BurnCount
    burn_before_river: BurnCount
    burn_place: Setting[tuple[BurnPlace, ...]]
    burn_at_board: Setting[Literal["allowed", "misplaced", "never"]]
    burn_face: Setting[Literal["down"]]

    flop_style: FlopStyle
    flop_deal: FlopDeal
    flop_turn_window_ms: TurnWindow
    flop_cards: BoardCount
    turn_cards: BoardCount
    river_cards: BoardCount
    board_face: BoardFace
    board_zone_flop: Place
    board_zone_turn: Place
    board_zone_river: Place
    board_muck_apart: Always
    deal_ends_at_river: Always

    button_required: Flag
    button_before_opening: Flag
    button_single: Always
    button_start: Setting[Literal["dealer-left", "dealer-right", "none"]]
    button_draw: Flag
    button_move: Setting[Literal["next-player", "dead-button", "clockwise-each-hand"]]
    button_move_when: Setting[Literal["before-first-card", "between-hands"]]
    button_still: Flag

    seat_assigned: Flag
    absent_dealt_in: Flag
    absent_dead_when: Setting[Literal["own-turn", "others-dealt", "last-card", "off"]]
    hands_per_player: Setting[Annotated[StrictInt, Field(ge=1, le=1)]]

    peek: Setting[Literal["always"]]
    cards_on_table: Flag
    hole_lift_grace_s: Seconds
    card_seat_binding: Flag
    muck_touch: Setting[Literal["folded", "ask"]]
    muck_retrieved: Setting[Literal["dead"]]
    fold_face: Setting[Literal["down"]]

    deck_size: Setting[Annotated[StrictInt, Field(ge=DECK, le=DECK)]]
    jokers: Setting[Annotated[StrictInt, Field(ge=0, le=0)]]
    deck_unique: Always
    deck_single: Always
    deck_registered: Always
    deck_exposure: Setting[Literal[False]]
    deck_opening: Setting[Literal["new-sealed", "checked"]]
    decks_at_table: Decks
    deck_count_interval_min: Minutes
    deck_change_interval_min: Minutes
    used_deck_returns: Flag
    shuffle_attested: Flag

    correction_book: Setting[Literal["tda", "wsop-live", "roberts"]]

    severities: dict[str, Severity] = Field(default_factory=dict)
    game: dict[Game, Dealing] = Field(default_factory=dict)

    def for_game(self, game: str) -> Profile:
        """This profile with the game's own settings in force. Omaha high-low goes by Omaha where
        nothing else is said. Any game name is accepted; whether it may be played is `allows`."""
        changes: dict[str, Any] = {}
        for word in _GOES_BY.get(game, ()):
            if (own := self.game.get(word)) is not None:
                changes |= {
                    name: setting
                    for name in type(own).model_fields
                    if (setting := getattr(own, name)) is not None
                }
        if not changes:
            return self
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return Profile.model_construct(**(kept | changes | {"game": {}}))

    def allows(self, game: str) -> bool:
        return game in self.games.value

    def hole_cards_in(self, game: str) -> int:
        return self.for_game(game).hole_cards.value

    def burns_before(self, street: Street | str) -> int:
        """Cards to burn before that street: 0 or 1 (street ``deal``: before the hole cards)."""
        if street == Street.DEAL:
            return int(self.burn_before_hole_cards.value)
        setting: BurnCount = getattr(self, f"burn_before_{street}")
        return setting.value

    def board_cards_of(self, street: Street | str) -> int:
        """Cards that the street brings to the board (0 for the deal)."""
        if street == Street.DEAL:
            return 0
        setting: BoardCount = getattr(self, f"{street}_cards")
        return setting.value

    def cards_needed(self, game: str, seats: int) -> int:
        """Cards that a full hand with that many seats takes off the deck."""
        own = self.for_game(game)
        return seats * own.hole_cards.value + sum(
            own.burns_before(s) + own.board_cards_of(s) for s in Street
        )

    def severity(self, code: str) -> Severity:
        """The severity that a finding of this code has under this profile."""
        if code in self.severities:
            return self.severities[code]
        if code == "HOLE_LAST_NOT_BUTTON" and self.button_last.value == "lawful-double":
            return Severity.INFO
        return default_severities()[code]

    def clause_for(
        self,
        code: str,
        street: Street | str | None = None,
        game: str | None = None,
        detail: str = "",
    ) -> tuple[str, str]:
        """The clause that a finding of this code breaks, and the note that goes with it.

        detail narrows it where a document has more than one row: HOLE_COUNT ``short`` or ``extra``;
        HOLE_DEALT_OUT ``absent`` (the player was away); BTN_MISSING ``opening`` (the table's first
        hand); HOLE_EXPOSED ``player`` (by its owner, later); BOARD_FACE_DOWN ``flop`` or
        ``unturned`` (a flop that lies face down until it is turned). Others are ignored. ("", "")
        for codes of sensor health, and for codes that no setting stands for.
        """
        own = self if game is None else self.for_game(game)
        name = setting_behind(code, street, detail)
        if name is None:
            return "", ""
        setting: Setting[Any] = getattr(own, name)
        return setting.cited

    @property
    def cited_rows(self) -> tuple[str, ...]:
        """Every row id that a setting cites, in any game, in the order of the settings."""
        rows: dict[str, None] = {}
        for source in (self, *self.game.values()):
            for name in type(source).model_fields:
                if isinstance(setting := getattr(source, name), Setting):
                    rows[setting.clause] = None
        return tuple(rows)


_BY_STREET = {
    "BURN_MISSING": "burn_before_{}",
    "BURN_EXTRA": "burn_before_{}",
    "BURN_UNEXPECTED": "burn_before_{}",
    "BOARD_COUNT": "{}_cards",
    "BOARD_POSITION": "board_zone_{}",
}

_BEHIND: Mapping[str, str] = MappingProxyType(
    {
        "HOLE_FIRST_SEAT": "first_card_seat",
        "HOLE_ORDER": "deal_direction",
        "HOLE_TWO_AT_ONCE": "one_at_a_time",
        "HOLE_COUNT": "hole_cards",
        "HOLE_DEALT_OUT": "dealt_to",
        "HOLE_LAST_NOT_BUTTON": "button_last",
        "HOLE_TO_OUTSIDER": "only_dealt_in",
        "HOLE_EXPOSED": "hole_cards_face",
        "BURN_MISPLACED": "burn_place",
        "CARD_AFTER_RIVER": "deal_ends_at_river",
        "BOARD_MUCK_MIX": "board_muck_apart",
        "BURN_FACE_UP": "burn_face",
        "BOARD_FACE_UP_EARLY": "flop_style",
        "FLOP_TURN_SPLIT": "flop_turn_window_ms",
        "FLOP_NOT_SINGLE": "flop_deal",
        "BOARD_FACE_DOWN": "board_face",
        "FOLD_REVEALED": "fold_face",
        "DECK_EXPOSED": "deck_exposure",
        "FACE_OTHER": "deck_registered",
        "CARD_SEAT_MISMATCH": "card_seat_binding",
        "CARDS_OFF_TABLE": "cards_on_table",
        "MUCK_TOUCH": "muck_touch",
        "MUCK_RETRIEVED": "muck_retrieved",
        "REDEAL_NOT_EXACT": "redeal_exact",
        "BTN_MISSING": "button_required",
        "BTN_DUPLICATE": "button_single",
        "BTN_START": "button_start",
        "BTN_NOT_MOVED": "button_move_when",
        "BTN_SKIPPED": "button_move",
        "BTN_BACKWARD": "button_move",
        "BTN_MOVED_MIDHAND": "button_still",
        "DRAW_TIE": "button_draw",
        "SEAT_OVER_MAX": "max_seats",
        "SEAT_UNASSIGNED": "seat_assigned",
        "SEAT_ABSENT_DEAD": "absent_dead_when",
        "HAND_DUPLICATE": "hands_per_player",
        "DECK_SHORT": "deck_size",
        "DECK_EXTRA": "deck_size",
        "DECK_SUSPECT": "deck_size",
        "DECK_DUPLICATE": "deck_unique",
        "DECK_CLONE": "deck_unique",
        "DECK_JOKER": "jokers",
        "DECK_MIXED": "deck_single",
        "DECK_FOREIGN": "deck_registered",
        "DECK_NOT_VERIFIED": "deck_opening",
        "SPARE_DECK_MISSING": "decks_at_table",
        "DECK_COUNT_DUE": "deck_count_interval_min",
        "DECK_CHANGE_DUE": "deck_change_interval_min",
        "DECK_SET_REPLACE_DUE": "used_deck_returns",
        "DECK_RETURNED": "used_deck_returns",
        "SHUFFLE_NOT_CONFIRMED": "shuffle_attested",
        "SHUFFLE_SUSPECT": "shuffle_attested",
        "PROFILE_CONFLICT": "games",
    }
)

_NARROWED: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("HOLE_COUNT", "short"): "hole_passes",
        ("HOLE_COUNT", "button-short"): "hole_passes",
        ("HOLE_DEALT_OUT", "absent"): "absent_dealt_in",
        ("BTN_MISSING", "opening"): "button_before_opening",
        ("HOLE_EXPOSED", "player"): "hole_cards_stay_down",
        ("BOARD_FACE_DOWN", "flop"): "flop_style",
        ("BOARD_FACE_DOWN", "unturned"): "flop_turn_window_ms",
    }
)


@cache
def setting_behind(code: str, street: Street | str | None = None, detail: str = "") -> str | None:
    """The name of the setting that a finding of this code goes by; None if there is none."""
    if (narrowed := _NARROWED.get((code, detail))) is not None:
        return narrowed
    if (pattern := _BY_STREET.get(code)) is None:
        return _BEHIND.get(code)
    place = str(street or Street.FLOP)
    if place == Street.DEAL:
        place = "hole_cards" if pattern.startswith("burn") else str(Street.FLOP)
    return pattern.format(place)


def from_json(text: str) -> Profile:
    """The profile that a `TableOpened` carries. Raises pydantic.ValidationError if it is none."""
    return Profile.model_validate(json.loads(text))
