"""What was measured of a table's antennas, and the profile that follows from it. Pure.

A card lies at known spots of one antenna after the other while all antennas look: that gives each
one's read rate, where cards of others are read, and whether each wire goes where the table.toml
says. Antennas are known by their numbers, cards only as the first and the second: no tag's identity
is in here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from calibration.profiles import AntennaProfile
from calibration.rates import NOTHING, Rate, between, percent, worse_by_chance
from calibration.spots import place_words
from calibration.steps import Remark, Weight
from calibration.wires import rings

MISS_LIMIT, CROSS_LIMIT = 0.5, 0.2  # beyond these no antenna can be gone by (`AntennaProfile`)
LOW_READS = 0.85  # an antenna that reads less of its looks deserves a look
BAD_SPOT = 0.75
DEAF = 0.1  # reads less than this: it does not hear the card
ELSEWHERE = 0.5  # another antenna that reads so much of it has the wire
_TIMES = 3  # and so many times as much as the one that should
CHANCE = 0.01  # of calling lamps disturbing that are not, over all antennas
NOISE_LIMIT = 0.05
SWEEP_LIMIT_S = 0.6  # the slowest sweep that the false-alarm budget was tried at
SLOW_ROUNDS = 10
"""Sweeps after which two antennas should have been told apart, at the very most."""


class Budget(Protocol):
    """What sensing makes of an antenna's rates: `FalseAlarmBudget` of `controller.sensing`."""

    @property
    def place_nats(self) -> float: ...

    def silences(self, miss_rate: float) -> int: ...


@dataclass(frozen=True, slots=True)
class Place:
    """An antenna as the table.toml has it. power: what its reader offers to change its power,
    in words; "": nothing."""

    antenna: int
    zone: str
    reader: int
    port: int
    neighbours: tuple[int, ...] = ()
    max_stack: int | None = None
    power: str = ""

    @property
    def words(self) -> str:
        return f"antenna {self.antenna} ({place_words(self.zone)})"

    @property
    def plug(self) -> str:
        return f"reader {self.reader}, port {self.port}"


def deaf(own: Rate, elsewhere: Iterable[Rate]) -> bool:
    """Whether an antenna does not hear the card that lies on it. own: how often it reads that card;
    elsewhere: how often others do."""
    best = max((r.share for r in elsewhere), default=0.0)
    across = best >= ELSEWHERE and own.share * _TIMES < best
    return own.looks > 0 and (own.share < DEAF or across)


# ---- what was measured


@dataclass(frozen=True, slots=True)
class Heard:
    """What one antenna gave while cards lay still. looks: clean ones. noise: others. reads: looks
    that read the first card, the second card. strangers: reads of other tags."""

    antenna: int
    looks: int
    noise: int = 0
    reads: tuple[int, ...] = ()
    strangers: int = 0

    def rate(self, card: int = 0) -> Rate:
        """Share of clean looks that read that card."""
        return Rate(self.reads[card] if card < len(self.reads) else 0, self.looks)

    @property
    def all_looks(self) -> Rate:
        """Share of all looks, the noisy ones too, that read the first card."""
        return Rate(self.rate().hits, self.looks + self.noise)


@dataclass(frozen=True, slots=True)
class Visit:
    """Cards lay still at one spot of an antenna. cards: one, or two on each other. white: all lamps
    were white. heard: every antenna once."""

    spot: int
    cards: int
    white: bool
    heard: tuple[Heard, ...]

    def at(self, antenna: int) -> Heard:
        return next((h for h in self.heard if h.antenna == antenna), Heard(antenna, 0))


@dataclass(frozen=True, slots=True)
class Placed:
    """All visits of one antenna. skipped: the person left it out."""

    antenna: int
    visits: tuple[Visit, ...]
    skipped: bool = False

    def heard_by(self, antenna: int) -> Rate:
        """Share of that antenna's looks that read a single card lying here, lamps dark."""
        found = (v.at(antenna).rate() for v in self.visits if v.cards == 1 and not v.white)
        return sum(found, NOTHING)


