"""A table without antennas: what a camera's pictures prove, and what they do not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.model.events import (
    CardCame,
    CardLeft,
    CardSide,
    LaidTogether,
    ReaderBack,
    ReaderLost,
    StillEmpty,
    TableEvent,
)
from controller.model.findings import Watch
from controller.model.table import BOARD, BURN, MUCK, LayoutOptions, Zone, reference_layout
from controller.sensing import Sensing, SightSensing
from controller.vault import Vault
from drivers.readings import AreaSight, Face, SeenCard, Side, Sight

LAYOUT = reference_layout(LayoutOptions(seats=4, camera="alone"))
FRAME_S = 0.125
ZONES = ("seat/1", "seat/2", "seat/3", "seat/4", "board", "burn", "muck", "stub", "table")


def card(
    x: float = 0.0, y: float = 0.0, side: Side = Side.DOWN, face: str | None = None
) -> SeenCard:
    return SeenCard(x, y, 90.0, side, None if face is None else Face(face))


@dataclass
class Watched:
    """A table under a camera, fed picture by picture. areas: what lies where; hidden: areas that
    something hides; open: in which something was not made out."""

    now: float = 0.0
    areas: dict[str, tuple[SeenCard, ...]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    order: Sequence[str] = ZONES
    events: list[TableEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.vault = Vault(source=itertools.count(1).__next__)
        self.sensing = Sensing(LAYOUT, self.vault)
        self.sight = SightSensing(LAYOUT, self.vault)

    def look(self, pictures: int = 1) -> list[TableEvent]:
        found: list[TableEvent] = []
        for _ in range(pictures):
            seen = tuple(
                AreaSight(
                    a,
                    () if a in self.hidden else self.areas.get(a, ()),
                    a not in self.hidden,
                    a not in self.open,
                )
                for a in self.order
            )
            sight = Sight(1, self.now, self.now + 0.02, seen)
            for poll in self.sight.looks(sight):
                found += self.sensing.poll(poll)
            found += self.sight.events(self.sensing, sight)
            self.now += FRAME_S
        self.events += found
        return found

    def lay(self, area: str, *cards: SeenCard) -> None:
        self.areas[area] = (*self.areas.get(area, ()), *cards)


def came(events: Sequence[TableEvent]) -> list[CardCame]:
    return [e for e in events if isinstance(e, CardCame)]


def sides(events: Sequence[TableEvent]) -> list[CardSide]:
    return [e for e in events if isinstance(e, CardSide)]


def table() -> Watched:
    watched = Watched()
    watched.look(16)
    return watched


# --- a card comes ---------------------------------------------------------------------------------


def test_a_back_that_lands_at_a_seat_is_a_card_dealt_there() -> None:
    t = table()
    dealt = t.now
    t.lay("seat/2", card(10, 20))
    (event,) = came(t.look(12))
    assert (event.zone, event.source) == (Zone("seat/2"), None)
    assert event.after < dealt <= event.before
    assert event.before - event.after <= 3 * FRAME_S  # as long as the budget's silences last
    (side,) = sides(t.events)
    assert side.token == event.token
    assert not side.up


def test_two_cards_dealt_one_after_the_other_are_told_in_order() -> None:
    t = table()
    t.lay("seat/1", card())
    t.look(4)
    t.lay("seat/2", card(50))
    first, second = came(t.look(12))
    assert (first.zone, second.zone) == ("seat/1", "seat/2")
    assert first.before < second.after


def test_one_picture_of_a_card_that_is_not_there_is_nothing() -> None:
    t = table()
    t.lay("seat/2", card(10, 20))
    t.look(1)
    t.areas.clear()
    assert t.look(40) == []
    assert t.sensing.settled() == {}


# --- a card goes ----------------------------------------------------------------------------------


def test_cards_that_a_player_looks_at_come_back_as_the_same() -> None:
    t = table()
    t.lay("seat/2", card(0), card(50))
    dealt = {e.token for e in came(t.look(12))}
    held = t.areas.pop("seat/2")
    left = [e for e in t.look(16) if isinstance(e, CardLeft)]
    assert {e.token for e in left} == dealt
    t.lay("seat/2", *(c._replace(x_mm=c.x_mm + 30) for c in held))  # not where they lay
    back = came(t.look(12))
    assert {e.token for e in back} == dealt
    assert all(e.source == e.zone for e in back)


def test_a_hand_over_the_cards_is_no_absence_and_long_ones_are_said() -> None:
    t = table()
    t.lay("seat/2", card())
    t.look(12)
    t.hidden.add("seat/2")
    assert t.look(int(29 / FRAME_S)) == []
    (lost,) = t.look(int(3 / FRAME_S))
    assert isinstance(lost, ReaderLost)
    assert lost.zones == ("seat/2",)
    assert "hides" in lost.reason
    t.hidden.clear()
    (back,) = t.look(12)
    assert isinstance(back, ReaderBack)
    assert back.device == lost.device
    assert t.sensing.settled().keys() == {"seat/2"}


def test_what_was_not_made_out_is_neither_gone_nor_hidden() -> None:
    t = table()
    t.lay("seat/2", card(0), card(50))
    t.look(12)
    t.areas["seat/2"] = (card(50),)
    t.open.add("seat/2")
    assert t.look(int(60 / FRAME_S)) == [], "nobody said that the card left, or that nobody can see"
    t.open.clear()
    (left,) = (e for e in t.look(30) if isinstance(e, CardLeft))
    assert left.zone == "seat/2"


def test_a_card_that_lay_unread_for_long_is_still_that_card() -> None:
    t = table()
    t.lay("seat/2", card(0), card(50))
    dealt = {e.token for e in came(t.look(12))}
    held = t.areas.pop("seat/2")
    t.look(16)
    t.lay("seat/2", held[1])
    t.open.add("seat/2")
    t.look(int(90 / FRAME_S))
    t.lay("seat/2", held[0])
    t.open.clear()
    back = came(t.look(16))
    assert {e.token for e in back} <= dealt


def test_a_fold_is_told_once_nobody_else_can_have_thrown_it() -> None:
    t = table()
    for seat in (1, 2, 3):
        t.lay(f"seat/{seat}", card(100.0 * seat), card(100.0 * seat + 50))
    tokens = {e.token: e.zone for e in came(t.look(16))}
    t.areas.pop("seat/2")
    t.look(4)
    held = t.areas.pop("seat/3")  # somebody looks at the cards meanwhile
    t.look(4)
    t.lay("muck", card(-300, -200))
    assert came(t.look(int(3 / FRAME_S))) == []  # it may be either's
    t.areas["seat/3"] = held
    t.look(int(8 / FRAME_S))
    folded = [e for e in came(t.events) if e.zone == MUCK]
    assert [e.source for e in folded] == ["seat/2"]
    assert tokens[folded[0].token] == "seat/2"


def test_a_card_in_the_muck_while_all_hands_lie_comes_from_the_deck() -> None:
    t = table()
    t.lay("seat/1", card(0), card(50))
    t.look(16)
    t.lay("muck", card(-300, -200))
    (event,) = came(t.look(16))
    assert (event.zone, event.source) == (MUCK, None)


def test_what_lies_under_another_card_is_not_called_gone() -> None:
    t = table()
    t.lay("seat/1", card(0), card(50))
    t.lay("burn", card(-270, -60))
    t.look(16)
    t.areas["burn"] = (card(-257, -60),)  # another one was laid on it, almost squarely
    assert not [e for e in t.look(80) if isinstance(e, CardLeft)]


# --- sides and blocks -----------------------------------------------------------------------------


def test_a_card_that_is_turned_is_told_with_the_moments_between_which_it_was() -> None:
    t = table()
    t.lay("seat/1", card(0))
    t.look(12)
    turned = t.now
    t.areas["seat/1"] = (card(0, side=Side.UP),)
    (side,) = sides(t.look(8))
    assert side.up
    assert side.after < turned < side.before
    assert side.before - side.after < 2 * FRAME_S


def test_a_side_seen_wrongly_now_and_then_is_told_of_no_card() -> None:
    t = table()
    t.lay("seat/1", card(0))
    t.look(12)
    before = len(sides(t.events))
    for n in range(60):
        t.areas["seat/1"] = (card(0, side=(Side.UP, Side.DOWN, Side.UNSURE)[n % 3]),)
        t.look(1)
    assert len(sides(t.events)) == before


def test_a_face_in_the_stub_is_a_side_of_no_token() -> None:
    t = table()
    t.lay("stub", card(60, -250, Side.UP, "As"))
    told = {(side.zone, side.up, side.token) for side in sides(t.look(12))}
    assert told == {("stub", True, None)}
    t.areas.clear()
    (hidden,) = sides(t.look(12))
    assert (hidden.zone, hidden.up, hidden.token) == ("stub", False, None)
    assert "As" not in repr(t.events) + repr(t.sight) + repr(t.vault)


def test_three_cards_at_once_are_a_block_and_one_by_one_are_none() -> None:
    t = table()
    t.lay("seat/1", card(-400), card(-350))
    t.look(20)
    t.lay("board", *(card(70.0 * n) for n in range(3)))
    (block,) = [e for e in t.look(12) if isinstance(e, LaidTogether)]
    assert (block.zone, block.cards) == (BOARD, 3)
    t.areas.pop("board")
    t.look(int(20 / FRAME_S))
    for n in range(3):
        t.lay("board", card(70.0 * n))
        t.look(3)
    assert [e for e in t.look(12) if isinstance(e, LaidTogether)] == []


# --- silence --------------------------------------------------------------------------------------


def test_silence_lasts_as_long_as_a_card_is_under_way() -> None:
    t = table()
    since = t.now
    t.sensing.watch([Watch(BURN, since)])
    told = [e for e in t.look(int(5 / FRAME_S)) if isinstance(e, StillEmpty)]
    assert [e.level for e in told] == [1, 2]
    assert told[0].at - since >= 2.0


def test_silence_proves_nothing_where_a_card_lies_that_nobody_can_name() -> None:
    t = table()
    t.lay("seat/1", card(0), card(50))
    t.lay("seat/2", card(200), card(250))
    t.look(16)
    t.areas.pop("seat/1")
    t.areas.pop("seat/2")
    t.look(8)
    since = t.now
    t.lay("muck", card(-300, -200))  # of the one hand or the other
    t.sensing.watch([Watch(MUCK, since)])
    t.look(int(10 / FRAME_S))
    t.areas.pop("muck")
    t.look(int(10 / FRAME_S))
    assert not [e for e in t.events if isinstance(e, StillEmpty)]


# --- whatever is seen -----------------------------------------------------------------------------

spots = st.sampled_from([(0.0, 0.0), (50.0, 0.0), (8.0, 4.0), (100.0, 40.0)])
seen_cards = st.lists(
    st.builds(
        lambda at, side, face: card(at[0], at[1], side, face if side is Side.UP else None),
        spots,
        st.sampled_from(Side),
        st.none() | st.sampled_from(["As", "Kd", "joker"]),
    ),
    max_size=3,
    unique_by=lambda c: (c.x_mm, c.y_mm),
).map(tuple)
pictures = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(ZONES), seen_cards, max_size=4),
        st.sets(st.sampled_from(ZONES), max_size=2),
        st.sampled_from([1, 2, 6, 20]),
    ),
    max_size=20,
)


def _play(night: list[tuple[dict[str, tuple[SeenCard, ...]], set[str], int]]) -> Iterator[Watched]:
    t = table()
    for areas, hidden, times in night:
        t.areas, t.hidden = areas, hidden
        t.look(times)
        yield t


@settings(max_examples=150, deadline=None)
@given(pictures)
def test_no_more_cards_lie_in_a_zone_than_were_seen_there_at_once(
    night: list[tuple[dict[str, tuple[SeenCard, ...]], set[str], int]],
) -> None:
    most: dict[str, int] = {}
    total: dict[str, int] = {}
    for t in _play(night):
        for area, cards in t.areas.items():
            if area not in t.hidden:
                most[area] = max(most.get(area, 0), len(cards))
                total[area] = total.get(area, 0) + len(cards)
        for zone, tokens in t.sensing.settled().items():
            # A card that another one may hide is not called gone, so they add up at most.
            assert len(tokens) <= total.get(zone, 0)
            if zone.startswith("seat/") and not t.hidden:
                assert len(tokens) <= 4 * most.get(zone, 0)
        lying = [token for tokens in t.sensing.settled().values() for token in tokens]
        assert len(lying) == len(set(lying))
    for event in t.events if night else ():
        if isinstance(event, CardCame | CardLeft | CardSide | LaidTogether):
            assert event.after <= event.before <= event.at


@settings(max_examples=60, deadline=None)
@given(pictures, st.permutations(ZONES))
def test_the_order_of_the_areas_changes_nothing(
    night: list[tuple[dict[str, tuple[SeenCard, ...]], set[str], int]], order: list[str]
) -> None:
    told = []
    for areas in (ZONES, order):
        t = Watched(order=areas)
        for what, hidden, times in night:
            t.areas, t.hidden = what, hidden
            t.look(times)
        found = sorted(
            (e.at, e.kind, getattr(e, "zone", ""), getattr(e, "up", None)) for e in t.events
        )
        told.append(found)
    assert told[0] == told[1]


@settings(max_examples=60, deadline=None)
@given(pictures)
def test_a_face_leaves_no_trace(
    night: list[tuple[dict[str, tuple[SeenCard, ...]], set[str], int]],
) -> None:
    codes = {"As": "2c", "Kd": "7h", "joker": "joker"}
    told = []
    for swap in (False, True):
        t = table()
        for areas, hidden, times in night:
            t.areas = {
                area: tuple(
                    c._replace(face=Face(codes[c.face.code])) if swap and c.face else c
                    for c in cards
                )
                for area, cards in areas.items()
            }
            t.hidden = hidden
            t.look(times)
        told.append(repr(t.events))
    assert told[0] == told[1]
