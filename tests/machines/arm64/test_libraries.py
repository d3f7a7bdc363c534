"""Every library that a table on a Raspberry Pi installs, loaded on that processor."""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import distribution

import pytest

from tests.machines.arm64.tree import name_of, requirements

pytestmark = pytest.mark.skipif(
    platform.machine() != "aarch64", reason="runs on 64-bit ARM: make test-arm64"
)


@pytest.mark.parametrize("library", sorted({name_of(r) for r in requirements()}))
def test_it_loads(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # rpi-lgpio asks the device tree which Raspberry Pi this is, unless told.
    monkeypatch.setenv("RPI_LGPIO_REVISION", "c03111")
    files = distribution(library).files or []
    modules = {f.parts[0] for f in files if len(f.parts) == 2 and f.name == "__init__.py"}
    assert modules, f"{library} brings no package"
    for module in modules:
        import_module(module)
