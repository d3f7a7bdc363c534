"""Numbers, acknowledgements, sending again: go back N, the same for both ends (PROTOCOL.md,
"Numbers").
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import inf

from tablelink.framing import Frame, encode
from tablelink.messages import Ack, Again, Message

HOST_WINDOW = 4
BOARD_WINDOW = 8
SEND_AGAIN_S = 0.020
AGAIN_PAUSE_S = 0.005
LEAD_S = 0.002
"""So long before the line is free the next numbered frame is given to it: what is sent again goes
out soon, and a picture waits where a newer one can still take its place."""
NUMBERS = 255


def after(seq: int, steps: int = 1) -> int:
    """The number that many steps after another one: 1 to 255, then 1 again. 0 comes before 1."""
    return (seq - 1 + steps) % NUMBERS + 1


class Line:
    """When the last byte given to a line has left it. baud: None for one that takes no time."""

    def __init__(self, baud: int | None) -> None:
        self._byte_s = 0.0 if baud is None else 10 / baud
        self.free_at = -inf

    def sends(self, size: int, now: float) -> float:
        self.free_at = max(self.free_at, now) + size * self._byte_s
        return self.free_at


class Place(Enum):
    """Where a frame's number stands to those taken."""

    NEXT = "next"
    SEEN = "seen"
    AHEAD = "ahead"


@dataclass(slots=True)
class Waiting:
    """A numbered frame that is not acknowledged. first_at: when it was first sent. gone_at: when
    its last byte left, the last time."""

    seq: int
    message: Message
    first_at: float
    gone_at: float


@dataclass(slots=True)
class DeliveryCounts:
    sent: int = 0
    sent_again: int = 0
    seen: int = 0
    ahead: int = 0
    agains: int = 0


class Delivery:
    """One end's numbers in one session: what it sent, and what it took.

    What is to be sent is collected; whoever owns this takes it with `take_out`. window: how many
    frames may wait for their acknowledgement.
    """

    def __init__(self, session: int, window: int, line: Line) -> None:
        self.session = session
        self.counts = DeliveryCounts()
        self._window = window
        self._line = line
        self._out: list[bytes] = []
        self._waiting: deque[Waiting] = deque()
        self._back = 0  # so many of them, the newest, are to be sent again
        self._numbered = 0
        self._taken = 0
        self._taken_count = 0
        self._owes_ack = False
        self._again_at = -inf

    # -- sending -----------------------------------------------------------------------------------

    def room(self, now: float) -> bool:
        """One more numbered frame may be sent."""
        return not self._back and len(self._waiting) < self._window and now >= self.line_at

    @property
    def line_at(self) -> float:
        """From when on the line takes one more numbered frame."""
        return self._line.free_at - LEAD_S

    @property
    def full(self) -> bool:
        """No numbered frame may be sent before one is acknowledged."""
        return len(self._waiting) >= self._window

    @property
    def oldest_since(self) -> float:
        """When the oldest frame that waits was first sent; `inf` if none does."""
        return self._waiting[0].first_at if self._waiting else inf

    @property
    def due(self) -> float:
        """When `tick` has something to do; `inf`: never."""
        if self._back:
            return self.line_at
        return self._waiting[0].gone_at + SEND_AGAIN_S if self._waiting else inf

    def send(self, message: Message, now: float) -> None:
        """Send a message; a numbered one only while there is `room`."""
        if not message.NUMBERED:
            self._write(message, 0, now)
            return
        self._numbered = after(self._numbered)
        gone_at = self._write(message, self._numbered, now)
        self._waiting.append(Waiting(self._numbered, message, now, gone_at))

    def tick(self, now: float) -> None:
        """Send again what is due."""
        if not self._back and now >= self.due:
            self._back = len(self._waiting)
        while self._back and now >= self.line_at:
            frame = self._waiting[-self._back]
            frame.gone_at = self._write(frame.message, frame.seq, now)
            self.counts.sent_again += 1
            self._back -= 1

    def take_out(self, now: float) -> bytes:
        """What is to be written, with an acknowledgement where one is owed."""
        if self._owes_ack:
            self.send(Ack(), now)
        out, self._out = b"".join(self._out), []
        return out

    def _write(self, message: Message, seq: int, now: float) -> float:
        data = encode(Frame(message, self.session, seq, self._taken))
        self._owes_ack = False
        self._out.append(data)
        self.counts.sent += 1
        return self._line.sends(len(data), now)

    # -- receiving ---------------------------------------------------------------------------------

    def acknowledged(self, ack: int) -> None:
        """Take the `ack` of a frame of this session."""
        numbers = [frame.seq for frame in self._waiting]
        if ack in numbers:
            for _ in range(numbers.index(ack) + 1):
                self._waiting.popleft()
            self._back = min(self._back, len(self._waiting))

    def arrived(self, seq: int, now: float) -> bool:
        """Whether a numbered frame is the next one, and so taken."""
        place = self.place(seq)
        if place is Place.NEXT:
            self._taken = seq
            self._taken_count += 1
            self._owes_ack = True
        elif place is Place.SEEN:
            self.counts.seen += 1
            self._owes_ack = True
        else:
            self.counts.ahead += 1
            self.complain(now)
        return place is Place.NEXT

    def place(self, seq: int) -> Place:
        """Where a number stands; at most a window of the last ones has been seen."""
        ahead = (seq - after(self._taken)) % NUMBERS
        if ahead == 0:
            return Place.NEXT
        known = min(self._taken_count, BOARD_WINDOW)
        return Place.SEEN if NUMBERS - ahead <= known else Place.AHEAD

    def complain(self, now: float) -> None:
        """A frame came damaged, or one is missing: have it sent again."""
        if now >= self._again_at + AGAIN_PAUSE_S:
            self._again_at = now
            self.counts.agains += 1
            self.send(Again(), now)

    def asked_again(self, now: float) -> None:
        """The other end asks for what it is missing."""
        if self._waiting and now >= self._waiting[0].gone_at:
            self._back = len(self._waiting)
            self.tick(now)
