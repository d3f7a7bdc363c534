"""The contracts of inputs, boards and lamps on a bench: with what the table.toml of
BURNTURN_BENCH_TABLE names, and a person who is told at the terminal what to do and asked what is to
be seen."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from controller.config import Config, load
from controller.fittings import Fittings, fittings_of
from controller.taking_up import TableClock
from drivers.contracts import Inputs, LampPattern, LedBoard, SeatLamp, SeatLamps
from drivers.factory import led_board
from drivers.gpio.lines import ButtonSpot, Chair, Key
from drivers.mcu import TableBoard
from drivers.readings import ButtonReading, Health, KeyPress, SeatReading
from tests.drivers import contract_boards, contract_inputs
from tests.drivers.contract_boards import Eyes, LampEyes, LedBoardContract, SeatLampsContract
from tests.drivers.contract_inputs import InputsContract, Switchboard

pytestmark = pytest.mark.bench

NAME = "BURNTURN_BENCH_TABLE"
HUMAN_PATIENCE_S = 900.0
USB_CABLE = "the table board's USB cable"


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for contract in (contract_inputs, contract_boards):
        monkeypatch.setattr(contract, "PATIENCE_S", HUMAN_PATIENCE_S)


def config() -> Config:
    path = os.environ.get(NAME, "")
    if not path:
        pytest.skip(f"{NAME} names no table.toml with [inputs], [[board]] or [table_board]")
    return load(Path(path))


def fittings() -> Fittings:
    return fittings_of(config(), TableClock())


async def ask(words: str) -> str:
    """What the person at the bench answers; the device goes on meanwhile."""

    def at_terminal() -> str:
        with Path("/dev/tty").open("r+b", buffering=0) as terminal:
            terminal.write(f"\n>>> {words} ".encode())
            return terminal.read(1000).decode(errors="replace").strip()

    return await asyncio.to_thread(at_terminal)


def tell(words: str) -> None:
    with Path("/dev/tty").open("wb", buffering=0) as terminal:
        terminal.write(f"\n>>> {words}\n".encode())


class Person:
    """Who moves switches and pulls cables. What is to be done before the device is opened has to be
    confirmed; afterwards the device itself tells that it was done. cable: what can be pulled."""

    def __init__(
        self,
        keys: Sequence[str],
        seats: Sequence[int],
        spots: Sequence[int],
        cable: str,
    ) -> None:
        self.keys, self.seats, self.spots = tuple(keys), tuple(seats), tuple(spots)
        self._cable = cable
        self._pulled = False
        self._before = ["see that no key is down, nobody sits and no button lies"]
        self.opened = False

    def _do(self, words: str) -> None:
        if self.opened:
            tell(f"Now {words}.")
        else:
            self._before.append(words)

    def press(self, key: str) -> None:
        self._do(f"press {key} and hold it")

    def let_go(self, key: str) -> None:
        self._do(f"let go of {key}")

    def sit(self, seat: int, there: bool) -> None:
        self._do(f"{'sit down at' if there else 'get up from'} seat {seat}")

    def lay(self, *spots: int) -> None:
        where = " and ".join(f"seat {spot}" for spot in spots)
        self._do(
            f"lay a dealer button at {where}, and nowhere else" if spots else "lift the button"
        )

    def unplug(self) -> None:
        if not self._cable:
            pytest.skip("what hangs on the Pi's own lines cannot be pulled")
        self._pulled = True
        self._do(f"pull {self._cable}")

    def plug(self) -> None:
        if self._pulled:
            self._pulled = False
            self._do(f"put {self._cable} back")

    async def ready(self) -> None:
        """What was to be done before is done."""
        words, self._before = self._before, []
        if words:
            await ask(f"First: {', then '.join(words)}. Then press Enter.")
        self.opened = True


class Attended:
    """A device that is opened once the person is ready."""

    def __init__(self, inputs: Inputs, person: Person) -> None:
        self._inputs, self._person = inputs, person

    async def __aenter__(self) -> Self:
        await self._person.ready()
        await self._inputs.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._person.opened = False
        await self._inputs.__aexit__(kind, error, trace)

    @property
    def health(self) -> tuple[Health, ...]:
        return self._inputs.health

    def readings(self) -> AsyncIterator[ButtonReading | SeatReading | KeyPress | Health]:
        return self._inputs.readings()


class TestRealInputs(InputsContract):
    """[inputs] of the table: switches on the Pi's own lines."""

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[Inputs, Switchboard]]:
        spec = config().inputs
        if spec is None:
            pytest.skip("the table has no [inputs]")
        roles = [line.role for line in spec.inputs]
        person = Person(
            list(dict.fromkeys(role.name for role in roles if isinstance(role, Key))),
            sorted({role.seat for role in roles if isinstance(role, Chair)}),
            sorted({role.seat for role in roles if isinstance(role, ButtonSpot)}),
            cable="",
        )
        _enough(person)
        yield Attended(fittings().inputs[0], person), person


