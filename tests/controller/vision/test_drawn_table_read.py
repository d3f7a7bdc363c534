"""What the table's view makes of drawn pictures: cards that lie partly on one another, court cards,
a camera that is too far for faces, and one that sees nothing but felt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import pytest

from controller.cameras import true_profile
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import TableView
from drivers.camera.frame import Frame
from drivers.readings import AreaSight, SeenCard, Side
from drivers.sim.camera import hung_over
from drivers.sim.camera_scene import VIEW, Light, SceneCamera, TableScene
from drivers.sim.placed import PlacedCard
from drivers.table_plan import slot_mm, table_plan

SEATS = 9
PLAN = table_plan(SEATS)
NEAR = ("board", "burn")


@cache
def reader() -> CardReader:
    cv2.setNumThreads(1)
    return CardReader(GlyphNet.load())


@cache
def over(near: bool) -> SceneCamera:
    within = (-760.0, -450.0, 660.0, 450.0) if near else None
    scene = TableScene(SEATS, px_per_mm=4.0 if near else 2.4, within=within)
    return SceneCamera(scene, VIEW, hung_over(NEAR if near else (), SEATS))


def put(area: str, slot: int, face: str, up: bool = False) -> PlacedCard:
    x, y, angle = slot_mm(PLAN[area], area, slot)
    return PlacedCard(x, y, angle, face, up)


class Looking:
    """One camera and its view, picture after picture."""

    def __init__(self, near: bool) -> None:
        self._over = over(near)
        self.view = TableView(true_profile(1, SEATS, NEAR if near else ()), reader())
        self._at = 0.0

    def see(
        self, *cards: PlacedCard, hand: str = "", light: Light | None = None
    ) -> dict[str, AreaSight]:
        """What is seen once the table has been as it is for a moment."""
        for _ in range(3):
            self._at += 1.0
            image = self._over.shot(
                cards, [hand] if hand else (), light or Light(), seed=round(self._at)
            )
            sight = self.view.see(Frame(1, image, self._at, self._at + 0.001))
        return {area.area: area for area in sight.areas}


def sides(cards: Sequence[SeenCard]) -> list[Side]:
    return [card.side for card in sorted(cards, key=lambda c: c.x_mm)]


def named(cards: Sequence[SeenCard]) -> list[str]:
    return sorted(card.face.code for card in cards if card.face is not None)


def test_a_near_camera_names_the_board_and_sees_each_card_once() -> None:
    """Figures of court cards stand like an index."""
    board = ["Kd", "Qs", "Jh", "Tc", "8h"]
    seen = Looking(near=True).see(*(put("board", n, f, up=True) for n, f in enumerate(board)))
    assert named(seen["board"].cards) == sorted(board)
    assert len(seen["board"].cards) == 5


def test_a_far_camera_tells_sides_and_names_nothing() -> None:
    cards = [put("seat/5", 0, "Ks", up=True), put("seat/3", 0, "Ks"), put("seat/6", 0, "9h", True)]
    seen = Looking(near=False).see(*cards)
    assert sides(seen["seat/5"].cards) == [Side.UP]
    assert sides(seen["seat/3"].cards) == [Side.DOWN]
    assert sides(seen["seat/6"].cards) == [Side.UP]
    assert all(card.face is None for area in seen.values() for card in area.cards)


def test_the_lower_one_of_two_open_cards_at_a_seat_is_seen() -> None:
    """An index of the upper one lies where the lower one's outline goes on."""
    seen = Looking(near=False).see(put("seat/5", 0, "As", up=True), put("seat/5", 1, "7d", up=True))
    assert sides(seen["seat/5"].cards) == [Side.UP, Side.UP]


def test_chips_and_backs_are_no_open_cards() -> None:
    looking = Looking(near=False)
    first = [put(f"seat/{seat}", 0, "4c") for seat in range(1, 10)]
    looking.see(*first)
    seen = looking.see(*first, *(put(f"seat/{seat}", 1, "4c") for seat in range(1, 10)))
    for area in seen.values():
        assert Side.UP not in sides(area.cards), area.area
    for seat in range(1, 10):
        assert sides(seen[f"seat/{seat}"].cards) == [Side.DOWN, Side.DOWN], seat


def test_a_back_under_an_open_card_is_no_open_card() -> None:
    """An index of the upper one lies where the lower one would have its own."""
    looking = Looking(near=False)
    lower = put("seat/7", 0, "4c")._replace(x_mm=795.7, y_mm=164.5)
    upper = put("seat/7", 1, "Qs", up=True)._replace(x_mm=784.3, y_mm=208.9)
    looking.see(lower)
    cards = looking.see(lower, upper)["seat/7"].cards
    assert [card.side for card in sorted(cards, key=lambda c: c.y_mm)] == [Side.DOWN, Side.UP]


def test_a_burn_under_an_open_one_is_seen_once_the_back_is_known() -> None:
    looking = Looking(near=True)
    for slot in range(4):  # backs that lie free
        looking.see(put("board", slot, "2c"), put("burn", slot, "3c"))
    seen = looking.see(put("burn", 0, "9c"), put("burn", 1, "Kd", up=True))
    assert sides(seen["burn"].cards) == [Side.DOWN, Side.UP]


def test_a_hand_that_fills_an_area_hides_it_again_and_again() -> None:
    """Most of the burn's picture is then skin, which must not be taken for felt."""
    looking = Looking(near=True)
    looking.see()
    for _ in range(3):
        seen = looking.see(hand="burn")
        assert not seen["burn"].clear
        assert not seen["burn"].cards
        assert looking.see()["burn"].clear


def test_bare_felt_is_read_as_empty() -> None:
    looking = Looking(near=True)
    for cards in ((), (put("board", 0, "9c", up=True),), ()):
        seen = looking.see(*cards)
        assert looking.view.quality.good
        assert all(area.clear for area in seen.values())
        assert len(seen["board"].cards) == len(cards)


@pytest.mark.parametrize("light", [Light(exposure=12.0), Light(blur_px=9.0)])
def test_a_dark_or_blurred_picture_shows_nothing(light: Light) -> None:
    looking = Looking(near=True)
    cards = [put("board", n, "9c", up=True) for n in range(3)]
    looking.see(*cards)
    seen = looking.see(*cards, light=light)
    assert not any(area.clear or area.cards for area in seen.values())
