"""Hands under two cameras whose pictures are drawn and read, and what the table says of them: false
alarms of legal hands, and how planted mistakes are met.

One hand takes a minute or two of a core. CAMERA_HANDS says how many legal ones are dealt, and how
many of each kind of mistake; CAMERA_SEED which; CAMERA_ERRORS names other kinds, with commas.
"""

from __future__ import annotations

import os
import time
from collections import Counter

from controller.simulate.deal import SimulatedTable
from controller.simulate.judge import judge_legal, judge_mistake
from controller.simulate.settings import Settings
from tests.bench.rendered_table import RenderedEyes

LEGAL, EACH = 10, 2
ERRORS = ("card-exposed", "burn-face-up", "board-face-down", "seat-skipped")


def run(quick: bool = False) -> list[str]:
    hands = int(os.environ.get("CAMERA_HANDS", 1 if quick else LEGAL))
    seed = int(os.environ.get("CAMERA_SEED", "1"))
    named = os.environ.get("CAMERA_ERRORS", "" if quick else ",".join(ERRORS))
    kinds = [kind for kind in named.split(",") if kind]
    each = min(hands, int(os.environ.get("CAMERA_HANDS", EACH)))
    begun = time.perf_counter()
    out = [*legal(hands, seed), *(line for kind in kinds for line in mistakes(kind, each, seed))]
    dealt = hands + each * len(kinds)
    return [
        *out,
        f"{(time.perf_counter() - begun) / max(1, dealt):.0f} s a hand, 4 pictures a second",
    ]


def table(seed: str, hands: int, errors: tuple[str, ...] = ()) -> SimulatedTable:
    settings = Settings(hands=hands, camera="alone", errors=errors, frame_s=RenderedEyes.EVERY_S)
    return SimulatedTable(settings, seed, above=RenderedEyes)


def legal(hands: int, seed: int) -> list[str]:
    dealt = table(f"legal {seed}", hands)
    alarms: Counter[str] = Counter()
    asked = alarmed = 0
    for _ in range(hands):
        said = judge_legal(dealt.hand().log)
        alarms.update(said.codes)
        alarmed += bool(said.codes)
        asked += said.questions
    codes = ", ".join(f"{code} {many}" for code, many in alarms.most_common())
    return [
        f"{hands} legal hands (seed {seed}): {alarmed} with false alarms (goal 0)"
        f"{': ' + codes if codes else ''}; {asked} questions"
    ]


def mistakes(kind: str, hands: int, seed: int) -> list[str]:
    dealt = table(f"{kind} {seed}", hands, (kind,))
    met: Counter[str] = Counter()
    missed = others = 0
    for _ in range(hands):
        log = dealt.hand(kind if kind in dealt.possible() else None).log
        if log.mistake is None:
            met["not dealt"] += 1
            continue
        said = judge_mistake(log)
        met[said.answer.value] += 1
        missed += said.provable and said.answer.value not in ("caught", "asked")
        others += said.extra
    told = ", ".join(f"{answer} {many}" for answer, many in met.most_common())
    return [f"{kind}: {told}; provable and not told {missed} (goal 0), other alarms {others}"]
