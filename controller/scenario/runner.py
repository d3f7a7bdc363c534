"""Runs a scenario on a virtual clock: the simulated table, the real sensing and rules, no waiting.

The table has been open for some sweeps when the first act begins, so that its zones are known to be
clear. Acts are carried out in order, each taking its time, while antennas are polled. At an
expectation the acts so far are carried out to the end and time goes on, without acts, until it is
met or patience ends. Everything follows from the file, the noise and its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from controller.model.findings import Judgement, Severity, Verdict
from controller.model.table import REFERENCE_MAX_STACK
from controller.rules.profile import ProfileError
from controller.scenario import lines
from controller.scenario.hands import Impossible
from controller.scenario.heard import Heard, describe
from controller.scenario.night import Night, deeds
from controller.scenario.spelling import spell

CameraChoice = Literal["alone", "both"]

PATIENCE_S = 10.0
NOISY_PATIENCE_S = 20.0
SETTLING_S = 5.0
LEAD_IN_S = 15.0
LEAD_IN_SWEEPS = 40
PATIENCE_SWEEPS = 25
SETTLING_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """Noise that a run lays over a file, with the reference table's stack limits."""

    miss: float
    cross: float
    sweep_s: float


@dataclass(frozen=True, slots=True)
class Missing:
    """An expectation that was not met."""

    line: int
    expected: str
    why: str


@dataclass(frozen=True, slots=True)
class Unexpected:
    """A finding that no expectation names. line: where that was noticed, 0 for the end."""

    line: int
    code: str
    severity: str
    state: str
    street: str | None
    seat: int | None
    clause: str
    text: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """An expectation that was met by "cannot tell" (under noise), or expected it."""

    line: int
    codes: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class Result:
    """What came of one run. faults: lines that this table cannot carry out."""

    missing: list[Missing] = field(default_factory=list)
    unexpected: list[Unexpected] = field(default_factory=list)
    cannot_tell: list[Undecided] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    virtual_s: float = 0.0
    polls: int = 0

    @property
    def ok(self) -> bool:
        return not (self.missing or self.unexpected or self.faults)


def run(
    scenario: lines.Scenario,
    noise: NoiseChoice | None = None,
    seed: int | None = None,
    folder: Path | None = None,
    wired: bool = False,
    camera: CameraChoice | None = None,
) -> Result:
    """Run one scenario.

    noise: laid over the file's own; expectations are then also met by "cannot tell", and only
    warnings and above are surprises. seed: of the noise, instead of the file's own. folder: where
    a profile's path in the file starts from. wired: button, chairs and keys come through a
    table board's bytes. camera: whatever the file says, a camera sees the table, in the place of
    the antennas ("alone") or beside them ("both").
    """
    result = Result()
    if camera is not None:
        scenario = under_camera(scenario, camera)
    try:
        Run(under_noise(scenario, noise, seed), noise is not None, result, folder, wired).run()
    except (ProfileError, Impossible) as error:
        result.faults.append(str(error))
    return result


def under_camera(scenario: lines.Scenario, camera: CameraChoice) -> lines.Scenario:
    """The scenario under a camera; alone, it sees the board as one area."""
    antennas = next(
        (x for x in scenario.lines if isinstance(x, lines.AntennasLine)), lines.AntennasLine()
    )
    if camera == "alone":
        antennas = replace(antennas, none=True, board="one")
    on = lines.SwitchLine(what="camera", on=True)
    kept = [
        x
        for x in scenario.lines
        if not isinstance(x, lines.AntennasLine)
        and not (isinstance(x, lines.SwitchLine) and x.what == "camera")
    ]
    return replace(scenario, lines=(on, antennas, *kept))


def under_noise(
    scenario: lines.Scenario, noise: NoiseChoice | None, seed: int | None
) -> lines.Scenario:
    """The scenario with its noise replaced, and with the reference table's stack limits."""
    if noise is None and seed is None:
        return scenario
    own = next((x for x in scenario.lines if isinstance(x, lines.NoiseLine)), lines.NoiseLine())
    antennas = next(
        (x for x in scenario.lines if isinstance(x, lines.AntennasLine)), lines.AntennasLine()
    )
    if noise is not None:
        own = replace(own, miss=noise.miss, cross=noise.cross, sweep_s=noise.sweep_s)
        limits = tuple(sorted({**REFERENCE_MAX_STACK, **dict(antennas.max_stack)}.items()))
        antennas = replace(antennas, max_stack=limits)
    if seed is not None:
        own = replace(own, seed=seed)
    kept = [x for x in scenario.lines if not isinstance(x, lines.NoiseLine | lines.AntennasLine)]
    return replace(scenario, lines=(antennas, own, *kept))


