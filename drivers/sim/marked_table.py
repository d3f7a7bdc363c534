"""A simulated table for calibration: cards laid on marks, wires that lead where somebody put them,
sensors and lamps that are what they are.

What is wrong with it is planted here, so that a calibration can be held against the truth.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from drivers.readings import Uid
from drivers.sim.table_board import BoardTwin
from drivers.sim.world import FieldAntenna, Noise, World
from tablelink.messages import Sensor

_AWAY = "off-table"


@dataclass(frozen=True, slots=True)
class Flaws:
    """What is wrong with a table.

    wires: antenna's number to that of the antenna whose coil its wire leads to; 0: to none.
    weak_cards: share of their reads that are lost, of the first card and the second. bad_spots:
    (antenna, spot) to the share of reads lost there. lamp_noise: antenna to the share of looks that
    end as noise while lamps are white. seat_wires, button_wires, lamp_wires: as `wires`, from the
    input or lamp of that number to the seat it is fitted at. stuck_seats, stuck_buttons: inputs
    that say occupied, or that the button lies there, whatever happens.
    """

    wires: Mapping[int, int] = field(default_factory=dict)
    weak_cards: tuple[float, float] = (0.0, 0.0)
    bad_spots: Mapping[tuple[int, int], float] = field(default_factory=dict)
    lamp_noise: Mapping[int, float] = field(default_factory=dict)
    seat_wires: Mapping[int, int] = field(default_factory=dict)
    button_wires: Mapping[int, int] = field(default_factory=dict)
    lamp_wires: Mapping[int, int] = field(default_factory=dict)
    stuck_seats: Collection[int] = ()
    stuck_buttons: Collection[int] = ()


class MarkedTable:
    """Antennas and two cards, as a `FieldModel`.

    origin_s: the clock's time at which its own begins. Raises KeyError for an antenna that is not
    there.
    """

    def __init__(
        self,
        antennas: Sequence[FieldAntenna],
        noise: Noise | None = None,
        flaws: Flaws | None = None,
        *,
        origin_s: float = 0.0,
    ) -> None:
        self.flaws = flaws or Flaws()
        self.white = False
        self._world = World(antennas, noise, cards_seed=0 if noise is None else noise.seed)
        self._places = {a.number: a.place for a in antennas}
        self._cards = self._world.deck("red")[:2]
        self._lying: tuple[int, int] | None = None
        self._origin_s = origin_s
        self._chance = random.Random(f"marked table {0 if noise is None else noise.seed}").random

    def lay(self, antenna: int, spot: int, cards: int) -> None:
        """So many cards lie on each other at that spot from now on, and none anywhere else."""
        now = self._world.now
        for n, card in enumerate(self._cards):
            self._world.move(card, self._places[antenna] if n < cards else _AWAY, now)
        self._lying = (antenna, spot)

    def clear(self) -> None:
        """No card lies on the table."""
        for card in self._cards:
            self._world.move(card, _AWAY, self._world.now)
        self._lying = None

    def look(self, antenna: int, started: float, ended: float) -> tuple[Uid, ...] | None:
        """What a look of the reader's port gives, whatever coil hangs on it."""
        flaws = self.flaws
        coil = flaws.wires.get(antenna, antenna)
        if self.white and self._chance() < flaws.lamp_noise.get(antenna, 0.0):
            return None
        if coil == 0:
            return ()
        started, ended = (max(at - self._origin_s, self._world.now) for at in (started, ended))
        read = self._world.look(coil, started, ended)
        if read is None:
            return None
        lost = 0.0 if self._lying is None else flaws.bad_spots.get(self._lying, 0.0)
        return tuple(uid for uid in read if not self._lost(uid, lost))

    def _lost(self, uid: Uid, at_spot: float) -> bool:
        weak = flaw if (flaw := self._weakness(uid)) else 0.0
        return bool(at_spot or weak) and self._chance() < 1 - (1 - at_spot) * (1 - weak)

    def _weakness(self, uid: Uid) -> float:
        for card, weak in zip(self._cards, self.flaws.weak_cards, strict=True):
            if card.uid == uid:
                return weak
        return 0.0


class Chairs:
    """Who sits and where the button lies, at a table board with whatever wires.

    levels: counts of an analogue sensor, empty and occupied, with that much noise.
    """

    def __init__(
        self,
        board: BoardTwin,
        flaws: Flaws | None = None,
        *,
        levels: tuple[int, int] = (210, 690),
        noise: int = 6,
        seed: int = 0,
    ) -> None:
        self.board = board
        self._flaws = flaws or Flaws()
        self._levels, self._noise = levels, noise
        self._chance = random.Random(f"chairs {seed}")
        self._sitting: int | None = None

    def sit(self, seat: int | None, now: float) -> None:
        """Somebody sits there and nowhere else; None: nobody sits."""
        self._sitting = seat
        self.breathe(now)

    def breathe(self, now: float) -> None:
        """A moment passes: an analogue sensor gives a little more or less than before."""
        flaws = self._flaws
        for sensor in range(1, self.board.build.seats + 1):
            at = flaws.seat_wires.get(sensor, sensor)
            taken = sensor in flaws.stuck_seats or (at == self._sitting and at != 0)
            kind = self.board.threshold(sensor).sensor
            if kind in (Sensor.HIGH_IS_OCCUPIED, Sensor.LOW_IS_OCCUPIED):
                level = self._levels[taken] + self._chance.randint(-self._noise, self._noise)
                self.board.level(sensor, level, now)
            else:
                self.board.sit(sensor, taken, now)

    def lay_button(self, seat: int | None, now: float) -> None:
        """The button lies there; None: it is off the table."""
        for sensor in range(1, self.board.build.button_sensors + 1):
            at = self._flaws.button_wires.get(sensor, sensor)
            there = sensor in self._flaws.stuck_buttons or (at == seat and at != 0)
            self.board.lay_button(sensor, there, now)

    def lit(self, now: float) -> tuple[int, ...]:
        """Seats at which a lamp is lit, as an eye sees it."""
        found = []
        for n, lamp in enumerate(self.board.lamps(now), start=1):
            at = self._flaws.lamp_wires.get(n, n)
            if at and (lamp.red or lamp.green or lamp.blue):
                found.append(at)
        return tuple(sorted(found))
