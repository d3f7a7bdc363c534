"""How a dealer's hand passes a deck over an antenna, card by card, and what goes wrong in it.

The shares and times are assumptions about a trained dealer, not measurements at a real table;
whoever has measured some puts them in.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drivers.sim.world import Card, World

IN_HAND = "hand/dealer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassOver:
    """One way of passing a deck over.

    pace_s: least and most time from one card to the next. over: share of it that the card is over
    the antenna, least and most. two_at_once: share of cards that take the next one with them, the
    lower one behind by offset_s. merge: share of looks in which the two answer as one UID. square:
    share of such pairs that lie on each other so squarely that, as long as they do, in one half
    only one card is read and in the other half both answer as one. too_fast: share of cards that
    cross the antenna in fast_s. put_back: share that are drawn back and passed a second time.
    """

    pace_s: tuple[float, float] = (0.45, 0.7)
    over: tuple[float, float] = (0.5, 0.75)
    two_at_once: float = 0.03
    offset_s: tuple[float, float] = (0.02, 0.08)
    merge: float = 0.1
    square: float = 0.02
    too_fast: float = 0.005
    fast_s: tuple[float, float] = (0.05, 0.12)
    put_back: float = 0.01

    @property
    def careful(self) -> PassOver:
        """The same hand when it was asked to take one card at a time: slower, and half as often
        wrong."""
        return replace(
            self,
            pace_s=(self.pace_s[0] * 1.15, self.pace_s[1] * 1.15),
            two_at_once=self.two_at_once / 2,
            too_fast=self.too_fast / 2,
        )

    def schedule(
        self, world: World, cards: Sequence[Card], place: str, start: float, chance: random.Random
    ) -> float:
        """Put the passing of these cards on the world's timeline, each from where it is over the
        antenna of `place` into the dealer's hand; gives the time at which the last one is there.
        """
        at, i = start, 0
        while i < len(cards):
            pace = chance.uniform(*self.pace_s)
            stay = pace * chance.uniform(*self.over)
            if chance.random() < self.too_fast:
                stay = chance.uniform(*self.fast_s)
            if chance.random() < self.two_at_once and i + 1 < len(cards):
                self._pair(world, cards[i], cards[i + 1], place, at, stay, chance)
                i += 2
            else:
                _cross(world, cards[i], place, at, stay)
                if chance.random() < self.put_back:
                    back = at + stay + chance.uniform(0.3, 0.6)
                    _cross(world, cards[i], place, back, stay)
                    at = back
                i += 1
            at += pace
        return at

    def _pair(
        self,
        world: World,
        first: Card,
        second: Card,
        place: str,
        at: float,
        stay: float,
        chance: random.Random,
    ) -> None:
        behind = min(chance.uniform(*self.offset_s), stay)
        _cross(world, first, place, at, stay)
        _cross(world, second, place, at + behind, stay)
        together, for_s = at + behind, stay - behind
        if for_s <= 0.0:
            return
        merge = self.merge
        if chance.random() < self.square:
            if chance.random() < 0.5:
                world.unread(chance.choice((first, second)), together, for_s)
                return
            merge = 1.0
        world.afflict("ghost", world.antenna_at(place), together, for_s, merge)


def _cross(world: World, card: Card, place: str, at: float, stay: float) -> None:
    world.move(card, place, at, face_up=False)
    world.move(card, IN_HAND, at + stay)