class Run:
    """One run of one scenario. noisy: the lenient reading of expectations."""

    def __init__(
        self,
        scenario: lines.Scenario,
        noisy: bool,
        result: Result,
        folder: Path | None = None,
        wired: bool = False,
    ) -> None:
        self._lines = scenario.lines
        self._noisy = noisy
        self._result = result
        self._heard = Heard()
        self._night = Night(scenario, self._heard.hear, folder, wired)
        self._acted_at = 0.0
        sweep_s = self._night.sweep_s
        patience_s = NOISY_PATIENCE_S if noisy else PATIENCE_S
        self._patience_s = max(patience_s, PATIENCE_SWEEPS * sweep_s)
        self._settling_s = max(SETTLING_S, SETTLING_SWEEPS * sweep_s)

    def run(self) -> None:
        result, night = self._result, self._night
        for unable, why in night.unable:
            result.faults.append(f"line {unable.line}, {spell(unable)}: {why}")
        if result.faults:
            return
        night.run_for(max(LEAD_IN_S, LEAD_IN_SWEEPS * night.sweep_s))
        for line, hidden in deeds(self._lines[night.set_up_lines :]):
            if isinstance(
                line,
                lines.ExpectFinding | lines.ExpectCannotTell | lines.ExpectBoard | lines.ExpectNone,
            ):
                self._expect(line)
                continue
            try:
                self._act(line, hidden)
            except Impossible as error:
                result.faults.append(f"line {line.line}, {spell(line)}: {error}")
                break
        else:
            night.run_for(self._settling_s if self._ends_with_act() else 0.0)
            self._surprises(0)
        result.virtual_s = night.now
        result.polls = night.polls

    def _ends_with_act(self) -> bool:
        return bool(self._lines) and not isinstance(self._lines[-1], lines.ExpectNone)

    def _act(self, line: lines.SetUp | lines.Act, hidden: Sequence[lines.UnreadFault]) -> None:
        night = self._night
        if isinstance(line, lines.RuleAct | lines.DismissAct):
            finding = self._heard.newest(line.code)
            if finding is None:
                if self._noisy:
                    return
                raise Impossible(f"no finding {line.code} stands open here")
            ruling = line.ruling if isinstance(line, lines.RuleAct) else "wrong reading"
            night.floor_says(
                "rule" if isinstance(line, lines.RuleAct) else "dismiss", finding.id, ruling
            )
        else:
            night.act(line, hidden)
        self._acted_at = night.now

    # Expectations

    def _expect(self, line: lines.Expectation) -> None:
        match line:
            case lines.ExpectFinding():
                self._expect_finding(line)
            case lines.ExpectCannotTell():
                self._expect_cannot_tell(line)
            case lines.ExpectBoard():
                self._expect_board(line)
            case lines.ExpectNone():
                self._night.run_for(self._settling_s)
                self._surprises(line.line)
        self._night.forget_shown()

    def _until(self, within_s: float | None) -> float:
        if within_s is None:
            return self._night.now + self._patience_s
        return self._acted_at + within_s

    def _expect_finding(self, line: lines.ExpectFinding) -> None:
        heard, night = self._heard, self._night
        until = self._until(line.within_s)
        met = night.run_until(until, lambda: heard.claim(line, until))
        if met or heard.claim(line, until, repeated=True):
            return
        if self._noisy and self._excused(line):
            return
        self._miss(line, "; ".join(describe(f) for f in heard.latest()) or "nothing was said")

    def _excused(self, line: lines.ExpectFinding) -> bool:
        """Whether noise left the question open, now or where the finding should have come."""
        heard = self._heard
        verdict = heard.undecided_verdict(line.codes, line.street, self._night.verdicts())
        if verdict is None and not heard.excused & set(line.codes):
            return False
        heard.excuse(line.codes)
        reason = "so it was before" if verdict is None else verdict.reason
        self._result.cannot_tell.append(Undecided(line.line, line.codes, reason))
        return True

    def _expect_cannot_tell(self, line: lines.ExpectCannotTell) -> None:
        heard, night = self._heard, self._night
        until = max(self._until(line.within_s), night.now + self._settling_s)
        night.run_for(self._settling_s)
        found: list[Verdict] = []

        def met() -> bool:
            verdict = heard.undecided(line, night.verdicts())
            found.extend([verdict] if verdict else [])
            return verdict is not None

        if night.run_until(until, met):
            self._result.cannot_tell.append(Undecided(line.line, line.codes, found[0].reason))
            return
        told = [describe(f) for f in heard.latest() if set(f.codes) & set(line.codes)]
        told += [f"{v.code} {v.street}: {v.judgement}" for v in night.verdicts()]
        self._miss(line, "; ".join(told) or "no such verdict")

    def _expect_board(self, line: lines.ExpectBoard) -> None:
        night = self._night
        until = self._until(line.within_s)
        if night.run_until(until, lambda: night.shows(line.text), eager=True):
            return
        if self._noisy and any(v.judgement is Judgement.CANNOT_TELL for v in night.verdicts()):
            self._result.cannot_tell.append(Undecided(line.line, (), "the board"))
            return
        self._miss(line, "the board says " + ", ".join(f'"{t}"' for t in night.board_texts()))

    def _miss(self, line: lines.Expectation, why: str) -> None:
        self._result.missing.append(Missing(line.line, spell(line), why))

    def _surprises(self, line: int) -> None:
        least = Severity.WARNING if self._noisy else Severity.NOTICE
        self._result.unexpected += [
            Unexpected(
                line,
                f.code,
                str(f.severity),
                str(f.state),
                None if f.street is None else str(f.street),
                f.seat,
                f.clause,
                describe(f),
            )
            for f in self._heard.surprises(least)
        ]
