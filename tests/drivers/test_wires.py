"""Serial and TCP wires over a real pseudo-terminal and a real socket: silence is not loss."""

from __future__ import annotations

import asyncio
import os
import socket
import termios
import tty
from collections.abc import Awaitable, Callable

import pytest

from drivers.errors import LinkLostError, PortUnavailableError
from drivers.rfid.wires import Wire, connector


async def lost(act: Callable[[], Awaitable[object]]) -> None:
    with pytest.raises(LinkLostError, match="reader 1: the link is gone"):
        await act()


async def exercise(wire: Wire, far: Callable[[bytes], object], hang_up: Callable[[], None]) -> None:
    """Silence, bytes, silence, loss."""
    assert wire.take() == b""
    assert await wire.read(0.001) == b""
    assert await wire.read(-1.0) == b""
    far(b"\xf5\x00\x11\x13")
    assert await wire.read(5.0) == b"\xf5\x00\x11\x13"
    assert wire.take() == b""
    hang_up()
    await lost(lambda: wire.read(5.0))
    wire.close()
    wire.close()


def test_a_serial_line_tells_silence_from_loss() -> None:
    async def main() -> None:
        master, slave = os.openpty()
        tty.setraw(slave)
        path = os.ttyname(slave)
        wire = await connector(path, "reader 1")()
        os.close(slave)
        wire.write(b"\x03\x04\x0a")
        assert os.read(master, 10) == b"\x03\x04\x0a"
        await exercise(wire, lambda data: os.write(master, data), lambda: os.close(master))

    asyncio.run(main())


def test_a_serial_line_is_set_up_as_the_reader_needs_it_and_is_ours_alone() -> None:
    async def main() -> None:
        master, slave = os.openpty()
        path = os.ttyname(slave)
        wire = await connector(path, "reader 1")()
        mode = termios.tcgetattr(slave)
        assert mode[4] == mode[5] == termios.B115200
        assert mode[2] & termios.CSIZE == termios.CS8
        assert not mode[2] & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
        assert not mode[0] & (termios.IXON | termios.IXOFF | termios.ICRNL)
        with pytest.raises(PortUnavailableError, match="no other program holds the port"):
            await connector(path, "reader 1")()
        wire.close()
        (await connector(path, "reader 1")()).close()
        os.close(master)
        os.close(slave)

    asyncio.run(main())


def test_a_tcp_link_tells_silence_from_loss() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
            wire = await connector(address, "reader 1")()
            far, _ = server.accept()
            await exercise(wire, far.send, far.close)

    asyncio.run(main())


@pytest.mark.parametrize("address", ["/dev/no-such-port", "/dev/null", "tcp://127.0.0.1:1"])
def test_a_port_that_is_not_there_is_unavailable(address: str) -> None:
    async def main() -> None:
        with pytest.raises(PortUnavailableError, match=r"reader 1: .*Check the"):
            await connector(address, "reader 1")()

    asyncio.run(main())
