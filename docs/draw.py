"""Draw the pictures of this folder with the table's own renderers: `make pictures`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from rich.console import Console

from controller.model.findings import Finding, FindingChanged, Said
from controller.outputs import png
from controller.outputs.board import BoardView, DeckView, frame
from controller.outputs.lamps import lamps
from controller.outputs.layouts import colour_64x32, mono_32x8
from controller.outputs.terminal import screen
from controller.scenario.language import read
from controller.scenario.night import Night

HERE = Path(__file__).parent
RED = (255, 70, 40)
BACK = (28, 28, 30)
GAP = 14
LEAD_IN_S = 15.0
LIT_S = 0.01  # a moment at which whatever blinks is lit, and a running text stands at its beginning
SET_UP = "profile tda\nseats 1-3,5-9\nbutton 7\n"
SCENES = (
    ("hole pass 1\nhole until seat 3", 1.5),
    ("hole until seat 5\ndeal seat 7\nhole", 3.5),
    ("hole\nwait 6s\nflop", 4.5),
    ("hole\nwait 6s\nburn\nwait 1s\nflop\nwait 2s\nfault reader 1 lost", 2.0),
)


class Scene:
    """A table at which some acts were done, some seconds later."""

    def __init__(self, acts: str, later_s: float) -> None:
        scenario = read(SET_UP + acts + "\n").scenario
        assert scenario is not None
        self._lost: list[str] = []
        self._findings: dict[int, Finding] = {}
        self._night = Night(scenario, self._hear)
        self._night.run_for(LEAD_IN_S)
        for line in scenario.lines[self._night.set_up_lines :]:
            self._night.act(line)  # type: ignore[arg-type]
        self._night.run_for(later_s)

    def _hear(self, said: Iterable[Said]) -> None:
        for word in said:
            if isinstance(word, FindingChanged):
                self._findings[word.finding.id] = word.finding

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings.values())

    def view(self) -> BoardView:
        """The board as it stands."""
        return frame(self._night.table.progress, DeckView(), True, LIT_S, seats=9)

    def screen(self) -> str:
        view = self.view()
        console = Console(record=True, width=134, file=io.StringIO(), force_terminal=True)
        console.print(
            screen(
                view,
                self._night.table.progress,
                colour_64x32(view),
                None,
                self.findings,
                ("readers 2 of 2", "recording"),
                "space pause   n next hand   m make a mistake   p profile   c confirm   q quit",
                width=134,
            )
        )
        # No fonts from elsewhere: whoever reads the page is nobody's business.
        return re.sub(
            r"@font-face \{.*?\}\s*", "", console.export_svg(title="make run"), flags=re.S
        )


def boards(scenes: list[Scene]) -> Image.Image:
    """Every scene on the large board with its lamps, and on the small one below it."""
    tiles = []
    with TemporaryDirectory() as folder:
        for scene in scenes:
            view = scene.view()
            large, small = Path(folder) / "large.png", Path(folder) / "small.png"
            png.save(large, colour_64x32(view), pitch=8, lamps=lamps(view))
            png.save(small, mono_32x8(view), pitch=8, one_colour=RED)
            with Image.open(large) as a, Image.open(small) as b:
                tile = Image.new("RGB", (a.width, a.height + GAP // 2 + b.height), BACK)
                tile.paste(a, (0, 0))
                tile.paste(b, (0, a.height + GAP // 2))
            tiles.append(tile)
    wide, high = tiles[0].size
    whole = Image.new("RGB", (2 * wide + 3 * GAP, 2 * high + 3 * GAP), BACK)
    for n, tile in enumerate(tiles):
        whole.paste(tile, (GAP + n % 2 * (wide + GAP), GAP + n // 2 * (high + GAP)))
    return whole.quantize(64)


def main() -> None:
    scenes = [Scene(acts, later_s) for acts, later_s in SCENES]
    boards(scenes).save(HERE / "board.png", optimize=True)
    (HERE / "screen.svg").write_text(scenes[2].screen(), encoding="utf-8")


if __name__ == "__main__":
    main()
