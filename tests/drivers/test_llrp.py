"""The UHF driver against llrpkit's emulated reader, over TCP: looks of a fixed time, loss and
return, an antenna whose cable is missing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from drivers.errors import LinkLostError, MisconfiguredError, PortUnavailableError
from drivers.readings import Health, HealthState, Outcome, Poll, Uid
from drivers.rfid.llrp import LlrpLink
from drivers.rfid.table import ReaderTable
from drivers.sweep import SweepScheduler

emulation = pytest.importorskip("llrpkit.emulator", reason="the extra llrp is not installed")
messages = pytest.importorskip("llrpkit.protocol").messages

LOOK_S = 0.05


def epc(card: int) -> Uid:
    return Uid(bytes.fromhex("E280116060000209C5D7C5") + bytes((card,)))


def far_end(*tags: tuple[int, tuple[int, ...]], port: int = 0, **more: Any) -> Any:
    """An emulated reader. tags: card and the antennas that see it."""
    shown = [emulation.EmulatedTag(epc=bytes(epc(c)), antennas=a) for c, a in tags]
    return emulation.LLRPEmulator(tags=shown, reads_per_sec=2000.0, port=port, **more)


def link_to(emulator: Any, **ports: int) -> LlrpLink:
    numbers = {int(name[1:]): port for name, port in ports.items()}
    return LlrpLink(
        "box", "127.0.0.1", emulator.port, numbers or {15: 1, 16: 2}, "box", look_s=LOOK_S
    )


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(30):
            await test()

    asyncio.run(main())


def test_a_look_names_all_tags_of_its_antenna_and_no_other_s() -> None:
    async def test() -> None:
        async with far_end((1, (1,)), (2, (1,)), (3, (2,)), (4, (1, 2))) as emulator:
            link = link_to(emulator)
            await link.open()
            first, second = await link.poll(15), await link.poll(16)
            await link.close()  # type: ignore[misc]
        assert "firmware llrpkit-emu 0.1" in link.introduction
        assert set(first.uids) == {epc(1), epc(2), epc(4)}
        assert set(second.uids) == {epc(3), epc(4)}
        for poll in (first, second):
            assert poll.complete
            assert LOOK_S <= poll.ended - poll.started < 1.0
        assert first.ended <= second.started

    run(test)


def test_a_tag_answers_in_every_look_and_an_empty_box_is_empty() -> None:
    """In session 1 it would keep silent after its first answer; the emulator does not model that,
    so the wire is looked at."""

    async def test() -> None:
        async with far_end((1, (1,))) as emulator:
            link = link_to(emulator)
            await link.open()
            looks = [(await link.poll(15)).uids for _ in range(3)]
            empty = await link.poll(16)
            spec, _ = emulator._rospecs[1]
            (inventory,) = spec.spec_parameters[0].inventory_parameter_specs
            (command,) = inventory.antenna_configurations[0].air_protocol_inventory_command_settings
            assert command.c1_g2_singulation_control.session == 0
            await link.close()  # type: ignore[misc]
        assert looks == [(epc(1),)] * 3
        assert (empty.uids, empty.outcome) == ((), Outcome.EMPTY)

    run(test)


def test_an_antenna_without_its_cable_is_noise_and_never_empty() -> None:
    async def test() -> None:
        async with far_end((1, (1,))) as emulator:
            link = link_to(emulator)
            await link.open()
            await link.poll(15)
            await emulator.set_antenna_connected(1, False)
            assert (await link.poll(15)).outcome is Outcome.NOISE
            assert (await link.poll(16)).outcome is Outcome.EMPTY
            await emulator.set_antenna_connected(1, True)
            assert (await link.poll(15)).uids == (epc(1),)
            await link.close()  # type: ignore[misc]

    run(test)


def test_a_reader_that_is_switched_off_is_told_and_comes_back() -> None:
    async def test() -> None:
        emulator = far_end((1, (1,)))
        await emulator.start()
        link = link_to(emulator, a15=1)
        table = ReaderTable([link], SweepScheduler((15,)), backoff_s=(0.02,))
        async with table:
            readings = table.readings()

            async def until(wanted: Callable[[Poll | Health], bool]) -> Poll | Health:
                async for reading in readings:
                    if wanted(reading):
                        return reading
                raise AssertionError

            await until(lambda r: isinstance(r, Poll))
            await emulator.stop()
            lost = await until(lambda r: isinstance(r, Health))
            assert isinstance(lost, Health)
            assert (lost.state, lost.antennas) == (HealthState.LOST, (15,))
            again = far_end((2, (1,)), port=link._address[1])
            await again.start()
            await until(lambda r: isinstance(r, Poll) and r.uids == (epc(2),))
        await again.stop()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(test)


def test_a_look_that_is_not_confirmed_is_lost_and_not_empty() -> None:
    async def test() -> None:
        async with far_end((1, (1,))) as emulator:
            link = link_to(emulator)
            await link.open()
            emulator.drop_next(messages.STOP_ROSPEC)
            with pytest.raises(LinkLostError, match="connection"):
                await link.poll(15)
            assert not link.up
            await link.close()  # type: ignore[misc]

    run(test)


def test_it_serves_one_program_and_says_so() -> None:
    async def test() -> None:
        async with far_end() as emulator:
            first, second = link_to(emulator), link_to(emulator)
            await first.open()
            with pytest.raises(PortUnavailableError, match="one at a time"):
                await second.open()
            await first.close()  # type: ignore[misc]

    run(test)


def test_an_antenna_that_it_does_not_have_is_refused() -> None:
    async def test() -> None:
        async with far_end(antenna_count=4) as emulator:
            with pytest.raises(MisconfiguredError, match="no antenna 5"):
                await link_to(emulator, a1=5).open()

    run(test)


def test_without_the_package_its_absence_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llrpkit.client", None)
    link = LlrpLink("box", "127.0.0.1", 9, {1: 1}, "box")
    with pytest.raises(MisconfiguredError, match=r"burnturn\[llrp\]"):
        asyncio.run(link.open())


def test_no_identity_in_any_word(capfd: pytest.CaptureFixture[str]) -> None:
    words: list[object] = []

    async def test() -> None:
        emulator = far_end((1, (1,)))
        await emulator.start()
        link = link_to(emulator)
        await link.open()
        words.append(await link.poll(15))
        await emulator.stop()
        with pytest.raises(LinkLostError) as caught:
            await link.poll(15)
        words.extend([caught.value, vars(link)])
        await link.close()  # type: ignore[misc]

    run(test)
    text = "".join(f"{w!r}{w}" for w in words)
    out, err = capfd.readouterr()
    for shown in (text, out, err):
        assert "C5D7" not in shown.upper()
        assert "\\xc5\\xd7" not in shown
    assert "<uid>" in text
