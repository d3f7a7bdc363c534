"""A camera's picture of the table, area by area, to a `Sight`. Pure but for what it remembers of
the pictures before.

Three things save work and errors. An area that looks as it did is not read again for a while. One
in which something moves proves nothing, and is not read. And a thing that lies in an area and is
neither felt nor card, such as a hand, hides it, until it has lain there for so long that it must be
chips or a drink.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera_profile import CameraProfile
from controller.vision.backs import BackPattern
from controller.vision.picture import Picture, Quality, Sighting
from controller.vision.quads import straight
from controller.vision.quality import judge, judge_area
from controller.vision.rectify import Window, native_px_per_mm
from drivers.camera.frame import Frame, Image
from drivers.readings import AreaSight, SeenCard, Side, Sight
from drivers.table_plan import CARD_MM

FINEST_PX_PER_MM = 3.2
"""Of a map: an index is read as well at 15 pixels as at 30."""

LEAST_INDEX_PX = 13.0
"""An index names a face only where the camera itself sees it so large, from the rank's middle to
the suit's. Below it the network takes one face for another and is sure of it: of 52 drawn cards of
two makes, 4 to 7 at 5 to 8 pixels, 2 to 6 at 9, 1 at 11.5, and none from 12 on, but for four that
were wrong at any size. Poker indices measure 7.5 to 11 mm: 13 pixels are 1.2 to 1.8 a millimetre.
"""

RETURN_S = 3.0
"""A picture of an area that stays the same is read anew after so long: a second look at the same
thing is seldom wrong in the same way."""

STILL_FOR_S = 0.25
"""An area in which something moved is believed again after it has been still for so long."""

ABSORBED_S = 25.0
"""What lies in an area for so long is no hand."""

HIDES = 0.14
"""An area of which a larger share than this is hidden is not clear."""

NEVER_ABSORBED = 0.5
"""What hides more of an area than this is not taken for chips however long it lies."""

_SMALL = (48, 36)  # pixels in which movement is looked for
_MOVED = 14.0  # of 255: a pixel that differs by more has changed
_MOVING = 0.02  # of an area's pixels
_FELT_BINS = 24  # of each of two colour axes
_AS_SHARP = 0.5  # as the whole picture: few edges are no measure, and movement is seen otherwise
_LEAST = 0.3  # below it a whole outline is no card,
_SURE_SIDE = 0.45
_SURE_BACK = 0.9
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


@dataclass(eq=False)
class _Seen:
    """What is known of an area from the pictures before."""

    small: NDArray[np.float32] | None = None
    still_since: float = -math.inf
    read_at: float = -math.inf
    read: Image | None = field(default=None, repr=False)
    cards: tuple[SeenCard, ...] = ()
    clear: bool = False
    odd: NDArray[np.float32] | None = field(default=None, repr=False)  # seconds, pixel by pixel
    odd_at: float = -math.inf


class TableView:
    """Reads the pictures of one camera, in the order of time. reader: names the cards."""

    def __init__(self, profile: CameraProfile, reader: Reader) -> None:
        self._profile = profile
        self._reader = reader
        self._windows = _windows(profile)
        self._seen = {name: _Seen() for name in self._windows}
        self._felt = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._votes = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._paper = np.zeros((_FELT_BINS, _FELT_BINS), np.float32)
        self._backs: list[Image] = []
        self._sharp: Quality | None = None
        self.quality = Quality(False, "nothing was seen yet", 0.0, 0.0, 0.0)
        """Of the picture that was looked at last."""

    @property
    def areas(self) -> tuple[str, ...]:
        return tuple(self._windows)

    def see(self, frame: Frame) -> Sight:
        """What a picture shows. One of another size than the profile's is fitted to it where its
        shape is the same, as a camera's stills are; else nothing is seen in it."""
        picture = _fitted(frame.image, self._profile)
        if picture is None:
            self.quality = Quality(False, "the picture has another shape than it was", 0.0, 0.0)
        else:
            self.quality = self._judged(picture)
        if picture is None or not self.quality.good:
            areas = tuple(AreaSight(name, (), clear=False) for name in self._windows)
            return Sight(frame.camera, frame.started, frame.ended, areas)
        areas = tuple(
            self._area(name, window, window.cut(picture), frame.ended)
            for name, window in self._windows.items()
        )
        return Sight(frame.camera, frame.started, frame.ended, areas)

    # -- inside ------------------------------------------------------------------------------------

    def _judged(self, picture: Image) -> Quality:
        """Whether a picture can be read. Bare felt has no edges to tell by: it is taken to be as
        sharp as the last picture that had some. What covers the lens and has none either has
        another colour than felt, and hides the areas."""
        quality = judge(picture, self._profile.px_per_mm)
        if quality.good:
            self._sharp = quality
        elif self._sharp is not None:
            return judge_area(picture, self._sharp, self._profile.px_per_mm)
        return quality

    def _area(self, name: str, window: Window, cut: Image, at: float) -> AreaSight:
        seen = self._seen[name]
        if self._moves(seen, cut, at):
            return AreaSight(name, (), clear=False)
        same = seen.read is not None and not _changed(seen.read, cut)
        if not same or at - seen.read_at >= RETURN_S:
            self._read(seen, window, cut, at)
        return AreaSight(name, seen.cards, seen.clear)

    def _moves(self, seen: _Seen, cut: Image, at: float) -> bool:
        """Whether something moves in the area, or did a moment ago."""
        grey = cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)
        small = cv2.resize(grey, _SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        before, seen.small = seen.small, small
        if before is None:
            seen.still_since = at
            return False
        if float((np.abs(small - before) > _MOVED).mean()) > _MOVING:
            seen.still_since = at
        return (
            at - seen.still_since < STILL_FOR_S
            and seen.still_since > -math.inf
            and (seen.read is not None)
        )

    def _read(self, seen: _Seen, window: Window, cut: Image, at: float) -> None:
        seen.read, seen.read_at = cut, at
        quality = judge_area(cut, self.quality, window.px_per_mm)
        if not quality.good and quality.sharpness < _AS_SHARP * self.quality.sharpness:
            seen.cards, seen.clear = (), False
            return
        picture = self._reader.read(
            cut, window.px_per_mm, self.quality, LEAST_INDEX_PX * window.enlarged
        )
        self._learn_backs(cut, picture.sightings)
        seen.cards = tuple(
            card
            for sighting in picture.sightings
            if _is_card(sighting)
            and window.holds((card := _on_table(sighting, window)).x_mm, card.y_mm)
        )
        hidden = self._hidden(seen, window, cut, picture.sightings, at)
        seen.clear = hidden <= HIDES

    def _learn_backs(self, cut: Image, cards: tuple[Sighting, ...]) -> None:
        """How the backs look with which this table plays, from those that lie free. A covered one
        is told by nothing else."""
        free = [
            np.array(card.outline, np.float32)
            for card in cards
            if card.side is Side.DOWN and card.outline and card.confidence >= _SURE_BACK
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

    def _hidden(
        self,
        seen: _Seen,
        window: Window,
        cut: Image,
        cards: tuple[Sighting, ...],
        at: float,
    ) -> float:
        """The share of an area that something other than felt and cards covers."""
        place = _colour_bins(cut)
        open_felt = window.inside & ~_card_mask(cut.shape[:2], cards, window.px_per_mm)
        if not open_felt.any():
            return 0.0
        self._learn_felt(place, open_felt)
        self._learn_cards(place, cards)
        known = self._known_felt() | (self._paper >= 0.02)
        odd = open_felt & ~known[place[..., 0], place[..., 1]]
        odd = cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)) > 0
        for_s = 0.0 if seen.odd is None else max(0.0, at - seen.odd_at)
        lain = np.zeros(odd.shape, np.float32) if seen.odd is None else seen.odd
        seen.odd, seen.odd_at = np.where(odd, lain + for_s, 0.0).astype(np.float32), at
        share = float(odd.sum()) / float(window.inside.sum())
        if share > NEVER_ABSORBED:
            return share
        fresh = odd & (seen.odd < ABSORBED_S)
        return float(fresh.sum()) / float(window.inside.sum())

    def _known_felt(self) -> NDArray[np.bool_]:
        """The felt's colours: those near to what most pictures had most of. A hand that fills an
        area now and then is most of that picture too."""
        most = (self._felt >= _MOSTLY * self._felt.max()).astype(np.uint8)
        near = cv2.dilate(most, np.ones((5, 5), np.uint8)) > 0
        return np.asarray(near & (self._felt >= 0.02 * self._felt.max()))

    def _learn_cards(self, place: NDArray[np.intp], cards: tuple[Sighting, ...]) -> None:
        """The colours of cards that are made out: a pile of which one is seen hides nothing."""
        for card in cards:
            if card.outline is None or card.confidence < _SURE_BACK:
                continue
            mask = np.zeros(place.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.round(np.array(card.outline)).astype(np.int32), (255,))
            counts = np.zeros_like(self._paper)
            np.add.at(counts, (place[..., 0][mask > 0], place[..., 1][mask > 0]), 1.0)
            self._paper = 0.95 * self._paper + 0.05 * counts / max(float(counts.max()), 1.0)

    def _learn_felt(self, place: NDArray[np.intp], open_felt: NDArray[np.bool_]) -> None:
        """The felt is the one colour that makes up most of a table; light and shadow move it along
        the brightness, which is not looked at."""
        counts = np.zeros_like(self._felt)
        np.add.at(counts, (place[..., 0][open_felt], place[..., 1][open_felt]), 1.0)
        counts = np.asarray(cv2.GaussianBlur(counts, (3, 3), 0.8), np.float32)
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
    windows = {}
    for name, corners in profile.areas.items():
        if len(corners) < 3:
            continue
        x = sum(c[0] for c in corners) / len(corners)
        y = sum(c[1] for c in corners) / len(corners)
        native = native_px_per_mm(profile, x, y)
        scale = min(FINEST_PX_PER_MM, native * 1.15)
        windows[name] = Window(profile, corners, scale, scale / native)
    return windows


