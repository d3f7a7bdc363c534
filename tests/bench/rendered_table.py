"""Pictures of a simulated table, drawn and read, by two cameras as above the sample table."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.cameras import true_profile
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import STILL_FOR_S, TableView
from drivers.camera.frame import Frame
from drivers.factory import CameraModel, SightRates, TrueArea, World, hung_over
from drivers.readings import AreaSight, Sight, Uid
from drivers.sim.camera import hang
from drivers.sim.camera_scene import SceneCamera
from drivers.table_plan import table_plan

SEATS = 9
NEAR = ("board", "burn", "muck")
"""What the second camera looks at."""

REST_S = 0.75
"""After so long without a hand near it, an area has been read."""

HAND_MM = 350.0
"""A hand over an area whose middle is so near may reach into another."""

Lying = tuple[Any, frozenset[str]]
"""Cards as a camera is to draw them, and the areas with a hand above them."""

_NOTHING = np.zeros((1, 1, 3), np.uint8)

cv2.setNumThreads(1)


@lru_cache(maxsize=2)
def _over(camera: int) -> SceneCamera:
    return hang(SEATS, stance=hung_over(NEAR if camera == 2 else (), SEATS))


@lru_cache(maxsize=1)
def _net() -> GlyphNet:
    return GlyphNet.load()


def _lying(world: World) -> CameraModel:
    """Says where cards lie; elsewhere in each world."""
    seed = int.from_bytes(world.deck("red")[0].uid)
    return CameraModel(world, SEATS, SightRates(hand_s=0.4), start=world.now, seed=seed)


def _views() -> dict[int, TableView]:
    """What each camera looks at: what the second sees, the first does not."""
    far, near = true_profile(1, SEATS, ()), true_profile(2, SEATS, NEAR)
    left = {name: area for name, area in far.areas.items() if name not in NEAR}
    profiles = {1: replace(far, areas=left), 2: near}
    return {n: TableView(profile, CardReader(_net())) for n, profile in profiles.items()}


class RenderedEyes:
    """What sees a simulated table's hands by drawn pictures: both cameras' at the same moments.

    A picture in which nothing has moved is drawn anew, with other grain, only every so often.
    """

    EVERY_S = 0.25
    GRAIN_EVERY = 8

    def __init__(self, world: World) -> None:
        self.due = world.now
        self._model = _lying(world)
        self._views = _views()
        self._drawn: dict[int, tuple[object, NDArray[np.uint8], int]] = {}

    def look(self) -> Sight:
        at = self.due
        self.due = at + self.EVERY_S
        lying = self._model.lying(at)
        seen = [a for c, view in self._views.items() for a in self._seen(c, view, lying, at)]
        return Sight(1, at, at + 0.001, tuple(seen))

    def _seen(self, camera: int, view: TableView, lying: Lying, at: float) -> tuple[AreaSight, ...]:
        what, image, times = self._drawn.get(camera, (None, _NOTHING, 0))
        if what != lying or times >= self.GRAIN_EVERY:
            image, times = _over(camera).shot(*lying, seed=round(at * 1000)), 0
        self._drawn[camera] = (lying, image, times + 1)
        return view.see(Frame(camera, image, at, at + 0.001)).areas

    def true_uids(self) -> dict[str, list[tuple[float, float, Uid]]]:
        return self._model.true_uids()


class RenderedTable:
    """The cameras above a world, as `controller.simulate.camera_fit` asks them.

    Each state of an area is counted once, when it has lain still: the same thing seen again says
    nothing new, and pictures in which nothing has changed are not drawn.
    """

    def __init__(self, world: World, seats: int) -> None:
        self.due = world.now
        self._model = _lying(world)
        self._plan = table_plan(SEATS)
        self._views = _views()
        self._disturbed: dict[str, float] = {}
        self._cards: dict[str, object] = {}
        self._counted: dict[str, object] = {}

    def look(self) -> Sight:
        at = self.due
        cards, hands = self._model.lying(at)
        self._note(hands, at)
        seen: list[AreaSight] = []
        for camera, view in self._views.items():
            fresh = {n for n in self._cards if (n in NEAR) == (camera == 2) and self._is_new(n, at)}
            if not fresh:
                continue
            image = _over(camera).shot(cards, hands, seed=round(at * 1000))
            view.see(Frame(camera, image, at - STILL_FOR_S, at - STILL_FOR_S))  # as it came to rest
            areas = view.see(Frame(camera, image, at, at + 0.001)).areas
            seen += [a for a in areas if a.area in fresh]
        for area in seen:
            self._counted[area.area] = self._cards[area.area]
        return Sight(1, at, at + 0.001, tuple(seen))

    def again(self, areas: Collection[str]) -> Sight:
        at = self.due
        cards, hands = self._model.lying(at)
        seen: list[AreaSight] = []
        for camera, view in self._views.items():
            wanted = {name for name in areas if (name in NEAR) == (camera == 2)}
            if wanted:
                view.forget(wanted)
                image = _over(camera).shot(cards, hands, seed=round(at * 1000) + 1)
                found = view.see(Frame(camera, image, at, at + 0.002)).areas
                seen += [a for a in found if a.area in wanted]
        return Sight(1, at, at + 0.002, tuple(seen))

    def _note(self, hands: frozenset[str], at: float) -> None:
        for area in self._model.truth():
            cards = tuple((c.x_mm, c.y_mm, c.up, c.code) for c in area.cards)
            mine = self._plan[area.area]
            near = any(
                math.hypot(mine.x_mm - self._plan[h].x_mm, mine.y_mm - self._plan[h].y_mm) < HAND_MM
                for h in hands
            )
            if near or cards != self._cards.get(area.area):
                self._disturbed[area.area] = at
            self._cards[area.area] = cards

    def _is_new(self, area: str, at: float) -> bool:
        if at - self._disturbed.get(area, at) < REST_S:
            return False
        return self._counted.get(area) != self._cards[area]

    def truth(self) -> tuple[TrueArea, ...]:
        return self._model.truth()
