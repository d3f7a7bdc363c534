"""The second reader: cards by their outlines. Each is laid straight, and its corners are named by
the same network as the corner reader's, at one size and without the camera's slant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision import glyphs
from controller.vision.agree import INDEX_MM, IndexRead, OutlineRead, both_corners
from controller.vision.backs import (
    SURE_BACK,
    BackPattern,
    back_likelihood,
    covered_back_likelihood,
)
from controller.vision.picture import Point
from controller.vision.quads import Quad, quads, straight
from drivers.readings import Side
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

STRAIGHT_PX_MM: Final = 4.0
"""Cards are laid straight at this scale: indices are about as high as the network likes them."""

CORNER_MM: Final = (16.0, 31.0)
"""What of a corner is looked at, across and down."""

BACK_FROM: Final = 0.5
"""From this likelihood on an outline is a back's."""

STRIP_MM: Final = 15.0
"""A strip by which one card lies beside another tells no back if it is narrower: see
`controller.vision.backs.LEAST_SHOWN`."""

_RANK_MM = ((1.5, 11.5), (2.5, 14.5))  # where in a corner the middle of a rank lies: x, y
_SUIT_DOWN_MM = (4.0, 14.0)  # and how far below it that of its suit
_SUIT_ASIDE_MM = 3.6  # a ten's suit stands below the middle of two digits
_TRIED = 6  # pairs of a corner, the likeliest


class Names(Protocol):
    """What names patches: `controller.vision.net.GlyphNet`."""

    def name(self, patches: Image) -> tuple[Floats, Floats]:
        """Rank (n, 14) and suit (n, 5) probabilities of (n, 60, 32, 3) patches; the last of each
        is none."""
        ...


class _Corner:
    """A corner of a card laid straight, and the pairs in it that may be its index."""

    def __init__(self, card: Image, turned: bool, mirrored: bool) -> None:
        self.turned, self.mirrored = turned, mirrored
        upright = card[::-1, ::-1] if turned else card
        w, h = (round(mm * STRAIGHT_PX_MM) for mm in CORNER_MM)
        cut = upright[:h, -w:] if mirrored else upright[:h, :w]
        self.image = np.ascontiguousarray(cut)
        self.rank, self.suit = _likely(self.image, mirrored)

    def in_card(self, points: Floats) -> Floats:
        """Places in this corner, as places on the card in millimetres."""
        mm = points / STRAIGHT_PX_MM
        if self.mirrored:
            mm = mm + np.array([CARD_MM[0] - CORNER_MM[0], 0.0], np.float32)
        return np.array(CARD_MM, np.float32) - mm if self.turned else mm


def read_outlines(
    image: Image,
    net: Names,
    px_per_mm: float | None = None,
    back: BackPattern | None = None,
    found: Sequence[Quad] | None = None,
) -> list[OutlineRead]:
    """Every card whose outline an image (h, w, 3) shows, its corners named and its side told.

    px_per_mm: the image's scale, if known. back: the house's, if it was shown once. found: the
    outlines, where they have been looked for already.
    """
    outlines = quads(image, px_per_mm) if found is None else found
    cards = [straight(image, q.corners, STRAIGHT_PX_MM) for q in outlines]
    corners = [[_Corner(c, t, m) for t in (False, True) for m in (False, True)] for c in cards]
    flat = [corner for four in corners for corner in four]
    named = iter(_named(flat, net))
    read_in = [
        [_placed(quad, corner, *found) for corner in four for found in next(named)]
        for quad, four in zip(outlines, corners, strict=True)
    ]
    uppermost = [q for q, reads in zip(outlines, read_in, strict=True) if both_corners(reads)]
    above = [q for q in outlines if q.whole or q in uppermost]
    told: list[OutlineRead | None] = []
    strips: list[Quad] = []
    free = back
    if free is None and not all(q.whole for q in outlines):
        free = _back_of(card for q, card in zip(outlines, cards, strict=True) if q.whole)
    for quad, card, within in zip(outlines, cards, read_in, strict=True):
        over = uppermost if quad in above else above
        indices = within if quad in uppermost else _not_above(within, over)
        said = _told(quad, card, indices, back)
        # A side may be seen whole along the edge of the card that lies on it.
        covered = not quad.whole or len(indices) < len(within)
        up = said is not None and said.side is Side.UP
        if covered and not up and not any(_too_near(quad, other) for other in strips):
            shown = _shown(quad, card, [q for q in above if q is not quad])
            likely = covered_back_likelihood(card, STRAIGHT_PX_MM, free, shown)
            if likely >= BACK_FROM and (said is None or likely > said.sureness):
                said = OutlineRead(_points(quad), False, (), Side.DOWN, 0.8 * likely)
                strips.append(quad)
        told.append(said)
    return [r for r in told if r is not None]


def _too_near(one: Quad, other: Quad) -> bool:
    """Whether of two covered cards no two strips could show."""
    return abs(one.middle - other.middle) < STRIP_MM / CARD_MM[1] * other.height


def _back_of(cards: Iterable[Image]) -> BackPattern | None:
    """How the backs look that lie whole in this picture: those under them are of the same deck."""
    backs = [card for card in cards if back_likelihood(card, STRAIGHT_PX_MM) >= SURE_BACK]
    with suppress(ValueError):
        return BackPattern.learnt(backs, STRAIGHT_PX_MM)
    return None


