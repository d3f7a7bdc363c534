"""A still of a spread deck, read: indices, what lies face down, jokers, and what is doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import AGREED, IndexRead, OutlineRead
from controller.vision.backs import BackPattern, is_foreign
from controller.vision.indices import Looks, find_indices
from controller.vision.jokers import jokers
from controller.vision.outlines import STRAIGHT_PX_MM, Names, read_outlines
from controller.vision.quads import straight
from controller.vision.quality import judge
from controller.vision.rows import INDEX_SIZE_MM
from controller.vision.spread import SpreadSeen, spread_seen
from controller.vision.strips import back_strips
from drivers.readings import Side

Image = NDArray[np.uint8]


class Net(Looks, Names, Protocol):
    """What names patches: `controller.vision.net.GlyphNet`, or one that learned a deck."""


class SpreadReader:
    """Reads stills of spread decks.

    net: what names indices. back: of the house's deck, if it was shown once.
    """

    def __init__(self, net: Net, back: BackPattern | None = None) -> None:
        self._net, self._back = net, back

    def look(self, image: Image, px_per_mm: float | None = None) -> SpreadSeen:
        """What a still (h, w, 3) shows of a spread. px_per_mm: its scale, if known."""
        quality = judge(image, px_per_mm)
        if not quality.good:
            return spread_seen([], image, quality)
        found = find_indices(image, self._net, px_per_mm)
        sure = [r for r in found.reads if r.confidence >= AGREED]
        down = self._face_down(image, px_per_mm, sure)
        backs = [o.middle for o in down]
        backs += back_strips(image, sure, backs)
        foreign = sum(self._is_foreign(image, o) for o in down)
        words = jokers(found.ink, sure)
        return spread_seen(found.reads, image, quality, found.ink, backs, words, foreign)

    def _face_down(
        self, image: Image, px_per_mm: float | None, sure: Sequence[IndexRead]
    ) -> list[OutlineRead]:
        """Cards that lie face down by themselves, or at the end of a row: as large as the spread's
        own."""
        size = float(np.median([r.size_px for r in sure])) if sure else None
        out = []
        for outline in read_outlines(image, self._net, px_per_mm, self._back):
            faced = any(outline.shares(r) for r in sure)
            like = size is None or 0.8 < outline.height_px / (88 / INDEX_SIZE_MM * size) < 1.35
            if outline.side is Side.DOWN and like and not faced:
                out.append(outline)
        return out

    def _is_foreign(self, image: Image, outline: OutlineRead) -> bool:
        if self._back is None:
            return False
        card = straight(image, np.array(outline.outline, np.float32), STRAIGHT_PX_MM)
        return is_foreign(card, STRAIGHT_PX_MM, self._back)
