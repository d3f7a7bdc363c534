"""Measuring antennas: which act comes next, and how many looks are enough.

Any card will do, and a second one for the stack. Whatever tag is read most where a single card lies
is the first card, so nothing of the cards has to be known before, and nothing is kept of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Protocol

from calibration import antennas_page
from calibration.antennas import (
    AntennaSamples,
    AntennasProfile,
    Budget,
    Heard,
    Place,
    Placed,
    Visit,
    deaf,
    fit,
)
from calibration.rates import NOTHING, Rate, certain
from calibration.spots import place_words, spots
from calibration.steps import Act, Belongs, Fitted, News, Person
from drivers.readings import Outcome, Poll, Uid

_ASK_EVERY = 10  # looks


class Eyes(Protocol):
    """The table's readers, asked one look at a time. Raises DriverError while a reader is lost."""

    async def look(self, antenna: int) -> Poll: ...


class WhiteLamps(Protocol):
    """All lamps of the table at once."""

    async def white(self, on: bool) -> None: ...


@dataclass(frozen=True, slots=True)
class Looks:
    """How many looks are taken while a card lies at a spot.

    least, most: of the antenna below it; between the two it ends as soon as the read rate over all
    its spots is known `within` (and `last` replaces `most` at the last spot). near: of an antenna
    that is a neighbour, or that has read the card. far: of every other one. white: with white
    lamps. stack: with two cards. empty: of a table without a card. rounds: of all antennas, for the
    time that one takes.
    """

    least: int = 30
    most: int = 80
    last: int = 240
    within: float = 0.02
    near: int = 40
    far: int = 6
    white: int = 60
    stack: int = 40
    empty: int = 5
    rounds: int = 8


# ---- what a simulated person is told


@dataclass(frozen=True, slots=True)
class Lay:
    """So many cards on each other at that spot, and no card anywhere else."""

    antenna: int
    spot: int
    cards: int


@dataclass(frozen=True, slots=True)
class Clear:
    """No card anywhere."""


