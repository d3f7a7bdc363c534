"""The firmware's own bytes on a simulated ATmega2560, in this process and in virtual time: nothing
waits, and every run is the same to the cycle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import cffi

from drivers.sim.board_process import Picture
from drivers.sim.firmware_build import AvrBuild, sources
from tablelink.framing import BadFrame, Decoder, Frame, encode
from tablelink.messages import Ack, Hello, Message
from tablelink.session import Event, HostSession

CYCLES_A_SECOND = 16_000_000
MEMORY_BYTES = 4096
A_CYCLE_S = 1 / CYCLES_A_SECOND
_CHUNK = 8192
_LAMPS = 11
_PIXELS = 32


class Edge(NamedTuple):
    """A change of the lamps' data pin. cycle: 62.5 ns each."""

    cycle: int
    level: int


class Sent(NamedTuple):
    """A byte that began to leave at that time."""

    at: float
    byte: int


class Latched(NamedTuple):
    """What was shifted into the LED board's chips until their select went high."""

    at: float
    data: bytes


def _library(build: AvrBuild) -> tuple[Any, Any]:
    ffi = cffi.FFI()
    header = (sources() / "simavr" / "avr_table.h").read_text()
    ffi.cdef(re.sub(r"(?m)^#.*$", "", header))
    return ffi, ffi.dlopen(str(build.library))


class SimulatedTable:
    """A table board and all that hangs on it. Keys, sensors, seats and lamps count from 1.

    memory: what its EEPROM holds, MEMORY_BYTES; erased without.
    """

    def __init__(self, build: AvrBuild, memory: bytes | None = None) -> None:
        self._ffi, self._lib = _library(build)
        cells = self._ffi.NULL if memory is None else memory
        self._table = self._lib.avr_table_new(str(build.elf).encode(), cells)
        assert self._table != self._ffi.NULL, f"no firmware: {build.elf}"
        self._shifted = bytearray()

    def close(self) -> None:
        """May be called twice."""
        if self._table != self._ffi.NULL:
            self._lib.avr_table_free(self._table)
        self._table = self._ffi.NULL

    # -- time --------------------------------------------------------------------------------------

    @property
    def cycle(self) -> int:
        return int(self._lib.avr_table_cycle(self._table))

    @property
    def now(self) -> float:
        """Seconds since the simulation began."""
        return self.cycle / CYCLES_A_SECOND

    @property
    def started(self) -> float:
        """When the controller was started last."""
        return int(self._lib.avr_table_started(self._table)) / CYCLES_A_SECOND

    @property
    def restarts(self) -> int:
        return int(self._lib.avr_table_restarts(self._table))

    def run(self, seconds: float) -> None:
        assert self._lib.avr_table_run(self._table, round(seconds * CYCLES_A_SECOND)), "crashed"

    def run_until(self, at: float) -> None:
        if at > self.now:
            self.run(at - self.now)

    # -- the line ----------------------------------------------------------------------------------

    def line_in(self, data: bytes) -> None:
        """Bytes for the controller, one after the other at the line's rate."""
        self._lib.avr_table_line_in(self._table, data, len(data))

    def line_rate(self, cycles_per_byte: int) -> None:
        self._lib.avr_table_line_rate(self._table, cycles_per_byte)

    @property
    def line_waiting(self) -> int:
        """Bytes that have not gone in yet."""
        return int(self._lib.avr_table_line_waiting(self._table))

    @property
    def last_in(self) -> float:
        """When the last byte had come in whole."""
        return int(self._lib.avr_table_line_last_in(self._table)) / CYCLES_A_SECOND

    @property
    def overruns(self) -> int:
        """Bytes that the firmware fetched too late: a real UART would have lost them."""
        return int(self._lib.avr_table_overruns(self._table))

    def line_out(self) -> list[Sent]:
        """What has come out since the last call."""
        out = self._ffi.new("struct avr_byte[]", _CHUNK)
        count = self._lib.avr_table_line_out(self._table, out, _CHUNK)
        return [Sent(out[n].cycle / CYCLES_A_SECOND, out[n].byte) for n in range(count)]

    # -- sensors -----------------------------------------------------------------------------------

    def key(self, key: int, down: bool) -> None:
        self._lib.avr_table_key(self._table, key, down)

    def button(self, sensor: int, there: bool) -> None:
        self._lib.avr_table_button(self._table, sensor, there)

    def seat(self, seat: int, closed: bool) -> None:
        self._lib.avr_table_seat_contact(self._table, seat, closed)

    def seat_counts(self, seat: int, counts: int) -> None:
        self._lib.avr_table_seat_counts(self._table, seat, counts)

    def contact(self, port: str, bit: int, closed: bool) -> None:
        """A contact between any pin and ground."""
        self._lib.avr_table_contact(self._table, port.encode(), bit, closed)

    # -- lamps and LED board -----------------------------------------------------------------------

    def lamp_edges(self) -> list[Edge]:
        edges = self._ffi.new("struct avr_edge[]", 8 * _CHUNK)
        count = self._lib.avr_table_lamp_edges(self._table, edges, 8 * _CHUNK)
        return [Edge(edges[n].cycle, edges[n].level) for n in range(count)]

    def lamps(self) -> tuple[tuple[int, int, int], ...]:
        rgb = self._ffi.new("uint8_t[]", 3 * _LAMPS)
        self._lib.avr_table_lamps(self._table, rgb)
        return tuple((rgb[n], rgb[n + 1], rgb[n + 2]) for n in range(0, 3 * _LAMPS, 3))

    def latched(self) -> list[Latched]:
        """What the LED board's chips were told since the last call."""
        data = self._ffi.new("struct avr_byte[]", _CHUNK)
        marks = self._ffi.new("bool[]", _CHUNK)
        count = self._lib.avr_table_spi(self._table, data, marks, _CHUNK)
        commands = []
        for n in range(count):
            if marks[n]:
                commands.append(Latched(data[n].cycle / CYCLES_A_SECOND, bytes(self._shifted)))
                self._shifted.clear()
            else:
                self._shifted.append(data[n].byte)
        return commands

    def picture(self) -> Picture | None:
        rows = self._ffi.new("uint8_t[]", _PIXELS)
        brightness = self._ffi.new("uint8_t *")
        if not self._lib.avr_table_pixels(self._table, rows, brightness):
            return None
        return Picture(bytes(rows), brightness[0])

    # -- the chip ----------------------------------------------------------------------------------

    @property
    def memory(self) -> bytes:
        cells = self._ffi.new("uint8_t[]", MEMORY_BYTES)
        self._lib.avr_table_memory(self._table, cells)
        return bytes(cells)

    @property
    def memory_writes(self) -> int:
        return int(self._lib.avr_table_writes(self._table))

    @property
    def written_address(self) -> int:
        """Where the last write of the memory went."""
        return int(self._lib.avr_table_written_address(self._table))

    def run_to_write(self, number: int, at_most_s: float) -> bool:
        """Runs until the memory's write of that number, counted from 1, has begun."""
        cycles = round(at_most_s * CYCLES_A_SECOND)
        return bool(self._lib.avr_table_run_to_write(self._table, number, cycles))

    def reset(self) -> None:
        self._lib.avr_table_reset(self._table)

    def hang(self) -> None:
        """The main loop turns on the spot until a restart; interrupts go on."""
        self._lib.avr_table_hang(self._table)

    def peek(self, address: int) -> int:
        return int(self._lib.avr_table_peek(self._table, address))

    def poke(self, address: int, byte: int) -> None:
        self._lib.avr_table_poke(self._table, address, byte)

    def watch_stack(self) -> None:
        self._lib.avr_table_watch_stack(self._table)

    @property
    def stack(self) -> int:
        """Bytes of stack that were in use at most since `watch_stack`."""
        return int(self._lib.avr_table_stack(self._table))


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame that came out of the board; at: when its last byte began to leave."""

    at: float
    frame: Frame


class Ear:
    """Makes frames of what comes out of the board; a bad one is an error, for nothing disturbs this
    line."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._decoder = Decoder()

    def listen(self) -> list[Heard]:
        heard = []
        for at, byte in self._table.line_out():
            for item in self._decoder.feed(bytes([byte])):
                assert not isinstance(item, BadFrame)
                assert isinstance(item, Frame)
                heard.append(Heard(at, item))
        return heard


