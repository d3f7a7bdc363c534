"""A mistake of faces that will be one unless something else is seen before its time comes.

What cases there are follows from what has been seen so far, and from nothing else: cards that are
seen in another order make the same cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.model.findings import Finding, FindingState, Said
from controller.rules.engine import ledger
from controller.rules.engine.state import FaceCase, RulesState

Settle = Callable[[RulesState, list[Said], float], int]
"""Says it, at that second; gives the finding's id."""


@dataclass(frozen=True, slots=True)
class Case:
    """due: when it is said. key: what is said once."""

    key: FaceCase
    due: float
    settle: Settle


def standing(state: RulesState, number: int) -> Finding | None:
    """The finding of that id, if it asks or alarms."""
    finding = state.findings.get(number)
    return None if finding is None or finding.state in ledger.SETTLED else finding


def mended(state: RulesState, said: list[Said], number: int, at: float) -> None:
    ledger.settle(state, said, number, FindingState.CORRECTED, at=at)
