"""What is found on a machine, judged item by item, with what to do about it.

Pure: facts in (`machine.Machine`, `sweep.Sweep`), checks out. A fault is something that keeps the
table from working; a warning is something that will some night.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from calibration.store import command
from controller.calibrating.in_force import InForce
from controller.doctor.machine import Clock, Disk, Machine, Node
from controller.doctor.sweep import AntennaSwept, Sweep
from controller.journal.recorder import LIMIT_S

FREE_FAULT_BYTES = 50_000_000
FREE_WARNING_BYTES = 500_000_000  # a night's journal has some ten megabytes
COMMIT_WARNING_S = 0.1
SWEEP_WARNING_S = 0.6  # the slowest sweep that the false-alarm budget was tried at
NOISE_WARNING, NOISE_FAULT = 0.02, 0.2
NOISY_LOOKS = 3  # fewer than so many bad looks are chance
HOT_C = 75.0
FIRST_YEAR = 2025
OLDEST_PYTHON = (3, 11)

_NOW = {0: "the voltage is too low", 1: "the clock rate is held down", 2: "it is throttled"}
_NOW[3] = "it is held down by heat"
_BEFORE = {bit + 16: text for bit, text in _NOW.items()}


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One item: what was found, and what to do next where that is not as it should be."""

    item: str
    state: State
    found: str
    remedy: str = ""


def machine_checks(machine: Machine, has_camera: bool = False) -> tuple[Check, ...]:
    """Everything that can be said of the machine itself. has_camera: the table uses one."""
    own = () if has_camera else (_no_camera(machine.cameras),)
    return (*_machine(machine), *own)


def sweep_checks(sweep: Sweep) -> tuple[Check, ...]:
    """Everything that a few seconds of reading say of the readers and antennas."""
    return tuple(_sweep(sweep))


def calibration_checks(measured: InForce) -> tuple[Check, ...]:
    """What is known of the table's sensors by measurement, and what is only assumed."""
    found = [
        Check(
            f"calibration of {kind}",
            State.OK,
            f"of {saved.made.at:%Y-%m-%d}, by {saved.made.by}",
        )
        for kind, saved in measured.saved.items()
    ]
    found += [
        Check(
            f"calibration of {kind}",
            State.SKIPPED,
            "never made: the table goes by what its table.toml assumes",
            f"burnturn calibrate {command(kind)}",
        )
        for kind in measured.missing
    ]
    found += [Check("calibration", State.WARNING, *_halves(note)) for note in measured.notes]
    found += [Check("calibration", State.FAULT, *_halves(fault)) for fault in measured.faults]
    return tuple(found)


def _halves(text: str) -> tuple[str, str]:
    """What is the matter, and what to do next."""
    what, _, remedy = text.partition(" Next: ")
    return what, remedy


def sense_checks(drifted: Sequence[str], nights: int, file: str) -> tuple[Check, ...]:
    """What the nights so far say of the table's senses. drifted: a line for each that errs more
    than it should; nights: that were counted; file: where that is kept."""
    if drifted:
        return tuple(_drifted(line) for line in drifted)
    if not nights:
        return (Check("senses", State.SKIPPED, f"no night is counted yet in {file}"),)
    return (Check("senses", State.OK, f"none errs more than it should ({nights} nights)"),)


def worst(checks: Iterable[Check]) -> State:
    """The gravest state among them; a table without a check is in order."""
    grave = (State.FAULT, State.WARNING)
    found = {check.state for check in checks}
    return next((state for state in grave if state in found), State.OK)


def _drifted(line: str) -> Check:
    found, _, remedy = line.partition(". Next: ")
    return Check("senses", State.WARNING, found, f"{remedy[:1].upper()}{remedy[1:]}.")


# ---- the machine


