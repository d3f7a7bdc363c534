"""The libraries that the drivers stand on, on the kernel's own character devices: python-periphery,
RPi.GPIO as rpi-lgpio has it, and pyserial."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import periphery
import pytest
import serial
from serial.tools import list_ports

from tests.machines.kernel.devices import (
    I2C,
    I2C_MEMORY,
    PATIENCE_S,
    SPI,
    GpioChip,
    Transfer,
    UsbSerial,
    take_transfers,
)

pytestmark = pytest.mark.kernel


@pytest.fixture
def chip() -> Iterator[GpioChip]:
    with GpioChip(names={3: "SHUFFLER_DONE"}) as there:
        yield there


@pytest.fixture
def usb(tmp_path: Path) -> Iterator[UsbSerial]:
    with UsbSerial(tmp_path) as there:
        yield there


def test_every_edge_is_told_once_in_order_with_the_kernels_time(chip: GpioChip) -> None:
    line = periphery.GPIO(chip.path, 3, "in", edge="both")
    for high in (True, False, True, False, True):
        chip.pull(3, high)
    told: list[Any] = []
    while line.poll(0.5):
        told.append(line.read_event())
    assert [event.edge for event in told] == ["rising", "falling", "rising", "falling", "rising"]
    times = [event.timestamp for event in told]
    assert times == sorted(set(times))
    assert line.read() is True
    line.close()


def test_a_line_goes_by_its_name_and_belongs_to_one_program(chip: GpioChip) -> None:
    line = periphery.GPIO(chip.path, "SHUFFLER_DONE", "in")
    assert line.line == 3
    with pytest.raises(periphery.GPIOError) as refused:
        periphery.GPIO(chip.path, 3, "in")
    assert "busy" in str(refused.value)
    line.close()


def test_bias_and_inversion_make_a_pressed_key_read_true(chip: GpioChip) -> None:
    key = periphery.GPIO(chip.path, 7, "in", bias="pull_up", inverted=True)
    assert key.read() is False
    chip.pull(7, False)
    assert key.read() is True
    key.close()


def test_an_output_is_driven(chip: GpioChip) -> None:
    lamp = periphery.GPIO(chip.path, 5, "out")
    for on in (True, False):
        lamp.write(on)
        assert chip.level(5) is on
    lamp.close()


RPI_GPIO_PROGRAM = """
import sys, time, RPi.GPIO as GPIO
GPIO.setmode(GPIO.BCM)
GPIO.setup([17, 27], GPIO.IN)
GPIO.add_event_detect(17, GPIO.BOTH, callback=lambda _: print(GPIO.input(17), flush=True))
time.sleep(0.1)
GPIO.add_event_detect(27, GPIO.BOTH)
print("ready", flush=True)
sys.stdin.readline()
GPIO.cleanup()
"""


@pytest.mark.skipif(find_spec("lgpio") is None, reason="rpi-lgpio has no wheel for this Python")
def test_rpi_gpio_calls_back_for_edges_both_ways(chip: GpioChip, tmp_path: Path) -> None:
    """Not for every edge: on a busy machine it has missed one in some hundred, which is why the
    driver looks at all levels every second. And not before a second line is watched, where its
    thread slept through the first."""
    raspberry = {"RPI_LGPIO_REVISION": "c03111", "RPI_LGPIO_CHIP": str(chip.number)}
    with subprocess.Popen(
        [sys.executable, "-c", RPI_GPIO_PROGRAM],
        env={**os.environ, **raspberry},
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        told: set[str] = set()
        for high in (True, False) * 5:
            chip.pull(17, high)
            if select.select([program.stdout], [], [], 2.0)[0]:
                told.add(program.stdout.readline())
        assert told == {"0\n", "1\n"}
        program.communicate("\n", timeout=PATIENCE_S)
    assert program.returncode == 0


def test_spi_sends_what_it_is_given_and_no_more_than_spidev_takes() -> None:
    spi = periphery.SPI(SPI, 0, 2_400_000)
    take_transfers()
    assert bytes(spi.transfer(b"\x00\x55\xff")) == b"\xff\xaa\x00"
    spi.transfer(bytes(4096))
    with pytest.raises(periphery.SPIError) as refused:
        spi.transfer(bytes(4097))
    assert "Message too long" in str(refused.value)
    spi.close()
    short, long = take_transfers()
    assert short == Transfer(b"\x00\x55\xff", 2_400_000, 0)
    assert long.data == bytes(4096)


def test_i2c_keeps_what_is_written_and_nobody_else_answers() -> None:
    bus = periphery.I2C(I2C)
    bus.transfer(I2C_MEMORY, [bus.Message([0x10, 1, 2, 3])])
    answer = bus.Message([0, 0, 0], read=True)
    bus.transfer(I2C_MEMORY, [bus.Message([0x10]), answer])
    assert list(answer.data) == [1, 2, 3]
    with pytest.raises(periphery.I2CError):
        bus.transfer(0x30, [bus.Message([0])])
    bus.close()


def test_a_usb_port_carries_bytes_is_found_by_its_number_and_ends_when_pulled(
    usb: UsbSerial,
) -> None:
    for _ in range(2):
        usb.plug()
        host = serial.Serial(str(usb.link), 115_200, timeout=PATIENCE_S)
        with serial.Serial(usb.device, 115_200, timeout=PATIENCE_S) as device:
            device.write(b"reader")
            assert host.read(6) == b"reader"
            host.write(b"host")
            assert device.read(4) == b"host"
            known = [
                p.device for p in list_ports.comports() if p.serial_number == usb.serial_number
            ]
            assert known == [os.path.realpath(usb.link)]
            usb.unplug()
        with pytest.raises(serial.SerialException):
            host.read(1)
        host.close()
