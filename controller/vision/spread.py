"""The deck by one spread: from the indices that one still shows to which of the 52 cards are there.

Each face belongs to one card at most, so that a doubtful reading is decided by all the others
(`controller.vision.assign`). What cannot be told is a doubt: an index that nobody could name, a gap
wide enough for a card whose index is covered, a row whose last card was not read. What a count may
say then is the business of `controller.vision.spread_count`.

Nothing here keeps the order of the cards: a still becomes sets and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.model.cards import FACES
from controller.vision.agree import IndexRead, distinct, partners
from controller.vision.assign import assigned
from controller.vision.picture import Point, Quality
from controller.vision.rows import EDGE_SIZES, Row, evened, inked, rows_of, sampled

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

TWICE: Final = 7.0
"""What it costs to take a face for a second card (in nats): one deck in a thousand has two."""

STANDS: Final = 4.0
"""What it costs to take for no card what stands in a row as a card's index does (in nats)."""

SURE: Final = 3.9
"""A face is there for sure where it is 50 times less likely that no card has it (in nats)."""

LIKELIEST: Final = 0.8
"""Nor is it there for sure unless its reading says it as likely as any other face, or nearly: the
second of two alike would else be taken for the card that is missing."""

SURE_TWICE: Final = 0.97
"""A face is on two cards only where both were named as surely as this."""

WIDE: Final = 1.5
"""A step so much wider than its row's may hide a card."""

SMALL_PX: Final = 9.0  # an index smaller than this from rank to suit is hardly read
NARROW: Final = 1.15  # steps of fewer index sizes cover the next index
_SMEAR = 0.004  # of likelihood, that training leaves with every name: it says nothing
_FLOOR = 1e-6
_SPREAD_LEAST = 8  # sure indices that make a spread


class Doubt(StrEnum):
    """Why a place of a spread is not told. UNREAD: something stands there like an index. GAP: a
    card may be covered there. END: the last card of a row was not read whole. UNSURE: two faces are
    as likely. CUT: it lies at the picture's border."""

    UNREAD = "unread"
    GAP = "gap"
    END = "end"
    UNSURE = "unsure"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Spot:
    """A doubtful place, in pixels of the still."""

    x_px: float
    y_px: float
    doubt: Doubt


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpreadSeen:
    """What one still shows of a spread; prints without the cards.

    faces: those that are surely there. doubled: faces that a second card surely has, once for each.
    jokers, backs, foreign: jokers, cards that lie face down, and cards of another game or back.
    spots: what is doubtful. steps: from index to index, row by row, in sizes of an index: the form
    of the spread, by which another one is told from it. index_px: size of an index. width, height:
    of the still. quality: of the still; what is not good shows nothing.
    """

    faces: frozenset[str] = frozenset()
    doubled: tuple[str, ...] = ()
    jokers: int = 0
    backs: int = 0
    foreign: int = 0
    spots: tuple[Spot, ...] = ()
    steps: tuple[float, ...] = ()
    index_px: float = 0.0
    width: int = 0
    height: int = 0
    quality: Quality = field(default_factory=Quality)

    def __repr__(self) -> str:
        return f"<spread: {len(self.faces)} faces, {len(self.spots)} doubts>"

    @property
    def is_spread(self) -> bool:
        """Whether it shows a spread at all."""
        return len(self.faces) >= _SPREAD_LEAST

    @property
    def cards(self) -> int:
        """How many cards it shows face up, those whose face is unsure among them."""
        unsure = sum(spot.doubt is Doubt.UNSURE for spot in self.spots)
        return len(self.faces) + len(self.doubled) + unsure

    @property
    def step(self) -> float:
        """The usual step, in sizes of an index; 0 where there is none."""
        return float(np.median(self.steps)) if self.steps else 0.0


def spread_seen(
    reads: Iterable[IndexRead],
    image: Image,
    quality: Quality,
    ink: Floats | None = None,
    backs: Sequence[Point] = (),
    jokers: Sequence[Point] = (),
    foreign: int = 0,
) -> SpreadSeen:
    """What a still shows of a spread.

    reads: every index that was named, unsure ones too. image: the still (h, w, 3). ink: (n, 3), x,
    y and size of dark shapes on light ground. backs, jokers: where cards lie face down, and jokers.
    foreign: cards that are of no such deck.
    """
    height, width = image.shape[:2]
    seen = SpreadSeen(quality=quality, width=width, height=height)
    if not quality.good:
        return seen
    cards = _Cards.of(distinct(reads))
    if not cards.groups:
        return replace(seen, backs=len(backs), jokers=len(jokers), foreign=foreign)
    rows = rows_of(cards.marks)
    spots = [*cards.unsure, *_unread(cards, jokers)]
    spots += _gaps(cards, rows, image, ink, [*backs, *jokers])
    spots += _cut(cards.marks, width, height)
    return replace(
        seen,
        faces=frozenset(cards.faces),
        doubled=tuple(f for f in FACES for _ in range(cards.twice.count(f))),
        jokers=len(jokers),
        backs=len(backs),
        foreign=foreign,
        spots=tuple(spots),
        steps=tuple(step for row in rows for step in row.steps),
        index_px=float(np.median([m.size_px for m in cards.marks])),
    )


