"""A tape: the raw readings of a night, for whoever must find out what went wrong in it.

The tape names no card. Every UID is replaced by a random one of the same make-up, anew for each
hand: within a hand the same tag is the same name, so a replay senses the same; between hands
nothing connects them, except for a card that simply goes on lying where it is. A merged UID
(bitwise OR of two tags) becomes the OR of their names, and a misread prefix stays a misread prefix,
so ghosts stay ghosts. Every face that a camera read is replaced by another one, anew for each hand.

A file is lines of JSON: a header, then one array a reading.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from controller.files import remedy
from controller.model.cards import FACES
from drivers.readings import (
    AreaSight,
    ButtonReading,
    Face,
    Health,
    HealthState,
    KeyPress,
    Outcome,
    Poll,
    Reading,
    SeatReading,
    SeenCard,
    Side,
    Sight,
    Uid,
)

FORMAT = "burnturn tape 1"
LIES_ON_S = 3.0  # a card unread for longer than this is not taken for one that went on lying
FLUSH_S = 2.0  # what a kill may cost the tape
_MERGE_LIMIT = 12  # tags of one look among which a merged UID is searched for
_PREFIXES = ((8, b"\xe0\x04"), (7, b"\x04"))  # length and first bytes of true UIDs


class TapeError(Exception):
    """A tape cannot be written or read; the text says what, where, what next."""


class Names:
    """Names for the UIDs of a hand. source: random bytes (seeded in tests)."""

    def __init__(self, source: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._source = source
        self._names: dict[Uid, Uid] = {}
        self._seen: dict[Uid, tuple[int, float]] = {}
        self._old: dict[Uid, tuple[int, float]] = {}
        self._faces: dict[str, Face] = {}

    def face(self, face: Face | None) -> Face | None:
        """The face that stands for this one in this hand; a joker stays a joker."""
        if face is None or face.code not in FACES:
            return face
        if not self._faces:
            order = [*FACES]
            for last in range(len(order) - 1, 0, -1):
                at = int.from_bytes(self._source(4)) % (last + 1)
                order[last], order[at] = order[at], order[last]
            self._faces = {code: Face(name) for code, name in zip(FACES, order, strict=True)}
        return self._faces[face.code]

    def renew(self) -> None:
        """A hand is over. Cards that go on lying keep their name until they are taken up."""
        self._old = {uid: self._seen[uid] for uid in self._names if uid in self._seen}
        self._names = {uid: self._names[uid] for uid in self._old}
        self._seen.clear()
        self._faces = {}

    def of(self, uids: tuple[Uid, ...], antenna: int, at: float) -> tuple[Uid, ...]:
        return tuple(self._name(uid, uids, antenna, at) for uid in uids)

    def _name(self, uid: Uid, beside: tuple[Uid, ...], antenna: int, at: float) -> Uid:
        if uid in self._old:
            where, last = self._old[uid]
            if where == antenna and at - last <= LIES_ON_S:
                self._old[uid] = (antenna, at)
                return self._names[uid]
            del self._old[uid], self._names[uid]
        self._seen[uid] = (antenna, at)
        name = self._names.get(uid)
        if name is None:
            name = self._merged(uid, beside) or self._fresh(uid)
            self._names[uid] = name
        return name

    def _merged(self, uid: Uid, beside: tuple[Uid, ...]) -> Uid | None:
        """The OR of two names, if the UID is the OR of their tags."""
        number = int.from_bytes(uid)
        near = [u for u in (*self._names, *beside) if u != uid and len(u) == len(uid)]
        inside = [u for u in dict.fromkeys(near) if int.from_bytes(u) | number == number]
        for one, other in combinations(inside[:_MERGE_LIMIT], 2):
            if int.from_bytes(one) | int.from_bytes(other) == number:
                names = [self._names.setdefault(u, self._fresh(u)) for u in (one, other)]
                both = int.from_bytes(names[0]) | int.from_bytes(names[1])
                return Uid(both.to_bytes(len(uid)))
        return None

    def _fresh(self, uid: Uid) -> Uid:
        for length, prefix in _PREFIXES:
            if len(uid) == length and uid.startswith(prefix):
                return Uid(prefix + self._source(length - len(prefix)))
        if not uid:
            return uid
        # no true prefix: one that no true tag has, so that it is misread on the replay too
        return Uid(b"\x01" + self._source(len(uid) - 1))


class TapeWriter:
    """Writes readings to a new file.

    Raises:
        TapeError: the file is there already, or cannot be written.
    """

    def __init__(self, path: Path, table: str, names: Names | None = None) -> None:
        self._path = path
        self._names = names or Names()
        self._file: IO[str] | None = None
        self._table = table
        self._flushed_at = float("-inf")
        self._areas: dict[tuple[int, str], AreaSight] = {}

    def __enter__(self) -> Self:
        try:
            self._file = open(  # for its owner alone from the first moment on
                self._path, "x", encoding="ascii", buffering=1 << 16, opener=_for_its_owner
            )
        except FileExistsError:
            raise TapeError(f"{self._path} exists already; name a new file to record to") from None
        except OSError as error:
            raise TapeError(
                f"{self._path}: cannot be written ({error.strerror}). {remedy(error)}"
            ) from error
        self._line({"tape": FORMAT, "table": self._table})
        self.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
        except OSError as full:
            if error is None:
                raise self._stopped(full) from full

    def write(self, reading: Reading) -> None:
        """Note one reading.

        Raises:
            TapeError: it cannot be written; the tape ends here.
        """
        if isinstance(reading, Poll):
            uids = self._names.of(reading.uids, reading.antenna, reading.ended)
            named = [uid.hex() for uid in uids]
            row = ["p", reading.antenna, named, reading.outcome, reading.started, reading.ended]
            self._line(row if reading.complete else [*row, 0])
        elif isinstance(reading, Health):
            where = list(reading.antennas)
            self._line(["h", reading.device, reading.state, reading.reason, reading.at, where])
        elif isinstance(reading, ButtonReading):
            seats = None if reading.seats is None else list(reading.seats)
            self._line(["b", seats, reading.at])
        elif isinstance(reading, SeatReading):
            self._line(["s", reading.seat, reading.occupied, reading.at])
        elif isinstance(reading, Sight):
            areas = [self._area(reading.camera, area) for area in reading.areas]
            self._line(["c", reading.camera, reading.started, reading.ended, areas])
        else:
            self._line(["k", reading.key, reading.at])
        if abs(time_of(reading) - self._flushed_at) >= FLUSH_S:
            self._flushed_at = time_of(reading)
            self.flush()

    def _area(self, camera: int, area: AreaSight) -> str | list[object]:
        """What is written of an area: its name alone if it showed what it showed before."""
        if self._areas.get((camera, area.area)) == area:
            return area.area
        self._areas[camera, area.area] = area
        cards = []
        for c in area.cards:
            face = self._names.face(c.face)
            where = [round(v, 1) for v in (c.x_mm, c.y_mm, c.angle_deg)]
            row = [*where, c.side, round(c.confidence, 3)]
            cards.append(row if face is None else [*row, face.code])
        return [area.area, _telling(area), cards]

    def hand_over(self) -> None:
        """A hand is over: new names from here on."""
        self._names.renew()
        self._areas.clear()

    def flush(self) -> None:
        """Raises TapeError."""
        if self._file is not None:
            try:
                self._file.flush()
            except OSError as error:
                raise self._ended(error) from error

    def _line(self, value: object) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(value, separators=(",", ":")) + "\n")
        except OSError as error:
            raise self._ended(error) from error

    def _ended(self, error: OSError) -> TapeError:
        """Let go of the file; what could not be written is lost."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()
        return self._stopped(error)

    def _stopped(self, error: OSError) -> TapeError:
        return TapeError(
            f"tape {self._path}: recording stopped ({error.strerror}); what came before can be "
            "played. Free space there, and record to a new file from the next start on"
        )


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def play(path: Path) -> Iterator[Reading]:
    """The readings of a tape, in order. A torn last line (the power went) is left out.

    Raises:
        TapeError: it is no tape, or line so-and-so cannot be read.
    """
    try:
        with path.open(encoding="ascii", errors="strict") as file:
            number = 0
            areas: dict[tuple[int, str], AreaSight] = {}
            for number, line in enumerate(file, start=1):
                if number == 1:
                    _header(path, line)
                elif line.endswith("\n"):
                    yield _reading(path, number, line, areas)
            if number == 0:
                raise TapeError(f"{path}: is empty; record one with `burnturn run --record FILE`")
    except UnicodeDecodeError:
        raise TapeError(f"{path}: is no tape; record one with --record") from None
    except OSError as error:
        raise TapeError(f"{path}: cannot be read ({error.strerror})") from error


