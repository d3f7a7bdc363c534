"""Numbers, acknowledgements, sending again: every message once and in order, whatever the line
loses, doubles or damages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelink.delivery import (
    AGAIN_PAUSE_S,
    BOARD_WINDOW,
    HOST_WINDOW,
    SEND_AGAIN_S,
    Delivery,
    Line,
    Place,
    after,
)
from tablelink.framing import BadFrame, Decoder, Frame
from tablelink.messages import Again, Message, Ping, SeatsChanged, SnapshotPlease


def taken_up_to(number: int) -> Delivery:
    """The end that has taken so many numbered frames."""
    end = Delivery(1, BOARD_WINDOW, Line(None))
    seq = 0
    for _ in range(number):
        seq = after(seq)
        assert end.arrived(seq, 0.0)
    return end


def test_numbers_go_round_without_zero() -> None:
    assert [after(0), after(1), after(254), after(255)] == [1, 2, 255, 1]
    assert after(250, 10) == 5


@pytest.mark.parametrize(
    ("taken", "seq", "place"),
    [
        (0, 1, Place.NEXT),
        (0, 2, Place.AHEAD),
        (0, 255, Place.AHEAD),  # nothing has been taken yet, so nothing seen
        (3, 4, Place.NEXT),
        (3, 3, Place.SEEN),
        (3, 1, Place.SEEN),
        (3, 255, Place.AHEAD),
        (20, 13, Place.SEEN),
        (20, 12, Place.AHEAD),  # no window reaches so far back
        (255, 1, Place.NEXT),
        (255, 255, Place.SEEN),
        (258, 251, Place.SEEN),
        (258, 250, Place.AHEAD),
    ],
)
def test_a_number_is_next_seen_or_ahead(taken: int, seq: int, place: Place) -> None:
    assert taken_up_to(taken).place(seq) is place


def test_no_more_wait_than_the_window_holds() -> None:
    end = Delivery(1, HOST_WINDOW, Line(None))
    while end.room(0.0):
        end.send(SnapshotPlease(), 0.0)
    assert end.full
    end.acknowledged(0)
    end.acknowledged(9)
    assert end.full
    end.acknowledged(2)
    assert (end.full, end.room(0.0)) == (False, True)


def test_what_is_not_acknowledged_goes_again_after_its_time() -> None:
    end = Delivery(1, BOARD_WINDOW, Line(115_200))
    end.send(SeatsChanged(1, 0, 0), 10.0)
    gone_at = 10.0 + 20 * 10 / 115_200
    end.take_out(10.0)
    assert end.due == pytest.approx(gone_at + SEND_AGAIN_S)
    end.tick(end.due - 1e-6)
    assert end.take_out(10.1) == b""
    end.tick(end.due)
    (again,) = Decoder().feed(end.take_out(10.1))
    assert isinstance(again, Frame)
    assert (again.seq, again.message) == (1, SeatsChanged(1, 0, 0))


def test_what_is_still_going_out_is_not_sent_twice() -> None:
    end = Delivery(1, BOARD_WINDOW, Line(115_200))
    end.send(SeatsChanged(1, 0, 0), 10.0)
    end.take_out(10.0)
    end.asked_again(10.0005)
    assert end.take_out(10.0005) == b""
    end.asked_again(10.003)
    assert end.counts.sent_again == 1


def test_rubbish_is_answered_but_not_by_a_storm() -> None:
    end = taken_up_to(2)
    end.take_out(0.0)
    for n in range(100):
        end.complain(1.0 + n * AGAIN_PAUSE_S / 10)
    said = Decoder().feed(end.take_out(2.0))
    assert [type(f.message) for f in said if isinstance(f, Frame)] == [Again] * 10


def test_a_frame_that_goes_out_anyway_carries_the_acknowledgement() -> None:
    end = taken_up_to(3)
    end.send(Ping(7), 1.0)
    (only,) = Decoder().feed(end.take_out(1.0))
    assert isinstance(only, Frame)
    assert (only.message, only.ack) == (Ping(7), 3)


FATES = st.sampled_from(["good", "good", "good", "lost", "damaged", "twice"])


@given(st.integers(1, 300), st.lists(FATES, max_size=400), st.sampled_from((4, 8)))
def test_every_message_once_and_in_order(count: int, fates: list[str], window: int) -> None:
    sender, taker = Delivery(9, window, Line(None)), Delivery(9, 4, Line(None))
    to_taker, to_sender = Decoder(), Decoder()
    waiting = list(range(count))
    taken: list[int] = []
    now = 0.0
    fate = iter(fates)

    def carried(data: bytes) -> bytes:
        match next(fate, "good"):
            case "lost":
                return b""
            case "damaged":
                return data[:3] + bytes((data[3] ^ 1 or 9,)) + data[4:] if data else b""
            case "twice":
                return data + data
            case _:
                return data

    def read(end: Delivery, decoder: Decoder, data: bytes) -> list[Message]:
        found = []
        for item in decoder.feed(data):
            if isinstance(item, BadFrame):
                end.complain(now)
            elif isinstance(item, Frame):
                end.acknowledged(item.ack)
                if isinstance(item.message, Again):
                    end.asked_again(now)
                if item.seq and end.arrived(item.seq, now):
                    found.append(item.message)
        return found

    while len(taken) < count or sender.oldest_since < 1e9:
        assert now < 60.0, "it never ends"
        sender.tick(now)
        while waiting and sender.room(now):
            sender.send(SeatsChanged(waiting.pop(0), 0, 0), now)
        came = read(taker, to_taker, carried(sender.take_out(now)))
        taken += [m.time for m in came if isinstance(m, SeatsChanged)]
        read(sender, to_sender, carried(taker.take_out(now)))
        now += 0.004
    assert taken == list(range(count))
