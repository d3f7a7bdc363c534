"""What a table goes by: its own calibrations, laid over its configuration, or none at all."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from calibration.antennas import AntennaFit, AntennasProfile
from calibration.button import ButtonProfile
from calibration.lamps import LampsProfile
from calibration.seats import SeatFit, SeatsProfile
from calibration.steps import Belongs
from controller.calibrating.belonging import antennas_table, lamps_table, seats_table, store_of
from controller.calibrating.in_force import CalibrationError, checked, in_force, possible
from controller.config import Config, read, sample_text
from controller.doctor.checks import State, calibration_checks
from controller.fittings import Fittings
from drivers.contracts import SeatLamp
from drivers.usb_ports import UsbPort
from tablelink.messages import Sensor

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def table(folder: Path, *swaps: tuple[str, str]) -> Config:
    text = sample_text()
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    return read(text, "table.toml", folder)


def antennas(config: Config, miss: float = 0.11) -> AntennasProfile:
    return AntennasProfile(
        tuple(
            AntennaFit(
                a.number, miss, 0.05, 0.2, 0.04, 0.01, 0.1, (*a.neighbours, 15)[:2],
                1 if a.number == 3 else None, (0.9,),
            )
            for a in config.file.antenna
        ),
        0.4,
    )  # fmt: skip


def save(
    config: Config,
    kind: str,
    profile: object,
    belongs: Mapping[str, str],
    at: datetime = NOW,
    deck: str = "",
) -> Path:
    store = store_of(config)
    made = store.made(Belongs(belongs, deck=deck), by="Anna", at=at)
    return store.save(kind, profile, made)


def test_table_never_calibrated_goes_by_its_file_and_doctor_says_so(tmp_path: Path) -> None:
    config = table(tmp_path)
    found = in_force(config, now=NOW)
    assert found.applied(config).layout == config.layout
    assert not found.faults
    assert not found.notes
    checks = calibration_checks(found)
    assert {c.state for c in checks} == {State.SKIPPED}
    assert {c.item for c in checks} == {f"calibration of {kind}" for kind in possible(config)}
    assert all("burnturn calibrate" in c.remedy for c in checks)


def test_measured_values_replace_assumed_ones(tmp_path: Path) -> None:
    config = table(tmp_path)
    save(config, "antennas", antennas(config), antennas_table(config))
    applied = in_force(config, now=NOW).applied(config)
    for before, after in zip(config.layout.antennas, applied.layout.antennas, strict=True):
        assert after.zone == before.zone
        assert after.profile.miss_rate == 0.11
        assert after.profile.cross_rate == 0.04
        assert 15 in after.profile.neighbours or len(before.profile.neighbours) == 2
        limit = before.profile.max_stack
        assert after.profile.max_stack == (1 if after.antenna == 3 else limit)


def test_table_that_names_no_folder_uses_none(tmp_path: Path) -> None:
    config = table(tmp_path)
    save(config, "antennas", antennas(config), antennas_table(config))
    text = sample_text()
    start, end = text.index("[calibration]"), text.index("[floor]")
    without = read(text[:start] + text[end:], "table.toml", tmp_path)
    assert in_force(without, now=NOW).saved == {}
    assert "antennas" in in_force(without, now=NOW).missing


@pytest.mark.parametrize(
    ("swap", "said"),
    [
        (('zone = "burn"', 'zone = "stub"'), "antenna 13 was burn on reader 2, port 5 and is stub"),
        (('7\nzone = "seat/7"', '8\nzone = "seat/7"'), "antenna 7 was seat/7 on reader 1, port 7"),
        (
            (
                '[[antenna]]\nnumber = 15\nreader = 2\nport = 7\nzone = "count"\nmiss = 0.05\n'
                "cross = 0.02\n",
                "",
            ),
            "antenna 15 (count on reader 2, port 7) is not at this table",
        ),
    ],
)
def test_calibration_of_another_table_keeps_it_from_starting(
    tmp_path: Path, swap: tuple[str, str], said: str
) -> None:
    config = table(tmp_path)
    save(config, "antennas", antennas(config), antennas_table(config))
    with_seat_7 = ('8\nzone = "seat/8"', '7\nzone = "seat/8"')  # no port is taken twice
    other = table(tmp_path, swap, *([with_seat_7] if "seat/7" in swap[0] else []))
    with pytest.raises(CalibrationError) as error:
        checked(other)
    assert said in str(error.value)
    assert "Next: burnturn calibrate antennas" in str(error.value)
    (fault,) = [c for c in calibration_checks(in_force(other)) if c.state is State.FAULT]
    assert fault.remedy.startswith("burnturn calibrate antennas")


def test_other_reader_is_told_by_its_serial_number(tmp_path: Path) -> None:
    swap = (
        'number = 1\ndriver = "simulated"              # or pepper-c1, pepper-c1-mux, pn532,'
        ' mfrc522, llrp (see burnturn devices)\nport = ""',
        'number = 1\ndriver = "pepper-c1-mux"\nport = "/dev/ttyUSB7"',
    )
    both = (
        'number = 2\ndriver = "simulated"',
        'number = 2\ndriver = "pepper-c1-mux"\nport = "/dev/ttyUSB8"',
    )
    board = ('[table_board]\ndriver = "simulated"', '[table_board]\ndriver = "mega"')
    config = table(tmp_path, swap, both, board)

    def plugged(serial: str):  # type: ignore[no-untyped-def]
        return lambda: [UsbPort("/dev/ttyUSB7", 1, 2, serial)]

    save(config, "antennas", antennas(config), antennas_table(config, plugged("A50285BI")))
    assert not in_force(config, now=NOW, ports=plugged("A50285BI")).faults
    assert not in_force(config, now=NOW, ports=list).faults  # unplugged: nobody knows
    (fault,) = in_force(config, now=NOW, ports=plugged("A9ZZ")).faults
    assert "USB serial number of reader 1 was A50285BI and is A9ZZ" in fault


def test_damaged_calibration_keeps_it_from_starting(tmp_path: Path) -> None:
    config = table(tmp_path)
    path = save(config, "antennas", antennas(config), antennas_table(config))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CalibrationError, match="damaged"):
        checked(config)


def test_required_calibration_that_is_missing_keeps_it_from_starting(tmp_path: Path) -> None:
    config = table(tmp_path, ("required = []", 'required = ["antennas", "lamps"]'))
    with pytest.raises(CalibrationError) as error:
        checked(config)
    assert len(str(error.value).splitlines()) == 2
    save(config, "antennas", antennas(config), antennas_table(config))
    profile = LampsProfile(tuple((n, n) for n in range(1, 12)), 0.5)
    save(config, "lamps", profile, lamps_table(config))
    assert set(checked(config).saved) == {"antennas", "lamps"}


@pytest.mark.parametrize(("days", "old"), [(179, False), (181, True)])
def test_old_calibration_is_told_and_used(tmp_path: Path, days: int, old: bool) -> None:
    config = table(tmp_path)
    save(config, "antennas", antennas(config), antennas_table(config), NOW - timedelta(days=days))
    found = in_force(config, now=NOW)
    assert bool(found.notes) is old
    assert found.applied(config).layout.antennas[0].profile.miss_rate == 0.11
    if old:
        assert "181 days old" in found.notes[0]
        assert "Next: burnturn calibrate antennas" in found.notes[0]


def test_calibration_with_another_deck_is_told(tmp_path: Path) -> None:
    config = table(tmp_path)
    save(config, "antennas", antennas(config), antennas_table(config), deck="red 7")
    assert not in_force(config, now=NOW).notes  # nobody knows which decks are dealt
    assert not in_force(config, ["red 7", "blue 2"], now=NOW).notes
    (note,) = in_force(config, ["blue 2"], now=NOW).notes
    assert "with deck red 7, which is not at this table (blue 2)" in note


def test_seat_thresholds_go_to_the_table_board(tmp_path: Path) -> None:
    config = table(tmp_path)
    seats = SeatsProfile((SeatFit(3, "high", 300, 500), SeatFit(4, "open"), SeatFit(5, "contact")))
    save(config, "seats", seats, seats_table(config))
    applied = in_force(config, now=NOW).applied(config)
    told = [s.threshold for s in applied.file.seat_sensor]
    assert [(t.seat, t.sensor) for t in told] == [
        (3, Sensor.HIGH_IS_OCCUPIED),
        (4, Sensor.OPEN_IS_OCCUPIED),
    ]
    assert (told[0].leave, told[0].enter) == (300, 500)


def test_button_calibration_is_known_to_doctor(tmp_path: Path) -> None:
    config = table(tmp_path)
    save(config, "button", ButtonProfile((1, 2)), seats_table(config))
    found = in_force(config, now=NOW)
    assert [c.state for c in calibration_checks(found)].count(State.OK) == 1


def test_lamps_are_lit_where_they_hang(tmp_path: Path) -> None:
    config = table(tmp_path)
    profile = LampsProfile(((1, 2), (2, 1)), 0.5)
    save(config, "lamps", profile, lamps_table(config))

    class Lamps:
        health = ()
        lit: Mapping[int, SeatLamp] = {}

        async def light(self, lamps: Mapping[int, SeatLamp]) -> None:
            self.lit = lamps

        async def __aenter__(self) -> Lamps:
            return self

        async def __aexit__(self, *_: object) -> None: ...

    lamps = Lamps()
    found = in_force(config, now=NOW)
    (own,) = found.lamps_on(config, Fittings(seat_lamps=(lamps,))).seat_lamps
    asyncio.run(own.light({1: SeatLamp(0, 200, 0)}))
    assert lamps.lit == {2: SeatLamp(0, 100, 0)}
