"""Every corner index in a picture, named: pairs of shapes at the right scale, through the network.

Where the picture's scale is not known it is found first: a few coarse looks, each at its own scale,
tell how large the indices are; the thorough look is then taken at the scale the network likes best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision import glyphs
from controller.vision.agree import IndexRead, distinct, partners
from controller.vision.net import SIEVE_LINE, SIEVE_STEP, Named

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

RIGHT_PX: Final = glyphs.SUIT_Y - glyphs.RANK_Y
"""From rank to suit at the scale of the thorough look: no pixel is lost on the way to a patch."""

_QUICK_PX = 21.0  # as much, where frame follows frame

INDEX_SIZE_MM: Final = 7.5
"""From a rank's middle to its suit's; decks print 6 to 9, big indices 12."""

_COARSE_PX = (1600, 800, 3200)  # along the longer side, in the order in which they are looked at
_BEST_PX = (16.0, 40.0)  # rank to suit: a coarse look that sees such indices need have no other
_LARGER = 3.2  # an image is enlarged by so much at most
_MOST_PX = 5200  # along the longer side
_CLOSE = 0.2  # a coarse look whose scale is off by less (as a logarithm) was thorough enough
_PAIRS = 3000
_ALIKE = 0.08  # of an index: both ends of near doubles lie no farther apart
_SURE = 0.8
_NEARLY = 0.2
_DOUBT = (0.02, 0.9)  # a look that is as sure as that leaves it open what its near doubles say
_CERTAIN = 0.95  # two corners that say the same, each as sure, need no other look
_ASKEW = ((0.06, 0.05, 0.03), (-0.06, -0.05, -0.03))
"""How an index is looked at again: larger, turned (radians), aside (in sizes)."""


class Looks(Protocol):
    """What names patches: `controller.vision.net.GlyphNet`, or one that learned a deck."""

    def sift(self, ink: Image) -> Floats:
        """How likely each of (n, 30, 16) patches of the darkest channel is an index."""
        ...

    def look(self, patches: Image) -> Named:
        """Ranks, suits and features of (n, 60, 32, 3) patches."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Indices:
    """What was found. reads: one for each place that may be an index, unsure ones too. ink (n, 3):
    x, y and size in pixels of the dark shapes on light ground."""

    reads: tuple[IndexRead, ...] = ()
    ink: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))

    @property
    def size_px(self) -> float | None:
        """The usual index, from rank to suit; None where none is sure."""
        sure = [r.size_px for r in self.reads if r.confidence >= _SURE]
        return float(np.median(sure)) if sure else None


def find_indices(image: Image, net: Looks, px_per_mm: float | None = None) -> Indices:
    """The indices of an image (h, w, 3). px_per_mm: its scale, where it is known."""
    if min(image.shape[:2]) < 16:
        return Indices()
    if px_per_mm is not None:
        scale = _QUICK_PX / (INDEX_SIZE_MM * px_per_mm)
        return _looked(image, net, _within(image, scale), _PAIRS)
    looks: list[tuple[float, Indices]] = []
    for scale in _coarse(image):
        looks.append((scale, _looked(image, net, scale, _PAIRS)))
        if _settles(looks[-1][1], scale):
            break
    best = max(looks, key=lambda look: sum(r.confidence >= _SURE for r in look[1].reads))
    size = best[1].size_px
    if size is not None:
        scale = _within(image, RIGHT_PX / size)
        if abs(math.log(scale / best[0])) > _CLOSE:
            looks.append((scale, _looked(image, net, scale, _PAIRS)))
    return _together([found for _, found in looks])


def _coarse(image: Image) -> list[float]:
    longer = max(image.shape[:2])
    scales: list[float] = []
    for px in _COARSE_PX:
        scale = min(px / longer, _LARGER)
        if px > 1.3 * longer and px == _COARSE_PX[-1]:
            continue
        if all(abs(math.log(scale / other)) > 0.2 for other in scales):
            scales.append(scale)
    if longer > 1.4 * _COARSE_PX[-1]:
        scales.append(min(1.0, _MOST_PX / longer))
    return scales


