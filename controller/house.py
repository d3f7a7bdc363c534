"""The house's decks as the daemon has them at its start."""

from __future__ import annotations

from controller.config import Config
from controller.integrity.box import DeckBox
from controller.integrity.decks import DeckStatus, enrolled, known_tags, used
from controller.model.events import DeckAtTable
from drivers.readings import Uid


def house_decks(config: Config) -> dict[Uid, tuple[str, str]]:
    """Deck and face by UID of the house's decks, as the daemon enrols them.

    Raises:
        BoxError: they are there and cannot be read.
    """
    return known_tags(DeckBox(config.deck_file, config.deck_key).load())


def decks_at_table(config: Config) -> tuple[DeckAtTable, ...]:
    """Names and backs of the house's decks that are to be dealt with.

    Raises:
        BoxError: they are there and cannot be read.
    """
    decks = enrolled(DeckBox(config.deck_file, config.deck_key).load())
    return tuple(
        DeckAtTable(name=d.name, back=d.back, pair=d.pair or "", used=d.status is DeckStatus.USED)
        for d in decks
    )


def keep_used(config: Config, name: str) -> None:
    """Remember in the house's box that the deck was taken out of play as used.

    Raises:
        BoxError, DeckError: it cannot be kept there, with what to do.
    """
    DeckBox(config.deck_file, config.deck_key).change(lambda decks: used(decks, name))