@dataclass(frozen=True, slots=True)
class AntennaSamples:
    """empty: the table without a card. placed: antennas in the order in which they were measured.
    sweep_s: a round of all antennas. looks, seconds: all there were, for the record. whole: all
    spots of each mark, not its middle alone."""

    empty: tuple[Heard, ...] = ()
    placed: tuple[Placed, ...] = ()
    sweep_s: float | None = None
    looks: int = 0
    seconds: float = 0.0
    whole: bool = True

    def of(self, antenna: int) -> Placed:
        return next((p for p in self.placed if p.antenna == antenna), Placed(antenna, ()))


# ---- the profile


@dataclass(frozen=True, slots=True)
class AntennaFit:
    """One antenna as measured. miss, cross: shares that sensing goes by; *_low, *_high: 95 %
    bounds. neighbours: those of the table.toml and those that were seen to read each other's cards.
    max_stack: 1 where two cards on each other are not told apart, else None: the table.toml's
    holds. spots: share of looks that read the card, by spot. lamps: how much less is read while all
    lamps are white; None: not measured."""

    antenna: int
    miss: float
    miss_low: float
    miss_high: float
    cross: float
    cross_low: float
    cross_high: float
    neighbours: tuple[int, ...]
    max_stack: int | None
    spots: tuple[float, ...]
    lamps: float | None = None

    def applied(self, configured: AntennaProfile) -> AntennaProfile:
        """The antenna as configured, with what was measured instead of what was assumed."""
        stack = configured.max_stack
        if self.max_stack is not None:
            stack = self.max_stack if stack is None else min(stack, self.max_stack)
        return replace(
            configured,
            neighbours=self.neighbours,
            miss_rate=self.miss,
            cross_rate=self.cross,
            max_stack=stack,
        )


@dataclass(frozen=True, slots=True)
class AntennasProfile:
    """All antennas of a table. sweep_s: a round of all of them."""

    antennas: tuple[AntennaFit, ...]
    sweep_s: float | None = None

    def of(self, antenna: int) -> AntennaFit | None:
        return next((a for a in self.antennas if a.antenna == antenna), None)


def fit(
    places: Sequence[Place],
    samples: AntennaSamples,
    budget: Budget,
    spots: Mapping[int, Sequence[str]],
    before: AntennasProfile | None = None,
) -> tuple[AntennasProfile | None, tuple[Remark, ...]]:
    """The profile, and what is to be said of it; None where an antenna was not measured at all.
    spots: each antenna's, in words. before: what was measured the last time."""
    fitted = _Fit(places, samples, budget, spots)
    remarks = tuple(fitted.remarks())
    if before is not None and not any(r.weight is Weight.REFUSED for r in remarks):
        remarks += tuple(fitted.changes(before))
    if any(not samples.of(p.antenna).visits for p in places):
        return None, remarks
    return AntennasProfile(tuple(fitted.antenna(p) for p in places), samples.sweep_s), remarks


