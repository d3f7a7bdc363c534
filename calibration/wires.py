"""Wires that lead elsewhere than they should, named from what answered where. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def rings(leads: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    """Closed rings of things that answer in each other's stead: a is answered by b, b by …, and the
    last one by a. leads: who answers for each; one that answers for itself is in none."""
    found: list[tuple[int, ...]] = []
    used: set[int] = set()
    for start in sorted(leads):
        ring = [start]
        while (ahead := leads.get(ring[-1])) is not None and ahead not in ring:
            ring.append(ahead)
        if len(ring) > 1 and leads.get(ring[-1]) == start and not used & set(ring):
            used |= set(ring)
            found.append(tuple(ring))
    return tuple(found)


def swapped(ring: Sequence[int], what: str) -> str:
    """A ring in words. what: of each, such as "the sensor of seat {}"."""
    if len(ring) == 2:
        a, b = (what.format(n) for n in ring)
        return f"{a} and {b} are swapped"
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    mixed = ", ".join(f"{what.format(b)} answers for seat {a}" for a, b in pairs)
    return f"{len(ring)} wires are mixed up: {mixed}"


def listed(numbers: Sequence[int], one: str = "seat", many: str = "seats") -> str:
    """Numbers for people: "seat 3", "seats 3 and 5"."""
    words = [str(n) for n in numbers]
    if len(words) == 1:
        return f"{one} {words[0]}"
    return f"{many} {', '.join(words[:-1])} and {words[-1]}"
