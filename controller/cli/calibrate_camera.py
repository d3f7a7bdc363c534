"""`burnturn calibrate camera`: the sheets to print, the lens, the table, the areas."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from calibration.camera.step import CameraStep
    from calibration.steps import Outcome
    from calibration.store import ProfileStore
    from controller.calibrating.terminal import Terminal
    from controller.config import Config
    from drivers.contracts import Camera

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A camera over the table: print its sheets (sheet), then measure its lens, where it hangs,"
    " and the places that it reads. Without a word: all three.",
)
ConfigPath = Annotated[
    Path | None, typer.Option("--config", help="The table.toml. Default: the simulated table.")
]
Number = Annotated[int, typer.Option("--camera", help="Which camera, by its number.")]
By = Annotated[str, typer.Option("--by", help="Who does it. Default: this machine's user.")]
Yes = Annotated[bool, typer.Option("--yes", help="Accept whatever may be accepted.")]
Anew = Annotated[bool, typer.Option("--anew", help="Forget what was left half-way.")]
Stickers = Annotated[
    list[str] | None,
    typer.Option("--sticker", help="Where a sticker lies that is not as on the plan: 9=-100,240."),
]
Points = Annotated[
    list[str] | None,
    typer.Option("--point", help="A place and its pixel, without stickers: X_MM,Y_MM=X_PX,Y_PX."),
]
Areas = Annotated[
    list[str] | None,
    typer.Option("--area", help="A place of your own: seat/3=X,Y[,WIDTH,HEIGHT[,ANGLE]], mm."),
]
_NEEDS = "pip install 'burnturn[camera-headless,calibration]'"


@app.callback(invoke_without_command=True)
def camera(
    context: typer.Context,
    config: ConfigPath = None,
    number: Number = 1,
    by: By = "",
    yes: Yes = False,
    anew: Anew = False,
    sticker: Stickers = None,
    point: Points = None,
    area: Areas = None,
) -> None:
    """The camera: lens, table and places."""
    if context.invoked_subcommand is None:
        parts = ("lens", "table", "areas")
        _run(config, number, parts, by, yes, anew, (sticker, point, area))


@app.command()
def lens(
    config: ConfigPath = None,
    number: Number = 1,
    by: By = "",
    yes: Yes = False,
    anew: Anew = False,
    sticker: Stickers = None,
    point: Points = None,
) -> None:
    """The lens, and with it the table: for new pictures, another focus, another lens."""
    _run(config, number, ("lens", "table"), by, yes, anew, (sticker, point, None))


@app.command()
def table(
    config: ConfigPath = None,
    number: Number = 1,
    by: By = "",
    yes: Yes = False,
    anew: Anew = False,
    sticker: Stickers = None,
    point: Points = None,
) -> None:
    """Where the camera hangs: after it was moved. Lens and places are kept."""
    _run(config, number, ("table",), by, yes, anew, (sticker, point, None))


@app.command()
def areas(
    config: ConfigPath = None,
    number: Number = 1,
    by: By = "",
    yes: Yes = False,
    anew: Anew = False,
    sticker: Stickers = None,
    point: Points = None,
    area: Areas = None,
) -> None:
    """Where the cards of each place lie, by place cards or by --area. The lens is kept."""
    _run(config, number, ("table", "areas"), by, yes, anew, (sticker, point, area))


@app.command()
def sheet(
    to: Annotated[Path, typer.Argument(help="The PDF to write.")] = Path("burnturn-sheets.pdf"),
    paper: Annotated[str, typer.Option("--paper", help="a4 or letter.")] = "a4",
    config: ConfigPath = None,
) -> None:
    """Write the sheets to print: lens board, stickers, place cards, and where they go."""
    checked = _config(config)
    try:
        from calibration.camera.sheets import Paper, sheets_pdf

        if paper.lower() not in list(Paper):
            _fail(f"--paper {paper}: allowed {' and '.join(Paper)}")
        content = sheets_pdf(Paper(paper.lower()), checked.file.table.seats)
    except ModuleNotFoundError as error:
        _fail(f"the sheets need {error.name}. Next: {_NEEDS}")
    _write(to, content)
    typer.echo(
        f"{to}: print it at 100 % (not “fit to page”), and measure the ruler on each page.\n"
        "The lens board goes on something stiff and flat, the stickers on the table where the last"
        " page says.\nThen: burnturn calibrate camera"
    )


def _write(to: Path, content: bytes) -> None:
    from controller.files import remedy, replace

    try:
        replace(to, content, mode=0o644)
    except OSError as error:
        _fail(f"{to}: cannot be written ({error.strerror}). {remedy(error)}")


Typed = tuple[list[str] | None, list[str] | None, list[str] | None]
"""Of --sticker, --point and --area."""


def _run(
    path: Path | None,
    number: int,
    parts: tuple[str, ...],
    by: str,
    yes: bool,
    anew: bool,
    typed: Typed,
) -> None:
    from calibration.store import StoreError
    from controller.floor.client import answers, operator
    from drivers.errors import DriverError

    config = _config(path)
    if answers(config.socket):
        _fail(f"the table is running (it answers at {config.socket}); stop it first")
    try:
        code = asyncio.run(_calibrate(config, number, parts, by or operator(), yes, anew, typed))
    except ModuleNotFoundError as error:
        _fail(f"a camera needs {error.name}. Next: {_NEEDS}")
    except (StoreError, DriverError) as error:
        _fail(str(error))
    except KeyboardInterrupt:
        typer.echo("\nLeft. What was measured is kept: call this again to go on.")
        code = 3
    raise typer.Exit(code)


async def _calibrate(
    config: Config,
    number: int,
    parts: tuple[str, ...],
    by: str,
    yes: bool,
    anew: bool,
    typed: Typed,
) -> int:
    from rich.console import Console

    from calibration.camera.said import SaidError, said_of
    from calibration.camera.step import Part
    from controller.calibrating.belonging import store_of
    from controller.calibrating.cameras import camera_of, camera_step
    from controller.calibrating.terminal import Answers, Terminal

    try:
        said = said_of(config.file.table.seats, *(values or () for values in typed))
    except SaidError as error:
        _fail(str(error))
    store = store_of(config)
    camera = camera_of(config, number, time.monotonic)
    step = camera_step(config, camera, number, store, frozenset(map(Part, parts)), said)
    if anew:
        store.drop_draft(step.kind)
    terminal = Terminal(Console(), Answers(), yes=yes)
    with terminal.drawing():
        terminal.heading(step.title)
        outcome = await _carried_out(step, camera, terminal, store, by)
    return _told(terminal, outcome)


async def _carried_out(
    step: CameraStep, camera: Camera, terminal: Terminal, store: ProfileStore, by: str
) -> Outcome[object]:
    from calibration.steps import Person, carry_out
    from controller.calibrating.camera_hand import CameraHand, WatchedHand
    from drivers.factory import SheetCamera

    person: Person = terminal
    if isinstance(camera, SheetCamera):
        terminal.prose("This camera is simulated: a robot does what is asked.")
        person = WatchedHand(CameraHand(camera), terminal)
    return await carry_out(step, person, store, by=by, now=lambda: datetime.now(UTC))  # type: ignore[arg-type]


def _told(terminal: Terminal, outcome: Outcome[object]) -> int:
    from calibration.steps import End

    words = {
        End.SAVED: f"saved: {outcome.file}",
        End.REFUSED: "not usable: see its report, and calibrate again",
        End.DECLINED: "not accepted: nothing is changed",
        End.LEFT: "left: what was measured is kept; call this again to go on",
    }
    terminal.line(f"  {words[outcome.end]}")
    return {End.SAVED: 0, End.LEFT: 3}.get(outcome.end, 1)


def _config(path: Path | None) -> Config:
    from controller.config import ConfigError, load

    try:
        return load(path)
    except ConfigError as error:
        _fail(str(error))


def _fail(text: str) -> NoReturn:
    typer.echo(f"burnturn calibrate camera: {text}", err=True)
    raise typer.Exit(2)
