"""table.toml → Config: read once, strictly, and every fault named at once.

A fault says line, place, value and what is allowed. Paths in the file are relative to the file's
folder.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field, StrictBool, StrictInt, ValidationError

from calibration.profiles import AntennaProfile
from controller.camera_config import CameraPart, areas_of, camera_faults, places_of
from controller.config_parts import Line, Seat
from controller.config_parts import Part as _Part
from controller.fittings_config import (
    BoardPart,
    InputPart,
    InputsPart,
    OutputPart,
    board_specs,
    fitting_faults,
    inputs_spec,
)
from controller.floor.client import default_socket
from controller.keys import RegulatorKeyError, public_key
from controller.model.events import SeatStatus
from controller.model.table import (
    BOARD,
    BOARD_FLOP,
    BOARD_RIVER,
    BOARD_TURN,
    BURN,
    COUNT,
    MUCK,
    STUB,
    AntennaPlace,
    Arrival,
    Layout,
    Zone,
    is_board,
    seat_of,
)
from controller.reader_config import reader_faults
from controller.rules.profile import Profile, ProfileError
from controller.rules.profile import load as load_profile
from controller.table_board_config import SeatSensorPart, TableBoardPart, table_board_faults
from drivers.factory import DRIVERS, PuckSpec, ReaderSpec
from drivers.gpio.lines import InputsSpec
from drivers.leds.spec import BoardSpec

Calibratable = Literal[
    "antennas",
    "seats",
    "button",
    "lamps",
    "camera-1",
    "camera-2",
    "camera-3",
    "camera-4",
    "camera-5",
    "camera-6",
    "camera-7",
    "camera-8",
]
SAMPLE = "sample table"
SAMPLES = {"antennas": "sample_table.toml", "camera": "sample_camera_table.toml"}
_ZONES = (BOARD, BOARD_FLOP, BOARD_TURN, BOARD_RIVER, BURN, MUCK, COUNT, STUB)
_UNIX_PATH_LIMIT = 107  # bytes in a Unix socket's address
_FILE_LIMIT = 1_000_000  # bytes; a table needs some thousand


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault of a configuration; line counted from 1, 0 for the file as a whole."""

    line: int
    message: str


class ConfigError(ValueError):
    """A configuration that cannot be used. The message names every fault, one a line."""

    def __init__(self, source: str, faults: Iterable[Fault]) -> None:
        self.source = source
        self.faults = tuple(sorted(set(faults)))
        lines = [
            f"{source}, line {f.line}: {f.message}" if f.line else f"{source}: {f.message}"
            for f in self.faults
        ]
        super().__init__("\n".join(lines))


# ---- what the file may hold


class TablePart(_Part):
    """The table itself. dealt_in, sit_out: the registry before the floor says otherwise."""

    name: Annotated[Line, Field(min_length=1, max_length=40)] = "table"
    seats: Annotated[StrictInt, Field(ge=2, le=11)]
    dealt_in: tuple[Seat, ...]
    sit_out: tuple[Seat, ...] = ()
    button: Seat | None = None
    profile: Annotated[Line, Field(min_length=1)] = "tda"
    game: Literal["holdem", "omaha", "omaha8"] = "holdem"
    mode: Literal["check", "watch"] = "check"
    opening: StrictBool = True


class JournalPart(_Part):
    path: Annotated[Line, Field(min_length=1)] = "burnturn.journal"


class KeysPart(_Part):
    """public: the regulator's public key; without it no identity is kept at all."""

    public: str = ""


class DecksPart(_Part):
    """file: the house's decks, encrypted; what the table remembers of them lies beside it. key: the
    file of the key that opens it. shuffle: how the house shuffles; what its hands have shown goes
    before it. look: how the house's deck looks to a camera, where it was learned."""

    file: Annotated[Line, Field(min_length=1)] = "decks.box"
    key: Annotated[Line, Field(min_length=1)] = "decks.key"
    shuffle: Annotated[Line, Field(min_length=1)] = "house"
    look: Annotated[Line, Field(min_length=1)] = "deck-look.json"


