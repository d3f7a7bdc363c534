"""What a calibration keeps of the table's looks: two tables that differ only in the faces of the
cards on them leave the same picture, and nobody reads a card in it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.camera.faceless import faceless
from calibration.camera.samples import CameraSamples
from calibration.camera.step import CameraStep, Part
from controller.vision.net import GlyphNet
from controller.vision.reader import CardReader
from drivers.camera.frame import Image
from drivers.sim.camera_art import DeckStyle, card_face
from drivers.sim.camera_scene import HANGS, VIEW, SceneCamera, TableScene
from drivers.sim.placed import PlacedCard
from drivers.table_plan import CARD_MM
from tests.calibration.camera.camera_twin import CameraTwin, HandAtCamera, Scene
from tests.calibration.camera.measured import seen_at
from tests.calibration.test_camera_profile import GOOD
from tests.controller.vision.test_drawn_table_read import over

ONE = ("Kd", "Qs", "As", "7h", "Tc", "Ah")
OTHER = ("2c", "9d", "Jh", "8s", "4h", "Kc")
AT_MM = ((-300.0, 90.0, 90.0), (-210.0, 90.0, 60.0), (0.0, 0.0, 90.0), (66.0, 0.0, 90.0),
         (140.0, -60.0, 0.0), (-60.0, -40.0, 45.0))  # fmt: skip
PART = (-450.0, -250.0, 450.0, 250.0)
SEEN = 6
"""Levels of 255 by which the grain of two pictures, and what a JPEG makes of it, may differ."""


@cache
def reader() -> CardReader:
    return CardReader(GlyphNet.load())


def differ(one: Image, other: Image) -> int:
    return int(np.abs(one.astype(int) - other.astype(int)).max())


def shot(camera: SceneCamera, faces: Sequence[str]) -> Image:
    cards = [PlacedCard(*at, face, True) for at, face in zip(AT_MM, faces, strict=True)]
    return camera.shot(cards, seed=1)


@pytest.mark.parametrize("style", [DeckStyle(), DeckStyle(index_mm=15.0, four_colour=True)])
@pytest.mark.parametrize("near", [True, False])
def test_pictures_that_differ_in_faces_alone_become_one(near: bool, style: DeckStyle) -> None:
    scene = TableScene(9, style=style, px_per_mm=3.0 if near else 2.0, within=PART)
    camera = SceneCamera(scene, VIEW, over(True).stance if near else HANGS)
    one, other = shot(camera, ONE), shot(camera, OTHER)
    assert differ(one, other) > 150
    read = near and style == DeckStyle()
    if read:
        assert [s for s in reader().read(one).sightings if s.face is not None]
    corners = np.array([[-20.0, -90.0], [20.0, -90.0], [20.0, -130.0], [-20.0, -130.0]])
    at = np.column_stack([corners, np.ones(4)]) @ camera.stance.homography(camera.lens).T
    for marks in ([at[:, :2] / at[:, 2:]], []):
        blank = faceless(one, marks)
        assert differ(blank, faceless(other, marks)) <= SEEN
        if read:
            assert not [s for s in reader().read(blank).sightings if s.face is not None]


def test_a_card_stays_where_it_lies_and_a_sticker_as_it_is() -> None:
    table = np.full((600, 900, 3), (40, 90, 30), np.uint8)
    face = card_face("9d", 2.0)
    table[200 : 200 + face.shape[0], 300 : 300 + face.shape[1]] = face
    table[100:180, 100:180] = np.kron(np.eye(8), np.ones((10, 10)))[..., None] * 255
    shown = faceless(table, [[(100, 100), (179, 100), (179, 179), (100, 179)]])
    assert np.array_equal(shown[100:180, 100:180], table[100:180, 100:180])
    inner = shown[215 : 185 + face.shape[0], 315 : 285 + face.shape[1]]
    assert inner.min() > 180, "blank paper"
    assert np.abs(shown[400:].astype(int) - table[400:]).max() <= 2


class ForgottenCards(CameraTwin):
    """Somebody has not cleared the table."""

    def __init__(self, faces: Sequence[str]) -> None:
        super().__init__()
        self._faces = faces

    def shows(self, scene: Scene) -> None:
        super().shows(lambda number: with_cards(scene(number), self._faces))


def with_cards(picture: Image, faces: Sequence[str]) -> Image:
    out = picture.copy()
    width, height = CARD_MM
    for face, (x, y, _) in zip(faces, AT_MM, strict=False):
        sheet = card_face(face, 4.0)
        right, low = sheet.shape[1], sheet.shape[0]
        flat = np.array([(0, 0), (right, 0), (right, low), (0, low)], np.float32)
        left, top = x - width / 2, y + height / 2
        on_table = [(left, top), (left + width, top), (left + width, top - height),
                    (left, top - height)]  # fmt: skip
        to = cv2.getPerspectiveTransform(flat, seen_at(on_table).astype(np.float32))
        size = (picture.shape[1], picture.shape[0])
        cv2.warpPerspective(sheet, to, size, out, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    return out


def kept(faces: Sequence[str]) -> list[Image]:
    """The picture that is kept after the table was looked at, and after the place cards."""
    hand = HandAtCamera(ForgottenCards(faces))
    parts = frozenset({Part.TABLE, Part.AREAS})
    step = CameraStep(hand.twin, 1, "sim", 9, "twin", parts, before=GOOD)
    drafts: list[CameraSamples] = []
    asyncio.run(step.capture(hand, None, drafts.append))
    return [picture_of(samples) for samples in drafts]


def picture_of(samples: CameraSamples) -> Image:
    data = np.frombuffer(base64.b64decode(samples.picture), np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


def test_what_a_calibration_keeps_does_not_tell_which_cards_were_left_on_the_table() -> None:
    bare = kept(())
    one, other = kept(ONE), kept(OTHER)
    assert len(bare) == len(one) == len(other) == 2
    for empty, first, second in zip(bare, one, other, strict=True):
        assert differ(empty, first) > 100, "the cards are seen"
        assert differ(first, second) <= SEEN
