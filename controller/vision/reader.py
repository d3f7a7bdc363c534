"""The card reader: an image to what it shows.

Two readers look at it: one finds corner indices wherever they lie (`controller.vision.indices`), the
other finds outlines of whole cards and reads their corners (`controller.vision.outlines`). What
both or two corners say is accepted, and what one says alone only where it is nearly sure
(`controller.vision.agree`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import joined
from controller.vision.backs import BackPattern
from controller.vision.deck_look import DeckLook, LearnedNet
from controller.vision.indices import Indices, find_indices
from controller.vision.net import GlyphNet, Named
from controller.vision.outlines import read_outlines
from controller.vision.picture import Picture
from controller.vision.quality import judge

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

ALONE = 0.9
"""So sure must a single reading be to be believed: see `make bench-vision` for what that costs."""


class Net(Protocol):
    """What names patches."""

    def look(self, patches: Image) -> Named: ...

    def name(self, patches: Image) -> tuple[Floats, Floats]: ...


class CardReader:
    """Reads cards in images. deck: how the house's deck looks, where that was learned; back: its
    backs, where they were."""

    def __init__(
        self, net: GlyphNet, deck: DeckLook | None = None, back: BackPattern | None = None
    ) -> None:
        self._net: Net = net if deck is None else LearnedNet(net, deck)
        self._back = back

    def read(self, image: Image, px_per_mm: float | None = None) -> Picture:
        """What an image (h, w, 3) of blue, green, red shows. px_per_mm: its scale; None: it is
        found. A picture that is not fit to be read shows nothing."""
        quality = judge(image, px_per_mm)
        if not quality.good:
            return Picture((), quality)
        found = self.indices(image, px_per_mm)
        outlines = read_outlines(image, self._net, px_per_mm, self._back)
        return Picture(joined(found.reads, outlines, ALONE), quality)

    def indices(self, image: Image, px_per_mm: float | None = None) -> Indices:
        """Every corner index alone, unsure ones too: for spreads, in which a doubtful one is decided
        by all the others."""
        return find_indices(image, self._net, px_per_mm)
