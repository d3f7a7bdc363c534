"""The emulated reader: it answers the vendor's own client, refuses what the reader refuses, and the
wire between it and the session gives what its field gives."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pepper_c1 import PepperC1, TCPTransport, UARTTransport
from pepper_c1.commands import PollingEventFormat
from pepper_c1.exceptions import CommandError

from drivers.factory import Dealer, FieldAntenna, Noise, World, polls, wire_polls
from drivers.readings import Outcome, Poll, Uid
from drivers.rfid.pepper_codec import (
    ActivateTag,
    Decoder,
    DeviceConfig,
    Done,
    Failed,
    GetDeviceConfig,
    GetTagCount,
    GetUid,
    JsonPush,
    OtherCommand,
    PollingEvents,
    Reply,
    SetActiveAntenna,
    SetLed,
    SetPolling,
    TagCount,
    TagUid,
    read_reply,
)
from drivers.rfid.virtual import VirtualReader
from drivers.sim.pepper_emulator import Ether, FieldModel, PepperEmulator, WireFault
from drivers.sim.pepper_rims import PtyRim, ServedByThread, TcpRim
from drivers.sweep import SweepScheduler
from tests.drivers.still_field import StillField, uid

PORTS = {p: p for p in range(1, 9)}


def asked(emulator: PepperEmulator, *commands: Any, now: float = 0.0) -> list[Reply]:
    decoder: Decoder[Reply] = Decoder(read_reply)
    return [m for c in commands for m in decoder.feed(emulator.feed(c.wire(), now))]


# -- the vendor's client ---------------------------------------------------------------------------


def over_tcp(emulator: PepperEmulator) -> tuple[TcpRim, Callable[[], Any]]:
    rim = TcpRim(emulator)
    return rim, lambda: TCPTransport("127.0.0.1", rim.port)


def over_pty(emulator: PepperEmulator) -> tuple[PtyRim, Callable[[], Any]]:
    rim = PtyRim(emulator)
    return rim, lambda: UARTTransport(rim.address, timeout=0.02)


@pytest.mark.parametrize("over", [over_tcp, over_pty])
def test_the_vendors_client_talks_to_it(over: Callable[[PepperEmulator], Any]) -> None:
    emulator = PepperEmulator(StillField(tuple(range(1, 9))), PORTS, name="Table 7")
    rim, transport = over(emulator)
    with ServedByThread([rim]), PepperC1(transport(), response_timeout=2.0) as client:
        assert client.get_version() == "2.56.2249"
        assert client.get_device_name() == "Table 7"
        client.set_polling(False)
        for port in PORTS:
            client.set_active_antenna(port)
            assert client.get_tag_count() == port % 3
            told = [client.get_uid(i) for i in range(port % 3)]
            assert [u[2:] for u in told] == [uid(port, i) for i in range(port % 3)]
            assert all(u[0] == 0x22 for u in told)
        with pytest.raises(CommandError):
            client.get_uid(7)
        client.halt()
        assert not emulator.ether.transmitting


def test_the_vendors_client_hears_binary_reports() -> None:
    emulator = PepperEmulator(StillField((1,)), {1: 1}, mux=False)
    rim, transport = over_tcp(emulator)
    with ServedByThread([rim]), PepperC1(transport()) as client:
        client.polling_setup_timeout(5)
        client.polling_setup_async(known=False, frame_format=PollingEventFormat.BINARY)
        client.set_polling(True)
        while not client.async_events:
            client.halt()
        client.set_polling(False)
    assert client.async_events[0] == bytes((0x00, 0x22, 0x00)) + uid(1)


# -- what it refuses -------------------------------------------------------------------------------


def test_it_refuses_what_the_reader_refuses() -> None:
    emulator = PepperEmulator(StillField(tuple(range(1, 9))), PORTS)
    refused = (
        SetActiveAntenna(0),
        SetActiveAntenna(9),
        GetUid(0),
        ActivateTag(0),
        PollingEvents(False, 2),
        OtherCommand(0x20, b"\x01\x01\x0a\x00"),
    )
    for command in refused:
        (answer,) = asked(emulator, command)
        assert isinstance(answer, Failed)
        assert answer.command == command.code
    plain = PepperEmulator(StillField((1,)), {1: 1}, mux=False)
    assert isinstance(asked(plain, SetActiveAntenna(1))[0], Failed)


def test_switching_forgets_the_last_inventory() -> None:
    emulator = PepperEmulator(StillField(tuple(range(1, 9))), PORTS)
    assert asked(emulator, SetActiveAntenna(2), GetTagCount(), GetUid(1), ActivateTag(1)) == [
        Done(0x0F),
        TagCount(2),
        TagUid(0x22, 0, uid(2, 1)),
        Done(4),
    ]
    assert isinstance(asked(emulator, SetActiveAntenna(1), GetUid(0))[1], Failed)


def test_it_does_not_count_while_it_polls_by_itself() -> None:
    emulator = PepperEmulator(StillField(tuple(range(1, 9))), PORTS)
    assert asked(emulator, PollingEvents(False, 3), SetPolling(True)) == [Done(0x16), Done(6)]
    assert isinstance(asked(emulator, GetTagCount())[0], Failed)
    decoder: Decoder[Reply] = Decoder(read_reply)
    pushed = decoder.feed(emulator.tick(emulator.wake_at))
    assert pushed[0] == JsonPush(uid(1), 1, "ICODE SLIX", 0)
    assert len(pushed) == sum(p % 3 for p in PORTS)


def test_lamp_name_and_rubbish() -> None:
    emulator = PepperEmulator(StillField((1,)), {1: 1}, name="Tisch 4")
    assert emulator.feed(b"AT\r\n\xf5\x00{", 0.0) == b""
    assert asked(emulator, SetLed(255, 0, 0, 100), GetDeviceConfig()) == [
        Done(0x14),
        DeviceConfig(True, False, "Tisch 4"),
    ]


def test_a_look_ends_when_its_time_is_over() -> None:
    field = StillField(tuple(range(1, 9)))
    emulator = PepperEmulator(field, PORTS, look_s=0.025)
    assert asked(emulator, GetTagCount(), now=5.0) == []
    assert emulator.wake_at == 5.025
    assert emulator.tick(5.02) == b""
    assert emulator.tick(5.03) == TagCount(1).wire()
    assert field.looks == [(1, 5.0, 5.03)]


def test_a_restart_is_deaf_for_a_second_and_forgets() -> None:
    emulator = PepperEmulator(StillField(tuple(range(1, 9))), PORTS)
    asked(emulator, SetActiveAntenna(5), GetTagCount())
    emulator.arm(WireFault.REBOOT, 10.0)
    assert not emulator.ether.transmitting
    assert asked(emulator, GetTagCount(), now=10.9) == []
    assert asked(emulator, GetTagCount(), now=11.0) == [TagCount(1)]


# -- wire and air say the same ---------------------------------------------------------------------


class FitfulField:
    """Looks whose results are drawn anew each time: none, some, or corrupt."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        count = self._chance.choice((0, 0, 0, 1, 2, 5, None))
        if count is None:
            return None
        return tuple(
            Uid(self._chance.randbytes(self._chance.choice((4, 7, 8)))) for _ in range(count)
        )


