"""Jokers: told by the word in their corners, five letters below one another.

Five dark shapes, smaller than an index's, upright in one line at even steps, and no sixth: pips
stand wider, and the frames of court cards go on. A joker with a star, or none, in its corner is
not told: its place in a spread is one that cannot be read, and somebody looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.vision.agree import IndexRead
from controller.vision.picture import Point
from controller.vision.rows import INDEX_SIZE_MM
from drivers.table_plan import CARD_MM

Floats = NDArray[np.float32]

LETTERS: Final = 5
_STEP = (0.4, 0.95)  # from letter to letter, in sizes of the spread's indices
_LETTER = (0.28, 0.75)  # size of a letter, likewise
_OFF = 0.16  # of a step: so far a letter may be off the line, or from its even place


def jokers(ink: Floats, indices: Sequence[IndexRead]) -> list[Point]:
    """The middles of the words of jokers, one for each joker, in pixels.

    ink: (n, 3), x, y and size of dark shapes. indices: of the cards beside them, which give the
    size of letters and the way in which they stand; without any no joker is told.
    """
    if len(indices) < 3 or len(ink) < LETTERS:
        return []
    unit = float(np.median([r.size_px for r in indices]))
    size = ink[:, 2] / unit
    letters = ink[(size > _LETTER[0]) & (size < _LETTER[1])]
    words = []
    for start in range(len(letters)):
        words += _words(letters, start, unit)
    words = [word for word in words if _stands(word, letters, indices)]
    return _cards(_once(words, unit), unit)


def _words(letters: Floats, start: int, unit: float) -> list[tuple[Floats, Floats]]:
    """Words that begin with that shape: their middle, and the step from letter to letter."""
    away = letters[:, :2] - letters[start, :2]
    far = np.hypot(away[:, 0], away[:, 1]) / unit
    alike = np.abs(np.log(letters[:, 2] / letters[start, 2])) < 0.45
    out = []
    for second in np.nonzero((far > _STEP[0]) & (far < _STEP[1]) & alike)[0]:
        step = away[second]
        if _at(letters, letters[start, :2] - step, step) is not None:
            continue
        at, count = letters[start, :2], 1
        while count <= LETTERS and (following := _at(letters, at + step, step)) is not None:
            at, count = following, count + 1
        if count == LETTERS:
            whole = (at - letters[start, :2]) / (LETTERS - 1)
            middle = (letters[start, :2] + at) / 2
            out.append((middle.astype(np.float32), whole.astype(np.float32)))
    return out


def _stands(word: tuple[Floats, Floats], letters: Floats, indices: Sequence[IndexRead]) -> bool:
    """Whether a word runs the way the cards around stand, with nothing like letters beside it: a
    pattern has."""
    middle, step = word
    nearest = min(indices, key=lambda r: math.dist((r.x_px, r.y_px), middle.tolist()))
    up = math.radians(nearest.angle_deg)
    along = abs(float(step[0]) * math.cos(up) - float(step[1]) * math.sin(up))
    far = float(np.hypot(*step))
    in_line = any(_in_line(mark, float(middle[0]), float(middle[1])) for mark in indices)
    if along < 0.95 * far or not in_line:
        return False
    off = letters[:, :2] - middle
    down = np.abs(off @ step) / far
    across = np.abs(off[:, 0] * step[1] - off[:, 1] * step[0]) / far
    beside = (down < 2.5 * far) & (across > 0.5 * far) & (across < 1.3 * far)
    return int(beside.sum()) <= 1


def _in_line(mark: IndexRead, x_px: float, y_px: float) -> bool:
    """Whether a word stands where a card beside that index has its own."""
    right, down = mark.to(replace(mark, x_px=x_px, y_px=y_px))
    return abs(right) < 8 * mark.size_px and -0.8 < down / mark.size_px < 2.2


def _at(letters: Floats, place: Floats, step: Floats) -> Floats | None:
    off = np.hypot(*(letters[:, :2] - place).T)
    n = int(off.argmin())
    return letters[n, :2] if off[n] < _OFF * float(np.hypot(*step)) else None


def _once(words: list[tuple[Floats, Floats]], unit: float) -> list[tuple[Floats, Floats]]:
    """Each word once: it is read upwards, too."""
    kept: list[tuple[Floats, Floats]] = []
    for middle, step in words:
        if all(math.dist(middle.tolist(), k.tolist()) > unit for k, _ in kept):
            kept.append((middle, step))
    return kept


def _cards(words: list[tuple[Floats, Floats]], unit: float) -> list[Point]:
    """One place for each joker: two words within a card's diagonal, parallel, are of one."""
    left, found = list(words), []
    reach = math.hypot(*CARD_MM) / INDEX_SIZE_MM * unit * 1.1
    while left:
        middle, step = left.pop(0)
        found.append((float(middle[0]), float(middle[1])))
        for n, (other, its) in enumerate(left):
            apart = other - middle
            along = abs(float(apart @ step)) / float(np.hypot(*step))
            turn = abs(float(step[0] * its[1] - step[1] * its[0]))
            parallel = turn < 0.3 * float(np.hypot(*step) * np.hypot(*its))
            if parallel and float(np.hypot(*apart)) < reach and along > 4 * unit:
                del left[n]
                break
    return found
