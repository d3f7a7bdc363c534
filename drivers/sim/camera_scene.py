"""The simulated table as a picture: felt, cards, chips and hands under a camera with a lens.

What lies flat is drawn once on a map of the table and seen through the camera by one remap; only
what changed is drawn anew.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.frame import Image
from drivers.sim.camera_art import PLAIN, DeckStyle, card_back, card_face, outline_mm
from drivers.sim.camera_flat import Lens, Stance, above
from drivers.sim.placed import PlacedCard
from drivers.table_plan import CARD_MM, TABLE_MM, Area, table_plan

VIEW = Lens(2304, 1296, 1500.0, (1156.0, 641.0), (-0.06, 0.015, 0.0004, -0.0003, 0.0))
"""Of a Raspberry Pi Camera Module 3 in its binned mode, about."""

HANGS = above(height_mm=1300.0, over=(0.0, 10.0), look=(0.0, 20.0), turned_deg=0.6)
"""The camera in the lamp above the table."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_Shown = tuple[tuple[PlacedCard, ...], tuple[str, ...]]

_MARGIN_MM = 130.0  # of floor around the table
_CARD_REACH_MM = 64.0  # from a card's middle to its corner and its shadow
_ARM_MM = 420.0  # from a hand to the elbow
_SKIN = (128, 158, 208)
_SLEEVE = (58, 44, 40)
_CHIPS = ((40, 40, 190), (150, 90, 30), (60, 130, 40), (60, 60, 60))


@dataclass(frozen=True, slots=True)
class Light:
    """How the picture is taken. exposure: brightness of white paper, 0 to 255. slope: how much
    lighter the table's right end is than its left. glare: of lamps on the cards, 0 to 1. blur_px,
    moved_px: out of focus, and moved meanwhile. noise: standard deviation.
    """

    exposure: float = 215.0
    slope: float = 0.15
    glare: float = 0.0
    blur_px: float = 0.6
    moved_px: float = 0.0
    noise: float = 2.5
    tint: tuple[float, float, float] = (0.96, 1.0, 1.02)


USUAL = Light()


