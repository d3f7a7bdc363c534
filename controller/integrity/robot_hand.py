"""A robot's hand that registers a fresh deck at the simulated table, and errs now and then.

It does what the screen asks for, as a person would, and presses the keys a person would press.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum

from controller.config import Config
from controller.integrity.count_antenna import count_antenna, count_zone
from controller.integrity.decks import Deck
from controller.integrity.register import Key, Step, View
from controller.model.cards import FACES, is_joker
from drivers.factory import Card, FieldAntenna, Noise, World
from drivers.readings import Uid

BEAT_LOOKS = 4.5
"""Between two movements of the hand: it is as quick as the reader lets it."""
PASS_LOOKS = 5
"""How long a card that is passed over lies in the field."""
_TRAY = "tray:red"
_JOKERS = ("joker1", "joker2")


class Slip(StrEnum):
    """What the hand does wrongly, each once."""

    TWO_AT_ONCE = "two at once"
    SAME_AGAIN = "the card before, again"
    OTHER_DECK = "a card of another deck"
    JOKER = "a joker"
    BADLY = "at the edge"
    TOO_SHORT = "lifted at once"
    WRONG_CARD = "the card after"


class RobotHand:
    """The hand, and the field that the count antenna sees (a FieldModel).

    house: decks that are registered already; a card of one of them may slip in. slips: which
    mistakes to make; None: each once. origin: the clock's time at which it begins.
    """

    def __init__(
        self,
        config: Config,
        house: Sequence[Deck] = (),
        *,
        seed: int = 0,
        slips: Sequence[Slip] | None = None,
        origin_s: float = 0.0,
    ) -> None:
        part = config.file.simulation
        assert part is not None, "the configuration sees to it"
        seed = seed or random.SystemRandom().getrandbits(32)
        self._chance = chance = random.Random(f"robot hand {seed}")
        self._zone = str(count_zone(config.layout))
        self._origin_s = origin_s
        self.look_s = part.sweep_ms / 1000 / len(config.layout.antennas)
        number = count_antenna(config.layout)
        noise = Noise(
            miss=part.miss,
            corrupt=part.corrupt,
            sweep_s=part.sweep_ms / 1000,
            seed=chance.getrandbits(32),
        )
        # Random, not counted up from the seed: each registration brings a deck of its own.
        self._world = World(
            (FieldAntenna(number=number, place=self._zone),),
            noise,
            cards_seed=chance.getrandbits(32),
            short_tags=any(reader.model == "pn532" for reader in config.file.reader),
        )
        self._cards = {card.face: card for card in self._world.deck("red")}
        enrolled = [tag for deck in house for tag in deck.cards]
        self._stranger = Card(chance.choice(enrolled).uid, "other", "other") if enrolled else None
        wanted = [s for s in (slips if slips is not None else Slip) if self._possible(s)]
        places = sorted(chance.sample(range(2, len(FACES) - 2), len(wanted)))
        chance.shuffle(wanted)
        self._slips = dict(zip(places, wanted, strict=True))
        self._lying: list[Card] = []
        self._pressing: Key | None = None
        self._free_at = 0.0
        self._jokers = list(_JOKERS)
        self._to_pass: list[Card] = []

    @property
    def truth(self) -> dict[str, Uid]:
        """Which card is which, for tests: what a registration must come to."""
        return {face: self._cards[face].uid for face in FACES}

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        return self._world.look(antenna, started - self._origin_s, ended - self._origin_s)

    def act(self, view: View, at_s: float) -> Key | None:
        """Do what the screen asks for, if the hand is free; the key it presses, if any."""
        now = max(at_s - self._origin_s, self._world.now)
        if now < self._free_at:
            return None
        self._free_at = now + BEAT_LOOKS * self.look_s
        if self._pressing is not None and view.away:
            key, self._pressing = self._pressing, None
            if view.trouble is None:  # else the wrong card was not accepted
                return key
        if view.step is Step.VERIFY:
            self._take_away(now)
            self._pass(now)
        elif view.away:
            self._take_away(now)
        elif view.step is Step.JOKERS and not self._lying:
            if not self._jokers:
                return Key.FINISH
            self._lay(self._cards[self._jokers.pop(0)], now)
        elif view.face is not None and not self._lying:
            self._lay_asked(view, now)
        return None

    # -- inside ------------------------------------------------------------------------------------

    def _possible(self, slip: Slip) -> bool:
        return slip is not Slip.OTHER_DECK or self._stranger is not None

    def _lay_asked(self, view: View, now: float) -> None:
        face = view.face
        assert face is not None
        if is_joker(face):
            return
        place = FACES.index(face)
        card = self._cards[face]
        match self._slips.pop(place, None):
            case None:
                self._lay(card, now)
            case Slip.TWO_AT_ONCE:
                self._lay(card, now)
                self._lay(self._cards[FACES[place + 1]], now)
            case Slip.SAME_AGAIN:
                self._lay(self._cards[FACES[place - 1]], now)
            case Slip.OTHER_DECK:
                assert self._stranger is not None
                self._lay(self._stranger, now)
            case Slip.JOKER:
                self._lay(self._cards[self._jokers.pop(0)], now)
                self._pressing = Key.JOKER
            case Slip.WRONG_CARD:
                self._lay(self._cards[FACES[place + 1]], now)
                self._pressing = Key.UNDO
            case Slip.BADLY:
                self._lay(card, now)
                for n in range(24):  # it answers about every other look
                    for_s = self._chance.uniform(0.4, 1.9) * self.look_s
                    self._world.unread(card, now + 2 * n * self.look_s, for_s)
            case Slip.TOO_SHORT:
                self._world.move(card, self._zone, now)
                self._world.move(card, _TRAY, now + 7 * self.look_s)
                self._free_at = now + 22 * self.look_s

    def _lay(self, card: Card, now: float) -> None:
        self._lying.append(card)
        self._world.move(card, self._zone, now)

    def _take_away(self, now: float) -> None:
        for card in self._lying:
            self._world.move(card, _TRAY, now)
        self._lying.clear()

    def _pass(self, now: float) -> None:
        """One card after the other, in any order; from the first again while some were not read."""
        if not self._to_pass:
            self._to_pass = [self._cards[face] for face in FACES]
            self._chance.shuffle(self._to_pass)
        card = self._to_pass.pop()
        self._world.move(card, self._zone, now)
        self._world.move(card, _TRAY, now + PASS_LOOKS * self.look_s)
        self._free_at = now + (PASS_LOOKS + 1) * self.look_s
