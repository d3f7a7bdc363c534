"""What the doctor makes of a machine, and of what its readers say."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from controller.doctor.checks import Check, State, machine_checks, sweep_checks, worst
from controller.doctor.machine import Clock, Disk, Holder, Machine, Node, look
from controller.doctor.sweep import Sweep, Swept
from controller.model.table import reference_layout
from drivers.readings import Health, HealthState, Outcome, Poll, Uid

SOUND = Machine(
    model="Raspberry Pi 4 Model B Rev 1.4",
    kernel="6.12",
    python=(3, 11, 2),
    user="dealer",
    groups=frozenset({"dealer", "dialout"}),
    pid=100,
    throttled=0,
    temperature_c=48.0,
    clock=Clock(2026, synchronised=True, battery=True),
    disks=(Disk("the journal", Path("/var/lib/burnturn"), 9_000_000_000, 0.012),),
    nodes=(Node("reader 1", "/dev/serial/by-id/usb-a", True, True, "dialout"),),
    cameras=(),
)


def found(checks: tuple[Check, ...], item: str) -> Check:
    return next(check for check in checks if check.item.startswith(item))


def test_a_sound_machine_has_nothing_to_mend() -> None:
    checks = machine_checks(SOUND)
    assert worst(checks) is State.OK
    assert not [check for check in checks if check.remedy]


@pytest.mark.parametrize(
    ("item", "state", "machine", "remedy"),
    [
        ("machine", State.FAULT, replace(SOUND, python=(3, 9, 2)), "3.11"),
        ("power", State.FAULT, replace(SOUND, throttled=0x50005), "supply"),
        ("power", State.WARNING, replace(SOUND, throttled=0x10000), "supply"),
        ("power", State.FAULT, replace(SOUND, throttled=0x8), "fan"),
        ("heat", State.WARNING, replace(SOUND, temperature_c=79.0), "air"),
        ("clock", State.FAULT, replace(SOUND, clock=Clock(1970, False, False)), "network"),
        ("clock", State.WARNING, replace(SOUND, clock=Clock(2026, False, False)), "real-time"),
    ],
)
def test_what_is_not_as_it_should_be_is_said_with_what_to_do(
    item: str, state: State, machine: Machine, remedy: str
) -> None:
    check = found(machine_checks(machine), item)
    assert check.state is state
    assert remedy in check.remedy


def test_low_voltage_of_the_past_is_told_apart_from_that_of_now() -> None:
    past = found(machine_checks(replace(SOUND, throttled=0x50000)), "power")
    now = found(machine_checks(replace(SOUND, throttled=0x50001)), "power")
    assert "since its start" in past.found
    assert "at this moment" in now.found


@pytest.mark.parametrize(
    ("disk", "state"),
    [
        (Disk("the journal", Path("/j"), 10_000_000, 0.01), State.FAULT),
        (Disk("the journal", Path("/j"), 300_000_000, 0.01), State.WARNING),
        (Disk("the journal", Path("/j"), 9_000_000_000, 0.2), State.WARNING),
        (Disk("the journal", Path("/j"), 9_000_000_000, 0.6), State.FAULT),
        (Disk("the journal", Path("/j"), 0, None, "Read-only file system"), State.FAULT),
    ],
)
def test_a_disk_is_judged_by_its_room_and_its_slowest_commit(disk: Disk, state: State) -> None:
    check = found(machine_checks(replace(SOUND, disks=(disk,))), "disk of the journal")
    assert check.state is state
    assert check.remedy


@pytest.mark.parametrize(
    ("node", "state", "remedy"),
    [
        (Node("reader 1", "/dev/ttyUSB0", there=False), State.FAULT, "by-id"),
        (Node("lamps", "/dev/spidev0.0", there=False), State.FAULT, "do_spi"),
        (Node("reader 1", "/dev/serial0", there=False), State.FAULT, "do_serial_cons 1"),
        (
            Node("keys", "/dev/gpiochip0", True, False, "gpio"),
            State.FAULT,
            "usermod -aG gpio dealer",
        ),
        (
            Node("reader 1", "/dev/ttyUSB0", True, False, "dialout"),
            State.FAULT,
            "ls -l /dev/ttyUSB0",
        ),
        (
            Node("reader 1", "/dev/ttyUSB0", True, True, "dialout", (Holder(7, "ModemManager"),)),
            State.WARNING,
            "only one program",
        ),
    ],
)
def test_a_device_that_cannot_be_used_is_said_with_what_to_do(
    node: Node, state: State, remedy: str
) -> None:
    check = found(machine_checks(replace(SOUND, nodes=(node,))), node.what)
    assert check.state is state
    assert remedy in check.remedy


def test_a_device_that_the_doctor_itself_has_open_is_free() -> None:
    node = Node("reader 1", "/dev/ttyUSB0", True, True, "dialout", (Holder(100, "burnturn"),))
    assert worst(machine_checks(replace(SOUND, nodes=(node,)))) is State.OK


def test_a_machine_is_looked_up_where_the_kernel_keeps_it(tmp_path: Path) -> None:
    files = {
        "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
        "sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
        "sys/class/thermal/thermal_zone0/temp": "61234\n",
        "sys/class/rtc/rtc0/name": "rpi-rtc",
        "run/systemd/timesync/synchronized": "",
        "dev/video0": "",
        "dev/ttyUSB0": "",
        "proc/812/comm": "minicom\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    descriptors = tmp_path / "proc/812/fd"
    descriptors.mkdir()
    (descriptors / "3").symlink_to(tmp_path / "dev/ttyUSB0")
    machine = look([("reader 1", "/dev/ttyUSB0"), ("reader 2", "/dev/ttyUSB1")], [], tmp_path)
    assert machine.model == "Raspberry Pi 5 Model B Rev 1.0"
    assert machine.throttled == 0x50005
    assert machine.temperature_c == pytest.approx(61.234)
    assert machine.clock.battery
    assert machine.clock.synchronised
    assert [Path(c).name for c in machine.cameras] == ["video0"]
    first, second = machine.nodes
    assert first.holders == (Holder(812, "minicom"),)
    assert first.allowed
    assert not second.there


def test_a_bare_machine_says_nothing_that_it_does_not_know(tmp_path: Path) -> None:
    machine = look([], [], tmp_path)
    assert machine.throttled is None
    assert machine.temperature_c is None
    assert found(machine_checks(machine), "power").state is State.SKIPPED


def test_the_disk_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "not there yet"
    (disk,) = look([], [("the journal", folder)], tmp_path).disks
    assert disk.commit_s is not None
    assert disk.commit_s > 0
    assert disk.free_bytes > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (disk,) = look([], [("the journal", tmp_path / "file" / "below")], tmp_path).disks
    assert "is a file" in disk.error


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_this_user_may_not_write_is_a_fault(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    (disk,) = look([], [("the journal", tmp_path)], tmp_path).disks
    assert disk.error == "Permission denied"


# ---- readers

LAYOUT = reference_layout()


def swept(noise: dict[int, float], round_s: float = 0.4, rounds: int = 50) -> Sweep:
    """Rounds of all antennas; a share of each one's looks ends in noise."""
    sums = Swept(LAYOUT)
    sums.take(Health("reader 1", HealthState.OK, "it answers, firmware 2.56", 0.0))
    look_s = round_s / len(LAYOUT.antennas)
    for turn in range(rounds):
        for place, a in enumerate(LAYOUT.antennas):
            at = turn * round_s + place * look_s
            noisy = turn < rounds * noise.get(a.antenna, 0.0)
            outcome = Outcome.NOISE if noisy else Outcome.SEEN
            uids = () if noisy else (Uid(b"\x04\xaa\xbb\xcc\xdd\xee\xff"),)
            sums.take(Poll(a.antenna, uids, outcome, at, at + look_s))
    return sums.sweep


