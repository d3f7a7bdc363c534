"""What it costs to read a camera's pictures of a dealt hand, four a second, drawn at 2304x1296."""

from __future__ import annotations

import time
from collections.abc import Collection

import numpy as np

from controller.cameras import true_profile
from controller.simulate.camera_fit import fit_hands
from controller.simulate.settings import Settings
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from controller.vision.table_view import TableView
from drivers.camera.frame import Frame
from drivers.factory import CameraModel, SightRates, TrueArea, World
from drivers.readings import Sight
from drivers.sim.camera import hang

SEATS = 9
EVERY_S = 0.25


class Timed:
    """A camera above a world, whose pictures are drawn, and read against the clock."""

    def __init__(self, world: World, seats: int) -> None:
        self.due = world.now
        self.read_s: list[float] = []
        self.drawn_s: list[float] = []
        self._model = CameraModel(world, seats, SightRates(hand_s=0.4), start=world.now)
        self._over = hang(seats)
        self._view = TableView(true_profile(1, seats), CardReader(GlyphNet.load()))

    def look(self) -> Sight:
        at, began = self.due, time.process_time()
        image = self._over.shot(*self._model.lying(at), seed=round(at * 1000))
        drawn = time.process_time()
        sight = self._view.see(Frame(1, image, at, at + 0.001))
        self.drawn_s.append(drawn - began)
        self.read_s.append(time.process_time() - drawn)
        return sight

    def truth(self) -> tuple[TrueArea, ...]:
        return self._model.truth()

    def again(self, areas: Collection[str]) -> Sight:
        """Nothing: how long errors last is not what is measured here."""
        return Sight(1, self.due, self.due, ())


def run(quick: bool = False) -> list[str]:
    cameras: list[Timed] = []

    def above(world: World, seats: int) -> Timed:
        cameras.append(Timed(world, seats))
        return cameras[-1]

    fit_hands(
        Settings(hands=1 if quick else 3, seats=SEATS, camera="alone", seed=1),
        above,
        every_s=EVERY_S,
    )
    read = np.array([s for camera in cameras for s in camera.read_s]) * 1000
    drawn = np.array([s for camera in cameras for s in camera.drawn_s]) * 1000
    cores = read.mean() / (EVERY_S * 1000)
    return [
        f"{len(read)} pictures of {len(cameras)} hands; processor time to read one: mean"
        f" {read.mean():.0f}, p50 {np.median(read):.0f}, p99 {np.percentile(read, 99):.0f},"
        f" most {read.max():.0f} ms; {cores:.2f} of a core at {1 / EVERY_S:.0f} pictures a second",
        f"to draw one (a simulated table alone does that): mean {drawn.mean():.0f} ms",
    ]
