"""The table's hardware while it is calibrated: its own, or the simulated table's."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Literal, Self

from calibration.ears import Listening
from calibration.lamps import WHITE, Row, RowOfBoard
from calibration.looking import OneByOne
from controller.calibrating.belonging import lamps_of
from controller.config import Config, puck_specs, reader_specs
from controller.simulated_field import field_antennas
from drivers.contracts import Clock, Inputs, LedBoard, TagReader
from drivers.errors import DeviceSilentError
from drivers.factory import (
    BoardPort,
    BoardTwin,
    Chairs,
    Flaws,
    MarkedTable,
    Noise,
    button_pucks,
    emulated_readers,
    inputs,
    led_board,
    table_board,
    tag_reader,
)
from drivers.mcu import TableBoard
from drivers.readings import HealthState
from tablelink.messages import Flag

_LIT = 255
_BOARD_S = 8.0  # a Mega starts anew when its port is opened
_CREAK_S = 0.1  # how often a simulated chair's sensor gives another level


class Hardware:
    """Everything that a calibration needs, open inside `async with`.

    kinds: what is to be calibrated; only what these need is opened. clock: monotonic seconds.
    flaws: what is wrong with a simulated table.
    """

    def __init__(
        self, config: Config, kinds: Collection[str], clock: Clock, flaws: Flaws | None = None
    ) -> None:
        self.simulated: SimulatedTable | None = None
        self._config = config
        self._kinds = frozenset(kinds)
        self._clock = clock
        self._open = AsyncExitStack()
        self._board: TableBoard | None = None
        self._reader: TagReader | None = None
        self._boards: tuple[LedBoard, ...] = ()
        self.row: Row | None = None
        self.eyes: OneByOne | None = None
        self.ears = Listening(())
        if config.simulated:
            self.simulated = SimulatedTable(config, clock, flaws)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            if self.simulated is not None:
                await opening.enter_async_context(self.simulated)
            await self._open_board(opening)
            await self._open_row(opening)
            await self._open_reader(opening)
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    # -- what is there -----------------------------------------------------------------------------

    @property
    def lamps(self) -> int:
        """How many lamps hang in the row of the seats."""
        seats = self._config.file.table.seats
        identity = None if self._board is None else self._board.identity
        if lamps_of(self._config) == "table board" and identity is not None:
            return min(identity.lamps, seats)
        return seats

    @property
    def seat_sensors(self) -> tuple[int, ...]:
        """Seats that have a sensor, of whatever kind."""
        file = self._config.file
        found = {i.seat for i in file.input if i.seat is not None}
        if file.table_board is not None:
            none = {s.seat for s in file.seat_sensor if s.sensor == "none"}
            identity = None if self._board is None else self._board.identity
            most = file.table.seats if identity is None else min(identity.seats, file.table.seats)
            said = file.table_board.seats
            found |= set(range(1, most + 1) if said is None else said) - none
        return tuple(sorted(found))

    @property
    def button_sensors(self) -> tuple[int, ...]:
        """Seats at which the button is sensed, of whatever kind."""
        file = self._config.file
        found = {i.button for i in file.input if i.button is not None}
        found |= {p.seat for p in file.puck}
        identity = None if self._board is None else self._board.identity
        if file.table_board is not None:
            most = file.table.seats if identity is None else identity.button_sensors
            found |= set(range(1, min(most, file.table.seats) + 1))
        return tuple(sorted(found))

    @property
    def analogue(self) -> tuple[int, ...]:
        """Seats whose sensor gives a level."""
        identity = None if self._board is None else self._board.identity
        if self._config.file.table_board is None or identity is None:
            return ()
        said = {s.seat: s.sensor for s in self._config.file.seat_sensor}
        usual = bool(identity.flags & Flag.ANALOG_SEATS)
        return tuple(
            s
            for s in range(1, identity.seats + 1)
            if (said[s] in ("high", "low") if s in said else usual)
        )

    @property
    def contacts(self) -> Mapping[int, Literal["closed", "open"]]:
        """The table board's digital seat sensors, as it takes them."""
        if self._config.file.table_board is None:
            return {}
        said = {s.seat: s.sensor for s in self._config.file.seat_sensor}
        own = {i.seat for i in self._config.file.input}
        return {
            s: "open" if said.get(s) == "open" else "closed"
            for s in self.seat_sensors
            if s not in own and s not in self.analogue
        }

    @property
    def devices(self) -> Mapping[str, str]:
        """What the devices say of themselves, for the record."""
        found = {} if self._reader is None else {h.device: h.reason for h in self._reader.health}
        found |= {h.device: h.reason for h in self.ears.health.values()}
        identity = None if self._board is None else self._board.identity
        if identity is not None:
            firmware = f"firmware {identity.major}.{identity.minor}.{identity.patch}"
            serial = f", serial number {identity.serial}" if identity.serial else ""
            found["table board"] = firmware + serial
        return found

    @property
    def board_serial(self) -> str:
        """The table board's own number; "" if it has none, or is not there."""
        identity = None if self._board is None else self._board.identity
        return "" if identity is None else identity.serial

    async def white(self, on: bool) -> None:
        """All lamps of the table white, or dark again."""
        if self.row is not None:
            lamps = dict.fromkeys(range(1, self.lamps + 1), WHITE) if on else {}
            await self.row.light(lamps)
        for board in self._boards:
            size = board.width * board.height * 3
            await board.show(bytes([_LIT if on else 0]) * size)
        if self.simulated is not None:
            self.simulated.table.white = on
        await asyncio.sleep(0.1 if on else 0.0)

    @property
    def has_lamps(self) -> bool:
        return self.row is not None or bool(self._boards)

    async def wait_for_board(self, seconds: float) -> bool:
        """Wait for the table board to answer; False if it does not, and always without one."""
        until = self._clock() + seconds
        while self._board is not None and self._clock() < until:
            state = self.ears.health.get(self._board.name)
            if state is not None and state.state is not HealthState.LOST:
                return True
            await self.ears.settle(0.05)
        return False

    # -- inside ------------------------------------------------------------------------------------

    async def _open_board(self, opening: AsyncExitStack) -> None:
        config, clock = self._config, self._clock
        devices: list[Inputs] = []
        if config.inputs is not None and self._kinds & {"seats", "button"}:
            devices.append(inputs(config.inputs, clock=clock))
        if pucks := puck_specs(config):
            seats, tags = config.file.table.seats, config.file.button.tags
            devices.append(button_pucks(pucks, seats=seats, tags=tags, clock=clock))
        part = config.file.table_board
        if part is not None:
            port = part.port if self.simulated is None else self.simulated.port
            self._board = table_board(
                port,
                part.serial or None,
                avoid=[r.port for r in config.file.reader] + [p.port for p in config.file.puck],
                keys=part.keys,
                seats=part.seats,
                settings=part.settings,
                thresholds=[s.threshold for s in config.file.seat_sensor],
                brightness=part.brightness,
                clock=clock,
            )
            devices.append(self._board)
        self.ears = Listening(devices, self._board, lambda: self.analogue)
        await opening.enter_async_context(self.ears)
        needed = self._board is not None and self._kinds & {"seats", "button", "lamps"}
        if needed and not await self.wait_for_board(_BOARD_S):
            why = " ".join(self.ears.trouble) or "Check its USB cable: burnturn doctor."
            raise DeviceSilentError("it does not answer", "table board", why)

    async def _open_row(self, opening: AsyncExitStack) -> None:
        if not self._kinds & {"lamps", "antennas"}:
            return
        if self._board is not None and lamps_of(self._config) == "table board":
            self.row = self._board.lamps
        boards: list[LedBoard] = []
        for spec in self._config.boards:
            board = led_board(spec, clock=self._clock)
            await opening.enter_async_context(board)
            if spec.picture == "seats" and self.row is None:
                self.row = RowOfBoard(board)
            else:
                boards.append(board)
        if self._board is not None and (part := self._config.file.table_board) and part.pixels:
            boards.append(self._board.pixels)
        self._boards = tuple(boards)

    async def _open_reader(self, opening: AsyncExitStack) -> None:
        if "antennas" not in self._kinds:
            return
        # A reader that reports by itself does not say what it failed to read.
        specs = [replace(spec, mode="polled") for spec in reader_specs(self._config)]
        emulated = None
        if self.simulated is not None:
            table, look_s = self.simulated.table, self.simulated.look_s
            emulated = emulated_readers(specs, table, look_s, clock=self._clock)
        self._reader = tag_reader(specs, emulated=emulated, clock=self._clock)
        await opening.enter_async_context(self._reader)
        self.eyes = OneByOne(self._reader)


