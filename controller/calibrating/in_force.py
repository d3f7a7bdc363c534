"""The calibrations that a table goes by: read at the start, laid over its configuration.

A foreign or damaged one keeps the table from starting; an old one, and one made with a deck that is
not at the table, is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from calibration.antennas import AntennasProfile
from calibration.button import ButtonProfile
from calibration.camera_profile import CameraProfile
from calibration.camera_store import kind_of, load_camera, place_of
from calibration.lamps import CalibratedLamps, CalibratedRow, LampsProfile
from calibration.seats import SeatsProfile
from calibration.store import ProfileStore, Saved, StoreError, command
from controller.calibrating.belonging import (
    Ports,
    antennas_table,
    lamps_of,
    lamps_table,
    seats_table,
    store_of,
)
from controller.camera_config import CameraPart
from controller.config import Config
from controller.fittings import Fittings
from controller.table_board_config import SeatSensorPart
from drivers.usb_ports import connected

WHAT: Mapping[str, str] = {
    "antennas": "the antennas",
    "seats": "the chairs' sensors",
    "button": "the button's sensors",
    "lamps": "the seats' lamps",
    **{kind_of(n): f"camera {n}" for n in range(1, 9)},
}


class CalibrationError(Exception):
    """The table must not start. The text says every reason, one a line, and what to do next."""


@dataclass(frozen=True, slots=True)
class InForce:
    """saved: by kind. missing: kinds that this table could have and has not. faults: why the table
    must not start. notes: what people should know."""

    saved: Mapping[str, Saved[Any]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def applied(self, config: Config) -> Config:
        """The table with what was measured instead of what its file assumes."""
        file = config.file
        antennas = self._profile("antennas", AntennasProfile)
        if antennas is not None:
            parts = []
            for part, place in zip(file.antenna, config.layout.antennas, strict=True):
                fit = antennas.of(part.number)
                assert fit is not None, "else it is a foreign one"
                p = fit.applied(place.profile)
                measured = {"miss": p.miss_rate, "cross": p.cross_rate}
                measured |= {"neighbours": p.neighbours, "max_stack": p.max_stack}
                parts.append(part.model_copy(update=measured))
            file = file.model_copy(update={"antenna": tuple(parts)})
        seats = self._profile("seats", SeatsProfile)
        if seats is not None and file.table_board is not None:
            found = {s.seat: s for s in file.seat_sensor}
            for s in seats.seats:
                if s.sensor != "contact":
                    found[s.seat] = SeatSensorPart(
                        seat=s.seat, sensor=s.sensor, leave=s.leave, enter=s.enter
                    )
            sensors = tuple(found[n] for n in sorted(found))
            file = file.model_copy(update={"seat_sensor": sensors})
        return replace(config, file=file)

    def lamps_on(self, config: Config, fittings: Fittings) -> Fittings:
        """The fittings with each seat's own lamp, as bright as was chosen."""
        lamps = self._profile("lamps", LampsProfile)
        if lamps is None:
            return fittings
        if lamps_of(config) == "table board":
            own = tuple(CalibratedLamps(x, lamps) for x in fittings.seat_lamps)
            return replace(fittings, seat_lamps=own)
        rows = [b.picture == "seats" for b in config.boards]
        first = rows.index(True)
        boards = list(fittings.boards)
        boards[first] = CalibratedRow(boards[first], lamps)
        return replace(fittings, boards=tuple(boards))

    def deck_notes(self, decks: Collection[str]) -> tuple[str, ...]:
        """What was calibrated with a deck that is none of these, in words; of no decks nobody knows
        which are dealt."""
        dealt = ", ".join(sorted(decks))
        return tuple(
            f"{WHAT[kind]} were calibrated with deck {saved.made.deck}, which is not at this table"
            f" ({dealt}): its tags may read better or worse. Next: burnturn calibrate {kind}"
            for kind, saved in self.saved.items()
            if decks and saved.made.deck and saved.made.deck not in decks
        )

    def _profile(self, kind: str, of: type[Any]) -> Any:
        saved = self.saved.get(kind)
        return None if saved is None else saved.profile


