"""What hangs on the table beside the readers, built as configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controller.config import Config
from controller.sources import Others, Source, Together
from drivers.contracts import Clock, Inputs, LedBoard, SeatLamps
from drivers.factory import inputs, led_board, table_board
from drivers.rf import RfPermits

if TYPE_CHECKING:
    from controller.camera_source import CameraSource


@dataclass(frozen=True, slots=True)
class Fittings:
    """inputs: keys and switches. boards: LED boards and rows of lamps, told pictures. seat_lamps:
    lamps at the seats that blink by themselves."""

    inputs: tuple[Inputs, ...] = ()
    boards: tuple[LedBoard, ...] = ()
    seat_lamps: tuple[SeatLamps, ...] = ()

    def with_inputs(self, readers: Source, cameras: Sequence[CameraSource] = ()) -> Source:
        """The readers, and the table's keys and switches and its cameras if it has any."""
        others: tuple[Others, ...] = (*self.inputs, *cameras)
        return Together(readers, others) if others else readers


def fittings_of(
    config: Config,
    clock: Clock,
    board_port: str | None = None,
    permits: RfPermits | None = None,
) -> Fittings:
    """Everything that the configuration names.

    board_port: where a simulated table board answers; None: there is none. permits: as the readers
    have them; None leaves their enable lines on.

    Raises:
        drivers.errors.MisconfiguredError: something that no driver can serve.
    """
    spec = config.inputs
    own = () if spec is None else (inputs(spec, permits=permits, clock=clock),)
    boards = tuple(led_board(board, clock=clock) for board in config.boards)
    under = _table_board(config, clock, board_port)
    return Fittings(own + under.inputs, boards + under.boards, under.seat_lamps)


def _table_board(config: Config, clock: Clock, board_port: str | None) -> Fittings:
    part = config.file.table_board
    if part is None or (part.driver == "simulated" and board_port is None):
        return Fittings()
    board = table_board(
        part.port if part.driver == "mega" else board_port or "",
        part.serial or None,
        avoid=[r.port for r in config.file.reader] + [p.port for p in config.file.puck],
        keys=part.keys,
        seats=part.seats,
        settings=part.settings,
        thresholds=[sensor.threshold for sensor in config.file.seat_sensor],
        brightness=part.brightness,
        clock=clock,
    )
    return Fittings(
        (board,),
        (board.pixels,) if part.pixels else (),
        (board.lamps,) if part.lamps else (),
    )
