"""What the table said in a scenario, and whether it is what the file expects.

Pure bookkeeping: it hears `Said` values and answers questions about them. A finding that some
expectation named is *claimed*; what is left unclaimed at the end was not expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from controller.model.findings import (
    Finding,
    FindingChanged,
    FindingState,
    HandBegan,
    Judgement,
    Said,
    Severity,
    Street,
    Verdict,
)
from controller.scenario.lines import ExpectCannotTell, ExpectFinding

QUESTION_OF = {
    "HOLE_FIRST_SEAT": "HOLE_ORDER",
    "HOLE_TWO_AT_ONCE": "HOLE_ORDER",
    "HOLE_LAST_NOT_BUTTON": "HOLE_ORDER",
    "HOLE_DEALT_OUT": "HOLE_COUNT",
    "BURN_EXTRA": "BURN_MISSING",
    "BURN_UNEXPECTED": "BURN_MISSING",
    "BURN_MISPLACED": "BURN_MISSING",
    "BOARD_POSITION": "BOARD_COUNT",
    "CARD_AFTER_RIVER": "BOARD_COUNT",
}
"""Verdicts are given on questions (was the order kept?), named by one code of several."""


@dataclass(slots=True)
class Heard:
    """Everything said so far. versions: of each finding, oldest first; hand: the newest one."""

    versions: dict[int, list[Finding]] = field(default_factory=dict)
    excused: set[str] = field(default_factory=set)
    claimed: set[int] = field(default_factory=set)
    said_codes: dict[int, set[str]] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    hand: int = 0

    def hear(self, said: Iterable[Said]) -> None:
        for one in said:
            match one:
                case FindingChanged(finding=finding):
                    self.versions.setdefault(finding.id, []).append(finding)
                case HandBegan(hand=hand):
                    self.hand = hand

    def latest(self) -> list[Finding]:
        return [found[-1] for found in self.versions.values()]

    def newest(self, code: str) -> Finding | None:
        """The newest finding of this code that still stands, as a question or open."""
        standing = [
            f
            for f in self.latest()
            if code in f.codes and f.state in {FindingState.ASKING, FindingState.OPEN}
        ]
        return max(standing, key=lambda f: f.id, default=None)

    # Expectations

    def claim(self, wanted: ExpectFinding, by: float, repeated: bool = False) -> bool:
        """Whether a finding fits that was said by then; if so it is claimed.

        Without `state=`, a finding that is claimed already fits only by a code that no expectation
        has named yet, or (`repeated`) if it is of the hand that is going on.
        """
        fitting = [
            (id_, version)
            for id_, versions in self.versions.items()
            if (version := _fits(wanted, versions, by)) is not None
        ]
        fitting.sort(key=lambda f: (f[0] in self.claimed, f[0]))
        for id_, version in fitting:
            codes = set(version.codes) & set(wanted.codes)
            fresh = id_ not in self.claimed or not codes <= self.said_codes[id_]
            if fresh or wanted.state or (repeated and version.hand == self.hand):
                self.claimed.add(id_)
                self.said_codes.setdefault(id_, set()).update(codes)
                return True
        return False

    def undecided_verdict(
        self, codes: Sequence[str], street: Street | None, verdicts: Sequence[Verdict]
    ) -> Verdict | None:
        """An undecided verdict on the question that one of the codes is about."""
        asked = {QUESTION_OF.get(code, code) for code in codes}
        for verdict in verdicts:
            if (
                verdict.code in asked
                and street in {None, verdict.street}
                and verdict.judgement is Judgement.CANNOT_TELL
            ):
                return verdict
        return None

    def undecided(self, wanted: ExpectCannotTell, verdicts: Sequence[Verdict]) -> Verdict | None:
        """The undecided verdict, if there is one and nothing is alarmed; a mere question is
        claimed."""
        of_code = [
            f
            for f in self.latest()
            if f.hand == self.hand
            and set(f.codes) & set(wanted.codes)
            and wanted.street in {None, f.street}
        ]
        if any(f.alarming for f in of_code):
            return None
        verdict = self.undecided_verdict(wanted.codes, wanted.street, verdicts)
        if verdict is not None:
            self.claimed.update(f.id for f in of_code if f.asking)
        return verdict

    def excuse(self, codes: Sequence[str]) -> None:
        """Under noise: one of these codes was met by "cannot tell"; what follows from it too."""
        self.excused.update(codes)

    def surprises(self, least: Severity) -> list[Finding]:
        """Findings of that severity or above that nobody expected; each is told once."""
        found = []
        for id_, versions in self.versions.items():
            if id_ in self.claimed | self.told:
                continue
            grave = [f for f in versions if f.severity.rank >= least.rank and not _mere(f, least)]
            if grave:
                self.told.add(id_)
                found.append(grave[-1])
        return found


def _mere(finding: Finding, least: Severity) -> bool:
    """Whether it is a question, where only alarms count."""
    return finding.asking and least.rank >= Severity.WARNING.rank


def _fits(wanted: ExpectFinding, versions: Sequence[Finding], by: float) -> Finding | None:
    """The newest version said by then that fits; its state is the one in which it stood then."""
    known = [v for v in versions if v.at <= by]
    if not known or (wanted.state and known[-1].state != wanted.state):
        return None
    for finding in reversed(known):
        if (
            set(finding.codes) & set(wanted.codes)
            and wanted.seat in {None, finding.seat}
            and wanted.street in {None, finding.street}
            and wanted.clause in {None, finding.clause}
            and wanted.zone in {None, finding.zone}
        ):
            return finding
    return None


def describe(finding: Finding) -> str:
    """A finding in one line, for whoever reads a failed scenario."""
    where = [f"street={finding.street}"] if finding.street else []
    where += [f"seat={finding.seat}"] if finding.seat is not None else []
    where += [f"zone={finding.zone}"] if finding.zone and finding.seat is None else []
    where += [f"clause={finding.clause}"] if finding.clause else []
    text = f"{finding.code} ({finding.severity}, {finding.state}) {' '.join(where)}"
    seen = f": expected {finding.expected}, seen {finding.seen}" if finding.expected else ""
    return text.strip() + seen
