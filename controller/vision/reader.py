"""The card reader: an image to what it shows.

Two readers look at it: one finds corner indices wherever they lie (`controller.vision.indices`),
the other finds outlines of whole cards and reads their corners (`controller.vision.outlines`). What
both or two corners say is accepted, and what one says alone only where it is nearly sure
(`controller.vision.agree`). A third counts the pips of cards that are seen whole
(`controller.vision.pips`): what an index says against them is not accepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import AGREED, PARTNER, Corners, IndexRead, Pips, joined
from controller.vision.backs import BackPattern
from controller.vision.borders import bordered
from controller.vision.deck_look import DeckLook, LearnedNet
from controller.vision.indices import Indices, find_indices
from controller.vision.net import Named
from controller.vision.outlines import read_outlines
from controller.vision.picture import Picture, PipsRead, Quality, Sighting
from controller.vision.pips import PIPS_PX_MM, read_pips
from controller.vision.quads import quads, straight
from controller.vision.quality import judge
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

ALONE = 0.9
"""So sure must a single reading be to be believed: see `make bench-vision` for what that costs."""

LEAST_INDEX_PX = 7.0
"""An index that is smaller, from rank to suit, names no face: its suit is then four pixels high,
and the print of cloth and paper has much that looks like it."""

_GLANCE_PX = 6.0  # of an index, from rank to suit, as what is left is glanced at
_LEFT_SIZES = (
    9.0  # edges of so many sizes, a third of a card's, are left where there may be another
)
_MORE = 1.14  # of a card is covered, for it is seen at a slant and throws a shadow


class Net(Protocol):
    """What names patches."""

    def sift(self, ink: Image) -> Floats: ...

    def look(self, patches: Image) -> Named: ...

    def name(self, patches: Image) -> tuple[Floats, Floats]: ...


class CardReader:
    """Reads cards in images. deck: how the house's deck looks, where that was learned; back: its
    backs, where they were."""

    def __init__(
        self, net: Net, deck: DeckLook | None = None, back: BackPattern | None = None
    ) -> None:
        self._net: Net = net if deck is None else LearnedNet(net, deck)
        self._back = back

    def read(
        self,
        image: Image,
        px_per_mm: float | None = None,
        quality: Quality | None = None,
        least_index_px: float = LEAST_INDEX_PX,
    ) -> Picture:
        """What an image (h, w, 3) of blue, green, red shows. px_per_mm: its scale; None: it is
        found. quality: where somebody has judged it. least_index_px: a smaller index, from rank to
        suit, names no face. A picture that is not fit to be read shows
        nothing."""
        quality = quality or judge(image, px_per_mm)
        if not quality.good:
            return Picture((), quality)
        reads = self.indices(image, px_per_mm).reads
        pips = _pips_in(image)
        cards = joined(reads, (), ALONE, least_index_px, pips)
        if not all_told(image, reads, cards):
            found = None
            if px_per_mm is not None:  # then a side says where its card would lie
                found = bordered(image, quads(image, px_per_mm), px_per_mm)
            outlines = read_outlines(image, self._net, px_per_mm, self._back, found)
            cards = joined(reads, outlines, ALONE, least_index_px, pips)
        return Picture(cards, quality)

    def with_back(self, back: BackPattern) -> CardReader:
        """The same reader, which knows how the house's backs look."""
        reader = copy(self)
        reader._back = back
        return reader

    def indices(self, image: Image, px_per_mm: float | None = None) -> Indices:
        """Every corner index alone, unsure ones too: for spreads, in which a doubtful one is
        decided by all the others."""
        return find_indices(image, self._net, px_per_mm)


def _pips_in(image: Image) -> Pips:
    """What reads the pips of a card in an image, each once."""

    @cache
    def read(corners: Corners) -> PipsRead | None:
        return read_pips(straight(image, np.array(corners, np.float32), PIPS_PX_MM))

    return read


def all_told(image: Image, reads: Sequence[IndexRead], cards: Sequence[Sighting]) -> bool:
    """Whether an image shows nothing besides cards of which both corners were read: no edge is left
    that could be another card's. Then the outline reader, which takes far longer, has no work."""
    if not cards or any(card.corner or card.face is None for card in cards):
        return False
    sure = [read for read in reads if read.confidence >= AGREED] or reads
    size = float(np.median([read.size_px for read in sure]))
    scale = _GLANCE_PX / size
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    edges = cv2.Canny(cv2.GaussianBlur(small, (0, 0), 0.8).astype(np.uint8), 24, 60)
    for card in cards:
        own = [read for read in reads if _of(read, card)]
        if not own:
            return False
        box = _covered(card, own)
        cv2.fillPoly(edges, [np.round(box * scale).astype(np.int32)], (0,))
    left = float((edges > 0).sum())
    return left < _LEFT_SIZES * _GLANCE_PX


def _of(read: IndexRead, card: Sighting) -> bool:
    """Whether an index may be this card's: its pips may have told another rank than that says."""
    return card.face is not None and read.face[1] == card.face.code[1]


def _covered(card: Sighting, reads: Sequence[IndexRead]) -> NDArray[np.float64]:
    """(4, 2): a little more than a card covers, by how far its indices are from its middle."""
    apart = min(math.hypot(r.x_px - card.x_px, r.y_px - card.y_px) for r in reads)
    px_per_mm = 2 * apart / math.hypot(*PARTNER)
    up = math.radians(card.angle_deg)
    long = np.array([math.cos(up), -math.sin(up)]) * CARD_MM[1] / 2 * px_per_mm * _MORE
    wide = np.array([math.sin(up), math.cos(up)]) * CARD_MM[0] / 2 * px_per_mm * _MORE
    middle = np.array([card.x_px, card.y_px])
    return np.array([middle + a * wide + b * long for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))])
