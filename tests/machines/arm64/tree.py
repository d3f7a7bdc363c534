"""A Debian for 64-bit ARM, as on a Raspberry Pi, in a folder: its packages unpacked, and the wheels
that a table there would install. No program of it is run to make it."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.machines.debian import (
    ENVIRONMENT,
    PROJECT,
    MachineError,
    cache,
    made_once,
    need,
    run,
    step,
)

PROGRAMS = {
    "debootstrap": "debootstrap",
    "qemu-aarch64-static": "qemu-user-static",
    "unshare": "util-linux",
    "proot": "proot",
}
PACKAGES = ("python3",)
"""Beside Debian's smallest system."""

EXTRAS = ("camera-headless", "calibration", "gpio-lgpio", "dev")
"""Of the project, as on a Raspberry Pi 5 without a screen."""
NOT_RUN_THERE = {"mypy", "ruff", "import-linter", "types-pyserial"}
"""Looks at the source alone; `make lint` has done that already."""

MOUNT_POINTS = ("proc", "dev", "tmp", "run", "root", "burnturn")
_ROOT_LINKS = ("bin", "sbin", "lib")


@dataclass(frozen=True, slots=True)
class Tree:
    """root: the folder. site: its Python packages, which belong at `site_inside`. python: the
    interpreter, inside."""

    root: Path
    site: Path
    site_inside: str
    python: str


def tree() -> Tree:
    """The tree of the Debian release that runs here, from the cache if it is there already."""
    if platform.machine() == "aarch64":
        raise MachineError("this machine is a 64-bit ARM one itself: make test.")
    need(PROGRAMS if os.geteuid() == 0 else {**PROGRAMS, "fakeroot": "fakeroot"})
    suite = _suite()
    folder = cache("arm64")
    root = made_once(
        folder / f"{suite}-{_digest(PACKAGES, MOUNT_POINTS)}", lambda to: _debian(suite, to)
    )
    python = next(root.glob("usr/bin/python3.[0-9]*")).name
    wanted = requirements()
    platforms = _platforms((root / "glibc").read_text())
    site = made_once(
        folder / f"{python}-{_digest(wanted, platforms)}",
        lambda to: _site(wanted, python, platforms, to),
    )
    _say_installed(site)
    return Tree(root, site, f"/usr/local/lib/{python}/dist-packages", f"/usr/bin/{python}")


def requirements() -> list[str]:
    """What a table on a Raspberry Pi installs, and what the tests need beside it."""
    project = _project()
    listed: list[str] = list(project["dependencies"])
    for extra in EXTRAS:
        listed += project["optional-dependencies"][extra]
    return sorted(r for r in listed if name_of(r) not in NOT_RUN_THERE)


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    return project


def name_of(requirement: str) -> str:
    """Such as pytest of pytest>=8.3."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


def _digest(*parts: Sequence[str]) -> str:
    return hashlib.sha256(repr([list(part) for part in parts]).encode()).hexdigest()[:12]


def _suite() -> str:
    release = platform.freedesktop_os_release()
    suite = release.get("VERSION_CODENAME", "")
    if release.get("ID") != "debian" or not suite:
        raise MachineError("this needs Debian's debootstrap. Run it in a Debian container.")
    return suite


def _say_installed(site: Path) -> None:
    """The checkout is used where it is; this tells importlib.metadata of it."""
    name, version = _project()["name"], _project()["version"]
    for old in site.glob(f"{name}-*.dist-info"):
        shutil.rmtree(old)
    told = site / f"{name}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def _debian(suite: str, to: Path) -> None:
    with step(f"fetching Debian {suite} for arm64"):
        fetch = ["debootstrap", "--arch=arm64", "--variant=minbase", "--download-only"]
        fetch += [f"--include={','.join(PACKAGES)}", suite, str(to / "fetched")]
        run(*([] if os.geteuid() == 0 else ["fakeroot"]), *fetch)
    with step("unpacking it"):
        for name in _ROOT_LINKS:
            (to / "usr" / name).mkdir(parents=True)
            (to / name).symlink_to(f"usr/{name}")
        packages = sorted((to / "fetched/var/cache/apt/archives").glob("*.deb"))
        for package in packages:
            _unpack(package, to)
        libc = next(p.name for p in packages if p.name.startswith("libc6_"))
        (to / "glibc").write_text(libc.split("_")[1])
        shutil.rmtree(to / "fetched")
        _as_configured(to)


def _unpack(package: Path, to: Path) -> None:
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as files:
        tar = ["tar", "-x", "-C", str(to), "--keep-directory-symlink", "--no-same-owner"]
        done = subprocess.run(
            [*tar, "--no-same-permissions"],
            stdin=files.stdout,
            capture_output=True,
            text=True,
            check=False,
        )
    if files.returncode or done.returncode:
        raise MachineError(f"{package.name} cannot be unpacked: {done.stderr}")


def _as_configured(root: Path) -> None:
    """The few things that the packages' own scripts would have made."""
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / f"etc/{name}")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
    for name in MOUNT_POINTS:
        (root / name).mkdir(exist_ok=True)
    for python in root.glob("usr/bin/python3.[0-9]*"):
        (root / f"usr/local/lib/{python.name}/dist-packages").mkdir(parents=True)


def _platforms(glibc: str) -> list[str]:
    """Wheels that run with this C library, best first."""
    minor = int(glibc.split("-")[0].split(".")[1])
    named = [f"manylinux_2_{n}_aarch64" for n in range(minor, 16, -1)]
    return [*named, "manylinux2014_aarch64", "any"]


def _site(wanted: Sequence[str], python: str, platforms: Sequence[str], to: Path) -> None:
    with step("fetching wheels for arm64"):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:"]
        pip += ["--implementation", "cp", "--python-version", python.removeprefix("python")]
        for name in platforms:
            pip += ["--platform", name]
        run(*pip, "--target", to, *wanted)
