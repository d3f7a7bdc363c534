"""A camera's picture of the table, area by area, to a `Sight`. Pure but for what it remembers of
the pictures before.

Four things save work and errors. Bare felt is not read, only what lies on it (`things`). An area
that looks as it did is not read again for a while. One in which something moves proves nothing, and
is not read. And a thing that lies in an area and is neither felt nor card, such as a hand, hides
it, until it has lain there for so long that it must be chips or a drink.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera_profile import CameraProfile
from controller.vision.agree import PARTNER
from controller.vision.backs import SURE_BACK, BackPattern
from controller.vision.picture import Picture, Point, Quality, Sighting
from controller.vision.quads import straight
from controller.vision.quality import judge, judge_area
from controller.vision.rectify import Window, native_px_per_mm, smaller
from controller.vision.things import GLANCE_PX_PER_MM, Box, boxes, things
from drivers.camera.frame import Frame, Image
from drivers.readings import AreaSight, SeenCard, Side, Sight
from drivers.table_plan import CARD_MM

FINEST_PX_PER_MM = 3.2
"""Of a map: an index is read as well at 15 pixels as at 30."""

SAFE_INDEX_PX = 13.0
"""An index names a face only where the camera itself sees it so large, from the rank's middle to
the suit's. Of 416 cards of eight drawn decks 18 are named wrongly at 5 pixels, and none from 7 on
(`python -m tests.bench small`); blur, slant and a deck that nobody drew want as much again. Poker
indices measure 7.5 to 11 mm: 13 pixels are 1.2 to 1.8 a millimetre."""

RETURN_S = 5.0
"""A picture of an area that stays the same is read anew after so long: a second look at the same
thing is seldom wrong in the same way."""

BARREN_S = 30.0
"""The same for a thing in which no card was seen, such as chips or a line of the cloth."""

JUDGED_S = 1.0
"""How good a picture is, is judged whenever something is read in it, and else so often."""

STILL_FOR_S = 0.25
"""An area in which something moved is believed again after it has been still for so long."""

ABSORBED_S = 25.0
"""What lies in an area for so long is no hand."""

HIDES = 0.14
"""An area of which a larger share than this is hidden is not clear."""

UNEXPLAINED = 0.12
"""More than this of a card's surface in one piece, in the colours of cards and no part of one that
was made out: a card lies there that the reader missed, and that area proves nothing."""

NEVER_ABSORBED = 0.5
"""What hides more of an area than this is not taken for chips however long it lies."""

_AROUND = "table"  # the area around all others: what lies in one of them is told there
_RIM_MM = 10.0  # what is narrower is the rim of a pile
_NEAR_MM = 4.0  # the frame around a thing that lies still comes out anew by so much
_SPOT_PX = 25  # of a glance: a change of the size of a thumb
_SMALL = (48, 36)  # pixels in which movement is looked for
_MOVED = 14.0  # of 255: a pixel that differs by more has changed
_MOVING = 0.02  # of an area's pixels
_FELT_BINS = 24  # of each of two colour axes
_AS_SHARP = 0.5  # as the whole picture: few edges are no measure, and movement is seen otherwise
_LEAST = 0.3  # below it a whole outline is no card,
_SURE_SIDE = 0.45
_BACK_PX_MM = 3.0
_BACKS_LEARNT = 8  # cards that a pattern is made of
_MOSTLY = 0.3  # of the felt's commonest colour
_FELT_SHARE = 0.35  # of an area that felt must make up to be learnt from it


class Reader(Protocol):
    """What reads cards in a map."""

    def read(
        self,
        image: Image,
        px_per_mm: float | None = None,
        quality: Quality | None = None,
        least_index_px: float = 0.0,
    ) -> Picture: ...

    def with_back(self, back: BackPattern) -> Self: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Part:
    """What a part of an area showed. small: the whole area then, as a glance gives it."""

    box: Box
    small: Image
    at: float
    sightings: tuple[Sighting, ...]


@dataclass(eq=False)
class _Seen:
    """What is known of an area from the pictures before."""

    small: NDArray[np.float32] | None = None
    still_since: float = -math.inf
    read_at: float = -math.inf
    read: Image | None = field(default=None, repr=False)
    cards: tuple[SeenCard, ...] = ()
    clear: bool = False
    whole: bool = True
    parts: list[_Part] = field(default_factory=list, repr=False)
    odd_since: NDArray[np.float64] | None = field(default=None, repr=False)  # inf: it is not odd


class TableView:
    """Reads the pictures of one camera, in the order of time. reader: names the cards."""

    def __init__(self, profile: CameraProfile, reader: Reader) -> None:
        self._profile = profile
        self._reader = reader
        self._windows = _windows(profile)
        self._small = smaller(profile, 1 / max(1, int(profile.px_per_mm / GLANCE_PX_PER_MM)))
        self._glance = {
            name: Window(self._small, profile.areas[name], GLANCE_PX_PER_MM)
            for name in self._windows
        }
        self._own = _own_parts(self._glance)
        self._judged_at = -math.inf
        self._seen = {name: _Seen() for name in self._windows}
        self._felt = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._votes = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._paper = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._backs: list[Image] = []
        self._sharpest: Quality | None = None
        self.quality = Quality(False, "nothing was seen yet", 0.0, 0.0, 0.0)
        """Of the picture that was looked at last."""

    @property
    def areas(self) -> tuple[str, ...]:
        return tuple(self._windows)

    def see(self, frame: Frame) -> Sight:
        """What a picture shows. One of another size than the profile's is fitted to it where its
        shape is the same, as a camera's stills are; else nothing is seen in it."""
        at = frame.ended
        picture = _fitted(frame.image, self._profile)
        if picture is None:
            self.quality = Quality(False, "the picture has another shape than it was", 0.0, 0.0)
            return self._blind(frame)
        glances = self._glances(picture)
        moving = {name for name, small in glances.items() if self._moves(name, small, at)}
        different, due = self._to_read(glances, moving, at)
        if different or not self.quality.good or at - self._judged_at >= JUDGED_S:
            self.quality = self._judged(picture)
            self._judged_at = at
        if not self.quality.good:
            return self._blind(frame)
        # The table around the areas takes longest and matters least: it waits its turn.
        put_off = {_AROUND} if _AROUND in different and different != [_AROUND] else set()
        for name in (*different, *due):
            if name not in put_off:
                self._read(name, picture, glances[name], at, again=name in due)
        areas = tuple(self._told(name, name in moving | put_off) for name in self._windows)
        return Sight(frame.camera, frame.started, frame.ended, areas)

    def forget(self, areas: Collection[str]) -> None:
        """What was read of these areas: the next picture is read anew, whatever it looks like."""
        for name in areas:
            self._seen[name].read, self._seen[name].parts = None, []

    # -- inside ------------------------------------------------------------------------------------

    def _judged(self, picture: Image) -> Quality:
        """Whether a picture can be read. Bare felt has no edges to tell by: it is taken to be as
        sharp as the last picture that had some. What covers the lens and has none either has
        another colour than felt, and hides the areas."""
        quality = judge(picture, self._profile.px_per_mm)
        if quality.good:
            self._sharpest = quality
        elif self._sharpest is not None:
            return judge_area(picture, self._sharpest, self._profile.px_per_mm)
        return quality

    def _blind(self, frame: Frame) -> Sight:
        areas = tuple(AreaSight(name, (), clear=False) for name in self._windows)
        return Sight(frame.camera, frame.started, frame.ended, areas)

    def _told(self, name: str, unknown: bool) -> AreaSight:
        seen = self._seen[name]
        if unknown:
            return AreaSight(name, (), clear=False)
        return AreaSight(name, seen.cards, seen.clear, seen.whole)

    def _glances(self, picture: Image) -> dict[str, Image]:
        """Every area, small."""
        size = (self._small.width_px, self._small.height_px)
        small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        return {name: window.cut(small) for name, window in self._glance.items()}

    def _moves(self, name: str, small: Image, at: float) -> bool:
        """Whether something moves in the area, or did a moment ago."""
        seen = self._seen[name]
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        grey[~self._own[name]] = 0  # what moves beside an area is another one's
        now = cv2.resize(grey, _SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        before, seen.small = seen.small, now
        if before is None:
            seen.still_since = at
            return False
        if float((np.abs(now - before) > _MOVED).mean()) > _MOVING:
            seen.still_since = at
        return at - seen.still_since < STILL_FOR_S and seen.read is not None

    def _to_read(
        self, glances: Mapping[str, Image], moving: set[str], at: float
    ) -> tuple[list[str], list[str]]:
        """The areas that are to be read: those that look different, and of those that have long not
        been read the one that waits longest, lest all their turns fall into one picture."""
        different, due = [], []
        for name, small in glances.items():
            seen = self._seen[name]
            if name in moving:
                continue
            if seen.read is None or _changed(seen.read, small, self._own[name]):
                different.append(name)
            elif at - seen.read_at >= RETURN_S:
                due.append(name)
        return different, sorted(due, key=lambda name: self._seen[name].read_at)[:1]

    def _read(self, name: str, picture: Image, small: Image, at: float, again: bool) -> None:
        """Read an area. again: it looks as it did, and one part of it is to be read once more."""
        seen, window = self._seen[name], self._windows[name]
        seen.read, seen.read_at = small, at
        if name != _AROUND and not self._sharp(window, picture):
            seen.cards, seen.clear, seen.whole = (), False, True
            return
        place = _colour_bins(small)
        if again:
            seen.parts = _without_oldest(seen.parts, at)
        seen.parts = [
            self._part(name, box, picture, small, at) for box in self._boxes(name, small, place)
        ]
        sightings = [s for part in seen.parts for s in part.sightings if _is_card(s)]
        seen.cards = tuple(
            card
            for sighting in sightings
            if self._lies_in(name, card := _on_table(sighting, window))
        )
        ratio = small.shape[1] / window.inside.shape[1]
        glanced = [_moved(sighting, 0.0, 0.0, ratio) for sighting in sightings]
        seen.clear, seen.whole = self._open(name, place, glanced, at)

    def _sharp(self, window: Window, picture: Image) -> bool:
        """Whether an area is as sharp as the picture that it is of."""
        quality = judge_area(window.cut(picture), self.quality, window.px_per_mm)
        return quality.good or quality.sharpness >= _AS_SHARP * self.quality.sharpness

    def _boxes(self, name: str, small: Image, place: NDArray[np.intp]) -> Sequence[Box]:
        """The parts of an area in which something lies: bare felt is not read."""
        odd = self._odd(place)
        found, own = things(small, odd), self._own[name]
        if name == _AROUND:
            surface = _surface(~odd)
            found, own = found & surface, own & surface
        return boxes(found, own, self._windows[name].inside.shape)

    def _part(self, name: str, box: Box, picture: Image, small: Image, at: float) -> _Part:
        """What a part of an area shows: what it showed before, if it looks as it did then."""
        window = self._windows[name]
        for part in self._seen[name].parts:
            if part.box.near(box, _NEAR_MM * window.px_per_mm):
                ratio = small.shape[1] / window.inside.shape[1]
                rows, columns = box.slices(ratio)
                one, other = part.small[rows, columns], small[rows, columns]
                if not _changed(one, other, np.ones(one.shape[:2], np.bool_)):
                    return part
        shown = window.cut(picture, *box.slices())
        least = SAFE_INDEX_PX * window.enlarged
        read = self._reader.read(shown, window.px_per_mm, self.quality, least)
        self._learn_backs(shown, read.sightings)
        moved = tuple(_moved(sighting, box.left, box.top) for sighting in read.sightings)
        return _Part(box, small, at, moved)

    def _odd(self, place: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which pixels have another colour than the felt; all, before that is known."""
        return np.asarray(~self._known_felt()[place[..., 0], place[..., 1]])

    def _lies_in(self, name: str, card: SeenCard) -> bool:
        """Whether a card lies in that area; the table is what no other area is."""
        if not self._windows[name].holds(card.x_mm, card.y_mm):
            return False
        return name != _AROUND or not any(
            window.holds(card.x_mm, card.y_mm)
            for other, window in self._windows.items()
            if other != _AROUND
        )

    def _learn_backs(self, cut: Image, cards: tuple[Sighting, ...]) -> None:
        """How the backs look with which this table plays, from those that lie free. A covered one
        is told by nothing else."""
        free = [
            np.array(card.outline, np.float32)
            for card in cards
            if card.side is Side.DOWN and card.outline and card.confidence >= SURE_BACK
        ]
        if not free:
            return
        self._backs += [straight(cut, outline, _BACK_PX_MM) for outline in free]
        if len(self._backs) < _BACKS_LEARNT:
            return
        # Two decks' backs, while they are changed, make no pattern.
        with suppress(ValueError):
            self._reader = self._reader.with_back(BackPattern.learnt(self._backs, _BACK_PX_MM))
        self._backs = self._backs[-(_BACKS_LEARNT // 2) :]  # another deck comes one day

    def _open(
        self, name: str, place: NDArray[np.intp], cards: Sequence[Sighting], at: float
    ) -> tuple[bool, bool]:
        """Whether nothing but felt and cards covers much of an area, and whether nothing in the
        colours of a card is none of those that were made out."""
        seen, own = self._seen[name], self._own[name]
        shape = place.shape[:2]
        if name == _AROUND and (surface := _surface(~self._odd(place))).any():
            own = own & surface
        open_felt = own & ~_card_mask(shape, cards, self._glance[name].px_per_mm)
        if not open_felt.any():
            return True, True
        self._learn_felt(place, open_felt)
        self._learn_cards(place, cards)
        paper = (self._paper >= 0.02)[place[..., 0], place[..., 1]]
        scale = self._glance[name].px_per_mm
        lies = open_felt & self._odd(place)
        strange = _without_rims(lies & ~paper, 3)
        alike = _without_rims(lies & paper, round(_RIM_MM * scale))
        odd = strange | alike
        since = at if seen.odd_since is None else np.minimum(seen.odd_since, at)
        seen.odd_since = np.where(odd, since, math.inf)
        fresh = at - seen.odd_since < ABSORBED_S
        hides, new = (float(m.sum()) / float(own.sum()) for m in (strange, strange & fresh))
        left = (alike & fresh).astype(np.uint8)
        largest = cv2.connectedComponentsWithStats(left)[2][1:, cv2.CC_STAT_AREA].max(initial=0)
        missed = float(largest) > UNEXPLAINED * CARD_MM[0] * CARD_MM[1] * scale**2
        return hides <= NEVER_ABSORBED and new <= HIDES, not missed

    def _known_felt(self) -> NDArray[np.bool_]:
        """The felt's colours: those near to what most pictures had most of; none, before one is
        known. A hand that fills an area now and then is most of that picture too."""
        if not self._felt.any():
            return np.zeros(self._felt.shape, np.bool_)
        most = (self._felt >= _MOSTLY * self._felt.max()).astype(np.uint8)
        near = cv2.dilate(most, np.ones((5, 5), np.uint8)) > 0
        return np.asarray(near & (self._felt >= 0.02 * self._felt.max()))

    def _learn_cards(self, place: NDArray[np.intp], cards: Sequence[Sighting]) -> None:
        """The colours of cards that are made out: a pile of which one is seen hides nothing."""
        for card in cards:
            if card.outline is None or card.confidence < SURE_BACK:
                continue
            mask = np.zeros(place.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.round(np.array(card.outline)).astype(np.int32), (255,))
            counts = _counted(place, mask > 0)
            self._paper = 0.95 * self._paper + 0.05 * counts / max(float(counts.max()), 1.0)

    def _learn_felt(self, place: NDArray[np.intp], open_felt: NDArray[np.bool_]) -> None:
        """The felt is the one colour that makes up most of a table; light and shadow move it along
        the brightness, which is not looked at."""
        counts = np.asarray(cv2.GaussianBlur(_counted(place, open_felt), (3, 3), 0.8), np.float32)
        total = float(counts.sum())
        row, column = np.unravel_index(int(counts.argmax()), counts.shape)
        near = (slice(max(0, row - 2), row + 3), slice(max(0, column - 2), column + 3))
        if total == 0 or float(counts[near].sum()) / total < _FELT_SHARE:
            return
        # A towel over an area is of one colour too; felt is what most looks at most areas saw.
        self._votes *= 0.995
        self._votes[row, column] += 1.0
        if self._votes[near].max() >= 0.5 * self._votes.max():
            self._felt *= 0.95
            self._felt[near] += counts[near] / total


def _windows(profile: CameraProfile) -> Mapping[str, Window]:
    """The areas, the table around them last: by then the colour of the felt is known."""
    windows = {}
    for name, corners in sorted(profile.areas.items(), key=lambda area: area[0] == _AROUND):
        if len(corners) < 3:
            continue
        x = sum(c[0] for c in corners) / len(corners)
        y = sum(c[1] for c in corners) / len(corners)
        native = native_px_per_mm(profile, x, y)
        scale = min(FINEST_PX_PER_MM, native * 1.15)
        windows[name] = Window(profile, corners, scale, scale / native)
    return windows


def _own_parts(windows: Mapping[str, Window]) -> Mapping[str, NDArray[np.bool_]]:
    """Which pixels of each area are its own: of the table, what no other area is."""
    own = {name: window.inside.copy() for name, window in windows.items()}
    if (around := windows.get(_AROUND)) is not None:
        taken = np.zeros(around.inside.shape, np.uint8)
        for name, window in windows.items():
            if name != _AROUND:
                drawn = np.array([around.to_px(x, y) for x, y in window.corners_mm])
                cv2.fillConvexPoly(taken, np.round(drawn).astype(np.int32), (255,))
        own[_AROUND] &= taken == 0
    return own


def _without_oldest(parts: Sequence[_Part], at: float) -> list[_Part]:
    """The parts without that one whose turn to be read anew it is, if it is one's."""
    due = [p for p in parts if at - p.at >= (RETURN_S if p.sightings else BARREN_S)]
    oldest = min(due, key=lambda part: part.at, default=None)
    return [part for part in parts if part is not oldest]


def _surface(felt: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The table as far as its felt reaches: its rail, the floor and people's knees are no part of
    it. felt: which pixels of a picture of the whole table are felt."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(felt.astype(np.uint8))
    out = np.zeros(felt.shape, np.uint8)
    if count > 1:
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        rows, columns = np.nonzero(labels == largest)
        hull = cv2.convexHull(np.column_stack([columns, rows]).astype(np.int32))
        cv2.fillConvexPoly(out, hull.astype(np.int32), (1,))
        out = np.asarray(cv2.erode(out, np.ones((5, 5), np.uint8)), np.uint8)
    return out > 0


def _without_rims(mask: NDArray[np.bool_], wide: int) -> NDArray[np.bool_]:
    """A mask without what is narrower than so many pixels."""
    kernel = np.ones((wide, wide), np.uint8)
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0)


def _moved(sighting: Sighting, right_px: float, down_px: float, by: float = 1.0) -> Sighting:
    """The same card in a map that begins so much earlier, or is so much larger."""
    x, y, outline = sighting.x_px, sighting.y_px, sighting.outline
    if outline is not None:
        a, b, c, d = ((by * (px + right_px), by * (py + down_px)) for px, py in outline)
        outline = (a, b, c, d)
    return replace(sighting, x_px=by * (x + right_px), y_px=by * (y + down_px), outline=outline)


def _counted(place: NDArray[np.intp], where: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How many of these pixels are in each bin."""
    at = place[..., 0][where] * _FELT_BINS + place[..., 1][where]
    counts = np.bincount(at, minlength=_FELT_BINS * _FELT_BINS)
    return counts.reshape(_FELT_BINS, _FELT_BINS).astype(np.float32)


def _fitted(image: Image, profile: CameraProfile) -> Image | None:
    height, width = image.shape[:2]
    if (width, height) == (profile.width_px, profile.height_px):
        return image
    if abs(width / height - profile.width_px / profile.height_px) > 0.01:
        return None
    size = (profile.width_px, profile.height_px)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _changed(before: Image, now: Image, own: NDArray[np.bool_]) -> bool:
    """Whether an area looks different: more than noise and a flicker of the light."""
    mask = own.astype(np.uint8)
    lighter = float(np.mean(cv2.mean(before, mask)[:3])) - float(np.mean(cv2.mean(now, mask)[:3]))
    alike = cv2.convertScaleAbs(now, alpha=1.0, beta=lighter) if lighter > 0 else now
    was = cv2.convertScaleAbs(before, alpha=1.0, beta=-lighter) if lighter < 0 else before
    blue, green, red = cv2.split(cv2.absdiff(was, alike))
    different = (cv2.max(cv2.max(blue, green), red) > 1.4 * _MOVED) & own
    return int(np.count_nonzero(different)) > min(_SPOT_PX, 0.002 * np.count_nonzero(own))


def _is_card(sighting: Sighting) -> bool:
    """A corner alone is one only if its face was made out: patterns on backs, chips and court
    cards' figures have shapes that stand like an index too."""
    if sighting.corner:
        return sighting.face is not None
    return sighting.confidence >= _LEAST


def _on_table(sighting: Sighting, window: Window) -> SeenCard:
    x_mm, y_mm = window.to_mm(*_middle(sighting, window.px_per_mm))
    side = sighting.side if sighting.confidence >= _SURE_SIDE else Side.UNSURE
    face = sighting.face if side is Side.UP else None
    at = (float(x_mm), float(y_mm), float(sighting.angle_deg) % 180.0)
    return SeenCard(*at, side, face, float(sighting.confidence))


def _middle(sighting: Sighting, px_per_mm: float) -> Point:
    """Of the card. Where a corner alone was read, that is to the index's lower right as it
    stands."""
    if not sighting.corner:
        return (sighting.x_px, sighting.y_px)
    up = math.radians(sighting.angle_deg)
    right, down = PARTNER[0] / 2, PARTNER[1] / 2
    return (
        sighting.x_px + px_per_mm * (right * math.sin(up) - down * math.cos(up)),
        sighting.y_px + px_per_mm * (right * math.cos(up) + down * math.sin(up)),
    )


def _colour_bins(image: Image) -> NDArray[np.intp]:
    """(H, W, 2): the bin of each pixel's colour, apart from its brightness."""
    lab = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 0.8), cv2.COLOR_BGR2LAB)
    return np.asarray(lab[..., 1:].astype(np.intp) * _FELT_BINS // 256)


def _card_mask(
    shape: tuple[int, ...], cards: Sequence[Sighting], px_per_mm: float
) -> NDArray[np.bool_]:
    """Which pixels are a card's, or its shadow's."""
    mask = np.zeros(shape, np.uint8)
    for card in cards:
        if card.outline is not None:
            cv2.fillConvexPoly(mask, np.round(np.array(card.outline)).astype(np.int32), (255,))
        else:
            # Straight up is 90 degrees; OpenCV turns clockwise as one looks, from the right.
            size = (CARD_MM[0] * px_per_mm, CARD_MM[1] * px_per_mm)
            box = cv2.boxPoints((_middle(card, px_per_mm), size, 90.0 - card.angle_deg))
            cv2.fillConvexPoly(mask, np.round(box).astype(np.int32), (255,))
    grown = cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=max(1, round(4 * px_per_mm)))
    return np.asarray(grown > 0)
