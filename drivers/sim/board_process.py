"""The table board's firmware as a process beside us: the far end of the table link on a
pseudo-terminal, with sensors that can be moved and lamps that can be looked at.

Not the twin of `table_board.py`, which is Python: this is the C that runs under real tables, as a
Linux program or, byte for byte, on a simulated ATmega2560.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.errors import LinkLostError
from drivers.sim.firmware_build import avr_board, avr_missing, linux_board

_START_S = 10.0
_STOP_S = 5.0


class BoardKind(Enum):
    """What the firmware runs on; its value says so to people."""

    LINUX = "the firmware as a Linux process"
    AVR = "the firmware on a simulated ATmega2560"


def best_kind() -> BoardKind:
    """The simulated ATmega2560 where this machine has what it takes, else the Linux process."""
    return BoardKind.LINUX if avr_missing() else BoardKind.AVR


@dataclass(frozen=True, slots=True)
class Picture:
    """What the LED board shows: its rows as PIXELS has them, and its brightness, 0 to 15."""

    rows: bytes
    brightness: int


class BoardProcess:
    """A table board, running inside `async with`. Keys, sensors, seats and lamps count from 1.

    memory: a file for what the board keeps without power; without one it is new at every start.
    restarts: opening the port restarts it, as DTR does on an Arduino Mega.
    """

    def __init__(
        self,
        kind: BoardKind = BoardKind.LINUX,
        memory: Path | None = None,
        restarts: bool = False,
    ) -> None:
        self.kind = kind
        self._memory = memory
        self._restarts = restarts
        self._folder = tempfile.TemporaryDirectory(prefix="board-")
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._asking = asyncio.Lock()

    @property
    def port(self) -> str:
        """What a driver opens."""
        return str(Path(self._folder.name) / "tty")

    def build(self) -> None:
        """Build the firmware now, which may take some seconds the first time; else it is built when
        the board is opened. Raises FirmwareNotBuiltError."""
        self._command()

    async def __aenter__(self) -> Self:
        control = Path(self._folder.name) / "control"
        command = await asyncio.to_thread(self._command)
        command += [f"--pty={self.port}", "--control", str(control)]
        command += ["--memory", str(self._memory)] if self._memory else []
        command += ["--restarts"] if self._restarts else []
        self._process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE
        )
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), _START_S)
        if not line.startswith(b"ready "):
            await self.__aexit__(None, None, None)
            raise LinkLostError(
                "it did not start", self.kind.value, "See what it printed, above this."
            )
        self._reader, self._writer = await asyncio.open_unix_connection(str(control))
        return self

    def _command(self) -> list[str]:
        if self.kind is BoardKind.LINUX:
            return [str(linux_board())]
        build = avr_board()
        return [str(build.process), "--firmware", str(build.elf)]

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), _STOP_S)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        self._folder.cleanup()

    async def key(self, key: int, down: bool) -> None:
        await self._do(f"key {key} {'down' if down else 'up'}")

    async def button(self, sensor: int, there: bool) -> None:
        """Lay a dealer button on a sensor, or take it away; several may lie."""
        await self._do(f"button {sensor} {'on' if there else 'off'}")

    async def seat(self, seat: int, closed: bool) -> None:
        """Close or open a seat's contact; as delivered, closed means occupied."""
        await self._do(f"seat {seat} {'closed' if closed else 'open'}")

    async def seat_counts(self, seat: int, counts: int) -> None:
        """What a seat's analogue sensor reads, 0 to 1023."""
        await self._do(f"seat {seat} counts {counts}")

    async def lamps(self) -> tuple[tuple[int, int, int], ...]:
        """Red, green, blue of each lamp, as it is lit this very moment."""
        lamps = (await self._ask("lamps")).split()[1:]
        return tuple((code[0], code[1], code[2]) for code in map(bytes.fromhex, lamps))

    async def picture(self) -> Picture | None:
        """What the LED board shows; None while its chips are off."""
        words = (await self._ask("pixels")).split()
        return None if words[1] == "off" else Picture(bytes.fromhex(words[2]), int(words[1]))

    async def time_us(self) -> int:
        """The board's clock; it does not wrap here."""
        return int((await self._ask("time")).split()[1])

    async def restart(self) -> None:
        """Pull the reset pin."""
        await self._do("restart")

    async def hang(self) -> None:
        """Make the firmware hang, so that its watchdog has to restart it."""
        await self._do("hang")

    async def cut_line(self, cut: bool) -> None:
        """Cut the cable to the host, or join it again."""
        await self._do(f"line {'cut' if cut else 'joined'}")

    async def _do(self, command: str) -> None:
        answer = await self._ask(command)
        if answer != "ok":
            raise ValueError(answer)

    async def _ask(self, command: str) -> str:
        assert self._reader is not None
        assert self._writer is not None
        async with self._asking:
            self._writer.write(f"{command}\n".encode())
            answer = await self._reader.readline()
        if not answer:
            raise LinkLostError("it has ended", self.kind.value, "Start it again.")
        return answer.decode().rstrip("\n")
