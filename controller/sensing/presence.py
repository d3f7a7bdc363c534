"""From polls to settled cards: which card lies in which zone, since when, and what a silence
proves.

A poll that names exactly the cards known to lie there, with nothing open, is only counted.
Everything else is weighed: a tag read where it is not settled claims that zone (`Run`), every look
of that antenna, of its neighbours and of the card's home counts for or against, and the claim is
granted, or given up, at odds that follow from the false-alarm budget (see `budget`). Pure: time is
in the polls, and the same polls give the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from controller.model.events import (
    CardCame,
    CardCarried,
    CardGlimpsed,
    CardLeft,
    TableEvent,
    TagFault,
    TagVerdict,
    Token,
)
from controller.model.findings import Sensed, Watch
from controller.model.table import Layout, Zone
from controller.sensing import clones, heaps, piles
from controller.sensing.budget import FalseAlarmBudget
from controller.sensing.dating import latest_absence
from controller.sensing.ghosts import UID_LENGTHS, merged, shifted
from controller.sensing.stock import take_stock
from controller.sensing.tracks import Antenna, Lookout, Run, Tag, ZoneFigures
from controller.sensing.watches import answer, clean_polls
from controller.vault import Vault
from drivers.readings import Outcome, Poll, Uid

WASH_S = 6.0  # what settled so shortly before or after a wash was part of it
MOVE_SILENCES = (
    2  # silences of its old zone that a move needs besides the odds, where silence can be heard
)
EXCHANGE_LOOKS = 2  # silent looks of a seat's card at which a further card is not yet one too many
# Weight of the silences since its last read with which a claim is not granted, whoever speaks for
# it: a card that slid across is heard no more when its old zone's silence comes to count.
MOST_HUSH_NATS = 4.0
CROSSED_S = 3.0  # a card that was taken away before a read across is known to be gone by then
RECENT_S = 1.5  # a claim read this lately keeps a settled card from being called gone
_MOST_TAGS = 512
_MOST_ACROSS = 64
_NOISE = Outcome.NOISE


class Sensing:
    """Turns the polls of a table's antennas into events. One per table; not thread-safe."""

    def __init__(
        self, layout: Layout, vault: Vault, budget: FalseAlarmBudget | None = None
    ) -> None:
        self._vault = vault
        self._budget = budget or FalseAlarmBudget()
        self._place_nats = self._budget.place_nats
        self._left_nats = self._budget.left_nats
        self._move_nats = self._budget.move_nats
        self._antennas = {a.antenna: Antenna(a, self._budget) for a in layout.antennas}
        self._by_zone = {a.zone: a for a in self._antennas.values()}
        for antenna in self._antennas.values():
            antenna.neighbours = tuple(
                self._antennas[n] for n in sorted(antenna.near) if n in self._antennas
            )
        self._tags: dict[Uid, Tag] = {}
        self._washed_until = -inf
        self._lengths = vault.uid_lengths or UID_LENGTHS
        self._answerable: list[Antenna] = []  # whose watch the looks before it may answer
        self._turns: list[tuple[Tag, Antenna]] = []  # reads at home after one elsewhere, this look
        self._stale = True  # whether `sensed` is to be worked out anew
        self._sensed = Sensed()
        self._look_s = 0.0  # how long one look takes
        self._looking: Antenna | None = None  # whose clean look is being taken in
        self._looked: dict[Uid, tuple[int, int]] = {}
        self.unknown_antennas = 0

    def __repr__(self) -> str:
        return f"<sensing of {len(self._antennas)} antennas>"

    # -- what others ask ---------------------------------------------------------------------------

    def settled(self) -> Mapping[Zone, tuple[Token, ...]]:
        """The cards believed to lie in each zone, in order of arrival; zones without cards are left
        out.
        """
        return {
            a.zone: tuple(self._vault.token(uid) for uid in a.settled)
            for a in self._antennas.values()
            if a.settled
        }

    def unsettled_zones(self) -> tuple[Zone, ...]:
        """Zones over which a heap of cards lies or passes (a wash, a gather): nothing settles there
        until it is gone.
        """
        return tuple(a.zone for a in self._antennas.values() if a.heap)

    def sensed(self) -> Sensed:
        """Where looks would decide something.

        A zone is undecided in which a newcomer has been read, or in which the cards of a pile have
        not been read lately though they could have been. Where the newcomer's pile is so high that
        a read is rare, its neighbours' silence decides, and their zones are named too. Not where a
        wash or a gather passes over: looking closely at that decides nothing. A card seems to have
        come to a zone from the deck that is settled nowhere, and that has been read nowhere else
        more often or, as often, earlier.
        """
        if self._stale:
            self._stale = False
            self._sensed = take_stock(self._antennas.values(), self._tags, self._look_s)
        return self._sensed

    def silences(self, zone: Zone) -> int:
        """k of the zone's antenna: how many silent polls prove that nothing lay there."""
        return self._by_zone[zone].k

    def figures(self) -> tuple[ZoneFigures, ...]:
        """Health of every antenna since the start."""
        for antenna in self._antennas.values():
            for tag in antenna.settled.values():
                self._note_looks(tag, antenna)
                if not tag.runs and not tag.silent:
                    tag.stayed(antenna.last_ended - CROSSED_S)
        return tuple(a.figures() for a in self._antennas.values())

    def placed(self, uid: Uid) -> tuple[Zone, Token] | None:
        """Where a card is settled, and its token; None while it is settled nowhere."""
        tag = self._tags.get(uid)
        if tag is None or tag.home is None:
            return None
        return tag.home.zone, self._token(tag)

    def near(self, zone: Zone) -> list[Uid]:
        """Cards that lie in the zone or a neighbouring one, or may be about to."""
        antenna = self._by_zone[zone]
        return [u for a in (antenna, *antenna.neighbours) for u in (*a.settled, *a.open)]

    def contradict(self, zone: Zone, at: float) -> None:
        """A card is seen in the zone at that moment, and nobody can say which: no silence proves
        any more that none has come by then."""
        self._by_zone[zone].contradicted_at = at

    def looked(self) -> dict[Uid, tuple[int, int]]:
        """Of every enrolled tag since this was last asked: looks at it where it lay settled, with
        no more cards than the antenna can tell apart, and how many of them read it."""
        for antenna in self._antennas.values():
            for tag in antenna.settled.values():
                self._note_looks(tag, antenna)
        found, self._looked = self._looked, {}
        return found

    # -- what happens to it ------------------------------------------------------------------------

    def watch(self, watches: Iterable[Watch]) -> None:
        """Replace the set of watches; polls of the past count for a new one. At most one for each
        zone (the last).
        """
        wanted = {w.zone: w for w in watches if w.zone in self._by_zone}
        for antenna in self._antennas.values():
            watch = wanted.get(antenna.zone)
            if watch is None:
                antenna.asked = None
                antenna.watching = False
            elif antenna.asked is None or antenna.asked.watch != watch:
                antenna.asked = Lookout(watch, clean_polls(antenna, watch.since))
                antenna.watching = True
                if antenna.asked.counted >= antenna.k:
                    self._answerable.append(antenna)

    def renew(self, at: float) -> list[CardCarried]:
        """A hand is over: every token is forgotten, and the cards still settled get new ones."""
        self._vault.renew()
        self._stale = True
        kept: dict[Uid, Tag] = {}
        carried = []
        for antenna in self._antennas.values():
            antenna.lifted.clear()
            for uid, tag in antenna.settled.items():
                kept[uid] = tag
                tag.token = self._vault.token(uid)
                tag.carried = True
                tag.source = antenna
                carried.append(CardCarried(at=at, token=tag.token, zone=antenna.zone))
        for uid, tag in self._tags.items():
            tag.flips.clear()
            tag.beside.clear()
            tag.cloned = False
            self._lose_sight(tag)
            if uid not in kept:
                tag.token = None
                tag.source = None
                if tag.runs:
                    kept[uid] = tag
        self._tags = kept
        for antenna in self._antennas.values():
            antenna.refresh()
        return carried

    def reader_lost(self, antennas: Iterable[int]) -> None:
        """These antennas do not answer: their silence is none, and what they had begun to see is
        begun anew when they are back.
        """
        self._stale = True
        for antenna in self._known(antennas):
            antenna.lost = True
            for tag in list(antenna.open.values()):
                self._give_up(tag, tag.runs[antenna.number])
            for tag in list(antenna.hooked.values()):
                self._unhook(antenna, tag)
            antenna.refresh()

    def reader_back(self, antennas: Iterable[int]) -> None:
        """These antennas answer again; silences before the gap no longer add up to a card's
        absence.
        """
        self._stale = True
        for antenna in self._known(antennas):
            antenna.lost = False
            for tag in antenna.settled.values():
                tag.silent = 0
                tag.doubt = 0.0
                tag.pardon()
            antenna.silent = 0
            antenna.refresh()

    def _known(self, antennas: Iterable[int]) -> Iterator[Antenna]:
        return (self._antennas[n] for n in antennas if n in self._antennas)

    # -- polls -------------------------------------------------------------------------------------

    def poll(self, p: Poll) -> list[TableEvent]:
        """Take one poll in. Polls come in the order of their ends."""
        number, uids, outcome, started, ended, complete = p
        antenna = self._antennas.get(number)
        if antenna is None:
            self.unknown_antennas += 1
            return []
        if self._answerable:
            events = self._answer_at_once(ended)
            return events + self.poll(p) if events else self.poll(p)
        if uids == antenna.steady and antenna.quiet and complete and outcome is not _NOISE:
            antenna.polls += 1
            antenna.last_ended = ended
            if antenna.full:
                if antenna.packed:
                    antenna.blurred += 1
                return []
            antenna.looks.append(started)
            return answer(antenna, started, ended) if antenna.watching else []
        if outcome is _NOISE:
            antenna.noise += 1
            return []
        return self._look(antenna, uids, started, ended, complete)

    def _look(
        self, antenna: Antenna, uids: Sequence[Uid], started: float, ended: float, complete: bool
    ) -> list[TableEvent]:
        events: list[TableEvent] = []
        self._stale = True
        self._look_s = ended - started
        antenna.changed = uids != antenna.answer
        if antenna.changed:
            antenna.answer = tuple(uids)
            antenna.changed_at = ended
            antenna.stuck = False
        elif antenna.stuck:
            antenna.noise += 1
            return events
        settled = antenna.settled
        strangers = [uid for uid in uids if uid not in settled]
        others: list[Tag] = []
        if strangers:
            others = self._identify(antenna, strangers, uids)
            if len(others) < len(strangers):
                complete = False  # a ghost hides whom it was made of: this look proves no absence
        if complete:
            self._looking = antenna
            piles.hear(antenna, uids, len(strangers))
        if antenna.hooked:
            self._answer_strays(antenna, uids, started, ended, complete, events)
        if antenna.heap or others:
            others = self._pass_heap(antenna, others, started)
        ripe: list[tuple[Tag, Run]] = []
        if antenna.concerned:
            ripe = self._weigh(antenna, uids, started, ended, complete, events)
        for tag in others:
            if antenna.number not in tag.runs:
                self._sight(antenna, tag, started, ended)
        for tag, run in ripe:
            if tag.runs.get(run.antenna.number) is run and self._granted(tag, run):
                self._settle(tag, run, ended, events)
        if antenna.silent and complete:
            self._miss_cards(antenna, started, ended, events)
        if complete:
            if others and not antenna.full and not antenna.heap:
                self._note_across(antenna, others, started)
            antenna.polls += 1
            self._looking = None
            antenna.last_ended = ended
            stack = antenna.max_stack
            held = antenna.is_seat and settled and len(strangers) == len(uids)
            if not held and (stack is None or len(uids) < stack) and antenna.room():
                antenna.looks.append(started)
                if antenna.watching:
                    if others and antenna.asked is not None:
                        antenna.asked.counted += started >= antenna.asked.watch.since
                    else:
                        events += answer(antenna, started, ended)
            if not others and not antenna.silent:
                antenna.steady = tuple(uids)
        antenna.refresh()
        return events

    def _answer_at_once(self, now: float) -> list[TableEvent]:
        """Answer the watches that the looks before them answer."""
        antennas, self._answerable = self._answerable, []
        events: list[TableEvent] = []
        for antenna in antennas:
            if antenna.watching and antenna.looks:
                events += answer(antenna, antenna.looks[-1], now, new=False)
        return events

    def _note_across(self, antenna: Antenna, others: Iterable[Tag], started: float) -> None:
        for tag in others:
            if tag.home is not None and tag.home.number in antenna.near:
                tag.across.append((antenna, started))
                if len(tag.across) > _MOST_ACROSS:
                    tag.stayed(tag.across[_MOST_ACROSS // 2][1])

    # -- settled cards -----------------------------------------------------------------------------

    def _miss_cards(
        self, antenna: Antenna, started: float, ended: float, events: list[TableEvent]
    ) -> None:
        """Believe that settled cards are gone whose silence has lasted long enough."""
        nats = self._left_nats
        if antenna.crowded:
            # Looks with room to spare, one after the other, show that the pile itself is gone.
            row = min(antenna.roomy, antenna.longest)
            if antenna.barren < nats and antenna.deepest < nats and row < antenna.roomy_need:
                return
        elif min(antenna.plain, antenna.longest) < antenna.plain_need:
            return
        silent = [t for t in antenna.settled.values() if t.silent > 1]
        for tag in [t for t in silent if piles.is_gone(antenna, t, nats)]:
            if any(ended - run.last_ended < RECENT_S for run in tag.runs.values()):
                continue
            events.append(
                CardLeft(
                    at=ended,
                    token=self._token(tag),
                    zone=antenna.zone,
                    after=min(tag.seen_until, started),
                    before=started,
                )
            )
            if tag.carried:
                self._take_up(tag)
                self._forget(tag)
            else:
                antenna.lifted[tag.uid] = tag
                self._take_up(tag)

    def _take_up(self, tag: Tag) -> None:
        """The card lies nowhere any more."""
        home = tag.home
        if home is None:
            return
        self._note_looks(tag, home)
        until = tag.seen_until if tag.silent else inf
        tag.stayed(min([until, *(run.first_started for run in tag.runs.values())]))
        tag.across.clear()
        for neighbour in home.neighbours:
            neighbour.note_beside(-1, until)
        del home.settled[tag.uid]
        home.packed = self._deaf(home)
        home.hooked.pop(tag.uid, None)
        tag.strays.clear()
        tag.home = None
        if tag.carried:
            # It lay there since an earlier hand or a wash, and is shuffled into the deck now:
            # whatever it does next, it does as an unknown card.
            tag.source = None
            tag.carried = False
        for run in tag.runs.values():
            if home.number in run.against and home.number not in run.antenna.near:
                del run.against[home.number]
        home.silent = sum(1 for t in home.settled.values() if t.silent)
        home.steady = tuple(home.settled)
        self._concern(tag)
        home.refresh()

    def _sharp_looks(self, antenna: Antenna) -> int:
        """Its looks that told each settled card, with the one that is being taken in."""
        return antenna.sharp + (antenna is self._looking)

    def _note_looks(self, tag: Tag, home: Antenna) -> None:
        looks, reads = tag.looks(self._sharp_looks(home))
        if not home.keeps_heap:  # what lies on a growing heap is missed for reasons of the heap's
            home.lying += looks
            home.missed += looks - reads
        if looks and tag.known:
            before = self._looked.get(tag.uid, (0, 0))
            self._looked[tag.uid] = (before[0] + looks, before[1] + reads)

    # -- strangers ---------------------------------------------------------------------------------

    def _identify(self, antenna: Antenna, uids: Sequence[Uid], named: Sequence[Uid]) -> list[Tag]:
        """The tags behind UIDs that are not settled here, in the poll's order; ghosts are counted
        and left out.
        """
        tags: list[Tag] = []
        for uid in uids:
            tag = self._tags.get(uid)
            if tag is None or (not tag.known and tag.home is None):
                known = self._vault.knows(uid)
                if not known and self._ghost(antenna, uid, named):
                    antenna.ghosts += 1
                    continue
                if tag is None:
                    tag = self._meet(uid, known)
                if not known and self._vault.enrolled:
                    antenna.strangers += 1
            if tag not in tags:
                tags.append(tag)
        return tags

    def _meet(self, uid: Uid, known: bool) -> Tag:
        if len(self._tags) >= _MOST_TAGS:
            for other in [u for u, t in self._tags.items() if t.token is None and not t.runs]:
                del self._tags[other]
        tag = Tag(uid, known)
        self._tags[uid] = tag
        return tag

    def _ghost(self, antenna: Antenna, uid: Uid, named: Sequence[Uid]) -> bool:
        if len(uid) not in self._lengths:
            return True
        near = [u for a in (antenna, *antenna.neighbours) for u in a.settled]
        near += antenna.newcomers
        if merged(uid, near, named):
            return True
        # Without a deck there is nothing to tell a slipped UID from a tag's own; it will not be
        # read often enough.
        return self._vault.enrolled and shifted(uid, near)

    def _sight(self, antenna: Antenna, tag: Tag, started: float, ended: float) -> None:
        """A read of a tag that neither is settled here nor has a claim to this zone."""
        home = tag.home
        tag.note(antenna, started)
        if home is None:
            self._claim(antenna, tag, started, ended)
            return
        if home.number in antenna.near:
            antenna.cross_reads += 1
        if tag.cloned:
            return
        if tag.runs or tag.silent or home.lost or home.stuck:
            self._claim(antenna, tag, started, ended)
            return
        tag.strays.append((antenna, started, ended))
        home.hooked[tag.uid] = tag
        home.quiet = False

    def _answer_strays(
        self,
        home: Antenna,
        uids: Sequence[Uid],
        started: float,
        ended: float,
        complete: bool,
        events: list[TableEvent],
    ) -> None:
        """Settled cards were read elsewhere; this look of their home says whether that needs a
        case.
        """
        for uid, tag in list(home.hooked.items()):
            if uid in uids:
                del home.hooked[uid]
                strays, tag.strays = tag.strays, []
                for antenna in dict.fromkeys(s[0] for s in strays):
                    self._turn(tag, antenna, ended, events)
            elif complete:
                self._unhook(home, tag)

    def _unhook(self, home: Antenna, tag: Tag) -> None:
        """Open the case of a settled card that was read elsewhere."""
        home.hooked.pop(tag.uid, None)
        strays, tag.strays = tag.strays, []
        for antenna, started, ended in strays:
            run = tag.runs.get(antenna.number)
            if run is None:
                self._claim(antenna, tag, started, ended)
            else:
                self._read(run, tag, started, ended)

    # -- heaps -------------------------------------------------------------------------------------

    def _pass_heap(self, antenna: Antenna, others: list[Tag], started: float) -> list[Tag]:
        """Count the newcomers of the last seconds; returns those whose sight still counts (none
        over a heap).
        """
        crowd = heaps.crowd(antenna, others, self._tags, started)
        heap = heaps.is_heap(antenna, crowd, started)
        if heap and not antenna.heap:
            antenna.heaps += 1
            for tag in list(antenna.open.values()):
                if not heaps.at_ease(antenna, tag):
                    self._give_up(tag, tag.runs[antenna.number])
        antenna.heap = heap
        if not heap:
            return others
        if sum(1 for tag in crowd if tag.source is None) > antenna.heap_limit:
            self._wash(started)
        return [t for t in others if heaps.at_ease(antenna, t)]

    def _wash(self, now: float) -> None:
        """Cards of no zone in a heap: the deck is being washed. Where a card settled in the midst
        of it is not where it comes from in the next deal.
        """
        if now >= self._washed_until:
            for tag in self._tags.values():
                self._lose_sight(tag)
                if tag.settled_at < now - WASH_S:
                    continue
                if tag.home is not None:
                    tag.carried = True
                elif tag.source is not None:
                    tag.source.lifted.pop(tag.uid, None)
                    tag.source = None
                    self._forget(tag)
        self._washed_until = now + WASH_S

    # -- claims ------------------------------------------------------------------------------------

    def _claim(self, antenna: Antenna, tag: Tag, started: float, ended: float) -> None:
        run = Run(antenna, tag, started, ended, self._place_nats)
        home = tag.home
        if home is not None and home.number not in run.against:
            run.against[home.number] = antenna.odds(len(antenna.settled) + 1).read_far
        for other in tag.runs.values():
            if other.antenna.number not in run.against:
                run.against[other.antenna.number] = run.passing
            other.against.setdefault(antenna.number, other.passing)
        tag.runs[antenna.number] = run
        antenna.open[tag.uid] = tag
        self._concern(tag)

    def _concern(self, tag: Tag) -> None:
        """Tell the antennas that bear on the tag's case, and only those, to look out for it."""
        wanted: set[int] = set(tag.runs)
        for run in tag.runs.values():
            wanted.update(run.against)
        told = tag.concerns
        if wanted == told:
            return
        uid, antennas = tag.uid, self._antennas
        for number in wanted - told:
            antennas[number].concerned[uid] = tag
            antennas[number].quiet = False
        for number in told - wanted:
            del antennas[number].concerned[uid]
            antennas[number].refresh()
        tag.concerns = wanted

    def _give_up(self, tag: Tag, run: Run) -> None:
        antenna = run.antenna
        del tag.runs[antenna.number]
        antenna.open.pop(tag.uid, None)
        for other in tag.runs.values():
            home = tag.home
            if antenna.number not in other.antenna.near and antenna is not home:
                other.against.pop(antenna.number, None)
        self._concern(tag)
        antenna.refresh()

    def _weigh(
        self,
        antenna: Antenna,
        uids: Sequence[Uid],
        started: float,
        ended: float,
        complete: bool,
        events: list[TableEvent],
    ) -> list[tuple[Tag, Run]]:
        """Let one look count for and against every claim that it bears on; returns those claims
        that are proven not to pass by.
        """
        number, near = antenna.number, antenna.near
        cards = len(antenna.settled)
        here = antenna.odds(cards + len(antenna.open))
        dead: list[tuple[Tag, Run]] = []
        ripe: list[tuple[Tag, Run]] = []
        for uid, tag in antenna.concerned.items():
            named = uid in uids
            if not named and not complete:
                continue
            for run in tag.runs.values():
                against = run.against
                alive = True
                if run.antenna is antenna:
                    if named:
                        tag.note(antenna, started)
                        self._read(run, tag, started, ended)
                    else:
                        run.looks += 1
                        run.hush += here.doubt
                        run.passing += here.miss_away
                        alive = run.passing > 0.0
                        for rival in against:
                            beside = rival in near
                            against[rival] += here.miss_cross if beside else here.miss_far
                            alive = alive and against[rival] > run.least(beside, here)
                elif number in against:
                    if not self._hear_rival(run, tag, antenna, named, started, len(uids)):
                        continue
                    alive = against[number] > run.least(number in run.antenna.near, here)
                if not alive:
                    dead.append((tag, run))
                elif run.passing >= run.need_passing:
                    ripe.append((tag, run))
        for tag, run in dead:
            self._give_up(tag, run)
            self._glimpse(tag, run, ended, events)
        if self._turns:
            turns, self._turns = self._turns, []
            for tag, elsewhere in turns:
                self._turn(tag, elsewhere, ended, events)
        return ripe

    def _glimpse(self, tag: Tag, run: Run, ended: float, events: list[TableEvent]) -> None:
        """A player may take up a card, or fold it, before it is settled: read for longer than a
        flight takes, it was that seat's and not undealt.
        """
        antenna = run.antenna
        if not antenna.is_seat or tag.source is not None or run.last_ended <= run.flown_at:
            return
        if not tag.known and self._vault.enrolled:
            return
        if any(o.antenna.is_seat and o.reads >= run.reads for o in tag.runs.values()):
            return
        self._lose_sight(tag)
        tag.glimpsed_at = antenna
        antenna.glimpsed[tag.uid] = tag
        antenna.refresh()
        events.append(CardGlimpsed(at=ended, zone=antenna.zone))

    def _lose_sight(self, tag: Tag) -> None:
        antenna = tag.glimpsed_at
        if antenna is not None:
            tag.glimpsed_at = None
            antenna.glimpsed.pop(tag.uid, None)
            antenna.refresh()

    def _read(self, run: Run, tag: Tag, started: float, ended: float) -> None:
        antenna = run.antenna
        run.reads += 1
        run.looks += 1
        run.hush = 0.0
        run.fresh = True
        if run.reads == 2 and run.slide_s:
            # What was read once before may have been read across: the slide begins here.
            run.flown_at = max(run.flown_at, ended + run.slide_s)
        run.last_ended = ended
        odds = antenna.odds(len(antenna.settled) + len(antenna.open))
        home = tag.home
        against = run.against
        squeeze = antenna.squeeze
        if started >= run.flown_at:
            # No more than what it takes to be believed: a claim that could not be granted, in a
            # wash, must die with the card's silence and not be granted after it.
            run.passing = min(
                run.passing + odds.read_away + squeeze, run.need_passing + odds.read_away
            )
            for number in against:
                weight = odds.read_cross if number in antenna.near else odds.read_far
                against[number] += weight + squeeze
            return
        # A flight explains any number of reads, but it makes good the silences between them.
        run.squeeze_lead(squeeze)
        run.passing = min(run.passing + odds.read_away + squeeze, run.lead_passing)
        for number in against:
            weight = squeeze + (odds.read_cross if number in antenna.near else odds.read_far)
            if home is not None and number == home.number:
                against[number] += weight
            elif against[number] < run.lead_rival:
                against[number] = min(against[number] + weight, run.lead_rival)

    def _hear_rival(
        self, run: Run, tag: Tag, rival: Antenna, named: bool, started: float, answered: int
    ) -> bool:
        """A look of the antenna at which, by the rival account, the card lies; returns whether it
        counted.
        """
        home = tag.home is rival
        odds = rival.odds(len(rival.settled) + (0 if home else 1))
        near = rival.number in run.antenna.near
        if named:
            run.against[rival.number] -= odds.read_cross if near else odds.read_far
            if home:
                run.home_heard = True
                run.home_silences = 0
                if run.fresh:
                    run.fresh = False
                    self._turns.append((tag, run.antenna))
            return True
        if home:
            if odds.crowded and rival.max_stack is not None and answered >= rival.max_stack:
                return False
            run.home_silences += 1
        elif started < run.flown_at:
            return False
        run.against[rival.number] -= odds.miss_cross if near else odds.miss_far
        return True

    def _granted(self, tag: Tag, run: Run) -> bool:
        if not tag.known and self._vault.enrolled and run.reads <= run.antenna.k:
            return False
        if run.hush > MOST_HUSH_NATS:
            return False
        if run.antenna.is_seat and self._replaces(run):
            return False
        if run.last_ended - run.first_started < heaps.BUSTLE_S and heaps.bustles(
            tag, run, self._tags
        ):
            return False
        home = tag.home
        for number, odds in run.against.items():
            if home is not None and number == home.number:
                if odds < self._move_nats:
                    return False
                # A card that its home reads on, after it was read here, has not moved: that takes
                # as long a silence as its absence does.
                silences = home.plain_need if run.home_heard else MOVE_SILENCES
                if run.home_silences < silences and not (
                    home.lost or home.stuck or self._deaf(home)
                ):
                    return False
            elif odds < run.need_rival:
                return False
        return True

    def _replaces(self, run: Run) -> bool:
        """Whether a card of the seat has not been read since this newcomer was, or not lately:
        exchanged rather than added to, so its absence is waited for.
        """
        settled = run.antenna.settled
        if len(settled) < 2:
            return False
        lately = EXCHANGE_LOOKS + run.antenna.crowded
        return any(
            tag.silent and (tag.seen_until < run.first_ended or tag.silent >= lately)
            for tag in settled.values()
        )

    def _deaf(self, antenna: Antenna) -> bool:
        return antenna.max_stack is not None and len(antenna.settled) > antenna.max_stack

    def _settle(self, tag: Tag, run: Run, ended: float, events: list[TableEvent]) -> None:
        antenna = run.antenna
        after = latest_absence(antenna, tag, run)
        source = tag.source
        old_home = tag.home
        turns = tag.flips.pop(antenna.number, [])
        copied = False
        if old_home is not None:
            antenna.moves += 1
            tag.carried = False
            if antenna.number not in old_home.near:
                # A card that goes to and fro between two places is two cards.
                tag.flips[antenna.number] = turns
                copied = clones.is_cloned(tag, antenna, ended, self._left_nats)
            self._take_up(tag)
        if antenna.is_seat:
            self._lose_sight(tag)
        for other in list(tag.runs.values()):
            self._give_up(tag, other)
            if not antenna.is_seat:
                self._glimpse(tag, other, ended, events)
        for other_antenna in self._antennas.values():
            other_antenna.newcomers.pop(tag.uid, None)
        if source is not None and source.lifted.pop(tag.uid, None) is not None:
            source.refresh()
        token = self._token(tag)
        tag.home = tag.source = antenna
        tag.silent = tag.lapses = tag.lapsing = 0
        tag.looked_from = self._sharp_looks(antenna)
        tag.missed = run.looks - run.reads
        tag.tested = antenna.polls - run.looks
        tag.doubt = 0.0
        tag.settled_at = ended
        tag.carried = ended < self._washed_until
        tag.reads.clear()
        tag.flips.clear()
        if old_home is not None:
            tag.flips[old_home.number] = turns
        tag.beside.clear()
        antenna.settled[tag.uid] = tag
        for neighbour in antenna.neighbours:
            neighbour.note_beside(1)
        antenna.packed = self._deaf(antenna)
        if source is not antenna:
            antenna.last_came = max(antenna.last_came, run.first_ended)
        antenna.steady = tuple(antenna.settled)
        antenna.refresh()
        events.append(
            CardCame(
                at=ended,
                token=token,
                zone=antenna.zone,
                after=after,
                before=run.first_ended,
                source=source.zone if source is not None else None,
            )
        )
        if copied and old_home is not None:
            self._call_clone(tag, old_home, ended, events)
        for uid, fault in self._vault.came(tag.uid):
            suspect = self._tags[uid]
            zone = suspect.home.zone if suspect.home is not None else antenna.zone
            events.append(TagVerdict(at=ended, token=self._token(suspect), zone=zone, fault=fault))

    def _forget(self, tag: Tag) -> None:
        self._vault.forget(tag.uid)
        tag.token = None

    def _token(self, tag: Tag) -> Token:
        if tag.token is None:
            tag.token = self._vault.token(tag.uid)
        return tag.token

    # -- clones ------------------------------------------------------------------------------------

    def _turn(self, tag: Tag, antenna: Antenna, ended: float, events: list[TableEvent]) -> None:
        """The card was read elsewhere and then again at home."""
        if clones.is_cloned(tag, antenna, ended, self._left_nats):
            self._call_clone(tag, antenna, ended, events)

    def _call_clone(
        self, tag: Tag, elsewhere: Antenna, ended: float, events: list[TableEvent]
    ) -> None:
        tag.cloned = True
        for run in list(tag.runs.values()):
            self._give_up(tag, run)
        events.append(
            TagVerdict(at=ended, token=self._token(tag), zone=elsewhere.zone, fault=TagFault.CLONE)
        )
