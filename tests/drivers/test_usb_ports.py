"""Which ports are tried for the table's board, and in which order."""

from __future__ import annotations

from drivers.usb_ports import UsbPort, candidates, connected

MEGA = UsbPort("/dev/ttyACM1", 0x2341, 0x0042, "75735")
OTHER_MAKER = UsbPort("/dev/ttyACM0", 0x2A03, 0x0042)
CLONE = UsbPort("/dev/ttyUSB0", 0x1A86, 0x7523)
FTDI = UsbPort("/dev/ttyUSB1", 0x0403, 0x6001, "A1")
MODEM = UsbPort("/dev/ttyUSB9", 0x12D1, 0x1001)
ALL = (CLONE, MEGA, MODEM, FTDI, OTHER_MAKER)


def test_without_a_serial_number_only_real_megas_are_tried() -> None:
    assert candidates(ALL, clones=False) == ("/dev/ttyACM0", "/dev/ttyACM1")


def test_with_one_the_converters_follow() -> None:
    assert candidates(ALL, clones=True) == (
        *("/dev/ttyACM0", "/dev/ttyACM1"),
        *("/dev/ttyUSB0", "/dev/ttyUSB1"),
    )


def test_ports_of_readers_are_left_alone() -> None:
    assert candidates(ALL, clones=True, avoid={"/dev/ttyUSB0", "/dev/ttyACM0"}) == (
        *("/dev/ttyACM1", "/dev/ttyUSB1"),
    )


def test_what_is_plugged_in_here_can_be_asked() -> None:
    assert all(isinstance(port, UsbPort) and port.path for port in connected())
