"""The firmware is built once for all tests; where the tools for the ATmega2560 are missing, its
tests are skipped and say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from drivers.sim.firmware_build import AvrBuild, avr_board, avr_missing
from tests.firmware.simulated import Conversation, Mouth, SimulatedTable


@pytest.fixture(scope="session")
def build() -> AvrBuild:
    if missing := avr_missing():
        pytest.skip(missing)
    return avr_board()


@pytest.fixture
def new_table(build: AvrBuild) -> Iterator[Callable[..., SimulatedTable]]:
    """Makes tables, with a memory if one is given."""
    tables: list[SimulatedTable] = []

    def new(memory: bytes | None = None) -> SimulatedTable:
        tables.append(SimulatedTable(build, memory))
        return tables[-1]

    yield new
    for table in tables:
        table.close()


@pytest.fixture
def table(new_table: Callable[..., SimulatedTable]) -> SimulatedTable:
    return new_table()


@pytest.fixture
def mouth(table: SimulatedTable) -> Mouth:
    """A host in a session with a board that has settled."""
    mouth = Mouth(table)
    mouth.run(0.4)
    mouth.hello()
    mouth.run(0.02)
    return mouth


@pytest.fixture
def conversation(table: SimulatedTable) -> Conversation:
    """A board and the controller's side of the link, in a session that has settled."""
    conversation = Conversation(table)
    conversation.run(0.5)
    return conversation
