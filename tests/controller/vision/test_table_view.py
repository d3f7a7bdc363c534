"""A camera's pictures of the drawn table, area by area: what lies there, what hides it, and when it
is looked at anew. The cards are named by a twin of the reader, which knows what was drawn; one test
has the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Self

import cv2
import numpy as np
import pytest

from controller.cameras import true_profile
from controller.vision.backs import BackPattern
from controller.vision.net import GlyphNet
from controller.vision.picture import Picture, Quality, Sighting
from controller.vision.reader import CardReader
from controller.vision.rectify import Window
from controller.vision.table_view import ABSORBED_S, RETURN_S, STILL_FOR_S, TableView
from drivers.camera.frame import Frame, Image
from drivers.readings import AreaSight, Face, Side, Sight
from drivers.sim.camera_scene import USUAL, Light, SceneCamera, TableScene
from drivers.sim.placed import PlacedCard
from drivers.table_plan import CARD_MM, slot_mm, table_plan

SEATS = 9
PLAN = table_plan(SEATS)
BOARD = PLAN["board"]
ACE = PlacedCard(10.0, 0.0, 90.0, "As", True)
BACK = PlacedCard(-70.0, 0.0, 90.0, "As", False)


@cache
def camera() -> SceneCamera:
    return SceneCamera(TableScene(SEATS))


@cache
def of_board() -> tuple[Window, float]:
    profile = replace(true_profile(1, SEATS), areas={"board": BOARD.corners_mm})
    view = TableView(profile, Twin())
    (window,) = view._windows.values()
    return window, window.px_per_mm


@dataclass
class Twin:
    """Sees those cards, wherever the picture is of; counts how often it is asked."""

    cards: Sequence[Sighting] = ()
    asked: int = 0
    backs: list[BackPattern] = field(default_factory=list)

    def read(
        self,
        image: Image,
        px_per_mm: float | None = None,
        quality: Quality | None = None,
        least_index_px: float = 0.0,
    ) -> Picture:
        self.asked += 1
        return Picture(tuple(self.cards), quality or Quality())

    def with_back(self, back: BackPattern) -> Self:
        self.backs.append(back)
        return self


def sighting(card: PlacedCard, confidence: float = 0.97) -> Sighting:
    window, k = of_board()
    x, y = window.to_px(card.x_mm, card.y_mm)
    w, h = CARD_MM[0] / 2 * k, CARD_MM[1] / 2 * k
    outline = ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))
    side = Side.UP if card.up else Side.DOWN
    face = Face(card.face) if card.up else None
    return Sighting(x, y, card.angle_deg, side, face, confidence, outline=outline)


class Night:
    """Picture after picture of the board, each with the twin's cards drawn in it."""

    def __init__(self, reader: Twin | CardReader | None = None, area: str = "board") -> None:
        self.twin = Twin()
        profile = replace(true_profile(1, SEATS), areas={area: PLAN[area].corners_mm})
        self.view = TableView(profile, reader or self.twin)
        self.number = 0

    def at(
        self,
        seconds: float,
        cards: Sequence[PlacedCard] = (),
        hands: Sequence[str] = (),
        light: Light = USUAL,
        change: Callable[[Image], Image] = lambda image: image,
    ) -> AreaSight:
        self.number += 1
        self.twin.cards = [sighting(c) for c in cards]
        image = change(camera().shot(cards, hands, light, seed=self.number))
        return self.shown(seconds, image)

    def shown(self, seconds: float, image: Image) -> AreaSight:
        sight = self.view.see(Frame(1, image, seconds - 0.01, seconds))
        assert isinstance(sight, Sight)
        assert (sight.camera, sight.started, sight.ended) == (1, seconds - 0.01, seconds)
        (area,) = sight.areas
        return area


def test_an_empty_board_is_clear_and_empty() -> None:
    area = Night().at(0.0)
    assert (area.area, area.cards, area.clear) == ("board", (), True)


def test_a_card_is_told_in_the_tables_millimetres() -> None:
    night = Night()
    (card,) = night.at(0.0, [ACE]).cards
    assert (card.x_mm, card.y_mm) == pytest.approx((ACE.x_mm, ACE.y_mm), abs=0.6)
    assert card.side is Side.UP
    assert card.face is not None
    assert card.face.code == "As"


def test_an_unsure_card_is_no_card_and_an_unsure_side_no_face() -> None:
    night = Night()
    image = camera().shot([ACE])
    night.twin.cards = [sighting(ACE, confidence=0.1)]
    assert night.shown(0.0, image).cards == ()
    night = Night()
    night.twin.cards = [sighting(ACE, confidence=0.4)]
    (card,) = night.shown(0.0, image).cards
    assert (card.side, card.face) == (Side.UNSURE, None)


