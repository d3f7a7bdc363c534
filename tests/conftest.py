"""For every test: examples may take their time, for a busy machine is no fault of the table's."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.machines.kernel.devices import in_kernel_machine

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on the kernel's devices run in the machine that has them, and nowhere else: they would
    take a real table's lines."""
    if in_kernel_machine():
        return
    elsewhere = pytest.mark.skip(reason="runs in the kernel machine: make test-kernel")
    for item in items:
        if item.get_closest_marker("kernel"):
            item.add_marker(elsewhere)
