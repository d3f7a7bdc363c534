"""Seat sensors: what they give empty and occupied, and the thresholds that follow.

Everybody stands up; then somebody sits down on one chair after the other. A sensor that gives a
level gets two thresholds, a third of the way from each side, so that it does not flutter; whatever
it is, a chair that moves another chair's sensor has its wire crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Literal

from calibration.ears import Ears
from calibration.report import Page, Plot, Table
from calibration.steps import Act, Belongs, Fitted, News, Person, Remark, Weight
from calibration.wires import listed, rings, swapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLE_S = 1.5
WATCH_S = 2.0
MOVED = 40  # counts of 1023 by which a level must change to mean something
NOISES = 3  # a gap below so many times the noise is none
DRIFT = 0.25  # of the gap: a sensor that comes back no nearer than this is worn or stuck
END = 1023
_PARTS = 5  # of the waiting, so that it can be seen to go on

Kind = Literal["high", "low", "closed", "open", "contact"]


@dataclass(frozen=True, slots=True)
class Level:
    """What a sensor gave for a while, ADC counts: least, median, most."""

    seat: int
    low: int
    middle: int
    high: int


@dataclass(frozen=True, slots=True)
class Moment:
    """sitting: who sits; None: nobody. levels: of the analogue sensors. occupied, unknown: what was
    said."""

    sitting: int | None
    levels: tuple[Level, ...] = ()
    occupied: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()

    def level(self, seat: int) -> Level | None:
        return next((level for level in self.levels if level.seat == seat), None)


@dataclass(frozen=True, slots=True)
class SeatSamples:
    """moments: nobody sits, each seat in turn, nobody sits. watched: seats that have a sensor;
    analogue: those whose sensor gives a level."""

    watched: tuple[int, ...] = ()
    analogue: tuple[int, ...] = ()
    moments: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatFit:
    """One seat's sensor. sensor: high or low is occupied (analogue; leave and enter are its
    thresholds, counts), closed or open is (as the table board is told), or contact: a switch that
    is as the table.toml has it. empty, occupied: medians; noise: counts between least and most
    while nothing moved; drift: how far from its first value it came back."""

    seat: int
    sensor: Kind
    leave: int = 0
    enter: int = 0
    empty: int = 0
    occupied: int = 0
    noise: int = 0
    drift: int = 0


@dataclass(frozen=True, slots=True)
class SeatsProfile:
    seats: tuple[SeatFit, ...]


@dataclass(frozen=True, slots=True)
class Sit:
    """For a simulated person: sit there and nowhere else; None: stand up."""

    seat: int | None


class SeatStep:
    """The calibration of the seat sensors; a `Step`.

    seats: those that have one. contacts: what the table board takes its digital ones to be now,
    "closed" or "open"; without an entry the switch is none of its. before: what was measured the
    last time.
    """

    kind = "seats"
    title = "Chairs: is it seen when somebody sits down?"
    samples = SeatSamples
    profile = SeatsProfile

    def __init__(
        self,
        seats: Sequence[int],
        ears: Ears,
        *,
        belongs: Callable[[], Belongs],
        contacts: Mapping[int, Literal["closed", "open"]] | None = None,
        watch_s: float = WATCH_S,
        before: SeatsProfile | None = None,
    ) -> None:
        self._seats = tuple(seats)
        self._ears = ears
        self._belongs = belongs
        self._contacts = dict(contacts or {})
        self._watch_s = watch_s
        self._before = before

    def belongs(self) -> Belongs:
        return self._belongs()

    async def capture(
        self, person: Person, so_far: SeatSamples | None, keep: Callable[[SeatSamples], None]
    ) -> SeatSamples:
        samples = so_far or SeatSamples(self._seats)
        plan = [None, *self._seats, None]
        for n, seat in enumerate(plan):
            if n < len(samples.moments):
                continue
            ask = (
                f"Sit down on the chair of seat {seat}."
                if seat is not None
                else "Let nobody sit at the table, and nothing lie on the chairs."
            )
            answers = {"": "somebody sits there" if seat is not None else "all chairs are empty"}
            await person.does(Act(ask, n, len(plan), answers, task=Sit(seat)))
            moment = await self._watch(person, seat)
            analogue = tuple(sorted(self._ears.analogue & set(self._seats)))
            samples = replace(samples, analogue=analogue, moments=(*samples.moments, moment))
            keep(samples)
        return samples

    async def _watch(self, person: Person, seat: int | None) -> Moment:
        heard: list[tuple[int, ...]] = []
        for n in range(2 * _PARTS):
            person.hears(News("watching the chairs", n / (2 * _PARTS)))
            if n < _PARTS:
                await self._ears.settle(SETTLE_S / _PARTS)
            else:
                heard += await self._ears.levels(self._watch_s / _PARTS)
        analogue = self._ears.analogue & set(self._seats)
        columns = {s: sorted(counts[s - 1] for counts in heard) for s in analogue if heard}
        levels = [Level(s, c[0], c[len(c) // 2], c[-1]) for s, c in sorted(columns.items())]
        said = {s: self._ears.occupied.get(s) for s in self._seats}
        occupied = tuple(s for s, is_ in said.items() if is_)
        unknown = tuple(s for s, is_ in said.items() if is_ is None and s not in analogue)
        return Moment(seat, tuple(levels), occupied, unknown)

    def fit(self, samples: SeatSamples) -> Fitted[SeatsProfile]:
        fitted = _Fit(samples, self._contacts)
        remarks = tuple(fitted.remarks())
        bad = any(r.weight is Weight.REFUSED for r in remarks)
        profile = None if bad else SeatsProfile(tuple(fitted.seat(s) for s in samples.watched))
        if profile is not None and self._before is not None:
            remarks += tuple(_changes(self._before, profile))
        return Fitted(profile, remarks, _page(samples, profile))


class _Fit:
    def __init__(
        self, samples: SeatSamples, contacts: Mapping[int, Literal["closed", "open"]]
    ) -> None:
        self._samples = samples
        self._contacts = contacts
        self._empty = [m for m in samples.moments if m.sitting is None]

    # -- what a sensor gave ------------------------------------------------------------------------

    def _levels(self, sensor: int, taken: bool, seat: int | None = None) -> list[Level]:
        """Its levels while the chair was taken, or not. seat: the chair, if another than its."""
        chair = sensor if seat is None else seat
        found = [m.level(sensor) for m in self._samples.moments if (m.sitting == chair) is taken]
        return [level for level in found if level is not None]

    def moved_by(self, seat: int) -> tuple[int, ...]:
        """The sensors that changed when somebody sat down there."""
        found = []
        for sensor in self._samples.watched:
            if sensor in self._samples.analogue:
                there, away = (self._levels(sensor, is_, seat) for is_ in (True, False))
                if not there or not away:
                    continue
                far = abs(there[0].middle - median(level.middle for level in away))
                if far >= MOVED:
                    found.append(sensor)
            else:
                moments = self._samples.moments
                there_ = {sensor in m.occupied for m in moments if m.sitting == seat}
                away_ = {sensor in m.occupied for m in self._empty}
                known = all(sensor not in m.unknown for m in moments)
                if known and len(there_) == len(away_) == 1 and there_ != away_:
                    found.append(sensor)
        return tuple(found)

    def gap(self, seat: int) -> tuple[int, int, bool]:
        """The counts between which its thresholds lie, and whether high is occupied; the first is
        on the empty side."""
        taken, away = self._levels(seat, True), self._levels(seat, False)
        high = taken[0].middle > median(level.middle for level in away)
        if high:
            return max(level.high for level in away), min(level.low for level in taken), True
        return min(level.low for level in away), max(level.high for level in taken), False

    def noise(self, seat: int) -> int:
        return max((m.high - m.low for m in self._levels(seat, False)), default=0)

    def drift(self, seat: int) -> int:
        found = [level for m in self._empty if (level := m.level(seat)) is not None]
        return abs(found[-1].middle - found[0].middle) if len(found) > 1 else 0

    def seat(self, seat: int) -> SeatFit:
        if seat not in self._samples.analogue:
            if seat not in self._contacts:
                return SeatFit(seat, "contact")
            upside_down = any(seat in m.occupied for m in self._empty)
            now = self._contacts[seat]
            other: Literal["closed", "open"] = "open" if now == "closed" else "closed"
            return SeatFit(seat, other if upside_down else now)
        empty_side, taken_side, high = self.gap(seat)
        step = (taken_side - empty_side) / 3
        return SeatFit(
            seat,
            "high" if high else "low",
            leave=round(empty_side + step),
            enter=round(empty_side + 2 * step),
            empty=round(median(level.middle for level in self._levels(seat, False))),
            occupied=self._levels(seat, True)[0].middle,
            noise=self.noise(seat),
            drift=self.drift(seat),
        )

    # -- remarks -----------------------------------------------------------------------------------

    def remarks(self) -> Iterator[Remark]:
        cut = self._cut()
        if cut:
            yield _bad(
                f"The sensor at {listed(cut)} reads as cut or says nothing. Next: check its"
                " plug and its wire, then calibrate again."
            )
        stuck = self._stuck(cut)
        if stuck:
            yield _bad(
                f"The sensor at {listed(stuck)} says occupied whoever sits. Next: see whether it is"
                " pressed, bent or bridged, then calibrate again."
            )
        moved = {s: self.moved_by(s) for s in self._samples.watched if s not in (*cut, *stuck)}
        yield from self._crossed(moved)
        clean = [s for s, sensors in moved.items() if s in sensors]
        yield from self._analogue([s for s in clean if s in self._samples.analogue])
        over = [s for s in clean if self._turned(s)]
        if over:
            yield Remark(
                Weight.WARNING,
                f"The sensor at {listed(over)} is the other way round: it says occupied while the"
                " chair is empty. It is told so from now on; in the table.toml it would be sensor ="
                " \"open\" or \"closed\", the other of the two.",
            )  # fmt: skip
        if clean and len(clean) == len(self._samples.watched):
            yield Remark(Weight.GOOD, f"All {len(clean)} chairs answer at their own seats.")

    def _turned(self, seat: int) -> bool:
        return seat not in self._samples.analogue and any(seat in m.occupied for m in self._empty)

    def _cut(self) -> tuple[int, ...]:
        found = []
        for s in self._samples.watched:
            if s in self._samples.analogue:
                levels = [m.level(s) for m in self._samples.moments]
                if all(x is None or x.middle in (0, END) for x in levels):
                    found.append(s)
            elif all(s in m.unknown for m in self._samples.moments):
                found.append(s)
        return tuple(found)

    def _stuck(self, cut: Sequence[int]) -> tuple[int, ...]:
        contacts = [s for s in self._samples.watched if s not in (*self._samples.analogue, *cut)]
        return tuple(s for s in contacts if all(s in m.occupied for m in self._samples.moments))

    def _crossed(self, moved: Mapping[int, tuple[int, ...]]) -> Iterator[Remark]:
        """Chairs that move another chair's sensor, or none, or two."""
        leads = {s: k[0] for s, k in moved.items() if len(k) == 1 and k[0] != s}
        for ring in rings(leads):
            yield _bad(
                f"Wires: {swapped(ring, 'the sensor of seat {}')}. Next: put their plugs where they"
                " belong, then calibrate again."
            )
            leads = {s: k for s, k in leads.items() if s not in ring}
        for s, k in leads.items():
            yield _bad(
                f"Somebody at seat {s} is felt by the sensor of seat {k}. Next: see where the wire"
                f" of seat {s} leads, then calibrate again."
            )
        for s, sensors in moved.items():
            if not sensors:
                yield _bad(
                    f"The sensor of seat {s} does not feel that somebody sits. Next: check where it"
                    " lies under the seat, its plug and its wire, then calibrate again."
                )
            elif len(sensors) > 1:
                yield _bad(
                    f"Somebody at seat {s} moves the sensors of {listed(sensors)}. Next: see that"
                    " nobody else sat down, and that their wires do not touch, then calibrate"
                    " again."
                )

    def _analogue(self, seats: Sequence[int]) -> Iterator[Remark]:
        for s in seats:
            empty_side, taken_side, high = self.gap(s)
            gap = (taken_side - empty_side) * (1 if high else -1)
            noise = self.noise(s)
            if gap < max(MOVED, NOISES * noise):
                yield _bad(
                    f"The sensor of seat {s} hardly tells an occupied chair from an empty one: the"
                    f" two are {max(gap, 0)} of 1023 counts apart, its own noise is {noise}. Next:"
                    " move it under the middle of the seat, or use another resistor (the firmware's"
                    " README says which)."
                )
            elif self.drift(s) > DRIFT * gap:
                yield Remark(
                    Weight.WARNING,
                    f"The sensor of seat {s} came back {self.drift(s)} counts from where it was"
                    " when the chair was empty. Next: look for a cushion that stays pressed, and"
                    " calibrate again in a week.",
                )


