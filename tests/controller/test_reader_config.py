"""Readers in a table.toml: what a driver can serve, and what means something to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.config import ConfigError, read, reader_specs, sample_text

HERE = Path("/nowhere")
BY_ID = "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"


def table(
    readers: Sequence[tuple[str, str]],
    seat: str = 'zone = "seat/1"\nmax_stack = 2',
    more: str = "",
    game: str = "holdem",
) -> str:
    """A table of two seats. readers: driver and port, and further lines, of the reader of seat 1,
    whose antenna is given, and of all other antennas."""
    text = f"""
[table]
seats = 2
dealt_in = [1, 2]
game = "{game}"
"""
    for number, (driver, rest) in enumerate(readers, start=1):
        text += f'\n[[reader]]\nnumber = {number}\ndriver = "{driver}"\n{rest}\n'
    text += f"\n[[antenna]]\nnumber = 1\nreader = 1\nport = 1\n{seat}\n"
    for port, zone in enumerate(("seat/2", "board", "burn", "muck"), start=1):
        text += f'\n[[antenna]]\nnumber = {port + 1}\nreader = 2\nport = {port}\nzone = "{zone}"\n'
    return text + more


MUX = ("pepper-c1-mux", 'port = "/dev/ttyACM0"')


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigError) as caught:
        read(text, "table.toml", HERE)
    return [(f.line, f.message) for f in caught.value.faults]


def only(text: str, part: str) -> str:
    """The only fault, which stands at the line that holds `part`."""
    ((line, message),) = faults(text)
    assert part in text.splitlines()[line - 1]
    return message


def test_a_pn532_serves_a_seat_of_two_cards() -> None:
    config = read(table([("pn532", f'port = "{BY_ID}"\nusb_serial = "A1"'), MUX]), "t", HERE)
    spec = reader_specs(config)[0]
    assert (spec.driver, spec.port, spec.usb_serial, spec.antennas) == (
        "pn532",
        BY_ID,
        "A1",
        {1: 1},
    )
    assert config.layout.by_zone[config.layout.antennas[0].zone].profile.max_stack == 2


@pytest.mark.parametrize(
    ("seat", "part", "message"),
    [
        ('zone = "seat/1"', "[[antenna]]", "max_stack is missing; a pn532 tells 2 cards apart"),
        (
            'zone = "seat/1"\nmax_stack = 5',
            "max_stack = 5",
            "max_stack = 5; a pn532 tells 2 cards apart; allowed: 1 or 2",
        ),
    ],
)
def test_a_pn532_is_not_believed_of_more_than_two(seat: str, part: str, message: str) -> None:
    text = table([("pn532", 'port = "/dev/ttyUSB0"'), MUX], seat=seat)
    assert message in only(text, part)


def test_a_pn532_watches_no_pile() -> None:
    text = table([("pn532", 'port = "/dev/ttyUSB0"'), MUX]).replace(
        'zone = "seat/1"', 'zone = "count"'
    )
    assert (
        'antenna 1: zone = "count"; driver pn532 may only watch: seat'
        in [message for _, message in faults(text)][-1]
    )


def test_a_pn532_is_no_reader_for_omaha() -> None:
    text = table([("pn532", 'port = "/dev/ttyUSB0"'), MUX], game="omaha")
    assert "omaha gives a seat 4 cards, and a pn532 tells 2 apart" in only(text, "[[antenna]]")


@pytest.mark.parametrize(
    ("reader", "part", "message"),
    [
        (("mfrc522", 'port = "/dev/ttyUSB0"'), "ttyUSB0", "allowed: an SPI device such as"),
        (("llrp", 'port = "/dev/ttyUSB0"'), "ttyUSB0", "allowed: tcp://host, or tcp://host:port"),
        (("pn532", ""), "[[reader]]", "port is missing; allowed: a serial device or tcp://"),
        (
            ("pn532", 'port = "/dev/ttyUSB0"\nfirmware = [2]'),
            "firmware",
            "firmware means nothing to driver pn532; allowed: number, driver, port, mode, "
            "usb_serial",
        ),
        (
            ("pepper-c1", 'port = "tcp://10.0.0.5:1234"\nusb_serial = "A1"'),
            "usb_serial",
            "usb_serial and a network port; choose one",
        ),
        (
            ("mfrc522", 'port = "/dev/spidev0.0"\ngain_db = 40'),
            "gain_db",
            "gain_db = 40; allowed: 18, 23, 33, 38, 43, 48",
        ),
        (
            ("mfrc522", 'port = "/dev/spidev0.0"\nmode = "json"'),
            "mode",
            'driver mfrc522 has no mode "json"; allowed: polled',
        ),
    ],
)
def test_a_reader_s_port_and_settings_must_fit_its_driver(
    reader: tuple[str, str], part: str, message: str
) -> None:
    place = 'zone = "count"' if reader[0] == "llrp" else 'zone = "seat/1"\nmax_stack = 2'
    text = table([reader, MUX], seat=place)
    found = [m for line, m in faults(text) if line and part in text.splitlines()[line - 1]]
    assert any(message in m for m in found)


def test_an_uhf_reader_is_for_a_box_and_not_for_a_seat() -> None:
    text = table([("llrp", 'port = "tcp://10.0.0.5"'), MUX])
    assert "driver llrp may only watch: count, stub" in only(text, "seat/1")


def test_a_reader_with_one_antenna_has_port_one() -> None:
    text = table([("mfrc522", 'port = "/dev/spidev0.0"'), MUX]).replace(
        "reader = 1\nport = 1", "reader = 1\nport = 2"
    )
    assert "antenna 1: port = 2; driver mfrc522 allows 1" in only(text, "port = 2")


def test_pucks_have_a_seat_and_a_port_each() -> None:
    def puck(seat: int, port: str, driver: str = "rdm6300") -> str:
        return f'\n[[puck]]\nseat = {seat}\ndriver = "{driver}"\nport = "{port}"\n'

    good = table([("mfrc522", 'port = "/dev/spidev0.0"'), MUX], more=puck(1, "/dev/a"))
    assert read(good + puck(2, "/dev/b", "id12la"), "t", HERE).file.puck[1].driver == "id12la"
    said = [message for _, message in faults(good + puck(1, "/dev/a") + puck(3, "tcp://x:1"))]
    assert any("seat 1 is taken by puck 1" in m for m in said)
    assert any("port /dev/a is taken by puck 1" in m for m in said)
    assert any("puck: seat = 3; allowed: 1 to 2" in m for m in said)
    assert any('port = "tcp://x:1"; allowed: a serial device' in m for m in said)


def test_the_sample_names_every_driver() -> None:
    from drivers.factory import DRIVERS

    assert all(re.search(rf"\b{re.escape(name)}\b", sample_text()) for name in DRIVERS)


SIMULATED = "[simulation]\nseed = 1\n"


def test_a_simulated_reader_may_be_a_pn532_with_its_limits() -> None:
    pn532, mux = ("simulated", 'model = "pn532"'), ("simulated", "")
    spec, other = reader_specs(read(table([pn532, mux], more=SIMULATED), "t", HERE))
    assert (spec.driver, spec.model, spec.antennas) == ("simulated", "pn532", {1: 1})
    assert other.model == ""
    board = table([pn532, mux], seat='zone = "board"\nmax_stack = 2', more=SIMULATED)
    assert any("driver pn532 may only watch: seat" in message for _, message in faults(board))
    full = table([pn532, mux], seat='zone = "seat/1"\nmax_stack = 4', more=SIMULATED)
    assert "a pn532 tells 2 cards apart" in only(full, "max_stack")


def test_a_model_is_one_that_is_simulated_and_of_nothing_else() -> None:
    odd = table([("simulated", 'model = "mfrc522"'), ("simulated", "")], more=SIMULATED)
    assert only(odd, "mfrc522") == ('reader 1: model = "mfrc522"; allowed: pepper-c1-mux, pn532')
    real = table([("pn532", f'port = "{BY_ID}"\nmodel = "pn532"'), MUX])
    assert "model means nothing to driver pn532" in only(real, "model")
