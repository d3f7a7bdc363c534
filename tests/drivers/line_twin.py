"""A GPIO chip of nothing but levels, as a `Library`: for tests of what is done with lines."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.errors import LinkLostError, PortUnavailableError
from drivers.gpio.lines import Edge, InputLine, Lines, OutputLine, Told


class LineTwin:
    """high: level of each line by its number; inputs are pulled up. May vanish and come back."""

    def __init__(self) -> None:
        self.high: dict[int | str, bool] = {}
        self._gone = False
        self._open: _Open | None = None

    def open(self, inputs: Sequence[InputLine], outputs: Sequence[OutputLine], told: Told) -> Lines:
        if self._gone:
            raise PortUnavailableError("the twin is not there", "GPIO", "Bring it back.")
        self._open = _Open(self, inputs, outputs, told)
        return self._open

    def move(self, line: int | str, high: bool, at: float) -> None:
        """An input changes."""
        self.high[line] = high
        if self._open is not None:
            self._open.tell(line, high, at)

    def pull(self, gone: bool = True) -> None:
        """The chip vanishes, and with it what drove its outputs; or it comes back."""
        self._gone = gone
        if gone and self._open is not None:
            for output in self._open.outputs:
                self.high.pop(output.line, None)
            self._open.lose()
            self._open = None


class _Open:
    def __init__(
        self,
        twin: LineTwin,
        inputs: Sequence[InputLine],
        outputs: Sequence[OutputLine],
        told: Told,
    ) -> None:
        self._twin: LineTwin | None = twin
        self._inputs, self.outputs, self._told = inputs, outputs, told
        for output in outputs:
            twin.high[output.line] = output.active == "low"

    def levels(self) -> tuple[bool, ...]:
        return tuple(self._there().high.get(i.line, True) for i in self._inputs)

    def switch(self, place: int, high: bool) -> None:
        self._there().high[self.outputs[place].line] = high

    def close(self) -> None:
        self._twin = None

    def tell(self, line: int | str, high: bool, at: float) -> None:
        for place, source in enumerate(self._inputs):
            if source.line == line and self._twin is not None:
                self._told(Edge(place, high, at))

    def lose(self) -> None:
        if self._twin is not None:
            self._twin = None
            self._told(self._lost())

    def _there(self) -> LineTwin:
        if self._twin is None:
            raise self._lost()
        return self._twin

    def _lost(self) -> LinkLostError:
        return LinkLostError("the twin is gone", "GPIO", "Bring it back.")
