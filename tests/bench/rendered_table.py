"""Pictures of a simulated table, drawn and read: what `fit_hands` counts.

Two cameras look at it as at the sample table. Each state of an area is counted once, when it has
lain still: the same thing seen again says nothing new, and pictures in which nothing has changed
are not drawn.
"""

from __future__ import annotations

import asyncio
import math
from functools import lru_cache

import cv2

from controller.cameras import true_profile
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import TableView
from drivers.factory import CameraModel, SightRates, SimulatedCamera, TrueArea, World, hung_over
from drivers.readings import AreaSight, Sight
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
    areas = NEAR if camera == 2 else ()
    hung = SimulatedCamera(camera, SEATS, World, stance=hung_over(areas, SEATS))
    asyncio.run(hung.__aenter__())
    assert hung._over is not None
    return hung._over


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
            for camera, areas in ((1, self._rest()), (2, NEAR))
        }
        self._changed = world.now
        self._shown: object = None
        self._disturbed: dict[str, float] = {}
        self._cards: dict[str, object] = {}
        self._counted: dict[str, object] = {}

    def _rest(self) -> tuple[str, ...]:
        return ()

    def look(self) -> Sight:
        from drivers.camera.frame import Frame

        at = self.due
        cards, hands = self._model.lying(at)
        if (cards, hands) != self._shown:
            self._shown, self._changed = (cards, hands), at
        self._note(hands, at)
        if at - self._changed > 1.5 * REST_S:
            return Sight(1, at, at, ())
        seen: list[AreaSight] = []
        self.frames = []
        for camera, view in self._views.items():
            image = _over(camera).shot(cards, hands, seed=round(at * 1000))
            frame = Frame(camera, image, at, at + 0.001)
            self.frames.append(frame)
            areas = view.see(frame).areas
            seen += [a for a in areas if (a.area in NEAR) == (camera == 2)]
        return Sight(1, at, at + 0.001, tuple(a for a in seen if self._is_new(a.area, at)))

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
        if self._counted.get(area) == (now := self._cards[area]):
            return False
        self._counted[area] = now
        return True

    def truth(self) -> tuple[TrueArea, ...]:
        return self._model.truth()
