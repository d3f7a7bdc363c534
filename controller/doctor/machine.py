"""What a machine says of itself: files of the kernel, devices, a try at the disk.

Every path is looked up under a root, so that a made-up machine can stand in a folder.
"""

from __future__ import annotations

import ctypes
import grp
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

ROOT = Path("/")
COMMITS = 20
_THROTTLED = ("sys/devices/platform/soc/soc:firmware/get_throttled",)
_UNSYNCHRONISED = 0x40  # STA_UNSYNC of adjtimex(2)
_TIMEX_BYTES = 208 + 64  # struct timex, with room
_STATUS_AT = 40  # offset of its `status` where a long has 8 bytes; 20 where it has 4


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has a device open."""

    pid: int
    command: str


@dataclass(frozen=True, slots=True)
class Node:
    """A device that the table needs. what: for people. group: that may use it. allowed: whether
    this user may read and write it."""

    what: str
    path: str
    there: bool
    allowed: bool = False
    group: str = ""
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True, slots=True)
class Disk:
    """Where something is written. commit_s: the slowest of some writes that were forced to the
    disk; None with an error."""

    what: str
    folder: Path
    free_bytes: int
    commit_s: float | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """The wall clock. battery: whether a real-time clock keeps it without power."""

    year: int
    synchronised: bool
    battery: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found. throttled: the firmware's word on voltage and heat, see `checks`; None where
    there is none."""

    model: str
    kernel: str
    python: tuple[int, ...]
    user: str
    groups: frozenset[str]
    pid: int
    throttled: int | None
    temperature_c: float | None
    clock: Clock
    disks: tuple[Disk, ...]
    nodes: tuple[Node, ...]
    cameras: tuple[str, ...]


def look(
    nodes: Sequence[tuple[str, str]], folders: Sequence[tuple[str, Path]], root: Path = ROOT
) -> Machine:
    """Look at this machine. nodes: device paths that the table needs, each with what it is for;
    folders: where it writes, likewise."""
    return Machine(
        model=_text(root / "proc/device-tree/model").strip("\0\n ") or platform.machine(),
        kernel=platform.release(),
        python=tuple(sys.version_info[:3]),
        user=_user(),
        groups=frozenset(_groups()),
        pid=os.getpid(),
        throttled=_throttled(root),
        temperature_c=_temperature(root),
        clock=_clock(root),
        disks=tuple(_disk(what, folder) for what, folder in folders),
        nodes=tuple(_node(what, path, root) for what, path in nodes),
        cameras=tuple(sorted(str(p) for p in (root / "dev").glob("video[0-9]*"))),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"


def _groups() -> Iterator[str]:
    for number in {*os.getgroups(), os.getgid()}:
        with suppress(KeyError):
            yield grp.getgrgid(number).gr_name


def _throttled(root: Path) -> int | None:
    """The firmware's flags, from the kernel or, on older systems, from its own program."""
    for name in _THROTTLED:
        with suppress(ValueError):
            return int(_text(root / name).strip(), 16)
    if root != ROOT or shutil.which("vcgencmd") is None:
        return None
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        said = subprocess.run(
            ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=5, check=True
        ).stdout
        return int(said.partition("=")[2].strip(), 16)
    return None


def _temperature(root: Path) -> float | None:
    with suppress(ValueError):
        return int(_text(root / "sys/class/thermal/thermal_zone0/temp")) / 1000
    return None


def _clock(root: Path) -> Clock:
    return Clock(
        year=datetime.now().year,
        synchronised=(root / "run/systemd/timesync/synchronized").exists() or _kernel_in_step(),
        battery=any((root / "sys/class/rtc").glob("rtc*")),
    )


def _kernel_in_step() -> bool:
    """Whether the kernel holds the wall clock for synchronised (adjtimex(2)), as any time daemon
    leaves it."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        buffer = ctypes.create_string_buffer(_TIMEX_BYTES)
        if libc.adjtimex(buffer) < 0:
            return False
    except (OSError, AttributeError):
        return False
    at = _STATUS_AT if ctypes.sizeof(ctypes.c_long) == 8 else _STATUS_AT // 2
    return not ctypes.c_int.from_buffer(buffer, at).value & _UNSYNCHRONISED


def _disk(what: str, folder: Path) -> Disk:
    """Write a little, force it to the disk, many times, and take it away again."""
    there = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not there.is_dir():
        return Disk(what, folder, 0, None, f"{there} is a file")
    try:
        free = shutil.disk_usage(there).free
        with tempfile.TemporaryFile(dir=there) as file:
            return Disk(what, folder, free, max(_commits(file.fileno())))
    except OSError as error:
        return Disk(what, folder, 0, None, error.strerror or type(error).__name__)


def _commits(descriptor: int) -> Iterator[float]:
    for _ in range(COMMITS):
        began = time.perf_counter()
        os.write(descriptor, bytes(512))
        os.fsync(descriptor)
        yield time.perf_counter() - began


def _node(what: str, path: str, root: Path) -> Node:
    at = root / path.lstrip("/")
    try:
        about = at.stat()
    except OSError:
        return Node(what, path, there=False)
    try:
        group = grp.getgrgid(about.st_gid).gr_name
    except KeyError:
        group = ""
    allowed = os.access(at, os.R_OK | os.W_OK)
    return Node(what, path, True, allowed, group, tuple(_holders(at.resolve(), root)))


def _holders(device: Path, root: Path) -> Iterable[Holder]:
    """Processes that have the device open, as far as this user may see."""
    for process in sorted((root / "proc").glob("[0-9]*")):
        with suppress(OSError):
            if any(_is(link, device) for link in (process / "fd").iterdir()):
                yield Holder(int(process.name), _text(process / "comm").strip() or "a program")


def _is(link: Path, device: Path) -> bool:
    with suppress(OSError):
        return link.readlink() == device
    return False
