"""Words, columns and faults of one line of a scenario file.

A `Words` walks along the line's words. What can be judged for itself (a seat number out of range,
an unknown street) is noted as a fault and reading goes on; where the rest of the line has lost its
meaning, `Lost` ends it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from controller.model.table import MAX_SEATS
from controller.scenario.lines import LAST_SEAT, CardAt, Pile, PileName, Place, SeatPlace

T = TypeVar("T", bound=str)

_WORD = re.compile(r'"[^"]*"|->|[|;]|[^\s|;"]+|"')
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h)$", re.ASCII)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_FACE = re.compile(r"[2-9TJQKA][cdhs]$")
_ZONE = re.compile(r"(seat/([1-9]|10|11)|board(/(flop|turn|river))?|burn|muck|count|stub)$")
_ROW = re.compile(r"[A-Z][A-Za-z0-9-]*$")
DAY_S = 86400.0
MOST = 10**9
_LONGEST = 160


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault of a file. column counts from 1; allowed: what may stand there ("" if nothing)."""

    line: int
    column: int
    message: str
    allowed: str = ""

    def told(self, file: str) -> str:
        """As one line of text, in the form that editors follow."""
        tail = f"; allowed: {self.allowed}" if self.allowed else ""
        return f"{file}:{self.line}:{self.column}: {_readable(self.message)}{tail}"


def _readable(message: str) -> str:
    """Short enough for a line, and with nothing in it that a terminal would obey."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message[:_LONGEST])
    return shown + ("…" if len(message) > _LONGEST else "")


class Lost(Exception):  # noqa: N818 - never leaves the reader; the fault is noted already
    """The rest of the line cannot be read."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    column: int


def split(text: str) -> list[Word]:
    """The words of a line without its comment. A lone quote mark stays a word of its own."""
    words: list[Word] = []
    for m in _WORD.finditer(text):
        if m.group().startswith("#"):
            break
        word, hash_, _ = m.group().partition("#") if m.group()[0] != '"' else (m.group(), "", "")
        words.append(Word(word, m.start() + 1))
        if hash_:
            break
    return words