class CertificatesPart(_Part):
    """folder: where certificates of counts are put. key: file of the table's own signing key, made
    at its first use."""

    folder: Annotated[Line, Field(min_length=1)] = "certificates"
    key: Annotated[Line, Field(min_length=1)] = "table-signing.key"


class CalibrationPart(_Part):
    """Go by what was measured of this table. folder: where `burnturn calibrate` puts it.
    old_after_days: from then on it is called old. required: what must have been measured before the
    table starts."""

    folder: Annotated[Line, Field(min_length=1)] = "calibration"
    old_after_days: Annotated[StrictInt, Field(ge=1, le=3650)] = 180
    required: tuple[Calibratable, ...] = ()


class FloorPart(_Part):
    """socket: "" is the default place. group: whether the socket's group may speak too."""

    socket: Line = ""
    group: StrictBool = False


class SweepPart(_Part):
    order: Literal["with", "against"] = "against"
    focus_share: Annotated[float, Field(ge=0, le=0.9)] = 0.75


class ReaderPart(_Part):
    """driver: a name that the driver factory knows. port: serial device, tcp://host:port, or "" for
    a simulated reader. mode: polled, or the reader reports by itself. firmware: major versions that
    may be spoken to. reversed_uids: for firmware that gives UIDs back to front. usb_serial: serial
    number of the USB device that must be behind the port. gain_db: of an MFRC522's receiver.
    look_ms: how long an LLRP reader looks. model: what a simulated one is; "": a Pepper."""

    number: Annotated[StrictInt, Field(ge=1, le=16)]
    driver: Annotated[str, Field(min_length=1)]
    port: Line = ""
    mode: Literal["polled", "json", "binary"] = "polled"
    firmware: tuple[StrictInt, ...] = (2,)
    reversed_uids: StrictBool = False
    usb_serial: Line = ""
    gain_db: Annotated[StrictInt, Field(ge=18, le=48)] = 33
    look_ms: Annotated[StrictInt, Field(ge=50, le=2000)] = 250
    model: Line = ""


class PuckPart(_Part):
    """A reader of button pucks under a seat. driver: rdm6300 or id12la. usb_serial: as of a
    reader."""

    seat: Seat
    driver: Literal["rdm6300", "id12la"]
    port: Annotated[Line, Field(min_length=1)]
    usb_serial: Line = ""


class ButtonPart(_Part):
    """tags: decimal numbers printed on the dealer button's tags; none: every tag is a button."""

    tags: tuple[Annotated[StrictInt, Field(ge=0, le=4294967295)], ...] = ()


class AntennaPart(_Part):
    """miss, cross: measured shares of polls. max_stack: how many cards it tells apart; left out: no
    limit was found."""

    number: Annotated[StrictInt, Field(ge=1, le=128)]
    reader: Annotated[StrictInt, Field(ge=1, le=16)]
    port: Annotated[StrictInt, Field(ge=1, le=8)]
    zone: str
    arrival: Literal["landing", "placement"] = "landing"
    miss: Annotated[float, Field(ge=0, le=0.5)] = 0.05
    cross: Annotated[float, Field(ge=0, le=0.2)] = 0.02
    max_stack: Annotated[StrictInt, Field(ge=1, le=52)] | None = None
    neighbours: tuple[StrictInt, ...] = ()


class SimulationPart(_Part):
    """The simulated table behind readers of driver "simulated". sweep_ms: one full round. mistakes:
    share of hands with a planted mistake. A seed of 0 deals differently at each start."""

    seed: StrictInt = 0
    miss: Annotated[float, Field(ge=0, le=0.5)] = 0.05
    cross: Annotated[float, Field(ge=0, le=0.2)] = 0.02
    corrupt: Annotated[float, Field(ge=0, le=0.2)] = 0.002
    sweep_ms: Annotated[StrictInt, Field(ge=50, le=5000)] = 400
    pace_ms: Annotated[StrictInt, Field(ge=150, le=3000)] = 450
    mistakes: Annotated[float, Field(ge=0, le=1)] = 0.3


