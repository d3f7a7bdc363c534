"""The steps of a table's calibration, in the right order, each explained in a dealer's words.

Lamps come first, for they must be right when the antennas are tried against their light; then
chairs and button, which need no cards; then the antennas; then cameras (`table_cameras.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from calibration.antennas import AntennasProfile, Budget, Place
from calibration.antennas_capture import AntennaStep
from calibration.button import ButtonStep
from calibration.lamps import LampStep
from calibration.seats import SeatsProfile, SeatStep
from calibration.steps import Belongs, Step
from calibration.store import StoreError
from controller.calibrating.belonging import antennas_table, lamps_table, seats_table, store_of
from controller.calibrating.hardware import Hardware
from controller.calibrating.in_force import possible
from controller.config import Config
from controller.sensing.budget import FalseAlarmBudget

P = TypeVar("P")

INTRODUCTIONS: Mapping[str, str] = {
    "camera": "You hold the printed lens board before the camera, then clear the table so that"
    " only its stickers are seen, then lay the place cards. `burnturn calibrate camera sheet`"
    " prints them.",
    "lamps": "One lamp after the other is lit, and you say at which seat it is. Wires that are"
    " crossed need not be moved: the table goes by what you say. Then you choose how bright they"
    " are.",
    "seats": "You sit down on every chair once, so that the table learns what each sensor gives"
    " when it is empty and when somebody sits there.",
    "button": "You move the dealer button round the table once, from seat to seat.",
    "antennas": "You lay a card on five spots of every mark, and a second card on it, while all"
    " antennas look. The table learns how well each reads its own cards, and whose cards it reads"
    " by mistake. Any two cards will do, best two of the deck that is dealt.",
}
_STRONGER = {
    "mfrc522": "{how} gain_db of its reader in the table.toml by a step or two (18 to 48).",
}


def kinds_of(config: Config) -> tuple[str, ...]:
    """What this table can have calibrated, in the right order."""
    return possible(config)


def step_of(
    kind: str,
    config: Config,
    hardware: Hardware,
    *,
    deck: str = "",
    whole: bool = True,
    budget: Budget | None = None,
) -> Step[Any, Any]:
    """One of `kinds_of`. deck: whose cards are laid. whole: five spots of a mark, not its middle
    alone. Raises ValueError for another kind."""
    seats = config.file.table.seats
    if kind == "lamps":
        assert hardware.row is not None
        return LampStep(
            hardware.lamps,
            seats,
            hardware.row,
            belongs=lambda: Belongs(lamps_table(config), hardware.devices),
        )
    if kind == "seats":
        return SeatStep(
            hardware.seat_sensors,
            hardware.ears,
            belongs=lambda: Belongs(_with_board(config, hardware), hardware.devices),
            contacts=hardware.contacts,
            before=_last(config, "seats", SeatsProfile, seats_table(config)),
        )
    if kind == "button":
        return ButtonStep(
            hardware.button_sensors,
            hardware.ears,
            belongs=lambda: Belongs(_with_board(config, hardware), hardware.devices),
        )
    if kind == "antennas":
        assert hardware.eyes is not None
        return AntennaStep(
            places(config),
            hardware.eyes,
            budget or FalseAlarmBudget(),
            seats=seats,
            belongs=lambda: Belongs(antennas_table(config), hardware.devices, deck),
            lamps=hardware if hardware.has_lamps else None,
            whole=whole,
            before=_last(config, "antennas", AntennasProfile, antennas_table(config)),
        )
    raise ValueError(f"a table has no {kind} to calibrate; it has {', '.join(kinds_of(config))}")


def _last(config: Config, kind: str, profile: type[P], table: Mapping[str, str]) -> P | None:
    """What was measured of this table the last time, where that can be read."""
    try:
        saved = store_of(config).load(kind, profile, table)
    except StoreError:
        return None
    return None if saved is None else saved.profile


def places(config: Config) -> tuple[Place, ...]:
    """The antennas in the order in which a hand walks round the table: seats, then the middle."""
    drivers = {r.number: r.driver for r in config.file.reader}
    found = [
        Place(
            a.number, a.zone, a.reader, a.port, a.neighbours, a.max_stack,
            _STRONGER.get(drivers.get(a.reader, ""), ""),
        )
        for a in config.file.antenna
    ]  # fmt: skip
    return tuple(sorted(found, key=_walk))


def _walk(place: Place) -> tuple[int, int]:
    word, _, number = place.zone.partition("/")
    return (0, int(number)) if word == "seat" else (1, place.antenna)


def _with_board(config: Config, hardware: Hardware) -> Mapping[str, str]:
    """With the serial number of the board that answers, where the table.toml names none."""
    found = dict(seats_table(config))
    if config.file.table_board is not None and not config.file.table_board.serial:
        found["serial number of the table board"] = hardware.board_serial
    return found
