"""A fit from dealt hands finds the rates of the camera that saw them, and can be gone on with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from controller.simulate.camera_fit import fit_hands
from controller.simulate.settings import Settings
from drivers.factory import CameraModel, SightRates

TRUE = SightRates(
    missed_down=0.04,
    missed_up=0.03,
    face_unread=0.25,
    face_wrong=0.0,
    side_unsure=0.05,
    missed_lasts=0.0,
    side_lasts=0.0,
    face_lasts=0.0,
    again_s=0.0,
)


def settings(hands: int, seed: int = 5) -> Settings:
    return Settings(hands=hands, camera="alone", seed=seed)


def test_the_rates_come_out_of_hands_that_were_dealt() -> None:
    fit = fit_hands(settings(4), partial(CameraModel, rates=TRUE), every_s=0.25)
    found = fit.rates()
    assert found.missed_down == pytest.approx(0.04, abs=0.01)
    assert found.side_unsure == pytest.approx(0.05, abs=0.01)
    assert found.face_unread == pytest.approx(0.25, abs=0.06)
    assert found.face_wrong == 0.0


def test_a_fit_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    above = partial(CameraModel, rates=TRUE)
    whole = fit_hands(settings(3), above, every_s=1.0)
    kept = tmp_path / "counts.json"
    fit_hands(settings(2), above, every_s=1.0, kept=kept)
    again = fit_hands(settings(3), above, every_s=1.0, kept=kept)
    assert again.counts == pytest.approx(whole.counts)
    with pytest.raises(ValueError, match="counted with seed 5, not 6"):
        fit_hands(settings(3, seed=6), above, kept=kept)
