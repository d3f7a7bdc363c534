"""What one pass of the deck over the count antenna proves of each tag.

A card that is passed over lies in the field for some ten looks in a row, and is read in nearly all
of them. A card that only lies beside the zone is read across now and then, for as long as it lies
there. One read cannot tell the two apart; where the reads fall can:

* All reads of a tag in one short stretch, and no other in the whole pass. For a tag lying beside,
  K reads fall anywhere: that they fall within w of N looks has at most N·C(w−1, K−1) ways, each of
  chance q^K·(1−q)^(N−K) at a cross rate q. q at that very place is not known, so the chance is
  averaged over 0 to twice the measured rate. Two reads of neighbouring looks in a pass of 1,200
  looks then have a chance of 4 in 100,000, and no other read one of 1 in 50: a single read is no
  evidence.
* A stretch so dense that it stands out among scattered reads, as when the pack is held over the
  antenna: a running likelihood ratio (E. S. Page, Continuous inspection schemes, 1954), which
  cross-reads bring to a height h in N looks with a chance of at most N·exp(−h).

A read that two tags in the field may have made by answering at once, or a slipped bit
(`controller.sensing.ghosts`), is no read of the tag that it names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import lgamma, log
from statistics import median
from typing import Final

from controller.sensing.budget import RATE_FLOOR
from controller.sensing.ghosts import UID_LENGTHS, merged, shifted
from drivers.readings import Outcome, Poll, Uid

LEAST_CROSS: Final = 0.02
"""A card on the felt beside the zone may be read across at this rate even where no antenna is a
neighbour."""

FOREIGN_READS: Final = 3
"""Clean reads without which an unknown tag is not believed: no list of tags speaks for it."""

BRIEF_LOOKS: Final = 60
"""Reads that span no more looks than these may come from one card passing; a wider scatter is a tag
lying beside."""

_SHORT_LOOKS = 24  # what one card passing may span, for reads too few to stand out by themselves
_EDGE_LOOKS = 2  # a card may have been in the field this many looks before or after its reads
_LIVE_READS = 3.7  # four reads in a row, or five of six: enough for a figure on the board
_MOST_HEARD = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFigures:
    """How well the count antenna reads, and how sure a count must be.

    miss: share of looks that miss a card lying in the field. cross: share that read a card lying on
    a neighbour (0 where it has none). beside_error: chance
    at which a tag that only lay beside the zone may be taken for one that was passed; each of the
    two kinds of evidence has half of it.
    missing_error: chance at which a card that is in the pack may be called missing. slip: share of
    the cards that a pass leaves unread however well the antenna reads (one under another, too
    fast); slip_weight: the number of cards for which that belief stands against what passes show.
    quiet_s: a pass has ended when no new card has come for so long; linger_s: the same when nothing
    is left to wait for.
    """

    miss: float = 0.05
    cross: float = 0.02
    beside_error: float = 2e-4
    missing_error: float = 1e-4
    slip: float = 0.01
    slip_weight: float = 100.0
    quiet_s: float = 4.0
    linger_s: float = 2.0

    def __post_init__(self) -> None:
        checks = (
            (0 <= self.miss <= 0.5, f"miss = {self.miss}; allowed 0 to 0.5"),
            (0 <= self.cross <= 0.2, f"cross = {self.cross}; allowed 0 to 0.2"),
            (0 < self.beside_error < 1, f"beside_error = {self.beside_error}; above 0, below 1"),
            (0 < self.missing_error < 1, f"missing_error = {self.missing_error}; above 0, below 1"),
            (0 < self.slip < 1, f"slip = {self.slip}; allowed above 0, below 1"),
            (self.slip_weight > 0, f"slip_weight = {self.slip_weight}; allowed above 0"),
            (
                0 < self.linger_s <= self.quiet_s,
                f"linger_s = {self.linger_s}, quiet_s = {self.quiet_s}; allowed above 0, and no "
                "longer to linger than to be quiet",
            ),
        )
        faults = [text for holds, text in checks if not holds]
        if faults:
            raise ValueError("figures of the count, " + "; ".join(faults))

    @property
    def most_cross(self) -> float:
        """The highest cross rate that is reckoned with at any place beside the zone."""
        return 2.0 * max(self.cross, LEAST_CROSS)

    @property
    def read_nats(self) -> float:
        """Weight of a read for "passing over" against "lying beside"."""
        return log((1.0 - max(self.miss, RATE_FLOOR)) / self.most_cross)

    @property
    def silence_nats(self) -> float:
        """Weight of a silence for "lying beside" against "passing over"."""
        return log((1.0 - self.most_cross) / max(self.miss, RATE_FLOOR))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pass shows of one tag.

    reads, nats: the reads that only the tag itself can have made, and the log of the highest chance
    with which a tag lying beside the zone would have been read like this. all_reads, all_nats: with
    those that two cards nobody has read may have made together. brief: all in one short stretch.
    """

    reads: int
    nats: float
    all_reads: int
    all_nats: float
    brief: bool


