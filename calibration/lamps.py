"""Lamps at the seats: which is which, and how bright the room wants them.

One lamp after the other is lit, and the person says at which seat: no plug has to be moved, for the
table goes by what was said. Then all are lit, darker and brighter, until they are pleasant in the
light of the room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol, Self

from calibration.report import Page, Table
from calibration.steps import Act, Belongs, Fitted, Person, Remark, Weight
from calibration.wires import listed, rings, swapped
from drivers.contracts import LedBoard, SeatLamp, SeatLamps
from drivers.readings import Health

WHITE = SeatLamp(255, 255, 255)
GREEN = SeatLamp(0, 255, 0)
STEPS = (0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 0.8, 1.0)
"""Brightness, as parts of what the table.toml has."""
NONE, SEVERAL = "n", "m"


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a lamp was seen: a seat; 0: nowhere, -1: at several seats at once."""

    lamp: int
    seat: int


@dataclass(frozen=True, slots=True)
class LampSamples:
    lamps: int = 0
    seen: tuple[Seen, ...] = ()
    brightness: float | None = None


@dataclass(frozen=True, slots=True)
class LampsProfile:
    """lamp_of: (seat, number of its lamp); a seat without one has none. brightness: 0 to 1, of what
    the table.toml has."""

    lamp_of: tuple[tuple[int, int], ...]
    brightness: float = 1.0

    def lit(self, lamps: Mapping[int, SeatLamp]) -> dict[int, SeatLamp]:
        """Lamps by seat as lamps by their numbers, as bright as was chosen. A colour that was lit
        stays lit, however dark the room."""
        at = dict(self.lamp_of)
        return {at[s]: self._dimmed(lamp) for s, lamp in lamps.items() if s in at}

    def _dimmed(self, lamp: SeatLamp) -> SeatLamp:
        red, green, blue = (
            max(1, round(c * self.brightness)) if c else 0
            for c in (lamp.red, lamp.green, lamp.blue)
        )
        return SeatLamp(red, green, blue, lamp.pattern)


class Row(Protocol):
    """Lamps by their numbers."""

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None: ...


class RowOfBoard:
    """An `LedBoard` one lamp high as a `Row`; its lamps do not blink."""

    def __init__(self, board: LedBoard) -> None:
        self._board = board

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        width = self._board.width
        row = (lamps.get(n, SeatLamp(0, 0, 0)) for n in range(1, width + 1))
        await self._board.show(b"".join(bytes((x.red, x.green, x.blue)) for x in row))


class CalibratedLamps:
    """`SeatLamps` by seat, whatever lamp hangs where."""

    def __init__(self, lamps: SeatLamps, profile: LampsProfile) -> None:
        self._lamps = lamps
        self._profile = profile

    @property
    def health(self) -> tuple[Health, ...]:
        return self._lamps.health

    async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
        await self._lamps.light(self._profile.lit(lamps))

    async def __aenter__(self) -> Self:
        await self._lamps.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._lamps.__aexit__(kind, error, trace)


class CalibratedRow:
    """An `LedBoard` one lamp high, told by seat, whatever lamp hangs where."""

    height = 1

    def __init__(self, board: LedBoard, profile: LampsProfile) -> None:
        self._board = board
        self._row = RowOfBoard(board)
        self._profile = profile

    @property
    def width(self) -> int:
        return self._board.width

    @property
    def health(self) -> tuple[Health, ...]:
        return self._board.health

    async def show(self, pixels: bytes) -> None:
        """Raises ValueError unless it is three bytes a lamp."""
        if len(pixels) != self.width * 3:
            raise ValueError(f"{len(pixels)} bytes; {self.width} lamps take 3 each")
        lamps = {n + 1: SeatLamp(*pixels[3 * n : 3 * n + 3]) for n in range(self.width)}
        await self._row.light(self._profile.lit(lamps))

    async def __aenter__(self) -> Self:
        await self._board.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._board.__aexit__(kind, error, trace)


@dataclass(frozen=True, slots=True)
class SayLamp:
    """For a simulated person: say at which seat a lamp is lit."""


@dataclass(frozen=True, slots=True)
class SayBrightness:
    """For a simulated person: say whether the lamps are pleasant. now: their brightness."""

    now: float


