"""The board under the table in a table.toml: what may be said, and what no single value can say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt

from controller.config_parts import Line, Part, Seat
from controller.fittings_config import At, Share
from drivers.mcu_readings import KEY_NAMES
from tablelink.messages import Sensor, Settings, Threshold

BoardKey = Literal[
    "",
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

_SENSORS: Mapping[str, Sensor] = {
    "none": Sensor.NONE,
    "closed": Sensor.CLOSED_IS_OCCUPIED,
    "open": Sensor.OPEN_IS_OCCUPIED,
    "high": Sensor.HIGH_IS_OCCUPIED,
    "low": Sensor.LOW_IS_OCCUPIED,
}


class TableBoardPart(Part):
    """The microcontroller board. driver: mega, or simulated beside a simulated table. port: a
    serial device or tcp://host:port; "": looked for on USB. serial: its own number; "": any. keys:
    what its keys mean, in its order; "" is one that is not used. seats: those that have a sensor;
    left out: those that the board knows. lamps, pixels: whether lamps at the seats and the 32×8
    board hang on it."""

    driver: Literal["mega", "simulated"] = "mega"
    port: Line = ""
    serial: Annotated[str, Field(pattern=r"^[!-~]{0,16}$")] = ""
    keys: Annotated[tuple[BoardKey, ...], Field(max_length=8)] = KEY_NAMES  # type: ignore[assignment]
    seats: tuple[Seat, ...] | None = None
    lamps: StrictBool = True
    pixels: StrictBool = True
    lamp_brightness: Share = 0.5
    brightness: Annotated[StrictInt, Field(ge=0, le=15)] = 8
    key_hold_ms: Annotated[StrictInt, Field(ge=1, le=255)] = 5
    button_hold_ms: Annotated[StrictInt, Field(ge=1, le=10000)] = 200
    seat_hold_ms: Annotated[StrictInt, Field(ge=1, le=10000)] = 300

    @property
    def settings(self) -> Settings:
        """As the board is told them."""
        brightness = round(self.lamp_brightness * 255)
        return Settings(self.key_hold_ms, self.button_hold_ms, self.seat_hold_ms, brightness)


class SeatSensorPart(Part):
    """What a seat's sensor on the table board is: occupied while its contact is closed or open, or
    while its analogue reading is high (from `enter` on, until `leave`) or low. leave, enter: 0 to
    1023."""

    seat: Seat
    sensor: Literal["none", "closed", "open", "high", "low"]
    leave: Annotated[StrictInt, Field(ge=0, le=1023)] = 0
    enter: Annotated[StrictInt, Field(ge=0, le=1023)] = 0

    @property
    def threshold(self) -> Threshold:
        """As the board is told it."""
        return Threshold(self.seat, _SENSORS[self.sensor], self.leave, self.enter)


# ---- what no single value can say


def table_board_faults(raw: Mapping[str, Any], seats: int) -> Iterator[tuple[At, str]]:
    """Faults between values about the table board, as far as they can be read. seats: the table's
    chairs."""
    board, sensors = raw.get("table_board"), raw.get("seat_sensor")
    sensors = sensors if isinstance(sensors, list) else []
    if board is None and sensors:
        yield ("seat_sensor", 0), "[table_board] is missing; [[seat_sensor]] needs it"
    if isinstance(board, dict):
        yield from _board_faults(raw, board, seats)
    first: dict[int, int] = {}
    for i, sensor in enumerate(sensors):
        if isinstance(sensor, dict):
            yield from _sensor_faults(i, sensor, seats, first)


def _board_faults(
    raw: Mapping[str, Any], board: Mapping[str, Any], seats: int
) -> Iterator[tuple[At, str]]:
    if board.get("driver") == "simulated":
        parts = [p for name in ("reader", "camera") if isinstance(p := raw.get(name), list)]
        drivers = [d.get("driver") for part in parts for d in part if isinstance(d, dict)]
        if "simulated" not in drivers:
            yield (
                ("table_board", "driver"),
                'table_board: driver = "simulated", and nothing else is simulated: nobody would sit'
                ' at it; allowed: "mega"',
            )
        yield from (
            (("table_board", key), f"table_board: a simulated board takes no {key}")
            for key in ("port", "serial")
            if board.get(key)
        )
    keys = board.get("keys")
    if isinstance(keys, list):
        for n, key in enumerate(keys):
            if key and key in keys[:n]:
                yield ("table_board", "keys"), f'table_board: two keys are "{key}"'
    watched = board.get("seats")
    for seat in watched if isinstance(watched, list) else []:
        if type(seat) is int and seats < seat <= 11:
            yield ("table_board", "seats"), f"table_board: seats {seat}; allowed: 1 to {seats}"


def _sensor_faults(
    i: int, sensor: Mapping[str, Any], seats: int, first: dict[int, int]
) -> Iterator[tuple[At, str]]:
    who, seat, kind = f"seat_sensor entry {i + 1}", sensor.get("seat"), sensor.get("sensor")
    if type(seat) is int:
        if seats < seat <= 11:
            yield ("seat_sensor", i, "seat"), f"{who}: seat = {seat}; allowed: 1 to {seats}"
        if seat in first:
            yield ("seat_sensor", i, "seat"), f"{who}: seat {seat} is said in entry {first[seat]}"
        first.setdefault(seat, i + 1)
    leave, enter = sensor.get("leave", 0), sensor.get("enter", 0)
    if kind in ("high", "low") and type(leave) is int and type(enter) is int:
        right = leave < enter if kind == "high" else leave > enter
        if not right:
            than = "below" if kind == "high" else "above"
            yield (
                ("seat_sensor", i),
                f"{who}: leave = {leave}, enter = {enter}; with {kind}, leave is {than} enter",
            )
