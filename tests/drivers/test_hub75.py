"""A HUB75 panel in its own process, over stand-ins of the two libraries."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.contracts import LedBoard
from drivers.errors import DriverError, MisconfiguredError
from drivers.leds.hub75 import HEADER, VIOLET, cross, serve
from drivers.leds.hub75_board import Hub75Board, Panel
from drivers.leds.hub75_matrix import chosen
from tests.drivers.contract_boards import PATIENCE_S, Eyes, LedBoardContract, picture

STANDINS = str(Path(__file__).parent / "standins")
LAMPS = 64 * 32


class PanelEyes:
    """Who looks at a stand-in's panel."""

    def __init__(self, panel: Path, board: Hub75Board | None = None) -> None:
        self.panel = panel
        self.board = board

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        pixels = self.panel.read_bytes()
        return [any(pixels[n : n + 3]) for n in range(0, len(pixels), 3)]

    def unplug(self) -> None:
        self.panel.with_suffix(".gone").touch()

    def plug(self) -> None:
        self.panel.with_suffix(".gone").unlink()

    async def retry(self) -> None:
        """A process cannot be hurried: wait for the new one, if there is to be one."""
        assert self.board is not None
        if not self.panel.with_suffix(".gone").exists():
            await self.board.ready()


RGBMATRIX = Panel("rgbmatrix")


def hub75(panel: Panel = RGBMATRIX, retry_s: float = 0.02) -> Hub75Board:
    """A panel that has all the time that a busy machine may need."""
    return Hub75Board("board 1", 64, 32, panel, retry_s=retry_s, start_s=120.0, answer_s=30.0)


@pytest.fixture(autouse=True)
def panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the stand-ins show their picture."""
    monkeypatch.syspath_prepend(STANDINS)
    monkeypatch.setenv("PANEL", str(tmp_path / "panel"))
    return tmp_path / "panel"


class TestRgbMatrix(LedBoardContract):
    @pytest.fixture(autouse=True)
    def _at(self, panel: Path) -> None:
        self.panel = panel

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        board = hub75()
        yield board, PanelEyes(self.panel, board)


@pytest.mark.parametrize("library", ["rgbmatrix", "piomatter"])
def test_both_libraries_show_the_same_picture_at_their_brightness(
    panel: Path, library: str
) -> None:
    async def main() -> str:
        setting = Panel(library, brightness=0.5, slowdown=4)
        async with asyncio.timeout(PATIENCE_S), hub75(setting) as board:
            await board.show(picture(LAMPS, 65))
            assert await PanelEyes(panel).lit() == [n == 65 for n in range(LAMPS)]
            return board.library

    assert asyncio.run(main()) == library
    assert not any(asyncio.run(PanelEyes(panel).lit()))
    if library == "rgbmatrix":
        assert panel.with_suffix(".options").read_text() == "adafruit-hat 50 4"


def test_a_picture_does_not_outlive_the_program_behind_it() -> None:
    shown: list[bytes] = []
    ours, theirs = os.pipe()

    class Seen:
        def show(self, pixels: bytes) -> None:
            shown.append(pixels)
            if pixels == cross(64, 32):
                os.close(theirs)  # nobody comes back

    os.write(theirs, HEADER.pack(b"F", 9, 3 * LAMPS) + picture(LAMPS, 7))
    say = io.StringIO()
    with os.fdopen(ours, "rb") as source:
        serve(Seen(), 64, 32, source, say, silence_s=0.01)
    assert shown == [picture(LAMPS, 7), cross(64, 32), bytes(3 * LAMPS)]
    assert say.getvalue() == '{"shown": 9}\n'
    assert VIOLET in cross(64, 32)


def test_a_process_that_was_killed_is_started_again_and_nobody_waits_for_it(panel: Path) -> None:
    async def main() -> None:
        board = hub75(retry_s=0.3)
        eyes = PanelEyes(panel, board)
        async with asyncio.timeout(PATIENCE_S), board:
            await board.show(picture(LAMPS, 1))
            eyes.unplug()
            for _ in range(2):  # the second time it is known
                with pytest.raises(DriverError, match="board 1: its process has ended"):
                    await board.show(picture(LAMPS, 2))
            eyes.plug()
            await eyes.retry()
            await board.show(picture(LAMPS, 4))
            assert await eyes.lit() == [n == 4 for n in range(LAMPS)]

    asyncio.run(main())


def test_the_library_is_chosen_by_the_machine() -> None:
    assert chosen("auto", "Raspberry Pi 5 Model B Rev 1.0") == "piomatter"
    assert chosen("auto", "Raspberry Pi 4 Model B Rev 1.4") == "rgbmatrix"
    assert chosen("rgbmatrix", "Raspberry Pi 5 Model B Rev 1.0") == "rgbmatrix"


def test_without_a_library_the_opening_says_where_to_get_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main(library: str) -> None:
        async with hub75(Panel(library)):
            pass

    monkeypatch.undo()
    with pytest.raises(MisconfiguredError, match="rpi-rgb-led-matrix"):
        asyncio.run(main("auto"))
    with pytest.raises(MisconfiguredError, match="pip install adafruit"):
        asyncio.run(main("piomatter"))


def test_a_wiring_that_a_library_does_not_know_is_refused() -> None:
    async def main() -> None:
        async with hub75(Panel("piomatter", hat="regular")):
            pass

    with pytest.raises(MisconfiguredError, match=r"'regular'.*adafruit-hat"):
        asyncio.run(main())
