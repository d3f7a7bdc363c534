"""Builds the table board's firmware for this machine, where it is needed, into a cache folder.

As a Linux process it takes a C compiler. On a simulated ATmega2560 it is the very bytes that a real
board gets, and takes avr-gcc, avr-libc and libsimavr.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.errors import DriverError

AVR_PACKAGES = "gcc-avr avr-libc binutils-avr libsimavr-dev libelf-dev"
_HEADER = Path("/usr/include/simavr/sim_avr.h")
_FOLDERS = ("core", "bench", "linux", "avr", "simavr")


class FirmwareNotBuiltError(DriverError):
    """The firmware cannot be built on this machine."""


@dataclass(frozen=True, slots=True)
class AvrBuild:
    """elf: the program for the ATmega2560. process: a simulated one with a port. library: one to
    load into a test, in virtual time."""

    elf: Path
    process: Path
    library: Path


def sources() -> Path:
    """The folder of the firmware's sources. Raises FirmwareNotBuiltError."""
    beside = Path(__file__).parents[2] / "firmware-interface" / "firmware"
    installed = Path(sys.prefix) / "share" / "burnturn" / "firmware"
    for folder in (beside, installed):
        if (folder / "core" / "app.c").is_file():
            return folder
    raise FirmwareNotBuiltError(
        "the firmware's sources are not here", str(installed), "Install burnturn anew."
    )


def linux_board() -> Path:
    """The firmware as a program for this machine. Raises FirmwareNotBuiltError."""
    program = _cache() / "burnturn-board"
    if program.is_file():
        return program
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise FirmwareNotBuiltError(
            "there is no C compiler",
            "the simulated table board",
            "Install one: sudo apt-get install gcc libc6-dev",
        )
    folder = sources()
    files = [path for part in ("core", "bench", "linux") for path in folder.glob(f"{part}/*.c")]
    with tempfile.TemporaryDirectory(dir=_cache()) as work:
        built = Path(work) / program.name
        options = ["-O2", "-std=c99", f"-I{folder}/core", f"-I{folder}/bench", "-o", str(built)]
        _run([compiler, *options, *map(str, sorted(files))])
        built.replace(program)
    return program


def avr_missing() -> str | None:
    """What this machine lacks for the firmware on a simulated ATmega2560, and how to get it; None
    if it lacks nothing."""
    lacking = [tool for tool in ("avr-gcc", "make", "cc", "python3") if shutil.which(tool) is None]
    if not _HEADER.is_file():
        lacking.append("libsimavr")
    if not lacking:
        return None
    return f"no {', '.join(lacking)}; get it with: sudo apt-get install make gcc {AVR_PACKAGES}"


def avr_board() -> AvrBuild:
    """The firmware for the ATmega2560, and two simulators around it. Raises
    FirmwareNotBuiltError."""
    folder = _cache() / "avr"
    build = AvrBuild(
        folder / "burnturn-board.elf",
        folder / "burnturn-board-avr",
        folder / "libavrtable.so",
    )
    if folder.is_dir():
        return build
    if missing := avr_missing():
        raise FirmwareNotBuiltError(missing, "the simulated ATmega2560", "Or do without it.")
    with tempfile.TemporaryDirectory(dir=_cache()) as work:
        built = Path(work) / "avr"
        _run(["make", "-s", "-C", str(sources()), f"BUILD={built}", "avr", "simavr"])
        try:
            built.replace(folder)
        except OSError:
            # Somebody else was faster; the same sources give the same program.
            if not folder.is_dir():
                raise
    return build


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FirmwareNotBuiltError(
            f"{command[0]} failed: {done.stderr.strip()[-2000:]}",
            str(sources()),
            "If the sources are as they were delivered, report this.",
        )


def _cache() -> Path:
    """A folder for what these sources give, and no others."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "burnturn" / f"firmware-{_digest()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _digest() -> str:
    folder = sources()
    files = [folder / "Makefile", folder / "budget.py"]
    files += [path for part in _FOLDERS for path in sorted((folder / part).iterdir())]
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
