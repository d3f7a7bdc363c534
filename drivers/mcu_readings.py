"""What the table board says, as readings and as words for people. Pure; times are in the events."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading
from tablelink.messages import Fault
from tablelink.session import (
    Buttons,
    Event,
    Everything,
    Faults,
    Found,
    Key,
    Lost,
    PressesLost,
    Seats,
)

Said = ButtonReading | SeatReading | KeyPress | Health

KEY_NAMES = (
    "shuffled",
    "new-hand",
    "end-hand",
    "misdeal",
    "count",
    "confirm",
    "deck-change",
    "turned",
)
"""What the board's keys 1 to 8 mean unless the configuration says otherwise."""

UNWATCHED = "Until it is back, seats, dealer button and keys are not watched."
LOST = f"it does not answer. Check its USB cable; it is tried again by itself. {UNWATCHED}"
PRESS_SHOWN_S = 10.0
"""So long a lost press stays in the health line."""

_FAULTS = (
    (Fault.MEMORY_LOST, "its memory was damaged and it uses the factory's thresholds"),
    (Fault.COPY_A_DAMAGED, "a copy of its memory was damaged and has been mended"),
    (Fault.COPY_B_DAMAGED, "a copy of its memory was damaged and has been mended"),
    (Fault.BYTES_LOST, "bytes are lost on its USB line: use a shorter or better cable"),
    (Fault.WATCHDOG, "it had hung and restarted itself"),
)


def fault_words(faults: int, cut: Sequence[int]) -> str:
    """What is wrong with the board, and what to do; "" if nothing is. cut: seats whose sensor reads
    as cut."""
    words = list(dict.fromkeys(text for bit, text in _FAULTS if faults & bit))
    if faults & Fault.SENSOR_CUT:
        seats = " and ".join(str(seat) for seat in cut)
        where = f"seat {seats}" if seats else "a seat"
        words.append(f"the sensor at {where} reads as cut: check its plug")
    return "; ".join(words)


class BoardReadings:
    """The board's states as they are known, and what each event makes of them.

    name: of the device, for people. keys: names of the keys in the board's order; "" is one that is
    not used. seats: those that have a sensor by the configuration; None: those that the board
    knows. No state is known before the first `Everything`, nor after a `Lost`.
    """

    def __init__(
        self, name: str, keys: Sequence[str] = KEY_NAMES, seats: Sequence[int] | None = None
    ) -> None:
        self.name = name
        self.known = False  # all states have been told since the board was found
        self._keys = tuple(keys)
        self._watched = None if seats is None else frozenset(seats)
        self._sensors = 0
        self._firmware = ""
        self._seats: dict[int, bool | None] = {}
        self._buttons: tuple[int, ...] | None = None
        self._faults = 0
        self._missed: tuple[str, float] | None = None
        self._latest_at = float("-inf")

    def take(self, event: Event, now: float) -> list[Said]:
        """The readings of one event, in order. None is dated later than `now`, however little is
        known of the board's clock yet."""
        match event:
            case Found(identity):
                self._sensors = identity.button_sensors
                major, minor, patch = identity.major, identity.minor, identity.patch
                self._firmware = f"{major}.{minor}.{patch}"
                return []
            case Lost():
                return self.unknown(now)
            case Everything(snapshot, moment):
                at = self.dated(min(moment.at, now))
                self.known = True
                self._faults = snapshot.faults
                said: list[Said] = [*self._seats_are(snapshot.occupied, snapshot.known, at)]
                return [*said, *self._button_is(snapshot.buttons, at)]
            case Seats(occupied, known, moment):
                return self._seats_are(occupied, known, self.dated(min(moment.at, now)))
            case Buttons(sensed, moment):
                return self._button_is(sensed, self.dated(min(moment.at, now)))
            case Key(key, pressed, moment):
                name = self._key_name(key)
                return [KeyPress(name, self.dated(min(moment.at, now)))] if pressed and name else []
            case Faults(faults, _):
                self._faults = faults
                return []
            case PressesLost(key, _):
                if name := self._key_name(key):
                    self._missed = (name, now)
                return []
            case _:
                return []

    def unknown(self, now: float) -> list[Said]:
        """Nothing is known any more."""
        at = self.dated(now)
        known = [seat for seat, is_ in sorted(self._seats.items()) if is_ is not None]
        said: list[Said] = [SeatReading(seat, None, at) for seat in known]
        if self._buttons is not None:
            said.append(ButtonReading(None, at))
        self.known = False
        self._seats.clear()
        self._buttons = None
        self._faults = 0
        return said

    def health(self, now: float) -> tuple[HealthState, str]:
        """How a board is that answers."""
        cut = [seat for seat, is_ in sorted(self._seats.items()) if is_ is None]
        words = fault_words(self._faults, cut)
        if self._missed is not None:
            key, since = self._missed
            if now < since + PRESS_SHOWN_S:
                words = "; ".join(
                    filter(None, (f"a press of {key} was lost: press it again", words))
                )
            else:
                self._missed = None
        if words:
            return HealthState.DEGRADED, words
        return HealthState.OK, f"it answers, firmware {self._firmware}"

    def dated(self, at: float) -> float:
        """Times of what is said never run backwards."""
        self._latest_at = max(self._latest_at, at)
        return self._latest_at

    def _key_name(self, key: int) -> str:
        return self._keys[key - 1] if key <= len(self._keys) else ""

    def _seats_are(self, occupied: int, known: int, at: float) -> list[Said]:
        said: list[Said] = []
        for seat in range(1, 17):
            bit = 1 << (seat - 1)
            if self._watched is not None and seat not in self._watched:
                continue
            is_ = bool(occupied & bit) if known & bit else None
            if is_ is None and seat not in self._seats and self._watched is None:
                continue  # no sensor there, and none expected
            if seat not in self._seats or self._seats[seat] is not is_:
                if is_ is not None or self._seats.get(seat) is not None:
                    said.append(SeatReading(seat, is_, at))
                self._seats[seat] = is_
        return said

    def _button_is(self, sensed: int, at: float) -> list[Said]:
        if not self._sensors:
            return []
        seats = tuple(n for n in range(1, self._sensors + 1) if sensed >> (n - 1) & 1)
        if seats == self._buttons:
            return []
        self._buttons = seats
        return [ButtonReading(seats, at)]
