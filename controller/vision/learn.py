"""Learning a house's odd deck from one spread of it (`burnturn deck learn`).

Every card's index must be told from its neighbours by place alone, as the network may not know
what it says. So the indices that it does know give their size and the direction of the spread; the
others follow from the steps of the row. What each says comes from the order in which the cards lie,
which the indices that were known must confirm; or, without an order, from the network alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.model.cards import FACES
from controller.vision import glyphs
from controller.vision.agree import IndexRead
from controller.vision.deck_look import DeckLook, DeckLookError
from controller.vision.indices import RIGHT_PX, Looks, find_indices, pair_reads
from controller.vision.quality import judge

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

NEW_DECK: Final = FACES
"""Ace to king of spades, hearts, diamonds, clubs."""

_KNOWN = 0.8  # so sure is an index that tells where the spread lies
_NAMED = 0.6  # and one that is taken at its word
_LEAST_KNOWN = 12
_AGREE = 0.7  # of those, so many must be what the order says
_TURN_DEG, _SIZES = 25.0, 1.35  # an index stands and is like those around it
_JITTERS = 12
_WRONG = 400


@dataclass(frozen=True, slots=True)
class _Row:
    """Indices of a row, from the left as they stand."""

    reads: tuple[IndexRead, ...]


def learn(image: Image, net: Looks, order: Sequence[str] | None = None) -> DeckLook:
    """How the deck looks whose 52 cards lie spread, face up, in an image (h, w, 3).

    order: the faces as they lie, row by row from the left as the indices stand; None: the network
    must know each by itself. Raises DeckLookError with what is wrong and what to do.
    """
    quality = judge(image)
    if not quality.good:
        raise DeckLookError(f"the picture cannot be read: {quality.reason}")
    found = find_indices(image, net)
    size = found.size_px
    known = [r for r in found.reads if r.confidence >= _KNOWN]
    if size is None or len(known) < _LEAST_KNOWN:
        raise DeckLookError(
            f"only {len(known)} of the cards' indices can be made out; at least {_LEAST_KNOWN} are"
            " needed. Next: spread the cards face up, lit evenly, and fill the picture with them"
        )
    still, by = _scaled(image, size)
    pairs, others = pair_reads(still, net)
    known = [_at(r, by) for r in known]
    places = (
        _by_name([_at(r, by) for r in found.reads])
        if order is None
        else _by_order(known, pairs, list(order))
    )
    return DeckLook.learned(_features(still, places, net), _wrong(still, others, places, net))


def _scaled(image: Image, size: float) -> tuple[Image, float]:
    scale = min(RIGHT_PX / size, 3.2)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    still = cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
    return still.astype(np.uint8, copy=False), scale


def _at(read: IndexRead, by: float) -> IndexRead:
    return replace(read, x_px=read.x_px * by, y_px=read.y_px * by, size_px=read.size_px * by)


def _by_name(reads: Sequence[IndexRead]) -> dict[str, IndexRead]:
    """Each card's index by what the network says of it. Raises DeckLookError."""
    best: dict[str, IndexRead] = {}
    for read in sorted(reads, key=lambda r: r.confidence):
        if read.confidence >= _NAMED:
            best[read.face] = read
    lost = [face for face in FACES if face not in best]
    if lost:
        raise DeckLookError(
            f"{len(lost)} of the cards are not known by their looks. Next: lay the deck in new-deck"
            " order (ace to king of spades, hearts, diamonds, clubs; from the left, row by row) and"
            " give --in-order",
            lost,
        )
    return best


