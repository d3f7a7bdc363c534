"""Building the firmware for this machine: kept, and clear about what is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from drivers.sim.firmware_build import FirmwareNotBuiltError, avr_board, avr_missing, linux_board


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_the_program_is_built_once(cache: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no cc; get it with: sudo apt-get install gcc")
    program = linux_board()
    assert cache in program.parents
    built = program.stat().st_mtime_ns
    assert linux_board() == program
    assert program.stat().st_mtime_ns == built
    assert [path.name for path in program.parent.iterdir()] == [program.name]


def test_no_compiler_is_said_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FirmwareNotBuiltError, match="apt-get install gcc"):
        linux_board()
    missing = avr_missing()
    assert missing is not None
    assert "avr-gcc" in missing
    assert "gcc-avr" in missing
    with pytest.raises(FirmwareNotBuiltError, match="gcc-avr"):
        avr_board()


def test_a_compiler_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'app.c: no space left' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(FirmwareNotBuiltError, match="no space left"):
        linux_board()
