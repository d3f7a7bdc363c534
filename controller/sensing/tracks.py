"""What sensing remembers: of an antenna, of a tag, and of a tag's claim to lie in a zone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import ceil, log

from controller.model.events import Token
from controller.model.findings import Watch
from controller.model.table import MUCK, AntennaPlace, Zone, seat_of
from controller.sensing.budget import CROSS_FLOOR, RATE_FLOOR, FalseAlarmBudget
from controller.sensing.odds import Odds
from drivers.readings import Uid

# The longest time for which a card is in one antenna's field without lying there: a pitched one,
# and one that a hand slides across the table, as in a fold.
FLIGHT_S = 0.35
CARRIED_S = 0.8
# A camera takes so many pictures that their silence could be complete while a card is on its way
# from one place to another, hidden by the hand that carries it.
UNDER_WAY_S = 2.0
SLID_S = 1.2  # the same for a fold over another seat, where a card put down accuses somebody
# Prior share of newcomers that were read in flight over the antenna and lie beside it.
PASSING = 0.1
LONE_READS = 2  # looks after its flight in which a newcomer must be read at least
LEAST_NONE = 2e-3  # no look is trusted more than this to have shown at least one card of a pile
_REMEMBERED_LOOKS = 64
_REMEMBERED_READS = 64


@dataclass(frozen=True, slots=True)
class ZoneFigures:
    """An antenna's health since the start: counts of looks and of what went wrong in them.

    polls: clean looks. noise: corrupt looks. misses: settled cards not named by a look that had
    room for them. cross_reads: sights of a card that lay on a neighbour. ghosts: UIDs that no tag
    has. strangers: sights of a UID of no enrolled deck.

    For rates: lying, missed: of a settled card and a look that could tell it, how many there were,
    up to the card's last read, and how many of them did not read it. beside, crossed: the same of a
    card on a neighbour and a look with room for it, and how many read it though it stayed there.
    """

    antenna: int
    zone: Zone
    polls: int
    noise: int
    misses: int
    cross_reads: int
    ghosts: int
    strangers: int
    moves: int
    heaps: int
    stuck: bool
    lying: int = 0
    missed: int = 0
    beside: int = 0
    crossed: int = 0


class Lookout:
    """A watch being kept: how many clean polls have shown nothing new, and what was said of it."""

    __slots__ = ("counted", "level", "watch")

    def __init__(self, watch: Watch, counted: int) -> None:
        self.watch = watch
        self.counted = counted
        self.level = 0


class Antenna:
    """One antenna, its settled cards, and everything that is open about it."""

    __slots__ = (
        "_mark",
        "_odds",
        "answer",
        "asked",
        "barren",
        "beside",
        "beside_cards",
        "beside_from",
        "blurred",
        "changed",
        "changed_at",
        "concerned",
        "contradicted_at",
        "cross",
        "cross_reads",
        "crossed",
        "crowded",
        "deepest",
        "full",
        "ghosts",
        "glimpsed",
        "heap",
        "heap_limit",
        "heaps",
        "hooked",
        "interval_s",
        "is_seat",
        "k",
        "keeps_heap",
        "last_came",
        "last_ended",
        "lifted",
        "longest",
        "looks",
        "lost",
        "lying",
        "max_stack",
        "miss",
        "missed",
        "misses",
        "moves",
        "near",
        "neighbours",
        "newcomers",
        "noise",
        "none",
        "number",
        "open",
        "packed",
        "plain",
        "plain_need",
        "polls",
        "quiet",
        "roomy",
        "roomy_need",
        "settled",
        "silent",
        "squeeze",
        "steady",
        "strangers",
        "stuck",
        "under_way_s",
        "watching",
        "zone",
    )

    def __init__(self, place: AntennaPlace, budget: FalseAlarmBudget) -> None:
        profile = place.profile
        self.number = profile.antenna
        self.zone = place.zone
        self.is_seat = seat_of(place.zone) is not None
        # Whether a heap of folded cards is what this zone is for.
        self.keeps_heap = place.zone == MUCK
        self.miss = min(max(profile.miss_rate, RATE_FLOOR), 0.9)
        self.cross = min(max(profile.cross_rate, CROSS_FLOOR), 0.4)
        self.max_stack = profile.max_stack
        self.heap_limit = max(profile.max_stack, 4) if profile.max_stack is not None else 8
        self.k = budget.silences(profile.miss_rate)
        # How long a silence must last, at least, to prove anything.
        self.under_way_s = UNDER_WAY_S if place.camera is not None else 0.0
        # Silences that show a card, or a pile too high to be read, to be gone; and the chance that
        # a look shows no card of such a pile.
        self.plain_need = max(self.k, ceil(budget.left_nats / -log(self.miss)))
        stack = profile.max_stack or 1
        self.roomy_need = ceil(budget.left_nats / -log(min(stack * self.miss, 0.7)))
        self.none = max(self.miss**stack, LEAST_NONE)
        self.near = frozenset(profile.neighbours)
        self.neighbours: tuple[Antenna, ...] = ()
        self._odds: dict[int, Odds] = {}
        self.lost = False
        self.stuck = False
        self.contradicted_at = float("-inf")  # a card was seen here that is not read

        self.settled: dict[Uid, Tag] = {}  # cards believed to lie here, in order of arrival
        self.lifted: dict[Uid, Tag] = {}  # cards of this zone that are in somebody's hand
        # Cards that seem to have been taken up before they were settled.
        self.glimpsed: dict[Uid, Tag] = {}
        self.open: dict[Uid, Tag] = {}  # newcomers that may lie here
        self.concerned: dict[Uid, Tag] = {}  # tags whose case a look of this antenna bears on
        self.hooked: dict[Uid, Tag] = {}  # settled cards just read elsewhere
        self.newcomers: dict[
            Uid, list[float]
        ] = {}  # starts of recent polls naming a card not settled here
        self.heap = False
        self.answer: tuple[Uid, ...] = ()  # the last one that needed thought, and since when
        self.changed_at = float("-inf")
        self.changed = False
        self.interval_s = 0.4  # between two polls, as measured lately
        self._mark = (float("-inf"), 0)

        self.looks: deque[float] = deque(maxlen=max(_REMEMBERED_LOOKS, 4 * self.k))
        self.steady: tuple[Uid, ...] = ()
        self.quiet = True  # nothing open: a poll equal to `steady` needs no thought
        self.full = False
        self.packed = False  # it holds more settled cards than it can tell apart
        self.silent = 0  # settled cards that the last poll did not name
        self.crowded = False  # whether the last poll came from a pile too high to be read
        # Weight of the last look for one card more than can be told apart: it named a newcomer
        # in the place of a settled card.
        self.squeeze = 0.0
        self.longest = 0  # silences of the settled card that was silent longest
        self.deepest = 0.0
        self.barren = 0.0  # weight of the looks in a row that showed no card of a high pile
        self.roomy = 0  # clean polls in a row that had room for another card
        self.plain = 0  # clean polls in a row that could name every card
        self.last_ended = float("-inf")
        self.last_came = float("-inf")
        self.asked: Lookout | None = None
        self.watching = False  # whether its watch is still to be answered

        self.blurred = 0  # clean polls that say nothing of how well a single tag is read
        self.polls = self.noise = self.misses = self.cross_reads = 0
        self.ghosts = self.strangers = self.moves = self.heaps = 0
        self.lying = self.missed = self.beside = self.crossed = 0
        self.beside_cards = 0  # settled on its neighbours, since how many of its polls
        self.beside_from = 0

    def odds(self, cards: int) -> Odds:
        found = self._odds.get(cards)
        if found is None:
            found = Odds(self.miss, self.cross, cards, self.max_stack)
            self._odds[cards] = found
        return found

    def crowding_reads(self, now: float, window_s: float) -> float:
        """Reads within a window that a card lying on a neighbour does not come to by chance. To be
        asked at every look that names a newcomer: it measures how close together they are.
        """
        since, polls = self._mark
        lasted, looks = now - since, self.polls - polls
        interval_s = self.interval_s
        if looks >= 4:
            # Newly in focus it is looked at more often than it was: that counts at once.
            interval_s = min(interval_s, lasted / looks)
        if lasted > 1.0:
            if looks >= 2 and lasted < 60.0:
                self.interval_s = lasted / looks
            self._mark = (now, self.polls)
        return max(2.0, 1.0 + 2.5 * self.cross * window_s / interval_s)

    def room(self) -> bool:
        """Whether its silence proves anything: it holds fewer cards than it can read, and no
        player has the seat's cards in hand, where one more would not lie on the table either.
        """
        if self.is_seat and (self.lifted or self.glimpsed):
            return False
        return self.max_stack is None or len(self.settled) + len(self.open) < self.max_stack

    @property
    def sharp(self) -> int:
        """Clean polls so far that could tell each settled card."""
        return self.polls - self.blurred

    def refresh(self) -> None:
        """Take note of what is open, so that the usual poll can be told from one that needs
        thought.
        """
        full = not self.room()
        if full is not self.full:
            self.note_beside()
            self.full = full
        self.quiet = not (self.concerned or self.hooked or self.silent or self.heap or self.stuck)

    def note_beside(self, more: int = 0, until: float = float("inf")) -> None:
        """Count its looks at cards on its neighbours up to now. more: cards there from now on;
        until: the one that is there no more was there only till then."""
        if not self.full:
            self.beside += self.beside_cards * (self.polls - self.beside_from)
        self.beside_from = self.polls
        self.beside_cards += more
        if more < 0 and until < self.last_ended:
            self.beside -= sum(1 for look in self.looks if look >= until)

    def figures(self) -> ZoneFigures:
        self.note_beside()
        return ZoneFigures(
            antenna=self.number,
            zone=self.zone,
            polls=self.polls,
            noise=self.noise,
            misses=self.misses,
            cross_reads=self.cross_reads,
            ghosts=self.ghosts,
            strangers=self.strangers,
            moves=self.moves,
            heaps=self.heaps,
            stuck=self.stuck,
            lying=self.lying,
            missed=self.missed,
            beside=self.beside,
            crossed=self.crossed,
        )


class Tag:
    """One tag, as far as this hand knows it.

    home: where it is settled, None while it is nowhere. source: where it was last settled in this
    hand. glimpsed_at: where it seems to have lain, for a time too short to be settled there.
    """

    __slots__ = (
        "across",
        "beside",
        "carried",
        "cloned",
        "concerns",
        "doubt",
        "flips",
        "glimpsed_at",
        "home",
        "known",
        "lapses",
        "lapsing",
        "looked_from",
        "missed",
        "reads",
        "runs",
        "seen_until",
        "settled_at",
        "silent",
        "source",
        "strays",
        "tested",
        "token",
        "uid",
    )

    def __init__(self, uid: Uid, known: bool) -> None:
        self.uid = uid
        self.known = known
        self.token: Token | None = None
        self.home: Antenna | None = None
        self.source: Antenna | None = None
        self.glimpsed_at: Antenna | None = None
        self.carried = False
        self.cloned = False
        self.runs: dict[int, Run] = {}
        self.concerns: set[int] = set()  # antennas told to look out for it
        self.reads: dict[
            int, list[float]
        ] = {}  # starts of recent reads, by antenna, while not settled there
        self.strays: list[tuple[Antenna, float, float]] = []
        # Reads by neighbours since it settled at home, until it is known that it stayed there.
        self.across: list[tuple[Antenna, float]] = []
        self.flips: dict[int, list[float]] = {}
        self.beside: dict[int, Beside] = {}  # by neighbour that reads it, while it lies at home
        self.silent = 0
        self.seen_until = float("-inf")
        self.settled_at = float("-inf")
        self.doubt = 0.0  # weight of its silence in a pile too high to be read
        # Its own miss rate at home: polls before it was tested there, and those that missed it.
        self.tested = 0
        self.missed = 0
        # How well the tag itself is read in this stay: its home's sharp polls before, those that
        # missed it and were followed by a read, and those of the present silence.
        self.looked_from = 0
        self.lapses = 0
        self.lapsing = 0

    def looks(self, sharp: int) -> tuple[int, int]:
        """Sharp looks at the tag in this stay, and those that read it; they begin anew here. sharp:
        its home's so far.

        The last read and the silence after it are left out: nobody knows where in that silence the
        card was taken away, and up to a last read, it excluded, looks are what chance made them.
        """
        looks = max(0, sharp - self.looked_from - self.lapsing - 1)
        missed = min(self.lapses, looks)
        self.looked_from += looks
        self.lapses -= missed
        return looks, looks - missed

    def heard(self) -> None:
        """It is read again: it lay there all the while."""
        self.lapses += self.lapsing
        self.lapsing = 0

    def pardon(self) -> None:
        """Its present silence proves nothing."""
        self.looked_from += self.lapsing
        self.lapsing = 0

    def stayed(self, until: float) -> None:
        """It lay at home until then at least: what neighbours read before was read across."""
        for antenna, started in self.across:
            antenna.crossed += started < until
        self.across = [read for read in self.across if read[1] >= until]

    def note(self, antenna: Antenna, started: float) -> None:
        reads = self.reads.setdefault(antenna.number, [])
        reads.append(started)
        if len(reads) > _REMEMBERED_READS:
            del reads[0]
        if self.beside and (beside := self.beside.get(antenna.number)) is not None:
            beside.reads += 1


class Beside:
    """A neighbour reads a card that lies at home: since when, how often, and in how many looks of
    both, as the difference of what was counted then and is now."""

    __slots__ = ("home_missed", "home_polls", "polls", "reads", "since")

    def __init__(self, tag: Tag, home: Antenna, neighbour: Antenna, since: float) -> None:
        self.since = since
        self.reads = 1
        self.polls = neighbour.polls - 1  # before the look that read it
        self.home_polls = home.polls
        self.home_missed = tag.missed + tag.silent


class Run:
    """A tag's claim to lie at an antenna, weighed since the first read that belongs to it.

    against: log odds against every rival place, by antenna number. passing: log odds against lying
    nowhere. A claim that falls to zero against anything is given up; the next read opens a new one.
    """

    __slots__ = (
        "against",
        "antenna",
        "arriving",
        "first_ended",
        "first_started",
        "flown_at",
        "fresh",
        "home_heard",
        "home_silences",
        "hush",
        "last_ended",
        "lead_passing",
        "lead_rival",
        "looks",
        "need_passing",
        "need_rival",
        "passing",
        "reads",
        "slide_s",
        "squeezed",
    )

    def __init__(
        self, antenna: Antenna, tag: Tag, started: float, ended: float, place_nats: float
    ) -> None:
        odds = antenna.odds(len(antenna.settled) + 1)
        self.antenna = antenna
        self.first_started = started
        self.first_ended = ended
        self.last_ended = ended
        self.arriving = tag.home is None
        moved = tag.source is not None and tag.source is not antenna
        seats = antenna.is_seat and tag.source is not None and tag.source.is_seat
        self.slide_s = SLID_S if moved and seats else 0.0
        self.flown_at = ended + (CARRIED_S if moved else FLIGHT_S)
        self.hush = 0.0  # weight of the silences since the last read
        self.reads = 1
        self.looks = 1
        # Looks in a row in which its home did not read it; whether one did since the claim was
        # made; whether it was read here since the home's last read.
        self.home_silences = 0
        self.home_heard = False
        self.fresh = True
        # What was read within a flight's time may be a card on its way to a rival place: it keeps
        # the claim alive, but decides with the weight of the prior only.
        self.passing = self.lead_passing = odds.read_away
        self.lead_rival = odds.read_cross
        # Nothing passes over the muck for long, and in a heap of folded cards a read is rare.
        more = 0.85 * (1 if antenna.keeps_heap and moved else LONE_READS)
        self.need_passing = odds.read_away * (1.0 + more)
        self.need_rival = odds.read_cross + place_nats + log(PASSING)
        self.against: dict[int, float] = {n.number: odds.read_cross for n in antenna.neighbours}
        self.squeezed = 0.0
        self.squeeze_lead(antenna.squeeze)

    def least(self, beside: bool, odds: Odds) -> float:
        """The odds against a rival at which the claim is given up.

        A newcomer's claim outlives one read on a neighbour more than speaks for it, as a look next
        door may read across: begun anew, it would date the card too late. A settled card's claim to
        have moved does not.
        """
        return -odds.read_cross if beside and self.arriving else 0.0

    def squeeze_lead(self, squeeze: float) -> None:
        """A read that took a settled card's place gives the claim a longer lead, and no more."""
        more = squeeze - self.squeezed
        if more > 0.0:
            self.squeezed = squeeze
            self.lead_passing += more
            self.lead_rival += more
            self.need_passing += more
            self.need_rival += more
            if self.reads == 1:
                self.passing += more
                for rival in self.against:
                    self.against[rival] += more
