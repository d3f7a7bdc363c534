"""The MFRC522 through python-periphery's own code on a device file that umockdev emulates, with an
emulated chip behind it. Needs: apt-get install umockdev gir1.2-umockdev-1.0 python3-gi."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PYTHON = "/usr/bin/python3"
TAGS = ["04c5d722310181", "04c5d722310281"]


def missing() -> str:
    """Why there can be no emulated device file here; "" if there can."""
    ask = "import gi, tomllib; gi.require_version('UMockdev', '1.0')"  # tomllib: Python 3.11
    try:
        subprocess.run([PYTHON, "-c", ask], check=True, capture_output=True)
        subprocess.run(["umockdev-wrapper", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return "needs the packages umockdev gir1.2-umockdev-1.0 python3-gi (apt-get install)"
    return ""


WHY_NOT = missing()


class Talk:
    """A program that answers a line with a line."""

    def __init__(self, command: list[str], **more: str) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.first = self.heard()

    def heard(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def say(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        return self.heard()

    def end(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        self.process.wait(timeout=20)


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_tags_are_told_apart_through_a_real_device_file() -> None:
    chip = Talk(["umockdev-wrapper", PYTHON, str(HERE / "spidev_chip.py")])
    driver = Talk(
        ["umockdev-wrapper", sys.executable, str(HERE / "spidev_client.py")],
        UMOCKDEV_DIR=chip.first,
    )
    try:
        assert driver.first == "it answers, chip MFRC522 v2.0"
        assert driver.say("look") == "empty"
        chip.say(f"lay {' '.join(TAGS)}")
        assert driver.say("look") == f"seen {' '.join(TAGS)}"
        chip.say("pull")
        assert driver.say("look").startswith("lost: bench: its SPI device is gone")
        chip.say("put")
        assert driver.say("look") == f"seen {' '.join(TAGS)}"
    finally:
        driver.end()
        chip.end()