class AntennaStep:
    """The calibration of all antennas; a `Step`.

    places: the antennas in the order in which they are measured. seats: how many the table has.
    belongs: what the profile belongs to. lamps: None where there are none to disturb. whole: all
    five spots of a mark, or (False) its middle alone. before: what was measured the last time.
    """

    kind = "antennas"
    title = "Antennas: how well each reads a card, and whose"
    samples = AntennaSamples
    profile = AntennasProfile

    def __init__(
        self,
        places: Sequence[Place],
        eyes: Eyes,
        budget: Budget,
        *,
        seats: int,
        belongs: Callable[[], Belongs],
        lamps: WhiteLamps | None = None,
        looks: Looks | None = None,
        whole: bool = True,
        before: AntennasProfile | None = None,
    ) -> None:
        self._places = tuple(places)
        self._eyes = eyes
        self._budget = budget
        self._belongs = belongs
        self._lamps = lamps
        self._looks = looks or Looks()
        self._seats = seats
        self._whole = whole
        self._before = before
        self._spots = {p.antenna: spots(p.zone, seats)[: None if whole else 1] for p in places}
        self._cards: dict[Uid, int] = {}
        self._taken: list[tuple[float, float]] = []

    def belongs(self) -> Belongs:
        return self._belongs()

    def fit(self, samples: AntennaSamples) -> Fitted[AntennasProfile]:
        words = {antenna: [spot.words for spot in spots] for antenna, spots in self._spots.items()}
        profile, remarks = fit(self._places, samples, self._budget, words, self._before)
        page = antennas_page.page(
            self._places, self._spots, samples, profile, self._budget, self._seats
        )
        return Fitted(profile, remarks, page)

    # -- the course of it --------------------------------------------------------------------------

    async def capture(
        self,
        person: Person,
        so_far: AntennaSamples | None,
        keep: Callable[[AntennaSamples], None],
    ) -> AntennaSamples:
        samples = so_far or AntennaSamples(whole=self._whole)
        if samples.whole is not self._whole:  # other spots than those that were begun with
            samples = AntennaSamples(whole=self._whole)
        if not samples.empty:
            samples = replace(samples, empty=await self._empty(person))
            keep(self._counted(samples))
        for place in self._places:
            if samples.of(place.antenna).visits:
                continue
            placed = await self._place(person, place)
            others = tuple(p for p in samples.placed if p.antenna != place.antenna)
            samples = replace(samples, placed=(*others, placed))
            keep(self._counted(samples))
        await self._clear(person, "Take all cards away: the table is looked at once more, empty.")
        return self._counted(replace(samples, sweep_s=await self._round()))

    def _counted(self, samples: AntennaSamples) -> AntennaSamples:
        looks, seconds = len(self._taken), sum(e - s for s, e in self._taken)
        return replace(samples, looks=samples.looks + looks, seconds=samples.seconds + seconds)

    @property
    def _acts(self) -> int:
        """Acts of all antennas: each spot, and the second card."""
        return sum(len(spots) + 1 for spots in self._spots.values())

    def _done(self, place: Place) -> int:
        before = self._places[: self._places.index(place)]
        return sum(len(self._spots[p.antenna]) + 1 for p in before)

    async def _clear(self, person: Person, ask: str) -> None:
        act = Act(ask, self._acts, self._acts, {"": "there is no card on the table"}, task=Clear())
        await person.does(act)

    async def _empty(self, person: Person) -> tuple[Heard, ...]:
        ask = "Take every card off the table, and out of the reach of its antennas."
        while True:
            act = Act(ask, 0, self._acts, {"": "there is no card on the table"}, task=Clear())
            await person.does(act)
            count = _Count()
            for antenna in [p.antenna for p in self._places] * self._looks.empty:
                count.take(await self._look(antenna))
            heard = tuple(count.heard(p.antenna, ()) for p in self._places)
            lying = [
                p for p, h in zip(self._places, heard, strict=True) if 2 * h.strangers > h.looks > 0
            ]
            if not lying:
                return heard
            words = ", ".join(place_words(p.zone) for p in lying)
            ask = f"A tag is still read at {words}: take it away (a card, a key fob, a pass)."

    async def _place(self, person: Person, place: Place) -> Placed:
        visits: list[Visit] = []
        own = NOTHING
        for n, spot in enumerate(self._spots[place.antenna]):
            last = n == len(self._spots[place.antenna]) - 1
            words = place_words(place.zone)
            ask = f"Lay one card on {spot.words} of {words}."
            if n == 0 and place is not self._places[0]:
                ask = f"Take the cards away, and lay one of them on {spot.words} of {words}."
            ask = ask.replace(" of the mark of ", " of the mark at ")
            answer = await self._ask(person, place, n, ask, Lay(place.antenna, n, 1), skip=n == 0)
            if answer == "s":
                return Placed(place.antenna, (), skipped=True)
            visit = await self._single(person, place, n, own, last)
            visits.append(visit)
            own += visit.at(place.antenna).rate()
            others = [h.rate() for h in visit.heard if h.antenna != place.antenna]
            if n == 0 and deaf(own, others):  # a dead antenna's other spots tell nothing more
                return Placed(place.antenna, tuple(visits))
            if n == 0 and self._lamps is not None:
                visits.append(await self._white(person, place))
        n = len(self._spots[place.antenna])
        ask = f"Lay a second card on the one in the middle of {place_words(place.zone)}'s mark."
        if n > 1:
            ask = f"Lay both cards, one on the other, on the middle of {words}'s mark."
        if await self._ask(person, place, n, ask, Lay(place.antenna, 0, 2), skip=True) == "":
            visits.append(await self._stack(person, place))
        return Placed(place.antenna, tuple(visits))

    async def _ask(
        self, person: Person, place: Place, n: int, ask: str, task: Lay, skip: bool
    ) -> str:
        answers = {"": "it lies there" if task.cards == 1 else "both lie there"}
        if skip:
            what = "leave this antenna out" if task.cards == 1 else "there is no second card"
            answers["s"] = what
        act = Act(ask, self._done(place) + n, self._acts, answers, task=task)
        return await person.does(act)

    # -- looking -----------------------------------------------------------------------------------

    async def _look(self, antenna: int) -> Poll:
        poll = await self._eyes.look(antenna)
        self._taken.append((poll.started, poll.ended))
        return poll

    async def _single(
        self, person: Person, place: Place, spot: int, before: Rate, last: bool
    ) -> Visit:
        asked = False
        while True:
            count = await self._look_at(person, place, before, last)
            own, card = count.looks[place.antenna], self._first(count)
            elsewhere = None if card is None else count.most(card)
            if own == 0 or asked or (card is not None and count.read(place.antenna, card)):
                break
            asked = True  # a card beside its mark is common; a dead antenna is rare
            where = "no antenna reads it"
            if elsewhere is not None:
                other = next(p for p in self._places if p.antenna == elsewhere)
                where = f"{other.words} reads it"
            spot_words = self._spots[place.antenna][spot].words
            act = Act(
                f"{place.words[0].upper() + place.words[1:]} does not read the card; {where}. Lay"
                f" it once more on {spot_words}, at {place_words(place.zone)}.",
                self._done(place) + spot,
                self._acts,
                {"": "it lies there"},
                task=Lay(place.antenna, spot, 1),
            )
            await person.does(act)
        return self._visit(count, spot, 1, white=False)

    async def _look_at(self, person: Person, place: Place, before: Rate, last: bool) -> _Count:
        """Look at all antennas, most at the one where the card lies, until it is enough."""
        needs, count = self._looks, _Count()
        here = place.antenna
        near = {p.antenna for p in self._places if here in p.neighbours} | set(place.neighbours)
        enough, asked_at = False, 0
        while True:
            card = self._first(count)
            wanted = {
                p.antenna: needs.near
                if p.antenna in near or (card is not None and count.read(p.antenna, card))
                else needs.far
                for p in self._places
            }
            if not enough and count.looks[here] >= max(needs.least, asked_at + _ASK_EVERY):
                asked_at = count.looks[here]
                enough = self._enough(count, card, here, before)
            most = needs.last if last else needs.most
            wanted[here] = needs.least if enough else most
            share = {a: count.all(a) / n for a, n in wanted.items()}
            antenna = min(share, key=lambda a: (share[a], a))
            done = min(1.0, sum(count.all(a) for a in wanted) / sum(wanted.values()))
            person.hears(News(f"looking at {place.words}", done))
            if share[antenna] >= 1.0:
                return count
            count.take(await self._look(antenna))

    def _enough(self, count: _Count, card: Uid | None, here: int, before: Rate) -> bool:
        reads = 0 if card is None else count.read(here, card)
        pooled = before + Rate(reads, count.looks[here])
        return reads == 0 or certain(pooled, self._looks.within)

    async def _white(self, person: Person, place: Place) -> Visit:
        assert self._lamps is not None
        await self._lamps.white(True)
        try:
            return await self._watch(person, place, 1, self._looks.white, white=True)
        finally:
            await self._lamps.white(False)

    async def _stack(self, person: Person, place: Place) -> Visit:
        return await self._watch(person, place, 2, self._looks.stack)

    async def _watch(
        self, person: Person, place: Place, cards: int, looks: int, white: bool = False
    ) -> Visit:
        """Look at one antenna alone."""
        count = _Count()
        what = "with all lamps white" if white else "with two cards on each other"
        for n in range(looks):
            person.hears(News(f"looking at {place.words} {what}", n / looks))
            count.take(await self._look(place.antenna))
        if cards == 2:
            self._second(count)
        return self._visit(count, 0, cards, white)

    async def _round(self) -> float | None:
        """The time from one look of an antenna to its next, as they go round."""
        ended: dict[int, list[float]] = {}
        for antenna in [p.antenna for p in self._places] * self._looks.rounds:
            ended.setdefault(antenna, []).append((await self._look(antenna)).ended)
        rounds = [b - a for at in ended.values() for a, b in pairwise(at)]
        return median(rounds) if rounds else None

    # -- which card is which -----------------------------------------------------------------------

    def _first(self, count: _Count) -> Uid | None:
        """The card that lies there: the one known as the first, else the one read most."""
        for known, number in self._cards.items():
            if number == 0 and count.reads_of(known):
                return known
        uid = count.commonest(())
        if uid is not None:
            self._cards = {uid: 0}  # another card than before: its second is another one, too
        return uid

    def _second(self, count: _Count) -> None:
        known = [uid for uid, number in self._cards.items() if count.reads_of(uid)]
        if not any(self._cards[uid] == 1 for uid in known):
            uid = count.commonest(tuple(uid for uid, n in self._cards.items() if n == 0))
            if uid is not None:
                self._cards = {u: n for u, n in self._cards.items() if n == 0} | {uid: 1}

    def _visit(self, count: _Count, spot: int, cards: int, white: bool) -> Visit:
        names = sorted(self._cards, key=lambda uid: self._cards[uid])[:cards]
        heard = tuple(count.heard(p.antenna, names) for p in self._places if count.all(p.antenna))
        return Visit(spot, cards, white, heard)


