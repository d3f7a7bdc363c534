"""Two cameras whose pictures one network reads."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Any, cast

import numpy as np

from controller.camera_source import CameraSource
from controller.vision.picture import Quality
from drivers.camera.frame import Frame
from drivers.readings import Health, Sight


class Network:
    """Counts how many threads are in it."""

    def __init__(self) -> None:
        self._inside = threading.Semaphore(1)
        self.clashes = 0

    def use(self) -> None:
        if not self._inside.acquire(blocking=False):
            self.clashes += 1
            return
        time.sleep(0.002)
        self._inside.release()


class View:
    quality = Quality()

    def __init__(self, net: Network) -> None:
        self._net = net

    def see(self, frame: Frame) -> Sight:
        self._net.use()
        return Sight(frame.camera, frame.started, frame.ended, ())


class Five:
    """A camera that gives five pictures."""

    health: tuple[Health, ...] = ()

    async def frames(self) -> AsyncIterator[Frame]:
        for n in range(5):
            yield Frame(1, np.zeros((20, 20, 3), np.uint8), float(n), n + 0.1)


def test_one_network_reads_one_picture_at_a_time() -> None:
    net, reading = Network(), asyncio.Lock()
    sources = [
        CameraSource(cast(Any, Five()), n, cast(Any, View(net)), cast(Any, None), reading=reading)
        for n in (1, 2)
    ]

    async def five(source: CameraSource) -> int:
        seen = 0
        async for _ in source.readings():
            seen += 1
            if seen == 5:
                break
        return seen

    async def both() -> list[int]:
        return await asyncio.gather(*map(five, sources))

    assert asyncio.run(both()) == [5, 5]
    assert net.clashes == 0