@dataclass(frozen=True, slots=True, repr=False)
class Pass:
    """One pass in progress, look by look. It knows the order of the cards and is therefore dropped
    at the pass's end; it prints as a mask.

    looks: clean looks so far. counted: tags read so often that they may be shown as counted.
    new_at_s: when the latest of these came.
    """

    looks: int = 0
    counted: frozenset[Uid] = frozenset()
    new_at_s: float | None = None
    heard: tuple[tuple[int, tuple[Uid, ...]], ...] = ()
    scores: Mapping[Uid, tuple[int, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<pass of {len(self.counted)} cards>"

    def look(self, poll: Poll, figures: CountFigures) -> Pass:
        """The pass after one more look. Noise is no look; what no tag can be called is no tag."""
        if poll.outcome is Outcome.NOISE:
            return self
        looks = self.looks + 1
        uids = tuple(dict.fromkeys(uid for uid in poll.uids if len(uid) in UID_LENGTHS))
        if not uids:
            return replace(self, looks=looks)
        read, silence = figures.read_nats, figures.silence_nats
        scores = dict(self.scores)
        fresh: list[Uid] = []
        for uid in uids:
            last, score = scores.get(uid, (looks, 0.0))
            score = max(0.0, score - max(0, looks - last - 1) * silence) + read
            scores[uid] = (looks, score)
            if score >= _LIVE_READS * read and uid not in self.counted:
                fresh.append(uid)
        heard = (*self.heard, (looks, uids))
        if len(heard) > _MOST_HEARD:
            heard = heard[_MOST_HEARD // 2 :]
        return Pass(
            looks=looks,
            counted=self.counted.union(fresh) if fresh else self.counted,
            new_at_s=poll.ended if fresh else self.new_at_s,
            heard=heard,
            scores=scores,
        )

    def evidence(
        self,
        known: Collection[Uid],
        unread: Collection[Uid],
        figures: CountFigures,
    ) -> dict[Uid, Evidence]:
        """What the pass shows of every tag that it named, ghosts left out.

        known: every registered tag. unread: those of the deck in play that no pass has read. Two
        cards that lay on each other all the while may have answered as one tag and never as
        themselves: behind an unknown tag that is any two registered ones that this pass did not
        name, behind a registered tag any two of the deck that no pass did. (Tags of one production
        run have UIDs so alike that one is often the merger of two others.) The order of the answer
        says nothing of the order of the cards.
        """
        reads: dict[Uid, list[int]] = {}
        for look, uids in self.heard:
            for uid in uids:
                reads.setdefault(uid, []).append(look)
        spans = [at[-1] - at[0] for uid, at in reads.items() if uid in known]
        stay = max(_SHORT_LOOKS, 2 * round(median(spans)) if spans else 0)
        never = [uid for uid in unread if uid not in reads]
        not_now = [uid for uid in known if uid not in reads]
        found = {}
        for uid in sorted(reads):
            own = every = reads[uid]
            hidden = never if uid in known else not_now
            others = [*(other for other in reads if other != uid), *hidden]
            if merged(uid, others, ()) or shifted(uid, _read_more(uid, reads)):
                every = self._but_ghosts(uid, reads, stay, ())
                own = self._but_ghosts(uid, reads, stay, hidden)
            if every:
                found[uid] = Evidence(
                    reads=len(own),
                    nats=beside_nats(own, self.looks, figures),
                    all_reads=len(every),
                    all_nats=beside_nats(every, self.looks, figures),
                    brief=every[-1] - every[0] < BRIEF_LOOKS,
                )
        return found

    def _but_ghosts(
        self,
        uid: Uid,
        reads: Mapping[Uid, Sequence[int]],
        stay: int,
        hidden: Sequence[Uid],
    ) -> list[int]:
        """The looks that read the tag, but for those in which tags then in the field, or hidden
        ones, may have made its UID of theirs.

        stay: looks that a card may lie in the field. One that answered together with another all
        the while was read as itself before or after that, for a look or two, if at all.
        """
        stays = [
            (
                other,
                min(at[0] - _EDGE_LOOKS, at[-1] - stay),
                max(at[-1] + _EDGE_LOOKS, at[0] + stay),
            )
            for other, at in reads.items()
            if other != uid
        ]
        slipped = _read_more(uid, reads)
        left = []
        for look, uids in self.heard:
            if uid in uids:
                near = [other for other, first, last in stays if first <= look <= last]
                near += hidden
                if not (merged(uid, near, uids) or shifted(uid, slipped.intersection(near))):
                    left.append(look)
        return left


def _read_more(uid: Uid, reads: Mapping[Uid, Sequence[int]]) -> set[Uid]:
    """The tags read more often than this one: whose slipped bits it may be, and not they its."""
    return {other for other, at in reads.items() if len(at) > len(reads[uid])}


def beside_nats(reads: Sequence[int], looks: int, figures: CountFigures) -> float:
    """Log of the highest chance with which a tag that only lay beside the zone is read like this.

    reads: numbers of the looks that read it, ascending. looks: all looks of the pass. One read
    alone is no evidence: at a low cross rate every pass brings one.
    """
    times = len(reads)
    if times < 2:
        return 0.0
    looks = max(looks, reads[-1])
    read, silence, most = figures.read_nats, figures.silence_nats, figures.most_cross
    score = highest = read
    for earlier, later in pairwise(reads):
        score = max(0.0, score - max(0, later - earlier - 1) * silence) + read
        highest = max(highest, score)
    chance = log(looks) - highest
    span = reads[-1] - reads[0] + 1
    if times <= span <= _SHORT_LOOKS:
        ways = log(looks) + lgamma(span) - lgamma(times) - lgamma(span - times + 1)
        average = lgamma(times + 1) + lgamma(looks - times + 1) - lgamma(looks + 2) - log(most)
        chance = min(chance, ways + min(average, times * log(most)))
    return min(0.0, chance)
