"""The host's side of the link without ports or clock: hello, numbers, heartbeat, loss, times.

Bytes go in with `feed`, time with `tick`; both give events. What is to be written is taken with
`outgoing` after either, and after every wish (`show_lamps`, `tell`, …). `deadline` says when `tick`
is due next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from math import inf

from tablelink.clock import BoardClock, Moment
from tablelink.delivery import HOST_WINDOW, Delivery, Line
from tablelink.framing import BadFrame, Decoder, Frame, Malformed, Received, encode
from tablelink.messages import (
    HIGHEST,
    KEYS,
    LOWEST,
    Again,
    Analog,
    AnalogPlease,
    Booted,
    ButtonsChanged,
    FaultsChanged,
    Hello,
    Identity,
    Keep,
    KeptSaid,
    KeyMoved,
    Lamps,
    Message,
    Ping,
    Pixels,
    Pong,
    Refused,
    SeatsChanged,
    Settings,
    Snapshot,
    SnapshotPlease,
    Threshold,
)

BAUD = 115_200
HELLO_S = 0.100
CALL_S = 2.0
"""So long the host says hello, before it is silent for SILENT_S."""
SILENT_S = 3.0
LISTEN_S = 2.0
"""So long at most the host is silent after opening a port or losing a board."""
PING_S = 0.200
PING_AGAIN_S = 0.050
LOST_S = 1.0
UNACKNOWLEDGED_S = 1.0
UNTOLD_S = 1.0
"""A session in which the board has not told all states so long after its beginning is begun anew:
by chance it may have the number of the one before, and the board goes on counting there."""
TOKENS_KEPT = 16


class Phase(Enum):
    """CLOSED: no port. LISTENING: silent. CALLING: saying hello. TIMING: identified, its clock not
    known yet. UP: all is well. REFUSED: it speaks another version; only a new port helps."""

    CLOSED = "closed"
    LISTENING = "listening"
    CALLING = "calling"
    TIMING = "timing"
    UP = "up"
    REFUSED = "refused"


class Loss(Enum):
    """Why a board counts as lost."""

    SILENT = "silent"
    UNACKNOWLEDGED = "unacknowledged"
    UNTOLD = "untold"
    NO_SESSION = "no session"


@dataclass(frozen=True, slots=True)
class Found:
    """A session has begun. restarted: the board was restarted since the last one with this host."""

    identity: Identity
    restarted: bool


@dataclass(frozen=True, slots=True)
class VersionRefused:
    """The board speaks no version that we do. `board_too_old`: else it is too new."""

    identity: Identity

    @property
    def board_too_old(self) -> bool:
        return self.identity.highest < LOWEST


@dataclass(frozen=True, slots=True)
class Lost:
    """Nothing is known of seats, buttons and keys until the next `Everything`."""

    loss: Loss


@dataclass(frozen=True, slots=True)
class Everything:
    """All states anew. lost: changes that the board had to drop before it."""

    snapshot: Snapshot
    moment: Moment


@dataclass(frozen=True, slots=True)
class Seats:
    occupied: int
    known: int
    moment: Moment


@dataclass(frozen=True, slots=True)
class Buttons:
    sensed: int
    moment: Moment


@dataclass(frozen=True, slots=True)
class Key:
    key: int
    pressed: bool
    moment: Moment


@dataclass(frozen=True, slots=True)
class Faults:
    faults: int
    moment: Moment


@dataclass(frozen=True, slots=True)
class PressesLost:
    """A key was pressed so many times, and nobody knows when."""

    key: int
    presses: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the board said to a wish: ANALOG, KEPT or REFUSED."""

    message: Analog | KeptSaid | Refused


Event = (
    Found
    | VersionRefused
    | Lost
    | Everything
    | Seats
    | Buttons
    | Key
    | Faults
    | PressesLost
    | Answer
)


@dataclass(slots=True)
class LinkCounts:
    """What went wrong since the port was opened, in frames."""

    damaged: int = 0
    malformed: int = 0
    foreign: int = 0
    sent_again: int = 0


