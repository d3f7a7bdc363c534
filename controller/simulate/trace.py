"""One simulated hand as a timeline: `python -m controller.simulate.trace --seed N --hand K`.

Takes the settings of `burnturn simulate`, deals the block up to that hand, and prints what
happened (the truth), which events sensing made of it and what was said, with the seconds since
the hand began. Cards are letters in the order in which they first came, new in every hand; no
face, tag or token is shown.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator

from controller.model.events import (
    CardCame,
    CardCarried,
    CardLeft,
    StillEmpty,
    TableEvent,
    TagVerdict,
)
from controller.model.findings import (
    FindingChanged,
    HandBegan,
    HandEnded,
    Said,
    VerdictChanged,
)
from controller.simulate.deal import HandDealt, SimulatedTable, error_of, mistake_kinds
from controller.simulate.judge import judge_legal, judge_mistake
from controller.simulate.run import blocks
from controller.simulate.settings import (
    CAMERAS,
    DIRECTIONS,
    GAMES,
    Settings,
    SettingsError,
    duration_s,
    error_kinds,
    max_stack,
    share,
)


class Letters:
    """Names for tokens that say nothing but which card is the same."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def of(self, token: int) -> str:
        n = len(self._names)
        fresh = chr(ord("a") + n % 26) + (str(n // 26) if n >= 26 else "")
        return self._names.setdefault(token, fresh)


def traced(settings: Settings, hand: int, error: str | None) -> tuple[HandDealt, list[TableEvent]]:
    """That hand of the simulation (counted from 0) with its events. error: plant this mistake
    instead of the one whose turn it is."""
    block = next(b for b in blocks(settings) if b.first <= hand < b.last)
    events: list[TableEvent] = []
    table = SimulatedTable(settings, f"{settings.seed} {block.first}", on_event=events.append)
    for k in range(block.first, hand + 1):
        events.clear()
        planned = error_of(settings, k)
        if k == hand and error is not None:
            planned = error
        while planned is not None and planned not in table.possible():
            table.hand()
            events.clear()
        dealt = table.hand(planned)
    return dealt, events


def timeline(dealt: HandDealt, events: list[TableEvent]) -> Iterator[str]:
    """The hand line by line."""
    played, log = dealt.played, dealt.log
    t0 = played.begun_at
    yield f"button {played.button}, order {' '.join(map(str, played.order))}"
    for s in played.streets:
        yield (
            f"{s.street}: cards {s.first_at - t0:.2f} to {s.done_at - t0:.2f} s, "
            f"over at {s.ended_at - t0:.2f} s"
        )
    yield f"gather {played.gather_at - t0:.2f} s, deck {played.ended_at - t0:.2f} s"
    if played.oddities:
        yield f"lawful oddities: {', '.join(played.oddities)}"
    if played.unread:
        yield f"one card unread at {played.unread}"
    if (m := log.mistake) is not None and played.planted is not None:
        yield (
            f"planted {m.kind} ({' or '.join(m.codes)}) on the {played.planted.street}, "
            f"seats {m.seats}, evident {m.evident_at - t0:.2f} s, "
            f"due by {log.decide_by - t0:.2f} s, provable: {log.provable}"
        )
    letters = Letters()
    rows = [(e.at, 0, event_line(e, letters, t0)) for e in events]
    rows += [(at, 1, said_line(thing, t0)) for at, thing in log.said]
    for at, _, text in sorted(rows, key=lambda row: row[:2]):
        yield f"{at - t0:8.2f}  {text}"
    for name, verdicts in (("in time", log.in_time), ("at the end", log.at_end)):
        for v in verdicts:
            yield f"verdict {name}: {v.code} {v.street}: {v.judgement} {v.reason}"
    yield "judged: " + str(judge_mistake(log) if log.mistake else judge_legal(log))


def event_line(event: TableEvent, letters: Letters, t0: float) -> str:
    """A table event in a line."""
    match event:
        case CardCame():
            source = "the deck" if event.source is None else event.source
            return (
                f"card {letters.of(event.token)} came to {event.zone} from {source}, "
                f"{event.after - t0:.2f} to {event.before - t0:.2f}"
            )
        case CardLeft():
            return (
                f"card {letters.of(event.token)} left {event.zone}, "
                f"{event.after - t0:.2f} to {event.before - t0:.2f}"
            )
        case CardCarried():
            return f"card {letters.of(event.token)} still at {event.zone}"
        case StillEmpty():
            return (
                f"nothing came to {event.zone} from {event.since - t0:.2f} to "
                f"{event.until - t0:.2f}, {event.clean_polls} polls, level {event.level}"
            )
        case TagVerdict():
            return f"card {letters.of(event.token)} at {event.zone} is {event.fault}"
    body = dataclasses.asdict(event)
    told = {k: v for k, v in body.items() if k not in ("at", "seq", "kind", "profile")}
    return f"{event.kind} {told}"


def said_line(said: Said, t0: float) -> str:
    """What the table said in a line."""
    match said:
        case FindingChanged():
            f = said.finding
            where = f"seat {f.seat}" if f.seat is not None else (f.zone or "")
            return (
                f"  #{f.id} {f.state.upper()} {f.severity} {'>'.join(f.codes)} {f.street} {where} "
                f"expected {f.expected!r} seen {f.seen!r} board {f.board_text!r} ({f.clause})"
            )
        case VerdictChanged():
            v = said.verdict
            return f"  {v.code} {v.street}: {v.judgement} {v.reason}"
        case HandBegan():
            return f"  hand {said.hand} began, button {said.button}"
        case HandEnded():
            return f"  hand {said.hand} ended: {said.reason}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m controller.simulate.trace")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hand", type=int, required=True, help="counted from 0")
    parser.add_argument("--profile", default="tda")
    parser.add_argument("--game", choices=GAMES, default="holdem")
    parser.add_argument("--seats", type=int, default=9)
    parser.add_argument("--hands", type=int, default=10**6)
    parser.add_argument("--miss", default="5%")
    parser.add_argument("--cross", default="2%")
    parser.add_argument("--sweep", default="400ms")
    parser.add_argument("--errors", default="none")
    parser.add_argument("--error-share", default="50%")
    parser.add_argument("--plant", help="plant this mistake in the hand")
    parser.add_argument("--max-stack", default="")
    parser.add_argument("--burst", action="store_true")
    parser.add_argument("--poll-direction", choices=DIRECTIONS, default="against")
    parser.add_argument("--no-focus", action="store_true")
    parser.add_argument("--camera", choices=CAMERAS, default="none")
    parser.add_argument("--frames", default="125ms")
    a = parser.parse_args(arguments)
    try:
        settings = Settings(
            profile=a.profile,
            game=a.game,
            seats=a.seats,
            hands=max(a.hands, a.hand + 1),
            miss=share(a.miss),
            cross=share(a.cross),
            sweep_s=duration_s(a.sweep),
            max_stack=max_stack(a.max_stack),
            error_share=share(a.error_share),
            seed=a.seed,
            burst=a.burst,
            direction=a.poll_direction,
            focus=not a.no_focus,
            camera=a.camera,
            frame_s=duration_s(a.frames),
        )
        settings = dataclasses.replace(
            settings, errors=error_kinds(a.errors, mistake_kinds(settings))
        )
    except SettingsError as e:
        parser.error(str(e))
    for line in timeline(*traced(settings, a.hand, a.plant)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
