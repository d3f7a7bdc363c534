"""The rules of dealing as a pure step function over table events."""

from controller.rules.engine.book import Rulebook, layout_json, rulebook
from controller.rules.engine.decks import to_attest
from controller.rules.engine.resume import so_far
from controller.rules.engine.state import RulesState
from controller.rules.engine.step import closed, deadline, step
from controller.rules.engine.view import findings, focus, progress, verdicts, watches

__all__ = [
    "Rulebook",
    "RulesState",
    "closed",
    "deadline",
    "findings",
    "focus",
    "layout_json",
    "progress",
    "rulebook",
    "so_far",
    "step",
    "to_attest",
    "verdicts",
    "watches",
]
