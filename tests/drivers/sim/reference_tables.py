"""Simulated tables for the tests of the simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle

from drivers.sim.world import FieldAntenna, Noise, World

STACKS: Mapping[str, int] = {"seat": 2, "board": 5, "burn": 4, "muck": 2}


def table(
    noise: Noise | None = None,
    *,
    seats: int = 11,
    stacks: bool = True,
    board: tuple[str, ...] = ("board",),
    burn: tuple[str, ...] = ("burn",),
    stub: bool = False,
    cards_seed: int = 0,
) -> World:
    """The reference table: seats along the rail, then board, burn, muck and count, neighbour by
    neighbour."""
    places = [f"seat/{n}" for n in range(1, seats + 1)]
    rows = [places, [*board, *burn, "muck"], ["count"], ["stub"] * stub]
    number = {p: n for n, p in enumerate([p for row in rows for p in row], start=1)}
    antennas = []
    for row in rows:
        for i, place in enumerate(row):
            near = [row[k] for k in (i - 1, i + 1) if 0 <= k < len(row)]
            n = number[place]
            antennas.append(
                FieldAntenna(
                    n,
                    place,
                    tuple(sorted(number[p] for p in near)),
                    STACKS.get(place.split("/")[0]) if stacks else None,
                    reader=(n - 1) // 8 + 1,
                    port=(n - 1) % 8 + 1,
                )
            )
    return World(antennas, noise, cards_seed)


class Round:
    """Looks at the antennas one after another, for ever."""

    def __init__(self, world: World) -> None:
        self._numbers: Iterator[int] = cycle(a.number for a in world.antennas)

    def next(self) -> int:
        return next(self._numbers)