def _fitted(image: Image, profile: CameraProfile) -> Image | None:
    height, width = image.shape[:2]
    if (width, height) == (profile.width_px, profile.height_px):
        return image
    if abs(width / height - profile.width_px / profile.height_px) > 0.01:
        return None
    size = (profile.width_px, profile.height_px)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _changed(before: Image, now: Image) -> bool:
    """Whether an area looks different: more than noise and a flicker of the light."""
    one = cv2.resize(before, (160, 120), interpolation=cv2.INTER_AREA).astype(np.float32)
    other = cv2.resize(now, (160, 120), interpolation=cv2.INTER_AREA).astype(np.float32)
    light = float(one.mean()) - float(other.mean())
    return bool((np.abs(one - other - light).max(axis=2) > 1.4 * _MOVED).mean() > 0.002)


def _is_card(sighting: Sighting) -> bool:
    """A corner alone is one only if its face was made out: patterns on backs, chips and court
    cards' figures have shapes that stand like an index too."""
    if sighting.corner:
        return sighting.face is not None
    return sighting.confidence >= _LEAST


def _on_table(sighting: Sighting, window: Window) -> SeenCard:
    x_px, y_px = sighting.x_px, sighting.y_px
    if sighting.corner:  # the index; the card's middle lies to its lower right as it stands
        up = math.radians(sighting.angle_deg)
        right, down = 0.5 * CARD_MM[0] - 6.2, 0.5 * CARD_MM[1] - 12.5
        x_px += window.px_per_mm * (right * math.sin(up) - down * math.cos(up))
        y_px += window.px_per_mm * (right * math.cos(up) + down * math.sin(up))
    x_mm, y_mm = window.to_mm(x_px, y_px)
    side = sighting.side if sighting.confidence >= _SURE_SIDE else Side.UNSURE
    face = sighting.face if side is Side.UP else None
    at = (float(x_mm), float(y_mm), float(sighting.angle_deg) % 180.0)
    return SeenCard(*at, side, face, float(sighting.confidence))


def _colour_bins(image: Image) -> NDArray[np.intp]:
    """(H, W, 2): the bin of each pixel's colour, apart from its brightness."""
    lab = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 1.2), cv2.COLOR_BGR2LAB)
    return np.asarray(lab[..., 1:].astype(np.intp) * _FELT_BINS // 256)


def _card_mask(
    shape: tuple[int, ...], cards: tuple[Sighting, ...], px_per_mm: float
) -> NDArray[np.bool_]:
    """Which pixels are a card's, or its shadow's."""
    mask = np.zeros(shape, np.uint8)
    for card in cards:
        if card.outline is not None:
            cv2.fillConvexPoly(mask, np.round(np.array(card.outline)).astype(np.int32), (255,))
        else:
            reach = math.hypot(*CARD_MM) * (1.0 if card.corner else 0.5) * px_per_mm
            cv2.circle(mask, (round(card.x_px), round(card.y_px)), round(reach), (255,), -1)
    grown = cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=max(1, round(4 * px_per_mm)))
    return np.asarray(grown > 0)
