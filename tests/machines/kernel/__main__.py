"""`python -m tests.machines.kernel [pytest arguments]`: boots Debian's kernel in an emulated
machine and runs the tests marked `kernel` there, on real character devices."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.machines.debian import (
    ENVIRONMENT,
    PROJECT,
    MachineError,
    colour,
    guarded,
)
from tests.machines.kernel.image import initramfs, prepare

LIMIT_S = 600.0
MEMORY_MB = 1024


def main(arguments: Sequence[str]) -> int:
    print("=== kernel machine: set-up")
    machine = prepare()
    with tempfile.TemporaryDirectory(prefix="burnturn-kernel-") as temporary:
        results = Path(temporary) / "results"
        results.mkdir()
        (results / "guest").write_text(guest_script(arguments))
        initramfs(machine, Path(temporary) / "initramfs")
        print("=== kernel machine: boot")
        began = time.monotonic()
        boot(machine, Path(temporary))
        marks = re.findall(r"burnturn machine: (.*)", read(Path(temporary) / "console"), re.M)
        marks.append(f"switched off after {time.monotonic() - began:.1f} s of ours")
        print("=== kernel machine: " + ", ".join(marks))
        return verdict(results, Path(temporary) / "console")


def guest_script(arguments: Sequence[str]) -> str:
    """What the machine runs: pytest, with the interpreter and the checkout of the host."""
    pytest = [sys.executable, "-m", "pytest", "-m", "kernel", "-p", "no:cacheprovider"]
    pytest += ["-p", "no:xdist", "-rfE", "--junitxml=/results/junit.xml"]
    pytest += [colour(), *(arguments or marked_files())]
    setting = {
        "HOME": "/root",
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "PYTHONPATH": f"{PROJECT}:{PROJECT / 'firmware-interface'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100",
        # lgpio leaves a pipe in the current folder, unless told of another.
        "LG_WD": "/tmp",
    }
    exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in setting.items())
    there = shlex.quote(str(PROJECT))
    return f"{exports}\ncd {there}\n{shlex.join(pytest)}\necho $? > /results/status\n"


def marked_files() -> list[str]:
    """Test files with tests for this machine. Looking into all of them would take it minutes."""
    files = sorted((PROJECT / "tests").rglob("test_*.py"))
    return [str(f.relative_to(PROJECT)) for f in files if "pytest.mark.kernel" in f.read_text()]


def boot(machine: Path, temporary: Path) -> None:
    """Run the machine until it switches itself off; its second serial port is our output. Raises
    MachineError if it does not end."""
    command = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max"]
    command += ["-smp", "1", "-m", str(MEMORY_MB), "-nodefaults", "-nographic", "-no-reboot"]
    command += ["-kernel", f"{machine}/vmlinuz", "-initrd", f"{temporary}/initramfs"]
    command += ["-append", "console=ttyS0 quiet panic=-1 mitigations=off burnturn.machine"]
    command += ["-serial", f"file:{temporary}/console", "-serial", "stdio"]
    command += shared("host", Path("/"), ",readonly=on") + shared("results", temporary / "results")
    try:
        subprocess.run(
            command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MachineError(
            f"the machine did not switch itself off within {LIMIT_S:.0f} s.\n"
            + console_end(temporary / "console")
        ) from error


def shared(tag: str, folder: Path, options: str = "") -> list[str]:
    """qemu's words for a folder that the machine mounts by this tag."""
    files = f"local,id={tag},path={folder},security_model=none,multidevs=remap{options}"
    return ["-fsdev", files, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def verdict(results: Path, console: Path) -> int:
    """pytest's own exit status, and a success held against its report. Raises MachineError if the
    machine went down before pytest ended, or no test was run."""
    status, report = results / "status", results / "junit.xml"
    if not status.exists():
        raise MachineError("the machine went down before the tests ended.\n" + console_end(console))
    code = int(status.read_text())
    if code:
        return code
    suite = ElementTree.parse(report).getroot().find("testsuite") if report.exists() else None
    if suite is None:
        raise MachineError("pytest ended well but left no report: nothing is shown by that.")
    count = {name: int(suite.get(name, "0")) for name in ("tests", "skipped", "failures", "errors")}
    print("=== kernel machine: " + ", ".join(f"{number} {name}" for name, number in count.items()))
    if count["tests"] == count["skipped"] or count["failures"] + count["errors"]:
        raise MachineError("pytest ended well, which its report does not bear out.")
    return 0


def read(console: Path) -> str:
    """What was said there, without what only a terminal would understand."""
    said = console.read_text(errors="replace") if console.exists() else ""
    return re.sub(r"\x1b(c|\[[0-9;?]*[a-zA-Z])", "", said)


def console_end(console: Path) -> str:
    """The end of what kernel and `init` said."""
    said = read(console).splitlines()
    return "\n".join(["The end of its console:", *(f"  | {line}" for line in said[-40:])])


if __name__ == "__main__":
    sys.exit(guarded(main))
