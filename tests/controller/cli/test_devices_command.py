"""`burnturn devices`: names that last, ports told apart, and nothing opened unasked."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.camera_config import CameraPart
from controller.cli.devices import Answered, listing, proposal
from controller.cli.main import main
from controller.config import sample_text
from drivers import found as finding
from drivers.errors import DriverError, MisconfiguredError
from drivers.factory import probe
from drivers.found import Found, SerialPort, found
from drivers.sim.pepper_emulator import PepperEmulator
from drivers.sim.pepper_rims import PtyRim, ServedByThread
from drivers.sim.pn532_emulator import Pn532Emulator
from tests.drivers.still_field import StillField, uid_a


@dataclass
class Port:
    """A port as pyserial lists it."""

    device: str
    vid: int | None = 0x1A86
    pid: int | None = 0x7523
    serial_number: str | None = None
    product: str | None = "USB Serial"
    manufacturer: str | None = None


FTDI = {"vid": 0x0403, "pid": 0x6001, "product": "FT232R", "manufacturer": "FTDI"}


class Machine:
    """A made-up machine in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ports: list[Port] = []
        (root / "dev").mkdir()

    def plug(self, port: Port, by_id: str = "", by_path: str = "") -> None:
        self.ports.append(port)
        for kind, name in (("by-id", by_id), ("by-path", by_path)):
            if name:
                folder = self.root / "dev/serial" / kind
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).unlink(missing_ok=True)  # as udev does: the last one has the name
                (folder / name).symlink_to(f"../../{port.device.rsplit('/', 1)[1]}")

    def node(self, name: str) -> None:
        (self.root / "dev" / name).touch()

    def found(self) -> Found:
        return found(self.root, lambda: self.ports, lambda: ())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def text(there: Found, known: frozenset[str] = frozenset(), *answers: Answered) -> str:
    return "\n".join((*listing(there, known, answers), *proposal(there, known, answers)))


def test_two_chips_of_one_kind_are_told_apart_by_their_serial_numbers(machine: Machine) -> None:
    for n, serial in enumerate(("A1", "B2")):
        port = Port(f"/dev/ttyUSB{n}", serial_number=serial, **FTDI)  # type: ignore[arg-type]
        machine.plug(port, f"usb-FTDI_FT232R_{serial}-if00", f"pci-usb-0:{n}")
    first, second = machine.found().serial
    assert first.name == "/dev/serial/by-id/usb-FTDI_FT232R_A1-if00"
    assert (second.serial_number, second.alone, second.lasting) == ("B2", True, True)
    said = text(machine.found())
    assert "/dev/ttyUSB1   0403:6001, FTDI FT232R, serial number B2" in said
    assert 'port = "/dev/serial/by-id/usb-FTDI_FT232R_B2-if00"\nusb_serial = "B2"' in said


@pytest.mark.parametrize("serial", [None, "0001"])
def test_chips_without_a_number_of_their_own_are_named_by_their_socket(
    machine: Machine, serial: str | None
) -> None:
    for n in range(2):
        port = Port(f"/dev/ttyUSB{n}", serial_number=serial)
        machine.plug(port, "usb-1a86_USB_Serial-if00-port0", f"usb-0:1.{n}:1.0-port0")
    there = machine.found()
    assert [p.name for p in there.serial] == [
        "/dev/serial/by-path/usb-0:1.0:1.0-port0",
        "/dev/serial/by-path/usb-0:1.1:1.0-port0",
    ]
    said = text(there)
    assert said.count("leave it there") == 2
    assert "usb_serial" not in said


def test_sockets_without_a_device_are_left_out_and_the_pi_s_own_port_is_not(
    machine: Machine,
) -> None:
    for device in ("/dev/ttyS0", "/dev/ttyS1", "/dev/ttyAMA0"):
        machine.plug(Port(device, None, None, product=None))
    (port,) = machine.found().serial
    assert port.device == "/dev/ttyAMA0"
    assert "no lasting name" in text(machine.found())


def test_spi_and_gpio_are_listed_and_an_mfrc522_is_proposed(machine: Machine) -> None:
    for name in ("spidev0.0", "spidev0.1", "gpiochip0", "null"):
        machine.node(name)
    there = machine.found()
    assert (there.spi, there.gpio) == (("/dev/spidev0.0", "/dev/spidev0.1"), ("/dev/gpiochip0",))
    said = text(there, frozenset({"/dev/spidev0.0"}))
    assert "  /dev/spidev0.0   configured" in said
    assert 'number = 2\ndriver = "mfrc522"\nport = "/dev/spidev0.1"' in said
    assert said.count("[[reader]]") == 1


def test_an_arduino_mega_is_a_table_board_and_no_reader(machine: Machine) -> None:
    mega = Port("/dev/ttyACM0", 0x2341, 0x0042, "A1B2", "Mega 2560", "Arduino")
    machine.plug(mega, "usb-Arduino_A1B2-if00", "pci-usb-0:1")
    told = text(machine.found())
    assert "[table_board]             # an Arduino Mega" in told
    assert 'port = "/dev/serial/by-id/usb-Arduino_A1B2-if00"' in told
    assert "[[reader]]" not in told
    known = text(machine.found(), frozenset({"/dev/serial/by-id/usb-Arduino_A1B2-if00"}))
    assert "[table_board]" not in known


