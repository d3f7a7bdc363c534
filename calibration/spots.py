"""Where a card is laid to measure an antenna: the middle of its mark, and places around it."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.table_plan import CARD_MM, table_plan

_OUT = 0.6  # of the way on which a card still lies wholly on its mark
_STEP_MM = 5.0
_BOARD_STEP_MM = CARD_MM[0] + 6.0
_WORDS = {"board/flop": "the flop", "board/turn": "the turn", "board/river": "the river"}
_WORDS |= {"board": "the board", "burn": "the burn pile", "muck": "the muck"}
_WORDS |= {"count": "the count place", "stub": "the stub's place"}


@dataclass(frozen=True, slots=True)
class Spot:
    """words: for a person, such as "the middle of the mark". across_mm, up_mm: from the middle of
    the mark, along and across its width. x_mm, y_mm: on the table (`drivers.table_plan`)."""

    words: str
    across_mm: float
    up_mm: float
    x_mm: float
    y_mm: float


def place_words(zone: str) -> str:
    """A zone for people: "seat 4", "the burn pile"."""
    return zone.replace("/", " ") if zone.startswith("seat/") else _WORDS.get(zone, zone)


def spots(zone: str, seats: int) -> tuple[Spot, ...]:
    """Five spots of a zone, the middle first. A seat's are told as its player sees them, the others
    as the dealer does. Raises ValueError for a zone that no table has."""
    plan = table_plan(seats)
    area = plan.get(zone) or plan.get(zone.partition("/")[0])
    if area is None:
        raise ValueError(f"no table has a zone {zone}")
    if zone == "board":
        order = (3, 1, 2, 4, 5)
        words = [f"the place of board card {n}" for n in order]
        offsets = [((n - 3) * _BOARD_STEP_MM, 0.0) for n in order]
    else:
        middle = {"board/flop": -_BOARD_STEP_MM, "board/turn": _BOARD_STEP_MM}.get(zone, 0.0)
        middle = 2 * _BOARD_STEP_MM if zone == "board/river" else middle
        small = zone in ("board/turn", "board/river")
        width = CARD_MM[0] + 30.0 if small else area.width_mm
        side = _far((width - CARD_MM[0]) / 2)
        up = _far((area.height_mm - CARD_MM[1]) / 2)
        ahead, back = (
            ("towards the middle of the table", "towards the player")
            if zone.startswith("seat/")
            else ("away from the dealer", "towards the dealer")
        )
        offsets = [(0.0, 0.0), (-side, 0.0), (side, 0.0), (0.0, up), (0.0, -up)]
        words = [
            "the middle of the mark",
            f"a spot {side / 10:g} cm left of the middle",
            f"a spot {side / 10:g} cm right of the middle",
            f"a spot {up / 10:g} cm from the middle, {ahead}",
            f"a spot {up / 10:g} cm from the middle, {back}",
        ]
        offsets = [(x + middle, y) for x, y in offsets]
    return tuple(
        Spot(said, x, y, *area.at(x, y)) for said, (x, y) in zip(words, offsets, strict=True)
    )


def _far(most_mm: float) -> float:
    return max(_STEP_MM, round(most_mm * _OUT / _STEP_MM) * _STEP_MM)