def _not_above(indices: Iterable[IndexRead], above: Sequence[Quad]) -> list[IndexRead]:
    """The indices that are no card's which lies on this one: its corner may be where one of this
    card's own would be."""
    rings = [np.ascontiguousarray(q.corners.reshape(-1, 1, 2), np.float32) for q in above]
    return [
        r
        for r in indices
        if all(cv2.pointPolygonTest(ring, (r.x_px, r.y_px), False) < 0 for ring in rings)
    ]


def _shown(quad: Quad, card: Image, above: Sequence[Quad]) -> NDArray[np.bool_]:
    """Which part of a card laid straight no other outline covers."""
    h, w = card.shape[:2]
    to = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.corners.astype(np.float32), to)
    covered = np.zeros((h, w), np.uint8)
    for other in above:
        ring = cv2.perspectiveTransform(other.corners.reshape(1, -1, 2).astype(np.float32), matrix)
        cv2.fillConvexPoly(covered, np.round(ring[0]).astype(np.int32), (255,))
    return np.asarray(covered == 0)


def _points(quad: Quad) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = quad.four
    return (a.real, a.imag), (b.real, b.imag), (c.real, c.imag), (d.real, d.imag)


def _likely(image: Image, mirrored: bool) -> tuple[Floats, Floats]:
    """Middles (n, 2) of ranks and of suits in a corner: pairs that stand as an index does."""
    rank, suit = glyphs.pairs(glyphs.shapes(image))
    mm = rank / STRAIGHT_PX_MM
    x = CORNER_MM[0] - mm[:, 0] if mirrored else mm[:, 0]
    down = (suit - rank) / STRAIGHT_PX_MM
    fit = (x > _RANK_MM[0][0]) & (x < _RANK_MM[0][1])
    fit &= (mm[:, 1] > _RANK_MM[1][0]) & (mm[:, 1] < _RANK_MM[1][1])
    fit &= (down[:, 1] > _SUIT_DOWN_MM[0]) & (down[:, 1] < _SUIT_DOWN_MM[1])
    fit &= np.abs(down[:, 0]) < _SUIT_ASIDE_MM
    middle = (rank[fit] + suit[fit]) / 2 / STRAIGHT_PX_MM
    across = CORNER_MM[0] - middle[:, 0] if mirrored else middle[:, 0]
    off = np.hypot(across - INDEX_MM[0], middle[:, 1] - INDEX_MM[1])
    best = np.argsort(off, kind="stable")[:_TRIED]
    return rank[fit][best], suit[fit][best]


def _named(
    corners: Iterable[_Corner], net: Names
) -> list[list[tuple[Floats, Floats, Floats, Floats]]]:
    """For each corner its likeliest index, or none: rank's and suit's middle on the card in
    millimetres, rank's and suit's probabilities."""
    corners = list(corners)
    cut = [glyphs.patches(c.image, c.rank, c.suit) for c in corners if len(c.rank)]
    if not cut:
        return [[] for _ in corners]
    ranks, suits = net.name(np.concatenate(cut))
    out, begin = [], 0
    for corner in corners:
        end = begin + len(corner.rank)
        out.append(_best(corner, ranks[begin:end], suits[begin:end]))
        begin = end
    return out


def _best(
    corner: _Corner, ranks: Floats, suits: Floats
) -> list[tuple[Floats, Floats, Floats, Floats]]:
    if not len(ranks):
        return []
    sure = ranks[:, :-1].max(1) * suits[:, :-1].max(1)
    n = int(sure.argmax())
    places = corner.in_card(np.array([corner.rank[n], corner.suit[n]], np.float32))
    return [(places[0], places[1], ranks[n], suits[n])]


def _placed(
    quad: Quad, corner: _Corner, rank_mm: Floats, suit_mm: Floats, rank: Floats, suit: Floats
) -> IndexRead:
    """An index named on a card laid straight, as it lies in the picture."""
    on_card = np.array([[0, 0], [CARD_MM[0], 0], CARD_MM, [0, CARD_MM[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(on_card, quad.corners)
    middle = (rank_mm + suit_mm) / 2
    up = np.array([0.0, 1.0 if corner.turned else -1.0], np.float32)
    points = np.array([[rank_mm, suit_mm, middle, middle + 10 * up]], np.float32)
    (a, b, m, above) = cv2.perspectiveTransform(points, matrix)[0]
    angle = float(np.degrees(np.arctan2(m[1] - above[1], above[0] - m[0]))) % 360.0
    size = float(np.hypot(*(b - a)))
    return IndexRead(float(m[0]), float(m[1]), angle, size, rank, suit)


def _told(
    quad: Quad, card: Image, indices: list[IndexRead], back: BackPattern | None
) -> OutlineRead | None:
    """What an outline is. One that only some map made up, with nothing in it, is none."""
    good = [r for r in indices if r.confidence >= 0.5]
    four = _points(quad)
    if good:
        sure = max(r.confidence for r in good)
        return OutlineRead(four, quad.whole, tuple(good), Side.UP, sure)
    likely = back_likelihood(card, STRAIGHT_PX_MM, back)
    if likely >= BACK_FROM:
        return OutlineRead(four, quad.whole, (), Side.DOWN, likely * (1.0 if quad.whole else 0.8))
    if quad.votes < 2 or not quad.whole:
        return None
    return OutlineRead(four, quad.whole, (), Side.UNSURE, 0.3)
