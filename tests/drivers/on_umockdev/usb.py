"""pyserial's own search for USB serial ports, over an emulated /sys: how the table board is found,
and how readers are told apart. Run by `test_on_umockdev.py`."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator

import pytest

from drivers.contracts import Inputs
from drivers.errors import WrongDeviceError
from drivers.factory import BoardKind, BoardProcess, table_board
from drivers.found import SerialPort, found
from drivers.readings import Health, HealthState, KeyPress
from drivers.rfid.wires import connector, of_serial, usb_serial_of
from drivers.usb_ports import UsbPort, candidates, connected
from tests.drivers.contract_inputs import Heard
from tests.drivers.on_umockdev.mock_pi import MockPi, mock_pi

PATIENCE_S = 60.0
MEGA = {
    "idVendor": "2341",
    "idProduct": "0042",
    "manufacturer": "Arduino (www.arduino.cc)",
    "serial": "75735303731351F0D0A1",
}
FTDI = {
    "idVendor": "0403",
    "idProduct": "6001",
    "product": "FT232R USB UART",
    "serial": "A50285BI",
}
CH340 = {"idVendor": "1a86", "idProduct": "7523", "product": "USB Serial"}


@pytest.fixture
def pi() -> Iterator[MockPi]:
    with mock_pi() as pi:
        yield pi


def test_every_port_is_listed_with_what_usb_says_of_it(pi: MockPi) -> None:
    assert connected() == ()
    pi.plug_usb("1-1", "ttyACM0", **MEGA)
    pi.plug_usb("1-2", "ttyUSB0", **FTDI)
    pi.plug_usb("1-3", "ttyUSB1", **CH340)
    mega = UsbPort("/dev/ttyACM0", 0x2341, 0x0042, MEGA["serial"])
    ftdi = UsbPort("/dev/ttyUSB0", 0x0403, 0x6001, FTDI["serial"])
    clone = UsbPort("/dev/ttyUSB1", 0x1A86, 0x7523)
    assert sorted(connected()) == [mega, ftdi, clone]
    assert candidates(connected(), clones=False) == ("/dev/ttyACM0",)
    assert candidates(connected(), clones=True, avoid=["/dev/ttyUSB0"]) == (
        *("/dev/ttyACM0", "/dev/ttyUSB1"),
    )
    pi.unplug_usb("1-1")
    assert sorted(connected()) == [ftdi, clone]


def test_a_port_that_is_pulled_while_it_is_looked_at_ends_nothing(pi: MockPi) -> None:
    pi.plug_usb("1-1", "ttyACM0", **{**MEGA, "bNumInterfaces": ""})  # half of its folder is gone
    assert connected() == ()
    assert usb_serial_of("/dev/ttyACM0") is None
    pi.unplug_usb("1-1")
    pi.plug_usb("1-2", "ttyACM1", **MEGA)
    assert [port.path for port in connected()] == ["/dev/ttyACM1"]


def test_what_burnturn_devices_shows_comes_from_there(pi: MockPi) -> None:
    pi.plug_usb("1-1", "ttyACM0", **MEGA)
    pi.plug_usb("1-2", "ttyUSB0", **FTDI)
    mega, ftdi = found().serial
    maker = "Arduino (www.arduino.cc)"
    there = SerialPort("/dev/ttyACM0", mega.name, "2341:0042", maker, MEGA["serial"], True)
    assert mega == there
    assert (ftdi.chip, ftdi.product, ftdi.alone) == ("0403:6001", "FT232R USB UART", True)


def test_a_reader_on_anothers_port_is_refused_by_its_serial_number(pi: MockPi) -> None:
    pi.plug_usb("1-2", "ttyUSB0", **FTDI)
    pi.plug_usb("1-3", "ttyUSB1", **{**FTDI, "serial": "A50285XX"})
    assert usb_serial_of("/dev/ttyUSB0") == "A50285BI"
    assert usb_serial_of("/dev/ttyUSB1") == "A50285XX"
    assert usb_serial_of("/dev/ttyUSB7") is None

    async def main() -> None:
        path = "/dev/ttyUSB0"
        own = of_serial(connector(path, "reader 1"), path, "A50285BI", "reader 1")
        (await own()).close()
        swapped = of_serial(connector(path, "reader 2"), path, "A50285XX", "reader 2")
        with pytest.raises(WrongDeviceError, match="A50285BI instead of A50285XX"):
            await swapped()

    asyncio.run(main())


async def until(heard: Heard, state: HealthState) -> Health:
    return await heard.until(Health, lambda health: health.state is state)


async def pressed(heard: Heard, board: BoardProcess) -> None:
    await board.key(6, True)
    assert (await heard.until(KeyPress)).key == "confirm"
    await board.key(6, False)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_board_is_found_among_others_and_again_in_another_socket(pi: MockPi) -> None:
    async def main(board: BoardProcess) -> None:
        pi.plug_usb("1-2", "ttyUSB0", **FTDI)
        pi.plug_usb("1-1", "ttyACM0", to=board.port, **MEGA)
        inputs: Inputs = table_board(avoid=["/dev/ttyUSB0"])
        async with inputs:
            heard = Heard(inputs.readings())
            assert "firmware" in (await until(heard, HealthState.OK)).reason
            await pressed(heard, board)

            pi.unplug_usb("1-1")
            await until(heard, HealthState.LOST)
            pi.plug_usb("1-4", "ttyACM1", to=board.port, **MEGA)
            await until(heard, HealthState.OK)
            await pressed(heard, board)

    async def run() -> None:
        async with asyncio.timeout(PATIENCE_S), BoardProcess(BoardKind.LINUX) as board:
            await main(board)

    asyncio.run(run())


def test_without_a_board_it_is_said_how_one_is_found(pi: MockPi) -> None:
    pi.plug_usb("1-3", "ttyUSB1", **CH340)

    async def main() -> None:
        async with asyncio.timeout(PATIENCE_S), table_board() as inputs:
            lost = await until(Heard(inputs.readings()), HealthState.LOST)
            assert "no board is plugged in" in lost.reason

    asyncio.run(main())
