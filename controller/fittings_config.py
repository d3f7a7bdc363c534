"""Keys, switches, lamps and boards in a table.toml: what may be said, and what no single value can
say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, WithJsonSchema
from pydantic.functional_validators import PlainValidator

from controller.config_parts import Line, Part, Seat
from drivers.gpio.lines import ButtonSpot, Chair, InputLine, InputsSpec, Key, OutputLine
from drivers.leds.grid import Corner, Wiring
from drivers.leds.max7219 import First, Turn
from drivers.leds.spec import BOARDS, PORTLESS, BoardSpec, Hat, HubLibrary, Picture
from drivers.leds.ws2812 import ColourOrder

At = tuple[str | int, ...]
"""Keys and list places down to the value that is at fault."""

_MOST_LINES = 512


def _gpio_line(value: object) -> int | str:
    if type(value) is int and 0 <= value < _MOST_LINES:
        return value
    if isinstance(value, str) and re.fullmatch(r"[!-~][ -~]{0,30}", value):
        return value
    raise ValueError("no line")


GpioLine = Annotated[
    int | str,
    PlainValidator(_gpio_line),
    WithJsonSchema({"enum": [f"a line's number, 0 to {_MOST_LINES - 1}", "its name in quotes"]}),
]


def _rf_enable(value: object) -> int | Literal["all"]:
    if type(value) is int and 1 <= value <= 16:
        return value
    if value == "all":
        return "all"
    raise ValueError("no reader")


RfEnable = Annotated[
    int | Literal["all"],
    PlainValidator(_rf_enable),
    WithJsonSchema({"enum": ["a reader's number, 1 to 16", '"all"']}),
]
KeyName = Literal[
    "shuffled",
    "new-hand",
    "end-hand",
    "misdeal",
    "count",
    "confirm",
    "deck-change",
    "turned",
    "quiet",
]
Share = Annotated[float, Field(ge=0, le=1)]


class InputsPart(Part):
    """Who reads the table's keys and switches. library: periphery, or RPi.GPIO for old Pis. chip:
    path of the GPIO chip; "" is the one behind the header. *_hold_ms: how long each kind of switch
    must hold before it counts. rf_settle_ms: from an output's switching on to its reader's look."""

    driver: Literal["gpio"] = "gpio"
    library: Literal["periphery", "RPi.GPIO"] = "periphery"
    chip: Line = ""
    key_hold_ms: Annotated[StrictInt, Field(ge=1, le=500)] = 25
    seat_hold_ms: Annotated[StrictInt, Field(ge=1, le=10000)] = 1000
    button_hold_ms: Annotated[StrictInt, Field(ge=1, le=5000)] = 300
    rf_settle_ms: Annotated[StrictInt, Field(ge=0, le=500)] = 5


class InputPart(Part):
    """One key or switch: key, or seat (somebody sits there), or button (it lies there). active: the
    level that means so. bias: the Pi's own resistor."""

    line: GpioLine
    key: KeyName | None = None
    seat: Seat | None = None
    button: Seat | None = None
    active: Literal["low", "high"] = "low"
    bias: Literal["up", "down", "off", "as-is"] = "up"


class OutputPart(Part):
    """One output. rf_enable: number of the reader whose transmitter it permits, active in that
    reader's turns; or "all": active while the table is watched."""

    line: GpioLine
    rf_enable: RfEnable
    active: Literal["low", "high"] = "high"


class BoardPart(Part):
    """An LED board, or the lamps at the seats. Which other keys a driver takes stands in
    `drivers.leds.spec.BOARDS`."""

    driver: Annotated[str, Field(min_length=1)]
    picture: Picture | None = None
    port: Line = ""
    order: ColourOrder | None = None
    brightness: Share | None = None
    gamma: Annotated[float, Field(ge=1, le=4)] | None = None
    wiring: Wiring | None = None
    corner: Corner | None = None
    lamps_per_seat: Annotated[StrictInt, Field(ge=1, le=60)] | None = None
    first: First | None = None
    turn: Turn | None = None
    mirrored: StrictBool | None = None
    intensity: Annotated[StrictInt, Field(ge=0, le=15)] | None = None
    library: HubLibrary | None = None
    hat: Hat | None = None
    slowdown: Annotated[StrictInt, Field(ge=0, le=10)] | None = None


def inputs_spec(
    part: InputsPart, inputs: tuple[InputPart, ...], outputs: tuple[OutputPart, ...]
) -> InputsSpec:
    """The configured inputs as the driver factory takes them."""
    return InputsSpec(
        inputs=tuple(_input_line(part, i) for i in inputs),
        outputs=tuple(OutputLine(o.line, _reader(o.rf_enable), o.active) for o in outputs),
        library=part.library,
        chip=part.chip,
        rf_settle_s=part.rf_settle_ms / 1000,
    )


def _reader(rf_enable: int | Literal["all"]) -> str:
    return "" if rf_enable == "all" else f"reader {rf_enable}"


def _input_line(part: InputsPart, said: InputPart) -> InputLine:
    if said.key is not None:
        return InputLine(said.line, Key(said.key), said.active, said.bias, part.key_hold_ms / 1000)
    if said.seat is not None:
        chair = Chair(said.seat)
        return InputLine(said.line, chair, said.active, said.bias, part.seat_hold_ms / 1000)
    assert said.button is not None
    spot = ButtonSpot(said.button)
    return InputLine(said.line, spot, said.active, said.bias, part.button_hold_ms / 1000)


def board_specs(boards: tuple[BoardPart, ...], seats: int) -> tuple[BoardSpec, ...]:
    """The configured boards as the driver factory takes them."""
    return tuple(_board_spec(n, board, seats) for n, board in enumerate(boards, start=1))