class TableScene:
    """A table with so many seats, drawn again and again.

    felt: its colour. style: how the deck is printed. chips: whether stacks stand before the seats.
    px_per_mm: of the map on which it is drawn. within: left, bottom, right and top in millimetres
    of the part that is drawn; None: all of it.
    """

    def __init__(
        self,
        seats: int,
        *,
        felt: tuple[int, int, int] = (56, 96, 34),
        style: DeckStyle = PLAIN,
        chips: bool = True,
        px_per_mm: float = 2.4,
        seed: int = 0,
        within: tuple[float, float, float, float] | None = None,
    ) -> None:
        self.plan = table_plan(seats)
        self._scale = px_per_mm
        self._style = style
        self._left, bottom, right, self._top = within or _whole(self.plan["table"])
        self._size = (
            round((right - self._left) * px_per_mm),
            round((self._top - bottom) * px_per_mm),
        )
        self._bare = self._draw_table(felt, chips, np.random.default_rng(seed))
        self._shown: tuple[tuple[PlacedCard, ...], tuple[str, ...]] = ((), ())
        self._map = self._bare.copy()

    @property
    def from_mm(self) -> NDArray[np.float64]:
        """(3, 3): from the table's millimetres to the map's pixels."""
        k = self._scale
        return np.array([[k, 0.0, -self._left * k], [0.0, -k, self._top * k], [0.0, 0.0, 1.0]])

    def drawn(
        self, cards: Sequence[PlacedCard], hands: Collection[str] = ()
    ) -> tuple[Image, list[Box]]:
        """The map with these cards, later ones on earlier ones, and hands over these areas; and
        which parts of it are others than last time. Do not write to it."""
        now = (tuple(cards), tuple(sorted(hands)))
        boxes = self._changed(self._shown, now)
        self._shown = now
        for left, top, right, bottom in boxes:
            part = self._bare[top:bottom, left:right].copy()
            for card in cards:
                self._lay(part, card, left, top)
            for name in now[1]:
                self._reach(part, self.plan[name], left, top)
            self._map[top:bottom, left:right] = part
        return self._map, boxes

    # -- inside ------------------------------------------------------------------------------------

    def _px(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        return (x_mm - self._left) * self._scale, (self._top - y_mm) * self._scale

    def _changed(self, was: _Shown, now: _Shown) -> list[Box]:
        """The parts of the map in which one differs from the other."""
        one, other = Counter(was[0]), Counter(now[0])
        stay = one & other
        if [c for c in was[0] if c in stay] != [c for c in now[0] if c in stay]:
            return [(0, 0, self._map.shape[1], self._map.shape[0])]  # another lies uppermost
        boxes = [
            self._around(c.x_mm, c.y_mm, _CARD_REACH_MM) for c in (one - other) | (other - one)
        ]
        for name in set(was[1]) ^ set(now[1]):
            area = self.plan[name]
            boxes.append(self._around(area.x_mm, area.y_mm, _ARM_MM + 100.0))
        return _together([box for box in boxes if box[0] < box[2] and box[1] < box[3]])

    def _around(self, x_mm: float, y_mm: float, reach_mm: float) -> Box:
        x, y = self._px(x_mm, y_mm)
        reach = math.ceil(reach_mm * self._scale)
        height, width = self._map.shape[:2]
        left, top = math.floor(x) - reach, math.floor(y) - reach
        return max(0, left), max(0, top), min(width, left + 2 * reach), min(height, top + 2 * reach)

    def _draw_table(
        self, felt: tuple[int, int, int], chips: bool, chance: np.random.Generator
    ) -> Image:
        width, height = self._size
        floor = np.full((height, width, 3), (52, 56, 62), np.float32)
        fibres = chance.normal(0.0, 4.0, (height, width, 1)).astype(np.float32)
        cloth = np.full((height, width, 3), felt, np.float32) + cv2.GaussianBlur(
            fibres, (0, 0), 0.7
        ).reshape(height, width, 1)
        middle = tuple(round(v) for v in self._px(0.0, self.plan["table"].y_mm))
        axes = tuple(round(mm / 2 * self._scale) for mm in TABLE_MM)
        rail = np.zeros((height, width), np.uint8)
        cv2.ellipse(rail, middle, axes, 0, 0, 360, (255,), -1, cv2.LINE_AA)
        inner = tuple(a - round(70 * self._scale) for a in axes)
        playing = np.zeros((height, width), np.uint8)
        cv2.ellipse(playing, middle, inner, 0, 0, 360, (255,), -1, cv2.LINE_AA)
        picture = floor
        wood = np.full_like(floor, (34, 38, 52))
        for mask, paint in ((rail, wood), (playing, cloth)):
            cover = mask[..., None].astype(np.float32) / 255
            picture = np.asarray(picture * (1 - cover) + paint * cover, np.float32)
        table = np.clip(picture, 0, 255).astype(np.uint8)
        board = self.plan["board"]
        corners = [self._px(*corner) for corner in board.corners_mm]
        cv2.polylines(
            table,
            [np.round(np.array(corners)).astype(np.int32)],
            True,
            tuple(min(255, c + 130) for c in felt),
            max(1, round(2 * self._scale)),
            cv2.LINE_AA,
        )
        if chips:
            for name, area in self.plan.items():
                if name.startswith("seat/"):
                    self._stack(table, area, chance)
        return table

    def _stack(self, table: Image, area: Area, chance: np.random.Generator) -> None:
        """A player's chips: between the cards and the rail, out of the cards' way."""
        for n in range(int(chance.integers(2, 5))):
            spot = area.at((n - 1.5) * 42.0, -area.height_mm / 2 - 26.0)
            x, y = self._px(*spot)
            colour = _CHIPS[int(chance.integers(len(_CHIPS)))]
            r = 20.0 * self._scale
            cv2.circle(table, (round(x + 3), round(y + 3)), round(r), (20, 28, 18), -1, cv2.LINE_AA)
            cv2.circle(table, (round(x), round(y)), round(r), colour, -1, cv2.LINE_AA)
            cv2.circle(
                table, (round(x), round(y)), round(0.62 * r), (225, 228, 230), 2, cv2.LINE_AA
            )

    def _lay(self, picture: Image, card: PlacedCard, left_px: int, top_px: int) -> None:
        """Draw a card on a part of the map that begins there."""
        sprite, cover, shadow = _sprite(card.face, card.up, card.deck, self._scale, self._style)
        height, width = sprite.shape[:2]
        x, y = self._px(card.x_mm, card.y_mm)
        x, y = x - left_px, y - top_px
        # A sprite stands upright: its long side points up, at 90 degrees.
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), card.angle_deg - 90.0, 1.0)
        reach = math.ceil(math.hypot(width, height) / 2) + 2
        left, top = math.floor(x) - reach, math.floor(y) - reach
        turn[:, 2] += (x - left - width / 2, y - top - height / 2)
        size = (2 * reach, 2 * reach)
        part = picture[
            max(0, top) : max(0, top + 2 * reach), max(0, left) : max(0, left + 2 * reach)
        ]
        if part.size == 0:
            return
        cut = (slice(max(0, -top), None), slice(max(0, -left), None))

        def turned(layer: NDArray[np.uint8]) -> NDArray[np.float32]:
            out = cv2.warpAffine(layer, turn, size, flags=cv2.INTER_LINEAR)[cut]
            return np.asarray(out[: part.shape[0], : part.shape[1]], np.float32)

        dark = turned(shadow)[..., None] / 255
        over = turned(cover)[..., None] / 255
        part[:] = (part * (1 - 0.45 * dark) * (1 - over) + turned(sprite) * over).astype(np.uint8)

    def _reach(self, picture: Image, area: Area, left_px: int, top_px: int) -> None:
        """A hand over an area, its arm from the nearest side of the table."""
        middle = self.plan["table"]
        away = math.atan2(area.y_mm - middle.y_mm, area.x_mm - middle.x_mm)
        if not area.width_mm < 300.0 or math.hypot(area.x_mm, area.y_mm) < 350.0:
            away = -math.pi / 2  # the dealer's
        across, up = _ARM_MM * math.cos(away), _ARM_MM * math.sin(away)
        hand, elbow = (
            (x - left_px, y - top_px)
            for x, y in (
                self._px(area.x_mm, area.y_mm),
                self._px(area.x_mm + across, area.y_mm + up),
            )
        )
        ends = [(round(px), round(py)) for px, py in (hand, elbow)]
        wrist = (round((3 * hand[0] + elbow[0]) / 4), round((3 * hand[1] + elbow[1]) / 4))
        cv2.line(picture, wrist, ends[1], _SLEEVE, round(95 * self._scale), cv2.LINE_AA)
        cv2.line(picture, ends[0], wrist, _SKIN, round(62 * self._scale), cv2.LINE_AA)
        for n in range(-2, 3):
            tip = away + math.pi + 0.33 * n
            finger = (
                round(hand[0] + 78 * self._scale * math.cos(tip)),
                round(hand[1] - 78 * self._scale * math.sin(tip)),
            )
            cv2.line(picture, ends[0], finger, _SKIN, round(19 * self._scale), cv2.LINE_AA)


