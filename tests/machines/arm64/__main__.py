"""`python -m tests.machines.arm64 [pytest arguments]`: runs the tests in an arm64 Debian, with the
wheels that a Raspberry Pi gets, in an emulator of the processor.

What it shows: the wheels exist and load, and nothing rests on the processor. What it does not: the
kernel is this machine's, so the GPIO is the kernel machine's business, and times mean nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.machines.arm64.tree import Tree, tree
from tests.machines.debian import ENVIRONMENT, PROJECT, colour, guarded

ENTER = Path(__file__).parent / "enter"
LEFT_OUT = "not slow and not bench and not kernel"
"""Slow tests wait for what an emulated processor makes slower still: killed processes by the
hundred. The others need hardware."""


def main(arguments: Sequence[str]) -> int:
    print("=== arm64: set-up")
    found = tree()
    inside = _in_namespace if _namespace_works(found) else _by_proot
    print(f"=== arm64: tests, {inside.__doc__}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="burnturn-arm64-") as scratch:
        command = [*environment(), found.python, *pytest(arguments)]
        done = subprocess.run(inside(found, scratch, command), env=ENVIRONMENT, check=False)
    print(f"=== arm64: {time.monotonic() - began:.0f} s, exit status {done.returncode}")
    return done.returncode


def pytest(arguments: Sequence[str]) -> list[str]:
    """Without rewritten asserts: Debian's Python 3.11.2 fails where two threads make syntax trees
    ("AST constructor recursion depth mismatch", CPython issue 106905, mended in 3.11.8), and
    rewriting costs an emulated processor much. Without a look at tests that hang: the emulator dies
    of it."""
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-m", LEFT_OUT, "-rfE"]
    words += ["--assert=plain", "-o", "faulthandler_timeout=0", colour()]
    return words + list(arguments or ["-n", os.environ.get("JOBS", "2")])


def environment() -> list[str]:
    """The command that starts from a clean environment, inside."""
    setting = {
        "PATH": "/usr/bin:/usr/sbin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PYTHONPATH": "/burnturn:/burnturn/firmware-interface",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNODEBUGRANGES": "1",  # a traceback would make syntax trees, see `pytest`
        "HYPOTHESIS_STORAGE_DIRECTORY": "/tmp/hypothesis",
    }
    changed = [f"{name}={value}" for name, value in setting.items()]
    return ["/usr/bin/env", "-C", "/burnturn", "-i", *changed]


def _in_namespace(there: Tree, _: str, command: Sequence[str]) -> list[str]:
    """in a namespace of their own"""
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    enter = [ENTER, there.root, there.site, there.site_inside, PROJECT]
    return [*unshare, *map(str, enter), *command]


def _by_proot(there: Tree, scratch: str, command: Sequence[str]) -> list[str]:
    """by proot, for this kernel has no namespace for foreign programs (Linux 6.7 has)"""
    binds = ["/dev", "/proc", f"{there.site}:{there.site_inside}", f"{PROJECT}:/burnturn"]
    binds += [f"{scratch}:/tmp", f"{scratch}:/root"]
    words = ["proot", "-q", "qemu-aarch64-static", "-0", "-r", str(there.root), "-w", "/"]
    for bind in binds:
        words += ["-b", bind]
    return [*words, *command]


def _namespace_works(there: Tree) -> bool:
    tried = subprocess.run(
        _in_namespace(there, "", ["/bin/true"]), env=ENVIRONMENT, capture_output=True, check=False
    )
    return tried.returncode == 0


if __name__ == "__main__":
    sys.exit(guarded(main))
