"""The sums over many simulated hands, as JSON and as tables for people. Sums of blocks add up in
any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from controller.model.findings import Severity
from controller.simulate.judge import Answer, LegalOutcome, MistakeOutcome

ALARMING = tuple(s for s in Severity if s.rank >= Severity.WARNING.rank)


@dataclass(slots=True)
class KindSum:
    """Everything counted of one kind of mistake."""

    kind: str
    code: str
    answers: Counter[Answer] = field(default_factory=Counter)
    provable: int = 0
    caught_provable: int = 0
    late: int = 0
    extra: int = 0
    called_in_order: int = 0
    delays_s: list[float] = field(default_factory=list)

    @property
    def planted(self) -> int:
        return sum(self.answers.values())

    @property
    def shown(self) -> int:
        """Caught or asked."""
        return self.answers[Answer.CAUGHT] + self.answers[Answer.ASKED]

    def add(self, o: MistakeOutcome) -> None:
        self.answers[o.answer] += 1
        self.provable += o.provable
        self.caught_provable += o.provable and o.answer in (Answer.CAUGHT, Answer.ASKED)
        self.late += o.late
        self.extra += o.extra
        self.called_in_order += o.called_in_order
        if o.delay_s is not None:
            self.delays_s.append(o.delay_s)

    def merge(self, other: KindSum) -> None:
        self.answers.update(other.answers)
        self.provable += other.provable
        self.caught_provable += other.caught_provable
        self.late += other.late
        self.extra += other.extra
        self.called_in_order += other.called_in_order
        self.delays_s += other.delays_s

    def as_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "kind": self.kind,
            "planted": self.planted,
            **{a.value: self.answers[a] for a in Answer},
            "provable": self.provable,
            "provable_shown": self.caught_provable,
            "late": self.late,
            "extra": self.extra,
            "called_in_order": self.called_in_order,
            "delay_p50_s": percentile(self.delays_s, 50),
            "delay_p95_s": percentile(self.delays_s, 95),
        }


@dataclass(slots=True)
class Totals:
    """Everything counted in a run, or in one block of it."""

    legal_hands: int = 0
    alarms: Counter[Severity] = field(default_factory=Counter)
    alarm_codes: Counter[str] = field(default_factory=Counter)
    questions: int = 0
    cannot_tell_hands: int = 0
    cannot_tell: Counter[str] = field(default_factory=Counter)
    standing: int = 0
    kinds: dict[str, KindSum] = field(default_factory=dict)
    hands: int = 0
    polls: int = 0
    seconds: float = 0.0

    @property
    def false_alarms(self) -> int:
        return sum(self.alarms.values())

    def add_hand(self, polls: int, seconds: float) -> None:
        self.hands += 1
        self.polls += polls
        self.seconds += seconds

    def add_legal(self, o: LegalOutcome) -> None:
        self.legal_hands += 1
        self.alarms.update(o.alarms)
        self.alarm_codes.update(o.codes)
        self.questions += o.questions
        self.cannot_tell_hands += bool(o.cannot_tell)
        self.cannot_tell.update(o.cannot_tell)
        self.standing += o.standing

    def add_mistake(self, o: MistakeOutcome) -> None:
        m = o.mistake
        self.kinds.setdefault(m.kind, KindSum(m.kind, m.codes[0])).add(o)

    def merge(self, other: Totals) -> None:
        self.legal_hands += other.legal_hands
        self.alarms.update(other.alarms)
        self.alarm_codes.update(other.alarm_codes)
        self.questions += other.questions
        self.cannot_tell_hands += other.cannot_tell_hands
        self.cannot_tell.update(other.cannot_tell)
        self.standing += other.standing
        self.hands += other.hands
        self.polls += other.polls
        self.seconds += other.seconds
        for name, kind in other.kinds.items():
            self.kinds.setdefault(name, KindSum(kind.kind, kind.code)).merge(kind)

    def as_json(self) -> dict[str, object]:
        """The report of `burnturn simulate --json`; `burnturn simulate --help` says what the
        fields mean."""
        return {
            "legal_hands": self.legal_hands,
            "false_alarms": self.false_alarms,
            "false_alarms_by_severity": {s.value: self.alarms[s] for s in ALARMING},
            "false_alarm_codes": dict(sorted(self.alarm_codes.items())),
            "questions": self.questions,
            "cannot_tell_hands": self.cannot_tell_hands,
            "cannot_tell_questions": dict(sorted(self.cannot_tell.items())),
            "standing": self.standing,
            "called_in_order": sum(k.called_in_order for k in self.kinds.values()),
            "kinds": [self.kinds[name].as_json() for name in sorted(self.kinds)],
            "hands": self.hands,
            "hand_s": round(self.seconds / self.hands, 1) if self.hands else 0.0,
            "polls_per_hand": round(self.polls / self.hands) if self.hands else 0,
        }


def percentile(values: Iterable[float], per_cent: float) -> float | None:
    """The nearest-rank percentile in seconds, to the millisecond; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    rank = max(0, -(-len(ordered) * per_cent // 100) - 1)
    return round(ordered[int(rank)], 3)


def for_people(totals: Totals, title: str, wall_s: float) -> RenderableType:
    """The same report as tables."""
    parts: list[RenderableType] = [Text(title, style="bold")]
    if totals.hands:
        parts.append(
            Text(
                f"{totals.hands} hands of {totals.seconds / totals.hands:.0f} s and "
                f"{totals.polls / totals.hands:.0f} polls each, in {wall_s:.1f} s "
                f"({totals.hands / max(wall_s, 1e-9):.1f} hands a second)"
            )
        )
    if totals.legal_hands:
        parts.append(_legal_grid(totals))
    if totals.kinds:
        parts.append(_kinds_grid([totals.kinds[name] for name in sorted(totals.kinds)]))
        parts.append(
            Text(
                "cannot: the table says that it cannot tell. prov.: no legal dealing explains the "
                "polls; of it: per cent caught or asked. p50, p95: seconds from the moment at "
                "which the mistake was complete to an eye to the first question or alarm that "
                "names it."
            )
        )
    return Group(*parts)


def _legal_grid(t: Totals) -> Grid:
    grid = Grid(title="Legal hands", title_justify="left")
    grid.add_column("")
    grid.add_column("count", justify="right")
    grid.add_column("share", justify="right")
    rows: list[tuple[str, int]] = [
        ("legal hands", t.legal_hands),
        ("false alarms (warning or above)", t.false_alarms),
        *((f"  of class {s.value}", t.alarms[s]) for s in ALARMING),
        ("questions asked", t.questions),
        ('hands with a "cannot tell"', t.cannot_tell_hands),
        ("alarms standing at the hand's end", t.standing),
    ]
    for name, count in rows:
        grid.add_row(name, str(count), f"{100 * count / t.legal_hands:.2f} %")
    return grid


def _kinds_grid(kinds: Sequence[KindSum]) -> Grid:
    grid = Grid(
        title="Planted mistakes, by the street's end",
        title_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    grid.add_column("mistake", no_wrap=True)
    for name in ("n", "caught", "asked", "cannot", "missed", "other"):
        grid.add_column(name, justify="right", no_wrap=True)
    for name in ("prov.", "of it", "p50", "p95"):
        grid.add_column(name, justify="right", no_wrap=True)
    for k in kinds:
        p50, p95 = percentile(k.delays_s, 50), percentile(k.delays_s, 95)
        grid.add_row(
            k.kind,
            str(k.planted),
            *(str(k.answers[a]) for a in Answer),
            str(k.provable),
            f"{100 * k.caught_provable / k.provable:.1f}" if k.provable else "–",
            "–" if p50 is None else f"{p50:.1f}",
            "–" if p95 is None else f"{p95:.1f}",
        )
    return grid