class TableFile(_Part):
    """A whole table.toml."""

    table: TablePart
    journal: JournalPart = JournalPart()
    keys: KeysPart = KeysPart()
    decks: DecksPart = DecksPart()
    certificates: CertificatesPart = CertificatesPart()
    calibration: CalibrationPart | None = None
    floor: FloorPart = FloorPart()
    sweep: SweepPart = SweepPart()
    reader: tuple[ReaderPart, ...] = ()
    antenna: tuple[AntennaPart, ...] = ()
    camera: tuple[CameraPart, ...] = ()
    puck: tuple[PuckPart, ...] = ()
    button: ButtonPart = ButtonPart()
    inputs: InputsPart | None = None
    input: tuple[InputPart, ...] = ()
    output: tuple[OutputPart, ...] = ()
    board: tuple[BoardPart, ...] = ()
    table_board: TableBoardPart | None = None
    seat_sensor: tuple[SeatSensorPart, ...] = ()
    simulation: SimulationPart | None = None


# ---- what the daemon goes by


@dataclass(frozen=True)
class Config:
    """A table's configuration, checked. source: the file, for messages. folder: what its paths are
    relative to."""

    source: str
    folder: Path
    file: TableFile
    profile: Profile

    @cached_property
    def layout(self) -> Layout:
        file = self.file
        seats = file.table.seats
        areas = areas_of(file.camera, seats)
        if not file.antenna:
            seen = {area.zone for area in areas}
            places = places_of(file.camera, seats)
            return Layout(seats, places, burn_is_muck=BURN not in seen, areas=areas)
        zones = {a.zone for a in file.antenna}
        return Layout(
            seats=seats,
            antennas=tuple(
                AntennaPlace(
                    profile=AntennaProfile(
                        antenna=a.number,
                        reader=a.reader,
                        port=a.port,
                        neighbours=a.neighbours,
                        miss_rate=a.miss,
                        cross_rate=a.cross,
                        max_stack=a.max_stack,
                    ),
                    zone=Zone(a.zone),
                    arrival=Arrival(a.arrival),
                )
                for a in self.file.antenna
            ),
            burn_is_muck=BURN not in zones,
            count_is_burn=COUNT not in zones,
            areas=areas,
        )

    @property
    def seats(self) -> tuple[tuple[int, SeatStatus], ...]:
        """The registry at the start, every chair once."""
        table = self.file.table
        said = dict.fromkeys(table.dealt_in, SeatStatus.IN)
        said |= dict.fromkeys(table.sit_out, SeatStatus.SIT_OUT)
        return tuple((s, said.get(s, SeatStatus.OUT)) for s in range(1, table.seats + 1))

    @property
    def journal(self) -> Path:
        return self._path(self.file.journal.path)

    def with_journal(self, path: Path) -> Config:
        """The same table, written down elsewhere."""
        part = self.file.journal.model_copy(update={"path": str(path.absolute())})
        return replace(self, file=self.file.model_copy(update={"journal": part}))

    @property
    def socket(self) -> Path:
        said = self.file.floor.socket
        return self._path(said) if said else default_socket()

    @property
    def socket_mode(self) -> int:
        return 0o660 if self.file.floor.group else 0o600

    @property
    def public_key(self) -> bytes | None:
        text = self.file.keys.public
        return bytes(public_key(text)) if text else None

    @property
    def deck_file(self) -> Path:
        """The house's decks, encrypted."""
        return self._path(self.file.decks.file)

    @property
    def deck_key(self) -> Path:
        """The key that opens them."""
        return self._path(self.file.decks.key)

    @property
    def deck_look(self) -> Path:
        """How the house's deck looks to a camera; no such file, no such deck."""
        return self._path(self.file.decks.look)

    @property
    def certificates(self) -> Path:
        """The folder of the certificates."""
        return self._path(self.file.certificates.folder)

    @property
    def certificate_key(self) -> Path:
        """The file of the key that signs them."""
        return self._path(self.file.certificates.key)

    @property
    def calibration_folder(self) -> Path:
        """The folder of what was measured of the table."""
        return self._path((self.file.calibration or CalibrationPart()).folder)

    @property
    def inputs(self) -> InputsSpec | None:
        """The table's own keys and switches; None if it has none."""
        part, file = self.file.inputs, self.file
        return None if part is None else inputs_spec(part, file.input, file.output)

    @property
    def boards(self) -> tuple[BoardSpec, ...]:
        """The table's LED boards and lamps."""
        return board_specs(self.file.board, self.file.table.seats)

    @property
    def simulated(self) -> bool:
        readers = any(r.driver == "simulated" for r in self.file.reader)
        return readers or any(c.driver == "simulated" for c in self.file.camera)

    def _path(self, text: str) -> Path:
        return self.folder / Path(text).expanduser()


