"""How small an index may be (`controller.vision.table_view.SAFE_INDEX_PX`): decks drawn smaller and
smaller, read as an area's map is, and how many cards are named wrongly or not at all."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.model.cards import FACES
from controller.vision.net import GlyphNet
from controller.vision.picture import Quality
from controller.vision.reader import CardReader
from controller.vision.table_view import FINEST_PX_PER_MM
from controller.vision.training import art, decks

Image = NDArray[np.uint8]

SIZES_PX = (5.0, 7.0, 9.0, 11.0, 13.0, 16.0, 20.0)
ROOM_MM = 25.0  # of felt around a card
FELT = (60, 100, 40)


def made(number: int) -> decks.Design:
    """A deck in a font that was never trained with."""
    fonts = [font for font in art.unseen_fonts() if decks.usable(font)]
    return decks.design(np.random.default_rng([52, number]), [fonts[number % len(fonts)]])


def shown(card: decks.Card, px_per_mm: float, rng: np.random.Generator) -> Image:
    """The card on felt as a camera sees it at that scale, enlarged to that of a map."""
    fine = decks.PX_PER_MM
    rim = round(ROOM_MM * fine)
    felt = np.full((decks.CARD_H + 2 * rim, decks.CARD_W + 2 * rim, 3), FELT, np.uint8)
    felt[rim:-rim, rim:-rim][card.alpha > 127] = card.face[card.alpha > 127]
    by = px_per_mm / fine
    seen = cv2.resize(cv2.GaussianBlur(felt, (0, 0), 0.4 / by), None, fx=by, fy=by)
    grain = rng.normal(0, 2.0, seen.shape)
    seen = np.clip(seen + grain, 0, 255).astype(np.uint8)
    up = FINEST_PX_PER_MM / px_per_mm
    mapped = cv2.resize(seen, None, fx=up, fy=up, interpolation=cv2.INTER_CUBIC)
    return np.asarray(mapped, np.uint8)


def read(reader: CardReader, deck: decks.Design, size_px: float) -> tuple[int, int]:
    """How many of 52 cards are named wrongly, and how many not at all."""
    wrong = unnamed = 0
    rng = np.random.default_rng(52)
    for code in FACES:
        drawn = decks.draw(deck, code[0], code[1])
        index = drawn.indices[0]
        apart = float(np.hypot(*np.subtract(index.suit_at, index.rank_at))) / decks.PX_PER_MM
        image = shown(drawn, size_px / apart, rng)
        cards = reader.read(image, FINEST_PX_PER_MM, Quality(), least_index_px=0.0).sightings
        names = {card.face.code for card in cards if card.face is not None}
        wrong += bool(names - {code})
        unnamed += not names
    return wrong, unnamed


def run(quick: bool = False) -> list[str]:
    reader = CardReader(GlyphNet.load())
    deck_count = 1 if quick else len(art.UNSEEN_FONTS)
    out = [f"{deck_count} decks of {len(FACES)}; from the rank's middle to the suit's:"]
    for size in SIZES_PX:
        counts = np.sum([read(reader, made(n), size) for n in range(deck_count)], axis=0)
        wrong, unnamed = counts.tolist()
        out.append(f"{size:4.0f} px: {wrong} named wrongly, {unnamed} not named")
    return out
