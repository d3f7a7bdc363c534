"""The button moved round once, over the table board's own driver."""

from __future__ import annotations

import pytest

from calibration.button import ButtonProfile, ButtonSamples, ButtonStep, Lain
from calibration.steps import Belongs, Fitted
from drivers.factory import Flaws
from tests.calibration.boards import AtBoard, at_board


def moved_round(flaws: Flaws | None = None) -> tuple[Fitted[ButtonProfile], AtBoard]:
    found: list[tuple[Fitted[ButtonProfile], AtBoard]] = []

    async def run(table: AtBoard) -> None:
        step = ButtonStep(range(1, 10), table.ears, belongs=lambda: Belongs({}))
        samples = await step.capture(table.hand, None, lambda kept: None)
        found.append((step.fit(samples), table))

    at_board(run, flaws=flaws)
    return found[0]


def test_clean_round_is_accepted() -> None:
    fit, table = moved_round()
    assert fit.profile == ButtonProfile(tuple(range(1, 10)))
    assert [r.weight for r in fit.remarks] == ["good"]
    assert len(table.hand.acts) == 11


@pytest.mark.parametrize(
    ("flaws", "said"),
    [
        (
            Flaws(button_wires={3: 4, 4: 3}),
            "the button sensor of seat 3 and the button sensor of seat 4 are swapped",
        ),
        (Flaws(button_wires={7: 0}), "No sensor feels the button at seat 7"),
        (Flaws(stuck_buttons=(2,)), "The sensor of seat 2 says that the button lies there"),
        (Flaws(button_wires={1: 2, 2: 3, 3: 1}), "3 wires are mixed up"),
        (Flaws(button_wires={5: 6, 6: 0}), "A button at seat 6 is sensed at seat 5"),
    ],
)
def test_one_round_finds_a_wiring_mistake(flaws: Flaws, said: str) -> None:
    fit, _ = moved_round(flaws)
    assert fit.profile is None
    assert any(said in r.text for r in fit.refused)
    assert any("Next: " in r.text for r in fit.refused)


def test_one_round_finds_three_mistakes_at_once() -> None:
    fit, _ = moved_round(Flaws(button_wires={3: 4, 4: 3, 7: 0}, stuck_buttons=(9,)))
    assert len(fit.refused) == 3


def test_person_is_told_at_once_where_it_is_sensed() -> None:
    _, table = moved_round(Flaws(button_wires={3: 4, 4: 3}))
    assert [n.text for n in table.hand.news] == [
        "It is sensed at seat 4, not at seat 3.",
        "It is sensed at seat 3, not at seat 4.",
    ]


def test_button_felt_at_two_seats_is_warned_of() -> None:
    step = ButtonStep((1, 2), None, belongs=lambda: Belongs({}))  # type: ignore[arg-type]
    lain = (Lain(None, ()), Lain(1, (1, 2)), Lain(2, (2,)), Lain(None, ()))
    fit = step.fit(ButtonSamples((1, 2), lain))
    assert fit.profile == ButtonProfile((1, 2), ((1, 2),))
    assert "sensed at seat 2 too" in fit.remarks[0].text


def test_silence_is_no_round() -> None:
    step = ButtonStep((1, 2), None, belongs=lambda: Belongs({}))  # type: ignore[arg-type]
    fit = step.fit(ButtonSamples((1, 2), (Lain(None, None), Lain(1, None), Lain(2, None))))
    assert fit.profile is None
    assert "Nothing was heard" in fit.remarks[0].text