def test_a_card_of_the_next_area_is_not_told() -> None:
    night = Night()
    beside = ACE._replace(y_mm=BOARD.height_mm / 2 + 20.0)
    assert night.at(0.0, [beside]).cards == ()


def test_a_corner_alone_stands_for_the_card_of_which_it_is_one() -> None:
    """The index is in the card's upper left as it stands, whatever way it is turned."""
    window, k = of_board()
    for angle, (dx, dy) in ((90.0, (1, -1)), (270.0, (-1, 1))):
        at = (-dx * (CARD_MM[0] / 2 - 6.2), -dy * (CARD_MM[1] / 2 - 12.5))
        x, y = window.to_px(*at)
        night = Night()
        night.twin.cards = [Sighting(x, y, angle, Side.UP, Face("As"), 0.95, corner=True)]
        (card,) = night.shown(0.0, camera().shot([])).cards
        assert (card.x_mm, card.y_mm) == pytest.approx((0.0, 0.0), abs=0.5)
        assert k > 1


def test_a_hand_in_the_area_hides_it_and_uncovers_it_again() -> None:
    night = Night()
    for n in range(3):
        assert night.at(float(n), [ACE]).clear
    assert not night.at(3.0, [], ["board"]).clear  # it moves
    assert not night.at(4.0, [], ["board"]).clear  # it lies there still
    night.at(5.0, [ACE])
    back = night.at(5.0 + STILL_FOR_S + 0.2, [ACE])
    assert back.clear
    assert len(back.cards) == 1


def test_what_moves_is_not_read() -> None:
    night = Night()
    night.at(0.0)
    asked = night.twin.asked
    moving = night.at(0.25, [ACE])
    assert (moving.cards, moving.clear) == ((), False)
    assert night.twin.asked == asked
    still = night.at(0.25 + STILL_FOR_S + 0.01, [ACE])
    assert len(still.cards) == 1
    assert night.twin.asked == asked + 1


def test_an_area_that_stays_the_same_is_read_anew_only_now_and_then() -> None:
    night = Night()
    for n in range(13):
        area = night.at(n * 0.25, [ACE])
        assert len(area.cards) == 1
    assert night.twin.asked == 1 + int(12 * 0.25 / RETURN_S)


@pytest.mark.parametrize(
    ("light", "why"),
    [
        (Light(exposure=9.0), "too dark"),
        (Light(blur_px=12.0), ""),
    ],
)
def test_a_picture_that_cannot_be_read_proves_nothing(light: Light, why: str) -> None:
    night = Night()
    night.at(0.0, [ACE])
    area = night.at(1.0, [ACE], light=light)
    assert (area.cards, area.clear) == ((), False)
    assert not night.view.quality.good
    assert why in night.view.quality.reason
    assert night.view.quality.reason


def test_a_covered_lens_shows_nothing() -> None:
    night = Night()
    area = night.shown(0.0, np.full((1296, 2304, 3), 90, np.uint8))
    assert (area.cards, area.clear) == ((), False)
    assert "covers the lens" in night.view.quality.reason


def test_chips_hide_an_area_until_they_have_lain_there() -> None:
    def chips(image: Image) -> Image:
        out = image.copy()
        x, y = board_px(110.0, 20.0)
        cv2.circle(out, (x, y), 75, (190, 60, 200), -1)
        return out

    night = Night()
    night.at(0.0, [ACE])
    assert not night.at(1.0, [ACE], change=chips).clear
    seconds, clear = 2.0, False
    while seconds < ABSORBED_S - 2.0:
        assert not (clear := night.at(seconds, [ACE], change=chips).clear), seconds
        seconds += 1.0
    while seconds < ABSORBED_S + 3 * RETURN_S:
        clear = night.at(seconds, [ACE], change=chips).clear
        seconds += 1.0
    assert clear
    assert len(night.at(seconds, [ACE], change=chips).cards) == 1


def test_what_hides_most_of_an_area_is_taken_for_neither_chips_nor_felt() -> None:
    def tray(image: Image) -> Image:
        out = image.copy()
        (left, top), (right, bottom) = board_px(-130.0, 50.0), board_px(160.0, -50.0)
        cv2.rectangle(out, (left, top), (right, bottom), (190, 60, 200), -1)
        return out

    night = Night()
    for n in range(20):
        assert night.at(4.0 * n).clear
    for n in range(20, 29):
        assert not night.at(4.0 * n, change=tray).clear, n
    night.at(116.0)
    assert night.at(117.0).clear