def _header(path: Path, line: str) -> None:
    try:
        said = json.loads(line)["tape"]
    except (ValueError, KeyError, TypeError, RecursionError):
        said = None
    if said != FORMAT:
        raise TapeError(f"{path}: is no tape of this version ({FORMAT}); record one with --record")


def _reading(
    path: Path, number: int, line: str, areas: dict[tuple[int, str], AreaSight]
) -> Reading:
    try:
        kind, *rest = json.loads(line)
        match kind:
            case "p":
                antenna, uids, outcome, started, ended, *whole = rest
                named = tuple(Uid.fromhex(u) for u in uids)
                times = (float(started), float(ended))
                return Poll(int(antenna), named, Outcome(outcome), *times, not whole)
            case "h":
                device, state, reason, at, antennas = rest
                return Health(device, HealthState(state), reason, float(at), tuple(antennas))
            case "b":
                seats = None if rest[0] is None else tuple(rest[0])
                return ButtonReading(seats, float(rest[1]))
            case "s":
                occupied = None if rest[1] is None else bool(rest[1])
                return SeatReading(int(rest[0]), occupied, float(rest[2]))
            case "k":
                return KeyPress(str(rest[0]), float(rest[1]))
            case "c":
                camera, started, ended, said = rest
                for row in said:
                    if not isinstance(row, str):
                        areas[int(camera), str(row[0])] = _area_sight(*row)
                names = [row if isinstance(row, str) else str(row[0]) for row in said]
                seen = tuple(areas[int(camera), name] for name in names)
                return Sight(int(camera), float(started), float(ended), seen)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError):
        pass
    raise TapeError(f"{path}, line {number}: is no reading; the tape was changed or is damaged")


