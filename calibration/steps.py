"""How anything is calibrated: capture, fit, report, accept, save.

A step asks a person for one act after the other and measures (`capture`), works a profile out of
what was measured (`fit`, pure), and `carry_out` does the rest: the page for a person to judge, the
question, the file. What was measured is kept as it comes, so that a step can be left at any moment
and gone on with later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from calibration.report import Page
    from calibration.store import ProfileStore

S = TypeVar("S")
P = TypeVar("P")


# ---- the person


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a person is asked to do, and to answer.

    ask: in a dealer's words, what to do now. done, of: how far this step has come. answers: what
    may be answered, and what each means ("" is the Enter key); the first is the usual one. number:
    a whole number of this range may be answered too. task: the same as a value, for a simulated
    person.
    """

    ask: str
    done: int = 0
    of: int = 0
    answers: Mapping[str, str] = field(default_factory=lambda: {"": "done"})
    number: tuple[int, int] | None = None
    task: object = None

    def allows(self, answer: str) -> bool:
        """Whether that may be answered."""
        if answer in self.answers:
            return True
        if self.number is None or not answer.isascii() or not answer.isdigit():
            return False
        return len(answer) < 10 and self.number[0] <= int(answer) <= self.number[1]


@dataclass(frozen=True, slots=True)
class News:
    """What a step says while it works. share: how much of this piece of work is done, 0 to 1; None:
    it is a remark that stays on the screen."""

    text: str
    share: float | None = None


class Left(Exception):  # noqa: N818 - a person goes, nothing is wrong
    """The person has left the calibration. What was measured so far is kept."""


class Person(Protocol):
    """Who carries out what is asked: somebody at a terminal, or a simulated hand."""

    async def does(self, act: Act) -> str:
        """Have it done; gives an answer that the act allows. Raises Left."""
        ...

    def hears(self, news: News) -> None: ...

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        """Whether the result is accepted; of one that is refused it is only told. page: the report
        to look at. Raises Left."""
        ...


# ---- the result


class Weight(StrEnum):
    """What a remark of a fit means: GOOD to know, WARNING, or REFUSED: it must not be used."""

    GOOD = "good"
    WARNING = "warning"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a fit says to the person: what, where, and what to do next."""

    weight: Weight
    text: str


@dataclass(frozen=True, slots=True)
class Fitted(Generic[P]):
    """What came of the samples. profile: None where none could be worked out. page: what a person
    looks at before accepting."""

    profile: P | None
    remarks: tuple[Remark, ...]
    page: Page

    @property
    def refused(self) -> tuple[Remark, ...]:
        """Why it must not be used; none: it may."""
        return tuple(r for r in self.remarks if r.weight is Weight.REFUSED)


@dataclass(frozen=True, slots=True)
class Belongs:
    """What a profile belongs to.

    table: what must be the same wherever it is used, such as "antenna 4": "seat/4, reader 1, port
    4"; another value makes it a foreign one. devices: what the devices said of themselves, such as
    "reader 1": "firmware 2.56.2249"; for people. deck: whose cards were used; "" none.
    """

    table: Mapping[str, str]
    devices: Mapping[str, str] = field(default_factory=dict)
    deck: str = ""


class Step(Protocol[S, P]):
    """One sensor's calibration. kind: its name in files and commands, such as "antennas" or
    "camera-1". title: for people. samples, profile: the dataclasses in which it measures and that
    it fits; both are kept as JSON, so they hold numbers, texts, tuples and mappings only."""

    @property
    def kind(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def samples(self) -> type[S]: ...

    @property
    def profile(self) -> type[P]: ...

    async def capture(self, person: Person, so_far: S | None, keep: Callable[[S], None]) -> S:
        """Measure. so_far: what an earlier try had kept; go on from there. keep: call it with all
        that was measured after every act. Raises Left, or DriverError for a device that is not
        there."""
        ...

    def fit(self, samples: S) -> Fitted[P]:
        """The profile of what was measured; pure."""
        ...

    def belongs(self) -> Belongs:
        """What the profile belongs to; called before and after `capture`."""
        ...


class End(StrEnum):
    """How a step ended."""

    SAVED = "saved"
    REFUSED = "refused"  # a bad fit
    DECLINED = "declined"  # the person did not accept it
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Outcome(Generic[P]):
    """What became of a step. page: its report; None if it was left before there was one."""

    end: End
    fitted: Fitted[P] | None = None
    page: Path | None = None
    file: Path | None = None


async def carry_out(
    step: Step[S, P],
    person: Person,
    store: ProfileStore,
    *,
    by: str,
    now: Callable[[], datetime],
) -> Outcome[P]:
    """Capture, fit, report, accept, save. by: who does it. now: the wall clock.

    A fit that is refused, and one that the person declines, is not saved; its report stays, and the
    next try begins anew. Raises StoreError, DriverError.
    """
    table = step.belongs().table
    kept = store.draft(step.kind, step.samples, table, now())

    def keep(samples: S) -> None:
        store.keep_draft(step.kind, samples, table, now())

    try:
        samples = await step.capture(person, kept, keep)
        fitted = step.fit(samples)
        made = store.made(step.belongs(), by=by, at=now())
        page = store.save_page(step.kind, fitted.page, fitted.remarks, made)
        if fitted.refused or fitted.profile is None:
            store.drop_draft(step.kind)
            await person.judges(step.kind, fitted.remarks, page)
            return Outcome(End.REFUSED, fitted, page)
        if not await person.judges(step.kind, fitted.remarks, page):
            store.drop_draft(step.kind)
            return Outcome(End.DECLINED, fitted, page)
    except Left:
        return Outcome(End.LEFT)
    file = store.save(step.kind, fitted.profile, made)
    store.drop_draft(step.kind)
    return Outcome(End.SAVED, fitted, page, file)
