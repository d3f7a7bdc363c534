"""`burnturn deck learn`: a picture of the house's deck to a file that the card reader takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.files import remedy, replace
from controller.model.cards import face_name


class LearnError(Exception):
    """The deck was not learned; the text says why, and what to do."""


_NAMED = 8
"""Cards that are named; more are none in particular."""


def learned(photo: Path, target: Path, *, in_order: bool, named: bool) -> str:
    """Learn the deck in a photograph, keep its look at `target`, and say so. named: whether cards
    may be named now. Raises LearnError."""
    try:
        from controller.vision.deck_look import DeckLookError
        from controller.vision.learn import NEW_DECK, learn
        from controller.vision.load import PictureFileError, load
        from controller.vision.net import GlyphNet
    except ModuleNotFoundError as error:
        raise LearnError(
            f"reading pictures needs the Python package {error.name}. Next: pip install"
            " 'burnturn[camera-headless]'"
        ) from None
    try:
        look = learn(load(photo), GlyphNet.load(), NEW_DECK if in_order else None)
    except PictureFileError as error:
        raise LearnError(str(error)) from None
    except DeckLookError as error:
        which = f". The cards: {_listed(error.cards)}" if named and error.cards else ""
        raise LearnError(f"{photo}: {error}{which}") from None
    except ValueError as error:
        raise LearnError(f"{photo}: {error}") from None
    try:
        replace(target, look.text().encode(), mode=0o644)
    except OSError as error:
        raise LearnError(
            f"{target}: the deck is learned and could not be kept ({error.strerror})."
            f" {remedy(error)}"
        ) from None
    return (
        f"{target}: the deck is learned from {photo.name}. Cards are read by it from the table's"
        " next start on; burnturn deck learn --forget undoes it"
    )


def _listed(cards: Sequence[str]) -> str:
    more = " and others" if len(cards) > _NAMED else ""
    return ", ".join(map(face_name, cards[:_NAMED])) + more


def forgotten(target: Path) -> str:
    """Take a learned look away. Raises LearnError."""
    try:
        target.unlink(missing_ok=True)
    except OSError as error:
        raise LearnError(f"{target}: cannot be deleted ({error.strerror})") from None
    return "cards are read by their usual looks from the table's next start on"
