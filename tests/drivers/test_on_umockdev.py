"""Runs `on_umockdev/*.py`: they open real device files through python-periphery, which umockdev
answers for only in a process that was started under it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.drivers.on_umockdev.mock_pi import missing

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WHY_NOT = missing()
WITH_LGPIO = pytest.mark.skipif(
    find_spec("lgpio") is None, reason="rpi-lgpio has no wheel for Python 3.13 and newer"
)


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
@pytest.mark.parametrize(
    "tests",
    [
        "inputs.py",
        pytest.param("rpi_inputs.py", marks=WITH_LGPIO),
        "boards.py",
        "usb.py",
        "daemon.py",
    ],
)
def test_on_an_emulated_pi(tests: str) -> None:
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "-W", "error::ResourceWarning"]
    command = [sys.executable, "-m", "pytest", *options, str(HERE / "on_umockdev" / tests)]
    ran = subprocess.run(
        ["umockdev-wrapper", *command], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
