"""The dealer button moved round the table once: every wiring mistake shows itself on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from calibration.ears import Ears
from calibration.report import Page, Table
from calibration.steps import Act, Belongs, Fitted, News, Person, Remark, Weight
from calibration.wires import listed, rings, swapped

SETTLE_S = 1.0


@dataclass(frozen=True, slots=True)
class Lain:
    """seat: where the button lay; None: it was off the table. sensed: seats that said so; None:
    nobody could tell."""

    seat: int | None
    sensed: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class ButtonSamples:
    watched: tuple[int, ...] = ()
    lain: tuple[Lain, ...] = ()


@dataclass(frozen=True, slots=True)
class ButtonProfile:
    """seats: those that sense the button. also: (seat, another that senses it there too)."""

    seats: tuple[int, ...]
    also: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LayButton:
    """For a simulated person: the button lies there; None: take it off."""

    seat: int | None


class ButtonStep:
    """The calibration of the button's sensors; a `Step`. seats: those that have one."""

    kind = "button"
    title = "Dealer button: is it sensed at every seat?"
    samples = ButtonSamples
    profile = ButtonProfile

    def __init__(
        self,
        seats: Sequence[int],
        ears: Ears,
        *,
        belongs: Callable[[], Belongs],
        settle_s: float = SETTLE_S,
    ) -> None:
        self._seats = tuple(seats)
        self._ears = ears
        self._belongs = belongs
        self._settle_s = settle_s

    def belongs(self) -> Belongs:
        return self._belongs()

    async def capture(
        self, person: Person, so_far: ButtonSamples | None, keep: Callable[[ButtonSamples], None]
    ) -> ButtonSamples:
        samples = so_far or ButtonSamples(self._seats)
        plan = [None, *self._seats, None]
        for n, seat in enumerate(plan):
            if n < len(samples.lain):
                continue
            ask = (
                f"Move the dealer button on: lay it at seat {seat}."
                if seat is not None
                else "Take the dealer button off the table."
            )
            answers = {"": "it lies there" if seat is not None else "it is off the table"}
            await person.does(Act(ask, n, len(plan), answers, task=LayButton(seat)))
            await self._ears.settle(self._settle_s)
            sensed = self._ears.button
            if seat is not None and sensed is not None and seat not in sensed:
                where = listed(sensed) if sensed else "no seat"
                person.hears(News(f"It is sensed at {where}, not at seat {seat}."))
            samples = replace(samples, lain=(*samples.lain, Lain(seat, sensed)))
            keep(samples)
        return samples

    def fit(self, samples: ButtonSamples) -> Fitted[ButtonProfile]:
        remarks = tuple(_remarks(samples))
        also = tuple(
            (x.seat, other)
            for x in samples.lain
            if x.seat is not None
            for other in x.sensed or ()
            if other != x.seat
        )
        bad = any(r.weight is Weight.REFUSED for r in remarks)
        profile = None if bad else ButtonProfile(samples.watched, also)
        return Fitted(profile, remarks, _page(samples))


def _remarks(samples: ButtonSamples) -> Iterator[Remark]:
    known = [x for x in samples.lain if x.sensed is not None]
    if not known:
        yield _bad(
            "Nothing was heard of the button's sensors. Next: see that the table board, or"
            " the button readers, are plugged in (burnturn doctor)."
        )
        return
    off = [set(x.sensed or ()) for x in known if x.seat is None]
    always = set.intersection(*(set(x.sensed or ()) for x in known))
    stuck = always & set[int]().union(*off)
    for s in sorted(stuck):
        yield _bad(
            f"The sensor of seat {s} says that the button lies there wherever it lies. Next:"
            " see whether it is bridged, or a magnet lies near, then calibrate again."
        )
    felt = {x.seat: tuple(sorted(set(x.sensed or ()) - stuck)) for x in known if x.seat is not None}
    leads = {s: k[0] for s, k in felt.items() if len(k) == 1 and k[0] != s}
    for ring in rings(leads):
        yield _bad(
            f"Wires: {swapped(ring, 'the button sensor of seat {}')}. Next: put their plugs"
            " where they belong, then calibrate again."
        )
        leads = {s: k for s, k in leads.items() if s not in ring}
    for s, k in leads.items():
        yield _bad(
            f"A button at seat {s} is sensed at seat {k}. Next: see where the wire of seat"
            f" {s} leads, then calibrate again."
        )
    dead = [s for s, k in felt.items() if not k and s not in stuck]
    if dead:
        yield _bad(
            f"No sensor feels the button at {listed(dead)}. Next: check plug, wire and place"
            " of the sensor there, then calibrate again."
        )
    for s, sensors in felt.items():
        others = [n for n in sensors if n != s]
        if s in sensors and others:
            yield Remark(
                Weight.WARNING,
                f"A button at seat {s} is sensed at {listed(others)} too. Next: lay it nearer to"
                " the player, or move the sensors apart: at two seats at once it is nowhere.",
            )
    if all(k == (s,) for s, k in felt.items()) and not stuck:
        yield Remark(Weight.GOOD, f"The button is sensed at all {len(felt)} seats, and only there.")


def _bad(text: str) -> Remark:
    return Remark(Weight.REFUSED, text)


def _page(samples: ButtonSamples) -> Page:
    rows, marked = [], set()
    for n, x in enumerate(samples.lain):
        where = "off the table" if x.seat is None else f"seat {x.seat}"
        sensed = "nobody can tell" if x.sensed is None else ", ".join(map(str, x.sensed)) or "none"
        rows.append((where, sensed))
        if x.sensed != (() if x.seat is None else (x.seat,)):
            marked.add(n)
    table = Table(
        "Once round the table", ("The button lay", "Sensed at seat"), tuple(rows), frozenset(marked)
    )
    lead = f"The button was moved round {len(samples.watched)} seats."
    return Page("Dealer button", lead, (), (table,))