class SimulatedTable:
    """The simulated table under calibration: fields, board, chairs, button and lamps.

    flaws: what is wrong with it.
    """

    def __init__(self, config: Config, clock: Clock, flaws: Flaws | None = None) -> None:
        part = config.file.simulation
        assert part is not None, "the configuration sees to it"
        noise = Noise(
            miss=part.miss,
            cross=part.cross,
            corrupt=part.corrupt,
            sweep_s=part.sweep_ms / 1000,
            seed=part.seed,
        )
        antennas = field_antennas(config.layout)
        self.look_s = part.sweep_ms / 1000 / len(antennas)
        self.table = MarkedTable(antennas, noise, flaws, origin_s=clock())
        self.twin = BoardTwin(now=clock())
        self.chairs = Chairs(self.twin, flaws, seed=part.seed)
        self.deck = "red"
        self._clock = clock
        self._port = BoardPort(self.twin, clock)
        self._breathing: asyncio.Task[None] | None = None

    @property
    def port(self) -> str:
        return self._port.port

    async def __aenter__(self) -> Self:
        self.chairs.sit(None, self._clock())
        self.chairs.lay_button(None, self._clock())
        await self._port.__aenter__()
        self._breathing = asyncio.create_task(self._breathe(), name="chairs of the simulated table")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._breathing is not None:
            self._breathing.cancel()
            await asyncio.gather(self._breathing, return_exceptions=True)
        await self._port.__aexit__(kind, error, trace)

    async def _breathe(self) -> None:
        while True:
            self.chairs.breathe(self._clock())
            await asyncio.sleep(_CREAK_S)
