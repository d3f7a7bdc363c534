"""A camera as the table uses it: pictures off the event loop, the newest first, and a camera that
goes away and comes back.

The library's calls block, so they are made in a thread of the camera's own. Whoever looks is always
given the newest picture: a table that has fallen behind must not judge what is long over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from drivers.camera.eye import CameraSettings, Eye, Taken
from drivers.camera.frame import Frame, Image
from drivers.contracts import Clock, Sleep
from drivers.errors import DriverError, LinkLostError
from drivers.readings import Health, HealthState, camera_name

BACKOFF_S = (1.0, 2.0, 5.0)
"""How long to wait before a camera is opened again; the last of them from then on."""

STANDS_STILL = 25
"""So many pictures in a row that are the same to the last bit come from no camera: even a covered
lens has noise."""

T = TypeVar("T")


class LiveCamera:
    """One camera (the contract `drivers.contracts.Camera`).

    camera: its number at the table. recorded: it plays pictures that were taken long ago, so the
    same one may come again. clock, sleep: monotonic seconds.
    """

    def __init__(
        self,
        camera: int,
        eye: Eye,
        settings: CameraSettings,
        *,
        recorded: bool = False,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.camera = camera
        self._eye = eye
        self._settings = settings
        self._recorded = recorded
        self._clock, self._sleep = clock, sleep
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"camera {camera}")
        self._pump: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._newest: Frame | None = None
        self._said: list[Health] = []
        self._over = False
        self._up = False
        self._still_asked: list[asyncio.Future[Frame]] = []
        self._last: Image | None = None
        self._same = 0
        self._health = self._word(HealthState.LOST, "it was not opened yet")

    async def __aenter__(self) -> Self:
        self._pump = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
            self._pump = None
        await self._blocking(self._eye.close)
        self._thread.shutdown()
        self._refuse_stills("it was closed")

    @property
    def health(self) -> tuple[Health, ...]:
        return (self._health,)

    async def frames(self) -> AsyncIterator[Frame | Health]:
        while True:
            while self._said:
                yield self._said.pop(0)
            if self._newest is not None:
                frame, self._newest = self._newest, None
                yield frame
                continue
            if self._over:
                return
            self._news.clear()
            await self._news.wait()

    async def still(self) -> Frame:
        if not self._up:
            raise LinkLostError(
                "no still can be taken now", self._health.device, self._health.reason
            )
        asked: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._still_asked.append(asked)
        return await asked

    # -- inside ------------------------------------------------------------------------------------

    async def _run(self) -> None:
        tries = 0
        while not self._over:
            try:
                await self._blocking(self._eye.open)
                await self._settle()
                tries = 0
                await self._look()
            except DriverError as error:
                self._up = False
                self._tell(HealthState.LOST, f"{error.what}. {error.remedy}")
                self._refuse_stills(error.what)
                await self._blocking(self._eye.close)
                await self._sleep(BACKOFF_S[min(tries, len(BACKOFF_S) - 1)])
                tries += 1
        self._news.set()

    async def _settle(self) -> None:
        """Give exposure and white balance their time, and hold them from then on."""
        if self._recorded or not self._settings.lock:
            self._back("pictures come")
            return
        for _ in range(self._settings.settle):
            await self._blocking(self._eye.take)
        loose = await self._blocking(self._eye.lock)
        if loose:
            self._up = True
            self._tell(
                HealthState.DEGRADED,
                f"it does not let {loose} be held; light that changes may cost readings. Set it by "
                "hand with v4l2-ctl, or take another camera",
            )
        else:
            self._back("pictures come")

    def _back(self, reason: str) -> None:
        self._up = True
        self._last, self._same = None, 0
        self._tell(HealthState.OK, reason)

    async def _look(self) -> None:
        while True:
            taken = await self._blocking(self._eye.take)
            if taken is None:
                self._over, self._up = True, False
                self._refuse_stills("the recording is at its end")
                return
            self._must_live(taken.image)
            self._newest = self._frame(taken)
            self._news.set()
            asked, self._still_asked = self._still_asked, []
            if asked:
                await self._take_still(asked)

    async def _take_still(self, asked: list[asyncio.Future[Frame]]) -> None:
        try:
            frame = self._frame(await self._blocking(self._eye.still), still=True)
        except DriverError as error:
            for one in asked:
                if not one.done():
                    one.set_exception(error)
            raise
        for one in asked:
            if not one.done():
                one.set_result(frame)

    def _must_live(self, image: Image) -> None:
        """Raises LinkLostError for a picture that has stood still for too long."""
        if self._recorded:
            return
        before, self._last = self._last, image
        alike = before is not None and before.shape == image.shape
        self._same = self._same + 1 if alike and np.array_equal(before, image) else 0  # type: ignore[arg-type]
        if self._same >= STANDS_STILL:
            raise LinkLostError(
                "its picture stands still", self._health.device, "Unplug it and plug it in again."
            )

    def _frame(self, taken: Taken, still: bool = False) -> Frame:
        return Frame(self.camera, taken.image, taken.started, taken.ended, still)

    def _refuse_stills(self, why: str) -> None:
        asked, self._still_asked = self._still_asked, []
        for one in asked:
            if not one.done():
                one.set_exception(
                    LinkLostError(
                        f"no still: {why}", self._health.device, "Try again when it is back."
                    )
                )

    def _word(self, state: HealthState, reason: str) -> Health:
        return Health(camera_name(self.camera), state, reason, self._clock())

    def _tell(self, state: HealthState, reason: str) -> None:
        word = self._word(state, reason)
        if (word.state, word.reason) == (self._health.state, self._health.reason):
            return
        self._health = word
        if state is HealthState.LOST:
            self._newest = None  # what it saw before it went is no news
        self._said.append(word)
        self._news.set()

    async def _blocking(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)
