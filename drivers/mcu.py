"""The board under the table: sole owner of its serial port, as `Inputs`, `SeatLamps` and
`LedBoard`.

What is said to the board is decided in `tablelink.session`, what its words mean in `mcu_readings`;
this is the rim that finds the port, moves the bytes and tries again.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

from drivers.contracts import Clock, SeatLamp, Sleep
from drivers.errors import DriverError, FirmwareUnknownError, MisconfiguredError
from drivers.mcu_readings import KEY_NAMES, LOST, UNWATCHED, BoardReadings, Said
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading
from drivers.rfid.wires import Wire
from tablelink.messages import (
    SEATS,
    Analog,
    AnalogPlease,
    Identity,
    Lamp,
    Lamps,
    Pattern,
    Pixels,
    Settings,
    Threshold,
)
from tablelink.session import (
    BAUD,
    Answer,
    Event,
    Everything,
    Found,
    HostSession,
    Lost,
    Phase,
    VersionRefused,
)

BACKOFF_S = (0.25, 0.5, 1.0, 2.0, 5.0)
"""Pauses before the port is tried again; the last one repeats."""
GIVE_UP_S = 12.0
"""A port on which no board answers for so long is closed, and the next one is tried."""
LOOK_S = 0.05
"""The port is waited on no longer than this, so that a wish's deadline is not overslept."""
BAD_LINE_FRAMES = 20
BAD_LINE_S = 10.0
"""So many damaged frames within that time are a bad line."""

COLUMNS, ROWS = 32, 8
LIT = 128
"""A lamp of one colour is lit where the brightest of red, green and blue is at least this."""
DARK = Lamp(0, 0, 0)


class Dial(Protocol):
    """Where the board may be: gives one port after another. more: there are some that have not had
    their turn yet."""

    @property
    def more(self) -> bool: ...

    async def open(self) -> tuple[Wire, str]:
        """The next port, open, and its name for people. Raises DriverError."""
        ...


class Capture(Protocol):
    """Takes a copy of every byte on the line; see `tablelink.dump`."""

    def sent(self, data: bytes, at: float) -> None: ...

    def heard(self, data: bytes, at: float) -> None: ...


class OnePort:
    """The one port that the configuration names."""

    more = False

    def __init__(self, connect: Callable[[], Awaitable[Wire]], where: str) -> None:
        self._connect = connect
        self._where = where

    async def open(self) -> tuple[Wire, str]:
        return await self._connect(), self._where


class FoundPort:
    """Ports on which a board may be, each in its turn.

    look: gives their paths as they are now. open_port: opens one of them. Raises DriverError.
    """

    def __init__(
        self, look: Callable[[], Sequence[str]], open_port: Callable[[str], Awaitable[Wire]]
    ) -> None:
        self._look = look
        self._open_port = open_port
        self._tried: list[str] = []
        self.more = False

    async def open(self) -> tuple[Wire, str]:
        paths = await asyncio.to_thread(self._look)
        if not paths:
            raise MisconfiguredError(
                "no board is plugged in",
                "table board",
                "Plug its USB cable in. A board with another USB converter than an Arduino Mega's "
                "is found by its serial number, or by its port: give one of them in table.toml.",
            )
        left = [path for path in paths if path not in self._tried]
        if not left:
            self._tried, left = [], list(paths)
        self._tried.append(left[0])
        self.more = len(left) > 1
        return await self._open_port(left[0]), left[0]


