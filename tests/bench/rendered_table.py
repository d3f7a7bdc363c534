"""Pictures of a simulated table, drawn and read: what `fit_hands` counts.

Two cameras look at it as at the sample table. Each state of an area is counted once, when it has
lain still: the same thing seen again says nothing new, and pictures in which nothing has changed
are not drawn.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2

from controller.cameras import true_profile
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import STILL_FOR_S, TableView
from drivers.camera.frame import Frame
from drivers.factory import CameraModel, SightRates, TrueArea, World, hung_over
from drivers.readings import AreaSight, Sight
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

cv2.setNumThreads(1)


@lru_cache(maxsize=2)
def _over(camera: int) -> SceneCamera:
    return hang(SEATS, stance=hung_over(NEAR if camera == 2 else (), SEATS))


@lru_cache(maxsize=1)
def _net() -> GlyphNet:
    return GlyphNet.load()


class RenderedTable:
    """The cameras above a world, as `controller.simulate.camera_fit` asks them."""

    def __init__(self, world: World, seats: int) -> None:
        self.due = world.now
        self._model = CameraModel(world, SEATS, SightRates(hand_s=0.4), start=world.now)
        self._plan = table_plan(SEATS)
        self._views = {
            camera: TableView(true_profile(camera, SEATS, areas), CardReader(_net()))
            for camera, areas in ((1, ()), (2, NEAR))
        }
        self._disturbed: dict[str, float] = {}
        self._cards: dict[str, object] = {}
        self._counted: dict[str, object] = {}

    def look(self) -> Sight:
        at = self.due
        cards, hands = self._model.lying(at)
        self._note(hands, at)
        seen: list[AreaSight] = []
        self.frames: list[Frame] = []
        for camera, view in self._views.items():
            fresh = {n for n in self._cards if (n in NEAR) == (camera == 2) and self._is_new(n, at)}
            if not fresh:
                continue
            image = _over(camera).shot(cards, hands, seed=round(at * 1000))
            self.frames.append(Frame(camera, image, at, at + 0.001))
            view.see(Frame(camera, image, at - STILL_FOR_S, at - STILL_FOR_S))  # as it came to rest
            areas = view.see(self.frames[-1]).areas
            seen += [a for a in areas if a.area in fresh]
        for area in seen:
            self._counted[area.area] = self._cards[area.area]
        return Sight(1, at, at + 0.001, tuple(seen))

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
