"""The board's clock on the host's: an interval from each exchange, and what they leave together
(PROTOCOL.md, "Time"). The board counts microseconds in 32 bits; the host's times are monotonic
seconds.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

WRAP_S = 2**32 / 1e6
DRIFT = 0.005
"""What the board's clock may gain or lose, as a part of the time that passed."""
KEPT_S = 10.0


class Moment(NamedTuple):
    """A moment on the host's clock, and how far it may be from the truth, in seconds."""

    at: float
    error_s: float


class _Exchange(NamedTuple):
    """What one exchange says of (host - board), in seconds, when it ended."""

    low: float
    high: float
    at: float

    def widened(self, now: float) -> _Exchange:
        by = DRIFT * max(0.0, now - self.at)
        return _Exchange(self.low - by, self.high + by, now)


class BoardClock:
    """The map from one board's clock to the host's. It has none until the first exchange."""

    def __init__(self) -> None:
        self._exchanges: deque[_Exchange] = deque()
        self._map: _Exchange | None = None

    @property
    def known(self) -> bool:
        return self._map is not None

    def forget(self) -> None:
        """The board's clock has begun anew."""
        self._exchanges.clear()
        self._map = None

    def exchanged(self, asked_at: float, time_us: int, heard_at: float) -> bool:
        """An answer that came at `heard_at` says that the board's clock stood at `time_us` at some
        moment since `asked_at`. True if this cannot be the clock known until now: it was
        restarted."""
        found = self._interval(asked_at, time_us, heard_at)
        while self._exchanges and heard_at - self._exchanges[0].at > KEPT_S:
            self._exchanges.popleft()
        common = found
        for other in self._exchanges or ([self._map] if self._map is not None else []):
            wide = other.widened(heard_at)
            low, high = max(common.low, wide.low), min(common.high, wide.high)
            common = _Exchange(low, high, heard_at)
        restarted = common.low > common.high
        if restarted:
            self.forget()
            common = found = self._interval(asked_at, time_us, heard_at)
        self._exchanges.append(found)
        self._map = common
        return restarted

    def moment(self, time_us: int, now: float) -> Moment:
        """When a past moment of the board's clock was. Raises ValueError before the first
        exchange."""
        if self._map is None:
            raise ValueError("the board's clock is not known yet")
        wide = self._map.widened(now)
        offset = (wide.low + wide.high) / 2
        board_s = _near(time_us / 1e6, now - offset)
        age_s = max(0.0, now - offset - board_s)
        error_s = (wide.high - wide.low) / 2 + DRIFT * age_s
        return Moment(min(now, board_s + offset), error_s)

    def _interval(self, asked_at: float, time_us: int, heard_at: float) -> _Exchange:
        board_s = time_us / 1e6
        if self._map is not None:
            wide = self._map.widened(heard_at)
            board_s = _near(board_s, heard_at - (wide.low + wide.high) / 2)
        return _Exchange(asked_at - board_s, heard_at - board_s, heard_at)


def _near(board_s: float, expected_s: float) -> float:
    """The reading of a clock that wraps, unwrapped so as to lie nearest to what is expected."""
    return board_s + round((expected_s - board_s) / WRAP_S) * WRAP_S
