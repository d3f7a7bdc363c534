"""From what two readers saw to one sighting a card: corner indices, named one by one, and outlines.

A card has two indices, which stand on their heads to each other and lie a known way apart
(`PARTNER`), so that two readings of one face there are one card. A face is accepted where two of
its corners or both readers say it, or where one reading alone is nearly sure; where readings of one
card say different faces none is, and the card is one whose face nobody knows.

Both indices are printed in one font, so for its rank they are one witness. Where a card is seen
whole its pips (`controller.vision.pips`) are the other: `weighed` joins the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from controller.model.cards import FACES, RANKS, SUITS
from controller.vision.picture import PipsRead, Point, Sighting
from drivers.readings import Face, Side
from drivers.table_plan import CARD_MM

INDEX_MM = (6.2, 12.5)  # from a card's corner to the middle of its index; decks differ by 2 mm
PARTNER = (CARD_MM[0] - 2 * INDEX_MM[0], CARD_MM[1] - 2 * INDEX_MM[1])
"""From one index to the other of the same card, in millimetres: to its right, and down."""

PARTNER_SIZES = (6.0, 17.0)  # how far that is in sizes of the index: decks print them differently
PARTNER_DEG = 11.0  # how far off the line to the other index may lie
TURN_DEG = 14.0  # and how far from upside down it may stand, seen at a slant
ALONE = 0.9  # a reading alone is believed from here on
AGREED = 0.5  # and one that another supports from here on
LEAST = 0.2  # below this it is no reading
_CORNER_OFF = 0.3  # of the way, so much may an index at the side lie off
_TEN_DEG = 12.0  # a ten is read from the suit to one of its two digits, askew
PIPS_WRONG = 0.005
"""How often pips that are counted are another number's, at most: of 3,040 drawn number cards of 19
decks, half of them blurred, noisy and askew, 28 were not counted and none wrongly. Of 2,000 cards
on which something lay or shone 168 were counted, six wrongly: each was one short in its very
middle, of which more is asked since (`controller.vision.pips`)."""

BLACK_WRONG = 0.01
"""How often spades are taken for clubs, or the reverse, at most: none of 1,351 that were told."""

_NUMBERS = 10  # that pips may have
_TO_INDEX = 0.6  # of a whole frame's height, three quarters of its card's: from middle to index
SAME_SIZES = 0.7  # readings nearer than so many sizes are of one index


Corners = tuple[Point, Point, Point, Point]
"""Of a card in a picture, clockwise as one looks, the first two along a short side."""

Pips = Callable[[Corners], PipsRead | None]
"""The pips of the card there; None where they are not to be told."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IndexRead:
    """A corner index as the network named it. Prints without the card.

    x_px, y_px: the middle between rank and suit. angle_deg: which way is up for it, anticlockwise
    as one looks from the line to the right. size_px: from the rank's middle to the suit's. rank:
    (14,) and suit: (5,) probabilities, the last of each for none.
    """

    x_px: float
    y_px: float
    angle_deg: float
    size_px: float
    rank: NDArray[np.float32] = field(repr=False)
    suit: NDArray[np.float32] = field(repr=False)

    def __repr__(self) -> str:
        return f"<index at {self.x_px:.0f}, {self.y_px:.0f}>"

    @property
    def face(self) -> str:
        """The likeliest face, such as "As"."""
        return RANKS[int(self.rank[:-1].argmax())] + SUITS[int(self.suit[:-1].argmax())]

    @property
    def confidence(self) -> float:
        """How likely that face is, 0 to 1."""
        return float(self.rank[:-1].max() * self.suit[:-1].max())

    @property
    def likelihoods(self) -> NDArray[np.float64]:
        """(52,): how likely each of `FACES` is."""
        rank, suit = self.rank[:-1].astype(np.float64), self.suit[:-1].astype(np.float64)
        assert len(FACES) == rank.size * suit.size
        return np.outer(suit, rank).ravel()  # FACES go through the ranks, suit by suit

    def to(self, other: IndexRead) -> tuple[float, float]:
        """Where another index lies, seen with this one upright: right and down, in pixels."""
        up = math.radians(self.angle_deg)
        dx, dy = other.x_px - self.x_px, other.y_px - self.y_px
        return (dx * math.sin(up) + dy * math.cos(up), -dx * math.cos(up) + dy * math.sin(up))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutlineRead:
    """A card's outline, and what its own corners say, read from the card laid straight.

    outline: its corners in order, clockwise as one looks at the picture. whole: all four were seen.
    indices: readings of its corners. side: up, down, or unsure where neither an index nor a back
    was made out. sureness: of the side, 0 to 1.
    """

    outline: Corners
    whole: bool = True
    indices: tuple[IndexRead, ...] = ()
    side: Side = Side.UNSURE
    sureness: float = 0.5

    def __repr__(self) -> str:
        return f"<outline at {self.middle[0]:.0f}, {self.middle[1]:.0f}>"

    @property
    def middle(self) -> Point:
        return (sum(x for x, _ in self.outline) / 4, sum(y for _, y in self.outline) / 4)

    @property
    def height_px(self) -> float:
        """The longer of its sides."""
        return max(math.dist(self.outline[0], self.outline[1]), self._side)

    @property
    def _side(self) -> float:
        return math.dist(self.outline[1], self.outline[2])

    @property
    def angle_deg(self) -> float:
        """Of its long side, anticlockwise, 0 to 180."""
        a, b, c, _ = self.outline
        one, two = (b, c) if self._side >= math.dist(a, b) else (a, b)
        return math.degrees(math.atan2(one[1] - two[1], two[0] - one[0])) % 180.0

    def holds(self, x_px: float, y_px: float) -> bool:
        """Whether a place lies in it."""
        ring = (*self.outline, self.outline[0])
        turns = [
            (b[0] - a[0]) * (y_px - a[1]) - (b[1] - a[1]) * (x_px - a[0]) for a, b in pairwise(ring)
        ]
        return all(t >= 0 for t in turns) or all(t <= 0 for t in turns)

    def shares(self, read: IndexRead) -> bool:
        """Whether an index lies in it, or is of a card with the same middle: a frame that is
        printed on a card is not another card."""
        if self.holds(read.x_px, read.y_px):
            return True
        x, y = self.middle
        right, down = read.to(replace(read, x_px=x, y_px=y))
        off = math.degrees(math.atan2(down, right)) - math.degrees(math.atan2(*PARTNER[::-1]))
        apart = math.hypot(right, down)
        if self.whole and apart > _TO_INDEX * self.height_px:
            return False  # it is of a card that lies beside this one
        return abs(off) < 14.0 and 3.8 < apart / read.size_px < 7.5


