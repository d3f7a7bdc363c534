"""A camera over a rendered table, and a person who moves things before it. Virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from calibration.camera import marks
from calibration.camera.step import ClearTable, LayPlaceCards, MoveBoard
from calibration.steps import Act, Left, News, Remark
from drivers.camera.frame import Frame, Image
from drivers.readings import Health, HealthState
from drivers.table_plan import table_plan
from tests.calibration.camera.measured import OVER, SMALL
from tests.calibration.camera.rendered import (
    board_picture,
    stuck_down,
    table_picture,
    views_over_the_picture,
)

FRAME_S = 0.5
DWELL = 3
"""Pictures in which a hand holds the board at one spot."""

Stickers = Mapping[int, tuple[float, float, float]]
T = TypeVar("T")
Scene = Callable[[int], Image]
"""The picture with that number since the scene began."""


class CameraTwin:
    """Gives what its scene shows; `lost_after` pictures its cable is pulled."""

    def __init__(self, lost_after: int | None = None) -> None:
        self.scene: Scene = empty()
        self.open = False
        self._begun = 0
        self._given = 0
        self._lost_after = lost_after

    def shows(self, scene: Scene) -> None:
        self.scene = scene
        self._begun = self._given

    async def __aenter__(self) -> Self:
        self.open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.open = False

    @property
    def health(self) -> tuple[Health, ...]:
        return ()

    async def frames(self) -> AsyncIterator[Frame | Health]:
        while True:
            at = self._given * FRAME_S
            if self._lost_after is not None and self._given >= self._lost_after:
                yield Health("camera 1", HealthState.LOST, "unplugged: plug it in", at)
                return
            image = self.scene(self._given - self._begun)
            self._given += 1
            yield Frame(1, image, at, at + 0.01)

    async def still(self) -> Frame:
        return Frame(1, self.scene(0), 0.0, 0.01, still=True)


@lru_cache(maxsize=64)
def _board(index: int) -> Image:
    return board_picture(SMALL, views_over_the_picture(SMALL)[index], seed=index)


@lru_cache(maxsize=32)
def _table(stickers: tuple[tuple[int, tuple[float, float, float]], ...], seed: int) -> Image:
    return table_picture(SMALL, OVER, dict(stickers), seed=seed)


def empty() -> Scene:
    blank = np.full((SMALL.height, SMALL.width, 3), 60, dtype=np.uint8)
    return lambda number: blank


def moved_board(spots: Sequence[int]) -> Scene:
    """The board at one of the eighteen spots after the other, and at the last one for good."""
    return lambda number: _board(spots[min(number // DWELL, len(spots) - 1)])


def table(stickers: Stickers) -> Scene:
    """The table; the grain of its pictures differs."""
    lie = tuple(sorted(stickers.items()))
    return lambda number: _table(lie, number % 3)


def place_cards(seats: int) -> Stickers:
    """Stickers, and place cards 20 mm to the right of the plan."""
    plan = table_plan(seats)
    cards = {
        n: (plan[z].x_mm + 20, plan[z].y_mm, plan[z].angle_deg)
        for n, z in marks.place_cards(seats).items()
    }
    return {**stuck_down(), **cards}


class HandAtCamera:
    """Does what is asked. says: answers that are not the usual one, by the kind of task. spots:
    what it shows of the board; stickers: what lies on the table. Leaves at act `leaves_at`."""

    def __init__(
        self,
        twin: CameraTwin,
        *,
        says: Mapping[type, Sequence[str]] | None = None,
        spots: Sequence[Sequence[int]] = (range(18),),
        stickers: Sequence[Stickers] = (),
        leaves_at: int | None = None,
        accepts: bool = True,
    ) -> None:
        self.twin = twin
        self.acts: list[Act] = []
        self.news: list[str] = []
        self.remarks: list[Remark] = []
        self.pages: list[Path] = []
        self._says = {task: list(answers) for task, answers in (says or {}).items()}
        self._spots = list(spots)
        self._stickers = list(stickers or [stuck_down()])
        self._leaves_at = leaves_at
        self._accepts = accepts

    async def does(self, act: Act) -> str:
        self.acts.append(act)
        if len(self.acts) == self._leaves_at:
            raise Left
        match act.task:
            case MoveBoard():
                self.twin.shows(moved_board(_next(self._spots)))
            case ClearTable():
                self.twin.shows(table(_next(self._stickers)))
            case LayPlaceCards(seats):
                self.twin.shows(table(place_cards(seats)))
        answers = self._says.get(type(act.task), [])
        answer = answers.pop(0) if answers else next(iter(act.answers))
        assert act.allows(answer)
        return answer

    def hears(self, news: News) -> None:
        self.news.append(news.text)

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        self.remarks = list(remarks)
        self.pages.append(page)
        return self._accepts

    def asked(self, task: type) -> list[str]:
        """What was asked for that task, each time."""
        return [act.ask for act in self.acts if isinstance(act.task, task)]


def _next(choices: list[T]) -> T:
    return choices.pop(0) if len(choices) > 1 else choices[0]
