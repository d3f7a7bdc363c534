"""`burnturn devices`: what is attached to this machine, and how a table.toml would name it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drivers.usb_ports import is_mega

if TYPE_CHECKING:
    from drivers.found import Found, SerialPort

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

ON_A_WIRE = ("pepper-c1-mux", "pepper-c1", "pn532")
"""Drivers that a serial port is asked for, in this order."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a probed port said. driver: whose reader it is, "" if nobody answered."""

    port: str
    driver: str
    said: str


@app.command()
def devices(
    probe: Annotated[
        bool,
        typer.Option(
            "--probe", help="Open each port and ask what is there. Stop a running table first."
        ),
    ] = False,
    config: Annotated[
        Path | None, typer.Option(help="A table.toml: its ports are marked, not proposed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Serial ports, SPI devices, GPIO chips, cameras and PC/SC readers, and lines for a table.toml.
    Without --probe nothing is opened or written to."""
    from drivers.found import found
    from drivers.rfid.pcsc import reader_names

    there = found(pcsc=reader_names)
    known = _configured(config)
    answers = _probed(there, known) if probe else ()
    if as_json:
        told = asdict(there) | {
            "configured": sorted(known),
            "answers": [asdict(answer) for answer in answers],
            "proposal": list(proposal(there, known, answers)),
        }
        typer.echo(json.dumps(told))
        return
    for line in (*listing(there, known, answers), "", *proposal(there, known, answers)):
        typer.echo(line)


def _configured(path: Path | None) -> frozenset[str]:
    """Ports that the table has already."""
    if path is None:
        return frozenset()
    from controller.config import ConfigError, load

    try:
        file = load(path).file
    except ConfigError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    ports = [reader.port for reader in file.reader] + [puck.port for puck in file.puck]
    ports += [board.port for board in file.board]
    ports += [camera.device for camera in file.camera]
    ports += [file.table_board.port] if file.table_board is not None else []
    return frozenset(port for port in ports if port)


def _is_known(port: SerialPort, known: frozenset[str]) -> bool:
    return bool(known & {port.name, port.device})


def _probed(there: Found, known: frozenset[str]) -> tuple[Answered, ...]:
    import asyncio

    # No reader is a Mega, and opening its port would restart it.
    ports = [p.name for p in there.serial if not _is_known(p, known) and not is_mega(p.chip)]
    chips = [path for path in there.spi if path not in known]

    async def all_of_them() -> tuple[Answered, ...]:
        asked = [(port, ON_A_WIRE) for port in ports] + [(path, ("mfrc522",)) for path in chips]
        return tuple([await _ask(port, drivers) for port, drivers in asked])

    return asyncio.run(all_of_them())


async def _ask(port: str, drivers: Sequence[str]) -> Answered:
    from drivers.errors import DriverError, PortUnavailableError
    from drivers.factory import probe

    said = "nobody answers"
    for driver in drivers:
        try:
            return Answered(port, driver, await probe(driver, port))
        except PortUnavailableError as error:
            return Answered(port, "", f"{error.what}. {error.remedy}")
        except DriverError as error:
            said = f"nobody answers ({error.what})"
    return Answered(port, "", said)


def listing(there: Found, known: frozenset[str], answers: Sequence[Answered]) -> Iterator[str]:
    """What was found, a line each."""
    said = {answer.port: answer for answer in answers}
    yield "Serial ports" if there.serial else "Serial ports: none"
    for port in there.serial:
        number = f"serial number {port.serial_number}" if port.serial_number else ""
        number = number or ("no serial number" if port.chip else "")
        words = [w for w in (port.chip, port.product, number) if w]
        mark = "   configured" if _is_known(port, known) else ""
        yield f"  {port.device}   {', '.join(words)}{mark}"
        yield from _naming(port)
        yield from _answer(said.get(port.name))
    for title, paths in (("SPI devices", there.spi), ("GPIO chips", there.gpio)):
        yield title if paths else f"{title}: none"
        for path in paths:
            yield f"  {path}{'   configured' if path in known else ''}"
            yield from _answer(said.get(path))
    yield "Cameras" if there.cameras else "Cameras: none on USB"
    for camera in there.cameras:
        mark = "   configured" if known & {camera.name, camera.device} else ""
        yield f"  {camera.device}   {camera.label}{mark}".rstrip()
        lasting = camera.name if camera.lasting else "it has no lasting name"
        yield f"      {lasting}"
    if there.pcsc_trouble:
        yield f"PC/SC readers: not known: {there.pcsc_trouble}"
    else:
        yield "PC/SC readers" if there.pcsc else "PC/SC readers: none"
    for name in there.pcsc:
        yield f"  {name}"
        yield f"      burnturn deck register NAME --back red --desk {json.dumps(name)}"


def _naming(port: SerialPort) -> Iterator[str]:
    if not port.lasting:
        yield "      it has no lasting name: its number may change at the next start"
    elif not port.alone:
        yield f"      {port.name}"
        yield "      named by its socket: no serial number tells it from the others, leave it there"
    else:
        yield f"      {port.name}"


def _answer(answer: Answered | None) -> Iterator[str]:
    if answer is not None:
        yield f"      {f'{answer.driver}: ' if answer.driver else ''}{answer.said}"


def proposal(there: Found, known: frozenset[str], answers: Sequence[Answered]) -> Iterator[str]:
    """Lines for a table.toml, for what is there and not configured."""
    said = {answer.port: answer.driver for answer in answers}
    free = [p for p in there.serial if not _is_known(p, known)]
    boards = [p for p in free if is_mega(p.chip)]
    ports = [p for p in free if p not in boards]
    chips = [path for path in there.spi if path not in known]
    cameras = [c for c in there.cameras if not known & {c.name, c.device}]
    if not free and not chips and not cameras:
        yield "# Nothing to configure: no port that is not configured already."
        return
    yield "# For table.toml. Choose each driver, and give every antenna its zone (burnturn config"
    yield "# sample shows how). Readers of button pucks (rdm6300, id12la) are a [[puck]] instead."
    for number, port in enumerate(ports, start=len(known) + 1):
        yield ""
        yield from _reader(number, port.name, said.get(port.name, ""), ON_A_WIRE)
        if port.alone:
            yield f"usb_serial = {json.dumps(port.serial_number)}"
    for number, path in enumerate(chips, start=len(known) + len(ports) + 1):
        yield ""
        yield from _reader(number, path, said.get(path, ""), ("mfrc522",))
    for number, camera in enumerate(cameras, start=1):
        yield ""
        yield f"[[camera]]                # {camera.label or 'docs/cameras.md'}".rstrip()
        yield f"number = {number}"
        yield 'driver = "v4l2"'
        yield f"device = {json.dumps(camera.name)}"
        yield "width = 1920              # a size that it has: v4l2-ctl --list-formats-ext"
        yield "height = 1080"
        if number > 1:
            yield 'areas = ["board"]         # all that no other camera looks at, if left out'
    for port in boards[:1]:
        yield ""
        yield "[table_board]             # an Arduino Mega; without a port it is looked for on USB"
        yield f"port = {json.dumps(port.name)}"


def _reader(number: int, port: str, driver: str, choice: Sequence[str]) -> Iterator[str]:
    yield "[[reader]]"
    yield f"number = {number}"
    if driver:
        yield f'driver = "{driver}"'
    else:
        others = f"   # or {', '.join(choice[1:])}" if choice[1:] else ""
        yield f'driver = "{choice[0]}"{others}'
    yield f"port = {json.dumps(port)}"