class LampStep:
    """The calibration of the seats' lamps; a `Step`. lamps: how many there are."""

    kind = "lamps"
    title = "Lamps: which one is at which seat, and how bright"
    samples = LampSamples
    profile = LampsProfile

    def __init__(self, lamps: int, seats: int, row: Row, *, belongs: Callable[[], Belongs]) -> None:
        self._lamps = lamps
        self._seats = seats
        self._row = row
        self._belongs = belongs

    def belongs(self) -> Belongs:
        return self._belongs()

    async def capture(
        self, person: Person, so_far: LampSamples | None, keep: Callable[[LampSamples], None]
    ) -> LampSamples:
        samples = so_far or LampSamples(self._lamps)
        try:
            for lamp in range(len(samples.seen) + 1, self._lamps + 1):
                await self._row.light({lamp: WHITE})
                seat = await self._seen(person, lamp)
                samples = replace(samples, seen=(*samples.seen, Seen(lamp, seat)))
                keep(samples)
            return replace(samples, brightness=await self._brightness(person))
        finally:
            await self._row.light({})

    async def _seen(self, person: Person, lamp: int) -> int:
        act = Act(
            "At which seat is a lamp lit?",
            lamp - 1,
            self._lamps + 1,
            {NONE: "at none", SEVERAL: "at several"},
            number=(1, self._seats),
            task=SayLamp(),
        )
        said = await person.does(act)
        return {NONE: 0, SEVERAL: -1}[said] if said in act.answers else int(said)

    async def _brightness(self, person: Person) -> float:
        at = STEPS.index(0.4)
        while True:
            level = STEPS[at]
            lamp = LampsProfile((), level)._dimmed(GREEN)
            await self._row.light(dict.fromkeys(range(1, self._lamps + 1), lamp))
            answers = {"": "they are right"}
            if at + 1 < len(STEPS):
                answers["b"] = "brighter"
            if at:
                answers["d"] = "darker"
            act = Act(
                "Have the room's light as at night. Are the lamps seen well, and dazzle nobody?",
                self._lamps,
                self._lamps + 1,
                answers,
                task=SayBrightness(level),
            )
            said = await person.does(act)
            if said == "":
                return level
            at += 1 if said == "b" else -1

    def fit(self, samples: LampSamples) -> Fitted[LampsProfile]:
        remarks = tuple(_remarks(samples))
        bad = any(r.weight is Weight.REFUSED for r in remarks)
        lamp_of = tuple(sorted((x.seat, x.lamp) for x in samples.seen if x.seat > 0))
        brightness = 1.0 if samples.brightness is None else samples.brightness
        profile = None if bad else LampsProfile(lamp_of, brightness)
        return Fitted(profile, remarks, _page(samples))


def _remarks(samples: LampSamples) -> Iterator[Remark]:
    at = {x.lamp: x.seat for x in samples.seen}
    several = [lamp for lamp, seat in at.items() if seat < 0]
    if several:
        yield _bad(
            f"{_lamps(several)}: lights at several seats at once. Next: their wires touch, or"
            " two lamps hang on one output; see to it, then calibrate again."
        )
    seats = [seat for seat in at.values() if seat > 0]
    for twice in sorted({s for s in seats if seats.count(s) > 1}):
        same = [lamp for lamp, seat in at.items() if seat == twice]
        yield _bad(
            f"{_lamps(same)} were both seen at seat {twice}. Next: calibrate again, and look"
            " closely."
        )
    dark = [lamp for lamp, seat in at.items() if seat == 0]
    if dark and len(dark) == len(at):
        yield _bad(
            "No lamp was seen at all. Next: check their supply and the plug at the board,"
            " then calibrate again."
        )
    elif dark:
        yield Remark(
            Weight.WARNING,
            f"{_lamps(dark)}: stays dark. Next: check it and its wire; until then that seat has no"
            " lamp.",
        )
    leads = {seat: lamp for lamp, seat in at.items() if seat > 0}
    for ring in rings(leads):
        yield Remark(
            Weight.WARNING,
            f"Wires: {swapped(ring, 'the lamp of seat {}')}. The table lights the right ones from"
            " now on, as they hang; swap the plugs only if you calibrate again then.",
        )
    in_order = all(lamp == seat for lamp, seat in at.items())
    if in_order:
        yield Remark(Weight.GOOD, f"All {len(at)} lamps are at their own seats.")


def _lamps(numbers: list[int]) -> str:
    words = listed(numbers, "lamp", "lamps")
    return words[0].upper() + words[1:]


def _bad(text: str) -> Remark:
    return Remark(Weight.REFUSED, text)


def _page(samples: LampSamples) -> Page:
    words = {0: "nowhere", -1: "at several seats"}
    rows = tuple((str(x.lamp), words.get(x.seat, f"seat {x.seat}")) for x in samples.seen)
    marked = frozenset(n for n, x in enumerate(samples.seen) if x.lamp != x.seat)
    lead = f"{samples.lamps} lamps were lit one after the other."
    if samples.brightness is not None:
        lead += f" Chosen brightness: {samples.brightness:.0%} of what the table.toml has."
    return Page("Lamps", lead, (), (Table("Lamps", ("Lamp", "Seen"), rows, marked),))