def _by_order(
    known: Sequence[IndexRead], pairs: Sequence[IndexRead], order: Sequence[str]
) -> dict[str, IndexRead]:
    """Each card's index by its place. Raises DeckLookError."""
    rows = _rows(_one_way(known))
    if not rows:
        raise DeckLookError(
            "no row of cards is seen. Next: spread them in one row or a few, one edge over the next"
        )
    step = _step(rows)
    filled = [read for row in rows for read in _filled(row, pairs, step)]
    if len(filled) != len(order):
        raise DeckLookError(
            f"{len(filled)} cards are seen in {len(rows)} rows, not {len(order)}. Next: spread them"
            " evenly, every index free, with nothing else in the picture"
        )
    if _agreement(filled, order) < _AGREE:
        filled.reverse()
    if _agreement(filled, order) < _AGREE:
        raise DeckLookError(
            "the cards do not lie in the order that was given: what is known of them says"
            " otherwise."
            " Next: lay them ace to king of spades, hearts, diamonds, clubs, from the left"
        )
    if moved := _moved(filled, order):
        raise DeckLookError(
            "some cards lie in one another's places, and would be taken for one another from then"
            " on. Next: put the deck in order, ace to king of spades, hearts, diamonds,"
            " clubs, and spread it anew",
            moved,
        )
    return dict(zip(order, filled, strict=True))


def _moved(reads: Sequence[IndexRead], order: Sequence[str]) -> list[str]:
    """Faces at whose places others lie: what is surely read there is not read at its own place. An
    index that is only misread is misread alike in two suits, or read as a card that lies where it
    belongs."""
    says = {face: r.face for r, face in zip(reads, order, strict=True) if r.confidence >= _KNOWN}
    wrong = {face: said for face, said in says.items() if said != face}
    alike = Counter((face[0], said[0]) for face, said in wrong.items() if face[1] == said[1])
    return [
        face
        for face, said in wrong.items()
        if says.get(said) != said and not (face[1] == said[1] and alike[face[0], said[0]] > 1)
    ]


def _agreement(reads: Sequence[IndexRead], order: Sequence[str]) -> float:
    """Of the indices that the network is sure of, how many say what the order says."""
    sure = [(r.face, face) for r, face in zip(reads, order, strict=True) if r.confidence >= _KNOWN]
    return sum(one == other for one, other in sure) / len(sure) if sure else 0.0


def _one_way(reads: Sequence[IndexRead]) -> list[IndexRead]:
    """Those that stand as most do: the far index of a card that lies on top stands on its head."""
    turns = np.array([r.angle_deg for r in reads])
    off = np.abs((turns[:, None] - turns[None, :] + 180.0) % 360.0 - 180.0)
    most = int((off < 60.0).sum(1).argmax())
    return [r for r, away in zip(reads, off[most], strict=True) if away < 60.0]


def _right(read: IndexRead) -> NDArray[np.float64]:
    up = math.radians(read.angle_deg)
    return np.array([math.sin(up), math.cos(up)])


def _place(read: IndexRead) -> NDArray[np.float64]:
    return np.array([read.x_px, read.y_px])


def _rows(reads: Sequence[IndexRead]) -> list[_Row]:
    """Indices in rows, the upper first: each is followed by the nearest to its right."""
    after: dict[int, int] = {}
    before: dict[int, tuple[float, int]] = {}
    for n, read in enumerate(reads):
        best = math.inf
        for m, other in enumerate(reads):
            along, across = _offset(read, other)
            if along > 0.3 and abs(across) < 0.3 * along + 0.2 and along < best:
                best, after[n] = along, m
        if n in after and best < before.get(after[n], (math.inf, 0))[0]:
            before[after[n]] = (best, n)
    follows = {n: m for m, (_, n) in before.items()}
    rows = []
    for head in set(range(len(reads))) - set(before):
        row, at = [reads[head]], head
        while at in follows:
            at = follows[at]
            row.append(reads[at])
        if len(row) >= 3:
            rows.append(_Row(tuple(row)))
    down = -np.mean([_up(r) for row in rows for r in row.reads], axis=0) if rows else np.zeros(2)
    return sorted(rows, key=lambda row: float(_place(row.reads[0]) @ down))


def _up(read: IndexRead) -> NDArray[np.float64]:
    up = math.radians(read.angle_deg)
    return np.array([math.cos(up), -math.sin(up)])


