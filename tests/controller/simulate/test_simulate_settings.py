"""The spelling of a simulation: every fault is named with what is allowed."""

import pytest

from controller.simulate.settings import (
    Settings,
    SettingsError,
    duration_s,
    error_kinds,
    max_stack,
    share,
)


def test_the_defaults_are_the_reference_table() -> None:
    assert Settings().max_stack == {"seat": 2, "burn": 4, "board": 5, "muck": 2}


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(seats=12, hands=0, miss=0.9, sweep_s=60)
    assert [f.split()[0] for f in caught.value.faults] == [
        "--seats",
        "--hands",
        "--miss",
        "--sweep",
    ]
    assert all("allowed" in f for f in caught.value.faults)


@pytest.mark.parametrize(
    ("text", "value"), [("5%", 0.05), ("0.05", 0.05), ("2.5 %", 0.025), ("0", 0)]
)
def test_shares(text: str, value: float) -> None:
    assert share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["5", "five", "-1%", "101%", ""])
def test_no_shares(text: str) -> None:
    with pytest.raises(SettingsError):
        share(text)


@pytest.mark.parametrize(("text", "value"), [("400ms", 0.4), ("1.2s", 1.2), ("1 s", 1.0)])
def test_durations(text: str, value: float) -> None:
    assert duration_s(text) == pytest.approx(value)


def test_a_duration_needs_its_unit() -> None:
    with pytest.raises(SettingsError, match=r"400ms or 1\.2s"):
        duration_s("400")


def test_stack_limits_left_out_stay_as_they_are() -> None:
    assert max_stack("seat=3, muck=1") == {"seat": 3, "burn": 4, "board": 5, "muck": 1}
    assert max_stack("none") == {}


def test_both_faults_of_stack_limits_are_named() -> None:
    with pytest.raises(SettingsError) as caught:
        max_stack("seat=0,rail=2,burn=4")
    assert len(caught.value.faults) == 2


def test_error_kinds() -> None:
    known = ("seat-skipped", "burn-missing")
    assert error_kinds("all", known) == known
    assert error_kinds("none", known) == ()
    assert error_kinds("burn-missing,burn-missing", known) == ("burn-missing",)
    with pytest.raises(SettingsError, match="seat-skipped, burn-missing"):
        error_kinds("burnt", known)


def test_half_of_the_hands_err_unless_told_otherwise() -> None:
    assert Settings(hands=10, errors=("x",)).error_hands == 5
    assert Settings(hands=10, errors=("x",), error_share=1.0).error_hands == 10
    assert Settings(hands=10).error_hands == 0