# ---- which card is which


class _Cards:
    """The cards of a spread, each with what its indices say.

    marks: an index for each sure card, both where both show. faces: sure ones. twice: faces of
    second cards.
    """

    def __init__(self, groups: list[list[IndexRead]]) -> None:
        self.groups = groups
        self.faces: set[str] = set()
        self.twice: list[str] = []
        self.marks: list[IndexRead] = []
        self.whole: list[IndexRead] = []  # marks of cards of which both indices show
        self.unsure: list[Spot] = []
        self.weak: list[IndexRead] = []
        if groups:
            self._assign()

    @classmethod
    def of(cls, reads: list[IndexRead]) -> _Cards:
        """Of distinct readings, the surest first: two that are partners and say one face are of
        one card."""
        groups: list[list[IndexRead]] = []
        left = list(reads)
        while left:
            one = left.pop(0)
            mate = next((r for r in left if r.face == one.face and partners(one, r)), None)
            if mate is None:
                groups.append([one])
            else:
                left = [r for r in left if r is not mate]
                groups.append([one, mate])
        return cls(_of_four_indices(groups))

    def is_whole(self, mark: IndexRead) -> bool:
        """Whether nothing covers the card: its other index shows, however badly it is read."""
        if any(mark is other for other in self.whole):
            return True
        return any(partners(mark, read) for group in self.groups for read in group)

    def _assign(self) -> None:
        chances = np.array([_chances(group) for group in self.groups])
        standing = _standing(self.groups)
        cost = _cost(chances, standing)
        columns = assigned(cost)
        best = float(cost[np.arange(len(columns)), columns].sum())
        row_of = {int(c): n for n, c in enumerate(columns)}
        for column, row in sorted(row_of.items()):
            group, face = self.groups[row], column % len(FACES)
            if column >= 2 * len(FACES):
                self._no_card(group, chances[row], bool(standing[row]))
                continue
            twice = column >= len(FACES)
            named = [chances[row][face]] + ([chances[row_of[face]][face]] if twice else [])
            sure = min(named) > (SURE_TWICE if twice else 0.995)
            if not twice and not sure:
                likeliest = named[0] >= LIKELIEST * chances[row][:-1].max()
                sure = likeliest and _without(cost, face) - best >= SURE
            if not sure:
                self._doubt(group, Doubt.UNSURE)
                continue
            self._card(group, FACES[face])
            if twice:
                self.twice.append(FACES[face])

    def _card(self, group: list[IndexRead], face: str) -> None:
        self.faces.add(face)
        self.marks += group
        if len(group) > 1:
            self.whole += group

    def _no_card(self, group: list[IndexRead], chance: NDArray[np.float64], stands: bool) -> None:
        if chance[:-1].max() > (0.25 if stands else 0.6):
            self._doubt(group, Doubt.UNSURE)
        else:
            self.weak += group

    def _doubt(self, group: list[IndexRead], doubt: Doubt) -> None:
        self.marks += group
        self.unsure.append(Spot(group[0].x_px, group[0].y_px, doubt))


def _of_four_indices(groups: list[list[IndexRead]]) -> list[list[IndexRead]]:
    """Joined, where a deck has an index in each corner: most cards of a spread show two then, one
    above the other."""
    pairs = [
        (a, b)
        for n, a in enumerate(groups)
        for b in groups[n + 1 :]
        if a[0].face == b[0].face and _one_below(a[0], b[0])
    ]
    if len(pairs) < 0.6 * (len(groups) - len(pairs)):
        return groups
    out = list(groups)
    for a, b in pairs:
        if any(g is a for g in out) and any(g is b for g in out):
            out = [g for g in out if g is not a and g is not b] + [[*a, *b]]
    return out


def _one_below(one: IndexRead, other: IndexRead) -> bool:
    right, down = one.to(other)
    apart = math.hypot(right, down)
    turned = abs((one.angle_deg - other.angle_deg) % 360.0 - 180.0)
    far = 5.0 < apart / one.size_px < 14.0
    return far and turned < 20.0 and abs(right) < 0.15 * apart


def _chances(group: list[IndexRead]) -> NDArray[np.float64]:
    """(53,): how likely each face is for a card, and, last, that it is none. Its readings count
    as independent, but none makes another impossible."""
    out = np.ones(len(FACES) + 1)
    for read in group:
        faces = read.likelihoods
        none = max(0.0, 1.0 - float(faces.sum()))
        faces[faces < _SMEAR] = 0.0
        out *= np.append(faces, none) + _FLOOR
    return np.asarray(out / out.sum())