def _within(image: Image, scale: float) -> float:
    longer = max(image.shape[:2])
    return float(np.clip(scale, 24 / longer, min(_LARGER, _MOST_PX / longer)))


def _settles(found: Indices, scale: float) -> bool:
    """Whether a coarse look has seen enough to tell the scale."""
    sure = [r.size_px for r in found.reads if r.confidence >= 0.9]
    return len(sure) >= 2 and _BEST_PX[0] <= float(np.median(sure)) * scale <= _BEST_PX[1]


def _looked(image: Image, net: Looks, scale: float, most: int) -> Indices:
    """Every index at one scale."""
    h, w = image.shape[:2]
    box = (max(1, round(w * scale)), max(1, round(h * scale)))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = image if box == (w, h) else cv2.resize(image, box, interpolation=how)
    by = np.array([w / box[0], h / box[1]], np.float32)
    scaled = scaled.astype(np.uint8, copy=False)
    darkest = glyphs.darkest_channel(scaled)
    shown = glyphs.shapes(scaled, darkest)
    rank, suit = glyphs.pairs(shown, most)
    size = (shown.size * by[0])[:, None]
    ink = np.concatenate([shown.centre * by, size], axis=1)
    reads = _named(scaled, darkest, rank, suit, net)
    return Indices(tuple(_enlarged(read, by) for read in reads), ink)


def pair_reads(image: Image, net: Looks) -> tuple[list[IndexRead], list[IndexRead]]:
    """Every pair of an image at the right scale that looks like an index, whatever it is named; and
    those that do not."""
    darkest = glyphs.darkest_channel(image)
    rank, suit = glyphs.pairs(glyphs.shapes(image, darkest), _PAIRS)
    likely = net.sift(glyphs.patches(darkest, rank, suit, SIEVE_STEP)) >= SIEVE_LINE
    named = net.look(glyphs.patches(image, rank, suit))
    reads = [_read(rank[n], suit[n], named.rank[n], named.suit[n]) for n in range(len(rank))]
    return (
        [r for r, good in zip(reads, likely, strict=True) if good],
        [r for r, good in zip(reads, likely, strict=True) if not good],
    )


def _doubles(rank: Floats, suit: Floats) -> NDArray[np.intp]:
    """(n,): of which earlier pair each is a near double; its own number, where of none."""
    at = np.concatenate([rank, suit], axis=1).T
    near = _ALIKE * np.hypot(*(suit - rank).T)
    left, of = np.arange(len(rank)), np.zeros(len(rank), np.intp)
    while len(left):
        other = np.abs(at - at[:, :1]).max(0) > near[left[0]]
        of[left[~other]] = left[0]
        left, at = left[other], at[:, other]
    return of


def _named(image: Image, darkest: Image, rank: Floats, suit: Floats, net: Looks) -> list[IndexRead]:
    """What of some pairs may be an index. Several kinds of ink show most shapes nearly alike: of
    near doubles one is looked at, and the others only where that leaves a doubt."""
    of = _doubles(rank, suit)
    first = np.unique(of)
    likely = net.sift(glyphs.patches(darkest, rank[first], suit[first], SIEVE_STEP))
    order = np.argsort(-likely, kind="stable")  # of those equally sure the first is kept
    first = first[order[likely[order] >= SIEVE_LINE]]
    reads = _reads(image, rank[first], suit[first], net)
    doubt = [n for n, r in zip(first, reads, strict=True) if _DOUBT[0] <= r.confidence < _DOUBT[1]]
    more = np.setdiff1d(np.flatnonzero(np.isin(of, doubt)), first)
    reads += _reads(image, rank[more], suit[more], net)
    reads = [read for read in reads if read.confidence >= _NEARLY]
    return _decided([_ten(read, reads) for read in distinct(reads)], image, net)


