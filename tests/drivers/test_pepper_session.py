"""The conversation with a reader: lock step, late and foreign answers, silence as a value."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from drivers.errors import AntennaRefusedError, DeviceSilentError, FirmwareUnknownError
from drivers.readings import Uid
from drivers.rfid.pepper_codec import (
    Ack,
    Answer,
    Done,
    Dummy,
    Failed,
    GetTagCount,
    GetUid,
    GetVersion,
    Halt,
    JsonPush,
    SetActiveAntenna,
    SetPolling,
    TagCount,
    TagUid,
    UidPushed,
    Version,
)
from drivers.rfid.pepper_session import MAX_PUSHES, PepperSession, PepperSettings

A, B = Uid(bytes.fromhex("E004015000000001")), Uid(bytes.fromhex("E004015000000002"))


def greeted(ports: tuple[int, ...] = (1, 2)) -> PepperSession:
    """A session whose reader has been set up; the last port is active."""
    session = PepperSession(PepperSettings(ports=ports))
    out = session.start(session.hello(), 0.0)
    answers: list[Answer] = [
        Done(1),
        Version("2.56.2249"),
        Done(6),
        Done(5),
        *[Done(0x0F)] * len(ports),
    ]
    for answer in answers:
        assert out
        out = session.feed(answer.wire(), 0.0)
    assert not session.busy
    return session


def test_hello_asks_in_a_fixed_order() -> None:
    session = PepperSession(PepperSettings(ports=(1, 8)))
    sent = [session.start(session.hello(), 0.0)]
    answers = (Done(1), Version("2.56.2249"), Done(6), Done(5), Done(0x0F), Done(0x0F))
    sent += [session.feed(answer.wire(), 0.0) for answer in answers]
    assert sent == [
        Dummy().wire(),
        GetVersion().wire(),
        SetPolling(False).wire(),
        Halt().wire(),
        SetActiveAntenna(1).wire(),
        SetActiveAntenna(8).wire(),
        b"",
    ]
    assert session.result == session.version == "2.56.2249"
    assert session.deadline == inf


def test_a_poll_switches_counts_and_names() -> None:
    session = greeted()
    assert session.start(session.poll(1), 5.0) == SetActiveAntenna(1).wire()
    assert session.feed(Done(0x0F).wire(), 5.0) == GetTagCount().wire()
    assert session.deadline == 5.0 + session.settings.look_s
    assert session.feed(TagCount(2).wire(), 5.1) == GetUid(0).wire()
    assert session.feed(TagUid(0x22, 0, A).wire(), 5.1) == GetUid(1).wire()
    assert session.feed(TagUid(0x22, 0, B).wire(), 5.1) == b""
    assert session.result == (A, B)
    # The antenna stays switched, so the next look at it starts with the inventory.
    assert session.start(session.poll(1), 6.0) == GetTagCount().wire()
    session.feed(TagCount(0).wire(), 6.0)
    assert session.result == ()


def test_a_plain_reader_is_never_told_to_switch() -> None:
    session = PepperSession(PepperSettings(ports=(1,), switching=False))
    session.start(session.hello(), 0.0)
    for answer in (Done(1), Version("2.1"), Done(6), Done(5)):
        session.feed(answer.wire(), 0.0)
    assert session.start(session.poll(1), 0.0) == GetTagCount().wire()


def test_an_answer_to_another_command_is_not_taken() -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    assert session.feed(Ack(0x93, b"\x05").wire() + Done(0x0F).wire(), 0.0) == b""
    assert session.counts.foreign == 2
    assert session.feed(TagCount(1).wire(), 0.0) == GetUid(0).wire()


def test_an_answer_behind_the_answer_cannot_be_meant_for_the_next_command() -> None:
    """It was sent before the next command was, whatever it echoes."""
    session = greeted()
    session.start(session.poll(2), 0.0)
    session.feed(TagCount(2).wire(), 0.0)
    wire = TagUid(0x22, 0, A).wire()
    assert session.feed(wire + wire, 0.0) == GetUid(1).wire()
    assert session.counts.late == 1
    session.feed(TagUid(0x22, 0, B).wire(), 0.0)
    assert session.result == (A, B)


def test_an_answer_after_the_wait_is_dropped_before_the_next_look() -> None:
    """The late count of port 2 must not become the count of port 1."""
    session = greeted()
    session.start(session.poll(2), 0.0)
    assert session.tick(session.deadline - 0.001) == b""
    assert session.tick(session.deadline) == b""
    assert session.result is None
    assert session.counts.silences == 1
    assert session.start(session.poll(1), 1.0) == Dummy().wire()
    assert session.feed(TagCount(2).wire(), 1.0) == b""
    assert session.counts.foreign == 1
    # It may have restarted meanwhile: it is set up anew and switched again.
    assert session.feed(Done(1).wire(), 1.0) == SetPolling(False).wire()
    assert session.feed(Done(6).wire(), 1.0) == Halt().wire()
    assert session.feed(Done(5).wire(), 1.0) == SetActiveAntenna(1).wire()
    assert session.feed(Done(0x0F).wire(), 1.0) == GetTagCount().wire()
    session.feed(TagCount(0).wire(), 1.0)
    assert session.result == ()


def test_an_answer_when_nothing_is_asked_is_counted() -> None:
    session = greeted()
    assert session.feed(Done(0x0F).wire(), 9.0) == b""
    assert session.counts.late == 1


@pytest.mark.parametrize(
    "answer",
    [
        Failed(2, b"\x01\x10").wire(),
        Ack(2, b"").wire(),
        TagCount(1).wire()[:-1] + b"\x00",
        b"\xf5\x05\x00\xf0\xff" + bytes(5),
    ],
    ids=["refused", "no count", "bad checksum", "bad length"],
)
def test_anything_but_a_clean_answer_is_noise(answer: bytes) -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    session.feed(answer, 0.0)
    assert not session.busy
    assert session.result is None


def test_a_refused_or_repeated_identity_is_noise() -> None:
    for second in (Failed(3, b"\x01\x10"), TagUid(0x22, 0, A)):
        session = greeted()
        session.start(session.poll(2), 0.0)
        for answer in (TagCount(2), TagUid(0x22, 0, A), second):
            session.feed(answer.wire(), 0.0)
        assert not session.busy
        assert session.result is None


def test_rubbish_before_an_answer_does_not_hide_it() -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    session.feed(b"boot: 0x13\r\n" + TagCount(0).wire(), 0.0)
    assert session.result == ()
    assert session.counts.damaged == 1


def test_an_answer_swallowed_by_a_damaged_length_is_found_at_the_deadline() -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    assert session.feed(b"\xf5\x20\x00\xdf\xff" + TagCount(0).wire(), 0.0) == b""
    assert session.busy
    session.tick(session.deadline)
    assert session.result is None or session.result == ()
    assert not session.busy


def test_silent_polls_are_counted_in_a_row() -> None:
    session = greeted()
    now = 0.0
    for expected in (1, 2, 3):
        session.start(session.poll(1), now)
        while session.busy:
            now = session.deadline
            session.tick(now)
        assert session.silent_polls == expected
    out = session.start(session.poll(1), now)
    for answer in (Done(1), Done(6), Done(5), Done(0x0F), TagCount(0)):
        assert out
        out = session.feed(answer.wire(), now)
    assert session.result == ()
    assert session.silent_polls == 0


def refused(answers: list[Any], settings: PepperSettings) -> None:
    session = PepperSession(settings)
    session.start(session.hello(), 0.0)
    try:
        for answer in answers:
            session.feed(answer.wire(), 0.0)
        while session.busy:
            session.tick(session.deadline)
    finally:
        assert not session.busy


@pytest.mark.parametrize("version", ["3.0.1", "1.9", "nonsense", "EPROM"])
def test_firmware_that_we_do_not_speak_is_refused_with_a_remedy(version: str) -> None:
    settings = PepperSettings(where="reader 1 on /dev/ttyUSB0")
    with pytest.raises(FirmwareUnknownError, match=r"reader 1 on .*speaks 2\.x.*accept_firmware"):
        refused([Done(1), Version(version)], settings)


def test_firmware_can_be_allowed() -> None:
    settings = PepperSettings(ports=(), accept_major=(2, 3))
    refused([Done(1), Version("3.0.1"), Done(6), Done(5)], settings)


def test_silence_and_refused_antennas_say_what_to_do() -> None:
    with pytest.raises(DeviceSilentError, match="Check the reader's power"):
        refused([], PepperSettings())
    for answers in ([Done(1)], [Done(1), Version("2.56"), Done(6), Done(5)]):
        with pytest.raises(DeviceSilentError, match="stopped answering"):
            refused(answers, PepperSettings())
    with pytest.raises(AntennaRefusedError, match=r"port 1 \(error 0110\).*pepper-c1"):
        refused(
            [Done(1), Version("2.56"), Done(6), Done(5), Failed(0x0F, b"\x01\x10")],
            PepperSettings(),
        )


def test_the_pushed_modes_are_set_up_in_order_and_ended() -> None:
    session = greeted()
    sent = [session.start(session.push("json"), 0.0)]
    sent += [session.feed(Done(code).wire(), 0.0) for code in (6, 0x16, 0x16, 0x16, 6)]
    assert [wire[5:-2].hex() for wire in sent] == [
        "0600", "16033200", "16060103", "16060003", "0601", "",
    ]  # fmt: skip
    assert session.result is True
    session.feed(JsonPush(A, 2).wire() + UidPushed(0x22, 0, B).wire(), 0.5)
    assert session.take_pushes() == [JsonPush(A, 2), UidPushed(0x22, 0, B)]
    assert session.take_pushes() == []
    for _ in range(MAX_PUSHES + 5):
        session.feed(JsonPush(A, 2).wire(), 0.5)
    assert session.counts.dropped == 5
    assert session.start(session.stop_push(), 1.0) == SetPolling(False).wire()
    assert session.feed(Done(6).wire(), 1.0) == Halt().wire()
    session.feed(Done(5).wire(), 1.0)
    assert session.result is True


def test_reports_nobody_asked_for_do_not_disturb_a_poll() -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    session.feed(JsonPush(A, 2).wire() + TagCount(0).wire() + JsonPush(A, 2).wire(), 0.0)
    assert session.result == ()
    assert session.counts.unasked == 2
    assert session.take_pushes() == []


def test_a_reader_that_gives_identities_backwards_is_turned_round() -> None:
    session = PepperSession(PepperSettings(ports=(), switching=False, reversed_uids=True))
    session.start(session.hello(), 0.0)
    for answer in (Done(1), Version("2.1"), Done(6), Done(5)):
        session.feed(answer.wire(), 0.0)
    session.start(session.poll(1), 0.0)
    session.feed(TagCount(1).wire(), 0.0)
    session.feed(TagUid(0x22, 0, Uid(A[::-1])).wire(), 0.0)
    assert session.result == (A,)


def test_only_one_procedure_at_a_time_and_a_lost_one_can_be_dropped() -> None:
    session = greeted()
    session.start(session.poll(2), 0.0)
    with pytest.raises(RuntimeError, match="one procedure at a time"):
        session.start(session.poll(1), 0.0)
    session.cancel()
    assert not session.busy
    assert session.start(session.poll(1), 0.0) == Dummy().wire()
