"""What a calibration belongs to, read from the table's configuration and from USB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import controller.files
from calibration.store import ProfileStore
from controller.config import Config
from drivers.usb_ports import UsbPort, connected

Ports = Callable[[], Iterable[UsbPort]]


def store_of(config: Config) -> ProfileStore:
    """The folder of the table's calibrations."""
    return ProfileStore(config.calibration_folder, controller.files, program())


def program() -> str:
    """The version of burnturn; "" where it is not installed."""
    try:
        return version("burnturn")
    except PackageNotFoundError:
        return ""


def antennas_table(config: Config, ports: Ports = connected) -> Mapping[str, str]:
    """For the antennas: what each is, and which reader it hangs on. A reader's USB device is known
    by its serial number where it has one and is plugged in."""
    serials = {str(Path(p.path).resolve()): p.serial for p in ports()}
    found = {
        f"antenna {a.number}": f"{a.zone} on reader {a.reader}, port {a.port}"
        for a in config.file.antenna
    }
    for r in config.file.reader:
        found[f"reader {r.number}"] = r.driver
        at = str(Path(r.port).resolve()) if r.port.startswith("/") else ""
        found[f"USB serial number of reader {r.number}"] = r.usb_serial or serials.get(at, "")
    return found


def seats_table(config: Config) -> Mapping[str, str]:
    """For chairs and button: how many seats, and what their sensors hang on."""
    board, file = config.file.table_board, config.file
    found = {"number of seats": str(file.table.seats)}
    if board is not None:
        found["table board"] = board.driver
        found["serial number of the table board"] = board.serial
    for line in file.input:
        for what, seat in (("chair", line.seat), ("button", line.button)):
            if seat is not None:
                found[f"{what} {seat}"] = f"line {line.line}"
    found |= {f"button reader {p.seat}": p.driver for p in file.puck}
    return found


def lamps_table(config: Config) -> Mapping[str, str]:
    """For the seats' lamps: what they hang on."""
    return {"number of seats": str(config.file.table.seats), "lamps": lamps_of(config)}


def lamps_of(config: Config) -> str:
    """What has the lamps at the seats: "table board", "board 2 (ws2812)", or "" for nothing."""
    board = config.file.table_board
    if board is not None and board.lamps:
        return "table board"
    rows = [b for b in config.boards if b.picture == "seats"]
    return f"{rows[0].name} ({rows[0].driver})" if rows else ""