def test_pc_sc_readers_are_named_with_the_command_that_uses_them(machine: Machine) -> None:
    there = found(machine.root, lambda: (), lambda: ("ACS ACR122U 00 00",))
    assert 'burnturn deck register NAME --back red --desk "ACS ACR122U 00 00"' in text(there)

    def absent() -> tuple[str, ...]:
        raise MisconfiguredError("no pyscard", "PC/SC", "Install it.")

    said = text(found(machine.root, lambda: (), absent))
    assert "PC/SC readers: not known: no pyscard. Install it." in said
    assert "Nothing to configure" in said


def test_what_is_configured_is_marked_and_what_answered_is_named() -> None:
    there = Found(
        serial=(
            SerialPort("/dev/ttyUSB0", "/dev/serial/by-id/a", "1a86:7523", "", "A", True),
            SerialPort("/dev/ttyUSB1", "/dev/serial/by-id/b", "1a86:7523", "", "B", True),
        )
    )
    answer = Answered("/dev/serial/by-id/b", "pn532", "it answers, PN532 firmware 1.6")
    said = text(there, frozenset({"/dev/ttyUSB0"}), answer)
    assert "serial number A   configured" in said
    assert "      pn532: it answers, PN532 firmware 1.6" in said
    assert 'number = 2\ndriver = "pn532"\nport = "/dev/serial/by-id/b"' in said
    assert "by-id/a" not in said.split("table.toml", 1)[1]


def test_the_command_opens_nothing_and_answers_in_json(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    machine: Machine,
    tmp_path: Path,
) -> None:
    machine.plug(Port("/dev/ttyUSB7", serial_number="Z"), by_id="usb-z")
    monkeypatch.setattr(finding, "found", lambda **_: machine.found())
    monkeypatch.setattr("drivers.factory.probe", None)  # whoever calls it fails
    toml = tmp_path / "table.toml"
    toml.write_text(sample_text())
    with pytest.raises(SystemExit) as ended:
        main(["devices", "--json", "--config", str(toml)])
    assert not ended.value.code
    told = json.loads(capsys.readouterr().out)
    assert told["serial"][0]["name"] == "/dev/serial/by-id/usb-z"
    assert told["answers"] == []
    assert 'usb_serial = "Z"' in told["proposal"]


@pytest.mark.parametrize("kind", ["pn532", "pepper-c1-mux", "pepper-c1"])
def test_a_probed_port_says_whose_reader_is_behind_it(
    kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    field = StillField((1,), uid_a)
    emulator = (
        Pn532Emulator(field, 1)
        if kind == "pn532"
        else PepperEmulator(field, {1: 1}, mux=kind == "pepper-c1-mux")
    )
    rim = PtyRim(emulator)
    there = Found(serial=(SerialPort(rim.address, rim.address),))
    monkeypatch.setattr(finding, "found", lambda **_: there)
    with ServedByThread([rim]), pytest.raises(SystemExit) as ended:
        main(["devices", "--probe"])
    assert not ended.value.code
    said = capsys.readouterr().out
    assert f"      {kind}: it answers" in said
    assert f'driver = "{kind}"' in said


def test_a_port_that_cannot_be_opened_says_why() -> None:
    import asyncio

    with pytest.raises(DriverError, match="cannot be opened"):
        asyncio.run(probe("pn532", "/dev/no-such-port"))


def test_cameras_are_listed_by_names_that_last(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number, (label, index) in enumerate(
        [("HD Pro Webcam C920", "0"), ("HD Pro Webcam C920", "1"), ("bcm2835-codec-decode", "0")]
    ):
        machine.node(f"video{number}")
        about = tmp_path / f"sys/class/video4linux/video{number}"
        about.mkdir(parents=True)
        (about / "name").write_text(label + "\n")
        (about / "index").write_text(index + "\n")
    lasting = "/dev/v4l/by-id/usb-046d_C920-video-index0"
    (tmp_path / "dev/v4l/by-id").mkdir(parents=True)
    (tmp_path / lasting.lstrip("/")).symlink_to("../../video0")
    there = machine.found()
    assert [(c.device, c.name) for c in there.cameras] == [("/dev/video0", lasting)]
    listed = "\n".join(listing(there, frozenset(), ()))
    assert "/dev/video0   HD Pro Webcam C920" in listed
    assert "video1" not in listed
    assert "bcm2835" not in listed
    assert "configured" in "\n".join(listing(there, frozenset({lasting}), ()))
    assert "[[camera]]" not in "\n".join(proposal(there, frozenset({lasting}), ()))
    lines = list(proposal(there, frozenset(), ()))
    block = "\n".join(lines[next(i for i, line in enumerate(lines) if "[[camera]]" in line) :])
    camera = CameraPart.model_validate(tomllib.loads(block)["camera"][0])
    assert (camera.driver, camera.device, camera.width) == ("v4l2", lasting, 1920)
