"""A camera as the table's source of sights: its pictures read in a thread, the newest first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from drivers.camera.frame import Frame, Image
from drivers.contracts import Camera
from drivers.errors import DriverError
from drivers.readings import Health, HealthState, Sight, camera_name

if TYPE_CHECKING:
    from controller.moved_watch import MovedWatch
    from controller.vision.spread import SpreadSeen
    from controller.vision.table_view import TableView

BLIND_S = 8.0
"""A camera that has seen nothing for so long is said to; a hand before the lens is gone sooner."""


class Spreads(Protocol):
    """What reads a still of a spread deck."""

    def look(self, image: Image, px_per_mm: float | None = None) -> SpreadSeen: ...


class CameraSource:
    """One camera, with what reads its pictures.

    view: reads the table. spreads: reads a deck that is spread out for a count. moved: looks
    whether it still hangs where it was calibrated; what it says goes to `note`. All work in a
    thread, one picture after the other: the next one is asked for when the last is read, so a slow
    machine looks less often and never falls behind. reading: held meanwhile; cameras that use one
    network share it, for a network reads one picture at a time.
    """

    def __init__(
        self,
        camera: Camera,
        number: int,
        view: TableView,
        spreads: Spreads,
        *,
        moved: MovedWatch | None = None,
        note: Callable[[str], None] = lambda text: None,
        reading: asyncio.Lock | None = None,
    ) -> None:
        self._camera, self._number = camera, number
        self._view, self._spreads = view, spreads
        self._moved, self._note = moved, note
        self._sight: Sight | None = None
        self._reading = reading or asyncio.Lock()
        self._saw_at: float | None = None
        self._blind = False

    async def __aenter__(self) -> Self:
        await self._camera.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._camera.__aexit__(kind, error, trace)

    @property
    def health(self) -> tuple[Health, ...]:
        return self._camera.health

    async def readings(self) -> AsyncIterator[Sight | Health]:
        """Sights and news of the camera, without end (a recording stands still at its end)."""
        async for look in self._camera.frames():
            if isinstance(look, Health):
                self._saw_at, self._blind = None, False
                yield look
                continue
            async with self._reading:
                sight = await asyncio.to_thread(self._view.see, look)
                words = ""
                if self._moved is not None and self._view.quality.good:
                    words = await asyncio.to_thread(self._moved.see, look)
            if words:
                self._note(words)
            self._sight = sight
            if (said := self._sees(look)) is not None:
                yield said
            yield sight
        await asyncio.Event().wait()

    @property
    def looks(self) -> str:
        """How well it sees, for the screen: areas and no cards."""
        name = camera_name(self._number)
        if self._camera.health[0].state is HealthState.LOST:
            return f"{name} lost"
        if self._sight is None:
            return f"{name} starts"
        if not self._view.quality.good:
            return f"{name}: {self._view.quality.reason}"
        hidden = [area.area for area in self._sight.areas if not area.clear]
        clear = f"{name} sees {len(self._sight.areas) - len(hidden)} of {len(self._sight.areas)}"
        return f"{clear}, not {', '.join(hidden)}" if hidden else clear

    async def spread(self) -> SpreadSeen:
        """What a still shows of a deck that is spread out. A camera that fails sees nothing, and
        the reason is said."""
        from controller.vision.picture import Quality
        from controller.vision.spread import SpreadSeen

        try:
            frame = await self._camera.still()
        except DriverError as error:
            return SpreadSeen(quality=Quality(False, str(error), 0.0, 0.0, 0.0))
        async with self._reading:
            return await asyncio.to_thread(self._spreads.look, frame.image)

    def _sees(self, frame: Frame) -> Health | None:
        """News of whether the pictures can be read at all."""
        quality = self._view.quality
        if quality.good:
            self._saw_at = frame.ended
            if self._blind:
                self._blind = False
                return self._word(HealthState.OK, "it sees the table again", frame.ended)
            return None
        if self._saw_at is None:
            self._saw_at = frame.ended
        if not self._blind and frame.ended - self._saw_at >= BLIND_S:
            self._blind = True
            return self._word(HealthState.LOST, f"it cannot see: {quality.reason}", frame.ended)
        return None

    def _word(self, state: HealthState, reason: str, at: float) -> Health:
        return Health(camera_name(self._number), state, reason, at)
