"""Backs that lie on one another: each is found once, where it lies, and no other; of a pile the
uppermost is."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest

from controller.cameras import true_profile
from controller.vision.backs import BackPattern
from controller.vision.borders import bordered
from controller.vision.net import GlyphNet
from controller.vision.quads import quads, straight
from controller.vision.reader import CardReader
from controller.vision.rectify import Window, native_px_per_mm
from controller.vision.table_view import SAFE_INDEX_PX
from drivers.camera.frame import Image
from drivers.factory import hung_over
from drivers.readings import Side
from drivers.sim.camera import hang
from drivers.sim.camera_scene import SceneCamera
from drivers.sim.placed import PlacedCard
from drivers.table_plan import slot_mm, table_plan

SEATS = 9
PLAN = table_plan(SEATS)
NEAR = ("board", "burn", "muck")
SEEDS = (1, 4, 7)
FACES = ((0, "Kd"), (1, "8s"), (2, "Jc"))
GATE_MM = 12.0  # as far as a card may be seen from where it lies


@cache
def over(near: bool) -> SceneCamera:
    return hang(SEATS, stance=hung_over(NEAR if near else (), SEATS))


@cache
def window_of(name: str) -> Window:
    near = name in NEAR
    profile = true_profile(2 if near else 1, SEATS, NEAR if near else ())
    native = native_px_per_mm(profile, PLAN[name].x_mm, PLAN[name].y_mm)
    return Window(profile, PLAN[name].corners_mm, 1.15 * native, 1.15)


def cut(name: str, cards: list[PlacedCard]) -> Image:
    return window_of(name).cut(over(name in NEAR).shot(cards, seed=1))


def laid(name: str, count: int, seed: int, up: int | None = None) -> list[PlacedCard]:
    """Cards in the place's slots, as a hand lays them; number `up` shows its face."""
    chance = random.Random(seed)
    out = []
    for n in range(count):
        x, y, angle = slot_mm(PLAN[name], name, n)
        x, y = x + chance.gauss(0, 1.5), y + chance.gauss(0, 1.5)
        out.append(PlacedCard(x, y, angle, "7s", n == up))
    return out


@cache
def new_reader() -> CardReader:
    """One that has seen no back yet."""
    return CardReader(GlyphNet.load())


@cache
def reader(name: str) -> CardReader:
    """One that has seen the house's back."""
    image = cut(name, laid(name, 1, 0))
    k = window_of(name).px_per_mm
    free = [straight(image, q.corners, 3.0) for q in quads(image, k) if q.whole]
    return new_reader().with_back(BackPattern.learnt(free, 3.0))


def seen(
    name: str, cards: list[PlacedCard], by: CardReader | None = None
) -> list[tuple[float, float, Side]]:
    window = window_of(name)
    least = SAFE_INDEX_PX * window.enlarged
    picture = (by or reader(name)).read(cut(name, cards), window.px_per_mm, None, least)
    return [(*window.to_mm(s.x_px, s.y_px), s.side) for s in picture.sightings if not s.corner]


def each_once(cards: list[PlacedCard], found: list[tuple[float, float, Side]]) -> bool:
    left = list(found)
    for card in cards:
        near = [s for s in left if math.dist(s[:2], (card.x_mm, card.y_mm)) < GATE_MM]
        if len(near) != 1 or near[0][2] is not (Side.UP if card.up else Side.DOWN):
            return False
        left.remove(near[0])
    return not left


@pytest.mark.parametrize("seat", range(1, SEATS + 1))
def test_two_hole_cards_are_two(seat: int) -> None:
    name = f"seat/{seat}"
    cards = laid(name, 2, seat)
    assert each_once(cards, seen(name, cards))


@pytest.mark.parametrize("seed", [1, 4, 6, 11])
def test_each_burn_of_a_fan_is_seen(seed: int) -> None:
    """The one in the middle shows one side and a strip."""
    cards = laid("burn", 3, seed)
    assert each_once(cards, seen("burn", cards))


@pytest.mark.parametrize("seat", [2, 5, 8])
def test_a_back_beside_a_face_is_no_face(seat: int) -> None:
    """The face's index lies where one of the card below it would be."""
    name = f"seat/{seat}"
    cards = laid(name, 2, seat, up=1)
    assert each_once(cards, seen(name, cards))


@pytest.mark.parametrize("turn", [0.0, 25.0, 90.0])
def test_an_outline_that_reaches_onto_the_felt_is_none(turn: float) -> None:
    """A fan's side, taken for a card's on the other side of it, has felt where its own sides are
    due."""
    cards = [PlacedCard(-270.0, -60.0, turn, "As", False)]
    image, window = cut("burn", cards), window_of("burn")
    k = window.px_per_mm
    (true,) = [q for q in quads(image, k) if q.whole]
    along = true.corners[1] - true.corners[0]
    beside = [
        type(true)(np.asarray(true.corners + share * along, np.float32), False, 3)
        for share in (-0.5, 0.3, 1.0)
    ]
    kept = bordered(image, [*beside, true], k)
    assert len(kept) == 1
    assert abs(kept[0].middle - true.middle) < 2.0 * k


def pile(count: int, seed: int, turn_deg: float) -> list[PlacedCard]:
    """Cards folded one on the other, each some millimetres and degrees beside the next."""
    chance = random.Random(seed)
    out = []
    for n in range(count):
        x, y, angle = slot_mm(PLAN["muck"], "muck", n)
        x, y, turn = (value + chance.gauss(0, by) for value, by in ((x, 1.5), (y, 1.5), (0.0, 1.0)))
        out.append(PlacedCard(x, y, angle + turn * turn_deg, "7s", False))
    return out


@pytest.mark.parametrize("count", [3, 8, 14])
@pytest.mark.parametrize("turn_deg", [0.0, 2.0, 5.0])
def test_the_uppermost_card_of_a_pile_is_found(count: int, turn_deg: float) -> None:
    """White rim lies on white rim: what a map bounds is the pile, or a back's printed frame."""
    for seed in (0, 2, 3, 5):
        cards = pile(count, seed, turn_deg)
        top = (cards[-1].x_mm, cards[-1].y_mm)
        near = [s for s in seen("muck", cards, new_reader()) if math.dist(s[:2], top) < 1.5]
        assert [side for _, _, side in near] == [Side.DOWN], seed


@pytest.mark.parametrize(("count", "up"), [(2, None), (3, None), (2, 1), (3, 2)])
def test_strips_beside_a_burn_are_backs_before_one_was_learnt(count: int, up: int | None) -> None:
    """The older ones show strips of 20 to 25 mm; the last may lie face up."""
    for seed in SEEDS:
        cards = laid("burn", count, seed, up)
        assert each_once(cards, seen("burn", cards, new_reader())), seed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_face_beside_the_burn_on_it_is_seen_along_its_own_sides(seed: int) -> None:
    """The ends of both cards in a row bound a card that lies across them as well."""
    cards = laid("burn", 2, seed, up=0)
    assert each_once(cards, seen("burn", cards, new_reader()))


@pytest.mark.parametrize("name", ["seat/5", "burn", "muck"])
def test_a_pile_of_faces_shows_no_back(name: str) -> None:
    x, y, angle = slot_mm(PLAN[name], name, 0)
    cards = [PlacedCard(x + 3.0 * n, y - 2.0 * n, angle, face, True) for n, face in FACES]
    assert Side.DOWN not in [side for _, _, side in seen(name, cards, new_reader())]
