"""The firmware's core on this machine: its own tests in C, and its build for a Mega."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from drivers.sim.firmware_build import AvrBuild, sources


def make(target: str, build: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "-s", "-C", str(sources()), f"BUILD={build}", target]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_core_passes_its_own_tests(tmp_path: Path) -> None:
    if not (shutil.which("make") and shutil.which("cc")):
        pytest.skip("no make or no cc; get them with: sudo apt-get install make gcc")
    done = make("test", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all tests passed" in done.stdout


def test_a_build_over_its_budget_fails(build: AvrBuild, tmp_path: Path) -> None:
    budget = [str(sources() / "budget.py"), str(build.elf)]
    budget += ["--stack-usage", str(build.elf.parent / "avr")]
    for tight in (("--flash", "9000"), ("--ram", "2000"), ("--stack", "100")):
        limits = {"--flash": "200000", "--ram": "8000", "--stack": "4000"} | dict([tight])
        words = [word for pair in limits.items() for word in pair]
        done = subprocess.run(["python3", *budget, *words], capture_output=True, check=False)
        assert done.returncode == 1, done.stdout
    done = subprocess.run(
        ["python3", *budget, "--flash", "200000", "--ram", "8000", "--stack", "4000"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