def _board_spec(number: int, board: BoardPart, seats: int) -> BoardSpec:
    said = board.model_dump(exclude_none=True, exclude={"driver", "picture", "port"})
    return BoardSpec(
        name=f"board {number}",
        driver=board.driver,
        picture=board.picture or BOARDS[board.driver].pictures[0],
        seats=seats,
        port=board.port,
        **said,
    )


# ---- what no single value can say


def fitting_faults(raw: Mapping[str, Any], seats: int) -> Iterator[tuple[At, str]]:
    """Faults between values of inputs, outputs and boards, as far as they can be read. seats: the
    table's chairs."""
    yield from _line_faults(raw)
    yield from _input_faults(raw, seats)
    yield from _output_faults(raw)
    yield from _board_faults(raw)


def _entries(raw: Mapping[str, Any], name: str) -> list[tuple[int, dict[str, Any]]]:
    found = raw.get(name)
    if not isinstance(found, list):
        return []
    return [(i, e) for i, e in enumerate(found) if isinstance(e, dict)]


def _number(line: object) -> object:
    """A line by its number where its name says it."""
    if isinstance(line, str) and (named := re.fullmatch(r"(?i:GPIO|BCM)(\d+)", line)):
        return int(named[1])
    return line


def _line_faults(raw: Mapping[str, Any]) -> Iterator[tuple[At, str]]:
    part = raw.get("inputs")
    inputs, outputs = _entries(raw, "input"), _entries(raw, "output")
    if part is None and (inputs or outputs):
        name = "input" if inputs else "output"
        yield (name, 0), f"[inputs] is missing; [[{name}]] needs it"
    if isinstance(part, dict) and not inputs and not outputs:
        yield ("inputs",), "inputs: no [[input]] and no [[output]] says which lines there are"
    old = isinstance(part, dict) and part.get("library") == "RPi.GPIO"
    if old and isinstance(part, dict) and part.get("chip"):
        yield ("inputs", "chip"), 'inputs: RPi.GPIO takes no chip; allowed: ""'
    first: dict[object, str] = {}
    for name, entries in (("input", inputs), ("output", outputs)):
        for i, entry in entries:
            line = _number(entry.get("line"))
            who = f"{name} entry {i + 1}"
            if type(line) is not int and not isinstance(line, str):
                continue
            if line in first:
                yield (name, i, "line"), f"{who}: line {line} is taken by {first[line]}"
            first.setdefault(line, who)
            if old and isinstance(line, str):
                message = f'{who}: line = "{line}"; RPi.GPIO knows lines by number alone'
                yield (name, i, "line"), message


def _input_faults(raw: Mapping[str, Any], seats: int) -> Iterator[tuple[At, str]]:
    for i, entry in _entries(raw, "input"):
        who = f"input entry {i + 1}"
        roles = [role for role in ("key", "seat", "button") if role in entry]
        if len(roles) != 1:
            said = " and ".join(roles) or "neither key nor seat nor button"
            yield ("input", i), f"{who}: it has {said}; allowed: one of key, seat, button"
        for role in ("seat", "button"):
            seat = entry.get(role)
            if type(seat) is int and seats < seat <= 11:
                yield ("input", i, role), f"{who}: {role} = {seat}; allowed: 1 to {seats}"


def _output_faults(raw: Mapping[str, Any]) -> Iterator[tuple[At, str]]:
    readers = {n for _, e in _entries(raw, "reader") if type(n := e.get("number")) is int}
    for i, entry in _entries(raw, "output"):
        reader = entry.get("rf_enable")
        if type(reader) is int and reader not in readers and 1 <= reader <= 16:
            known = ", ".join(str(r) for r in sorted(readers)) or "none is given"
            who = f"output entry {i + 1}"
            yield ("output", i, "rf_enable"), f"{who}: rf_enable = {reader}; allowed: {known}"


def _board_faults(raw: Mapping[str, Any]) -> Iterator[tuple[At, str]]:
    first: dict[str, str] = {}
    for i, board in _entries(raw, "board"):
        who, driver, port = f"board entry {i + 1}", board.get("driver"), board.get("port")
        if not isinstance(driver, str):
            continue
        if driver not in BOARDS:
            allowed = ", ".join(BOARDS)
            yield ("board", i, "driver"), f'{who}: driver = "{driver}"; allowed: {allowed}'
            continue
        kind = BOARDS[driver]
        known = {"driver", "picture"} | kind.settings
        for key in board:
            if key not in known and key in BoardPart.model_fields:
                allowed = ", ".join(name for name in BoardPart.model_fields if name in known)
                yield ("board", i, key), f"{who}: {driver} takes no {key}; allowed: {allowed}"
        picture = board.get("picture")
        if picture in ("seats", "32x8", "64x32") and picture not in kind.pictures:
            message = f'{who}: picture = "{picture}"; {driver} shows {", ".join(kind.pictures)}'
            yield ("board", i, "picture"), message
        if driver in PORTLESS:
            if driver in first:
                yield ("board", i), f"{who}: {driver} has the header already, by {first[driver]}"
            first.setdefault(driver, who)
        elif isinstance(port, str | None):
            yield from _port_faults(i, who, port or "", first)


def _port_faults(i: int, who: str, port: str, first: dict[str, str]) -> Iterator[tuple[At, str]]:
    if not re.fullmatch(r"/dev/\S+", port):
        what = "port is missing" if not port else f'port = "{port[:60]}"'
        at = ("board", i, "port") if port else ("board", i)
        yield at, f"{who}: {what}; allowed: an SPI device such as /dev/spidev0.0"
    elif port in first:
        yield ("board", i, "port"), f"{who}: port {port} is taken by {first[port]}"
    first.setdefault(port, who)
