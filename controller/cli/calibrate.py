"""`burnturn calibrate`: measure the table's sensors instead of guessing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from controller.cli import calibrate_camera
from controller.floor.client import answers, operator

if TYPE_CHECKING:
    from calibration.steps import Step
    from controller.calibrating.terminal import Terminal
    from controller.config import Config

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure what the table.toml only assumes: how well each antenna reads, what each sensor"
    " gives, which lamp is where. A result is shown, and saved if you accept it. Exit codes: 0"
    " done, 1 something was refused or not accepted, 2 it could not be done, 3 left half-way.",
)
app.add_typer(calibrate_camera.app, name="camera")
ConfigPath = Annotated[
    Path | None, typer.Option("--config", help="The table.toml. Default: the simulated table.")
]
By = Annotated[str, typer.Option("--by", help="Who does it. Default: this machine's user.")]
Yes = Annotated[
    bool,
    typer.Option("--yes", help="Accept whatever may be accepted; what is left is gone on with."),
]
DeckName = Annotated[str, typer.Option("--deck", help="The deck whose cards you lay, by its name.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="Lay cards on the middle of each mark only, for a check.")
]
Anew = Annotated[bool, typer.Option("--anew", help="Forget what was left half-way.")]


@app.command()
def table(
    config: ConfigPath = None,
    by: By = "",
    yes: Yes = False,
    deck: DeckName = "",
    quick: Quick = False,
    anew: Anew = False,
) -> None:
    """All of it, step by step. You can leave at any moment (q), and go on later."""
    _run(config, None, by, yes, deck, quick, anew)


@app.command()
def antennas(
    config: ConfigPath = None,
    by: By = "",
    yes: Yes = False,
    deck: DeckName = "",
    quick: Quick = False,
    anew: Anew = False,
) -> None:
    """How well each antenna reads a card, and whose cards it reads by mistake."""
    _run(config, "antennas", by, yes, deck, quick, anew)


@app.command()
def seats(config: ConfigPath = None, by: By = "", yes: Yes = False, anew: Anew = False) -> None:
    """The chairs' sensors: thresholds, and wires that are crossed."""
    _run(config, "seats", by, yes, "", False, anew)


@app.command()
def button(config: ConfigPath = None, by: By = "", yes: Yes = False, anew: Anew = False) -> None:
    """The dealer button's sensors: move it round once."""
    _run(config, "button", by, yes, "", False, anew)


@app.command()
def lamps(config: ConfigPath = None, by: By = "", yes: Yes = False, anew: Anew = False) -> None:
    """Which lamp is at which seat, and how bright they are."""
    _run(config, "lamps", by, yes, "", False, anew)


