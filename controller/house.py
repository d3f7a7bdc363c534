"""The house's decks as the daemon has them at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.config import Config
from controller.integrity.box import DeckBox
from controller.integrity.decks import DeckStatus, enrolled, known_tags, used
from controller.model.events import DeckAtTable
from drivers.readings import Uid

if TYPE_CHECKING:
    from controller.vision.reader import Net

_LOOK_LIMIT = 4_000_000  # bytes; a look has some 60,000


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


def card_net(config: Config) -> Net:
    """What names cards in pictures at this table: the network as shipped, or as it learned the
    house's deck (`burnturn deck learn`).

    Raises:
        DeckLookError: the deck's look is there and cannot be read, with what to do.
    """
    from controller.vision.deck_look import DeckLook, DeckLookError, LearnedNet
    from controller.vision.net import GlyphNet

    net, path = GlyphNet.load(), config.deck_look
    try:
        with path.open(encoding="utf-8") as opened:
            return LearnedNet(net, DeckLook.from_text(opened.read(_LOOK_LIMIT)))
    except FileNotFoundError:
        return net
    except DeckLookError as error:
        raise DeckLookError(f"{path}: {error}, or burnturn deck learn --forget") from None
    except (OSError, UnicodeDecodeError):
        raise DeckLookError(
            f"{path}: cannot be read. Next: learn the deck again, or burnturn deck learn --forget"
        ) from None