def _changes(before: SeatsProfile, now: SeatsProfile) -> Iterator[Remark]:
    """Sensors that give another level for an empty chair than the last time."""
    then = {s.seat: s for s in before.seats if s.sensor in ("high", "low")}
    for s in now.seats:
        if s.sensor not in ("high", "low") or s.seat not in then:
            continue
        moved, gap = s.empty - then[s.seat].empty, abs(s.occupied - s.empty)
        if abs(moved) > DRIFT * gap:
            yield Remark(
                Weight.WARNING,
                f"The sensor of seat {s.seat} gives {moved:+} counts for an empty chair since the"
                " last time. Next: it is worn or has slipped if that goes on; calibrate it again in"
                " a month.",
            )


def _bad(text: str) -> Remark:
    return Remark(Weight.REFUSED, text)


def _page(samples: SeatSamples, profile: SeatsProfile | None) -> Page:
    lead = f"{len(samples.watched)} seat sensors, {len(samples.analogue)} of which give a level."
    plots = (_levels_plot(samples, profile),) if samples.analogue else ()
    rows = tuple(
        (
            str(s.seat), s.sensor, str(s.empty), str(s.occupied), str(s.leave), str(s.enter),
            str(s.noise), str(s.drift),
        )
        for s in (profile.seats if profile is not None else ())
    )  # fmt: skip
    head = ("Seat", "Sensor", "Empty", "Occupied", "Empty at", "Occupied at", "Noise", "Drift")
    said = tuple(
        (
            "nobody" if m.sitting is None else f"seat {m.sitting}",
            ", ".join(map(str, m.occupied)) or "none",
            ", ".join(map(str, m.unknown)) or "none",
        )
        for m in samples.moments
    )
    tables = [Table("What was said", ("Who sat", "Said occupied", "Nobody can tell"), said)]
    if rows:
        tables.insert(0, Table("What the table goes by", head, rows))
    return Page("Seat sensors", lead, plots, tuple(tables))