def after_backs() -> Night:
    """A board whose camera has seen what the backs look like."""
    night = Night()
    for second in range(3):
        assert night.at(float(second), [BACK._replace(x_mm=BACK.x_mm + second)]).clear
    return night


def whole_seeing(
    night: Night, at_s: float, lying: Sequence[PlacedCard], seen: Sequence[Sighting]
) -> bool:
    """Whether an area is whole in which the reader sees but those of the cards that lie there."""
    night.twin.cards = seen
    night.shown(at_s, camera().shot(lying, seed=round(at_s)))
    area = night.shown(at_s + STILL_FOR_S, camera().shot(lying, seed=round(at_s)))
    assert area.clear
    assert area.proves is area.whole
    return area.whole


@pytest.mark.parametrize("outlined", [True, False])
@pytest.mark.parametrize("apart_mm", [22.0, 70.0])
def test_a_card_in_plain_sight_that_was_missed_makes_an_area_prove_nothing(
    apart_mm: float, outlined: bool
) -> None:
    night, upon = after_backs(), BACK._replace(x_mm=BACK.x_mm + apart_mm)
    lower, upper = sighting(BACK), sighting(upon)
    if not outlined:
        upper = replace(upper, outline=None)
    assert not whole_seeing(night, 10.0, [BACK, upon], [upper])
    assert whole_seeing(night, 20.0, [upon, BACK], [lower, upper])
    assert whole_seeing(night, 30.0, [upon], [upper])


def test_a_card_that_is_too_unsure_to_be_told_is_one_that_was_missed() -> None:
    night, upon = after_backs(), BACK._replace(x_mm=BACK.x_mm + 70.0)
    unsure = sighting(BACK, confidence=0.2)
    assert not whole_seeing(night, 10.0, [BACK, upon], [unsure, sighting(upon)])


def test_what_looks_like_a_card_and_lies_on_is_taken_for_none_in_the_end() -> None:
    night, upon = after_backs(), BACK._replace(x_mm=BACK.x_mm + 70.0)
    assert not whole_seeing(night, 10.0, [BACK, upon], [sighting(upon)])
    assert not whole_seeing(night, 10.0 + 0.8 * ABSORBED_S, [BACK, upon], [sighting(upon)])
    assert whole_seeing(night, 16.0 + ABSORBED_S, [BACK, upon], [sighting(upon)])


def test_the_rim_of_a_pile_is_no_card_that_was_missed() -> None:
    pile = [BACK._replace(x_mm=BACK.x_mm + n, y_mm=n % 3 * 2.0 - 3.0) for n in range(7)]
    assert whole_seeing(after_backs(), 10.0, pile, [sighting(pile[-1])])


def test_a_still_of_the_same_shape_is_fitted_and_another_shape_shows_nothing() -> None:
    night = Night()
    image = camera().shot([ACE])
    night.twin.cards = [sighting(ACE)]
    large = np.asarray(cv2.resize(image, None, fx=1.5, fy=1.5), np.uint8)
    (card,) = night.shown(0.0, large).cards
    assert (card.x_mm, card.y_mm) == pytest.approx((ACE.x_mm, ACE.y_mm), abs=0.6)
    area = night.shown(5.0, np.ascontiguousarray(image[:, :1800]))
    assert (area.cards, area.clear) == ((), False)
    assert "another shape" in night.view.quality.reason


def test_backs_are_learnt_from_cards_that_lie_free() -> None:
    night = Night()
    for n in range(12):
        night.at(n * (RETURN_S + 0.1), [BACK])
    assert night.twin.backs


def test_backs_of_two_decks_at_once_make_no_pattern_and_no_trouble() -> None:
    night = Night()
    blue = BACK._replace(x_mm=70.0, deck="blue")
    for n in range(12):
        area = night.at(n * (RETURN_S + 0.1), [BACK, blue])
        assert len(area.cards) == 2
    assert not night.twin.backs
    for n in range(12, 22):
        night.at(n * (RETURN_S + 0.1), [blue])
    assert night.twin.backs


def test_bare_felt_is_not_read_once_its_colour_is_known() -> None:
    night = Night()
    night.at(0.0)
    asked = night.twin.asked
    for n in range(1, 6):
        assert night.at(n * (RETURN_S + 0.1)).clear
    assert night.twin.asked == asked
    night.at(40.0, [ACE])
    assert len(night.at(41.0, [ACE]).cards) == 1
    assert night.twin.asked == asked + 1


