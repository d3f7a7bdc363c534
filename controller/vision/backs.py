"""Card backs: whether what an outline bounds is one, and how many a picture shows.

A back is busy all over, up to a light border, and the same when it is turned half round. A face has
white corners with an index in them; paper is white, a phone plain and dark, felt plain. A back that
the house has shown once (`BackPattern`) is known by its colours and its business besides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.quads import quads, straight
from drivers.table_plan import CARD_MM

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

BORDER_MM: Final = 2.0
"""So much along the edge is a light border, or blurs into the felt: not looked at."""

_CELLS = (6, 9)  # across and down: each cell of a back has something in it
_BUSY = 7.0  # of 255: a cell whose shades differ less is plain
_KEPT = 3.0  # pixels a millimetre at which a back is judged
_BINS = 12  # of each of Lab's two colours
_ALIKE = 0.62  # colours that have so much in common are of one back


@dataclass(frozen=True, slots=True, eq=False)
class BackPattern:
    """What a house's backs look like, as far as any camera sees them alike: shares of colours
    (12, 12) of Lab's a and b, and how busy the back is."""

    colours: Floats
    busy: float

    @classmethod
    def learnt(cls, cards: Sequence[Image], px_per_mm: float) -> BackPattern:
        """Of cards that lie face down, each laid straight. Raises ValueError where they are none,
        or are of different backs."""
        if not cards:
            raise ValueError("no card was seen; lay one face down, alone on the felt")
        seen = [_Look(card, px_per_mm) for card in cards]
        if any(look.shape < 0.35 for look in seen):
            raise ValueError(
                "that is no card's back: it is plain, or has the white corners of a face;"
                " lay a card face down, alone on the felt"
            )
        mean = np.mean([look.colours for look in seen], 0)
        if any(_common(a.colours, b.colours) < _ALIKE for a, b in combinations(seen, 2)):
            raise ValueError("these cards have different backs; lay down cards of one deck")
        return cls(mean.astype(np.float32), float(np.mean([look.busy for look in seen])))

    @classmethod
    def read(cls, path: Path) -> BackPattern:
        """As `text` wrote it. Raises OSError, ValueError."""
        try:
            said = json.loads(path.read_text(encoding="ascii"))
            colours = np.array(said["colours"], np.float32)
            busy = float(said["busy"])
        except (KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: this is no learnt back; learn it again") from error
        if colours.shape != (_BINS, _BINS) or not np.isfinite(colours).all():
            raise ValueError(f"{path}: this is no learnt back; learn it again")
        return cls(colours, busy)

    @property
    def text(self) -> str:
        """As a file has it."""
        shares = [[round(float(v), 5) for v in row] for row in self.colours]
        return json.dumps({"colours": shares, "busy": round(self.busy, 3)})


class _Look:
    """What a card laid straight looks like."""

    def __init__(self, card: Image, px_per_mm: float) -> None:
        size = (round(CARD_MM[0] * _KEPT), round(CARD_MM[1] * _KEPT))
        if px_per_mm != _KEPT:
            card = cv2.resize(card, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
        cut = round(BORDER_MM * _KEPT)
        self.inner = np.ascontiguousarray(card[cut:-cut, cut:-cut])
        self.grey = cv2.cvtColor(self.inner, cv2.COLOR_BGR2GRAY).astype(np.float32)
        self.white = float(np.percentile(card.min(2), 97))
        self.colours = _colours(self.inner)
        spread = _cells(self.grey)
        self.busy = float(np.median(spread)) / max(self.white, 40.0)
        self.busy_cells = spread > _BUSY * max(self.white, 60.0) / 200.0
        self.full = float(self.busy_cells.mean())

    @property
    def halves(self) -> float:
        """How alike the back is to itself turned half round, -1 to 1; the light's slope and fine
        lines, which no outline fits to a pixel, are left out."""
        calm = cv2.GaussianBlur(self.grey, (0, 0), 3.0)
        calm = calm - cv2.GaussianBlur(self.grey, (0, 0), 24.0)
        turned = calm[::-1, ::-1]
        size = float((calm * calm).mean())
        return float((calm * turned).mean()) / max(size, 1e-3) if size > 4.0 else 0.0

    @property
    def plain_corners(self) -> int:
        """Corners that are plain and white where an index would stand, as two or four of a face's
        are."""
        return sum(self._plain(part) for part in _corners(self.inner))

    def plain_corner_in(self, seen: NDArray[np.bool_]) -> bool:
        """Whether one of those is plain and white which lie in a part of the card."""
        corners = zip(_corners(self.inner), _corners(seen), strict=True)
        return any(part.mean() >= _IN_SIGHT and self._plain(corner) for corner, part in corners)

    def _plain(self, corner: Image) -> bool:
        darkest = corner.min(2).astype(np.float32)
        return float((darkest > 0.72 * self.white).mean()) > 0.64

    @property
    def shape(self) -> float:
        """How likely this is a back of any house, 0 to 1."""
        if self.full < 0.9 or self.plain_corners >= 2:
            return 0.0
        alike = min(1.0, max(0.0, (self.halves - 0.1) / 0.5))
        return (0.4 + 0.6 * alike) * min(1.0, (self.full - 0.7) / 0.25)


def _corners(card: NDArray[Any]) -> Iterable[NDArray[Any]]:
    """Where a face has its indices, of what is within a card's border."""
    w, h = round(7.0 * _KEPT), round(20.0 * _KEPT)
    off = round(2.0 * _KEPT)
    for turned in (card, card[::-1, ::-1]):
        yield turned[off : off + h, off : off + w]
        yield turned[off : off + h, -off - w : -off or None]


SURE_BACK: Final = 0.9
"""From this likelihood on a card is a back beyond doubt, by which others of its deck are told."""

LEAST_SHOWN: Final = 0.2
"""Of a covered card so much must show for its back to be told."""

STRIP: Final = 0.6
"""So likely is a back what shows nothing but a busy strip, and no other back is known."""

_IN_SIGHT = 0.8  # of a cell or a corner so much must show
_FEWEST_CELLS = 6
_BUSY_SHARE = 0.95
_ENDS_ALIKE = 0.75


def covered_back_likelihood(
    card: Image, px_per_mm: float, back: BackPattern | None, shown: NDArray[np.bool_]
) -> float:
    """As `back_likelihood`, of a card on which others lie. shown (h, w): where it is seen itself.
    back: the house's, or of a card that lies free beside it: what shows must look like that. Where
    there is none, it must be busy all along, and have no index's white corner."""
    size = (round(CARD_MM[0] * _KEPT), round(CARD_MM[1] * _KEPT))
    small = cv2.resize(card, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    seen = cv2.resize(shown.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    edge = round(2 * BORDER_MM * _KEPT)  # the rim is white, and an outline seldom fits to a pixel
    seen[:edge], seen[-edge:], seen[:, :edge], seen[:, -edge:] = 0, 0, 0, 0
    inside = seen > 0
    if inside.mean() < LEAST_SHOWN:
        return 0.0
    if back is None:
        return STRIP if _busy_strip(small, inside) else 0.0
    like = _common(_colours(small[inside][None]), back.colours)
    return min(1.0, 0.5 + like / 2) if like >= _ALIKE else 0.0


def _busy_strip(card: Image, shown: NDArray[np.bool_]) -> bool:
    """Whether what shows of a card, at `_KEPT`, is busy all along and alike at both its ends."""
    look = _Look(card, _KEPT)
    cut = round(BORDER_MM * _KEPT)
    seen = np.asarray(shown[cut:-cut, cut:-cut])
    whole = _in_cells(seen.astype(np.float32)).mean((1, 3)) >= _IN_SIGHT
    busy = look.busy_cells[whole]
    if busy.size < _FEWEST_CELLS or busy.mean() < _BUSY_SHARE or look.plain_corner_in(seen):
        return False
    half = seen.shape[0] // 2
    ends = [look.inner[:half][seen[:half]], look.inner[half:][seen[half:]]]
    if any(len(end) < _IN_SIGHT * seen.sum() / 3 for end in ends):
        return False
    one, other = (_colours(end[None]) for end in ends)
    return _common(one, other) >= _ENDS_ALIKE


def back_likelihood(card: Image, px_per_mm: float, back: BackPattern | None = None) -> float:
    """How likely a card laid straight (88, 63 mm at that scale) lies face down, 0 to 1.

    back: the house's. With one, a card must look like it, and may then have any pattern; a busy
    card with other colours is still a back, a little less likely.
    """
    look = _Look(card, px_per_mm)
    if back is None:
        return look.shape
    like = _common(look.colours, back.colours)
    busy = 0.4 < (look.busy + 0.02) / (back.busy + 0.02) < 2.5
    if like >= _ALIKE and busy and look.plain_corners < 3:
        return min(1.0, 0.5 + like / 2)
    return 0.8 * look.shape


def learn_back(image: Image) -> BackPattern:
    """The back of the cards that lie face down in a picture (h, w, 3), all of one deck. Raises
    ValueError, with what to do, where there is none."""
    whole = [straight(image, q.corners, _KEPT) for q in quads(image) if q.whole]
    busy = [card for card in whole if _Look(card, _KEPT).shape >= 0.35]
    return BackPattern.learnt(busy or whole, _KEPT)


def is_foreign(card: Image, px_per_mm: float, back: BackPattern) -> bool:
    """Whether a card that lies face down has clearly another back than the house's."""
    return _common(_Look(card, px_per_mm).colours, back.colours) < 0.85 * _ALIKE


def _cells(grey: Floats) -> Floats:
    """The spread of shades in each cell."""
    return np.asarray(_in_cells(grey).std((1, 3)), np.float32)


def _in_cells(values: Floats) -> Floats:
    """A card's values, cell by cell: (down, h, across, w)."""
    across, down = _CELLS
    h, w = (values.shape[0] // down) * down, (values.shape[1] // across) * across
    return values[:h, :w].reshape(down, h // down, across, w // across)


def _colours(image: Image) -> Floats:
    """Shares of Lab's two colours, blurred, so that a camera's cast does not move them far."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    shares, _, _ = np.histogram2d(
        lab[..., 1].ravel(), lab[..., 2].ravel(), bins=_BINS, range=((68, 188), (68, 188))
    )
    smooth = cv2.GaussianBlur(shares.astype(np.float32), (0, 0), 0.7)
    return np.asarray(smooth / max(float(smooth.sum()), 1.0), np.float32)


def _common(one: Floats, other: Floats) -> float:
    """The share that two tables of shares have in common."""
    return float(np.minimum(one, other).sum())
