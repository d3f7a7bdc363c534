"""The wizard from step to step, left and gone on with, over simulated hardware in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import controller.files
from calibration.antennas_capture import AntennaStep
from calibration.button import ButtonStep
from calibration.lamps import LampsProfile, LampStep, Row
from calibration.seats import SeatStep
from calibration.steps import Belongs, Step
from calibration.store import ProfileStore
from controller.calibrating.table_steps import INTRODUCTIONS, kinds_of, places
from controller.calibrating.wizard import Course, Wizard
from controller.config import read, sample_text
from drivers.factory import Flaws
from tests.calibration.boards import AtBoard
from tests.calibration.hands import BUDGET, NOON, Eyes, Hand, line, table_of

KINDS = ("lamps", "seats", "button", "antennas")


class Stage:
    def __init__(self, answers: Sequence[bool] = ()) -> None:
        self.headings: list[tuple[str, str]] = []
        self.said: list[str] = []
        self._answers = list(answers)

    def heading(self, text: str, more: str = "") -> None:
        self.headings.append((text, more))

    def prose(self, text: str) -> None:
        self.said.append(text)

    async def asks(self, question: str, otherwise: str = "no") -> bool:
        return self._answers.pop(0)


class Slow:
    """Lamps that are lit before anybody is asked."""

    def __init__(self, table: AtBoard) -> None:
        self._table = table

    async def light(self, lamps: Any) -> None:
        await self._table.board.lamps.light(lamps)
        await self._table.clock.sleep(0.3)


def belongs() -> Belongs:
    return Belongs({"number of seats": "3"})


def wizard(
    folder: Path,
    stage: Stage,
    *,
    flaws: Flaws | None = None,
    then: Callable[[Hand], None] = lambda hand: None,
    **how: Any,
) -> tuple[Course, Hand]:
    async def go() -> tuple[Course, Hand]:
        async with AtBoard(flaws=flaws) as table:
            world = table_of(line(3), flaws=flaws)
            table.hand._table = world
            then(table.hand)
            row: Row = Slow(table)

            def step(kind: str) -> Step[Any, Any]:
                made: dict[str, Callable[[], Step[Any, Any]]] = {
                    "lamps": lambda: LampStep(3, 11, row, belongs=belongs),
                    "seats": lambda: SeatStep((1, 2, 3), table.ears, belongs=belongs),
                    "button": lambda: ButtonStep((1, 2, 3), table.ears, belongs=belongs),
                    "antennas": lambda: AntennaStep(
                        line(3), Eyes(world), BUDGET, seats=3, belongs=belongs
                    ),
                }
                return made[kind]()

            store = ProfileStore(folder, controller.files)
            course = await Wizard(
                KINDS, step, store, table.hand, stage, by="Anna", now=lambda: NOON, **how
            ).run()
            return course, table.hand

    return asyncio.run(go())


def test_all_steps_are_done_in_order_and_explained(tmp_path: Path) -> None:
    stage = Stage()
    course, hand = wizard(tmp_path, stage)
    assert course.done == tuple((kind, "saved") for kind in KINDS)
    assert [more for _, more in stage.headings] == [f"step {n} of 4" for n in range(1, 5)]
    assert stage.said == [INTRODUCTIONS[kind] for kind in KINDS]
    assert sorted(p.name for p in tmp_path.glob("*.json")) == [
        f"{kind}.json" for kind in sorted(KINDS)
    ]
    assert len(list(tmp_path.glob("*.html"))) == 4
    assert [kind for kind, _, _ in hand.judged] == list(KINDS)


@pytest.fixture(scope="module")
def whole_acts(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many acts a whole calibration has."""
    return len(wizard(tmp_path_factory.mktemp("whole"), Stage())[1].acts)


@pytest.mark.parametrize(
    ("acts", "again"), [(0, 0), (2, 0), (6, 0), (11, 0), (14, 0), (25, 4), (33, 0)]
)
def test_left_anywhere_and_resumed_does_nothing_twice(
    tmp_path: Path, acts: int, again: int, whole_acts: int
) -> None:
    """But for the acts at an antenna that was left half-way, which is measured anew."""

    def leave(hand: Hand) -> None:
        hand._leaves_at = acts

    first, _ = wizard(tmp_path, Stage(), then=leave)
    assert len(first.done) < 4
    stage = Stage([True])
    second, hand = wizard(tmp_path, stage)
    assert [kind for kind, _ in second.done] == list(KINDS)
    assert {end for _, end in second.done} == {"saved"}
    assert len(hand.acts) == whole_acts - acts + again
    assert ("is done" in stage.said[0]) is bool(first.done)
    assert not list(tmp_path.glob("*.draft.json"))


def test_begun_anew_forgets_what_was_left(tmp_path: Path) -> None:
    def leave(hand: Hand) -> None:
        hand._leaves_at = 12

    wizard(tmp_path, Stage(), then=leave)
    course, hand = wizard(tmp_path, Stage(), anew=True)
    assert len(course.done) == 4
    assert "lamp" in hand.acts[0].ask


def test_refused_step_does_not_stop_the_others_and_is_tried_again(tmp_path: Path) -> None:
    flaws = Flaws(button_wires={1: 2, 2: 1})
    course, _ = wizard(tmp_path, Stage(), flaws=flaws)
    assert dict(course.done)["button"] == "refused"
    assert dict(course.done)["antennas"] == "saved"
    assert not (tmp_path / "button.json").exists()


def test_faults_of_every_kind_are_found_in_one_go(tmp_path: Path) -> None:
    """Nine planted, nine named."""
    flaws = Flaws(
        wires={1: 2, 2: 1},
        lamp_wires={1: 3, 3: 1, 2: 0},
        seat_wires={2: 0},
        stuck_seats=(3,),
        button_wires={1: 3, 3: 1, 2: 0},
        stuck_buttons=(),
    )
    _, hand = wizard(tmp_path, Stage(), flaws=flaws)
    said = {kind: " ".join(r.text for r in remarks) for kind, remarks, _ in hand.judged}
    for kind, words in {
        "lamps": ["lamp of seat 1 and the lamp of seat 3 are swapped", "Lamp 2: stays dark"],
        "seats": ["seat 2 does not feel", "seat 3 says occupied whoever sits"],
        "button": ["seat 1 and the button sensor of seat 3 are swapped", "button at seat 2"],
        "antennas": ["antenna 1 (seat 1) and antenna 2 (seat 2) are swapped"],
    }.items():
        for word in words:
            assert word in said[kind]
    saved = ProfileStore(tmp_path, controller.files).load("lamps", LampsProfile)
    assert saved is not None
    assert saved.profile.lamp_of == ((1, 3), (3, 1))


def test_sample_table_has_all_four_and_walks_from_seat_to_seat(tmp_path: Path) -> None:
    config = read(sample_text(), "table.toml", tmp_path)
    assert kinds_of(config) == KINDS
    zones = [p.zone for p in places(config)]
    assert zones == [*(f"seat/{n}" for n in range(1, 12)), "board", "burn", "muck", "count"]