def _machine(machine: Machine) -> Iterator[Check]:
    yield _python(machine)
    yield _power(machine.throttled)
    yield _heat(machine.temperature_c)
    yield _clock(machine.clock)
    yield from (_disk(disk) for disk in machine.disks)
    yield from (_node(node, machine) for node in machine.nodes)


def _python(machine: Machine) -> Check:
    version = ".".join(map(str, machine.python))
    found = f"{machine.model}, kernel {machine.kernel}, Python {version}"
    if machine.python[:2] < OLDEST_PYTHON:
        return Check("machine", State.FAULT, found, "Install Python 3.11 or newer.")
    return Check("machine", State.OK, found)


def _power(throttled: int | None) -> Check:
    if throttled is None:
        return Check("power", State.SKIPPED, "this machine does not tell its supply voltage")
    now = [text for bit, text in _NOW.items() if throttled >> bit & 1]
    before = [text for bit, text in _BEFORE.items() if throttled >> bit & 1]
    remedy = "Use the supply made for this Pi (5 V, 3 A; Pi 5: 5 A) and a short, thick cable."
    if throttled >> 3 & 1 or throttled >> 19 & 1:
        remedy += " Give it air: a heat sink or a fan."
    if now:
        return Check("power", State.FAULT, "at this moment " + " and ".join(now), remedy)
    if before:
        return Check("power", State.WARNING, "since its start: " + " and ".join(before), remedy)
    return Check("power", State.OK, "never too low since the machine started")


def _heat(celsius: float | None) -> Check:
    if celsius is None:
        return Check("heat", State.SKIPPED, "this machine does not tell its temperature")
    if celsius >= HOT_C:
        return Check(
            "heat",
            State.WARNING,
            f"{celsius:.0f} °C",
            "Give it air; it slows down at 80 °C.",
        )
    return Check("heat", State.OK, f"{celsius:.0f} °C")


def _clock(clock: Clock) -> Check:
    if clock.year < FIRST_YEAR:
        return Check(
            "clock",
            State.FAULT,
            f"it says {clock.year}",
            "Connect the network once, or fit a real-time clock; until then the age of the deck "
            "is not known after a start, and a count comes first.",
        )
    source = "set by the network" if clock.synchronised else "not set by the network"
    if clock.battery:
        return Check("clock", State.OK, f"{source}; a real-time clock keeps it without power")
    return Check(
        "clock",
        State.OK if clock.synchronised else State.WARNING,
        f"{source}; no real-time clock",
        ""
        if clock.synchronised
        else "After a power cut the time is unknown, and a count comes "
        "before the next hand. Fit a real-time clock (DS3231), or connect the network.",
    )


def _disk(disk: Disk) -> Check:
    item = f"disk of {disk.what}"
    if disk.error:
        return Check(
            item,
            State.FAULT,
            f"{disk.folder}: cannot be written ({disk.error})",
            "The table would say NOT RECORDING. Make the folder writable for this user, or name "
            "another one in the table.toml.",
        )
    free = f"{disk.free_bytes / 1e9:.1f} GB free"
    assert disk.commit_s is not None
    found = f"{disk.folder}: {free}, the slowest of 20 commits took {disk.commit_s * 1000:.0f} ms"
    if disk.free_bytes < FREE_FAULT_BYTES:
        return Check(item, State.FAULT, found, "Make room, or name a folder on another disk.")
    if disk.commit_s > LIMIT_S:
        return Check(
            item,
            State.FAULT,
            found,
            f"Over {LIMIT_S * 1000:.0f} ms the board says NOT RECORDING. Use another card (class "
            "A1 or A2) or an SSD.",
        )
    if disk.free_bytes < FREE_WARNING_BYTES:
        return Check(item, State.WARNING, found, "Make room before the next night.")
    if disk.commit_s > COMMIT_WARNING_S:
        return Check(item, State.WARNING, found, "The disk is slow or busy; try another card.")
    return Check(item, State.OK, found)