class Words:
    """A walk along the words of one line."""

    def __init__(
        self,
        words: Sequence[Word],
        line: int,
        end: int,
        faults: list[Fault],
        codes: Collection[str],
    ) -> None:
        self._words = words
        self._next = 0
        self._end = end
        self.line = line
        self._faults = faults
        self._codes = codes

    @property
    def column(self) -> int:
        """Where the next word stands, or where it is missing."""
        return self._words[self._next].column if self.more else self._end

    @property
    def more(self) -> bool:
        return self._next < len(self._words)

    def note(self, message: str, allowed: str = "", column: int | None = None) -> None:
        at = self.column if column is None else column
        self._faults.append(Fault(self.line, at, message, allowed))

    def lost(self, message: str, allowed: str = "", column: int | None = None) -> Lost:
        self.note(message, allowed, column)
        return Lost()

    def peek(self) -> str:
        return self._words[self._next].text if self.more else ""

    def take(self, allowed: str) -> Word:
        if not self.more:
            raise self.lost("the line ends too early", allowed)
        self._next += 1
        return self._words[self._next - 1]

    def maybe(self, word: str) -> bool:
        if self.peek() == word:
            self._next += 1
            return True
        return False

    def must(self, word: str) -> None:
        if not self.maybe(word):
            if self.more:
                raise self.lost(f"'{self.peek()}' where '{word}' belongs", word)
            raise self.lost("the line ends too early", word)

    def done(self) -> None:
        if self.more:
            self.note(f"'{self.peek()}' is one word too many", "the end of the line")

    # Values

    def pick(self, what: str, choices: Sequence[T]) -> T:
        """One of `choices`; the line cannot go on with another."""
        allowed = ", ".join(choices)
        word = self.take(allowed)
        for choice in choices:
            if choice == word.text:
                return choice
        raise self.lost(
            f"{what} '{word.text}' is unknown{near(word.text, choices)}", allowed, word.column
        )

    def one_of(self, what: str, text: str, column: int, choices: Sequence[T]) -> T | None:
        """One of `choices` inside a word; the line goes on with another."""
        for choice in choices:
            if choice == text:
                return choice
        hint = near(text, choices)
        self.note(f"{what} '{text}' is unknown{hint}", ", ".join(choices), column)
        return None

    def whole(self, what: str, low: int, high: int) -> int:
        word = self.take(f"{what}, {low} to {high}")
        return self.bounded(word.text, word.column, what, low, high)

    def seat(self, high: int = MAX_SEATS) -> int:
        return self.whole("seat", 1, high)

    def seats(self, high: int = LAST_SEAT) -> tuple[int, ...]:
        """A list such as ``1,4,7-9``; ascending, each seat once."""
        word = self.take("seats, such as 1-9 or 1,4,7-9")
        found: dict[int, None] = {}
        column = word.column
        for part in word.text.split(","):
            first, dash, last = part.partition("-")
            low = self.bounded(first, column, "seat", 1, high)
            top = self.bounded(last, column + len(first) + 1, "seat", 1, high) if dash else low
            if top < low:
                self.note(f"seats {part} run backwards", f"{top}-{low}", column)
            for seat in range(low, top + 1):
                if seat in found:
                    self.note(f"seat {seat} is named twice", "each seat once", column)
                found[seat] = None
            column += len(part) + 1
        return tuple(sorted(found))

    def bounded(self, text: str, column: int, what: str, low: int, high: int) -> int:
        if not re.fullmatch(r"\d{1,12}", text, re.ASCII):
            self.note(f"{what} '{text}' is no whole number", f"{low} to {high}", column)
            return low
        if not low <= int(text) <= high:
            self.note(f"{what} {text} is out of range", f"{low} to {high}", column)
            return low
        return int(text)

    def duration(self, what: str, low_s: float = 0.0, high_s: float = 7 * DAY_S) -> float:
        """Seconds from ``450ms``, ``5s``, ``61m`` or ``3h``."""
        allowed = (
            f"{spell_duration(low_s)} to {spell_duration(high_s)}, such as 450ms, 5s, 61m or 3h"
        )
        word = self.take(allowed)
        m = _DURATION.match(word.text)
        if not m:
            self.note(f"{what} '{word.text}' is no time", allowed, word.column)
            return low_s
        seconds = round(float(m.group(1)) * _UNITS[m.group(2)], 6)
        if not low_s <= seconds <= high_s:
            self.note(f"{what} {word.text} is out of range", allowed, word.column)
            return low_s
        return seconds

    def share(self, what: str, high: float) -> float:
        """A share of 1 from a percentage such as ``5%`` or ``0.5%``."""
        allowed = f"0% to {high * 100:g}%"
        word = self.take(allowed)
        m = re.fullmatch(r"(\d+(?:\.\d+)?)%", word.text, re.ASCII)
        if not m:
            self.note(f"{what} '{word.text}' is no percentage", allowed, word.column)
            return 0.0
        share = round(float(m.group(1)) / 100, 9)
        if share > high:
            self.note(f"{what} {word.text} is out of range", allowed, word.column)
            return 0.0
        return share

    def face(self) -> str:
        word = self.take("a card, such as 7c or Ts")
        return self._face(word.text, word.column)

    def faces(self) -> tuple[str, ...]:
        word = self.take("cards, such as 7c,2d")
        found = []
        column = word.column
        for part in word.text.split(","):
            found.append(self._face(part, column))
            column += len(part) + 1
        return tuple(found)

    def _face(self, text: str, column: int) -> str:
        if not _FACE.match(text):
            self.note(f"'{text}' is no card", "rank 2-9 T J Q K A and suit c d h s", column)
            return "As"
        return text

    def quoted(self, what: str) -> str:
        word = self.take(f'"{what}"')
        if len(word.text) < 2 or word.text[0] != '"':
            raise self.lost(f"{what} wants quotation marks", f'"{what}"', word.column)
        return word.text[1:-1]

    def name(self, what: str) -> str:
        word = self.take(what)
        if word.text in {"|", ";", "->"} or word.text[0] == '"':
            raise self.lost(f"'{word.text}' where {what} belongs", what, word.column)
        return word.text

    def code(self) -> str:
        """A finding's code."""
        word = self.take("a finding's code, such as BURN_MISSING")
        if not re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", word.text):
            self.note(
                f"'{word.text}' is no finding's code", "a code such as BURN_MISSING", word.column
            )
        elif self._codes and word.text not in self._codes:
            near_ = near(word.text, sorted(self._codes))
            self.note(
                f"there is no finding {word.text}{near_}",
                "a code of the findings table",
                word.column,
            )
        return word.text

    def row(self, text: str, column: int) -> str:
        if not _ROW.match(text):
            self.note(f"'{text}' is no clause id", "an id such as NJ-T-e10-1", column)
        return text

    def zone(self, text: str, column: int) -> str:
        if not _ZONE.match(text):
            self.note(
                f"there is no zone '{text}'",
                "seat/1 to seat/11, board, board/flop, …/turn, …/river, burn, muck, count, stub",
                column,
            )
        return text

    def place(self, piles: Sequence[PileName]) -> Place:
        if self.maybe("seat"):
            return SeatPlace(self.seat())
        pile = self.take(_places(piles))
        for name in piles:
            if name == pile.text:
                return Pile(name)
        raise self.lost(f"'{pile.text}' is no place for this", _places(piles), pile.column)

    def card_at(self, piles: Sequence[PileName]) -> CardAt:
        """``seat 4 card 1``, ``burn card 2``; ``stub`` is its top card."""
        place = self.place(piles)
        if place == Pile("stub"):
            return CardAt(place)
        if place == Pile("off-table") and self.peek() != "card":
            return CardAt(place)
        self.must("card")
        return CardAt(place, self.whole("card", 1, 52))


def _places(piles: Sequence[PileName]) -> str:
    return ", ".join(["seat N", *piles])


def near(word: str, known: Sequence[str]) -> str:
    """A hint at a word that may have been meant, ready to be appended."""
    lower = {name.lower(): name for name in reversed(known)}
    found = [lower[name] for name in difflib.get_close_matches(word[:40].lower(), lower, n=1)]
    return f" (meant: {found[0]}?)" if found else ""


def spell_duration(seconds: float) -> str:
    """The shortest exact spelling: 450ms, 5s, 61m, 3h. Exact to a microsecond."""
    for unit in ("h", "m", "s"):
        n = seconds / _UNITS[unit]
        if n >= 1 and n == int(n) and int(n) * _UNITS[unit] == seconds:
            return f"{int(n)}{unit}"
    ms = round(seconds * 1000, 3)
    return f"{ms:.3f}".rstrip("0").rstrip(".") + "ms"


def spell_share(share: float) -> str:
    return f"{share * 100:.7f}".rstrip("0").rstrip(".") + "%"


def spell_seats(seats: Sequence[int]) -> str:
    """``1-3,7`` for 1, 2, 3, 7 (ascending)."""
    runs: list[list[int]] = []
    for seat in seats:
        if runs and seat == runs[-1][1] + 1:
            runs[-1][1] = seat
        else:
            runs.append([seat, seat])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in runs)