class _Fit:
    def __init__(
        self,
        places: Sequence[Place],
        samples: AntennaSamples,
        budget: Budget,
        spots: Mapping[int, Sequence[str]],
    ) -> None:
        self._spots = spots
        self._places = tuple(places)
        self._by = {p.antenna: p for p in places}
        self._samples = samples
        self._budget = budget
        self._rates: Mapping[tuple[int, int], Rate] = {
            (card, reads): samples.of(card).heard_by(reads)
            for card in self._by
            for reads in self._by
        }
        """(antenna at which the card lay, antenna that looked): its rate."""

    def own(self, antenna: int) -> Rate:
        return self._rates[antenna, antenna]

    def deaf(self, antenna: int) -> bool:
        others = (self._rates[antenna, b] for b in self._by if b != antenna)
        return deaf(self.own(antenna), others)

    # -- one antenna -------------------------------------------------------------------------------

    def antenna(self, place: Place) -> AntennaFit:
        n = place.antenna
        miss = self.own(n).others
        cross = self.worst_cross(n)
        return AntennaFit(
            n,
            min(miss.careful, MISS_LIMIT),
            *miss.interval,
            min(cross.careful, CROSS_LIMIT),
            *cross.interval,
            neighbours=self.neighbours(n),
            max_stack=None if self.told_apart(n) is not False else 1,
            spots=tuple(v.at(n).rate().share for v in self._singles(n)),
            lamps=self._loss(n),
        )

    def neighbours(self, antenna: int) -> tuple[int, ...]:
        """Configured ones, and all that read each other's card."""
        seen = {
            b
            for b in self._by
            if b != antenna and (self._rates[antenna, b].hits or self._rates[b, antenna].hits)
        }
        said = {p.antenna for p in self._places if antenna in p.neighbours}
        return tuple(sorted(seen | said | set(self._by[antenna].neighbours)))

    def worst_cross(self, antenna: int) -> Rate:
        """How often it reads a card of the neighbour whose cards it reads most."""
        near = [self._rates[b, antenna] for b in self.neighbours(antenna) if b in self._by]
        near = near or [self._rates[b, antenna] for b in self._by if b != antenna]
        return max(near, key=lambda r: (r.share, r.looks), default=NOTHING)

    def told_apart(self, antenna: int) -> bool | None:
        """Whether both of two cards on each other are read; None: not measured."""
        found = [v.at(antenna) for v in self._samples.of(antenna).visits if v.cards == 2]
        looks = sum(h.looks for h in found)
        if not looks or self.deaf(antenna):
            return None
        both = sum(h.rate(card).hits for h in found for card in (0, 1)) / looks
        # One of two at a time gives as many reads as a single card, both give twice as many; a weak
        # second card lies between.
        return both >= 1.35 * self.own(antenna).share

    def _singles(self, antenna: int) -> list[Visit]:
        return [v for v in self._samples.of(antenna).visits if v.cards == 1 and not v.white]

    def _lamps(self, antenna: int) -> tuple[Rate, Rate] | None:
        """All looks at the same spot, lamps dark and lamps white."""
        visits = [v for v in self._samples.of(antenna).visits if v.cards == 1]
        white = [v for v in visits if v.white]
        spots = {v.spot for v in white}
        dark = [v for v in visits if not v.white and v.spot in spots]
        if not white or not dark:
            return None
        before, after = (
            sum((v.at(antenna).all_looks for v in group), NOTHING) for group in (dark, white)
        )
        return before, after

    def _loss(self, antenna: int) -> float | None:
        lamps = self._lamps(antenna)
        return None if lamps is None else lamps[0].share - lamps[1].share

    # -- remarks -----------------------------------------------------------------------------------

    def remarks(self) -> Iterator[Remark]:
        yield from self._unmeasured()
        yield from self._wires()
        card = tuple(self._weak_card())
        yield from card
        if not any(r.weight is Weight.REFUSED for r in card):  # else it all comes of the card
            yield from self._weak_antennas()
            yield from self._stacks()
        yield from self._overlaps()
        yield from self._white_lamps()
        yield from self._noise()
        yield from self._sweep()
        yield from self._order()

    def _unmeasured(self) -> Iterator[Remark]:
        left = [p.words for p in self._places if not self._samples.of(p.antenna).visits]
        if left:
            yield _bad(
                f"Not measured: {', '.join(left)}. Next: calibrate again, and lay a card"
                " there, or take the antenna out of the table.toml."
            )

    def _wires(self) -> Iterator[Remark]:
        """Antennas that do not hear their card, and which one does instead."""
        leads = {n: self._reader_of(n) for n in self._by if self.deaf(n)}
        for ring in rings({a: b for a, b in leads.items() if b is not None}):
            yield self._swapped(ring)
            for n in ring:
                del leads[n]
        for n, other in leads.items():
            place = self._by[n]
            if other is not None:
                yield _bad(
                    f"A card at {place_words(place.zone)} is read by {self._by[other].words}, not"
                    f" by {place.words}. Next: see which wire lies under"
                    f" {place_words(place.zone)}: {place.plug} should, and {self._by[other].plug}"
                    " does."
                )
                continue
            noise = sum(v.at(n).noise for v in self._samples.of(n).visits)
            own = self.own(n)
            why = f"{own.hits} of {own.looks} looks"
            if noise > own.looks:
                why = f"{noise} of {noise + own.looks} looks gave no clean answer"
            yield _bad(
                f"A card at {place_words(place.zone)} is not read there ({why}). Next: check plug"
                f" and wire of {place.words} at {place.plug}{self._hears(n)}, and that the card"
                " lies on its mark."
            )

    def _hears(self, antenna: int) -> str:
        """Whose cards a wire reads that does not hear its own."""
        others = {b: self._rates[b, antenna].share for b in self._by if b != antenna}
        best = max(others, key=lambda b: others[b], default=None)
        if best is None or others[best] < ELSEWHERE:
            return ""
        return f" (it reads the cards of {self._by[best].words}: its wire leads there)"

    def _reader_of(self, card: int) -> int | None:
        """The antenna that reads a card lying there instead of the one that should."""
        rates = {b: self._rates[card, b] for b in self._by if b != card}
        best = max(rates, key=lambda b: rates[b].share, default=None)
        return best if best is not None and rates[best].share >= ELSEWHERE else None

    def _swapped(self, ring: Sequence[int]) -> Remark:
        names = [self._by[n] for n in ring]
        if len(ring) == 2:
            a, b = names
            return _bad(
                f"The wires of {a.words} and {b.words} are swapped: each reads the other's card."
                f" Next: swap their plugs ({a.plug}; {b.plug}), or their ports in the table.toml."
            )
        pairs = (
            f"a card at {place_words(a.zone)} is read at the plug of {b.words}"
            for a, b in zip(names, [*names[1:], names[0]], strict=True)
        )
        return _bad(
            f"The wires of {len(ring)} antennas are mixed up: {'; '.join(pairs)}. Next: put each"
            " plug where the table.toml has it, or correct the ports there."
        )

    def _weak_card(self) -> Iterator[Remark]:
        both = [
            v.at(p.antenna)
            for p in self._samples.placed
            for v in p.visits
            if v.cards == 2 and not self.deaf(p.antenna)
        ]
        first, second = (sum((h.rate(c) for h in both), NOTHING) for c in (0, 1))
        if both and first.interval[1] < second.interval[0] - 0.05:
            yield _bad(
                f"The first card's tag is weak: on each other, the first was read in"
                f" {percent(first.share)} of the looks and the second in {percent(second.share)}."
                " Next: calibrate again with another card; and count that deck, and retire the"
                " card."
            )
            return
        heard = sorted(self.own(n).share for n in self._by if not self.deaf(n))
        if len(heard) > 2 and heard[-1] < LOW_READS:
            yield _warn(
                f"No antenna reads the card in more than {percent(heard[-1])} of its looks. Next:"
                " try another card: its tag may be weak; else all readers have too little power."
            )

    def _weak_antennas(self) -> Iterator[Remark]:
        for place in self._places:
            n, own = place.antenna, self.own(place.antenna)
            if self.deaf(n) or not own.looks:
                continue
            weak = [
                f"{self._spots[n][v.spot]} ({percent(v.at(n).rate().share)})"
                for v in self._singles(n)
                if self._bad_spot(n, v.at(n).rate())
            ]
            if own.others.interval[0] > MISS_LIMIT:
                yield _bad(
                    f"{_cap(place.words)} reads a card in {own.words} of its looks only; below"
                    f" {percent(1 - MISS_LIMIT)} it cannot be gone by. Next: {self._stronger(n)}"
                )
            elif own.interval[1] < LOW_READS:
                yield _warn(
                    f"{_cap(place.words)} reads a card in {own.words} of its looks. Next:"
                    f" {self._stronger(n)}"
                )
            if weak:
                yield _warn(
                    f"{_cap(place.words)} reads badly at {'; '.join(weak)}. Next: move the antenna"
                    " under the middle of its mark, or draw the mark smaller."
                )

    def changes(self, before: AntennasProfile) -> Iterator[Remark]:
        """Antennas that read worse than the last time, beyond chance."""
        for place in self._places:
            then, miss = before.of(place.antenna), self.own(place.antenna).others
            if then is not None and miss.interval[0] > then.miss_high:
                yield _warn(
                    f"{_cap(place.words)} misses a card in {miss.words} of its looks; the last time"
                    f" it was {between(then.miss, then.miss_low, then.miss_high)}. Next: look for"
                    " what has changed: a plug, metal near it, a new cloth, other cards."
                )

    def _bad_spot(self, antenna: int, here: Rate) -> bool:
        """Whether a spot is bad in itself, and worse than the antenna's others."""
        own = self.own(antenna)
        others = Rate(own.hits - here.hits, own.looks - here.looks)
        bad = here.share < BAD_SPOT and here.interval[1] < LOW_READS
        return bad and worse_by_chance(others, here) < CHANCE / len(self._places)

    def _stronger(self, antenna: int) -> str:
        place = self._by[antenna]
        if self.worst_cross(antenna).share > 0.05:
            return (
                "do not raise its power, for it reads cards of its neighbours too; move it nearer"
                " to the cloth, away from metal, and see that it is tuned."
            )
        return (
            place.power.format(how="raise")
            if place.power
            else ("move it nearer to the cloth, away from metal, and see that it is tuned.")
        )

    def _overlaps(self) -> Iterator[Remark]:
        """Pairs whose fields overlap so much that it is hard to say where a card lies."""
        numbers = sorted(self._by)
        for a, b in ((a, b) for a in numbers for b in numbers if a < b):
            if self.deaf(a) or self.deaf(b):
                continue
            across = (self._rates[a, b], self._rates[b, a])
            if not (across[0].hits or across[1].hits):
                continue
            worst = max(across, key=lambda r: r.share)
            rounds = self.rounds_to_tell(a, b)
            words = f"{_cap(self._by[a].words)} and {self._by[b].words}"
            read = f"they read each other's cards in {worst.words} of their looks"
            lower = self._lower(a, b)
            if rounds > 10 * SLOW_ROUNDS:
                yield _bad(f"{words} cannot be told apart: {read}. Next: {lower}")
            elif worst.interval[0] > CROSS_LIMIT:
                yield _bad(
                    f"{words} can hardly be told apart: {read}, and more than"
                    f" {percent(CROSS_LIMIT)} cannot be gone by. Next: {lower}"
                )
            elif rounds > SLOW_ROUNDS or worst.share > CROSS_LIMIT / 2:
                yield _warn(
                    f"{words} are hard to tell apart: {read}; it takes {rounds:.0f} sweeps."
                    f" Next: {lower}"
                )

    def rounds_to_tell(self, a: int, b: int) -> float:
        """How many looks of both it takes, on average, to be sure at which of two a card lies that
        lies where it is told worse (S. Kullback: information a look)."""
        r = self._rates
        gain = min(_gain(r[x, x], r[y, x]) + _gain(r[x, y], r[y, y]) for x, y in ((a, b), (b, a)))
        return self._budget.place_nats / gain if gain > 0 else math.inf

    def _lower(self, a: int, b: int) -> str:
        power = next((p.power for p in (self._by[a], self._by[b]) if p.power), "")
        said = power.format(how="lower") if power else "move them apart, or put ferrite between."
        return f"{said} They are 'neighbours' from now on whatever the table.toml says."

    def _stacks(self) -> Iterator[Remark]:
        for place in self._places:
            if self.told_apart(place.antenna) is False and place.max_stack != 1:
                yield _warn(
                    f"{_cap(place.words)} does not tell two cards on each other apart. Next: cards"
                    " there must lie beside each other; or use tags that lie at another corner."
                )

    def _white_lamps(self) -> Iterator[Remark]:
        each = CHANCE / max(1, len(self._places))
        for place in self._places:
            lamps = self._lamps(place.antenna)
            if lamps is None or self.deaf(place.antenna):
                continue
            if worse_by_chance(*lamps) < each:
                yield _warn(
                    f"With all lamps white {place.words} reads the card in"
                    f" {percent(lamps[1].share)} of its looks instead of {percent(lamps[0].share)}."
                    " Next: lead the lamps' cable away from the antenna, give the lamps a supply of"
                    " their own, or make them darker (burnturn calibrate lamps)."
                )

    def _noise(self) -> Iterator[Remark]:
        for place in self._places:
            heard = [
                v.at(place.antenna) for p in self._samples.placed for v in p.visits if not v.white
            ]
            noise = Rate(sum(h.noise for h in heard), sum(h.looks + h.noise for h in heard))
            if noise.share > NOISE_LIMIT and not self.deaf(place.antenna):
                yield _warn(
                    f"{_cap(place.words)}: {percent(noise.share)} of the looks gave no clean"
                    " answer. Next: lead its cable away from lamps and supplies; see that no other"
                    " reader transmits."
                )
            found = next((h for h in self._samples.empty if h.antenna == place.antenna), None)
            if found is not None and found.strangers > 1:
                yield _warn(
                    f"{_cap(place.words)} read a tag in {found.strangers} of {found.looks} looks"
                    " while no card should have lain there. Next: look for a card or a key fob"
                    " near it."
                )

    def _sweep(self) -> Iterator[Remark]:
        sweep_s = self._samples.sweep_s
        if sweep_s is None:
            return
        said = f"A round of all antennas takes {sweep_s * 1000:.0f} ms"
        if sweep_s > SWEEP_LIMIT_S:
            yield _warn(
                f"{said}; above {SWEEP_LIMIT_S * 1000:.0f} ms the table will often say that it"
                " cannot tell the order. Next: give some antennas readers of their own."
            )
        else:
            yield _good(f"{said}.")

    def _order(self) -> Iterator[Remark]:
        """Antennas are swept by their numbers; those of the seats should go round the table."""
        seats = [p for p in self._places if p.zone.startswith("seat/")]
        by_number = sorted(seats, key=lambda p: p.antenna)
        by_seat = sorted(seats, key=lambda p: int(p.zone[5:]))
        if by_number != by_seat:
            order = ", ".join(str(p.antenna) for p in by_seat)
            numbers = ", ".join(str(p.antenna) for p in by_number)
            yield _warn(
                f"From seat {by_seat[0].zone[5:]} on, the antennas are {order}. Next: number them"
                f" {numbers} in that order in the table.toml: they are looked at in the order of"
                " their numbers, and the order of a deal is proved best that way round."
            )


def _gain(here: Rate, there: Rate) -> float:
    """What one look tells on average: that the card lies where `here` holds, not `there`, nats."""
    p, q = (min(max(r.careful, 1e-4), 1 - 1e-4) for r in (here, there))
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def _cap(words: str) -> str:
    return words[0].upper() + words[1:]


def _bad(text: str) -> Remark:
    return Remark(Weight.REFUSED, text)


def _warn(text: str) -> Remark:
    return Remark(Weight.WARNING, text)


def _good(text: str) -> Remark:
    return Remark(Weight.GOOD, text)
