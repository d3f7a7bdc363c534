"""What a GPIO library must offer, and what a table asks of each line. Levels here are the wire's
own: high is high, whatever it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from drivers.errors import DriverError

Level = Literal["low", "high"]
Bias = Literal["up", "down", "off", "as-is"]
"""Resistor inside the Pi: to 3.3 V, to ground, none, or whatever the firmware left."""


@dataclass(frozen=True, slots=True)
class Key:
    """A dealer's key, by its word of `drivers.readings.KeyPress`."""

    name: str

    def __str__(self) -> str:
        return f"key {self.name}"


@dataclass(frozen=True, slots=True)
class Chair:
    """A switch that is active while somebody sits at the seat."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat}"


@dataclass(frozen=True, slots=True)
class ButtonSpot:
    """A switch that is active while the dealer button lies at the seat."""

    seat: int

    def __str__(self) -> str:
        return f"button {self.seat}"


Role = Key | Chair | ButtonSpot


@dataclass(frozen=True, slots=True)
class InputLine:
    """One input. line: number on its chip, or name. active: the level that means pressed, taken,
    there. hold_s: how long a level must hold before it counts."""

    line: int | str
    role: Role
    active: Level = "low"
    bias: Bias = "up"
    hold_s: float = 0.025

    def __str__(self) -> str:
        return f"line {self.line} ({self.role})"


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One output. rf_enable: name of the reader whose transmitter it permits, active in that
    reader's turn alone (`drivers.rf.RfPermits`); "": it permits all, active while the device is
    open."""

    line: int | str
    rf_enable: str = ""
    active: Level = "high"

    def __str__(self) -> str:
        return f"line {self.line} (RF of {self.rf_enable or 'all readers'})"


SETTLE_S = 0.005
"""From a field's start to the first command: a tag must be ready by then. Source: ISO/IEC 14443-3,
6.2.1."""

LIBRARIES = ("periphery", "RPi.GPIO")
"""Names that a configuration may give: the kernel's GPIO character device by python-periphery, and
the module RPi.GPIO, which is that of old Pis or rpi-lgpio."""


@dataclass(frozen=True, slots=True)
class InputsSpec:
    """The table's inputs on the Pi as configured. library: one of `LIBRARIES`. chip: path of the
    GPIO chip; "": the one behind the header. rf_settle_s: from an output's switching to its
    reader's look."""

    inputs: tuple[InputLine, ...]
    outputs: tuple[OutputLine, ...] = ()
    library: str = "periphery"
    chip: str = ""
    name: str = "inputs"
    rf_settle_s: float = SETTLE_S


class Edge(NamedTuple):
    """An input changed. place: which of the inputs as they were opened, from 0. at: monotonic
    seconds."""

    place: int
    high: bool
    at: float


Told = Callable[[Edge | DriverError], None]
"""Takes edges, and the error that ends them; always called in the event loop."""


class Lines(Protocol):
    """Open lines of a table. Every method raises LinkLostError when the chip is gone."""

    def levels(self) -> tuple[bool, ...]:
        """Whether each input is high now."""
        ...

    def switch(self, place: int, high: bool) -> None:
        """Drive an output; place: which of the outputs as they were opened, from 0."""
        ...

    def close(self) -> None:
        """Give the lines back. Does nothing if they are closed; never raises."""
        ...


class Library(Protocol):
    """One way to the lines."""

    def open(self, inputs: Sequence[InputLine], outputs: Sequence[OutputLine], told: Told) -> Lines:
        """Take the lines and watch the inputs; outputs begin inactive. Call it inside the event
        loop.

        Raises:
            MisconfiguredError: this library, chip or line can never do it.
            PortUnavailableError: it cannot be done now: chip absent, line held by somebody.
        """
        ...
