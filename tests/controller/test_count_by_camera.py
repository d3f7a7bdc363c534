"""The count of a spread deck at the table: begun by key or by the floor, shown on the board,
confirmed by the dealer, on record."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from controller.integrity.table_count import SPREAD_IDLE_S
from controller.model.cards import FACES
from controller.model.events import (
    CountMeans,
    CountStopped,
    DeckCounted,
    KeyPressed,
    TableEvent,
    TableOpened,
)
from controller.model.findings import FindingChanged
from controller.model.table import reference_layout
from controller.pipeline import Table
from controller.rules.profile import load
from controller.vault import Vault
from controller.vision.spread import SpreadSeen
from drivers.readings import KeyPress, Outcome, Poll, Uid
from tests.controller.integrity.test_spread_count import still

LAYOUT = reference_layout()


class Night:
    def __init__(self, has_camera: bool = True) -> None:
        self.events: list[TableEvent] = []
        self.vault = Vault()
        self.table = Table(LAYOUT, self.vault, self.events.append, has_camera=has_camera)
        profile = load("tda").model_dump_json()
        self.table.open(TableOpened(at=0.0, profile=profile, game="holdem", layout="", seats=()))

    def key(self, key: str, at: float) -> None:
        self.table.feed(KeyPress(key, at))

    @property
    def counted(self) -> list[DeckCounted]:
        return [e for e in self.events if isinstance(e, DeckCounted)]

    @property
    def board(self) -> str:
        return self.table.counting.text if self.table.counting is not None else ""


def test_a_table_without_tags_counts_by_camera_at_the_key() -> None:
    night = Night()
    night.key("count", 1.0)
    assert (night.board, night.table.wants_still) == ("SPREAD THE DECK", True)
    night.table.spread(still(), 3.0)
    assert (night.board, night.table.wants_still) == ("DECK 52/52", False)
    assert night.counted == []  # nobody has confirmed it
    night.key("confirm", 5.0)
    (counted,) = night.counted
    assert (counted.present, counted.means) == (52, CountMeans.CAMERA)
    assert counted.by == "the dealer, by key"
    assert counted.duration_s == 4.0
    assert (night.board, night.table.counting) == ("", None)


def test_what_is_missing_becomes_a_finding_once_it_is_confirmed() -> None:
    night = Night()
    night.table.count_spread(1.0)
    night.table.spread(still(1, ("7c",)), 2.0)
    assert night.board == "SPREAD ANEW"
    assert night.table.confirm(3.0, "Ann") == []  # nothing is to be confirmed yet
    night.table.spread(still(2, ("7c",)), 4.0)
    said = night.table.confirm(5.0, "Ann")
    assert said is not None
    (found,) = [w.finding for w in said if isinstance(w, FindingChanged)]
    assert found.code == "DECK_SHORT"
    assert "seven of clubs" in found.seen


def test_a_table_without_a_camera_says_so() -> None:
    night = Night(has_camera=False)
    with pytest.raises(ValueError, match="no camera"):
        night.table.count_spread(1.0)
    night.key("count", 2.0)
    assert night.table.counting is None


def test_a_count_for_which_no_deck_is_spread_is_given_up() -> None:
    night = Night()
    night.table.count_spread(1.0)
    night.table.spread(SpreadSeen(), 2.0)
    night.table.spread(SpreadSeen(), 2.0 + SPREAD_IDLE_S)
    assert night.table.counting is None
    (stopped,) = [e for e in night.events if isinstance(e, CountStopped)]
    assert stopped.reason == "no spread deck was seen"


def test_tags_of_a_spread_deck_are_no_deal() -> None:
    """Its cards lie on the antennas of the board and the burn pile."""
    night = Night()
    night.table.count_spread(1.0)
    before = len(night.events)
    board = next(a.antenna for a in LAYOUT.antennas if not a.zone.startswith("seat"))
    for n in range(60):
        at = 2.0 + n / 10
        night.table.feed(Poll(board, (Uid(b"\x01" * 8),), Outcome.SEEN, at, at + 0.02))
    assert night.events[before:] == []


def test_the_floor_s_key_is_on_record() -> None:
    night = Night()
    night.table.tell(KeyPressed(at=1.0, key="count-camera", by="Ann"))
    assert night.table.wants_still
    assert any(isinstance(e, KeyPressed) and e.by == "Ann" for e in night.events)


def test_faces_are_sets_and_nothing_keeps_their_order() -> None:
    assert isinstance(still().faces, frozenset)
    assert not set(FACES) & set(repr(replace(still(), doubled=("Qh",))).split())


def test_a_table_without_a_camera_needs_no_opencv() -> None:
    code = (
        "import sys; sys.modules['cv2'] = None; import controller.app, controller.cli.deck,"
        " controller.cli.run, controller.integrity.spread_count, controller.vision.spread"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
