"""A scenario's acts gone through without a table that looks: what could not be carried out.

The same hands move the same cards as in a run, so whatever a run would refuse for the cards, the
seats or the words alone is known beforehand, with its line. What depends on what the table says (a
ruling on a finding that never came) only a run can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.integrity.table_count import IDLE_S
from controller.rules.profile import ProfileError
from controller.scenario import lines
from controller.scenario.hands import Impossible, NotYet
from controller.scenario.night import COUNT_PATIENCE_S, STEADY, Night, deeds
from controller.scenario.spelling import spell

_BEGINS = "`key count` begins one, between two hands"


class Refused(NamedTuple):
    """What a run would refuse. line: of the file, 0 where no line says it."""

    line: int
    why: str


def rehearse(scenario: lines.Scenario, folder: Path | None = None) -> list[Refused]:
    """What a run of the scenario would refuse, up to the first act without which the rest means
    nothing. folder: where a profile's path in the file starts from."""
    opening = [x for x in scenario.lines if isinstance(x, lines.ProfileLine | lines.GameLine)]
    try:
        night = _Rehearsal(scenario, folder)
    except (ProfileError, Impossible) as error:
        return [Refused(opening[0].line if opening else 0, str(error))]
    refused = [Refused(line.line, f"{spell(line)}: {why}") for line, why in night.unable]
    for line, hidden in deeds(scenario.lines[night.set_up_lines :]):
        if isinstance(line, lines.RuleAct | lines.DismissAct | _EXPECTATIONS):
            continue
        try:
            night.act(line, hidden)
        except (ProfileError, Impossible) as error:
            refused.append(Refused(line.line, f"{spell(line)}: {error}"))
            if not isinstance(error, NotYet):
                break
    return refused


_EXPECTATIONS = lines.ExpectFinding | lines.ExpectCannotTell | lines.ExpectBoard | lines.ExpectNone


class _Rehearsal(Night):
    """A night at which nobody looks. Of a count it knows what its lines say for certain."""

    def __init__(self, scenario: lines.Scenario, folder: Path | None) -> None:
        super().__init__(scenario, lambda said: None, folder)
        self._why_none: str | None = f"no count is on; {_BEGINS}"
        self._count_since = 0.0
        self._counted = False
        self._dealt_in = 0  # the line that dealt the hand that is on; 0: none for certain

    def act(self, line: lines.SetUp | lines.Act, hidden: Sequence[lines.UnreadFault] = ()) -> None:
        super().act(line, hidden)
        match line:
            case lines.KeyAct(key="count"):
                self._key_count(line.line)
            case lines.KeyAct(key="confirm") if self._counted:
                self._none(f"`key confirm` in line {line.line} ended it")
            case lines.HoleAct(until_seat=None, deal_pass=None) | lines.StreetAct():
                self._dealt_in = line.line
                if self._why_none is None:
                    self._none(f"cards were dealt in line {line.line}")
            case lines.GatherAct() | lines.KeyAct(key="end-hand" | "misdeal"):
                self._dealt_in = 0
            case lines.PowerCutAct():
                self._dealt_in = 0
                if self._why_none is None:
                    self._none(f"the power cut in line {line.line} ended it")

    def run_until(self, until: float, met: Callable[[], bool], eager: bool = False) -> bool:
        """Time passes, and nothing is looked at."""
        self.now = max(self.now, until)
        self.dealer.due(self.now)
        self.world.advance(self.now)
        return True

    def _key_count(self, line: int) -> None:
        if self._dealt_in:
            self._none(f"line {line} asked for one while the hand of line {self._dealt_in} was on")
            return
        self._why_none, self._counted, self._count_since = None, False, self.now

    def _none(self, why: str) -> None:
        self._why_none, self._counted = f"no count is on: {why}; {_BEGINS}", False

    def _no_count(self) -> str | None:
        idle_s = self.now - self._count_since
        if self._why_none is None and not self._counted and idle_s > IDLE_S:
            return f"the count was given up: no card came for {idle_s:.0f} s; {_BEGINS}"
        return self._why_none

    def _pass_deck(self) -> None:
        self._run_to(self.dealer.count(STEADY) + COUNT_PATIENCE_S)
        self._counted = True