def _reads(image: Image, rank: Floats, suit: Floats, net: Looks) -> list[IndexRead]:
    """What the network names pairs, unsure ones too."""
    named = net.look(glyphs.patches(image, rank, suit))
    return [_read(*each) for each in zip(rank, suit, named.rank, named.suit, strict=True)]


def _decided(reads: Sequence[IndexRead], image: Image, net: Looks) -> list[IndexRead]:
    """Readings that another corner of the same card confirms, as they are, and the others after
    another look."""
    sure: dict[str, list[int]] = {}
    for n, read in enumerate(reads):
        if read.confidence >= _CERTAIN:
            sure.setdefault(read.face, []).append(n)
    confirmed = {
        n
        for same in sure.values()
        for pair in combinations(same, 2)
        if partners(*(reads[n] for n in pair))
        for n in pair
    }
    left = [read for n, read in enumerate(reads) if n not in confirmed]
    return [*(reads[n] for n in sorted(confirmed)), *(_again(image, left, net) if left else [])]


def _ten(read: IndexRead, reads: Sequence[IndexRead]) -> IndexRead:
    """A ten that was read by one of its digits, and by the other too, stands between both."""
    if read.face[0] != "T":
        return read
    rank, suit = _ends(read)
    for other in sorted(reads, key=lambda r: -r.confidence):
        digit, same = _ends(other)
        apart = float(np.hypot(*(digit - rank))) / read.size_px
        off = float(np.hypot(*(same - suit))) / read.size_px
        if other.face == read.face and 0.25 < apart < 1.0 and off < 0.2:
            return _read(((rank + digit) / 2).astype(np.float32), suit, read.rank, read.suit)
    return read


def _ends(read: IndexRead) -> tuple[Floats, Floats]:
    """The middles of an index's rank and suit."""
    up = math.radians(read.angle_deg)
    half = np.array([math.cos(up), -math.sin(up)], np.float32) * np.float32(read.size_px / 2)
    middle = np.array([read.x_px, read.y_px], np.float32)
    return middle + half, middle - half


def _read(rank_at: Floats, suit_at: Floats, rank: Floats, suit: Floats) -> IndexRead:
    x, y = (rank_at + suit_at) / 2
    up = rank_at - suit_at
    angle = math.degrees(math.atan2(-up[1], up[0])) % 360.0
    return IndexRead(float(x), float(y), angle, float(np.hypot(*up)), rank, suit)


def _again(image: Image, reads: Sequence[IndexRead], net: Looks) -> list[IndexRead]:
    """Readings whose probabilities are the mean of several looks: what only just fits one of them
    is no longer sure."""
    middle = np.array([[r.x_px, r.y_px] for r in reads], np.float32)
    turn = np.radians([r.angle_deg for r in reads])
    half = np.array([r.size_px / 2 for r in reads])
    cuts = []
    for larger, turned, aside in _ASKEW:
        way = turn + turned
        up = np.column_stack([np.cos(way), -np.sin(way)]) * (half * (1 + larger))[:, None]
        right = np.column_stack([-up[:, 1], up[:, 0]])
        at = middle + 2 * aside * right
        cuts.append(
            glyphs.patches(image, (at + up).astype(np.float32), (at - up).astype(np.float32))
        )
    named = net.look(np.concatenate(cuts))
    rank = named.rank.reshape(len(_ASKEW), len(reads), -1).sum(0)
    suit = named.suit.reshape(len(_ASKEW), len(reads), -1).sum(0)
    many = len(_ASKEW) + 1
    return [
        replace(r, rank=(r.rank + rank[n]) / many, suit=(r.suit + suit[n]) / many)
        for n, r in enumerate(reads)
    ]


def _enlarged(read: IndexRead, by: Floats) -> IndexRead:
    return replace(
        read, x_px=read.x_px * by[0], y_px=read.y_px * by[1], size_px=read.size_px * by[0]
    )


def _together(looks: Sequence[Indices]) -> Indices:
    """Several looks at one image: the surest reading of every index, the ink of the last."""
    return Indices(tuple(distinct(r for look in looks for r in look.reads)), looks[-1].ink)