def _levels_plot(samples: SeatSamples, profile: SeatsProfile | None) -> Plot:
    fits = {s.seat: s for s in profile.seats} if profile is not None else {}

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for taken, colour, label in ((False, "#4a6fa5", "empty"), (True, "#b26a00", "occupied")):
            points = [
                (level.seat, level)
                for m in samples.moments
                for level in m.levels
                if (m.sitting == level.seat) is taken
            ]
            x = [seat + (0.12 if taken else -0.12) for seat, _ in points]
            y = [level.middle for _, level in points]
            spans = [
                [max(0, level.middle - level.low) for _, level in points],
                [max(0, level.high - level.middle) for _, level in points],
            ]
            axes.errorbar(x, y, spans, fmt="o", ms=4, color=colour, capsize=2, label=label)
        for seat, s in fits.items():
            if s.sensor in ("high", "low"):
                axes.hlines([s.leave, s.enter], seat - 0.35, seat + 0.35, color="#333", lw=1)
        axes.set_xticks(list(samples.analogue))
        axes.set_xlabel("seat")
        axes.set_ylabel("counts")
        axes.set_ylim(-20, 1043)
        axes.legend(fontsize=8)

    return Plot(
        "Empty and occupied",
        "Each sensor's level with the chair empty and with somebody on it; the two lines are where"
        " it becomes occupied and empty again. Dots near a line mean a chair that flutters.",
        draw,
    )
