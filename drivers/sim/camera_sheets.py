"""A simulated camera over a table on which printed sheets lie, or before which one is moved about:
all that a camera's calibration needs to see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import numpy as np

from drivers.camera.frame import Frame, Image
from drivers.contracts import Clock, Sleep
from drivers.readings import Health, HealthState
from drivers.sim.camera_flat import Lens, Sheet, Stance, laid_over, taken

_FELT = (70, 95, 40)
_EXPOSURE_S = 0.01
_GRAINS = 4
"""Pictures of a scene that are kept; their grain differs."""


@dataclass(slots=True)
class _Scene:
    """A sheet before the camera, in one stance after the other, each for `each` pictures, and then
    round again: a hand that waits until it was seen, however slow the machine."""

    sheet: Sheet | None
    stances: Sequence[Stance]
    each: int = 1
    given: int = 0
    pictures: dict[tuple[int, int], Image] = field(default_factory=dict)

    def next(self) -> tuple[int, int]:
        """The stance of the next picture, and its number."""
        number, self.given = self.given, self.given + 1
        return number // self.each % len(self.stances), number


class SheetCamera:
    """Camera `number`, with that lens. table: how the table lies under it. noise: the grain's
    standard deviation, in steps of 255."""

    def __init__(
        self,
        number: int,
        lens: Lens,
        table: Stance,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        frames_hz: float = 10.0,
        blur_px: float = 0.6,
        noise: float = 2.5,
    ) -> None:
        self.number = number
        self.lens = lens
        self._table = table
        self._clock = clock
        self._sleep = sleep
        self._frame_s = 1 / frames_hz
        self._look = (blur_px, noise)
        self._scene = _Scene(None, (table,))

    @property
    def name(self) -> str:
        return f"simulated {self.lens.width}x{self.lens.height}"

    # -- the hand before it ------------------------------------------------------------------------

    def lay(self, table: Sheet) -> None:
        """The table's felt with whatever lies on it, from now on."""
        self._scene = _Scene(table, (self._table,))

    def move(self, sheet: Sheet, stances: Sequence[Stance], each: int) -> None:
        """That sheet held before the camera in one way after the other, from now on, each for that
        many pictures."""
        self._scene = _Scene(sheet, stances, each)

    # -- a Camera ----------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    @property
    def health(self) -> tuple[Health, ...]:
        return (Health(f"camera {self.number}", HealthState.OK, self.name, self._clock()),)

    async def frames(self) -> AsyncIterator[Frame | Health]:
        due = self._clock()
        while True:
            yield await self.still()
            due = max(due + self._frame_s, self._clock())
            await self._sleep(max(due - self._clock(), 0.0))

    async def still(self) -> Frame:
        started = self._clock()
        image = await asyncio.to_thread(self._picture)
        return Frame(self.number, image, started, started + _EXPOSURE_S, still=True)

    def _picture(self) -> Image:
        scene = self._scene
        stance, number = scene.next()
        grain = number % _GRAINS
        return _kept(scene.pictures, (stance, grain), lambda: self._drawn(scene, stance, grain))

    def _drawn(self, scene: _Scene, stance: int, grain: int) -> Image:
        plain = (stance, -1)
        sharp = _kept(scene.pictures, plain, lambda: self._sharp(scene, stance))
        return taken(sharp, *self._look, seed=1000 * stance + grain)

    def _sharp(self, scene: _Scene, stance: int) -> Image:
        felt = np.full((self.lens.height, self.lens.width, 3), _FELT, dtype=np.uint8)
        if scene.sheet is None:
            return felt
        return laid_over(felt, scene.sheet, self.lens, scene.stances[stance])


def _kept(
    pictures: dict[tuple[int, int], Image], key: tuple[int, int], draw: Callable[[], Image]
) -> Image:
    if key not in pictures:
        pictures[key] = draw()
    return pictures[key]