@dataclass
class Counted:
    """The real reader, how often it was asked, and how many pixels it was given."""

    reader: CardReader
    pixels: int = 0
    asked: int = 0

    def read(
        self,
        image: Image,
        px_per_mm: float | None = None,
        quality: Quality | None = None,
        least_index_px: float = 0.0,
    ) -> Picture:
        self.asked += 1
        self.pixels += image.shape[0] * image.shape[1]
        return self.reader.read(image, px_per_mm, quality, least_index_px)

    def with_back(self, back: BackPattern) -> Counted:
        return self


def whole_table() -> tuple[TableView, Counted]:
    """With the table around all other areas."""
    reader = Counted(CardReader(GlyphNet.load()))
    profile = true_profile(1, SEATS)
    areas = {**profile.areas, "table": PLAN["table"].corners_mm}
    return TableView(replace(profile, areas=areas), reader), reader


def seen(view: TableView, seconds: float, cards: Sequence[PlacedCard]) -> dict[str, AreaSight]:
    image = camera().shot(cards, (), USUAL, seed=round(seconds * 4))
    sight = view.see(Frame(1, image, seconds - 0.01, seconds))
    return {area.area: area for area in sight.areas}


def at_seat(seat: int, card: int) -> PlacedCard:
    area = PLAN[f"seat/{seat}"]
    return PlacedCard(*slot_mm(area, f"seat/{seat}", card), "As", False)


def test_a_card_is_told_by_one_area_and_a_stray_one_by_the_table_around_them() -> None:
    view, _ = whole_table()
    stray = PlacedCard(-60.0, 230.0, 40.0, "Kd", False)
    assert not any(area.holds(-60.0, 230.0) for name, area in PLAN.items() if name != "table")
    laid = [at_seat(3, 0), BACK, stray]
    for n in range(4):
        areas = seen(view, float(n), laid)
    told = {name: len(area.cards) for name, area in areas.items() if area.cards}
    assert told == {"seat/3": 1, "board": 1, "table": 1}
    assert all(area.clear for area in areas.values())
    (card,) = areas["table"].cards
    assert (card.x_mm, card.y_mm) == pytest.approx((-60.0, 230.0), abs=5.0)


def test_of_a_table_on_which_a_card_is_dealt_only_what_is_new_is_read() -> None:
    view, reader = whole_table()
    before = [at_seat(seat, 0) for seat in range(1, 6)]
    for n in range(5):
        seen(view, float(n), before)
    reader.pixels = 0
    after = [*before, at_seat(7, 0)]
    seen(view, 4.25, after)
    areas = seen(view, 4.75, after)
    assert len(areas["seat/7"].cards) == 1
    whole = sum(window.inside.size for window in view._windows.values())
    assert 0 < reader.pixels < 0.05 * whole


def test_what_lies_still_is_looked_at_again_in_turn_not_all_at_once() -> None:
    view, reader = whole_table()
    laid = [at_seat(seat, 0) for seat in range(1, 10)]
    for n in range(3):
        seen(view, float(n), laid)
    asked = []
    for n in range(40):
        reader.asked = 0
        seen(view, 3.0 + n * 0.25, laid)
        asked.append(reader.asked)
    assert max(asked) == 1
    assert sum(asked) >= 9


def test_no_identity_is_printed() -> None:
    night = Night()
    area = night.at(0.0, [ACE])
    for printed in (repr(area), repr(night.view), repr(night.view.see), f"{area.cards}"):
        assert "As" not in printed
        assert "A♠" not in printed


def test_the_real_reader_finds_the_drawn_cards() -> None:
    night = Night(CardReader(GlyphNet.load()))
    board = [
        PlacedCard((n - 2) * 69.0, 0.0, 90.0, code, n != 4)
        for n, code in enumerate(("Kh", "Td", "7d", "Qd", "2s"))
    ]
    area = night.at(0.0, board)
    assert area.clear
    cards = sorted(area.cards, key=lambda c: c.x_mm)
    for card, laid in zip(cards, board, strict=True):
        assert (card.x_mm, card.y_mm) == pytest.approx((laid.x_mm, laid.y_mm), abs=4.0)
        assert card.side in ((Side.UP, Side.UNSURE) if laid.up else (Side.DOWN, Side.UNSURE))


def board_px(x_mm: float, y_mm: float) -> tuple[int, int]:
    """A place on the table in the camera's picture; the lens is left out, it bends little here."""
    h = np.array(true_profile(1, SEATS).table_to_picture)
    x, y, w = h @ (x_mm, y_mm, 1.0)
    return round(x / w), round(y / w)