def _node(node: Node, machine: Machine) -> Check:
    item = f"{node.what} at {node.path}"
    if not node.there:
        return Check(item, State.FAULT, "is not there", _missing(node))
    if not node.allowed:
        who = f"{machine.user} may not use it"
        if node.group and node.group not in machine.groups:
            remedy = f"sudo usermod -aG {node.group} {machine.user}, then log in anew."
        else:
            remedy = "Look at its owner and mode: ls -l " + node.path
        return Check(item, State.FAULT, who, remedy)
    others = [holder for holder in node.holders if holder.pid != machine.pid]
    if others:
        held = ", ".join(f"{h.command} (process {h.pid})" for h in others)
        return Check(
            item,
            State.WARNING,
            f"is held by {held}",
            "If that is not burnturn itself, stop it: only one program can speak to the device.",
        )
    return Check(item, State.OK, "is there, free, and this user may use it")


def _missing(node: Node) -> str:
    if "spidev" in node.path:
        return "Enable SPI: sudo raspi-config nonint do_spi 0, then restart."
    if "gpiochip" in node.path:
        return "This machine has no such GPIO chip; list them with: ls /dev/gpiochip*"
    if node.path.startswith(("/dev/serial0", "/dev/ttyAMA", "/dev/ttyS")):
        return (
            "Enable the serial port without a login shell: sudo raspi-config nonint do_serial_hw 0,"
            " sudo raspi-config nonint do_serial_cons 1, then restart."
        )
    if node.path.startswith(("/dev/v4l", "/dev/video")):
        return "Plug it in, and look for its name: burnturn devices."
    return (
        "Plug it in, and look for its name: ls /dev/serial/by-id. Name that one in the table.toml:"
        " it stays the same whatever is plugged in first."
    )


def _no_camera(cameras: Sequence[str]) -> Check:
    seen = ", ".join(cameras) if cameras else "none is connected"
    return Check("camera", State.SKIPPED, f"this table uses none; {seen}")


# ---- the readers


def _sweep(sweep: Sweep) -> Iterator[Check]:
    for health in sweep.health:
        state = State.OK if health.state == "ok" else State.FAULT
        yield Check(health.device, state, health.reason)
    if not sweep.antennas:
        return
    yield _round(sweep)
    each = [_antenna(antenna) for antenna in sweep.antennas]
    clean = sum(check.state is State.OK for check in each)
    yield Check("antennas", State.OK, f"{clean} of {len(each)} answer cleanly")
    yield from (check for check in each if check.state is not State.OK)


def _round(sweep: Sweep) -> Check:
    if sweep.round_s is None:
        return Check(
            "sweep", State.FAULT, "no antenna was read twice", "See to the readers above first."
        )
    found = f"a round of {len(sweep.antennas)} antennas takes {sweep.round_s * 1000:.0f} ms"
    if sweep.round_s > SWEEP_WARNING_S:
        return Check(
            "sweep",
            State.WARNING,
            found,
            "The table will often say that it cannot tell the order. Use readers of their own for "
            "some antennas, or shorten the readers' waiting times.",
        )
    return Check("sweep", State.OK, found)


def _antenna(antenna: AntennaSwept) -> Check:
    item = f"antenna {antenna.number} ({antenna.zone})"
    if not antenna.looks:
        return Check(item, State.FAULT, "was never read", "See to its reader and its plug.")
    found = f"{antenna.noisy} of {antenna.looks} looks without a clean answer"
    if antenna.noisy < NOISY_LOOKS:
        return Check(item, State.OK, found)
    if antenna.noisy > antenna.looks * NOISE_FAULT:
        return Check(item, State.FAULT, found, "See to its plug and cable, and metal beside it.")
    if antenna.noisy > antenna.looks * NOISE_WARNING:
        return Check(
            item,
            State.WARNING,
            found,
            "Lead its cable away from lamps and supplies; see that no other reader transmits.",
        )
    return Check(item, State.OK, found)
