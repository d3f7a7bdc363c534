"""The hand that calibrates a simulated camera: moves the lens board before it, clears the table,
lays the place cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from calibration.camera import marks
from calibration.camera.drawn import BOARD_EDGE_MM, board_image, sticker_image
from calibration.camera.step import ClearTable, LayPlaceCards, MoveBoard
from calibration.steps import Act, News, Remark
from controller.calibrating.robot_person import Watcher
from drivers.factory import Sheet, SheetCamera, laid_around, moved_about
from drivers.table_plan import TABLE_MM, table_plan

PICTURES_EACH = 3
"""In which the hand holds the board still."""
_BOARD_PX_MM = 8
_FELT_PX_MM = 3.0
_CARD_PX_MM = 10
_FELT = (70, 95, 40)
_CROOKED_DEG = 4.0
_OFF_MM = 1.0
"""How well a hand sticks a sticker down."""


class CameraHand:
    """At a simulated camera. Its stickers are stuck down once, and a little beside their places."""

    def __init__(self, camera: SheetCamera, seed: int = 0) -> None:
        self._camera = camera
        chance = np.random.default_rng(seed)
        self._stickers = {
            n: (
                x + chance.normal(0, _OFF_MM),
                y + chance.normal(0, _OFF_MM),
                chance.normal(0, _CROOKED_DEG),
            )
            for n, (x, y) in marks.STICKERS.items()
        }

    async def does(self, act: Act) -> str | None:
        """Do what an act of `CameraStep` asks; None: the usual answer."""
        match act.task:
            case MoveBoard():
                self._move_board()
            case ClearTable():
                self._lay(self._stickers)
            case LayPlaceCards(seats):
                self._lay({**self._stickers, **_cards(seats)})
        return None

    def _move_board(self) -> None:
        edge = _BOARD_PX_MM * BOARD_EDGE_MM - 0.5
        board = Sheet(board_image(_BOARD_PX_MM), _BOARD_PX_MM, (edge, edge))
        across, down = marks.BOARD_SQUARES
        size_mm = (across * marks.SQUARE_MM, down * marks.SQUARE_MM)
        self._camera.move(board, moved_about(size_mm, self._camera.lens), PICTURES_EACH)

    def _lay(self, marks_at: Mapping[int, tuple[float, float, float]]) -> None:
        width, height = (round(side * _FELT_PX_MM) for side in TABLE_MM)
        felt = np.full((height + 300, width, 3), _FELT, dtype=np.uint8)
        base = Sheet(felt, _FELT_PX_MM, ((width - 1) / 2, (height + 299) / 2), y_up=True)
        self._camera.lay(
            laid_around(
                (
                    (Sheet(sticker_image(n, _CARD_PX_MM), _CARD_PX_MM, (0.0, 0.0)), x, y, turned)
                    for n, (x, y, turned) in marks_at.items()
                ),
                base,
            )
        )


def _cards(seats: int) -> Mapping[int, tuple[float, float, float]]:
    plan = table_plan(seats)
    return {
        n: (plan[zone].x_mm, plan[zone].y_mm, plan[zone].angle_deg)
        for n, zone in marks.place_cards(seats).items()
    }


class WatchedHand:
    """A simulated person at a simulated camera; whoever watches is told, and judges."""

    def __init__(self, hand: CameraHand, watcher: Watcher) -> None:
        self._hand = hand
        self._watcher = watcher

    async def does(self, act: Act) -> str:
        self._watcher.asked(act)
        said = await self._hand.does(act)
        answer = next(iter(act.answers)) if said is None else said
        self._watcher.answered(act, answer)
        return answer

    def hears(self, news: News) -> None:
        self._watcher.hears(news)

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        return await self._watcher.judges(kind, remarks, page)