def distinct(reads: Iterable[IndexRead]) -> list[IndexRead]:
    """One reading an index: the surest of those that lie on one another."""
    kept: list[IndexRead] = []
    for read in sorted(reads, key=lambda r: -r.confidence):
        if read.confidence < LEAST:
            break
        if all(not _on(read, other) for other in kept):
            kept.append(read)
    return kept


def partners(one: IndexRead, other: IndexRead) -> bool:
    """Whether two indices lie to each other as two of one card, whatever they say: to the right and
    down, or, where all four corners have one, to the left and down."""
    turned = (one.angle_deg - other.angle_deg) % 360.0
    size = (one.size_px + other.size_px) / 2
    apart = math.hypot(one.x_px - other.x_px, one.y_px - other.y_px)
    if abs(turned - 180.0) > TURN_DEG or not 0.6 < one.size_px / other.size_px < 1.7:
        return False
    if not PARTNER_SIZES[0] * size < apart < PARTNER_SIZES[1] * size:
        return False
    wanted = math.degrees(math.atan2(PARTNER[1], PARTNER[0]))
    tens = one.face[0] == other.face[0] == "T"
    allowed = PARTNER_DEG + _TEN_DEG * tens
    return all(
        abs(math.degrees(math.atan2(down, abs(right))) - wanted) < allowed
        for right, down in (one.to(other), other.to(one))
    )