def reader_specs(config: Config) -> tuple[ReaderSpec, ...]:
    """The configured readers as the driver factory takes them."""
    return tuple(
        ReaderSpec(
            name=f"reader {r.number}",
            driver=r.driver,
            antennas={a.number: a.port for a in config.file.antenna if a.reader == r.number},
            port=r.port,
            mode=r.mode,
            accept_firmware=r.firmware,
            reversed_uids=r.reversed_uids,
            usb_serial=r.usb_serial,
            gain_db=r.gain_db,
            look_s=r.look_ms / 1000,
            model=r.model,
        )
        for r in config.file.reader
    )


def puck_specs(config: Config) -> tuple[PuckSpec, ...]:
    """The configured readers of button pucks as the driver factory takes them."""
    return tuple(PuckSpec(p.seat, p.driver, p.port, p.usb_serial) for p in config.file.puck)


def sample_text(name: str = "antennas") -> str:
    """A shipped configuration of a simulated table: the reference table with "antennas", or one
    under a "camera" alone. Raises KeyError for another name."""
    return files("controller").joinpath(SAMPLES[name]).read_text("utf-8")


def sample(name: str = "antennas") -> Config:
    """That configuration; its files lie in a folder below the present one, of its own."""
    folder = "run" if name == "antennas" else f"run-{name}"
    return read(sample_text(name), SAMPLE, Path.cwd() / folder)


def load(path: Path | None = None) -> Config:
    """The configuration at `path`; without one the sample, whose files lie in the folder `run`.

    Raises:
        ConfigError: every fault of it.
    """
    if path is None:
        return sample()
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_LIMIT + 1)
        if len(content) > _FILE_LIMIT:
            fault = Fault(0, f"is longer than {_FILE_LIMIT} bytes; give the path of a table.toml")
            raise ConfigError(str(path), [fault])
        text = content.decode("utf-8-sig")
    except OSError as error:
        fault = Fault(0, f"cannot be read ({error.strerror}); give the path of a table.toml")
        raise ConfigError(str(path), [fault]) from None
    except UnicodeDecodeError:
        raise ConfigError(str(path), [Fault(0, "is not UTF-8 text; save it as such")]) from None
    return read(text, path.name, path.resolve().parent)


