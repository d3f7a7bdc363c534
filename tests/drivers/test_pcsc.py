"""Desktop NFC readers: the real PC/SC service with a virtual reader, started by the test, and cards
laid on it. Needs: sudo apt-get install pcscd vsmartcard-vpcd swig libpcsclite-dev; pip install
'burnturn[pcsc]'."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.config import sample_text
from drivers.errors import DriverError, MisconfiguredError, PortUnavailableError
from drivers.factory import desk_reader
from drivers.readings import Health, HealthState, Outcome, Poll, Uid
from drivers.rfid.pcsc import PcscLink, chosen, reader_names, uid_of
from drivers.sim.virtual_card import VirtualCard

A = Uid(bytes.fromhex("04A1B2C3D4E580"))
ICODE = Uid(bytes.fromhex("E00401509A8B7C6D"))


def missing() -> str:
    """What this machine lacks for a virtual reader; "" if nothing."""
    if shutil.which("pcscd") is None:
        return "pcscd is not installed: sudo apt-get install pcscd vsmartcard-vpcd"
    if not Path("/etc/reader.conf.d/vpcd").exists():
        return "the virtual reader is not installed: sudo apt-get install vsmartcard-vpcd"
    try:
        import smartcard  # noqa: F401
    except ImportError:
        return "pyscard is not installed: pip install 'burnturn[pcsc]'"
    return ""


def started() -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(["pcscd", "-f"], stdout=quiet, stderr=quiet)


@contextmanager
def service() -> Iterator[subprocess.Popen[bytes]]:
    """The PC/SC service in the foreground, with the virtual reader; one test at a time has it."""
    with (Path(tempfile.gettempdir()) / "burnturn-pcscd.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = started()
        try:
            until = time.monotonic() + 15
            while True:
                try:
                    if reader_names():
                        break
                except DriverError:
                    pass
                if process.poll() is not None or time.monotonic() > until:
                    pytest.skip("the PC/SC service does not start here; is another one running?")
                time.sleep(0.05)
            time.sleep(0.3)
            if process.poll() is not None:
                pytest.skip("another PC/SC service is running; stop it for this test")
            yield process
        finally:
            process.terminate()
            process.wait()


needs_service = pytest.mark.skipif(bool(missing()), reason=missing())


async def looks_until(link: PcscLink, outcome: Outcome) -> Poll:
    for _ in range(200):
        poll = await link.poll(15)
        if poll.outcome is outcome:
            return poll
    raise AssertionError


@needs_service
def test_cards_are_laid_and_taken_away_on_the_real_service() -> None:
    async def main() -> None:
        link = PcscLink("desk", "Virtual PCD 00 00", 15)
        await link.open()
        assert link.introduction == "it is attached: Virtual PCD 00 00"
        assert (await link.poll(15)).outcome is Outcome.EMPTY
        for uid, told in ((A, A), (Uid(ICODE[::-1]), ICODE)):
            card = VirtualCard(uid)
            card.lay()
            poll = await looks_until(link, Outcome.SEEN)
            assert (poll.antenna, poll.uids, poll.complete) == (15, (told,), True)
            before = card.asked
            await looks_until(link, Outcome.SEEN)
            assert card.asked > before  # found anew, not remembered
            card.take()
            await looks_until(link, Outcome.EMPTY)
        mute = VirtualCard(A, refuses=True)
        mute.lay()
        poll = await looks_until(link, Outcome.NOISE)
        assert poll.uids == ()
        mute.take()

    with service():
        asyncio.run(main())


@needs_service
def test_a_service_that_ends_is_told_and_one_that_comes_back_is_found() -> None:
    async def main() -> None:
        async with asyncio.timeout(60):
            with service() as process:
                reader = desk_reader("Virtual PCD 00 00", 15)
                async with reader:
                    readings = reader.readings()
                    async for reading in readings:
                        if isinstance(reading, Poll):
                            break
                    process.terminate()
                    process.wait()
                    async for reading in readings:
                        if isinstance(reading, Health):
                            assert reading.state is HealthState.LOST
                            break
                    again = started()
                    try:
                        async for reading in readings:
                            if isinstance(reading, Poll):
                                break
                        assert [h.state for h in reader.health] == [HealthState.OK]
                    finally:
                        again.terminate()
                        again.wait()

    asyncio.run(main())


@needs_service
def test_a_deck_is_laid_on_the_desk_reader(tmp_path: Path) -> None:
    """The first card only: a whole deck takes minutes here as at a desk."""
    toml = tmp_path / "table.toml"
    toml.write_text(sample_text())
    words = ["deck", "register", "red-9", "--back", "red", "--desk", "virtual pcd 00 00"]
    command = [sys.executable, "-m", "controller.cli.main", *words, "--config", str(toml)]
    with service():
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            said = [process.stdout.readline()]
            card = VirtualCard(A)
            card.lay()
            until = time.monotonic() + 30
            while card.asked < 25 and time.monotonic() < until:
                time.sleep(0.05)
            card.take()
            said.append(process.stdout.readline())
            process.stdin.write("a")
            process.stdin.close()
            said.append(process.stdout.read())
        assert process.returncode == 1
        assert said[1] == "LAY 1/52: lay the two of spades\n"
        assert A.hex() not in "".join(said).lower()


def test_a_reader_is_chosen_by_a_part_of_its_name() -> None:
    names = ("ACS ACR122U PICC Interface 00 00", "HID OMNIKEY 5022 01 00", "HID OMNIKEY 01 00")
    assert chosen("acr122", names) == 0
    assert chosen("HID OMNIKEY 01 00", names) == 2
    assert chosen("any", names[:1]) == 0
    for wanted, there, message in (
        ("OMNIKEY", names, "several readers are called 'OMNIKEY'"),
        ("any", names, "several readers"),
        ("any", (), "no reader is attached"),
        ("SCM", names, "no reader is called 'SCM'"),
    ):
        with pytest.raises(PortUnavailableError, match=message) as caught:
            chosen(wanted, there)
        assert (there[0] if there else "none") in str(caught.value)


@pytest.mark.parametrize(
    ("told", "uid"),
    [
        ("04A1B2C3D4E580", A),
        ("E00401509A8B7C6D", ICODE),
        ("6D7C8B9A500104E0", ICODE),  # some readers tell the other end first
        ("", None),
        ("0102030405", None),
    ],
)
def test_what_counts_as_a_uid(told: str, uid: Uid | None) -> None:
    assert uid_of(bytes.fromhex(told)) == uid


def test_without_the_package_its_absence_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "smartcard", None)
    with pytest.raises(MisconfiguredError, match=r"libpcsclite-dev.*burnturn\[pcsc\]"):
        reader_names()