def readers(field: FieldModel, where: dict[int, tuple[int, int]], look_s: float) -> tuple[
    list[VirtualReader], Ether
]:  # fmt: skip
    """Emulated readers for antennas given as number: (reader, port)."""
    ether = Ether()
    found = []
    for reader in sorted({r for r, _ in where.values()}):
        ports = {antenna: port for antenna, (r, port) in where.items() if r == reader}
        emulator = PepperEmulator(
            field,
            {port: antenna for antenna, port in ports.items()},
            look_s=look_s,
            name=f"reader {reader}",
            ether=ether,
        )
        found.append(VirtualReader(emulator, ports))
    return found, ether


WHERE = {a: ((a - 1) // 8 + 1, (a - 1) % 8 + 1) for a in range(1, 16)}


def direct(
    field: FieldModel, scheduler: SweepScheduler, sweep_s: float, start: float
) -> Iterator[Poll]:
    """Polls without a wire."""
    cost = sweep_s / len(scheduler.antennas)
    for n in itertools.count():
        antenna = scheduler.next()
        started, ended = start + n * cost, start + (n + 1) * cost
        uids = field.look(antenna, started, ended)
        outcome = Outcome.NOISE if uids is None else Outcome.SEEN if uids else Outcome.EMPTY
        yield Poll(antenna, uids or (), outcome, started, ended)


@pytest.mark.parametrize("seed", range(20))
def test_wire_bytes_give_the_polls_of_the_field(seed: int) -> None:
    sweep_s, start = (0.4, 0.0) if seed % 2 else (0.6, 1234.5)
    wired, ether = readers(FitfulField(seed), WHERE, sweep_s / 15)
    a, b = SweepScheduler(tuple(WHERE)), SweepScheduler(tuple(WHERE))
    wire = wire_polls(wired, a, sweep_s, start)
    air = direct(FitfulField(seed), b, sweep_s, start)
    focus = random.Random(seed)
    for n in range(300):
        assert next(wire) == next(air)
        if n % 40 == 20:
            wanted = focus.sample(range(1, 16), 3)
            a.focus(wanted)
            b.focus(wanted)
    assert ether.overlaps == []


SEATS = range(1, 10)
FIELDS = (
    *(
        FieldAntenna(s, f"seat/{s}", tuple(n for n in (s - 1, s + 1) if n in SEATS), 2)
        for s in SEATS
    ),
    FieldAntenna(10, "board", (11,), 5, reader=2, port=1),
    FieldAntenna(11, "burn", (10, 12), 4, reader=2, port=2),
    FieldAntenna(12, "muck", (11,), 2, reader=2, port=3),
)


def played(seed: int) -> World:
    """A deal, a flop and two folds on a table that reads badly, all scheduled ahead."""
    noise = Noise(0.05, 0.02, 0.4, seed, corrupt=0.02, ghost=0.01, shift=0.01)
    world = World(FIELDS, noise, cards_seed=seed)
    dealer = Dealer(world, tuple(SEATS), button=1 + seed % 9, deck_seed=seed, seed=seed)
    dealer.hole()
    dealer.fold(1 + seed % 9)
    dealer.burn()
    dealer.flop()
    dealer.fold(1 + (seed + 3) % 9)
    return world


@pytest.mark.parametrize("decade", range(20))
def test_wire_bytes_give_the_polls_of_the_simulated_table(decade: int) -> None:
    """Two hundred seeds in all: to the last bit the polls of the source without a wire."""
    where = {f.number: (f.reader, f.port if f.reader > 1 else f.number % 9) for f in FIELDS}
    where[9] = (2, 4)
    for seed in range(10 * decade, 10 * decade + 10):
        wired, ether = readers(played(seed), where, 0.4 / len(FIELDS))
        a, b = SweepScheduler(tuple(where)), SweepScheduler(tuple(where))
        a.focus((2, 3, 10))
        b.focus((2, 3, 10))
        wire = wire_polls(wired, a, 0.4)
        air = polls(played(seed), b, 0.4)
        seen = 0
        for ours, theirs in itertools.islice(zip(wire, air, strict=False), 480):
            assert ours == theirs
            seen += ours.outcome is Outcome.SEEN
        assert seen > 50
        assert ether.overlaps == []
