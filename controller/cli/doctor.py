"""`burnturn doctor`: is this machine fit for a night?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from controller.camera_config import CameraPart
    from controller.config import Config
    from controller.doctor.checks import Check
    from controller.sources import Source
    from drivers.contracts import Camera

app = typer.Typer(
    help="Check the machine under the table, and its readers.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def doctor(
    config: Annotated[
        Path | None, typer.Option(help="The table.toml. Default: the simulated sample table.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, max=600, help="How long the readers are listened to; 0: not.")
    ] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
) -> None:
    """Look at the machine item by item, and say what to do where it is not fit. Ends with 1 if
    there is a fault; warnings alone end with 0."""
    from controller.config import ConfigError, load
    from controller.doctor.checks import State, worst

    try:
        checked = load(config)
    except ConfigError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    checks = list(_checks(checked, seconds))
    if as_json:
        answer = {"state": str(worst(checks)), "checks": [asdict(check) for check in checks]}
        typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        for check in checks:
            _print(check)
        typer.echo(_summary(checks))
    raise typer.Exit(int(worst(checks) is State.FAULT))


def _checks(config: Config, seconds: float) -> Iterator[Check]:
    from controller.calibrating.in_force import in_force
    from controller.doctor.checks import (
        Check,
        State,
        calibration_checks,
        machine_checks,
        sweep_checks,
    )
    from controller.doctor.machine import look
    from controller.doctor.sweep import listen
    from controller.floor.client import answers

    has_camera = bool(config.file.camera)
    yield from machine_checks(look(_nodes(config), _folders(config)), has_camera)
    yield from calibration_checks(in_force(config))
    yield from _senses(config)
    if not seconds:
        yield Check("readers", State.SKIPPED, "not listened to, as asked")
    elif answers(config.socket):
        yield Check(
            "readers",
            State.SKIPPED,
            f"the table is running (it answers at {config.socket}) and has the readers",
            "Look at `burnturn table status`, or stop the table and call this again.",
        )
    else:
        if config.file.antenna:
            yield from sweep_checks(asyncio.run(listen(_source(config), config.layout, seconds)))
        yield from _cameras(config, seconds)


def _cameras(config: Config, seconds: float) -> Iterator[Check]:
    """Each camera, one after the other, as the table would open it."""
    if not config.file.camera:
        return
    from controller.doctor.cameras import (
        camera_checks,
        look_through,
        opencv_check,
        opencv_installed,
    )

    try:
        import cv2
    except ImportError as error:
        yield opencv_check(opencv_installed(), str(error))
        return
    from controller.vision.quality import judge
    from drivers.camera.spec import live_camera

    yield opencv_check(opencv_installed(), loaded=cv2.__version__)
    cv2.setNumThreads(1)
    for part in config.file.camera:
        camera = _simulated(config, part) if part.driver == "simulated" else live_camera(part.spec)
        yield from camera_checks(
            part, asyncio.run(look_through(camera, part.number, seconds, judge))
        )


def _simulated(config: Config, part: CameraPart) -> Camera:
    from controller.robot_table import RobotTable

    return RobotTable(config).camera(part)


def _senses(config: Config) -> Iterator[Check]:
    from controller.doctor.checks import Check, State, sense_checks
    from controller.rates.book import RatesFileError, rates_file, read

    file = rates_file(config.journal)
    try:
        nights = read(file)
    except RatesFileError as error:
        yield Check("senses", State.WARNING, str(error), "Then look at burnturn rates.")
        return
    counted = sum(night.hands > 0 for night in nights.nights)
    yield from sense_checks(nights.trouble(), counted, str(file))


def _nodes(config: Config) -> list[tuple[str, str]]:
    ports = [(f"reader {reader.number}", reader.port) for reader in config.file.reader]
    ports += [(f"button reader at seat {puck.seat}", puck.port) for puck in config.file.puck]
    ports += [(f"board {n}", board.port) for n, board in enumerate(config.file.board, start=1)]
    if config.file.table_board is not None:
        ports.append(("table board", config.file.table_board.port))
    ports += [
        (f"camera {camera.number}", camera.device)
        for camera in config.file.camera
        if camera.driver == "v4l2"
    ]
    if config.file.inputs is not None:
        ports.append(("keys and switches", config.file.inputs.chip or "/dev/gpiochip0"))
    return [(what, port) for what, port in ports if port.startswith("/")]


def _folders(config: Config) -> list[tuple[str, Path]]:
    """Each folder that the table writes to, once, under what is most at stake there."""
    wanted = [
        ("the journal", config.journal.parent),
        ("the decks", config.deck_file.parent),
        ("the certificates", config.certificates),
    ]
    first = {folder.absolute(): (what, folder) for what, folder in reversed(wanted)}
    return list(reversed(first.values()))


def _source(config: Config) -> Source:
    from controller.app import readers_of
    from controller.fittings import fittings_of
    from controller.robot_table import RobotTable
    from controller.taking_up import TableClock
    from drivers.factory import rf_permits

    clock, permits = TableClock(), rf_permits(config.inputs)
    readers = (
        RobotTable(config, clock, permits=permits)
        if config.simulated
        else readers_of(config, clock, permits)
    )
    return fittings_of(config, clock, permits=permits).with_inputs(readers)


def _print(check: Check) -> None:
    sign = {"ok": "ok     ", "warning": "WARNING", "fault": "FAULT  ", "skipped": "-      "}
    typer.echo(f"{sign[check.state]}  {check.item}: {check.found}")
    if check.remedy:
        typer.echo(f"         Next: {check.remedy}")


def _summary(checks: list[Check]) -> str:
    from controller.doctor.checks import State

    faults = sum(c.state is State.FAULT for c in checks)
    warnings = sum(c.state is State.WARNING for c in checks)
    if not faults and not warnings:
        return "\nFit for a night."
    counted = ((faults, "fault"), (warnings, "warning"))
    said = [f"{n} {word}{'s' * (n != 1)}" for n, word in counted if n]
    return "\n" + ("Not fit yet: " if faults else "Fit for a night, but: ") + ", ".join(said)