def _offset(read: IndexRead, other: IndexRead) -> tuple[float, float]:
    """Where another index lies: to the right and down, in this one's sizes."""
    away = (_place(other) - _place(read)) / read.size_px
    return float(away @ _right(read)), float(-(away @ _up(read)))


def _step(rows: Sequence[_Row]) -> float:
    """The usual step from card to card, in sizes."""
    steps = [math.hypot(*_offset(a, b)) for row in rows for a, b in pairwise(row.reads)]
    low = float(np.quantile(steps, 0.3))
    return float(np.median([s for s in steps if s < 1.5 * low]))


def _filled(row: _Row, pairs: Sequence[IndexRead], step: float) -> list[IndexRead]:
    """A row with what stands where its steps say that a card must be, and at its ends."""
    out = [row.reads[0]]
    for read in row.reads[1:]:
        many = round(math.hypot(*_offset(out[-1], read)) / step)
        for n in range(1, max(1, many)):
            part = n / many
            where = _place(out[-n]) * (1 - part) + _place(read) * part
            out.append(_nearest(where, read, pairs, step) or _guess(where, read))
        out.append(read)
    return [*_onwards(out, pairs, step, -1), *out, *_onwards(out, pairs, step, 1)]


def _guess(where: NDArray[np.float64], like: IndexRead) -> IndexRead:
    return replace(like, x_px=float(where[0]), y_px=float(where[1]), rank=0 * like.rank)


def _nearest(
    where: NDArray[np.float64], like: IndexRead, pairs: Sequence[IndexRead], step: float
) -> IndexRead | None:
    """The pair that stands there like its neighbours."""
    fit = [
        (float(np.hypot(*(_place(p) - where))), p)
        for p in pairs
        if abs((p.angle_deg - like.angle_deg + 180.0) % 360.0 - 180.0) < _TURN_DEG
        and 1 / _SIZES < p.size_px / like.size_px < _SIZES
    ]
    far, best = min(fit, key=lambda pair: pair[0], default=(math.inf, like))
    return best if far < 0.35 * step * like.size_px else None


def _onwards(
    row: Sequence[IndexRead], pairs: Sequence[IndexRead], step: float, way: int
) -> list[IndexRead]:
    """What follows the end of a row, where the network knew nothing."""
    ends = row[-2:] if way > 0 else row[1::-1]
    one, two = ends[0], ends[-1]
    out: list[IndexRead] = []
    for _ in range(len(FACES)):
        where = 2 * _place(two) - _place(one)
        found = _nearest(where, two, pairs, step)
        if found is None:
            break
        one, two = two, found
        out.append(found)
    return out if way > 0 else out[::-1]


def _features(image: Image, places: dict[str, IndexRead], net: Looks) -> dict[str, Floats]:
    """What the network sees of each card's index, looked at a little askew each time."""
    rng = np.random.default_rng(1)
    out = {}
    for face, read in places.items():
        askew = rng.normal(0, 0.03, (2, _JITTERS, 2)) * read.size_px
        up = _up(read) * read.size_px / 2
        rank = (_place(read) + up + askew[0]).astype(np.float32)
        suit = (_place(read) - up + askew[1]).astype(np.float32)
        out[face] = net.look(glyphs.patches(image, rank, suit)).features
    return out


def _wrong(
    image: Image, pairs: Sequence[IndexRead], places: dict[str, IndexRead], net: Looks
) -> Floats:
    """What it sees of pairs that are none of the indices."""
    at = np.array([_place(r) for r in places.values()])
    size = float(np.median([r.size_px for r in places.values()]))
    far = [p for p in pairs if float(np.hypot(*(at - _place(p)).T).min()) > 0.6 * size][:_WRONG]
    if not far:
        return np.zeros((0, 96), np.float32)
    up = np.array([_up(p) * p.size_px / 2 for p in far])
    middle = np.array([_place(p) for p in far])
    rank, suit = (middle + up).astype(np.float32), (middle - up).astype(np.float32)
    return net.look(glyphs.patches(image, rank, suit)).features