class TestRealTableBoardsInputs(InputsContract):
    """[table_board] of the table: sensors and keys on the Mega."""

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[Inputs, Switchboard]]:
        board, there = the_board(), config()
        part = there.file.table_board
        assert part is not None
        seats = part.seats or tuple(range(1, there.file.table.seats + 1))
        spots = range(1, there.file.table.seats + 1)
        person = Person([k for k in part.keys if k], seats, spots, USB_CABLE)
        _enough(person)
        yield Attended(board, person), person


def _enough(person: Person) -> None:
    if "confirm" not in person.keys or min(map(len, (person.keys, person.seats, person.spots))) < 2:
        pytest.skip("it needs two keys with confirm among them, two seats and two button spots")


def the_board() -> TableBoard:
    for device in fittings().inputs:
        if isinstance(device, TableBoard):
            return device
    pytest.skip("the table has no [table_board]")


class Onlooker(Person):
    """Who says what is lit."""

    def __init__(self, width: int, height: int, cable: str) -> None:
        super().__init__((), (), (), cable)
        self._width, self._height = width, height
        self._before.clear()

    async def lit(self, expected: Sequence[bool] = ()) -> list[bool]:
        every = self._width * self._height
        while True:
            said = await ask(
                "Which lamps are lit? all, none, or column,row of each from the top left, such as "
                f"1,1 {self._width},{self._height}:"
            )
            if said in ("all", "none"):
                return [said == "all"] * every
            if places := re.findall(r"(\d+),(\d+)", said):
                lit = {(int(y) - 1) * self._width + int(x) - 1 for x, y in places}
                return [n in lit for n in range(every)]

    async def colours(self, expected: Mapping[int, SeatLamp] | None = None) -> dict[int, SeatLamp]:
        told = ", ".join(
            f"seat {seat} in red {lamp.red}, green {lamp.green}, blue {lamp.blue}, {lamp.pattern}"
            for seat, lamp in (expected or {}).items()
        )
        if expected is None:
            await ask("See what the lamps show now that nobody speaks to them, and press Enter.")
            return {0: SeatLamp(0, 0, 0)}
        said = await ask(f"Is lit, and nothing else: {told or 'no lamp'}? y or n:")
        return dict(expected) if said.startswith("y") else {0: SeatLamp(0, 0, 0, LampPattern.GAP)}

    async def retry(self) -> None:
        await self.ready()
        self.opened = False
        await ask("Wait five seconds, and press Enter.")


class OnBoard:
    """What hangs on the table board, opened with it, once it is known whether it is there."""

    def __init__(self, part: LedBoard | SeatLamps, device: TableBoard) -> None:
        self._part, self._device = part, device

    async def __aenter__(self) -> Self:
        await self._device.__aenter__()
        async for reading in self._device.readings():
            if isinstance(reading, Health):
                break
        return self

    async def __aexit__(self, *ends: Any) -> None:
        await self._device.__aexit__(*ends)

    @property
    def health(self) -> tuple[Health, ...]:
        return self._device.health

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


class _RealBoard(LedBoardContract):
    number: int

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        boards = [led_board(spec) for spec in config().boards]
        if self.number >= len(boards):
            pytest.skip(f"the table has {len(boards)} [[board]]")
        board = boards[self.number]
        yield board, Onlooker(board.width, board.height, cable="")


class TestRealBoard1(_RealBoard):
    """The first [[board]] of the table, on the Pi itself."""

    number = 0


class TestRealBoard2(_RealBoard):
    number = 1


class TestRealTableBoardsPixels(LedBoardContract):
    """The 32×8 board on the table board."""

    part = True

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[LedBoard, Eyes]]:
        device = the_board()
        board: Any = OnBoard(device.pixels, device)
        yield board, Onlooker(board.width, board.height, USB_CABLE)


class TestRealTableBoardsLamps(SeatLampsContract):
    """The lamps at the seats on the table board."""

    @asynccontextmanager
    async def row(self) -> AsyncIterator[tuple[SeatLamps, LampEyes]]:
        device = the_board()
        lamps: Any = OnBoard(device.lamps, device)
        yield lamps, Onlooker(len(self.seats), 1, USB_CABLE)
