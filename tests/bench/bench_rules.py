"""Events a second through the rules alone: the events of simulated hands, stepped again."""

from __future__ import annotations

import time

from controller.model.events import TableEvent
from controller.rules.engine import closed, step
from controller.simulate.deal import SimulatedTable
from controller.simulate.settings import Settings

GOAL = 50_000.0


def run(quick: bool = False) -> list[str]:
    hands = 10 if quick else 60
    events: list[TableEvent] = []
    simulated = SimulatedTable(Settings(), "bench rules", on_event=events.append)
    for _ in range(hands):
        simulated.hand()
    best = 0.0
    for _ in range(2 if quick else 5):
        state = closed()
        begun = time.process_time()
        for event in events:
            state, _ = step(state, event)
        best = max(best, len(events) / (time.process_time() - begun))
    return [
        f"{len(events) / hands:.0f} events a hand",
        f"{best:,.0f} events/s, best of the runs (goal ≥ {GOAL:,.0f}: {best / GOAL:.2f} of it)",
    ]
