"""Readers that are lost, restart and come back under cards that lie still: each card came once, and
nothing else happened."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from controller.model.events import CardCame, TableEvent
from controller.model.table import LayoutOptions, reference_layout
from controller.sensing import Sensing
from controller.vault import Vault
from drivers.readings import Health, HealthState
from tests.drivers.test_reader_losses import PAIRS, Bench

EVENING = [
    (0.9, 0, "unplug"),
    (0.7, 0, "plug"),
    (0.31, 1, "restart"),
    (0.013, 1, "restart"),
    (0.5, 1, "unplug"),
    (0.0, 0, "unplug"),
    (0.4, 1, "plug"),
    (0.1, 0, "plug"),
    (0.02, 0, "restart"),
]


@pytest.mark.parametrize("kinds", PAIRS, ids="+".join)
def test_lost_readers_make_no_card_come_or_leave(kinds: tuple[str, str]) -> None:
    bench = Bench(kinds)
    asyncio.run(bench.evening(EVENING))
    sensing = Sensing(reference_layout(LayoutOptions(seats=4)), Vault())
    events: list[TableEvent] = []
    for reading in bench.read:
        if not isinstance(reading, Health):
            events += sensing.poll(reading)
        elif reading.state is HealthState.LOST:
            sensing.reader_lost(reading.antennas)
        else:
            sensing.reader_back(reading.antennas)
    came = Counter(event.zone for event in events if isinstance(event, CardCame))
    assert came == {"seat/1": 1, "seat/2": 2}
    assert len(events) == 3, events
    assert any(isinstance(r, Health) and r.state is HealthState.LOST for r in bench.read)
