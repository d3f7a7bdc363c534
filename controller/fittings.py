"""What hangs on the table's own Pi beside the readers, built as configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controller.config import Config
from controller.sources import Readers, Together
from drivers.contracts import Clock, LedBoard
from drivers.factory import inputs, led_board

if TYPE_CHECKING:
    from controller.app import Source


def with_inputs(config: Config, readers: Readers, clock: Clock) -> Source:
    """The readers, and the table's keys and switches if it has any.

    Raises:
        drivers.errors.MisconfiguredError: inputs that no driver can serve.
    """
    spec = config.inputs
    return readers if spec is None else Together(readers, (inputs(spec, clock=clock),))


def boards_of(config: Config, clock: Clock) -> tuple[LedBoard, ...]:
    """The table's LED boards and lamps.

    Raises:
        drivers.errors.MisconfiguredError: a board that no driver can serve.
    """
    return tuple(led_board(spec, clock=clock) for spec in config.boards)
