"""Hands dealt under a camera: legal ones alarm nobody, and what the pictures show is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from controller.cli.simulate import app
from controller.model.table import reference_layout
from controller.rates.nights import Nights
from controller.simulate.deal import mistake_kinds
from controller.simulate.like import measured_like
from controller.simulate.run import simulate
from controller.simulate.settings import Settings, SettingsError

ALONE = Settings(camera="alone", hands=12, seed=3)
FACES = ("card-exposed", "burn-face-up", "board-face-down", "adjacent-swap")


def test_legal_hands_under_a_camera_alone_alarm_nobody_where_it_invents_nothing() -> None:
    """A card or a side that is seen where there is none in every picture, alarms: rarely, as
    `burnturn simulate --camera` counts."""
    names = ("missed_down", "missed_up", "missed_covered", "missed_mixed", "side_wrong")
    sight = dict.fromkeys((*names, "false_down", "false_up"), 0.0)
    like = replace(measured_like("a table", reference_layout(), Nights()), sight=sight)
    totals = simulate(replace(ALONE, like=like))
    assert totals.legal_hands == 12
    assert totals.false_alarms == 0


@pytest.mark.parametrize("camera", ["alone", "both"])
def test_what_pictures_show_is_caught(camera: str) -> None:
    settings = replace(ALONE, seed=5, camera=camera, hands=8, errors=FACES, error_share=1.0)  # type: ignore[arg-type]
    totals = simulate(settings)
    assert set(totals.kinds) == set(FACES)
    for kind in totals.kinds.values():
        assert kind.caught_provable == kind.provable, kind
    assert sum(kind.shown for kind in totals.kinds.values()) >= 7


def test_the_kinds_are_those_that_something_at_the_table_can_show() -> None:
    none = set(mistake_kinds(replace(ALONE, camera="none")))
    alone = set(mistake_kinds(ALONE))
    both = set(mistake_kinds(replace(ALONE, camera="both")))
    assert both - none == {"card-exposed", "burn-face-up", "board-face-down"}
    assert both - alone == {"card-foreign", "card-joker", "card-other-deck", "card-clone"}
    delaware = set(mistake_kinds(replace(ALONE, profile="delaware")))
    assert "flop-face-up" in delaware
    assert "flop-face-up" not in alone


def test_the_option_by_itself_means_alone_and_a_strange_word_is_refused() -> None:
    runner = CliRunner()
    said = runner.invoke(app, ["--camera", "--hands", "1", "--errors", "none", "--jobs", "1"])
    assert said.exit_code == 0
    assert "a camera alone, a picture every 125 ms" in said.stdout
    wrong = runner.invoke(app, ["--camera", "drone", "--hands", "1"])
    assert wrong.exit_code == 2
    assert "--camera drone: allowed none, alone, both" in wrong.stderr
    with pytest.raises(SettingsError, match="--frames 10ms: allowed 40ms to 2s"):
        Settings(camera="alone", frame_s=0.01)
