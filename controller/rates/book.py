"""The file beside the journal in which a table keeps how often its senses err, and what writes it
hand by hand, beside the loop.

It is counts alone, as JSON, written whole or not at all: after a kill the hand that was on is what
is lost.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import stat
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from controller import files
from controller.rates.counts import Error, Portion, Sense, Tally
from controller.rates.drift import Drift
from controller.rates.nights import Counted, Night, Nights
from controller.rates.senses import TABLE

VERSION = 1
MODE = 0o644
_LIMIT = 50_000_000  # bytes
_LATEST_S = 2.0**35  # seconds since 1970; a thousand years
_MOST = 1e30  # of squares of tries, too


class RatesFileError(Exception):
    """A file of rates that cannot be used. The text says what, where, and what to do next."""


def rates_file(journal: Path) -> Path:
    """Where the rates of the table with that journal are."""
    return journal.with_name(journal.name + ".rates")


def read(path: Path) -> Nights:
    """What is kept there; nothing where there is no file. Raises RatesFileError."""
    try:
        found = path.stat()
        if found.st_size > _LIMIT or not stat.S_ISREG(found.st_mode):
            raise RatesFileError(f"{path}: is no file of rates; move it away")
        return _nights(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return Nights()
    except OSError as error:
        raise RatesFileError(
            f"{path}: cannot be read ({error.strerror}); see that this user may read it"
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise RatesFileError(
            f"{path}: is damaged or of another version; put a whole copy there while the table is "
            "stopped, or move it away: the table begins a new one"
        ) from None


def spelled(nights: Nights) -> bytes:
    """As `read` takes it."""
    content = {
        "version": VERSION,
        "nights": [
            {
                "began": night.began,
                "last": night.last,
                "hands": night.hands,
                "tallies": _by_sense(night.tallies, lambda tally: list(tally.rounded)),
            }
            for night in nights.nights
        ],
        "drifts": _by_sense(nights.drifts, _drift_spelled),
    }
    return (json.dumps(content, separators=(",", ":")) + "\n").encode()


def _drift_spelled(test: Drift) -> list[Any]:
    return [test.reference, list(test.capital), list(test.pending), test.told, test.recovery]


def _by_sense(values: Mapping[Sense, Any], spell: Callable[[Any], Any]) -> dict[str, Any]:
    return {f"{sense.what}: {sense.error}": spell(value) for sense, value in values.items()}


_WHAT = re.compile(rf"antenna [0-9]{{1,3}}|camera [0-9]{{1,3}}, [a-z]+(/[0-9]{{1,2}})?|{TABLE}")


def _sense(text: str) -> Sense:
    """Of a name as `senses` spells it: another is not passed on to screens. Raises ValueError."""
    what, error = text.rsplit(": ", 1)
    if not _WHAT.fullmatch(what):
        raise ValueError("no sense of a table")
    return Sense(what, Error(error))


def _nights(content: Any) -> Nights:
    if content["version"] != VERSION:
        raise ValueError("another version")
    return Nights(
        tuple(map(_night, content["nights"])),
        {_sense(k): _drift(_sense(k).error, row) for k, row in content["drifts"].items()},
    )


def _night(night: Any) -> Night:
    began, last = _number(night["began"], _LATEST_S), _number(night["last"], _LATEST_S)
    tallies = {_sense(k): _tally(row) for k, row in night["tallies"].items()}
    return Night(began, last, _count(night["hands"]), tallies)


def _tally(row: list[Any]) -> Tally:
    portions, tried, wrong, tried2, both, wrong2 = map(_count, row)
    if tried and not portions:
        raise ValueError("tries of no portion")
    return Tally(portions, tried, wrong, tried2, both, wrong2)


def _drift(error: Error, row: list[Any]) -> Drift:
    reference, capital, pending, told, recovery = row
    fresh = Drift(error, _number(reference, 1.0))
    if len(capital) != len(fresh.capital):
        raise ValueError("another test")
    tried, wrong = map(_count, pending)
    return Drift(
        error,
        fresh.reference,
        tuple(map(_number, capital)),
        Portion(tried, wrong),
        bool(told),
        _number(recovery),
    )


def _number(value: Any, most: float = math.inf) -> float:
    """A finite number from nought to `most`. Raises ValueError, TypeError, OverflowError."""
    number = float(value)
    if not (math.isfinite(number) and 0.0 <= number <= most):
        raise ValueError("out of bounds")
    return number


def _count(value: Any) -> int:
    """A whole number, of those that can be reckoned with. Raises as `_number`."""
    _number(value, _MOST)
    return int(value)


class RateBook:
    """A table's nights, kept as they go. path: its file. measured: references that were measured
    beforehand. again: the table goes on where it was killed. note: takes lines for people. wall:
    seconds since 1970."""

    def __init__(
        self,
        path: Path,
        measured: Mapping[Sense, float],
        *,
        again: bool = False,
        note: Callable[[str], None] = lambda text: None,
        wall: Callable[[], float] = time.time,
        executor: Executor | None = None,
    ) -> None:
        self._path = path
        self._note = note
        self._wall = wall
        self._executor = executor or ThreadPoolExecutor(1, thread_name_prefix="rates")
        self._writing: Future[None] | None = None
        self._mute = False
        self.nights = self._taken_up().begun(wall(), again).referred(measured)
        for text in self.nights.trouble():
            self._note(text)

    def hand(self, counted: Counted) -> None:
        """A hand is over: it is counted, and the file written in its own time."""
        self.nights, told = self.nights.hand(counted, self._wall())
        for text in told:
            self._note(text)
        if self._writing is None or self._writing.done():
            self._said_of_writing()
            self._writing = self._executor.submit(self._write, self.nights)

    async def close(self) -> None:
        """The table ends: what is known is on the disk when this returns."""
        last = self._executor.submit(self._write, self.nights)
        await asyncio.gather(asyncio.wrap_future(last), return_exceptions=True)
        self._writing = last
        self._said_of_writing()
        self._executor.shutdown(wait=False)

    def _write(self, nights: Nights) -> None:
        """In a thread: a hundred nights take their time to spell, too."""
        files.replace(self._path, spelled(nights), mode=MODE)

    def _taken_up(self) -> Nights:
        try:
            return read(self._path)
        except RatesFileError as error:
            aside = self._path.with_name(self._path.name + ".unread")
            try:
                self._path.replace(aside)
            except OSError:
                aside = self._path
            self._note(f"{error}. What the table's senses got wrong is counted anew; it is {aside}")
            return Nights()

    def _said_of_writing(self) -> None:
        """What came of the last writing, once."""
        error = None if self._writing is None else self._writing.exception()
        if error is None:
            self._mute = False
        elif not self._mute:
            self._mute = True
            why = getattr(error, "strerror", None) or type(error).__name__
            self._note(
                f"{self._path}: cannot be written ({why}); what senses got wrong is forgotten "
                "at a stop. Next: make room on the disk, and see that this user may write there"
            )
