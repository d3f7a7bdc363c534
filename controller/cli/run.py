"""`burnturn run`: watch a table."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from controller.app import Daemon, Shown
    from controller.calibrating.in_force import InForce
    from controller.camera_source import CameraSource
    from controller.config import Config
    from controller.fittings import Fittings
    from controller.journal.recorder import Recording
    from controller.journal.resume import Resumption
    from controller.model.events import DeckAtTable
    from controller.robot_table import RobotTable
    from controller.sources import Source
    from controller.taking_up import TableClock
    from controller.tape import TapeWriter
    from drivers.contracts import LedBoard
    from drivers.factory import BoardProcess
    from drivers.readings import Uid
    from drivers.rf import RfPermits


class SampleTable(StrEnum):
    ANTENNAS = "antennas"
    CAMERA = "camera"


# A traceback with the values of variables could name cards.
app = typer.Typer(help="Watch a table.", add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    config: Annotated[
        Path | None, typer.Option(help="The table.toml. Default: the simulated sample table.")
    ] = None,
    sample: Annotated[
        SampleTable | None,
        typer.Option(help="Which simulated sample: with antennas, or under a camera alone."),
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="No live screen; findings as lines.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(help="Keep the raw readings in a new FILE, under names for the cards."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            help="Play a recorded FILE instead of the readers; the journal is FILE.journal then."
        ),
    ] = None,
    board: Annotated[
        Path | None, typer.Option(help="Keep the board's latest picture in this PNG file.")
    ] = None,
    speed: Annotated[
        float, typer.Option(min=0, help="Of the replay: 1 as it was, 0 as fast as it goes.")
    ] = 1.0,
) -> None:
    """Watch a table: readers, rules, journal, board. SIGTERM ends it cleanly. The next start goes
    on from where the table stood, after a kill too."""
    from controller.config import ConfigError, load
    from controller.config import sample as sample_of

    if config is not None and sample is not None:
        _fail("--config and --sample: choose one")
    try:
        checked = load(config) if sample is None else sample_of(sample.value)
    except ConfigError as error:
        _fail(str(error))
    if record is not None and replay is not None:
        _fail("--record and --replay: a replay is on a tape already; choose one")
    if replay is not None and not replay.exists():
        _fail(f"--replay {replay}: there is no such file; record one with --record {replay}")
    if config is None:
        try:
            checked.folder.mkdir(exist_ok=True)
        except OSError as error:
            _fail(
                f"{checked.folder}: cannot be made ({error.strerror}); start in a folder that you "
                "may write to, or name a configuration with --config"
            )
    with_screen = not headless and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    try:
        asyncio.run(_watch(checked, record, replay, speed, board, with_screen))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


async def _watch(
    config: Config,
    record: Path | None,
    replay: Path | None,
    speed: float,
    board: Path | None,
    with_screen: bool,
) -> None:
    from controller.calibrating.in_force import CalibrationError
    from controller.cameras import camera_sources, spread_of
    from controller.fittings import Fittings, fittings_of
    from controller.floor.commands import FloorError
    from controller.integrity.box import BoxError
    from controller.outputs.png import PngBoard
    from controller.taking_up import opens_anew, take_up
    from controller.tape import TapeError, TapeWriter
    from drivers.errors import DriverError
    from drivers.factory import rf_permits

    if replay is not None:
        # What is played again is not the house's record of this night.
        config = config.with_journal(replay.with_name(f"{replay.name}.journal"))
    try:
        measured = _measured(config, played_again=replay is not None)
        with ExitStack() as stack:
            tape = None
            if record is not None:
                tape = stack.enter_context(TapeWriter(record, config.file.table.name))
            forgotten: list[str] = []
            resumption, clock = take_up(config.journal, forgotten.append)
            if replay is not None:
                resumption = None  # a tape is no continuation of the hand that a kill broke off
            under = _emulated_board(config) if replay is None else None
            permits = rf_permits(config.inputs)
            source, robots = _source(config, replay, speed, clock, under, permits)
            decks = [deck.name for deck in _at_table(config, source, robots)]
            config = measured.applied(config)
            boards: list[LedBoard] = [PngBoard(board)] if board is not None else []
            fittings = Fittings()
            cameras: tuple[CameraSource, ...] = ()
            notes: list[str] = []
            tell: list[Callable[[str], None]] = [notes.append]  # the daemon, once it is there
            if replay is None:  # a night that is played again is no news for the table
                port = None if under is None else under.port
                fittings = fittings_of(config, clock, port, permits)
                fittings = measured.lamps_on(config, fittings)
                cameras = camera_sources(
                    config,
                    clock,
                    robots.camera if robots is not None else None,
                    lambda note: tell[-1](note),
                )
                source = fittings.with_inputs(source, cameras)
            fittings = replace(fittings, boards=(*boards, *fittings.boards))
            daemon = _daemon(
                config,
                source,
                clock,
                robots,
                tape,
                fittings,
                resumption,
                forgotten,
                with_screen,
                spread_of(cameras, config),
            )
            for note in (*notes, *measured.notes, *measured.deck_notes(decks)):
                daemon.notes.append(note)
                _say(f"note: {note}")
            tell.append(daemon.tell_note)
            for told in forgotten:
                _say(told)
            if robots is not None:
                robots.counting = lambda: daemon.counting
                robots.count_asked = lambda: daemon.count_asked
            if robots is not None and resumption is not None and not opens_anew(resumption):
                robots.carry_on(daemon.desk())
            if with_screen:
                await _with_screen(daemon, robots, cameras)
            else:
                await daemon.run()
    except (BoxError, CalibrationError, FloorError, TapeError, DriverError) as error:
        _fail(str(error))


def _measured(config: Config, played_again: bool) -> InForce:
    """The calibrations in force. A night that is played again starts whatever they are. Raises
    CalibrationError."""
    from controller.calibrating.in_force import checked, in_force

    return in_force(config) if played_again else checked(config)


def _emulated_board(config: Config) -> BoardProcess | None:
    """The firmware of the table board, beside a simulated table that has one; None, and said why,
    where this machine cannot build it."""
    part = config.file.table_board
    if part is None or part.driver != "simulated":
        return None
    from drivers.errors import DriverError
    from drivers.factory import BoardProcess, best_kind

    try:
        under = BoardProcess(best_kind())
        under.build()
    except DriverError as error:
        _say(f"note: no table board: {error} Button, chairs and keys are told without one.")
        return None
    _say(f"table board: {under.kind.value}")
    return under


def _source(
    config: Config,
    replay: Path | None,
    speed: float,
    clock: TableClock,
    under: BoardProcess | None,
    permits: RfPermits,
) -> tuple[Source, RobotTable | None]:
    if replay is not None:
        from controller.tape_source import TapeSource

        return TapeSource(replay, clock, speed), None
    if config.simulated:
        from controller.robot_table import RobotTable

        robots = RobotTable(config, clock, under, permits=permits)
        return robots, robots
    from controller.app import readers_of

    return readers_of(config, clock, permits), None


def _daemon(
    config: Config,
    source: Source,
    clock: TableClock,
    robots: RobotTable | None,
    tape: TapeWriter | None,
    fittings: Fittings,
    resumption: Resumption | None,
    forgotten: Sequence[str],
    with_screen: bool,
    spread: CameraSource | None,
) -> Daemon:
    from controller.app import Daemon
    from controller.journal.recorder import LIMIT_S
    from controller.tape_source import TapeSource

    return Daemon(
        config,
        source,
        clock,
        resumption=resumption,
        forgotten=forgotten,
        tape=tape,
        boards=fittings.boards,
        seat_lamps=fittings.seat_lamps,
        attested_by="the robot dealer" if robots is not None else "",
        decks=_decks(config, source, robots),
        spreads=None if spread is None else spread.spread,
        at_table=_at_table(config, source, robots),
        on_used=_on_used(config, source, robots),
        on_seats=robots.deal_to if robots is not None else lambda seats: None,
        on_shown=(lambda shown: None) if with_screen else _Lines(),
        commit_limit_s=source.commit_limit_s if isinstance(source, TapeSource) else LIMIT_S,
        on_recording=(lambda recording: None) if with_screen else _recording,
        on_note=(lambda note: None) if with_screen else lambda note: _say(f"note: {note}"),
        on_ready=(lambda: None) if with_screen else lambda: _ready(config, resumption),
    )


def _decks(
    config: Config, source: Source, robots: RobotTable | None
) -> dict[Uid, tuple[str, str]] | None:
    """The cards that the table knows. On a tape cards bear invented names: none is known."""
    from controller.house import house_decks
    from controller.tape_source import TapeSource

    if isinstance(source, TapeSource):
        return None
    return robots.decks if robots is not None else house_decks(config)


def _at_table(config: Config, source: Source, robots: RobotTable | None) -> tuple[DeckAtTable, ...]:
    from controller.house import decks_at_table
    from controller.tape_source import TapeSource

    if isinstance(source, TapeSource):
        return ()
    return robots.at_table if robots is not None else decks_at_table(config)


def _on_used(config: Config, source: Source, robots: RobotTable | None) -> Callable[[str], None]:
    from controller.house import keep_used
    from controller.tape_source import TapeSource

    if isinstance(source, TapeSource) or robots is not None:
        return lambda deck: None
    return partial(keep_used, config)


def _ready(config: Config, resumption: Resumption | None) -> None:
    from controller.taking_up import opens_anew

    table = config.file.table
    how = " and alarming nothing" if table.mode == "watch" else ""
    _say(
        f"watching {table.name}{how}: {table.seats} seats, {table.game}, "
        f"profile {config.profile.name}; journal {config.journal}, floor {config.socket}"
    )
    if resumption is not None and opens_anew(resumption):
        _say("opened anew; the decks go on from where they were when the table was stopped")
    elif resumption is not None:
        hand = f"hand {resumption.hand}" if resumption.hand is not None else "no hand"
        _say(f"taken up where the program before left it: {hand}, by positions")


def _recording(state: Recording) -> None:
    _say("recording again" if state.ok else f"NOT RECORDING: {state.reason}")


async def _with_screen(
    daemon: Daemon, robots: RobotTable | None, cameras: Sequence[CameraSource]
) -> None:
    """Daemon and screen together; the end of either ends the other."""
    from rich.console import Console

    from controller.live import LiveScreen

    drawing = asyncio.create_task(LiveScreen(daemon, robots, Console(), cameras).run())
    watching = asyncio.create_task(daemon.run())
    done, _ = await asyncio.wait({drawing, watching}, return_when=asyncio.FIRST_COMPLETED)
    for task in (drawing, watching):  # the screen ends only if it fails: no clean stop
        task.cancel()
    await asyncio.gather(drawing, watching, return_exceptions=True)
    for task in done:
        task.result()


class _Lines:
    """What is shown, as lines: devices in trouble, and findings as they change; none of these of a
    table that only watches."""

    def __init__(self) -> None:
        self._said: dict[int, object] = {}
        self._trouble: tuple[str, ...] = ()

    def __call__(self, shown: Shown) -> None:
        before, self._trouble = self._trouble, shown.trouble
        for line in shown.trouble:
            if line not in before:
                _say(f"trouble: {line}")
        for line in before:
            if line not in shown.trouble:
                _say(f"over: {line}")
        if shown.progress.watch_only:
            return
        for f in shown.findings:
            version = (f.code, f.state, f.severity)
            if self._said.get(f.id) == version:
                continue
            self._said[f.id] = version
            where = [f"hand {f.hand}"]
            where += [f.street.value] if f.street is not None else []
            where += [f"seat {f.seat}"] if f.seat is not None else []
            what = f"{f.expected} → {f.seen}" if f.expected and f.seen else f.expected or f.seen
            parts = (f.severity.value, f.state.value, ", ".join(where), f.clause, what, f.remedy)
            _say(f"{f.id} {f.code} " + "; ".join(p for p in parts if p))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _fail(text: str) -> NoReturn:
    _say(f"burnturn run: {text}")
    raise typer.Exit(1)
