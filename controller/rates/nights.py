"""A table's nights: what its senses got wrong in each, what they should, and what is told of it.
Pure.

The reference of an antenna's misses and cross-reads is what was configured or calibrated. Of the
other errors nobody measures one beforehand: it is what the first nights showed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from controller.rates.counts import Error, Portion, Sense, Tally
from controller.rates.drift import Drift

Counted = Mapping[Sense, Portion]
"""What one hand brought."""

KEPT = 120
"""Nights that are kept: four months, a few hundred kilobytes."""
FIRST_NIGHTS = 3
"""So many nights, with `FIRST_TRIES`, make a reference where nothing was measured beforehand."""
FIRST_TRIES = 2000
SAME_NIGHT_S = 6 * 3600.0
"""A table that was stopped for longer begins another night."""

_WORDS = {
    Error.MISS: ("misses cards that lie there", "looks"),
    Error.CROSS: ("reads its neighbours' cards", "looks"),
    Error.NOISE: ("gives no clean answer", "looks"),
    Error.GHOST: ("names tags that there are not", "looks"),
    Error.UNCLEAR: ("is hidden, blurred or badly lit", "pictures"),
    Error.UNREAD: ("shows faces that cannot be read", "faces"),
    Error.UNSURE: ("shows cards whose side cannot be told", "cards"),
    Error.UNDECIDED: ("cannot decide", "questions"),
}
_REMEDIES = {
    Error.MISS: "see what lies under it and that its plug sits, then calibrate it anew",
    Error.CROSS: "see that it and its neighbours lie where they did, then calibrate it anew",
    Error.NOISE: "look for a new source of disturbance (a lamp, a charger) and at its cable",
    Error.GHOST: "look at its cable and power, and at tags that lie on one another",
    Error.UNCLEAR: "wipe the camera, see that nothing hangs before it, and look at the light",
    Error.UNREAD: "wipe the camera and see to its focus and the light",
    Error.UNSURE: "wipe the camera and see to its focus and the light",
    Error.UNDECIDED: "see burnturn rates for the sense that got worse, and burnturn doctor",
}


@dataclass(frozen=True, slots=True)
class Night:
    """One night: when it began and when it was last counted (seconds since 1970), its hands, and
    each sense's errors."""

    began: float
    last: float
    hands: int = 0
    tallies: Mapping[Sense, Tally] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nights:
    """All that is kept: nights, oldest first, the last one perhaps still on; and the tests."""

    nights: tuple[Night, ...] = ()
    drifts: Mapping[Sense, Drift] = field(default_factory=dict)

    def begun(self, now: float, again: bool = False) -> Nights:
        """A table starts. again: it goes on where it was killed, and so does the night, unless that
        was long ago."""
        if again and self.nights and 0.0 <= now - self.nights[-1].last < SAME_NIGHT_S:
            return self
        kept = tuple(night for night in self.nights if night.hands)[-KEPT + 1 :]
        return replace(self, nights=(*kept, Night(now, now)))

    def referred(self, measured: Mapping[Sense, float]) -> Nights:
        """Judged by these references, and by what the first nights showed where there is none. A
        test whose reference is another one now begins anew."""
        wanted = dict(measured)
        for sense in {sense for night in self.nights[:-1] for sense in night.tallies}:
            if sense.error in (Error.MISS, Error.CROSS):
                continue
            if sense in self.drifts:
                wanted[sense] = self.drifts[sense].reference
            elif (first := self._first(sense)) is not None:
                wanted[sense] = first
        drifts = {
            sense: test
            if (test := self.drifts.get(sense)) is not None and test.reference == reference
            else Drift(sense.error, reference)
            for sense, reference in wanted.items()
        }
        return replace(self, drifts=drifts)

    def _first(self, sense: Sense) -> float | None:
        tallies = [n.tallies[sense] for n in self.nights[:-1] if sense in n.tallies]
        first = pooled(tallies[:FIRST_NIGHTS])
        enough = len(tallies) >= FIRST_NIGHTS and (
            first.tried >= FIRST_TRIES or sense.error is Error.UNDECIDED
        )
        return first.rate if enough else None

    def hand(self, counted: Counted, now: float) -> tuple[Nights, tuple[str, ...]]:
        """With one hand more; what is to be told of it."""
        night = self.nights[-1] if self.nights else Night(now, now)
        tallies = dict(night.tallies)
        drifts = dict(self.drifts)
        told: list[str] = []
        for sense, portion in counted.items():
            tallies[sense] = tallies.get(sense, Tally()).plus(portion)
            if (before := drifts.get(sense)) is not None:
                after = drifts[sense] = before.hand(portion)
                if after.told is not before.told:
                    told.append(words(sense, after, tallies[sense].rate))
        last = replace(night, last=max(now, night.began), hands=night.hands + 1, tallies=tallies)
        return Nights((*self.nights[:-1], last), drifts), tuple(told)

    def trouble(self) -> tuple[str, ...]:
        """A line for each sense that has drifted and not come back."""
        last = self.nights[-1].tallies if self.nights else {}
        return tuple(
            words(sense, test, last.get(sense, Tally()).rate)
            for sense, test in sorted(self.drifts.items())
            if test.told
        )


def pooled(tallies: Iterable[Tally]) -> Tally:
    """Several nights as one."""
    total = Tally()
    for tally in tallies:
        total = total.joined(tally)
    return total


def words(sense: Sense, test: Drift, rate: float | None) -> str:
    """What is told of a drift, or of its end; it names no card."""
    what, of = _WORDS[sense.error]
    usual = f"{test.reference:.1%} of its {of} is usual"
    if not test.told:
        return (
            f"{sense.what} is as it should be again: it {what} no more often than it did ({usual})"
        )
    share = "" if rate is None else f", {rate:.1%} tonight"
    return f"{sense.what} {what} too often{share}; {usual}. Next: {_REMEDIES[sense.error]}"