class _Count:
    """Looks while the cards lie still."""

    def __init__(self) -> None:
        self.looks: Counter[int] = Counter()
        self._noise: Counter[int] = Counter()
        self._reads: dict[int, Counter[Uid]] = {}

    def take(self, poll: Poll) -> None:
        if poll.outcome is Outcome.NOISE:
            self._noise[poll.antenna] += 1
            return
        self.looks[poll.antenna] += 1
        self._reads.setdefault(poll.antenna, Counter()).update(set(poll.uids))

    def all(self, antenna: int) -> int:
        return self.looks[antenna] + self._noise[antenna]

    def read(self, antenna: int, uid: Uid) -> int:
        return self._reads.get(antenna, Counter())[uid]

    def reads_of(self, uid: Uid) -> int:
        return sum(reads[uid] for reads in self._reads.values())

    def most(self, uid: Uid) -> int | None:
        """The antenna that reads it most."""
        found = {a: self.read(a, uid) for a in self._reads if self.read(a, uid)}
        return max(found, key=lambda a: found[a], default=None)

    def commonest(self, but: Sequence[Uid]) -> Uid | None:
        """The tag that is read most; one that is read once only may be a ghost."""
        reads = sum(self._reads.values(), Counter[Uid]())
        found = [(uid, n) for uid, n in reads.most_common() if uid not in but and n > 1]
        return found[0][0] if found else None

    def heard(self, antenna: int, cards: Sequence[Uid]) -> Heard:
        reads = self._reads.get(antenna, Counter())
        strangers = sum(n for uid, n in reads.items() if uid not in cards)
        return Heard(
            antenna,
            self.looks[antenna],
            self._noise[antenna],
            tuple(reads[uid] for uid in cards),
            strangers,
        )
