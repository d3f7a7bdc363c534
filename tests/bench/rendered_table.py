"""Pictures of a simulated table, drawn and read: what `fit_hands` counts. A picture in which
nothing has changed since the last is not drawn, as nothing of it would be read."""

from __future__ import annotations

import os
from functools import lru_cache

import cv2

from controller.cameras import true_profile
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import STILL_FOR_S, TableView
from drivers.camera.frame import Frame
from drivers.factory import CameraModel, SightRates, TrueArea, World
from drivers.readings import AreaSight, Health, Sight
from drivers.sim.camera_scene import SceneCamera, TableScene

cv2.setNumThreads(1)
EXPOSURE_S = 0.001


@lru_cache(maxsize=2)
def _over(seats: int) -> SceneCamera:
    return SceneCamera(TableScene(seats))


@lru_cache(maxsize=1)
def _net() -> GlyphNet:
    return GlyphNet.load()


class RenderedTable:
    """A camera that draws what lies in a world and reads it (`controller.simulate.camera_fit`)."""

    def __init__(self, world: World, seats: int) -> None:
        self.due = world.now
        self._world = world
        self._model = CameraModel(
            world, seats, SightRates(hand_s=0.4), areas=None, start=world.now, seed=world.motions
        )
        self._view = TableView(true_profile(1, seats), CardReader(_net()))
        self._over = _over(seats)
        self._shown: object = None
        self._since = world.now
        self._taken = 0

    def look(self) -> Sight | Health:
        at = self.due
        cards, hands = self._model.lying(at)
        if (cards, hands) != self._shown:
            self._shown, self._since = (cards, hands), at
        self._taken += 1
        image = self._over.shot(cards, hands, seed=self._taken)
        self.frame = Frame(1, image, at, at + EXPOSURE_S)
        return self._view.see(self.frame)

    def truth(self) -> tuple[TrueArea, ...]:
        return self._model.truth()