def read(text: str, source: str, folder: Path) -> Config:
    """The configuration in `text`.

    Raises:
        ConfigError: every fault of it.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(source, [_toml_fault(error)]) from None
    except RecursionError:
        fault = Fault(0, "is no TOML that can be read: it is nested too deeply")
        raise ConfigError(source, [fault]) from None
    lines = _Lines(text)
    faults: list[Fault] = []
    file: TableFile | None = None
    try:
        file = TableFile.model_validate(raw)
    except ValidationError as error:
        faults += [
            _in_words(dict(detail), raw, lines)
            for detail in error.errors()
            # entries that are there and faulty are named one by one, not as too few
            if detail["type"] != "too_short" or not detail["input"]
        ]
    faults += _agreement(raw, lines)
    profile, more = _profile(raw, lines, folder)
    faults += more
    if faults or file is None or profile is None:
        raise ConfigError(source, faults)
    return Config(source, folder, file, profile)


# ---- where a key stands


class _Lines:
    """Line of each key: path of keys and list places → line."""

    _HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?")
    _KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")

    def __init__(self, text: str) -> None:
        self._at: dict[tuple[str | int, ...], int] = {}
        table: tuple[str | int, ...] = ()
        counts: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if header := self._HEADER.match(line):
                name = header[2]
                table = tuple(name.split("."))
                if header[1] == "[[":
                    table = (*table, counts.get(name, 0))
                    counts[name] = counts.get(name, 0) + 1
                self._at.setdefault(table, number)
            elif key := self._KEY.match(line):
                self._at.setdefault((*table, key[1]), number)

    def of(self, path: Iterable[str | int]) -> int:
        """The line of that key, or of what is around it and written out; 0 if nothing is."""
        whole = tuple(path)
        for length in range(len(whole), 0, -1):
            if (line := self._at.get(whole[:length])) is not None:
                return line
        return 0


def _toml_fault(error: tomllib.TOMLDecodeError) -> Fault:
    found = re.search(r"\(at line (\d+)", str(error))
    what = re.sub(r"\s*\(at .*\)$", "", str(error))
    return Fault(int(found[1]) if found else 0, f"is not TOML: {what}")


# ---- faults in words


def _in_words(detail: Mapping[str, Any], raw: Mapping[str, Any], lines: _Lines) -> Fault:
    """A fault that the model found: place, value, what is allowed."""
    loc: tuple[str | int, ...] = tuple(detail["loc"])
    line = lines.of(loc)
    where = _place(loc[:-1], raw)
    name = loc[-1]
    if isinstance(name, int):  # one of a list of plain values
        where, name = _place(loc[:-2], raw), loc[-2]
        loc = loc[:-1]
    owner = _owner(loc[:-1])
    if detail["type"] == "extra_forbidden":
        known = ", ".join(owner.model_fields) if owner else ""
        return Fault(line, f"{where}{name} is no key here; allowed: {known}")
    allowed = _allowed(owner, str(name)) if owner else "a value"
    if detail["type"] == "missing":
        what = f"[[{name}]]" if len(loc) == 1 and name in ("reader", "antenna") else name
        return Fault(line, f"{where}{what} is missing; allowed: {allowed}")
    return Fault(line, f"{where}{name} = {_shown(detail['input'])}; allowed: {allowed}")


def _place(path: tuple[str | int, ...], raw: Mapping[str, Any]) -> str:
    """`antenna 7: ` for an entry that says its number, `table: ` for a part."""
    if not path:
        return ""
    if len(path) > 1 and isinstance(path[1], int):
        try:
            number = raw[str(path[0])][path[1]]["number"]
        except (KeyError, IndexError, TypeError):
            number = None
        if type(number) is int:
            return f"{path[0]} {number}: "
        return f"{path[0]} entry {path[1] + 1}: "
    return f"{path[0]}: "


def _owner(path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The model that holds the key behind `path`."""
    model: type[BaseModel] = TableFile
    for part in path:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        inner = _model_in(field.annotation) if field is not None else None
        if inner is None:
            return None
        model = inner
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (tuple, Annotated, Union, UnionType):
        for inner in get_args(annotation):
            if (model := _model_in(inner)) is not None:
                return model
    return None


def _allowed(owner: type[BaseModel], name: str) -> str:
    schema = owner.model_json_schema()
    return _words(schema["properties"].get(name, {}), schema.get("$defs", {}))


