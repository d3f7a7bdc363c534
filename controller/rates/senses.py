"""What a table's senses were asked and got wrong since the hand before, from counters that they
keep anyway. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from controller.model.table import AntennaPlace, Layout
from controller.rates.counts import Error, Portion, Sense
from controller.rates.nights import Counted
from controller.sensing.tracks import ZoneFigures
from drivers.readings import Side, Sight

TABLE = "the table"


def name_of(place: AntennaPlace) -> str:
    """What watches the place, for people."""
    if place.camera is not None:
        return camera_name(place.camera, str(place.zone))
    return f"antenna {place.antenna}"


def camera_name(camera: int, area: str) -> str:
    return f"camera {camera}, {area}"


def measured(layout: Layout) -> dict[Sense, float]:
    """What was configured or calibrated of each antenna."""
    rates: dict[Sense, float] = {}
    for place in layout.antennas:
        rates[Sense(name_of(place), Error.MISS)] = place.profile.miss_rate
        if place.camera is None:
            rates[Sense(name_of(place), Error.CROSS)] = place.profile.cross_rate
    return rates


class SenseCounts:
    """Counts what comes by at a table of that layout, and gives it out hand by hand."""

    def __init__(self, layout: Layout) -> None:
        self._places = layout.by_antenna
        self._before: dict[Sense, Portion] = {}
        self._tried: Counter[Sense] = Counter()
        self._wrong: Counter[Sense] = Counter()

    def sight(self, sight: Sight) -> None:
        """A picture, as read."""
        for area in sight.areas:
            name = camera_name(sight.camera, area.area)
            self._count(name, Error.UNCLEAR, 1, not area.clear)
            if not area.clear:
                continue
            up = [card for card in area.cards if card.side is Side.UP]
            unread = sum(card.face is None for card in up)
            unsure = sum(card.side is Side.UNSURE for card in area.cards)
            self._count(name, Error.UNREAD, len(up), unread)
            self._count(name, Error.UNSURE, len(area.cards), unsure)

    def hand(self, figures: Iterable[ZoneFigures], verdicts: Portion) -> Counted:
        """All of it since this was last asked. figures: of every antenna since its start. verdicts:
        how many questions ended hands so far, and how many of them undecided."""
        counted: dict[Sense, Portion] = {}
        totals = {**self._of_places(figures), Sense(TABLE, Error.UNDECIDED): verdicts}
        for sense, now in totals.items():
            before = self._before.get(sense, Portion(0, 0))
            more = Portion(now.tried - before.tried, now.wrong - before.wrong)
            if more.tried > 0 and more.wrong >= 0:  # else something was taken back: next time
                self._before[sense] = now
                counted[sense] = more
        for sense, tried in self._tried.items():
            if tried:
                counted[sense] = Portion(tried, self._wrong[sense])
        self._tried.clear()
        self._wrong.clear()
        return counted

    def _count(self, what: str, error: Error, tried: int, wrong: int) -> None:
        sense = Sense(what, error)
        self._tried[sense] += tried
        self._wrong[sense] += wrong

    def _of_places(self, figures: Iterable[ZoneFigures]) -> Mapping[Sense, Portion]:
        counted: dict[Sense, Portion] = {}
        for f in figures:
            place = self._places[f.antenna]
            name = name_of(place)
            counted[Sense(name, Error.MISS)] = Portion(f.lying, f.missed)
            if place.camera is None:
                looks = f.polls + f.noise
                counted[Sense(name, Error.CROSS)] = Portion(f.beside, f.crossed)
                counted[Sense(name, Error.NOISE)] = Portion(looks, f.noise)
                counted[Sense(name, Error.GHOST)] = Portion(looks, f.ghosts)
        return counted
