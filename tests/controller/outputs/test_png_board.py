"""The board as a file: whole, the latest frame, at most one a second."""

import asyncio
from pathlib import Path

import pytest

from controller.outputs.png import PngBoard

DARK = bytes(64 * 32 * 3)
LIT = bytes([255, 48, 40]) * (64 * 32)


class Clock:
    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now


def brightest(path: Path) -> int:
    from PIL import Image

    with Image.open(path) as image:
        return max(image.tobytes())


async def shown(board: PngBoard, *frames: bytes) -> None:
    async with board:
        for frame in frames:
            await board.show(frame)


def test_the_file_shows_the_frame_and_nothing_half_written_stays(tmp_path: Path) -> None:
    asyncio.run(shown(PngBoard(tmp_path / "b.png"), LIT))
    assert brightest(tmp_path / "b.png") > 200
    assert [p.name for p in tmp_path.iterdir()] == ["b.png"]


def test_frames_within_a_second_wait_and_the_same_frame_is_not_drawn_again(tmp_path: Path) -> None:
    clock = Clock()
    board = PngBoard(tmp_path / "b.png", clock=clock)
    asyncio.run(shown(board, DARK))
    asyncio.run(shown(board, LIT))
    assert brightest(tmp_path / "b.png") < 50
    clock.now += 1.0
    asyncio.run(shown(board, LIT))
    assert brightest(tmp_path / "b.png") > 200
    (tmp_path / "b.png").unlink()
    clock.now += 1.0
    asyncio.run(shown(board, LIT))
    assert not (tmp_path / "b.png").exists()


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    board = PngBoard(tmp_path / "gone" / "b.png")
    asyncio.run(shown(board, LIT))
    with pytest.raises(OSError):
        asyncio.run(shown(board, DARK))