def _words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """What a value may be, in words, from its JSON schema."""
    if "$ref" in schema:
        return _words(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "anyOf" in schema:
        return _words(schema["anyOf"][0], defs)
    if "const" in schema:  # a choice of one
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"])
    match schema.get("type"):
        case "integer" | "number" as kind:
            number = "a whole number" if kind == "integer" else "a number"
            if "minimum" in schema:
                return f"{number}, {schema['minimum']:g} to {schema['maximum']:g}"
            return number
        case "array":
            return f"a list of: {_words(schema.get('items', {}), defs)}"
        case "boolean":
            return "true, false"
        case "string":
            longest = schema.get("maxLength")
            least = ", not empty" if schema.get("minLength") else ""
            size = f" of 1 to {longest} characters" if longest else least
            return f"a text{size}" + (", no control characters" if "pattern" in schema else "")
        case "object":
            return "a table with " + ", ".join(schema.get("required", schema["properties"]))
        case _:
            return "a value"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value[:60], ensure_ascii=not value.isprintable())
    if isinstance(value, dict):
        return "a table"
    return str(value)[:60]


# ---- what no single value can say


def _entries(raw: Mapping[str, Any], name: str) -> list[tuple[int, dict[str, Any]]]:
    found = raw.get(name)
    if not isinstance(found, list):
        return []
    return [(i, e) for i, e in enumerate(found) if isinstance(e, dict)]


def _agreement(raw: Mapping[str, Any], lines: _Lines) -> list[Fault]:
    """Faults between values, as far as the values can be read."""
    faults = [*_table_faults(raw, lines), *_antenna_faults(raw, lines)]
    devices = [e for name in ("reader", "camera") for _, e in _entries(raw, name)]
    simulated = [e for e in devices if e.get("driver") == "simulated"]
    if simulated and "simulation" not in raw:
        faults.append(Fault(0, "[simulation] is missing; a simulated table needs it"))
    if simulated and len(simulated) < len(devices):
        message = "simulated and real readers or cameras at one table; choose one kind"
        part = "reader" if _entries(raw, "reader") else "camera"
        faults.append(Fault(lines.of((part, 0)), f"{part}: {message}"))
    if not devices and not any(raw.get(name) for name in ("reader", "camera")):
        message = "[[reader]] is missing; a table is watched by readers with antennas, a [[camera]]"
        faults.append(Fault(0, f"{message}, or both"))
    chairs = _chairs(raw)
    between = (
        *fitting_faults(raw, chairs),
        *table_board_faults(raw, chairs),
        *camera_faults(raw, chairs),
    )
    faults += [Fault(lines.of(at), message) for at, message in between]
    faults += [Fault(lines.of(at), message) for at, message in reader_faults(raw)]
    for i, reader in _entries(raw, "reader"):
        driver = reader.get("driver")
        if isinstance(driver, str) and driver not in DRIVERS:
            number = reader.get("number", i + 1)
            message = f'reader {number}: driver = "{driver}"; allowed: {", ".join(DRIVERS)}'
            faults.append(Fault(lines.of(("reader", i, "driver")), message))
    return faults


def _chairs(raw: Mapping[str, Any]) -> int:
    table = raw.get("table")
    chairs = table.get("seats") if isinstance(table, dict) else None
    return chairs if type(chairs) is int and 2 <= chairs <= 11 else 11


