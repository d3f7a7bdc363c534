"""Rates that are planted in a simulated table are found, by what the table sees anyway."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.model.table import reference_layout
from controller.rates.counts import Error, Portion, Sense, Tally
from controller.rates.nights import Nights, pooled
from controller.rates.senses import TABLE, SenseCounts, measured
from controller.simulate.deal import SimulatedTable
from controller.simulate.like import measured_like
from controller.simulate.settings import Settings
from drivers.factory import shipped_rates
from drivers.readings import AreaSight, Face, Reading, SeenCard, Side, Sight


def night(settings: Settings, hands: int) -> Nights:
    """A night at that table."""
    table = SimulatedTable(settings, "planted", on_reading=lambda r: seen(r))
    senses = SenseCounts(table.layout)

    def seen(reading: Reading) -> None:
        if isinstance(reading, Sight):
            senses.sight(reading)

    nights = Nights().begun(0.0).referred(measured(table.layout))
    for n in range(hands):
        table.hand()
        given = Portion(table.table.verdicts_given, table.table.verdicts_open)
        nights, _ = nights.hand(senses.hand(table.table.sensing.figures(), given), float(n))
    return nights


def of(nights: Nights, error: Error) -> Tally:
    return pooled(t for s, t in nights.nights[-1].tallies.items() if s.error is error)


@pytest.mark.parametrize(("miss", "cross"), [(0.05, 0.02), (0.1, 0.01)])
def test_misses_and_cross_reads_lie_in_their_intervals(miss: float, cross: float) -> None:
    """Players look at their cards: one that is lifted alone counts as missed, one that is lifted is
    not read across. That moves the rates by a twentieth, and is given here; a drift is half."""
    nights = night(Settings(miss=miss, cross=cross), 24)
    for error, planted in ((Error.MISS, miss), (Error.CROSS, cross)):
        found = of(nights, error)
        assert found.interval is not None
        low, high = found.interval
        assert 0.93 * low <= planted <= 1.07 * high
        assert high - low < 0.25 * planted, "the interval says next to nothing"
    assert nights.trouble() == ()
    assert of(nights, Error.UNDECIDED).tried > 24


@pytest.mark.parametrize("place", ["board", "burn"])
def test_where_nobody_lifts_cards_the_planted_rate_is_in_the_interval(place: str) -> None:
    layout = SimulatedTable(Settings(), "layout").layout
    (antenna,) = [a.antenna for a in layout.antennas if a.zone == place]
    nights = night(Settings(miss=0.08), 16)
    low, high = nights.nights[-1].tallies[Sense(f"antenna {antenna}", Error.MISS)].interval or (
        1,
        0,
    )
    assert low <= 0.08 <= high


def test_a_bad_antenna_is_told_from_good_ones_and_a_table_like_it_errs_alike() -> None:
    layout = SimulatedTable(Settings(), "layout").layout
    bad = layout.by_zone[next(a.zone for a in layout.antennas if a.zone == "burn")].antenna
    plain = measured_like("plain", layout, Nights())
    assert plain.miss == {a.antenna: 0.05 for a in layout.antennas}
    like = replace(plain, name="bad", miss={**plain.miss, bad: 0.3})
    nights = night(Settings(like=like), 26)
    again = measured_like("again", layout, nights)
    assert again.miss[bad] == pytest.approx(0.3, abs=0.04)
    assert [line.split(" misses")[0] for line in nights.trouble()] == [f"antenna {bad}"]
    others = [again.miss[a.antenna] for a in layout.antennas if a.antenna != bad]
    assert max(others) < 0.1
    assert again.nights == 1


def test_noise_and_ghosts_are_planted_and_found() -> None:
    layout = SimulatedTable(Settings(), "layout").layout
    like = measured_like("noisy", layout, Nights())
    nights = night(Settings(like=replace(like, noise=0.03, ghost=0.01)), 4)
    noise = of(nights, Error.NOISE)
    assert noise.interval is not None
    assert noise.interval[0] <= 0.03 <= noise.interval[1]
    assert of(nights, Error.GHOST).wrong > 0


def card(side: Side, face: str = "") -> SeenCard:
    return SeenCard(0.0, 0.0, 0.0, side, Face(face) if face else None)


def test_a_cameras_refusals_are_counted_by_area() -> None:
    senses = SenseCounts(reference_layout())
    for clear in (True, True, False):
        board = AreaSight("board", (card(Side.UP, "As"), card(Side.UP), card(Side.UNSURE)), clear)
        senses.sight(Sight(1, 0.0, 0.1, (board, AreaSight("muck", (card(Side.DOWN),)))))
    counted = {f"{s.what}: {s.error}": p for s, p in senses.hand((), Portion(0, 0)).items()}
    assert counted == {
        "camera 1, board: unclear": Portion(3, 1),
        "camera 1, board: unread": Portion(4, 2),
        "camera 1, board: unsure": Portion(6, 2),
        "camera 1, muck: unclear": Portion(3, 0),
        "camera 1, muck: unsure": Portion(3, 0),
    }
    questions = Sense(TABLE, Error.UNDECIDED)
    assert senses.hand((), Portion(4, 1)) == {questions: Portion(4, 1)}
    assert senses.hand((), Portion(9, 1)) == {questions: Portion(5, 0)}


def test_what_a_camera_refuses_is_planted_and_found_and_dealt_with_again() -> None:
    shipped = shipped_rates()
    layout = SimulatedTable(Settings(), "layout").layout
    sight = {"unclear": 0.06, "face_unread": 0.3, "side_unsure": 0.05}
    # A side that stays unsure for a card's whole stay would be one error, counted in every picture.
    like = replace(measured_like("dim", layout, Nights()), sight={**sight, "side_lasts": 0.0})
    nights = night(Settings(like=like, camera="both"), 6)
    again = measured_like("again", layout, nights)
    assert set(again.sight) == set(sight)
    assert again.sight["side_unsure"] == pytest.approx(0.05, abs=0.02)
    assert again.sight["face_unread"] > 2 * shipped.face_unread
    assert again.sight["unclear"] > 0.05, "hands hide areas besides"
