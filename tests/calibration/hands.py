"""A simulated table in virtual time, and a person at it who does what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from calibration.antennas import Place
from calibration.antennas_capture import Clear, Lay
from calibration.steps import Act, Left, News, Remark
from controller.sensing.budget import FalseAlarmBudget
from drivers.factory import FieldAntenna, Flaws, MarkedTable, Noise
from drivers.readings import Outcome, Poll

BUDGET = FalseAlarmBudget()
NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def line(seats: int, **same: object) -> tuple[Place, ...]:
    """So many seats round the table, each a neighbour of those beside it."""
    return tuple(
        Place(
            n, f"seat/{n}", 1, n, tuple(m for m in (n - 1, n + 1) if 1 <= m <= seats), max_stack=2
        )
        for n in range(1, seats + 1)
    )


class Eyes:
    """Looks that take `look_s` of virtual time."""

    def __init__(self, table: MarkedTable, look_s: float = 0.02) -> None:
        self.table = table
        self.now = 0.0
        self.looks = 0
        self._look_s = look_s

    async def look(self, antenna: int) -> Poll:
        started, self.now = self.now, self.now + self._look_s
        self.looks += 1
        read = self.table.look(antenna, started, self.now)
        if read is None:
            return Poll(antenna, (), Outcome.NOISE, started, self.now)
        return Poll(antenna, read, Outcome.SEEN if read else Outcome.EMPTY, started, self.now)


class Lamps:
    def __init__(self, table: MarkedTable) -> None:
        self._table = table

    async def white(self, on: bool) -> None:
        self._table.white = on


def table_of(
    places: Sequence[Place],
    *,
    miss: float = 0.05,
    cross: float = 0.02,
    flaws: Flaws | None = None,
    seed: int = 1,
    corrupt: float = 0.002,
    **own: FieldAntenna,
) -> MarkedTable:
    antennas = [
        own.get(f"a{p.antenna}")
        or FieldAntenna(p.antenna, p.zone, p.neighbours, p.max_stack, reader=p.reader, port=p.port)
        for p in places
    ]
    noise = Noise(miss=miss, cross=cross, corrupt=corrupt, seed=seed)
    return MarkedTable(antennas, noise, flaws)


class Hand:
    """Does what is asked; leaves before the act number `leaves_at`. answers: the words to say
    where the usual answer will not do, by a part of what is asked."""

    def __init__(
        self,
        table: MarkedTable | None = None,
        *,
        leaves_at: int | None = None,
        accepts: bool = True,
        answers: dict[str, str] | None = None,
        other: Callable[[Act], str | None] = lambda act: None,
    ) -> None:
        self.acts: list[Act] = []
        self.news: list[News] = []
        self.judged: list[tuple[str, tuple[Remark, ...], Path]] = []
        self._table = table
        self._leaves_at = leaves_at
        self._accepts = accepts
        self._answers = answers or {}
        self._other = other

    async def does(self, act: Act) -> str:
        if self._leaves_at is not None and len(self.acts) >= self._leaves_at:
            raise Left
        self.acts.append(act)
        for part, answer in self._answers.items():
            if part in act.ask:
                assert act.allows(answer)
                return answer
        match act.task:
            case Lay(antenna, spot, cards):
                assert self._table is not None
                self._table.lay(antenna, spot, cards)
            case Clear():
                assert self._table is not None
                self._table.clear()
        said = self._other(act)
        answer = next(iter(act.answers)) if said is None else said
        assert act.allows(answer)
        return answer

    def hears(self, news: News) -> None:
        self.news.append(news)

    async def judges(self, kind: str, remarks: Sequence[Remark], page: Path) -> bool:
        self.judged.append((kind, tuple(remarks), page))
        return self._accepts
