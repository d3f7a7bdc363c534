"""From one step to the next: what is done, what comes next, and where somebody left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from calibration.steps import End, Left, Outcome, Person, Step, carry_out
from calibration.store import ProfileStore
from controller.calibrating.table_steps import INTRODUCTIONS

KIND = "table"


@dataclass(frozen=True, slots=True)
class Course:
    """How far the wizard has come. done: kind to how it ended, in the order of doing."""

    done: tuple[tuple[str, str], ...] = ()

    def ended(self, kind: str) -> str | None:
        return dict(self.done).get(kind)


class Stage(Protocol):
    """Where the wizard shows what it does."""

    def heading(self, text: str, more: str = "") -> None: ...

    def prose(self, text: str) -> None: ...

    async def asks(self, question: str, otherwise: str = "no") -> bool: ...


class Wizard:
    """All steps of a table in their order.

    kinds: what is calibrated. step: makes a step when its turn comes. yes: nothing is asked that
    can be gone by.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        step: Callable[[str], Step[Any, Any]],
        store: ProfileStore,
        person: Person,
        stage: Stage,
        *,
        by: str,
        now: Callable[[], datetime],
        yes: bool = False,
        anew: bool = False,
    ) -> None:
        self._kinds = tuple(kinds)
        self._step = step
        self._store = store
        self._person = person
        self._stage = stage
        self._by = by
        self._now = now
        self._yes = yes
        self._anew = anew

    @property
    def _table(self) -> Mapping[str, str]:
        return {"calibrated": ", ".join(self._kinds)}

    async def run(self) -> Course:
        """Until all is done, or the person leaves: then some of `kinds` are not in the course.

        Raises StoreError, DriverError.
        """
        course = Course()
        try:
            course = await self._begin()
            for n, kind in enumerate(self._kinds, start=1):
                if course.ended(kind) is not None:
                    continue
                outcome = await self._one(n, kind)
                if outcome.end is End.LEFT:
                    return course
                course = replace(course, done=(*course.done, (kind, outcome.end.value)))
                self._store.keep_draft(KIND, course, self._table, self._now())
        except Left:
            return course
        self._store.drop_draft(KIND)
        return course

    async def _begin(self) -> Course:
        if self._anew:
            self._forget()
        before = self._store.draft(KIND, Course, self._table, self._now())
        if before is None:  # a first step that was left half-way goes on by its own draft
            return Course()
        # What was not usable is tried again; that is what somebody came back for.
        good = tuple(d for d in before.done if d[1] == End.SAVED)
        left = [k for k in self._kinds if k not in dict(good)]
        self._stage.prose(
            f"You have begun before: {', '.join(dict(good)) or 'nothing'} is done, and"
            f" {', '.join(left)} left."
        )
        if self._yes or await self._stage.asks("Go on from there?", "begin anew"):
            return Course(good)
        self._forget()
        return Course()

    def _forget(self) -> None:
        for kind in (KIND, *self._kinds):
            self._store.drop_draft(kind)

    async def _one(self, number: int, kind: str) -> Outcome[Any]:
        step = self._step(kind)
        many = len(self._kinds) > 1
        self._stage.heading(step.title, f"step {number} of {len(self._kinds)}" if many else "")
        introduction = INTRODUCTIONS.get(kind.partition("-")[0])
        if introduction is not None:
            self._stage.prose(introduction)
        return await carry_out(step, self._person, self._store, by=self._by, now=self._now)
