"""What a table.toml may ask of its readers: ports, settings, and places that a driver can serve.

Checked on the raw file, as far as its values can be read, so that every fault is named at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from drivers.errors import MisconfiguredError
from drivers.kinds import SIMULATED, DriverKind, PortKind, kind_of
from drivers.rfid.mfrc522 import spi_connector
from drivers.rfid.wires import connector, tcp_address

Place = tuple[str | int, ...]
"""Where in the file: keys and places in lists."""

_COMMON = ("number", "driver", "port", "mode")
_HOLE_CARDS = {"holdem": 2, "omaha": 4, "omaha8": 4}
_GAINS = (18, 23, 33, 38, 43, 48)


def reader_faults(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Every fault of readers and of their antennas' places, with where it stands."""
    kinds: dict[int, tuple[str, DriverKind]] = {}
    for i, reader in _entries(raw, "reader"):
        driver, number = reader.get("driver"), reader.get("number", i + 1)
        model = reader.get("model", "")
        kind = (
            kind_of(driver, model) if isinstance(driver, str) and isinstance(model, str) else None
        )
        if kind is None:
            if driver == "simulated":
                said = json.dumps(model)[:60]
                message = f"reader {number}: model = {said}; allowed: {', '.join(SIMULATED)}"
                yield ("reader", i, "model"), message
            continue
        if type(number) is int:
            kinds[number] = (str(model or driver), kind)
        yield from _port_faults(i, f"reader {number}", reader, kind)
        yield from _setting_faults(i, f"reader {number}", reader, str(driver), kind)
    for i, antenna in _entries(raw, "antenna"):
        at = antenna.get("reader")
        if type(at) is int and at in kinds:
            yield from _place_faults(raw, i, antenna, *kinds[at])
    for i, puck in _entries(raw, "puck"):
        port = puck.get("port")
        if isinstance(port, str) and port and not _is_address(port, PortKind.SERIAL):
            said = f"puck at seat {puck.get('seat')}: port = {json.dumps(port[:60])}"
            yield ("puck", i, "port"), f"{said}; allowed: {PortKind.SERIAL}"


def _port_faults(
    i: int, who: str, reader: Mapping[str, Any], kind: DriverKind
) -> Iterator[tuple[Place, str]]:
    port = reader.get("port")
    if kind.port is PortKind.NONE or not isinstance(port, str | None):
        return
    if not port:
        yield ("reader", i), f"{who}: port is missing; allowed: {kind.port}"
    elif not _is_address(port, kind.port):
        shown = json.dumps(port[:60], ensure_ascii=not port.isprintable())
        yield ("reader", i, "port"), f"{who}: port = {shown}; allowed: {kind.port}"


def _is_address(port: str, kind: PortKind) -> bool:
    try:
        if kind is PortKind.SPI:
            spi_connector(port, "reader")
        elif kind is PortKind.LLRP:
            tcp_address(port, "reader", 1)
        else:
            connector(port, "reader")
    except MisconfiguredError:
        return False
    return kind is not PortKind.SERIAL or "://" not in port


def _setting_faults(
    i: int, who: str, reader: Mapping[str, Any], driver: str, kind: DriverKind
) -> Iterator[tuple[Place, str]]:
    if "model" in reader and driver != "simulated":
        means = ", ".join((*_COMMON, *kind.settings))
        message = f"{who}: model means nothing to driver {driver}; allowed: {means}"
        yield ("reader", i, "model"), message
    for key in ("firmware", "reversed_uids", "usb_serial", "gain_db", "look_ms"):
        if key in reader and key not in kind.settings:
            means = ", ".join((*_COMMON, *kind.settings))
            yield (
                ("reader", i, key),
                f"{who}: {key} means nothing to driver {driver}; allowed: {means}",
            )
    mode = reader.get("mode", "polled")
    if mode in ("polled", "json", "binary") and mode not in kind.modes:
        allowed = ", ".join(kind.modes)
        yield (
            ("reader", i, "mode"),
            f'{who}: driver {driver} has no mode "{mode}"; allowed: {allowed}',
        )
    port = reader.get("port")
    if reader.get("usb_serial") and isinstance(port, str) and "://" in port:
        yield ("reader", i, "usb_serial"), f"{who}: usb_serial and a network port; choose one"
    gain = reader.get("gain_db")
    if type(gain) is int and 18 <= gain <= 48 and gain not in _GAINS:
        allowed = ", ".join(map(str, _GAINS))
        yield ("reader", i, "gain_db"), f"{who}: gain_db = {gain}; allowed: {allowed}"


def _place_faults(
    raw: Mapping[str, Any], i: int, antenna: Mapping[str, Any], driver: str, kind: DriverKind
) -> Iterator[tuple[Place, str]]:
    who = f"antenna {antenna.get('number', f'entry {i + 1}')}"
    port, zone = antenna.get("port"), antenna.get("zone")
    if type(port) is int and kind.ports < port <= 8:
        allowed = f"1 to {kind.ports}" if kind.ports > 1 else "1"
        yield (
            ("antenna", i, "port"),
            f"{who}: port = {port}; driver {driver} allows {allowed}",
        )
    place = zone.split("/")[0] if isinstance(zone, str) else ""
    if place and place not in kind.places:
        allowed = ", ".join(kind.places)
        yield (
            ("antenna", i, "zone"),
            f'{who}: zone = "{zone}"; driver {driver} may only watch: {allowed}',
        )
        return
    if kind.at_once is not None:
        yield from _crowd_faults(raw, i, who, antenna, driver, kind.at_once)


def _crowd_faults(
    raw: Mapping[str, Any],
    i: int,
    who: str,
    antenna: Mapping[str, Any],
    driver: str,
    at_once: int,
) -> Iterator[tuple[Place, str]]:
    """A reader that tells few tags apart must not be believed of more."""
    stack = antenna.get("max_stack")
    if stack is None or (type(stack) is int and stack > at_once):
        said = "max_stack is missing" if stack is None else f"max_stack = {stack}"
        most = " or ".join(str(n) for n in range(1, at_once + 1))
        yield (
            ("antenna", i, "max_stack"),
            f"{who}: {said}; a {driver} tells {at_once} cards apart; allowed: {most}",
        )
    table = raw.get("table")
    game = table.get("game", "holdem") if isinstance(table, dict) else None
    cards = _HOLE_CARDS.get(game) if isinstance(game, str) else None
    if cards is not None and cards > at_once:
        yield (
            ("antenna", i),
            f"{who}: {game} gives a seat {cards} cards, and a {driver} tells {at_once} apart; "
            "choose another driver",
        )


def _entries(raw: Mapping[str, Any], name: str) -> list[tuple[int, dict[str, Any]]]:
    found = raw.get(name)
    if not isinstance(found, list):
        return []
    return [(i, e) for i, e in enumerate(found) if isinstance(e, dict)]