def joined(
    reads: Iterable[IndexRead],
    outlines: Iterable[OutlineRead] = (),
    alone: float = ALONE,
    least_px: float = 0.0,
    pips: Pips | None = None,
) -> tuple[Sighting, ...]:
    """One sighting for each card that the readers saw, in no order.

    reads: of the corner reader. outlines: of the outline reader, backs among them. alone: how sure
    a single reading must be to be believed by itself; above 1 none is. least_px: an index that is
    smaller, from rank to suit, shows that a card lies face up, and no face. pips: counts a card's,
    and is asked where all of a card and its index were seen.
    """
    judge = _Judge(alone, least_px, pips)
    left = distinct(reads)
    found = []
    read_there: list[IndexRead] = []  # of cards whose outlines were taken
    printed: list[OutlineRead] = []
    for each in sorted(outlines, key=lambda o: (not o.whole, -o.sureness)):  # the uppermost first
        outline = _without(each, read_there)
        held = [r for r in left if outline.shares(r)]
        within = [r for r in held if _fits(r, outline) or _own(r, outline)]
        strange = sum(r.confidence >= ALONE for r in held) > sum(
            r.confidence >= ALONE for r in within
        )
        if strange and not (outline.whole and outline.indices):
            continue  # indices of other cards lie in the middle of it: it is no card's outline
        if both_corners(outline.indices):
            printed.append(outline)
        if outline.side is Side.DOWN and not any(r.confidence >= AGREED for r in within):
            found.append(_laid(outline, Side.DOWN, None, outline.sureness))
        elif within or outline.indices or outline.side is not Side.UNSURE:
            found.append(_outlined(outline, within, judge))
        left = [r for r in left if not any(r is taken for taken in within)]
        read_there += [*outline.indices, *within]
    left = [r for r in left if not any(o.holds(r.x_px, r.y_px) for o in printed)]
    return (*found, *_cornered(left, judge))


def _without(outline: OutlineRead, read_there: Sequence[IndexRead]) -> OutlineRead:
    """An outline without indices that are another card's, which lies on it."""
    own = tuple(r for r in outline.indices if all(not _on(r, other) for other in read_there))
    if len(own) == len(outline.indices):
        return outline
    return replace(outline, indices=own)


def both_corners(indices: Iterable[IndexRead]) -> bool:
    """Whether both indices of a card were read in its outline: it lies uppermost, and whatever
    else is in it, such as a court card's figure, is printed on it."""
    sure = [r for r in indices if r.confidence >= AGREED]
    return any(a.face == b.face and partners(a, b) for a, b in combinations(sure, 2))


def _own(read: IndexRead, outline: OutlineRead) -> bool:
    """Whether an index is one that was read in the outline too, or the same face's at another of
    its corners: an outline put together from few edges may lie askew, its indices do not."""
    return any(
        r.face == read.face and r.confidence >= AGREED and (_on(r, read) or partners(r, read))
        for r in outline.indices
    )


def _on(one: IndexRead, other: IndexRead) -> bool:
    apart = math.hypot(one.x_px - other.x_px, one.y_px - other.y_px)
    return apart < SAME_SIZES * max(one.size_px, other.size_px)


def _fits(read: IndexRead, outline: OutlineRead) -> bool:
    """Whether an index stands along the outline's long side, and near one of its corners, as its
    own would."""
    off = (read.angle_deg - outline.angle_deg) % 180.0
    if min(off, 180.0 - off) > 20.0 or read.size_px > 0.2 * outline.height_px:
        return False
    a, b, _, d = (complex(x, y) for x, y in outline.outline)
    short, long = (b - a, d - a) if abs(b - a) <= abs(d - a) else (d - a, b - a)
    away = complex(read.x_px, read.y_px) - a
    across = (away * short.conjugate()).real / abs(short) ** 2 * CARD_MM[0]
    down = (away * long.conjugate()).real / abs(long) ** 2 * CARD_MM[1]
    x, y = min(across, CARD_MM[0] - across), min(down, CARD_MM[1] - down)
    return abs(x - INDEX_MM[0]) < 5.0 and abs(y - INDEX_MM[1]) < 7.0


def _laid(outline: OutlineRead, side: Side, face: Face | None, sure: float) -> Sighting:
    x, y = outline.middle
    four = outline.outline if outline.whole else None
    return Sighting(x, y, outline.angle_deg, side, face, sure, outline=four)