def _telling(area: AreaSight) -> int:
    """0: something hides it. 1: it proves what it shows. 2: something in it was not made out."""
    return 0 if not area.clear else 1 if area.whole else 2


def _area_sight(area: str, clear: int, cards: list[list[object]]) -> AreaSight:
    return AreaSight(area, tuple(_seen_card(*card) for card in cards), bool(clear), clear != 2)


def _seen_card(
    x_mm: object,
    y_mm: object,
    angle_deg: object,
    side: object,
    confidence: object,
    code: object = None,
) -> SeenCard:
    x, y, angle, sure = (float(str(v)) for v in (x_mm, y_mm, angle_deg, confidence))
    return SeenCard(x, y, angle, Side(str(side)), None if code is None else Face(str(code)), sure)


def moved(reading: Reading, by_s: float) -> Reading:
    """The same reading, `by_s` seconds later."""
    if isinstance(reading, Poll):
        return reading._replace(started=reading.started + by_s, ended=reading.ended + by_s)
    if isinstance(reading, Sight):
        return reading._replace(started=reading.started + by_s, ended=reading.ended + by_s)
    if isinstance(reading, Health):
        return Health(
            reading.device, reading.state, reading.reason, reading.at + by_s, reading.antennas
        )
    if isinstance(reading, ButtonReading):
        return ButtonReading(reading.seats, reading.at + by_s)
    if isinstance(reading, SeatReading):
        return SeatReading(reading.seat, reading.occupied, reading.at + by_s)
    return KeyPress(reading.key, reading.at + by_s)


def time_of(reading: Reading) -> float:
    """When it was known."""
    return reading.ended if isinstance(reading, Poll | Sight) else reading.at