class TableBoard:
    """The board's inputs, as `Inputs`; its lamps and its LED board are `lamps` and `pixels`.

    dial: the way to its port. serial: the board's own number; None: any board is ours. keys: what
    its keys mean, "" for one that is not used. seats: those that have a sensor; None: those that
    the board knows. settings, thresholds: told the board at every start. baud: of the line; None
    for one that takes no time. capture: gets a copy of all bytes. draw: random numbers, 1 to 65535.
    """

    name = "table board"

    def __init__(
        self,
        dial: Dial,
        *,
        serial: str | None = None,
        keys: Sequence[str] = KEY_NAMES,
        seats: Sequence[int] | None = None,
        settings: Settings | None = None,
        thresholds: Sequence[Threshold] = (),
        baud: int | None = BAUD,
        capture: Capture | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        backoff_s: Sequence[float] = BACKOFF_S,
        draw: Callable[[], int] = lambda: 1 + secrets.randbelow(65535),
    ) -> None:
        self.session = HostSession(draw, baud)
        self.lamps = BoardLamps(self)
        self.pixels = BoardPixels(self)
        self._dial = dial
        self._serial = serial
        self._readings = BoardReadings(self.name, keys, seats)
        self._capture = capture
        self._clock = clock
        self._sleep = sleep
        self._backoff_s = tuple(backoff_s)
        self._wire: Wire | None = None
        self._where = self.name
        self._health: Health | None = None
        self._news: deque[Said] = deque()
        self._changed = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._write_error: DriverError | None = None
        self._damaged: deque[tuple[float, int]] = deque()
        self._levels_ms = 0
        self._levels: Callable[[tuple[int, ...]], None] | None = None
        if settings is not None:
            self.session.settle(settings, 0.0)
        for threshold in thresholds:
            self.session.threshold(threshold, 0.0)

    @property
    def health(self) -> tuple[Health, ...]:
        return () if self._health is None else (self._health,)

    @property
    def identity(self) -> Identity | None:
        """Who the board is that answers, or that answered last."""
        return self.session.identity

    async def __aenter__(self) -> Self:
        self._health = None  # opened once more, it tells everything anew
        self._readings.unknown(self._clock())
        self._news.clear()
        self._keeper = asyncio.create_task(self._keep(), name=f"keep {self.name}")
        self._keeper.add_done_callback(lambda _: self._changed.set())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        self._close()

    async def readings(
        self,
    ) -> AsyncIterator[ButtonReading | SeatReading | KeyPress | Health]:
        """See `Inputs.readings`."""
        while True:
            while self._news:
                yield self._news.popleft()
            if self._keeper is not None and self._keeper.done():
                self._keeper.result()
            await self._changed.wait()
            self._changed.clear()

    # -- wishes ------------------------------------------------------------------------------------

    def wish(self, wish: Lamps | Pixels | Settings | Threshold) -> None:
        """Have the board do so from now on, and in every later session. While it is lost, the
        newest wish waits for it."""
        now = self._clock()
        if isinstance(wish, Lamps):
            self.session.show_lamps(wish, now)
        elif isinstance(wish, Pixels):
            self.session.show_pixels(wish, now)
        elif isinstance(wish, Settings):
            self.session.settle(wish, now)
        else:
            self.session.threshold(wish, now)
        try:
            self._flush()
        except DriverError as error:
            self._write_error = error

    def listen_to_levels(
        self, period_ms: int, heard: Callable[[tuple[int, ...]], None] | None
    ) -> None:
        """Have `heard` told what the analogue seat sensors give, ADC counts by seat from 1, every
        so many milliseconds (20 or more), in this and every later session; None ends it."""
        self._levels_ms, self._levels = (0, None) if heard is None else (period_ms, heard)
        self._ask_levels()

    def _ask_levels(self) -> None:
        try:
            if self.session.tell(AnalogPlease(self._levels_ms), self._clock()):
                self._flush()
        except DriverError as error:
            self._write_error = error

    # -- the keeper --------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Opens the port, talks until it is lost, opens it again, for ever."""
        tries = 0
        while True:
            try:
                self._wire, self._where = await self._dial.open()
                self.session.opened(self._clock())
                self._write_error = None
                await self._talk()
            except DriverError as error:
                hopeless = isinstance(error, FirmwareUnknownError | WrongBoardError)
                if self.session.phase is Phase.UP and not hopeless:
                    tries = 0
                self._closed()
                self._report(HealthState.LOST, f"{error} {UNWATCHED}")
                last = len(self._backoff_s) - 1
                if self._dial.more:
                    tries = 0
                pause_s = self._backoff_s[
                    last if hopeless and not self._dial.more else min(tries, last)
                ]
                tries += 1
                await self._sleep(pause_s)

    async def _talk(self) -> None:
        """Move bytes until the port is gone or holds no board of ours. Raises DriverError."""
        assert self._wire is not None
        session, clock = self.session, self._clock
        heard_at = clock()
        while True:
            self._flush()
            now = clock()
            if session.phase is Phase.UP:
                heard_at = now
                if self._readings.known:
                    self._report(*self._how_it_is(now))
            elif now >= heard_at + GIVE_UP_S:
                raise self._silent()
            data = await self._wire.read(min(session.deadline - now, LOOK_S))
            now = clock()
            events: tuple[Event, ...] = ()
            if data:
                if self._capture is not None:
                    self._capture.heard(data, now)
                events = session.feed(data, now)
            # What came is read first: a machine that paused must not take that for silence.
            for event in (*events, *session.tick(now)):
                if isinstance(event, VersionRefused):
                    raise self._other_version(event)
                if isinstance(event, Found):
                    self._check(event.identity)
                if isinstance(event, Answer) and isinstance(event.message, Analog):
                    if self._levels is not None:
                        self._levels(event.message.counts)
                elif isinstance(event, Everything) and self._levels is not None:
                    self._ask_levels()
                said = self._readings.take(event, now)
                if isinstance(event, Everything) and self._readings.known:
                    # That it answers comes before what it says.
                    self._report(*self._how_it_is(now), at=said[0].at if said else None)
                self._say(said)
                if isinstance(event, Lost):
                    self._report(HealthState.LOST, f"{self._where}: {LOST}")

    def _flush(self) -> None:
        """Write what the session has to say. Raises LinkLostError."""
        if self._write_error is not None:
            raise self._write_error
        now = self._clock()
        data = self.session.outgoing(now)
        if data and self._wire is not None:
            if self._capture is not None:
                self._capture.sent(data, now)
            self._wire.write(data)

    def _closed(self) -> None:
        self._close()
        now = self._clock()
        self.session.closed()
        self._damaged.clear()
        self._say(self._readings.unknown(now))

    def _close(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def _say(self, said: Sequence[Said]) -> None:
        if said:
            self._news.extend(said)
            self._changed.set()

    def _report(self, state: HealthState, reason: str, at: float | None = None) -> None:
        before = self._health
        if before is not None and (before.state, before.reason) == (state, reason):
            return
        at = self._readings.dated(self._clock()) if at is None else at
        self._health = Health(self.name, state, reason, at)
        # A lost board is told once, however often and however differently it fails to come back.
        if before is None or before.state is not state or state is HealthState.DEGRADED:
            self._say([self._health])

    def _how_it_is(self, now: float) -> tuple[HealthState, str]:
        state, reason = self._readings.health(now)
        damaged = self.session.counts.damaged
        self._damaged.append((now, damaged))
        while now - self._damaged[0][0] > BAD_LINE_S:
            self._damaged.popleft()
        if damaged - self._damaged[0][1] < BAD_LINE_FRAMES:
            return state, reason
        bad = "its line is bad, much is sent twice: use a shorter or better USB cable"
        return HealthState.DEGRADED, bad if state is HealthState.OK else f"{reason}; {bad}"

    # -- who it is ---------------------------------------------------------------------------------

    def _check(self, identity: Identity) -> None:
        if self._serial is None or identity.serial == self._serial:
            return
        found = identity.serial or "a board without a serial number"
        raise WrongBoardError(
            f"this is {found}, not {self._serial}",
            self._where,
            f"Plug {self._serial} in here, or give this board's serial number in table.toml if it "
            "replaces the other.",
        )

    def _other_version(self, refused: VersionRefused) -> FirmwareUnknownError:
        i = refused.identity
        said = f"firmware {i.major}.{i.minor}.{i.patch}, protocol {i.lowest} to {i.highest}"
        if refused.board_too_old:
            what, remedy = "its firmware is too old", f"Update it: make flash PORT={self._where}."
        else:
            what = "its firmware is newer than this program"
            remedy = (
                "Update burnturn, or put the firmware of this version on the board: "
                f"make flash PORT={self._where}."
            )
        return FirmwareUnknownError(f"{what} ({said})", self._where, remedy)

    def _silent(self) -> DriverError:
        return BoardSilentError(
            "the port is open, but no table board answers",
            self._where,
            "Check that the port in table.toml is the board's, and that it has its firmware: "
            f"make flash PORT={self._where}.",
        )


class WrongBoardError(DriverError):
    """A table board answers, but not this table's."""


class BoardSilentError(DriverError):
    """The port is open, and no table board is there."""


class _PartOfBoard:
    """What hangs on the board needs no opening of its own; its health is the board's."""

    def __init__(self, board: TableBoard) -> None:
        self._board = board

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    @property
    def health(self) -> tuple[Health, ...]:
        return ()


class BoardLamps(_PartOfBoard):
    """The lamps at the seats: `SeatLamps`, which blink by themselves, and a steady `LedBoard` one
    lamp high."""

    width = SEATS
    height = 1

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        """Raises ValueError for a seat that has no lamp."""
        wrong = [seat for seat in lamps if not 1 <= seat <= SEATS]
        if wrong:
            raise ValueError(f"there is no lamp at seat {wrong[0]}; seats are 1 to {SEATS}")
        row = [DARK] * SEATS
        for seat, (red, green, blue, pattern) in lamps.items():
            if red or green or blue:
                row[seat - 1] = Lamp(red, green, blue, Pattern[pattern.name])
        self._show(row)

    async def show(self, pixels: bytes) -> None:
        """Raises ValueError unless it is three bytes a lamp."""
        _need(pixels, self.width, self.height)
        self._show([Lamp(*pixels[n : n + 3]) for n in range(0, len(pixels), 3)])

    def _show(self, row: Sequence[Lamp]) -> None:
        identity = self._board.identity
        count = SEATS if identity is None else identity.lamps
        if count:
            self._board.wish(Lamps(1, tuple(row[:count])))


class BoardPixels(_PartOfBoard):
    """The one-colour LED board: a lamp is lit if its pixel is bright.

    brightness: 0 to 15.
    """

    width = COLUMNS
    height = ROWS
    brightness = 8

    async def show(self, pixels: bytes) -> None:
        """Raises ValueError unless it is three bytes a lamp."""
        _need(pixels, self.width, self.height)
        self._board.wish(Pixels(self.brightness, packed(pixels)))


def packed(pixels: bytes) -> bytes:
    """A bit a lamp of red, green, blue a lamp; the first in the highest bit. Context, which is
    drawn faintly, is dark."""
    lit = "".join("1" if max(pixels[n : n + 3]) >= LIT else "0" for n in range(0, len(pixels), 3))
    return int(lit, 2).to_bytes(len(lit) // 8, "big")


def _need(pixels: bytes, width: int, height: int) -> None:
    if len(pixels) != width * height * 3:
        raise ValueError(f"{len(pixels)} bytes of picture; {width}×{height} lamps take 3 each")