@dataclass(slots=True)
class _Wishes:
    """What the host wants of the board: told anew in each session, pictures only as they are
    last."""

    settings: Settings | None = None
    thresholds: dict[int, Threshold] = field(default_factory=dict)
    lamps: Lamps | None = None
    pixels: Pixels | None = None


class HostSession:
    """One port's conversation with a board, over as many sessions as it takes.

    draw: gives random numbers from 1 to 65535. baud: of the line; None for one that takes no time.
    """

    def __init__(self, draw: Callable[[], int], baud: int | None = BAUD) -> None:
        self.phase = Phase.CLOSED
        self.identity: Identity | None = None
        self.clock = BoardClock()
        self.counts = LinkCounts()
        self._draw = draw
        self._baud = baud
        self._decoder = Decoder()
        self._wishes = _Wishes()
        self._begin_number(0)
        self._hello_at = -inf
        self._phase_ends = inf
        self._since: int | None = None
        self._presses: list[int] | None = None

    def _begin_number(self, session: int) -> None:
        self._session = session
        self._line = Line(self._baud)
        self._delivery = Delivery(session, HOST_WINDOW, self._line)
        self._out: list[bytes] = []
        self._commands: deque[Message] = deque()
        self._lamps: Lamps | None = None
        self._pixels: Pixels | None = None
        self._tokens: dict[int, float] = {}
        self._token = session << 16
        self._ping_at = inf
        self._heard_at = -inf
        self._told_by = inf

    # -- the port ----------------------------------------------------------------------------------

    def opened(self, now: float) -> None:
        """The port was opened. Listens first: the board may be starting."""
        self._decoder = Decoder()
        self.counts = LinkCounts()
        self._begin_number(0)
        self._listen(now, LISTEN_S)

    def closed(self) -> tuple[Event, ...]:
        """The port is gone."""
        was_up = self.phase is Phase.UP
        self.phase = Phase.CLOSED
        self._begin_number(0)
        return (Lost(Loss.SILENT),) if was_up else ()

    def outgoing(self, now: float) -> bytes:
        """The bytes to write now."""
        if self.phase in (Phase.TIMING, Phase.UP):
            self._out.append(self._delivery.take_out(now))
        out, self._out = b"".join(self._out), []
        return out

    @property
    def deadline(self) -> float:
        """When `tick` has something to do, if nothing comes before; `inf`: never."""
        if self.phase in (Phase.LISTENING, Phase.CALLING):
            hello = self._hello_at + HELLO_S if self.phase is Phase.CALLING else inf
            return min(self._phase_ends, hello)
        if self.phase not in (Phase.TIMING, Phase.UP):
            return inf
        delivery = self._delivery
        sends = delivery.line_at if self._pending and not delivery.full else inf
        return min(
            self._ping_at,
            self._heard_at + LOST_S,
            self._told_by,
            delivery.oldest_since + UNACKNOWLEDGED_S,
            delivery.due,
            sends,
        )

    def tick(self, now: float) -> tuple[Event, ...]:
        """Time has passed. Give it the bytes that have come before: they may say that all is
        well."""
        if self.phase is Phase.LISTENING and now >= self._phase_ends:
            self._call(now)
        elif self.phase is Phase.CALLING:
            if now >= self._phase_ends:
                self._listen(now, SILENT_S)
            elif now >= self._hello_at + HELLO_S:
                self._hello(now)
        elif self.phase in (Phase.TIMING, Phase.UP):
            if now >= self._heard_at + LOST_S:
                return self._lose(Loss.SILENT, now)
            if now >= self._delivery.oldest_since + UNACKNOWLEDGED_S:
                return self._lose(Loss.UNACKNOWLEDGED, now)
            if now >= self._told_by:
                return self._lose(Loss.UNTOLD, now)
            if now >= self._ping_at:
                self._ping(now)
            self._pump(now)
        return ()

    def feed(self, data: bytes, now: float) -> tuple[Event, ...]:
        """Bytes that came at `now`, in any portions. Never raises."""
        events: list[Event] = []
        for item in self._decoder.feed(data):
            self._take(item, now, events)
        if self.phase in (Phase.TIMING, Phase.UP):
            self._pump(now)
        self.counts.damaged = self._decoder.counts.damaged
        self.counts.malformed = self._decoder.counts.malformed
        return tuple(events)

    # -- wishes ------------------------------------------------------------------------------------

    def show_lamps(self, lamps: Lamps, now: float) -> None:
        """Light the lamps; only the newest wish counts, and it is kept for the next session.
        `lamps` are all of them."""
        if lamps != self._wishes.lamps:
            self._wishes.lamps = self._lamps = lamps
            self._pump_if_up(now)

    def show_pixels(self, pixels: Pixels, now: float) -> None:
        """Show a picture on the LED board; as `show_lamps`."""
        if pixels != self._wishes.pixels:
            self._wishes.pixels = self._pixels = pixels
            self._pump_if_up(now)

    def settle(self, settings: Settings, now: float) -> None:
        """Set hold times and brightness, in this and every later session."""
        self._wishes.settings = settings
        self._order(settings, now)

    def threshold(self, threshold: Threshold, now: float) -> None:
        """Set a seat's sensor, in this and every later session."""
        self._wishes.thresholds[threshold.seat] = threshold
        self._order(threshold, now)

    def tell(self, message: SnapshotPlease | Keep | AnalogPlease, now: float) -> bool:
        """Say something once. False if there is no session now: it is not said."""
        if self.phase is not Phase.UP:
            return False
        self._order(message, now)
        return True

    def _order(self, message: Message, now: float) -> None:
        if self.phase is Phase.UP:
            self._commands.append(message)
            self._pump(now)

    def _pump_if_up(self, now: float) -> None:
        if self.phase is Phase.UP:
            self._pump(now)

    @property
    def _pending(self) -> bool:
        return bool(self._commands or self._lamps or self._pixels)

    def _pump(self, now: float) -> None:
        """Send what may be sent: what is sent again first, then words, then pictures."""
        self._delivery.tick(now)
        while self._pending and self._delivery.room(now):
            if self._commands:
                self._delivery.send(self._commands.popleft(), now)
            elif self._lamps is not None:
                lamps, self._lamps = self._lamps, None
                self._delivery.send(lamps, now)
            elif self._pixels is not None:
                pixels, self._pixels = self._pixels, None
                self._delivery.send(pixels, now)
        self.counts.sent_again = self._delivery.counts.sent_again

    # -- phases ------------------------------------------------------------------------------------

    def _listen(self, now: float, for_s: float) -> None:
        self.phase = Phase.LISTENING
        self._phase_ends = now + for_s

    def _call(self, now: float) -> None:
        session = self._draw()
        while session == self._session:
            session = self._draw()
        self._begin_number(session)
        self.phase = Phase.CALLING
        self._phase_ends = now + CALL_S
        self._hello(now)

    def _hello(self, now: float) -> None:
        self._hello_at = now
        self._out.append(encode(Frame(Hello(), self._session, 0, 0)))

    def _lose(self, loss: Loss, now: float) -> tuple[Event, ...]:
        was_up = self.phase is Phase.UP
        if loss is Loss.SILENT:
            self._listen(now, LISTEN_S)
        else:
            self._call(now)
        return (Lost(loss),) if was_up else ()

    def _ping(self, now: float) -> None:
        self._token = (self._token + 1) % 2**32
        self._tokens[self._token] = now
        if len(self._tokens) > TOKENS_KEPT:
            del self._tokens[next(iter(self._tokens))]
        self._ping_at = now + PING_AGAIN_S
        self._delivery.send(Ping(self._token), now)

    # -- what comes --------------------------------------------------------------------------------

    def _take(self, item: Received, now: float, events: list[Event]) -> None:
        if type(item) is BadFrame:
            if self.phase in (Phase.TIMING, Phase.UP):
                self._delivery.complain(now)
            return
        assert not isinstance(item, BadFrame)
        if self.phase is Phase.LISTENING:
            self._call(now)
        elif type(item) is Frame and type(item.message) is Booted:
            self._booted(now, events)
        elif item.session != self._session or self.phase in (Phase.CLOSED, Phase.REFUSED):
            self.counts.foreign += 1
        elif self.phase is Phase.CALLING:
            if type(item) is Frame and type(item.message) is Identity:
                self._identified(item.message, now, events)
        else:
            self._in_session(item, now, events)

    def _booted(self, now: float, events: list[Event]) -> None:
        if self.phase in (Phase.TIMING, Phase.UP):
            events += self._lose(Loss.NO_SESSION, now)
        elif self.phase is Phase.CALLING and now >= self._hello_at + HELLO_S:
            self._hello(now)

    def _identified(self, identity: Identity, now: float, events: list[Event]) -> None:
        self.identity = identity
        if identity.lowest > HIGHEST or identity.highest < LOWEST:
            self.phase = Phase.REFUSED
            events.append(VersionRefused(identity))
            return
        if identity.since != self._since:
            self.clock.forget()
        self.phase = Phase.TIMING
        self._heard_at = now
        self._ping(now)

    def _in_session(self, item: Frame | Malformed, now: float, events: list[Event]) -> None:
        self._heard_at = now
        self._delivery.acknowledged(item.ack)
        message = item.message if type(item) is Frame else None
        if type(message) is Pong:
            self._pong(message, now, events)
        elif type(message) is Again:
            self._delivery.asked_again(now)
        elif type(message) is Analog:
            events.append(Answer(message))
        if item.seq == 0 or self.phase is Phase.TIMING:
            return
        if self._delivery.arrived(item.seq, now):
            if type(item) is Frame:
                self._changed(item.message, now, events)
            else:
                self._ask_everything()

    def _pong(self, pong: Pong, now: float, events: list[Event]) -> None:
        asked_at = self._tokens.pop(pong.token, None)
        if asked_at is None:
            return
        self.clock.exchanged(asked_at, pong.time, now)
        self._ping_at = max(now, asked_at + PING_S)
        if self.phase is Phase.TIMING:
            self._up(now, events)

    def _up(self, now: float, events: list[Event]) -> None:
        assert self.identity is not None
        self.phase = Phase.UP
        self._told_by = now + UNTOLD_S
        restarted = self._since is not None and self.identity.since != self._since
        self._since = self.identity.since
        if restarted:
            self._presses = [0] * KEYS
        events.append(Found(self.identity, restarted))
        wishes = self._wishes
        if wishes.settings is not None:
            self._commands.append(wishes.settings)
        self._commands += wishes.thresholds.values()
        self._lamps, self._pixels = wishes.lamps, wishes.pixels

    def _changed(self, message: Message, now: float, events: list[Event]) -> None:
        if isinstance(message, KeptSaid | Refused):
            events.append(Answer(message))
            return
        if not isinstance(
            message, SeatsChanged | ButtonsChanged | KeyMoved | FaultsChanged | Snapshot
        ):
            self._ask_everything()
            return
        moment = self.clock.moment(message.time, now)
        if isinstance(message, SeatsChanged):
            events.append(Seats(message.occupied, message.known, moment))
        elif isinstance(message, ButtonsChanged):
            events.append(Buttons(message.sensed, moment))
        elif isinstance(message, FaultsChanged):
            events.append(Faults(message.faults, moment))
        elif isinstance(message, KeyMoved):
            self._count_press(message, events)
            events.append(Key(message.key, message.pressed == 1, moment))
        else:
            self._count_presses(message, events)
            self._told_by = inf
            events.append(Everything(message, moment))

    def _ask_everything(self) -> None:
        """What was taken could not be read; it may have been a change."""
        if SnapshotPlease() not in self._commands:
            self._commands.append(SnapshotPlease())

    def _count_press(self, moved: KeyMoved, events: list[Event]) -> None:
        if self._presses is None:
            return
        expected = self._presses[moved.key - 1] + moved.pressed
        self._presses[moved.key - 1] = moved.presses
        missed = (moved.presses - expected) % 256
        if missed:
            events.append(PressesLost(moved.key, missed))

    def _count_presses(self, snapshot: Snapshot, events: list[Event]) -> None:
        before = self._presses
        self._presses = list(snapshot.presses)
        if before is None:
            return
        for key, (was, is_) in enumerate(zip(before, snapshot.presses, strict=True), start=1):
            if was != is_:
                events.append(PressesLost(key, (is_ - was) % 256))