M = TypeVar("M", bound=Message)


class Mouth:
    """A host that says what it is told to, acknowledges what it hears, and no more."""

    def __init__(self, table: SimulatedTable, session: int = 0x1234) -> None:
        self.table = table
        self.session = session
        self.heard: list[Heard] = []
        self._ear = Ear(table)
        self._said = self._taken = 0

    def say(self, message: Message) -> None:
        if message.NUMBERED:
            self._said = self._said % 255 + 1
        seq = self._said if message.NUMBERED else 0
        self.table.line_in(encode(Frame(message, self.session, seq, self._taken)))

    def hello(self) -> None:
        self._said = self._taken = 0
        self.say(Hello())

    def run(self, seconds: float, step_s: float = 0.001) -> list[Heard]:
        """Lets time pass; gives what was heard meanwhile, what came twice but once."""
        before = len(self.heard)
        until = self.table.now + seconds
        while self.table.now < until - A_CYCLE_S:
            self.table.run(min(step_s, until - self.table.now))
            for heard in self._ear.listen():
                self._take(heard)
        return self.heard[before:]

    def _take(self, heard: Heard) -> None:
        seq = heard.frame.seq
        if heard.frame.session == self.session and seq:
            is_next = seq == self._taken % 255 + 1
            self._taken = seq if is_next else self._taken
            self.say(Ack())
            if not is_next:
                return
        self.heard.append(heard)

    def messages(self, kind: type[M]) -> list[M]:
        """All messages of a kind that were heard."""
        return [h.frame.message for h in self.heard if isinstance(h.frame.message, kind)]


class Conversation:
    """The board and the controller's side of the link, joined by a good line."""

    def __init__(self, table: SimulatedTable, draw: Callable[[], int] | None = None) -> None:
        self.table = table
        numbers = iter(range(100, 65536))
        self.host = HostSession(draw or (lambda: next(numbers)))
        self.events: list[tuple[float, Event]] = []
        self.host.opened(table.now)

    def run(self, seconds: float, step_s: float = 0.00025) -> list[Event]:
        """Lets time pass; gives what the host was told meanwhile."""
        before = len(self.events)
        until = self.table.now + seconds
        while self.table.now < until - A_CYCLE_S:
            self.table.run(min(step_s, until - self.table.now))
            now = self.table.now
            came = bytes(sent.byte for sent in self.table.line_out())
            self._told(self.host.feed(came, now), now)
            if now >= self.host.deadline:
                self._told(self.host.tick(now), now)
            if out := self.host.outgoing(now):
                self.table.line_in(out)
        return [event for _, event in self.events[before:]]

    def pause(self, seconds: float) -> None:
        """The cable is out for so long: what either side says is lost."""
        until = self.table.now + seconds
        while self.table.now < until - A_CYCLE_S:
            self.table.run(min(0.01, until - self.table.now))
            self.table.line_out()
            if self.table.now >= self.host.deadline:
                self._told(self.host.tick(self.table.now), self.table.now)
            self.host.outgoing(self.table.now)

    def _told(self, events: Sequence[Event], now: float) -> None:
        self.events += [(now, event) for event in events]