def possible(config: Config) -> tuple[str, ...]:
    """The kinds of calibration that a table can have, in the order in which they are made."""
    found = ["lamps"] if lamps_of(config) else []
    board = config.file.table_board is not None
    chairs = any(i.seat is not None for i in config.file.input)
    button = any(i.button is not None for i in config.file.input) or bool(config.file.puck)
    found += ["seats"] if board or chairs else []
    found += ["button"] if board or button else []
    found += ["antennas"] if config.file.antenna else []
    return (*found, *(kind_of(part.number) for part in config.file.camera))


def in_force(
    config: Config,
    decks: Collection[str] = (),
    now: datetime | None = None,
    ports: Ports = connected,
) -> InForce:
    """The calibrations in the table's folder, judged. decks: names of those that are dealt with;
    none: nobody knows. A table whose file names no folder has none."""
    part = config.file.calibration
    if part is None:
        return InForce(missing=possible(config))
    now = datetime.now(UTC) if now is None else now
    store = store_of(config)
    tables = {
        "antennas": (AntennasProfile, antennas_table(config, ports)),
        "seats": (SeatsProfile, seats_table(config)),
        "button": (ButtonProfile, seats_table(config)),
        "lamps": (LampsProfile, lamps_table(config)),
        **{
            kind_of(part.number): (CameraProfile, place_of(part.number, part.port))
            for part in config.file.camera
        },
    }
    cameras = {kind_of(part.number): part for part in config.file.camera}
    saved: dict[str, Saved[Any]] = {}
    missing: list[str] = []
    faults: list[str] = []
    notes: list[str] = []
    for kind in possible(config):
        profile, table = tables[kind]
        try:
            found = _load(store, kind, profile, table)
            if found is not None and (camera := cameras.get(kind)) is not None:
                found = camera_saved(store, camera)
        except StoreError as error:
            faults.append(str(error))
            continue
        if found is None:
            missing.append(kind)
            continue
        saved[kind] = found
        notes += _age_notes(kind, found, part.old_after_days, now)
    faults += [
        f"{store.path(kind)}: {WHAT.get(kind, kind)} must be calibrated before this table starts"
        f" (calibration: required). Next: burnturn calibrate {command(kind)}"
        for kind in part.required
        if kind in missing
    ]
    faults += [
        f"{store.path(kind)}: camera {camera.number} is not calibrated, and nobody knows which part"
        f" of the table it sees. Next: burnturn calibrate {command(kind)}"
        for kind, camera in cameras.items()
        if kind in missing and kind not in part.required and camera.driver != "simulated"
    ]
    known = InForce(saved, tuple(missing), tuple(faults), tuple(notes))
    return replace(known, notes=(*notes, *known.deck_notes(decks)))


def checked(config: Config) -> InForce:
    """The calibrations of a table that is about to start.

    Raises:
        CalibrationError: one is foreign, damaged, or missing where it is required.
    """
    found = in_force(config)
    if found.faults:
        raise CalibrationError("\n".join(found.faults))
    return found


def _load(
    store: ProfileStore, kind: str, profile: type[Any], table: Mapping[str, str]
) -> Saved[Any] | None:
    return store.load(kind, profile, table)


def camera_saved(store: ProfileStore, part: CameraPart) -> Saved[CameraProfile]:
    """The calibration of that camera. A simulated one gives pictures of one size, whatever its part
    says. Raises StoreError: there is none, or it is foreign or damaged."""
    if part.driver != "simulated":
        return load_camera(store, part.number, part.port, part.width, part.height)
    from drivers.factory import VIEW

    return load_camera(store, part.number, part.port, VIEW.width, VIEW.height)


def _age_notes(kind: str, saved: Saved[Any], days: int, now: datetime) -> Sequence[str]:
    made = saved.made
    age = made.age(now)
    if age <= timedelta(days=days):
        return ()
    return (
        f"the calibration of {WHAT[kind]} is {age.days} days old (of {made.at:%Y-%m-%d}; {days} are"
        f" allowed). Next: burnturn calibrate {command(kind)}",
    )
