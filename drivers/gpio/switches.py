"""What the table's lines say: edges in, readings out. Pure; times come with the edges."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.gpio.debounce import Change, Contact
from drivers.gpio.lines import ButtonSpot, Chair, Edge, InputLine, Key
from drivers.readings import ButtonReading, Health, HealthState, KeyPress, SeatReading

Said = ButtonReading | SeatReading | KeyPress | Health

STUCK_S = 30.0
"""A key held for longer is no press: something lies on it, or it is wired the other way round."""

CHATTER_EDGES = 200
CHATTER_S = 1.0
"""More edges than that in that time are no switch: the line floats, or something couples into
it."""


def unknown(inputs: Sequence[InputLine], at: float) -> list[Said]:
    """What can be told of lost lines: of every watched chair, and of the button, nothing."""
    chairs = sorted({i.role.seat for i in inputs if isinstance(i.role, Chair)})
    said: list[Said] = [SeatReading(seat, None, at) for seat in chairs]
    if any(isinstance(i.role, ButtonSpot) for i in inputs):
        said.append(ButtonReading(None, at))
    return said


class Switches:
    """All inputs of one table, from their levels at opening on.

    Two switches may watch one seat or one button spot; either suffices. A key that is down at
    opening was not pressed. Times of what is said never run backwards, though lines are handed over
    one after another.
    """

    def __init__(self, inputs: Sequence[InputLine], levels: Sequence[bool], at: float) -> None:
        self._inputs = tuple(inputs)
        self._contacts = [
            Contact(i.hold_s, high, at) for i, high in zip(inputs, levels, strict=True)
        ]
        self._held_since: dict[int, float] = {
            n: at for n, i in enumerate(inputs) if isinstance(i.role, Key) and self._active(n)
        }
        self._stuck: set[int] = set()
        self._edges = [(at, 0)] * len(self._inputs)
        self._chatter: set[int] = set()
        self._opened_at = self._latest_at = at

    def first(self) -> list[Said]:
        """Where everything stands at opening: every watched chair, and the button."""
        at = self._opened_at
        said: list[Said] = [SeatReading(seat, self._taken(seat), at) for seat in self._chairs()]
        if any(isinstance(i.role, ButtonSpot) for i in self._inputs):
            said.append(ButtonReading(self._spots(), at))
        return said

    def edge(self, edge: Edge) -> list[Said]:
        """A line changed."""
        said = self._settled(edge.place, self._contacts[edge.place].edge(edge.high, edge.at))
        return said + self._counted(edge.place, edge.at)

    def look(self, levels: Sequence[bool], at: float) -> list[Said]:
        """The levels as read: an edge that got lost is made up for."""
        said: list[Said] = []
        for place, (contact, high) in enumerate(zip(self._contacts, levels, strict=True)):
            said += self._settled(place, contact.edge(high, at))
            said += self._calmed(place, at)
        return said

    def settle(self, at: float) -> list[Said]:
        """What has settled by `at`, in the order of its time."""
        said: list[Said] = []
        open_ = [(due, n) for n, c in enumerate(self._contacts) if (due := c.due) is not None]
        for _, place in sorted(open_):
            said += self._settled(place, self._contacts[place].settle(at))
        for place, since in self._held_since.items():
            if place not in self._stuck and at >= since + STUCK_S:
                self._stuck.add(place)
                said.append(self._is_stuck(place, since + STUCK_S))
        return said

    @property
    def due(self) -> float | None:
        """When `settle` should be asked next; None while nothing is open."""
        times = [due for c in self._contacts if (due := c.due) is not None]
        times += [s + STUCK_S for n, s in self._held_since.items() if n not in self._stuck]
        return min(times, default=None)

    # ---- inside

    def _active(self, place: int) -> bool:
        return self._contacts[place].stable == (self._inputs[place].active == "high")

    def _at(self, at: float) -> float:
        """The time of something that is said now."""
        self._latest_at = max(self._latest_at, at)
        return self._latest_at

    def _chairs(self) -> list[int]:
        return sorted({i.role.seat for i in self._inputs if isinstance(i.role, Chair)})

    def _taken(self, seat: int) -> bool:
        return any(self._active(n) for n, i in enumerate(self._inputs) if i.role == Chair(seat))

    def _spots(self) -> tuple[int, ...]:
        lying = {
            i.role.seat
            for n, i in enumerate(self._inputs)
            if isinstance(i.role, ButtonSpot) and self._active(n)
        }
        return tuple(sorted(lying))

    def _settled(self, place: int, change: Change | None) -> list[Said]:
        if change is None:
            return []
        at = self._at(change.at)
        match self._inputs[place].role:
            case Key(name):
                return self._key(place, name, at)
            case Chair(seat):
                others = [n for n, i in enumerate(self._inputs) if i.role == Chair(seat)]
                if any(self._active(n) for n in others if n != place):
                    return []  # the seat's other switch says taken, before and after
                return [SeatReading(seat, self._active(place), at)]
            case ButtonSpot(seat):
                twins = [n for n, i in enumerate(self._inputs) if i.role == ButtonSpot(seat)]
                if any(self._active(n) for n in twins if n != place):
                    return []
                return [ButtonReading(self._spots(), at)]

    def _key(self, place: int, name: str, at: float) -> list[Said]:
        if self._active(place):
            self._held_since[place] = at
            return [KeyPress(name, at)]
        del self._held_since[place]
        if place not in self._stuck:
            return []
        self._stuck.discard(place)
        return [self._well(place, "it is let go", at)]

    def _is_stuck(self, place: int, at: float) -> Health:
        line = self._inputs[place]
        reason = (
            f"{line.role} has been down for {STUCK_S:.0f} s: see whether something lies on it; "
            f'if it is not down, line {line.line} has the wrong "active" in the configuration'
        )
        return Health(str(line.role), HealthState.DEGRADED, reason, self._at(at))

    def _well(self, place: int, why: str, at: float) -> Health:
        return Health(str(self._inputs[place].role), HealthState.OK, why, self._at(at))

    def _counted(self, place: int, at: float) -> list[Said]:
        """Counts the line's edges; says so when they are too many."""
        since, count = self._edges[place]
        if at - since > CHATTER_S:
            since, count = at, 0
        self._edges[place] = (since, count + 1)
        if count + 1 <= CHATTER_EDGES or place in self._chatter:
            return []
        self._chatter.add(place)
        line = self._inputs[place]
        reason = (
            f"line {line.line} changes hundreds of times a second: see whether {line.role} is "
            f'connected, and try bias = "up" or "down" in the configuration'
        )
        return [Health(str(line.role), HealthState.DEGRADED, reason, self._at(at))]

    def _calmed(self, place: int, at: float) -> list[Said]:
        if place not in self._chatter or at - self._edges[place][0] <= 2 * CHATTER_S:
            return []
        self._chatter.discard(place)
        return [self._well(place, "its line is quiet again", at)]