def _outlined(outline: OutlineRead, within: list[IndexRead], judge: _Judge) -> Sighting:
    """A card by its outline: what its own corners and the corner reader's say of it."""
    own = [r for r in outline.indices if r.confidence >= LEAST]
    four = outline.outline if outline.whole else None
    face, sure = judge.verdict([*own, *within], bool(own and within), four)
    if face is None and outline.side is Side.UP:
        sure = max(sure, outline.sureness)  # readings that differ leave no doubt of the side
    side = Side.UP if own or within else outline.side
    laid = _laid(outline, side, face, sure if own or within else outline.sureness)
    best = max([*own, *within], key=lambda r: r.confidence, default=None)
    if best is None:
        return laid
    off = (best.angle_deg - laid.angle_deg + 90.0) % 360.0
    angle = laid.angle_deg if off < 180.0 else laid.angle_deg + 180.0
    return replace(laid, angle_deg=angle % 360.0)


def _cornered(reads: list[IndexRead], judge: _Judge) -> Iterable[Sighting]:
    """Cards of which no outline was seen: those of which two indices or more were, then others."""
    left = list(reads)
    while left:
        one = left.pop(0)
        mates = [r for r in left if r.face == one.face and partners(one, r)]
        others = [max(mates, key=lambda r: r.confidence)] if mates else []
        others += [r for r in left if r not in others and _beside(one, r, others)]
        left = [r for r in left if r not in others]
        face, sure = judge.verdict([one, *others], bool(others), None)
        x, y = _middle(one, others)
        yield Sighting(x, y, one.angle_deg % 360.0, Side.UP, face, sure, corner=not others)


def _beside(one: IndexRead, other: IndexRead, mates: list[IndexRead]) -> bool:
    """Whether an index is at one of the other two corners of a card, as some decks print them: to
    the side of the first and upright like it, or above or below and on its head."""
    if other.face != one.face or not 0.6 < one.size_px / other.size_px < 1.7:
        return False
    right, down = one.to(other)
    turned = abs((one.angle_deg - other.angle_deg + 180.0) % 360.0 - 180.0)
    if mates:
        across, along = one.to(mates[0])
    else:
        farthest = PARTNER_SIZES[1] * one.size_px / math.hypot(*PARTNER)
        across, along = PARTNER[0] * farthest, PARTNER[1] * farthest
    least = 1.0 - _CORNER_OFF if mates else PARTNER_SIZES[0] / PARTNER_SIZES[1]
    most = 1.0 + _CORNER_OFF if mates else 1.0
    if turned < TURN_DEG:
        return least < abs(right / across) < most and abs(down) < _CORNER_OFF * abs(across)
    if turned > 180.0 - TURN_DEG:
        return least < abs(down / along) < most and abs(right) < _CORNER_OFF * abs(along)
    return False


def _middle(one: IndexRead, others: list[IndexRead]) -> Point:
    """Of a card whose indices these are: half the way to the one farthest off."""
    far = max(others, key=lambda r: math.hypot(r.x_px - one.x_px, r.y_px - one.y_px), default=one)
    return ((one.x_px + far.x_px) / 2, (one.y_px + far.y_px) / 2)


