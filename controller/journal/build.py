"""Which program this is: its version, and a digest of its own code and rule data."""

from __future__ import annotations

import functools
import hashlib
from importlib import metadata
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("controller", "calibration", "drivers")
_KINDS = {".py", ".csv", ".toml"}


@functools.cache
def build_name() -> str:
    """For example ``0.1.0+3f9a01c2d4e5``. Two programs with the same name judge alike: the digest
    covers every file of code and rule data, so that a build changed by hand does not pass for the
    one it was made from."""
    try:
        version = metadata.version("burnturn")
    except metadata.PackageNotFoundError:
        version = "0"
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.suffix in _KINDS and path.is_file():
                content = path.read_bytes()
                digest.update(f"{path.relative_to(_ROOT).as_posix()} {len(content)}\n".encode())
                digest.update(content)
    return f"{version}+{digest.hexdigest()[:12]}"


def boot_id() -> str:
    """The kernel's name for this boot; "" where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
