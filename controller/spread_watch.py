"""Looks at a spread deck with a camera: the rim of the count by camera."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from controller.vision.picture import Quality
from controller.vision.spread import SpreadSeen
from drivers.errors import DriverError

if TYPE_CHECKING:
    from controller.vision.backs import BackPattern
    from controller.vision.deck_look import DeckLook
    from controller.vision.spread_reader import SpreadReader
    from drivers.camera.frame import Frame


class Stills(Protocol):
    """What takes pictures: a `drivers.contracts.Camera`."""

    async def still(self) -> Frame: ...


class SpreadWatch:
    """One look at a time: a still, read in a thread of its own, so that the table is watched
    meanwhile.

    camera: it is open. px_per_mm: the scale of its stills, if that is known. back, deck: how the
    house's deck looks, if it was shown once.
    """

    def __init__(
        self,
        camera: Stills,
        px_per_mm: float | None = None,
        back: BackPattern | None = None,
        deck: DeckLook | None = None,
    ) -> None:
        self._camera, self._px_per_mm = camera, px_per_mm
        self._back, self._deck = back, deck
        self._reader: SpreadReader | None = None

    async def look(self) -> SpreadSeen:
        """What the camera sees now. A camera that fails sees nothing, and the reason is said."""
        try:
            frame = await self._camera.still()
        except DriverError as error:
            return SpreadSeen(quality=Quality(False, str(error), 0.0, 0.0, 0.0))
        return await asyncio.to_thread(self._read, frame)

    def _read(self, frame: Frame) -> SpreadSeen:
        if self._reader is None:
            self._reader = spread_reader(self._back, self._deck)
        return self._reader.look(frame.image, self._px_per_mm)


def spread_reader(back: BackPattern | None = None, deck: DeckLook | None = None) -> SpreadReader:
    """The reader, with the network as shipped, and how the house's deck looks where that was
    learned. Loaded only where somebody counts by camera."""
    from controller.vision.deck_look import LearnedNet
    from controller.vision.net import GlyphNet
    from controller.vision.spread_reader import SpreadReader

    net = GlyphNet.load()
    return SpreadReader(net if deck is None else LearnedNet(net, deck), back)