@dataclass(frozen=True, slots=True)
class _Judge:
    """What is believed of a card: see `joined`."""

    alone: float
    least_px: float
    pips: Pips | None

    def verdict(
        self, reads: list[IndexRead], both: bool, outline: Corners | None
    ) -> tuple[Face | None, float]:
        """The face on which readings of one card agree, and how sure it is.

        both: they are of two corners or of two readers. outline: the card's, if it was seen whole.
        """
        if not reads:
            return None, 0.0
        best = max(reads, key=lambda r: r.confidence)
        small = best.size_px < self.least_px
        shown = None if small else self._shown(reads, outline)
        return self._agreed(reads, both) if shown is None else self._counted(reads, both, shown)

    def _shown(self, reads: list[IndexRead], outline: Corners | None) -> PipsRead | None:
        """The pips that the card shows, by its outline or by where its two indices are."""
        if self.pips is None:
            return None
        shown = self.pips(outline) if outline is not None else None
        if shown is None and (four := _between(reads)) is not None:
            shown = self.pips(four)
        return shown

    def _counted(
        self, reads: list[IndexRead], both: bool, shown: PipsRead
    ) -> tuple[Face | None, float]:
        """The verdict on a card that shows such pips: a face that they allow, or none."""
        rank = weighed(_mean([r.rank for r in reads]), shown.number)
        suit = _mean([r.suit for r in reads])
        black = weighed_suit(suit, shown.black)
        each = [
            replace(
                r,
                rank=(rank * (1.0 - r.rank[-1])).astype(np.float32),
                suit=weighed_suit(r.suit.astype(np.float64), shown.black).astype(np.float32),
            )
            for r in reads
        ]
        face, sure = self._agreed(each, both)
        if int(rank.argmax()) != _of_number(shown.number) or rank.max() < self.alone:
            return None, sure
        against = face is not None and face.code[1] in "cs" and face.code[1] != shown.black
        overruled = suit.argmax() != black.argmax() and black.max() < self.alone
        if shown.black and (against or overruled):
            return None, sure
        return face, min(sure, float(rank.max()))

    def _agreed(self, reads: list[IndexRead], both: bool) -> tuple[Face | None, float]:
        """A face is accepted if all that are sure of themselves say it, and either two do or one is
        nearly sure."""
        best = max(reads, key=lambda r: r.confidence)
        against = [r for r in reads if r.face != best.face and r.confidence >= AGREED]
        backing = [r for r in reads if r.face == best.face]
        miss = math.prod(1.0 - r.confidence for r in backing)
        if against:
            return None, best.confidence  # which card is open; that one lies there is not
        if best.size_px < self.least_px:
            return None, best.confidence
        agreed = both and sum(r.confidence >= AGREED for r in backing) >= 2
        if agreed or best.confidence >= self.alone:
            return Face(best.face), 1.0 - miss if agreed else best.confidence
        return None, best.confidence


def weighed(rank: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Rank probabilities (14,), the last for none, of a card that shows so many pips.

    What is wrongly taken for an arrangement may be any other's, so that each other rank, a court
    too, has its share of `PIPS_WRONG`. An arrangement says nothing of whether an index is one.
    """
    likely = np.full(rank.shape, PIPS_WRONG / (_NUMBERS - 1))
    likely[_of_number(number)] = 1.0 - PIPS_WRONG
    likely[-1] = 1.0 / _NUMBERS
    out: NDArray[np.float64] = rank * likely
    return out / max(float(out.sum()), 1e-12)


def weighed_suit(suit: NDArray[np.float64], black: str) -> NDArray[np.float64]:
    """Suit probabilities (5,), the last for none, of a card whose pips are more like clubs ("c") or
    spades ("s") than like the other; as they are where that is not known."""
    if not black:
        return suit
    likely = np.full(suit.shape, 0.5)
    likely[[SUITS.index(black), SUITS.index("s" if black == "c" else "c")]] = (
        1.0 - BLACK_WRONG,
        BLACK_WRONG,
    )
    out: NDArray[np.float64] = suit * likely
    return out / max(float(out.sum()), 1e-12)


def _mean(shares: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Of what several readings say: they are one witness, and of them none is to be outvoted."""
    return np.asarray(np.array(shares, np.float64).mean(axis=0))


def _of_number(number: int) -> int:
    """Which of `RANKS` shows so many pips."""
    return RANKS.index("A23456789T"[number - 1])


def _between(reads: Sequence[IndexRead]) -> Corners | None:
    """A card's corners by its two indices; None if no two of these are such."""
    pairs = [(a, b) for a, b in combinations(reads, 2) if partners(a, b)]
    if not pairs:
        return None
    one, other = max(pairs, key=lambda p: p[0].confidence * p[1].confidence)
    right, _ = one.to(other)
    apart = complex(other.x_px - one.x_px, other.y_px - one.y_px)
    middle = complex(one.x_px + other.x_px, one.y_px + other.y_px) / 2
    side = complex(math.copysign(PARTNER[0], right), PARTNER[1])
    by_place = apart / side  # where the way to the right goes, and pixels a millimetre
    by_turn = _right(one) - _right(other)
    way = by_place / abs(by_place) + by_turn / max(abs(by_turn), 1e-9)
    mm = abs(by_place) * way / max(abs(way), 1e-9)
    w, h = CARD_MM
    a, b, c, d = (
        middle + mm * complex(x * w / 2, y * h / 2) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    return (a.real, a.imag), (b.real, b.imag), (c.real, c.imag), (d.real, d.imag)


def _right(read: IndexRead) -> complex:
    """The way to its right, one long."""
    up = math.radians(read.angle_deg)
    return complex(math.sin(up), math.cos(up))
