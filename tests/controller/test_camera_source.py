"""A camera as a source: its sights, what it cannot see, stills between pictures, its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import numpy as np
import pytest

from calibration.camera.moved import Moved
from controller.camera_source import BLIND_S, CameraSource
from controller.cameras import true_profile
from controller.moved_watch import AGAIN_S, SELDOM_S, TRIES, MovedWatch
from controller.sources import in_order
from controller.vision.picture import Quality
from drivers.camera.frame import Frame
from drivers.errors import LinkLostError
from drivers.readings import AreaSight, Health, HealthState, Sight

SMALL = np.zeros((20, 30, 3), np.uint8)
SIGHT = (AreaSight("board", ()), AreaSight("seat/1", (), clear=False))


class Twin:
    """A camera that gives what is put into it; only the newest picture waits."""

    def __init__(self) -> None:
        self.news: asyncio.Queue[Frame | Health | None] = asyncio.Queue()
        self.state = HealthState.OK
        self.opened: list[str] = []

    @property
    def health(self) -> tuple[Health, ...]:
        return (Health("camera 1", self.state, "", 0.0),)

    async def __aenter__(self) -> Self:
        self.opened.append("open")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.opened.append("closed")

    async def frames(self) -> AsyncIterator[Frame | Health]:
        while (one := await self.news.get()) is not None:
            yield one

    async def still(self) -> Frame:
        if self.state is HealthState.LOST:
            raise LinkLostError("no still can be taken now", "camera 1", "Wait.")
        return Frame(1, SMALL, 5.0, 5.1, still=True)

    def shows(self, at: float) -> None:
        self.news.put_nowait(Frame(1, SMALL, at - 0.1, at))


@dataclass
class View:
    """Reads pictures as well as it is told."""

    quality: Quality = field(default_factory=Quality)
    seen: list[float] = field(default_factory=list)
    busy: bool = False

    def see(self, frame: Frame) -> Sight:
        assert not self.busy, "one picture after the other"
        self.seen.append(frame.ended)
        return Sight(1, frame.started, frame.ended, SIGHT)


class Spreads:
    def __init__(self, view: View) -> None:
        self._view = view
        self.looked: list[Any] = []

    def look(self, image: Any, px_per_mm: float | None = None) -> Any:
        self._view.busy = True
        self.looked.append(image)
        self._view.busy = False
        return "a spread"


class Night:
    def __init__(self, **more: Any) -> None:
        self.twin, self.view = Twin(), View()
        self.spreads = Spreads(self.view)
        self.source = CameraSource(self.twin, 1, self.view, self.spreads, **more)  # type: ignore[arg-type]
        self.readings = self.source.readings()

    async def next(self) -> Sight | Health:
        return await asyncio.wait_for(anext(self.readings), 10)

    async def sight(self, at: float) -> Sight | Health:
        self.twin.shows(at)
        return await self.next()


def course(run: Callable[[Night], Awaitable[None]], **more: Any) -> None:
    async def night() -> None:
        here = Night(**more)
        async with here.source:
            await run(here)
        assert here.twin.opened == ["open", "closed"]

    asyncio.run(night())


BLIND = Quality(False, "too dark: give the table more light", 0.0, 0.0, 0.0)


def test_pictures_become_sights() -> None:
    async def run(night: Night) -> None:
        assert await night.sight(1.0) == Sight(1, 0.9, 1.0, SIGHT)

    course(run)


def test_blindness_is_said_once_after_a_while_and_its_end_too() -> None:
    async def run(night: Night) -> None:
        assert isinstance(await night.sight(0.0), Sight)
        night.view.quality = BLIND
        assert isinstance(await night.sight(BLIND_S - 0.5), Sight)  # a hand before the lens
        said = await night.sight(BLIND_S + 0.1)
        assert isinstance(said, Health)
        assert (said.device, said.state) == ("camera 1", HealthState.LOST)
        assert said.reason == "it cannot see: too dark: give the table more light"
        assert isinstance(await night.next(), Sight)
        assert isinstance(await night.sight(BLIND_S + 30), Sight)
        night.view.quality = Quality()
        back = await night.sight(BLIND_S + 31)
        assert isinstance(back, Health)
        assert back.state is HealthState.OK

    course(run)


def test_a_lost_camera_is_told_and_blindness_counted_anew() -> None:
    async def run(night: Night) -> None:
        night.view.quality = BLIND
        assert isinstance(await night.sight(0.0), Sight)
        lost = Health("camera 1", HealthState.LOST, "unplugged", 4.0)
        night.twin.news.put_nowait(lost)
        assert await night.next() == lost
        assert isinstance(await night.sight(BLIND_S + 1), Sight)  # it has just come back
        assert isinstance(await night.sight(2 * BLIND_S + 1.5), Health)

    course(run)


def test_a_still_is_read_between_pictures() -> None:
    async def run(night: Night) -> None:
        spread, sight = await asyncio.gather(night.source.spread(), night.sight(1.0))
        assert spread == "a spread"  # type: ignore[comparison-overlap]
        assert isinstance(sight, Sight)
        assert len(night.spreads.looked) == 1
        night.twin.state = HealthState.LOST
        blind = await night.source.spread()
        assert not blind.quality.good
        assert "camera 1" in blind.quality.reason  # and the count goes on when it is back

    course(run)


def test_at_the_end_of_a_recording_the_source_waits() -> None:
    async def run(night: Night) -> None:
        night.twin.news.put_nowait(None)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(night.readings), 0.05)

    course(run)


def test_the_screen_is_told_areas_and_no_cards() -> None:
    async def run(night: Night) -> None:
        assert night.source.looks == "camera 1 starts"
        await night.sight(1.0)
        assert night.source.looks == "camera 1 sees 1 of 2, not seat/1"
        night.view.quality = BLIND
        assert night.source.looks == "camera 1: too dark: give the table more light"
        night.twin.state = HealthState.LOST
        assert night.source.looks == "camera 1 lost"

    course(run)


# -- moved ---------------------------------------------------------------------------------------


class Stickers:
    def __init__(self) -> None:
        self.moved = Moved(0.4, 9, 9)
        self.looks = 0

    def __call__(self, profile: object, frame: Frame) -> Moved:
        self.looks += 1
        return self.moved


def picture(at: float) -> Frame:
    return Frame(1, np.broadcast_to(np.uint8(0), (1296, 2304, 3)), at, at)


def said(watch: MovedWatch, start: float, seconds: float) -> list[str]:
    steps = np.arange(start, start + seconds, 1.0)
    return [words for at in steps if (words := watch.see(picture(float(at))))]


def test_a_camera_that_hangs_where_it_did_is_seldom_looked_for() -> None:
    stickers = Stickers()
    watch = MovedWatch(true_profile(1, 9), stickers)
    assert not said(watch, 0.0, 2 * SELDOM_S)
    assert stickers.looks == 2


def test_a_moved_camera_is_said_once_at_the_start_and_later() -> None:
    stickers = Stickers()
    watch = MovedWatch(true_profile(1, 9), stickers)
    stickers.moved = Moved(14.0, 9, 9)
    assert not said(watch, 0.0, (TRIES - 1) * AGAIN_S - 1)  # an arm may push a sticker
    (words,) = said(watch, (TRIES - 1) * AGAIN_S, 3 * SELDOM_S)
    assert words.startswith("camera 1 has moved: the table lies 14 mm")
    assert "Next: burnturn calibrate camera table" in words
    stickers.moved = Moved(0.2, 9, 9)
    assert not said(watch, 4 * SELDOM_S, SELDOM_S)
    stickers.moved = Moved(9.0, 9, 9)
    assert len(said(watch, 6 * SELDOM_S, 2 * SELDOM_S)) == 1


def test_hidden_stickers_are_news_at_a_start_alone() -> None:
    stickers = Stickers()
    stickers.moved = Moved(None, 1, 9)
    (words,) = said(MovedWatch(true_profile(1, 9), stickers), 0.0, SELDOM_S)
    assert "sees 1 of its 9 stickers" in words
    watch = MovedWatch(true_profile(1, 9), stickers)
    stickers.moved = Moved(0.2, 9, 9)
    assert not said(watch, 0.0, 10.0)
    stickers.moved = Moved(None, 0, 9)
    assert not said(watch, 10.0, 5 * SELDOM_S)


def test_a_picture_of_another_size_says_nothing_of_it() -> None:
    stickers = Stickers()
    assert not MovedWatch(true_profile(1, 9), stickers).see(Frame(1, SMALL, 0.0, 0.0))
    assert stickers.looks == 0


def test_what_has_moved_is_a_note_and_a_blind_camera_is_not_asked() -> None:
    stickers, notes = Stickers(), list[str]()
    stickers.moved = Moved(14.0, 9, 9)

    async def run(night: Night) -> None:
        night.view.quality = BLIND
        for n in range(4):
            night.twin.news.put_nowait(picture(n * AGAIN_S))
            await night.next()
        assert stickers.looks == 0
        night.view.quality = Quality()
        for n in range(4, 4 + TRIES):
            night.twin.news.put_nowait(picture(n * AGAIN_S))
            if isinstance(await night.next(), Health):
                await night.next()

    course(run, moved=MovedWatch(true_profile(1, 9), stickers), note=notes.append)
    assert len(notes) == 1


# -- order ---------------------------------------------------------------------------------------


def test_a_sight_keeps_when_it_was_exposed_and_is_told_in_order() -> None:
    sight = Sight(1, 4.0, 4.1, SIGHT)
    assert in_order(sight, 3.0) == sight
    late = in_order(sight, 6.0)
    assert isinstance(late, Sight)
    assert (late.started, late.ended, late.areas) == (4.0, 6.0, SIGHT)