def _table_faults(raw: Mapping[str, Any], lines: _Lines) -> Iterator[Fault]:
    table = raw.get("table")
    if not isinstance(table, dict):
        return
    chairs = table.get("seats")
    seats = chairs if type(chairs) is int and 2 <= chairs <= 11 else 11
    named: dict[int, str] = {}
    for key in ("dealt_in", "sit_out"):
        for seat in table.get(key, ()) if isinstance(table.get(key), list) else ():
            if type(seat) is not int or not 1 <= seat <= 11:
                continue
            line = lines.of(("table", key))
            if seat > seats:
                yield Fault(line, f"table: {key} holds seat {seat}; allowed: 1 to {seats}")
            if seat in named:
                yield Fault(line, f"table: {key} holds seat {seat}, already in {named[seat]}")
            named[seat] = key
    button = table.get("button")
    if type(button) is int and seats < button <= 11:
        line = lines.of(("table", "button"))
        yield Fault(line, f"table: button = {button}; allowed: 1 to {seats}")
    floor = raw.get("floor")
    socket = floor.get("socket") if isinstance(floor, dict) else None
    if isinstance(socket, str) and len(socket.encode()) > _UNIX_PATH_LIMIT:
        line = lines.of(("floor", "socket"))
        yield Fault(line, f"floor: socket is too long; allowed: {_UNIX_PATH_LIMIT} bytes")
    decks = raw.get("decks")
    if isinstance(decks, dict):
        yield from _deck_faults(decks, lines)
    keys = raw.get("keys")
    text = keys.get("public") if isinstance(keys, dict) else None
    if isinstance(text, str) and text:
        try:
            public_key(text)
        except RegulatorKeyError as error:
            yield Fault(lines.of(("keys", "public")), f"keys: {error}")


def _deck_faults(decks: Mapping[str, Any], lines: _Lines) -> Iterator[Fault]:
    file, key = decks.get("file", DecksPart().file), decks.get("key", DecksPart().key)
    if isinstance(file, str) and isinstance(key, str):
        taken = {Path(file + more): more for more in ("", ".backup", ".record", ".tonight")}
        if (more := taken.get(Path(key))) is not None:
            what = "the decks' file too" if not more else f"written beside the decks' file {file}"
            line = lines.of(("decks", "key"))
            yield Fault(line, f"decks: key = {_shown(key)} is {what}; allowed: another")
    shuffle = decks.get("shuffle")
    if isinstance(shuffle, str) and shuffle:
        from controller.integrity.shuffles import RoutineError, routine  # loads arithmetic

        try:
            routine(shuffle)
        except RoutineError as error:
            yield Fault(lines.of(("decks", "shuffle")), f"decks: {error}")


def _antenna_faults(raw: Mapping[str, Any], lines: _Lines) -> Iterator[Fault]:
    table = raw.get("table")
    chairs = table.get("seats") if isinstance(table, dict) else None
    seats = chairs if type(chairs) is int and 2 <= chairs <= 11 else 11
    antennas = _entries(raw, "antenna")
    readers = _numbers(_entries(raw, "reader"))
    numbers = _numbers(antennas)
    yield from _twice(lines, "reader", _entries(raw, "reader"), ("number",))
    yield from _twice(lines, "reader", _entries(raw, "reader"), ("port",))
    yield from _twice(lines, "puck", _entries(raw, "puck"), ("seat",))
    yield from _twice(lines, "puck", _entries(raw, "puck"), ("port",))
    for i, puck in _entries(raw, "puck"):
        if type(chair := puck.get("seat")) is int and seats < chair <= 11:
            line = lines.of(("puck", i, "seat"))
            yield Fault(line, f"puck: seat = {chair}; allowed: 1 to {seats}")
    yield from _twice(lines, "antenna", antennas, ("number",))
    yield from _twice(lines, "antenna", antennas, ("reader", "port"))
    yield from _twice(lines, "antenna", antennas, ("zone",))
    zones: set[str] = set()
    for i, antenna in antennas:
        who = f"antenna {antenna.get('number', f'entry {i + 1}')}"
        zone, reader = antenna.get("zone"), antenna.get("reader")
        if isinstance(zone, str):
            zones.add(zone)
            if not _is_zone(zone, seats):
                allowed = ", ".join((f"seat/1 to seat/{seats}", *_ZONES))
                line = lines.of(("antenna", i, "zone"))
                yield Fault(line, f'{who}: zone = "{zone}"; allowed: {allowed}')
        if type(reader) is int and reader not in readers:
            known = ", ".join(str(r) for r in sorted(readers))
            line = lines.of(("antenna", i, "reader"))
            yield Fault(line, f"{who}: reader = {reader}; allowed: {known or 'none is given'}")
        neighbours = antenna.get("neighbours", ())
        for other in neighbours if isinstance(neighbours, list) else ():
            if type(other) is int and (other not in numbers or other == antenna.get("number")):
                line = lines.of(("antenna", i, "neighbours"))
                yield Fault(line, f"{who}: neighbour {other} is no other antenna of this table")
    if not antennas:
        if _entries(raw, "reader"):
            yield Fault(0, "[[antenna]] is missing; say which antenna watches which place")
        return
    wanted = [f"seat/{s}" for s in range(1, seats + 1)] + [MUCK]
    missing = [z for z in wanted if z not in zones]
    board = {z for z in zones if is_board(Zone(z))}
    if board not in ({BOARD}, {BOARD_FLOP, BOARD_TURN, BOARD_RIVER}):
        missing.append("board, or board/flop and board/turn and board/river")
    if missing and isinstance(chairs, int):
        yield Fault(0, f"no antenna watches {', '.join(missing)}")