def test_antennas_that_answer_cleanly_are_fit_whatever_lies_there() -> None:
    checks = sweep_checks(swept({}))
    assert worst(checks) is State.OK
    assert "15 of 15" in found(checks, "antennas").found
    assert "400 ms" in found(checks, "sweep").found
    assert "aabb" not in str(checks).lower()


def test_noise_is_named_by_antenna_and_by_its_share() -> None:
    checks = sweep_checks(swept({4: 0.1, 9: 0.5, 11: 0.04}))
    assert found(checks, "antenna 4 (seat/4)").state is State.WARNING
    assert found(checks, "antenna 9 (seat/9)").state is State.FAULT
    # Two bad looks in fifty are chance.
    assert not [check for check in checks if check.item.startswith("antenna 11")]
    assert "13 of 15" in found(checks, "antennas").found


def test_a_slow_round_is_a_warning() -> None:
    assert found(sweep_checks(swept({}, round_s=0.9)), "sweep").state is State.WARNING


def test_a_reader_that_is_lost_is_a_fault_and_so_is_an_antenna_never_read() -> None:
    sums = Swept(LAYOUT)
    sums.take(Health("reader 2", HealthState.LOST, "reader 2: the link is gone", 0.0))
    checks = sweep_checks(sums.sweep)
    assert found(checks, "reader 2").state is State.FAULT
    assert found(checks, "sweep").state is State.FAULT
    assert found(checks, "antenna 15").state is State.FAULT
