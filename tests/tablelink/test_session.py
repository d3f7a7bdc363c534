"""The host's side and the twin, joined by wires that a test cuts, stops and bends, in virtual
time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from math import inf
from typing import TypeVar

import pytest

from drivers.sim.table_board import BoardTwin, Build, Memory, Remembered
from tablelink.framing import Decoder, Frame, Received, encode
from tablelink.messages import (
    Again,
    Booted,
    Fault,
    Hello,
    Keep,
    Kept,
    KeptSaid,
    Lamp,
    Lamps,
    Message,
    Ping,
    Pixels,
    Pong,
    Refused,
    Sensor,
    Settings,
    Snapshot,
    SnapshotPlease,
    Threshold,
    Why,
)
from tablelink.session import (
    LISTEN_S,
    LOST_S,
    Answer,
    Buttons,
    Event,
    Everything,
    Faults,
    Found,
    HostSession,
    Key,
    Loss,
    Lost,
    Phase,
    PressesLost,
    Seats,
    VersionRefused,
)

LATENCY_S = 0.002
E = TypeVar("E")
Bend = Callable[[bytes, float], bytes]


def straight(data: bytes, now: float) -> bytes:
    return data


class Joined:
    """Host and board, 2 ms apart. `down` and `up` bend what goes to the board and from it."""

    def __init__(
        self, board: BoardTwin | None = None, baud: int | None = None, first_session: int = 1
    ) -> None:
        self.now = 100.0
        self.board = board or BoardTwin(baud=baud, now=self.now)
        self.numbers = itertools.count(first_session)
        self.host = HostSession(lambda: next(self.numbers), baud)
        self.down: Bend = straight
        self.up: Bend = straight
        self.events: list[tuple[float, Event]] = []
        self.sent: list[tuple[float, Received]] = []
        self.heard: list[tuple[float, Received]] = []
        self._coming: list[tuple[float, bool, bytes]] = []
        self._decoders = Decoder(), Decoder()
        self.host.opened(self.now)

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while True:
            at = min((a for a, _, _ in self._coming), default=inf)
            at = min(at, self.host.deadline, self.board.wake_at)
            if at > until:
                self.now = until
                return
            self.now = max(self.now, at)
            self._step()

    def _step(self) -> None:
        now = self.now
        due = [c for c in self._coming if c[0] <= now]
        self._coming = [c for c in self._coming if c[0] > now]
        events: list[Event] = []
        for _, down, data in due:
            if down:
                self._put(False, self.board.feed(data, now))
            else:
                events += self.host.feed(data, now)
        if self.board.wake_at <= now:
            self._put(False, self.board.tick(now))
        if self.host.deadline <= now:
            events += self.host.tick(now)
        self.events += [(now, event) for event in events]
        self.flush()

    def flush(self) -> None:
        self._put(True, self.host.outgoing(self.now))

    def _put(self, down: bool, data: bytes) -> None:
        if not data:
            return
        log = self.sent if down else self.heard
        log += [(self.now, item) for item in self._decoders[not down].feed(data)]
        data = (self.down if down else self.up)(data, self.now)
        if data:
            self._coming.append((self.now + LATENCY_S, down, data))

    def of(self, kind: type[E]) -> list[E]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def said(self, kind: type[Message], since: float = 0.0) -> list[float]:
        """When the host sent messages of this kind."""
        return [at for at, m in messages(self.sent) if isinstance(m, kind) and at >= since]

    def up_now(self) -> Joined:
        self.run(LISTEN_S + 0.5)
        assert self.host.phase is Phase.UP
        self.run(0.5)
        return self


def messages(log: Iterable[tuple[float, Received]]) -> list[tuple[float, Message]]:
    return [(at, item.message) for at, item in log if isinstance(item, Frame)]


def nothing(data: bytes, now: float) -> bytes:
    return b""


# -- beginning -------------------------------------------------------------------------------------


def test_a_board_that_says_it_booted_is_greeted_at_once() -> None:
    line = Joined()
    line.run(0.1)
    assert line.host.phase is Phase.UP
    assert [type(e) for e in (line.of(Found) + line.of(Everything))] == [Found, Everything]
    assert line.of(Everything)[0].snapshot.reason == Why.START
    assert len(line.said(Hello)) == 1


def test_a_silent_board_is_greeted_after_two_seconds() -> None:
    line = Joined().up_now()
    board, was = line.board, line.board.session
    again = Joined(board, first_session=50)
    again.run(LISTEN_S - 0.1)
    assert again.said(Hello) == []
    again.run(0.2)
    assert again.host.phase is Phase.UP
    assert board.session not in (0, was)


def test_a_number_drawn_twice_by_chance_is_noticed() -> None:
    """The board takes HELLO for one sent again and goes on counting where it was."""
    board = Joined().up_now().board
    again = Joined(board)
    again.run(LISTEN_S + 2.0)
    assert again.host.phase is Phase.UP
    assert board.session == 2
    assert [e.snapshot.reason for e in again.of(Everything)] == [Why.START]


def test_a_boot_loader_is_left_in_peace() -> None:
    """It starts its second anew with every byte that it hears."""
    line = Joined(BoardTwin(build=Build(boot_s=1.0), now=100.0)).up_now()
    at = line.now
    line.board.restart(at, cause=2)
    line.run(LOST_S + LISTEN_S + 0.5)
    assert line.host.phase is Phase.UP
    assert [e.loss for e in line.of(Lost)] == [Loss.SILENT]
    assert line.of(Found)[-1].restarted


def test_a_stubborn_boot_loader_gets_pauses() -> None:
    line = Joined(BoardTwin(build=Build(boot_s=2.5), now=100.0))
    line.run(12.0)
    assert line.host.phase is Phase.UP


def test_identity_lost_on_the_way_is_asked_for_again() -> None:
    line = Joined()

    def no_identity(data: bytes, now: float) -> bytes:
        return b"" if now < 100.35 else data

    line.up = no_identity
    line.run(LISTEN_S + 1.0)
    assert line.host.phase is Phase.UP
    assert len(line.of(Everything)) == 1


@pytest.mark.parametrize(("lowest", "highest", "too_old"), [(2, 3, False), (0, 0, True)])
def test_another_version_is_refused_and_named(lowest: int, highest: int, too_old: bool) -> None:
    line = Joined(BoardTwin(build=Build(lowest=lowest, highest=highest), now=100.0))
    line.run(5.0)
    refused = line.of(VersionRefused)
    assert [r.board_too_old for r in refused] == [too_old]
    assert line.host.phase is Phase.REFUSED
    assert line.board.session == 0
    assert line.said(Ping) == []


def test_a_port_that_echoes_is_no_board() -> None:
    line = Joined(BoardTwin(now=1e9))
    line.up = nothing
    line.down = lambda data, now: line._coming.append((now + 0.001, False, data)) or b""  # type: ignore[func-returns-value]
    line.run(15.0)
    assert line.of(Found) == []
    assert line.host.phase in (Phase.LISTENING, Phase.CALLING)


# -- what is told ----------------------------------------------------------------------------------


def test_changes_come_with_the_moment_of_their_edge() -> None:
    line = Joined().up_now()
    at = line.now
    line.board.press(3, at)
    line.run(0.1)
    line.board.release(3, line.now)
    line.board.sit(4, True, line.now)
    line.board.lay_button(7, True, line.now)
    line.run(0.5)
    keys = line.of(Key)
    assert [(k.key, k.pressed) for k in keys] == [(3, True), (3, False)]
    assert keys[0].moment.at == pytest.approx(at, abs=0.005)
    assert line.of(Seats)[-1].occupied == 0b1000
    assert line.of(Seats)[-1].moment.at == pytest.approx(at + 0.1, abs=0.005)
    assert line.of(Buttons)[-1].sensed == 0b1000000


def test_a_press_reaches_the_host_within_fifteen_milliseconds() -> None:
    line = Joined(BoardTwin(now=100.0), baud=115_200).up_now()
    at = line.now
    line.board.press(1, at)
    line.run(0.1)
    (heard_at,) = [t for t, e in line.events if isinstance(e, Key)]
    assert heard_at - at < 0.015


def test_a_contact_that_bounces_has_changed_once() -> None:
    line = Joined().up_now()
    for n in range(6):
        (line.board.release if n % 2 else line.board.press)(2, line.now)
        line.run(0.002)
    line.board.press(2, line.now)
    certain = line.now
    line.run(0.1)
    assert [(k.key, k.pressed) for k in line.of(Key)] == [(2, True)]
    assert line.of(Key)[0].moment.at == pytest.approx(certain, abs=0.005)


def test_a_seat_is_known_only_after_its_hold_time() -> None:
    line = Joined()
    line.run(0.05)
    assert line.of(Everything)[0].snapshot.known == 0
    line.run(0.5)
    assert line.of(Seats)[-1].known == 0x7FF


def test_a_seat_without_a_sensor_is_not_known() -> None:
    line = Joined().up_now()
    line.host.threshold(Threshold(5, Sensor.NONE), line.now)
    line.flush()
    line.run(0.5)
    assert line.of(Seats)[-1].known == 0x7FF & ~(1 << 4)


def test_an_analogue_sensor_that_is_cut_is_not_known() -> None:
    build = Build(sensor=Sensor.HIGH_IS_OCCUPIED)
    line = Joined(BoardTwin(build=build, now=100.0, baud=None)).up_now()
    line.board.sit(2, True, line.now)
    line.run(0.5)
    assert (line.of(Seats)[-1].occupied, line.of(Seats)[-1].known) == (0b10, 0x7FF)
    line.board.level(2, 1023, line.now)
    line.run(2.1)
    assert (line.of(Seats)[-1].occupied, line.of(Seats)[-1].known) == (0, 0x7FF & ~0b10)
    assert line.of(Faults)[-1].faults == Fault.SENSOR_CUT
    line.board.level(2, 100, line.now)
    line.run(1.0)
    assert (line.of(Seats)[-1].occupied, line.of(Seats)[-1].known) == (0, 0x7FF)
    assert line.of(Faults)[-1].faults == 0


# -- sending again ---------------------------------------------------------------------------------


def test_a_damaged_frame_is_sent_again_at_once() -> None:
    line = Joined().up_now()
    spoilt: list[float] = []

    def spoil(data: bytes, now: float) -> bytes:
        if not spoilt and data[2:3] == b"\x86":
            spoilt.append(now)
            return data[:8] + bytes((data[8] ^ 4,)) + data[9:]
        return data

    line.up = spoil
    line.board.press(1, line.now)
    line.run(0.2)
    assert spoilt
    assert len(line.said(Again)) == 1
    (heard_at,) = [t for t, e in line.events if isinstance(e, Key)]
    assert heard_at - spoilt[0] < 0.010


def test_a_frame_that_vanished_is_sent_again_in_time_and_taken_once() -> None:
    line = Joined().up_now()
    cut_until = line.now + 0.050
    line.up = lambda data, now: b"" if now < cut_until else data
    line.board.press(1, line.now)
    line.run(0.3)
    assert [(k.key, k.pressed) for k in line.of(Key)] == [(1, True)]
    assert line.of(Lost) == []


def test_acknowledgements_that_vanish_repeat_nothing() -> None:
    line = Joined().up_now()
    cut_until = line.now + 0.3
    line.down = lambda data, now: b"" if now < cut_until else data
    for key in range(1, 6):
        line.board.press(key, line.now)
        line.run(0.02)
    line.run(0.6)
    assert [k.key for k in line.of(Key)] == [1, 2, 3, 4, 5]


def test_only_the_newest_picture_waits_for_a_slow_line() -> None:
    line = Joined(BoardTwin(baud=115_200, now=100.0), baud=115_200).up_now()
    for n in range(1, 200):
        line.host.show_pixels(Pixels(8, bytes([n]) * 32), line.now)
    line.flush()
    line.run(0.2)
    shown = [m for _, m in messages(line.sent) if isinstance(m, Pixels)]
    assert len(shown) < 10
    assert line.board.pixels(line.now) == bytes([199]) * 32


def test_words_are_kept_apart_from_pictures_and_all_arrive() -> None:
    line = Joined().up_now()
    for seat in range(1, 12):
        line.host.threshold(Threshold(seat, Sensor.OPEN_IS_OCCUPIED), line.now)
    line.host.settle(Settings(lamp_brightness=9), line.now)
    line.flush()
    line.run(0.3)
    assert {line.board.threshold(n).sensor for n in range(1, 12)} == {Sensor.OPEN_IS_OCCUPIED}
    assert line.board.settings.lamp_brightness == 9


# -- losing and finding ----------------------------------------------------------------------------


def test_a_board_that_falls_silent_is_lost_after_a_second() -> None:
    line = Joined().up_now()
    at = line.now
    line.up = nothing
    line.run(1.5)
    ((lost_at, _),) = [(t, e) for t, e in line.events if isinstance(e, Lost)]
    assert 0.8 < lost_at - at <= LOST_S + 0.01


def test_the_board_shows_that_the_controller_is_lost() -> None:
    line = Joined().up_now()
    line.host.show_lamps(Lamps(1, (Lamp(0, 9, 0),) * 11), line.now)
    line.host.show_pixels(Pixels(8, b"\x55" * 32), line.now)
    line.flush()
    line.run(0.5)
    assert line.board.lamps(line.now)[0] == Lamp(0, 9, 0)
    line.down = nothing
    line.run(1.2)
    assert not line.board.no_controller(line.now)
    line.run(0.5)
    assert line.board.pixels(line.now) is None
    assert line.board.lamps(line.now) == (Lamp(255, 0, 0, 1), *[Lamp(0, 0, 0)] * 10)
    line.down = straight
    line.run(6.0)
    assert line.board.pixels(line.now) == b"\x55" * 32
    assert line.board.lamps(line.now)[0] == Lamp(0, 9, 0)


def test_after_a_loss_everything_is_told_anew_with_the_presses_that_were_missed() -> None:
    line = Joined().up_now()
    line.down = line.up = nothing
    line.run(1.5)
    for _ in range(3):
        line.board.press(6, line.now)
        line.run(0.05)
        line.board.release(6, line.now)
        line.run(0.05)
    line.board.sit(9, True, line.now)
    line.run(1.0)
    line.down = line.up = straight
    line.run(6.0)
    assert line.of(Everything)[-1].snapshot.occupied == 1 << 8
    assert line.of(PressesLost) == [PressesLost(6, 3)]
    assert line.of(Key) == []
    assert not line.of(Found)[-1].restarted


def test_a_restarted_board_is_set_up_anew_and_told_apart() -> None:
    line = Joined().up_now()
    line.host.settle(Settings(lamp_brightness=77), line.now)
    line.host.threshold(Threshold(3, Sensor.NONE), line.now)
    line.host.show_lamps(Lamps(1, (Lamp(1, 2, 3, 4),) * 11), line.now)
    line.board.press(1, line.now)
    line.flush()
    line.run(0.5)
    line.board.release(1, line.now)
    line.board.restart(line.now, cause=8)
    line.run(1.0)
    assert [e.loss for e in line.of(Lost)] == [Loss.NO_SESSION]
    assert [e.restarted for e in line.of(Found)] == [False, True]
    assert line.board.settings.lamp_brightness == 77
    assert line.board.threshold(3).sensor == Sensor.NONE
    assert line.board.lamps(line.now)[10] == Lamp(1, 2, 3, 4)
    # The count of presses began at 0 with the restart; nothing was missed.
    assert line.of(PressesLost) == []
    assert line.of(Everything)[-1].snapshot.faults == Fault.WATCHDOG


def test_a_press_between_restart_and_session_is_known_to_be_lost() -> None:
    line = Joined().up_now()
    line.down = line.up = nothing
    line.board.restart(line.now)
    line.run(0.1)
    line.board.press(2, line.now)
    line.run(0.1)
    line.down = line.up = straight
    line.run(4.0)
    assert line.of(PressesLost) == [PressesLost(2, 1)]


def test_a_host_that_pauses_loses_no_press() -> None:
    """It reads what has come before it judges that nothing came."""
    line = Joined().up_now()
    host, board = line.host, line.board
    start = line.now
    board.press(4, start)
    waiting = b""
    t = start
    while t < start + 4.0:  # the host sleeps, its port's buffer fills
        t = max(t + 0.001, min(board.wake_at, start + 4.0))
        waiting += board.tick(t)
    events = host.feed(waiting[-4096:], t) + host.tick(t)
    assert [e.key for e in events if isinstance(e, Key)] == [4]
    assert host.phase is Phase.UP


def test_a_host_that_was_away_for_too_long_hears_that_the_session_is_over() -> None:
    line = Joined().up_now()
    line.board.press(4, line.now)
    start, t = line.now, line.now
    sent = b""
    while t < start + 12.0:
        t = max(t + 0.001, min(line.board.wake_at, start + 12.0))
        sent += line.board.tick(t)
    assert line.board.session == 0
    assert isinstance(Decoder().feed(sent)[-1], Frame)
    assert any(isinstance(m, Booted) for _, m in messages((0.0, f) for f in Decoder().feed(sent)))


def test_what_nobody_acknowledges_ends_the_session_after_a_second() -> None:
    """The board answers PING, but takes nothing numbered."""
    line = Joined().up_now()
    at = line.now

    def deaf(data: bytes, now: float) -> bytes:
        return b"".join(
            encode(f)
            for f in Decoder().feed(data)
            if isinstance(f, Frame) and not f.seq and not isinstance(f.message, Hello)
        )

    line.down = deaf
    line.host.show_pixels(Pixels(1, b"\1" * 32), line.now)
    line.flush()
    line.run(1.5)
    assert [(e.loss, 1.0 <= t - at < 1.1) for t, e in line.events if isinstance(e, Lost)] == [
        (Loss.UNACKNOWLEDGED, True)
    ]


def test_more_changes_than_the_board_keeps_are_told_by_a_snapshot() -> None:
    line = Joined().up_now()
    line.host.settle(Settings(key_hold_ms=1), line.now)
    line.flush()
    line.run(0.1)
    cut_until = line.now + 0.6
    line.up = lambda data, now: b"" if now < cut_until else data
    for _ in range(20):
        line.board.press(1, line.now)
        line.run(0.01)
        line.board.release(1, line.now)
        line.run(0.01)
    line.run(1.0)
    gaps = [e.snapshot for e in line.of(Everything) if e.snapshot.reason == Why.GAP]
    told = [k for k in line.of(Key) if k.pressed]
    missed = sum(p.presses for p in line.of(PressesLost))
    assert sum(g.lost for g in gaps) + len(line.of(Key)) == 40
    assert missed > 0
    assert len(told) + missed == 20
    assert line.of(Lost) == []


# -- wrong words -----------------------------------------------------------------------------------


def test_what_the_board_lacks_is_refused() -> None:
    line = Joined(BoardTwin(build=Build(lamps=6), now=100.0, baud=None)).up_now()
    line.host.show_lamps(Lamps(1, (Lamp(1, 1, 1),) * 7), line.now)
    line.host.show_pixels(Pixels(1, bytes(64)), line.now)
    line.flush()
    line.run(0.2)
    refused = [a.message for a in line.of(Answer)]
    assert refused == [Refused(4, 3, 0), Refused(5, 2, 33)]


def test_a_malformed_change_has_the_host_ask_for_everything() -> None:
    line = Joined().up_now()
    spoilt: list[int] = []

    def unknown_kind(data: bytes, now: float) -> bytes:
        out = b""
        for item in Decoder().feed(data):
            assert isinstance(item, Frame)
            if item.message.KIND == 0x86 and not spoilt:
                spoilt.append(item.seq)
                item = Frame(_Strange(), item.session, item.seq, item.ack)
            out += encode(item)
        return out

    line.up = unknown_kind
    line.board.press(8, line.now)
    line.run(0.3)
    assert spoilt
    assert line.of(Everything)[-1].snapshot.reason == Why.ASKED
    assert line.of(PressesLost) == [PressesLost(8, 1)]


class _Strange(Message):
    KIND = 0x8F  # type: ignore[assignment]
    NUMBERED = True

    def body(self) -> bytes:
        return b"?"


def test_frames_of_another_session_are_not_looked_at() -> None:
    line = Joined().up_now()
    before = len(line.events)
    line._coming.append((line.now, False, encode(Frame(Pong(1, 2), 999, 0, 0))))
    line.run(0.01)
    assert line.events[before:] == []
    assert line.host.counts.foreign == 1


# -- memory ----------------------------------------------------------------------------------------


def test_what_is_kept_survives_a_restart() -> None:
    memory = Memory(Remembered("TABLE-07"), Remembered("TABLE-07"))
    line = Joined(BoardTwin(memory=memory, now=100.0, baud=None)).up_now()
    line.host.threshold(Threshold(2, Sensor.OPEN_IS_OCCUPIED), line.now)
    assert line.host.tell(Keep(Kept.SETTINGS), line.now)
    assert line.host.tell(Keep(Kept.SERIAL, "TABLE-08"), line.now)
    line.flush()
    line.run(0.2)
    assert [a.message for a in line.of(Answer)] == [KeptSaid(1, 0), KeptSaid(2, 0)]
    fresh = Joined(BoardTwin(memory=memory, now=100.0, baud=None)).up_now()
    (found,) = fresh.of(Found)
    assert found.identity.serial == "TABLE-08"
    assert fresh.board.threshold(2).sensor == Sensor.OPEN_IS_OCCUPIED


@pytest.mark.parametrize(
    ("a", "b", "fault", "serial"),
    [
        (None, Remembered("B"), Fault.COPY_A_DAMAGED, "B"),
        (Remembered("A"), None, Fault.COPY_B_DAMAGED, "A"),
        (None, None, Fault.MEMORY_LOST, ""),
    ],
)
def test_a_damaged_memory_is_told_and_mended(
    a: Remembered | None, b: Remembered | None, fault: Fault, serial: str
) -> None:
    memory = Memory(a, b)
    line = Joined(BoardTwin(memory=memory, now=100.0, baud=None)).up_now()
    assert line.of(Everything)[0].snapshot.faults == fault
    assert line.of(Found)[0].identity.serial == serial
    assert memory.a == memory.b == Remembered(serial)


def test_asking_for_everything_gives_a_snapshot() -> None:
    line = Joined().up_now()
    assert line.host.tell(SnapshotPlease(), line.now)
    line.flush()
    line.run(0.1)
    assert [e.snapshot.reason for e in line.of(Everything)] == [Why.START, Why.ASKED]
    assert isinstance(line.of(Everything)[1].snapshot, Snapshot)