@app.command()
def show(
    config: ConfigPath = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What is calibrated, when, by whom, and whether the table goes by it."""
    from controller.calibrating.in_force import in_force, possible

    checked = _config(config)
    found = in_force(checked)
    if as_json:
        told = {
            "folder": str(checked.calibration_folder),
            "used": checked.file.calibration is not None,
            "calibrations": {
                kind: saved.made.model_dump(mode="json") for kind, saved in found.saved.items()
            },
            "missing": list(found.missing),
            "faults": list(found.faults),
            "notes": list(found.notes),
        }
        typer.echo(json.dumps(told, ensure_ascii=False))
        raise typer.Exit(int(bool(found.faults)))
    for kind in possible(checked):
        if (saved := found.saved.get(kind)) is not None:
            deck = f", with deck {saved.made.deck}" if saved.made.deck else ""
            typer.echo(f"{kind:9} {saved.made.at:%Y-%m-%d %H:%M} UTC by {saved.made.by}{deck}")
        elif kind in found.missing:
            typer.echo(f"{kind:9} not calibrated: as the table.toml says")
    for note in found.notes:
        typer.echo(f"note: {note}")
    for fault in found.faults:
        typer.echo(fault, err=True)
    if checked.file.calibration is None:
        typer.echo(_HOW_TO_USE)
    raise typer.Exit(int(bool(found.faults)))


_HOW_TO_USE = (
    "The table goes by its table.toml alone. To go by what was measured, add to it:\n"
    '[calibration]\nfolder = "calibration"'
)


def _config(path: Path | None) -> Config:
    from controller.config import ConfigError, load

    try:
        return load(path)
    except ConfigError as error:
        _fail(str(error))


def _run(
    path: Path | None, kind: str | None, by: str, yes: bool, deck: str, quick: bool, anew: bool
) -> None:
    from controller.calibrating.table_steps import kinds_of

    config = _config(path)
    kinds = kinds_of(config)
    with_cameras = kind is None
    if kind is not None:
        if kind not in kinds:
            has = ", ".join(kinds)
            _fail(f"this table has no {kind} to calibrate by its table.toml; it has {has}")
        kinds = (kind,)
    if answers(config.socket):
        _fail(
            f"the table is running (it answers at {config.socket}) and has the sensors; stop it"
            " first"
        )
    by = by or operator()
    try:
        raise typer.Exit(
            asyncio.run(_calibrate(config, kinds, with_cameras, by, yes, deck, quick, anew))
        )
    except KeyboardInterrupt:
        typer.echo("\nLeft. What was measured is kept: call this again to go on.")
        raise typer.Exit(3) from None


async def _calibrate(
    config: Config,
    kinds: Sequence[str],
    with_cameras: bool,
    by: str,
    yes: bool,
    deck: str,
    quick: bool,
    anew: bool,
) -> int:
    from rich.console import Console

    from calibration.store import StoreError
    from controller.calibrating.belonging import store_of
    from controller.calibrating.hardware import Hardware
    from controller.calibrating.robot_person import RobotPerson
    from controller.calibrating.table_cameras import TableCameras
    from controller.calibrating.table_steps import step_of
    from controller.calibrating.terminal import Answers, Terminal
    from controller.calibrating.wizard import Wizard
    from drivers.errors import DriverError

    terminal = Terminal(Console(), Answers(), yes=yes)
    store = store_of(config)
    cameras = TableCameras(config, store, time.monotonic)
    if with_cameras:
        kinds = (*kinds, *cameras.kinds)
    began = time.monotonic()
    try:
        with terminal.drawing():
            async with Hardware(config, kinds, time.monotonic) as hardware:
                simulated = hardware.simulated
                person: Terminal | RobotPerson = terminal
                if simulated is not None:
                    person = RobotPerson(
                        simulated, terminal, time.monotonic, asyncio.sleep, otherwise=cameras.does
                    )
                    deck = deck or simulated.deck
                    terminal.prose("This table is simulated: a robot does what is asked.")

                def step(kind: str) -> Step[Any, Any]:
                    if kind in cameras.kinds:
                        return cameras.step(kind)
                    return step_of(kind, config, hardware, deck=deck, whole=not quick)

                wizard = Wizard(
                    kinds,
                    step,
                    store,
                    person,
                    terminal,
                    by=by,
                    now=lambda: datetime.now(UTC),
                    yes=yes,
                    anew=anew,
                )
                course = await wizard.run()
    except (StoreError, DriverError) as error:
        typer.echo(f"burnturn calibrate: {error}", err=True)
        return 2
    return _told(config, terminal, kinds, dict(course.done), time.monotonic() - began)


def _told(
    config: Config,
    terminal: Terminal,
    kinds: Sequence[str],
    done: dict[str, str],
    seconds: float,
) -> int:
    from calibration.steps import End

    terminal.heading("What came of it", f"{seconds / 60:.1f} min")
    words = {
        End.SAVED: "saved; the table goes by it from its next start",
        End.REFUSED: "not usable: see its report, and calibrate again",
        End.DECLINED: "not accepted: nothing is changed",
    }
    for kind in kinds:
        told = words[End(done[kind])] if kind in done else "not done yet: call this again"
        terminal.line(f"  {kind:9} {told}")
    if config.file.calibration is None and End.SAVED in done.values():
        terminal.line("")
        for line in _HOW_TO_USE.splitlines():
            terminal.line("  " + line.replace("[", "\\["))
    if any(kind not in done for kind in kinds):
        return 3
    return int(any(end != End.SAVED for end in done.values()))


def _fail(text: str) -> NoReturn:
    typer.echo(f"burnturn calibrate: {text}", err=True)
    raise typer.Exit(2)
