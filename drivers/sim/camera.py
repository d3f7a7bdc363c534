"""The camera over a simulated table: it draws what lies there, picture by picture (the contract
`drivers.contracts.Camera`)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Collection
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from drivers.camera.frame import Frame
from drivers.contracts import Clock, Sleep
from drivers.errors import LinkLostError
from drivers.readings import Health, HealthState, camera_name
from drivers.sim.camera_flat import Lens, Stance, above
from drivers.sim.camera_scene import HANGS, USUAL, VIEW, Light, SceneCamera, TableScene
from drivers.sim.placed import PlacedCard
from drivers.sim.sight_rates import SightRates
from drivers.sim.sights import CameraModel
from drivers.sim.world import World
from drivers.table_plan import table_plan

MOST_MAP_PX = 32_000_000
"""Of a drawn table, which is kept twice."""

STILL_FACTOR = 2
"""A still has so many times the width and height of a picture."""


Row = tuple[float, float, float]


class TrueView(NamedTuple):
    """How the simulated camera really sees: the values of a calibration that made no error."""

    width_px: int
    height_px: int
    matrix: tuple[Row, Row, Row]
    distortion: tuple[float, ...]
    table_to_picture: tuple[Row, Row, Row]


LOWEST_MM = 800.0
"""No camera hangs lower over the table: players and lamps are in its way."""

_AROUND_MM = 100.0  # of the table is seen around what a camera looks at


def hung_over(areas: Collection[str], seats: int, lens: Lens = VIEW) -> Stance:
    """How the simulated camera hangs that looks at these areas of a table with so many seats: as
    near over them as shows them whole. None named: in the lamp, over all of the table."""
    if not areas:
        return HANGS
    plan = table_plan(seats)
    corners = [corner for name in areas for corner in plan[name].corners_mm]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    over = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    wide, high = max(xs) - min(xs) + 2 * _AROUND_MM, max(ys) - min(ys) + 2 * _AROUND_MM
    needed = lens.focal * max(wide / lens.width, high / lens.height)
    at_the_lamp = float(np.linalg.norm(HANGS.at))
    if needed >= at_the_lamp:
        return HANGS
    return above(max(LOWEST_MM, needed), over, over, turned_deg=0.6)


def true_view(lens: Lens = VIEW, stance: Stance = HANGS) -> TrueView:
    homography = stance.homography(lens)
    a, b, c = ((float(r[0]), float(r[1]), float(r[2])) for r in homography)
    return TrueView(lens.width, lens.height, lens.rows, lens.distortion, (a, b, c))


def hang(seats: int, lens: Lens = VIEW, stance: Stance = HANGS, seed: int = 0) -> SceneCamera:
    """A camera over as much of the table as it sees, drawn twice as finely as it sees it, but
    all of it in the memory of a small computer."""
    homography = stance.homography(lens)
    ends = np.array([(x, y, 1.0) for x in (0, lens.width) for y in (0, lens.height)])
    flat = ends @ np.linalg.inv(homography).T
    corners = flat[:, :2] / flat[:, 2:]
    whole = table_plan(seats)["table"]
    x, y = whole.width_mm / 2 + _AROUND_MM, whole.height_mm / 2 + _AROUND_MM
    left, bottom = corners.min(axis=0) - _AROUND_MM
    right, top = corners.max(axis=0) + _AROUND_MM
    within = (
        max(float(left), whole.x_mm - x),
        max(float(bottom), whole.y_mm - y),
        min(float(right), whole.x_mm + x),
        min(float(top), whole.y_mm + y),
    )
    seen = lens.focal / float(np.linalg.norm(stance.at))  # pixels a millimetre
    room = math.sqrt(MOST_MAP_PX / ((within[2] - within[0]) * (within[3] - within[1])))
    finely = min(2.1 * seen, room)
    scene = TableScene(seats, seed=seed, px_per_mm=finely, within=within)
    return SceneCamera(scene, lens, stance)


class SimulatedCamera:
    """One camera over the world of a simulated table with so many seats.

    world: the world as it is now, another one when it is dealt anew. world_time: the world's time
    at a moment of `clock`. spread: a deck that lies spread out to be counted, if one does. fps:
    pictures a second. Frames are drawn in a thread.
    """

    def __init__(
        self,
        camera: int,
        seats: int,
        world: Callable[[], World],
        world_time: Callable[[float], float] = lambda at: at,
        *,
        spread: Callable[[], tuple[PlacedCard, ...] | None] = lambda: None,
        fps: float = 4.0,
        light: Light = USUAL,
        seed: int = 0,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        lens: Lens = VIEW,
        stance: Stance = HANGS,
    ) -> None:
        self.camera = camera
        self._seats, self._world, self._world_time = seats, world, world_time
        self._spread = spread
        self._fps, self._light, self._seed = fps, light, seed
        self._clock, self._sleep = clock, sleep
        self._lens, self._stance = lens, stance
        self._over: SceneCamera | None = None
        self._closer: SceneCamera | None = None
        self._model: CameraModel | None = None
        self._of: World | None = None
        self._taken = 0
        self._due = float("-inf")
        self._health = self._word(HealthState.OK, "pictures come")

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._hang)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = self._closer = None

    @property
    def health(self) -> tuple[Health, ...]:
        return (self._health,)

    async def frames(self) -> AsyncIterator[Frame | Health]:
        yield self._health
        while True:
            now = self._clock()
            if now < self._due:
                await self._sleep(self._due - now)
            self._due = max(self._due, self._clock()) + 1.0 / self._fps
            lost = self._world().camera_fault("lost")
            if lost != (self._health.state is HealthState.LOST):
                self._health = (
                    self._word(HealthState.LOST, "it gives no pictures. Check its cable and power.")
                    if lost
                    else self._word(HealthState.OK, "pictures come again")
                )
                yield self._health
            if not lost:
                yield await self.picture()

    async def picture(self) -> Frame:
        """The table as it is now."""
        assert self._over is not None, "open it first"
        return await self._shoot(self._over, still=False)

    async def still(self) -> Frame:
        if self._over is None or self._world().camera_fault("lost"):
            raise LinkLostError(
                "no still can be taken now", camera_name(self.camera), "Check its cable and power."
            )
        if self._closer is None:
            self._closer = await asyncio.to_thread(self._hang_closer)
        return await self._shoot(self._closer, still=True)

    # -- inside ------------------------------------------------------------------------------------

    def _hang(self) -> None:
        self._over = hang(self._seats, self._lens, self._stance, self._seed)

    def _hang_closer(self) -> SceneCamera:
        finer = self._lens
        wide = Lens(
            finer.width * STILL_FACTOR,
            finer.height * STILL_FACTOR,
            finer.focal * STILL_FACTOR,
            (finer.middle[0] * STILL_FACTOR, finer.middle[1] * STILL_FACTOR),
            finer.distortion,
        )
        return hang(self._seats, wide, self._stance, self._seed)

    async def _shoot(self, over: SceneCamera, still: bool) -> Frame:
        started = self._clock()
        model = self._modelled()
        cards, hands = model.lying(self._world_time(started))
        if (spread := self._spread()) is not None:
            cards, hands = spread, frozenset()
        light = self._light
        if self._world().camera_fault("blurred"):
            light = Light(blur_px=7.0)
        self._taken += 1
        seed = self._seed + self._taken
        image = await asyncio.to_thread(over.shot, cards, hands, light, seed)
        # What it shows is of one moment; nobody may take it for younger or older.
        return Frame(self.camera, image, started, started + 0.001, still)

    def _modelled(self) -> CameraModel:
        world = self._world()
        if self._model is None or world is not self._of:
            rates = SightRates(hand_s=0.4)
            self._model = CameraModel(
                world, self._seats, rates, camera=self.camera, seed=self._seed, start=world.now
            )
            self._of = world
        return self._model

    def _word(self, state: HealthState, reason: str) -> Health:
        return Health(camera_name(self.camera), state, reason, self._clock())
