"""Two nights under a camera that differ only in the cards are the same night to everybody but the
vault, with antennas beside the camera and without; and no face is ever printed."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from controller.journal.record import canonical, plain
from controller.model.events import CardSide, SeatStatus, TableEvent, TableOpened
from controller.model.findings import FindingChanged, Said
from controller.model.table import LayoutOptions, reference_layout
from controller.pipeline import Table
from controller.rules.engine import layout_json
from controller.rules.profile import load
from controller.simulated_field import field_antennas
from controller.vault import Vault
from drivers.factory import (
    CameraModel,
    Dealer,
    DealScript,
    Noise,
    Oddities,
    Robot,
    SightRates,
    SweepScheduler,
    World,
    polls,
)
from drivers.readings import Poll, Sight

SEATS = tuple(range(1, 7))
HANDS = (None, "card-exposed", "burn-face-up", "board-face-down", None)
FACE = re.compile(r"(?<![A-Za-z0-9])(?:[2-9TJQKA][cdhs]|joker[12]?)(?![A-Za-z0-9])")


class Night:
    """What left the table, and what was dealt in it."""

    def __init__(self, alone: bool, cards_seed: int, deck_seed: int) -> None:
        layout = reference_layout(LayoutOptions(seats=6, camera="alone" if alone else "beside"))
        self.events: list[TableEvent] = []
        self.said: list[object] = []
        self.shapes: list[object] = []
        self.dealt = ""
        self.printed: set[str] = set()
        self.codes: set[str] = set()
        noise = Noise(miss=0.05, cross=0.02, seed=4)
        self.world = World(field_antennas(layout), noise, cards_seed=cards_seed)
        dealer = Dealer(self.world, SEATS, button=6, deck_seed=deck_seed, seed=6)
        self.robot = Robot(
            dealer, DealScript(SEATS), oddities=Oddities.none(), seen=True, tagged=False, seed=7
        )
        rates = replace(SightRates(), face_wrong=0.02)
        camera = CameraModel(self.world, 6, rates, areas=[a.zone for a in layout.areas], seed=8)
        tokens = random.Random(5)
        decks = {c.uid: (c.deck, c.face) for c in self.world.deck("red")}
        self.vault = Vault(None if alone else decks, source=lambda: tokens.getrandbits(53))
        self.table = Table(layout, self.vault, record=self._record)
        self.table.open(
            TableOpened(
                at=0.0,
                profile=load("tda").model_dump_json(),
                game="holdem",
                layout=layout_json(layout),
                seats=tuple((s, SeatStatus.IN) for s in SEATS),
                button=(6,),
                camera=True,
            )
        )
        scheduler = SweepScheduler([a.antenna for a in layout.antennas])
        source = polls(self.world, scheduler)
        for mistake in HANDS:
            played = self.robot.hand(mistake)
            now = 0.0
            while now < played.next_at:
                look = camera.look() if alone or camera.due <= self.world.now else next(source)
                assert isinstance(look, Poll | Sight)
                now = look.ended
                for other in dealer.due(now):
                    self._say(self.table.feed(other))
                self._say(self.table.feed(look))
                if isinstance(look, Sight):
                    self.shapes.append(
                        [
                            (a.area, a.clear, len(a.cards), [c.side for c in a.cards])
                            for a in look.areas
                        ]
                    )
                self.dealt += "".join(c.face for c in self.world.lying("board")) + " "
            self.printed |= {repr(look), repr(self.table.sight), repr(self.vault), repr(camera)}
            self.printed |= {repr(a) for a in self.table.sight.__dict__.values()}

    def _record(self, event: TableEvent) -> int:
        self.events.append(event)
        return len(self.events)

    def _say(self, said: list[Said]) -> None:
        for word in said:
            self.said.append(repr(word))
            if isinstance(word, FindingChanged):
                self.codes.update(word.finding.codes)


@pytest.fixture(scope="module", params=[True, False], ids=["alone", "both"])
def nights(request: pytest.FixtureRequest) -> tuple[Night, Night]:
    return Night(request.param, 1, 1), Night(request.param, 2, 2)


def test_the_nights_leave_the_same_trace(nights: tuple[Night, Night]) -> None:
    one, other = nights
    assert one.dealt != other.dealt
    assert one.shapes == other.shapes
    assert [canonical(plain(e)) for e in one.events] == [canonical(plain(e)) for e in other.events]
    assert one.said == other.said


def test_the_night_was_a_night(nights: tuple[Night, Night]) -> None:
    night = nights[0]
    sides = [e for e in night.events if isinstance(e, CardSide)]
    assert sum(e.up for e in sides) > 20
    assert sum(not e.up for e in sides) > 40
    assert {"HOLE_EXPOSED", "BURN_FACE_UP", "BOARD_FACE_DOWN"} <= night.codes


def test_no_face_is_printed(nights: tuple[Night, Night]) -> None:
    for night in nights:
        assert [text for text in night.printed if FACE.search(text)] == []
        assert not any(FACE.search(str(e)) for e in night.events if not isinstance(e, TableOpened))
