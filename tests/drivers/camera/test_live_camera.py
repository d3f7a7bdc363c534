"""A camera in use: newest picture first, loss, return, a picture that stands still, stills."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest

from drivers.camera.eye import CameraSettings
from drivers.camera.frame import Frame
from drivers.camera.live import STANDS_STILL, LiveCamera
from drivers.errors import DriverError
from drivers.readings import Health, HealthState
from tests.drivers.camera.twin_eye import TwinEye

PATIENCE_S = 30.0
SETTINGS = CameraSettings(size=(8, 8), still=(32, 32), settle=2)


class HandClock:
    """Moves when something waits by it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Scene:
    """A camera that is looked through."""

    clock: HandClock
    eye: TwinEye
    camera: LiveCamera
    looks: AsyncIterator[Frame | Health]


Story = Callable[[Scene], Coroutine[Any, Any, None]]


def run(story: Story, *, camera: int = 1, loose: str = "") -> None:
    """loose: what the camera does not let be held."""

    async def told() -> None:
        clock = HandClock()
        eye = TwinEye(clock, loose)
        async with LiveCamera(camera, eye, SETTINGS, clock=clock, sleep=clock.sleep) as live:
            await story(Scene(clock, eye, live, live.frames()))
            eye.let()  # a take that waits for its picture gets one at the end, as a real one does

    asyncio.run(asyncio.wait_for(told(), PATIENCE_S))


async def next_frame(looks: AsyncIterator[Frame | Health]) -> Frame:
    async for look in looks:
        if isinstance(look, Frame):
            return look
    raise AssertionError("the camera has ended")


async def next_word(looks: AsyncIterator[Frame | Health], state: HealthState) -> Health:
    async for look in looks:
        if isinstance(look, Health) and look.state is state:
            return look
    raise AssertionError("the camera has ended")


def test_exposure_is_held_before_the_first_picture_is_given() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        frame = await next_frame(at.looks)
        assert at.eye.locked == 1
        assert frame.camera == 1
        assert frame.started <= frame.ended <= at.clock.now
        assert at.camera.health[0].state is HealthState.OK
        assert all(name.startswith("camera 1") for name in at.eye.thread_names)

    run(story)


def test_an_automatism_that_cannot_be_held_is_said_and_pictures_come_all_the_same() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        word = await next_word(at.looks, HealthState.DEGRADED)
        assert "white balance" in word.reason
        assert "v4l2-ctl" in word.reason
        await next_frame(at.looks)

    run(story, loose="white balance")


def test_whoever_is_slow_gets_the_newest_picture_and_none_of_those_between() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        await next_frame(at.looks)
        for _ in range(5):
            at.clock.now += 1.0
            at.eye.let()
            while at.camera._newest is None or at.camera._newest.ended < at.clock.now:  # noqa: ASYNC110 - a thread takes it
                await asyncio.sleep(0)
        assert (await next_frame(at.looks)).ended == at.clock.now

    run(story)


@pytest.mark.parametrize("times", [1, 3])
def test_a_camera_that_is_pulled_is_lost_at_once_and_comes_back_by_itself(times: int) -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        await next_frame(at.looks)
        for turn in range(times):
            at.eye.unplug()
            lost = await next_word(at.looks, HealthState.LOST)
            assert lost.device == "camera 2"
            assert "Check its cable" in lost.reason
            while len(at.clock.waits) < 3 * (turn + 1):  # noqa: ASYNC110 - a thread takes it
                await asyncio.sleep(0)
            at.eye.plugged = True
            at.eye.let(4)
            await next_word(at.looks, HealthState.OK)
            await next_frame(at.looks)
        assert set(at.clock.waits) <= {1.0, 2.0, 5.0}

    run(story, camera=2)


def test_a_picture_that_stands_still_is_a_lost_camera() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        await next_frame(at.looks)
        at.eye.frozen = True
        at.eye.let(STANDS_STILL + 1)
        lost = await next_word(at.looks, HealthState.LOST)
        assert "stands still" in lost.reason

    run(story)


def test_pictures_of_another_size_are_taken_as_they_come() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        await next_frame(at.looks)
        at.eye.size = 4
        at.eye.let()
        assert (await next_frame(at.looks)).image.shape == (4, 4, 3)

    run(story)


def test_a_still_comes_between_the_pictures_and_is_marked_as_one() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        await next_frame(at.looks)
        asked = asyncio.ensure_future(at.camera.still())
        await asyncio.sleep(0)
        at.eye.let()
        frame = await asked
        assert frame.still
        assert frame.image.shape == (32, 32, 3)
        at.eye.let()
        assert not (await next_frame(at.looks)).still

    run(story)


def test_a_still_that_was_asked_for_is_refused_when_the_camera_goes() -> None:
    async def story(at: Scene) -> None:
        with pytest.raises(DriverError, match="not opened yet"):
            await at.camera.still()
        at.eye.let(3)
        await next_frame(at.looks)
        asked = asyncio.ensure_future(at.camera.still())
        await asyncio.sleep(0)
        at.eye.unplug()
        with pytest.raises(DriverError, match="no picture any more"):
            await asked

    run(story)


def test_a_frame_prints_as_a_mask() -> None:
    async def story(at: Scene) -> None:
        at.eye.let(3)
        frame = await next_frame(at.camera.frames())
        assert repr(frame) == "<frame of camera 1, 8x8>"

    run(story)