def _numbers(entries: list[tuple[int, dict[str, Any]]]) -> set[int]:
    return {n for _, e in entries if type(n := e.get("number")) is int}


def _is_zone(zone: str, seats: int) -> bool:
    if zone in _ZONES:
        return True
    return bool(re.fullmatch(r"seat/[1-9]\d?", zone)) and 1 <= (seat_of(Zone(zone)) or 0) <= seats


def _twice(
    lines: _Lines, part: str, entries: list[tuple[int, dict[str, Any]]], keys: tuple[str, ...]
) -> Iterator[Fault]:
    """Entries that share what must be their own."""
    first: dict[tuple[object, ...], object] = {}
    for i, entry in entries:
        value = tuple(entry.get(k) for k in keys)
        if any(isinstance(v, list | dict) or v in (None, "") for v in value):
            continue
        number = entry.get("number", i + 1)
        if value in first:
            said = ", ".join(f"{k} {v}" for k, v in zip(keys, value, strict=True))
            line = lines.of((part, i, keys[-1]))
            yield Fault(line, f"{part} {number}: {said} is taken by {part} {first[value]}")
        else:
            first[value] = number


def _profile(
    raw: Mapping[str, Any], lines: _Lines, folder: Path
) -> tuple[Profile | None, list[Fault]]:
    """The profile that the table names, checked against its game and its seats."""
    table = raw.get("table")
    if not isinstance(table, dict):
        return None, []
    name = table.get("profile", "tda")
    if not isinstance(name, str) or not name:
        return None, []
    line = lines.of(("table", "profile"))
    is_file = name.endswith(".toml") or "/" in name
    try:
        profile = load_profile(folder / Path(name).expanduser() if is_file else name)
    except ProfileError as error:
        return None, [
            Fault(line, f"table: profile = {_shown(name)}{where}: {f.message}")
            for f in error.faults
            for where in [f", line {f.line}" if is_file else ""]
        ]
    except ValueError:  # a name that no file can have: the model says so
        return None, []
    faults: list[Fault] = []
    game = table.get("game", "holdem")
    if isinstance(game, str) and game in ("holdem", "omaha", "omaha8"):
        if not profile.allows(game):
            allowed = ", ".join(profile.games.value)
            message = f'table: game = "{game}"; profile {profile.name} allows {allowed}'
            faults.append(Fault(lines.of(("table", "game")), message))
        else:
            most = profile.for_game(game).max_seats.value
            dealt = table.get("dealt_in")
            if isinstance(dealt, list) and len(dealt) > most:
                message = (
                    f"table: {len(dealt)} seats dealt in; profile {profile.name} has at most {most}"
                )
                faults.append(Fault(lines.of(("table", "dealt_in")), message))
    return profile, faults