def _standing(groups: list[list[IndexRead]]) -> NDArray[np.bool_]:
    """(n,): whether each stands where a card's index would: in a row, no nearer to its neighbours
    than the others are."""
    reads = [group[0] for group in groups]
    likely = [r for r in reads if r.confidence >= 0.5]
    rows = rows_of(likely)
    usual = float(np.median([s for row in rows for s in row.steps] or [0.0]))
    stands = set()
    for row in rows:
        before = [usual, *row.steps]
        after = [*row.steps, usual]
        for mark, one, other in zip(row.marks, before, after, strict=True):
            if len(row.marks) > 3 and min(one, other) > 0.55 * usual:
                stands.add(id(mark))
    return np.array([id(r) in stands for r in reads])


def _cost(chances: NDArray[np.float64], standing: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(n, 52 + 52 + n): each card may be a face, a face's second card, or none."""
    nats = -np.log(np.maximum(chances, _FLOOR))
    n = len(chances)
    none = np.full((n, n), 1e3)
    none[np.arange(n), np.arange(n)] = nats[:, -1] + STANDS * standing
    return np.concatenate([nats[:, :-1], nats[:, :-1] + TWICE, none], axis=1)


def _without(cost: NDArray[np.float64], face: int) -> float:
    """What the cheapest way costs in which no card has that face. So two cards whose faces may be
    the other way round make neither doubtful: both are there."""
    other = cost.copy()
    other[:, [face, face + len(FACES)]] = 1e3
    again = assigned(other)
    return float(other[np.arange(len(again)), again].sum())


# ---- rows, and what they may hide


def _unread(cards: _Cards, jokers: Sequence[Point]) -> Iterable[Spot]:
    """Readings too weak to be a card, where an index would stand in a row."""
    for read in cards.weak:
        if _near(read, jokers):
            continue
        for mark in cards.marks:
            right, down = (v / mark.size_px for v in mark.to(read))
            turned = abs((read.angle_deg - mark.angle_deg + 180.0) % 360.0 - 180.0)
            alike = 0.75 < read.size_px / mark.size_px < 1.35 and turned < 15.0
            if alike and abs(down) < 0.5 and 1.0 < abs(right) < 4.0:
                yield Spot(read.x_px, read.y_px, Doubt.UNREAD)
                break


def _gaps(
    cards: _Cards, rows: list[Row], image: Image, ink: Floats | None, told: Sequence[Point]
) -> Iterable[Spot]:
    """Where a row may hide a card: steps that are too wide and not plainly empty, and an end whose
    card does not show both its indices. told: places of cards that are known without a face."""
    usual = float(np.median([s for row in rows for s in row.steps] or [0.0]))
    for row in rows:
        if len(row.marks) < 3:
            continue
        middle = float(np.median(row.steps))
        for (mark, following), step in zip(pairwise(evened(row.marks)), row.steps, strict=True):
            if step > WIDE * min(middle, 1.3 * usual) and _hides(mark, following, image, ink):
                x, y = (mark.x_px + following.x_px) / 2, (mark.y_px + following.y_px) / 2
                if not _between(mark, following, told):
                    yield Spot(x, y, Doubt.GAP)
        last = row.marks[-1]
        if not cards.is_whole(last) and not _near(last, told, 8.0):
            yield Spot(last.x_px, last.y_px, Doubt.END)
        first = row.marks[0]
        before = ink is not None and inked(first, ink, -3.6, -1.2)
        if before and not _near(first, told, 5.0):
            yield Spot(first.x_px, first.y_px, Doubt.UNREAD)


def _near(read: IndexRead, places: Sequence[Point], sizes: float = 3.0) -> bool:
    return any(math.dist((read.x_px, read.y_px), p) < sizes * read.size_px for p in places)


def _between(one: IndexRead, other: IndexRead, places: Sequence[Point]) -> bool:
    far = one.to(other)[0]
    for x, y in places:
        right, down = one.to(replace(one, x_px=x, y_px=y))
        if 0 < right < far and -2 * one.size_px < down < 12 * one.size_px:
            return True
    return False


def _hides(one: IndexRead, other: IndexRead, image: Image, ink: Floats | None) -> bool:
    """Whether an index could stand between two, unseen: not if all is plain there and lit well."""
    far = one.to(other)[0] / one.size_px
    if ink is None or inked(one, ink, 1.1, far - 1.0):
        return True
    lit = sampled(image, one, np.linspace(0.8, far - 0.8, 24), np.linspace(-1.0, 1.0, 24))
    ground = float(np.percentile(lit, 90))
    return float((lit >= 252).mean()) > 0.15 or float((lit < 0.62 * ground).mean()) > 0.2


def _cut(marks: list[IndexRead], width: int, height: int) -> Iterable[Spot]:
    """Indices at the picture's border: the spread goes on outside."""
    for mark in marks:
        edge = min(mark.x_px, mark.y_px, width - mark.x_px, height - mark.y_px)
        if edge < mark.size_px * EDGE_SIZES * 1.05:
            yield Spot(mark.x_px, mark.y_px, Doubt.CUT)