@lru_cache(maxsize=512)
def _sprite(
    face: str, up: bool, deck: str, px_per_mm: float, style: DeckStyle
) -> tuple[Image, NDArray[np.uint8], NDArray[np.uint8]]:
    """A card with a margin: its picture, which pixels it covers, and its shadow, 0 to 255."""
    art = card_face(face, px_per_mm, style) if up else card_back(deck, px_per_mm)
    rim = max(2, round(5 * px_per_mm))
    height, width = art.shape[:2]
    picture = np.zeros((height + 2 * rim, width + 2 * rim, 3), np.uint8)
    picture[rim:-rim, rim:-rim] = art
    scale = np.array([width / CARD_MM[0], height / CARD_MM[1]])

    def shape(grow_mm: float, offset: float) -> NDArray[np.uint8]:
        mask = np.zeros(picture.shape[:2], np.uint8)
        points = outline_mm(grow_mm) * scale + rim + offset
        cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], (255,), cv2.LINE_AA, 4)
        return mask

    shadow = cv2.GaussianBlur(shape(0.0, 1.2 * px_per_mm), (0, 0), 1.1 * px_per_mm)
    return picture, shape(0.0, 0.0), np.asarray(shadow, np.uint8)


class SceneCamera:
    """A camera over a scene. lens, stance: how it sees."""

    def __init__(self, scene: TableScene, lens: Lens = VIEW, stance: Stance = HANGS) -> None:
        self.lens, self.stance = lens, stance
        self._scene = scene
        self._lit: Image | None = None
        self._light = USUAL
        self._flat = scene.from_mm @ np.linalg.inv(stance.homography(lens))
        flat = _rays(lens) @ self._flat.T
        at = (flat[..., :2] / flat[..., 2:]).astype(np.float32)
        self._across, self._down = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)

    def shot(
        self,
        cards: Sequence[PlacedCard],
        hands: Collection[str] = (),
        light: Light = USUAL,
        seed: int = 0,
    ) -> Image:
        """A picture (H, W, 3) of these cards, with hands over these areas."""
        drawn, boxes = self._scene.drawn(cards, hands)
        height, width = self._across.shape[:2]
        if self._lit is None or light != self._light:
            boxes = [(0, 0, drawn.shape[1], drawn.shape[0])]
            self._lit, self._light = np.zeros((height, width, 3), np.uint8), light
        for box in boxes:
            self._see(drawn, box, light)
        return self._developed(self._lit, light, seed)

    def _see(self, drawn: Image, box: Box, light: Light) -> None:
        """Take a part of the map anew through the lens, under that light."""
        assert self._lit is not None, "there is a picture"
        height, width = self._lit.shape[:2]
        left, top, right, bottom = self._seen(box)
        if left >= right or top >= bottom:
            return
        soft = math.ceil(4 * light.blur_px + light.moved_px)  # what lies so near shines in
        x, y = max(0, left - soft), max(0, top - soft)
        rows, columns = slice(y, min(height, bottom + soft)), slice(x, min(width, right + soft))
        maps = self._across[rows, columns], self._down[rows, columns]
        seen = np.asarray(cv2.remap(drawn, *maps, cv2.INTER_LINEAR), np.uint8)
        if light.blur_px > 0:
            seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), light.blur_px), np.uint8)
        if light.moved_px > 1:
            kernel = np.full((1, round(light.moved_px)), 1 / round(light.moved_px), np.float32)
            seen = np.asarray(cv2.filter2D(seen, -1, kernel), np.uint8)
        gain = _gain(height, width, light)[rows, columns]
        seen = np.asarray(cv2.multiply(seen, gain, dtype=cv2.CV_8U), np.uint8)
        self._lit[top:bottom, left:right] = seen[top - y : bottom - y, left - x : right - x]

    def _seen(self, box: Box) -> Box:
        """The part of the picture in which a part of the map is seen, and a little more."""
        left, top, right, bottom = box
        across = np.linspace(left, right, 9)
        down = np.linspace(top, bottom, 9)
        grid = np.stack(np.meshgrid(across, down, [1.0]), axis=-1).reshape(-1, 3)
        flat = grid @ np.linalg.inv(self._flat).T
        straight = flat[:, :2] / flat[:, 2:]
        matrix = self.lens.matrix
        rays = (straight - matrix[:2, 2]) / np.array([matrix[0, 0], matrix[1, 1]])
        none = np.zeros(3)
        in_space = np.column_stack([rays, np.ones(len(rays))]).reshape(-1, 1, 3)
        bent, _ = cv2.projectPoints(in_space, none, none, matrix, np.array(self.lens.distortion))
        x, y = bent[..., 0], bent[..., 1]
        return (
            max(0, math.floor(x.min()) - 4),
            max(0, math.floor(y.min()) - 4),
            min(self.lens.width, math.ceil(x.max()) + 4),
            min(self.lens.height, math.ceil(y.max()) + 4),
        )

    def _developed(self, out: Image, light: Light, seed: int) -> Image:
        """With the glare and the sensor's grain, which are others in every picture."""
        height, width = out.shape[:2]
        if light.glare <= 0 and light.noise <= 0:
            return out.copy()
        if light.glare > 0:
            spot = np.zeros((height // 8, width // 8), np.float32)
            chance = np.random.default_rng(seed)
            centre = (int(chance.uniform(0.2, 0.8) * width / 8), int(height / 16))
            cv2.ellipse(spot, centre, (width // 40, height // 50), 0, 0, 360, (1.0,), -1)
            spot = np.asarray(cv2.GaussianBlur(spot, (0, 0), width / 160), np.float32)
            bright = cv2.resize(spot, (width, height)) * (240.0 * light.glare)
            out = np.asarray(cv2.add(out, cv2.merge([bright.astype(np.uint8)] * 3)), np.uint8)
        if light.noise > 0:
            lighter, darker = _grain(height, width, light.noise)
            chance = np.random.default_rng(seed)
            top, left = (int(chance.integers(_SLACK)) for _ in range(2))
            part = (slice(top, top + height), slice(left, left + width))
            out = np.asarray(cv2.subtract(cv2.add(out, lighter[part]), darker[part]), np.uint8)
        return out


def _whole(table: Area) -> tuple[float, float, float, float]:
    """The table and some of the floor around it."""
    x, y = table.width_mm / 2 + _MARGIN_MM, table.height_mm / 2 + _MARGIN_MM
    return table.x_mm - x, table.y_mm - y, table.x_mm + x, table.y_mm + y


def _together(boxes: Sequence[Box]) -> list[Box]:
    """Boxes that overlap made one, so that none is drawn twice."""
    left: list[Box] = []
    for box in boxes:
        grown = box
        while near := [b for b in left if _overlap(b, grown)]:
            left = [b for b in left if b not in near]
            for b in near:
                grown = (
                    min(grown[0], b[0]),
                    min(grown[1], b[1]),
                    max(grown[2], b[2]),
                    max(grown[3], b[3]),
                )
        left.append(grown)
    return left


def _overlap(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]


_SLACK = 64  # pixels by which the sheet of grain is larger than a picture


@lru_cache(maxsize=4)
def _gain(height: int, width: int, light: Light) -> NDArray[np.float32]:
    across = 1 + light.slope * np.linspace(-0.5, 0.5, width, dtype=np.float32)
    row = light.exposure / 250.0 * across[:, None] * np.array(light.tint, np.float32)
    return np.ascontiguousarray(np.broadcast_to(row, (height, width, 3)), np.float32)


@lru_cache(maxsize=4)
def _grain(height: int, width: int, deviation: float) -> tuple[Image, Image]:
    """What grain adds and what it takes, on a sheet from which each picture gets another part."""
    shape = (height + _SLACK, width + _SLACK, 3)
    drawn = np.random.default_rng(1).standard_normal(shape, np.float32) * np.float32(deviation)
    return (
        np.clip(drawn, 0, 255).astype(np.uint8),
        np.clip(-drawn, 0, 255).astype(np.uint8),
    )


_COARSE = 16  # a lens bends so smoothly that every so many pixels are enough


@lru_cache(maxsize=4)
def _rays(lens: Lens) -> NDArray[np.float64]:
    """(H, W, 3): for each pixel its undistorted place."""
    across = np.arange(-_COARSE, lens.width + 2 * _COARSE, _COARSE, dtype=float)
    down = np.arange(-_COARSE, lens.height + 2 * _COARSE, _COARSE, dtype=float)
    grid = np.stack(np.meshgrid(across, down), -1).reshape(-1, 1, 2)
    bends = np.array(lens.distortion)
    straight = cv2.undistortPoints(grid, lens.matrix, bends, R=np.eye(3), P=lens.matrix)
    places = np.reshape(straight, (len(down), len(across), 2)).astype(np.float32)
    at = np.meshgrid(
        np.arange(lens.width, dtype=np.float32) / _COARSE + 1,
        np.arange(lens.height, dtype=np.float32) / _COARSE + 1,
    )
    # Not cubic: OpenCV's bends a straight line by a pixel between the places it goes through.
    fine = cv2.remap(places, at[0], at[1], cv2.INTER_LINEAR)
    return np.concatenate((fine, np.ones_like(fine[..., :1])), axis=-1).astype(np.float64)
