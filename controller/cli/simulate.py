"""`burnturn simulate`: try a house's rules and antennas on simulated hands."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from typer.core import TyperCommand

from controller.model.table import REFERENCE_MAX_STACK
from controller.simulate.deal import mistake_kinds
from controller.simulate.like import like_table
from controller.simulate.report import Totals, for_people
from controller.simulate.run import simulate
from controller.simulate.settings import (
    GAMES,
    Settings,
    SettingsError,
    duration_s,
    error_kinds,
    max_stack,
    share,
)

T = TypeVar("T")

SIMULATE_HELP = """Deal simulated hands and count what the table says of them.

Hands are of full length (betting pauses, folds, peeks, gather, wash). With --errors, a share of
them carries exactly one planted mistake, the kinds in turn.

Caught, asked, cannot tell, missed, other: what the table had made of a mistake by the end of
its street, that is before the next street's first card was dealt, or by the hand's end. Caught:
an alarm with the right code, seat and street. Asked: the question was shown, and not sharpened.
Other: something else was said. A kind's finding may sharpen from one code to another; any code
that it has borne counts.

Delay: from the moment at which the mistake was complete to an eye to the first showing of the
finding, as a question or as an alarm.

Provable: separate code that sees the polls and the true noise finds no legal dealing that
explains them with a likelihood of more than 1 in 10,000 of what really happened.

The result depends on the settings and the seed, not on the number of jobs.

With --camera alone a camera sees the table instead of the antennas, with --camera both beside
them; the mistakes then include cards that lie the wrong way up. How well it sees is assumed, until
drawn hands have been read and counted. Provable is then what pictures show, to somebody who knows
every card by its back.

With --nights, whole nights of eight hours and thirty hands an hour are dealt instead, to
measure the running test between counts: how often a card that is there is suspected, and after
how many hands one that is gone. Best possible: no test can beat it that may raise only as many
false suspicions; separate code works it out. --miss is then the share of dealt cards that a hand
does not show. Only --shuffle, --seats, --miss, --seed and --json go with it.

With --counts no hand is dealt. Decks are counted over the bytes of emulated readers: every second
one as it should be, the others with a card missing, an extra one without a tag, an unknown tag, a
joker, a card of another deck or a second copy, in turn. Wrong: a verdict that is not what the pack
held; an extra card without a tag cannot be seen, so "complete" is then right. Asked to repeat: the
deck was to be passed again although all 52 cards were in it. A card is called missing after two
passes at the earliest, so those counts stand by themselves. Seconds are the dealer's, from the key
to the confirmation. Only --miss, --cross, --sweep, --two-at-once, --seed,
--jobs and --json go with it."""

_KINDS = {
    "nights": ("shuffle", "seats", "miss", "seed", "as_json"),
    "counts": ("miss", "cross", "sweep", "two_at_once", "seed", "jobs", "as_json"),
}
"""What else a simulation can be of than hands, and the options that go with it."""
_FROM_TABLE = {"miss": "--miss", "cross": "--cross", "stack": "--max-stack"}
_ONLY_WITH = {"shuffle": "nights", "two_at_once": "counts"}


def simulate_command(
    context: typer.Context,
    profile: Annotated[str, typer.Option(help="Name or path of the house's profile.")] = "tda",
    game: Annotated[str, typer.Option(help=f"One of {', '.join(GAMES)}.")] = "holdem",
    seats: Annotated[int, typer.Option(help="Players, 2 to 11.")] = 9,
    hands: Annotated[int, typer.Option(help="Hands to deal.")] = 1000,
    miss: Annotated[str, typer.Option(help="Share of looks that miss a card, like 5%.")] = "5%",
    cross: Annotated[str, typer.Option(help="Share of looks that read a neighbour's card.")] = "2%",
    sweep: Annotated[str, typer.Option(help="One round of all antennas, like 400ms.")] = "400ms",
    errors: Annotated[str, typer.Option(help="all, none, or kinds with commas.")] = "all",
    error_share: Annotated[
        str, typer.Option("--error-share", help="Share of hands with a planted mistake.")
    ] = "50%",
    seed: Annotated[int, typer.Option(help="Another seed, other hands.")] = 1,
    stack: Annotated[
        str,
        typer.Option(
            "--max-stack", help="How many cards an antenna can tell apart; none: any number."
        ),
    ] = "seat=2,burn=4,board=5,muck=2",
    burst: Annotated[
        bool,
        typer.Option(
            "--burst",
            help="One card a hand stays unread; the dealer re-scans what the board asks for.",
        ),
    ] = False,
    poll_direction: Annotated[
        str, typer.Option("--poll-direction", help="Round with or against the deal.")
    ] = "against",
    focus: Annotated[
        bool,
        typer.Option("--focus/--no-focus", help="Poll the zones more often that are due next."),
    ] = True,
    camera: Annotated[
        str,
        typer.Option(help="A camera instead of the antennas (alone), or beside them (both)."),
    ] = "none",
    frames: Annotated[
        str, typer.Option(help="With --camera: from one picture to the next, like 125ms.")
    ] = "125ms",
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Repeat for both poll directions, with and without focus."),
    ] = False,
    like: Annotated[
        Path | None,
        typer.Option(
            "--like-table",
            help="Antennas err as this table's did lately: its table.toml, or its file of rates.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=0, help="Processes; the result does not depend on it. 0: one a core.")
    ] = 0,
    nights: Annotated[
        int | None, typer.Option(help="Deal whole nights and measure the running deck test.")
    ] = None,
    shuffle: Annotated[
        str,
        typer.Option(help='With --nights: uniform, house, or acts like "riffle strip riffle cut".'),
    ] = "house",
    counts: Annotated[
        int | None, typer.Option(help="Count so many decks, and deal no hands.")
    ] = None,
    two_at_once: Annotated[
        str,
        typer.Option("--two-at-once", help="With --counts: share of cards passed two at once."),
    ] = "3%",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and no progress.")] = False,
) -> None:
    kind = "nights" if nights is not None else "counts" if counts is not None else None
    faults: list[str] = _out_of_place(context, kind)
    workers = jobs if jobs > 0 else os.cpu_count() or 1
    if counts is not None and nights is None:
        _count(faults, counts, miss, cross, sweep, two_at_once, seed, workers, as_json)
        return
    if nights is not None:
        rate = _read(faults, "--miss", share, miss, 0.05)
        _nights(faults, as_json, nights=nights, shuffle=shuffle, miss=rate, seats=seats, seed=seed)
        return
    table = None
    if like is not None:
        given = _given(context)
        faults += [
            f"{option}: not with --like-table, which has it from the table"
            for name, option in _FROM_TABLE.items()
            if name in given
        ]
        table = _read(faults, "", lambda text: like_table(Path(text)), str(like), None)
    settings = _settings(
        faults,
        profile=profile,
        game=game,
        seats=seats,
        hands=hands,
        miss=_read(faults, "--miss", share, miss, 0.05),
        cross=_read(faults, "--cross", share, cross, 0.02),
        sweep_s=_read(faults, "--sweep", duration_s, sweep, 0.4),
        max_stack=_read(faults, "", max_stack, stack, dict(REFERENCE_MAX_STACK)),
        error_share=_read(faults, "--error-share", share, error_share, 0.5),
        seed=seed,
        burst=burst,
        direction=poll_direction,
        focus=focus,
        like=table,
        camera=camera,
        frame_s=_read(faults, "--frames", duration_s, frames, 0.125),
    )
    if settings is not None:
        try:
            known = mistake_kinds(settings)
            settings = replace(settings, errors=error_kinds(errors, known))
        except (SettingsError, ValueError, OSError) as e:
            faults += str(e).splitlines()
    if faults or settings is None:
        _refuse(faults)
    if compare:
        _compare(settings, workers, as_json)
        return
    begun = time.perf_counter()
    totals = _with_progress(settings, workers, as_json)
    if as_json:
        typer.echo(json.dumps(totals.as_json(), indent=1))
    else:
        Console().print(for_people(totals, title(settings), time.perf_counter() - begun))


class _Command(TyperCommand):
    """`--camera` by itself means that the camera is alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        said = list(args)
        for at, word in enumerate(args):
            if word == "--camera" and (at + 1 == len(args) or args[at + 1].startswith("-")):
                said[at] = "--camera=alone"
        return super().parse_args(ctx, said)


app = typer.Typer(add_completion=False)
paragraphs = (" ".join(p.split()) for p in SIMULATE_HELP.split("\n\n"))
app.command(cls=_Command, help="\n\n".join(paragraphs))(simulate_command)


def title(s: Settings) -> str:
    """The settings in a line."""
    focus = "focus" if s.focus else "no focus"
    burst = ", one card unread in every hand" if s.burst else ""
    pictures = f"a picture every {s.frame_s * 1000:.0f} ms"
    if s.camera == "alone":
        of = f" like {s.like.name}'s, nights counted: {s.like.nights}" if s.like is not None else ""
        sees = f"a camera alone{of}, {pictures}"
        return f"{s.profile}, {s.game}, {s.seats} seats; {sees}; seed {s.seed}"
    if s.camera == "both":
        burst += f"; a camera besides, {pictures}"
    reads = f"miss {s.miss:.0%}, cross {s.cross:.0%}"
    if s.like is not None:
        reads = (
            f"like {s.like.name}, nights counted: {s.like.nights} (on average miss "
            f"{s.like.mean_miss:.1%}, cross {s.like.mean_cross:.1%})"
        )
    return (
        f"{s.profile}, {s.game}, {s.seats} seats; {reads}, sweep "
        f"{s.sweep_s * 1000:.0f} ms, polled {s.direction} the deal with {focus}{burst}; "
        f"seed {s.seed}"
    )


def _out_of_place(context: typer.Context, kind: str | None) -> list[str]:
    """Options that were given and that this kind of simulation does not know."""
    options = {p.name or "": p.opts[0] for p in context.command.params}
    given = _given(context)
    if kind is None:
        return [
            f"{options[name]}: only with --{_ONLY_WITH[name]}"
            for name in given
            if name in _ONLY_WITH
        ]
    known = _KINDS[kind]
    *most, last = (options[name] for name in known)
    knows = f"not with --{kind}, which knows {', '.join(most)} and {last}"
    return [f"{options[name]}: {knows}" for name in given if name not in (kind, *known)]


def _given(context: typer.Context) -> list[str]:
    """Names of the options that somebody wrote."""
    return [
        name
        for name in (p.name or "" for p in context.command.params)
        if (source := context.get_parameter_source(name)) is not None
        and source.name == "COMMANDLINE"
    ]


def _nights(faults: list[str], as_json: bool, **values: object) -> None:
    from controller.simulate.nights import NightSettings, for_people, simulate_nights

    try:
        settings = NightSettings(**values)  # type: ignore[arg-type]
    except SettingsError as e:
        faults += e.faults
    if faults:
        _refuse(faults)
    begun = time.perf_counter()
    with _progress(as_json) as bar:
        task = bar.add_task("dealing nights", total=2 * settings.nights)
        totals = simulate_nights(settings, lambda n: bar.advance(task, n))
    if as_json:
        typer.echo(json.dumps(totals.as_json(), indent=1))
    else:
        Console().print(for_people(totals, time.perf_counter() - begun))


def _count(
    faults: list[str],
    counts: int,
    miss: str,
    cross: str,
    sweep: str,
    two_at_once: str,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Count decks instead of dealing hands."""
    from controller.simulate.counts import CountSettings, for_people, simulate_counts

    rates = {
        "miss": _read(faults, "--miss", share, miss, 0.05),
        "cross": _read(faults, "--cross", share, cross, 0.02),
        "sweep_s": _read(faults, "--sweep", duration_s, sweep, 0.4),
        "two_at_once": _read(faults, "--two-at-once", share, two_at_once, 0.03),
    }
    settings = None
    try:
        settings = CountSettings(counts=counts, seed=seed, **rates)
    except SettingsError as e:
        faults += e.faults
    if faults or settings is None:
        _refuse(faults)
    begun = time.perf_counter()
    with _progress(as_json) as bar:
        task = bar.add_task("counting", total=counts)
        totals = simulate_counts(settings, jobs, on_counts=lambda n: bar.advance(task, n))
    if as_json:
        typer.echo(json.dumps(totals.as_json(), indent=1))
    else:
        Console().print(for_people(totals, settings, time.perf_counter() - begun))


def _refuse(faults: list[str]) -> NoReturn:
    for fault in faults:
        typer.echo(f"simulate: {fault}", err=True)
    raise typer.Exit(2)


def _progress(quiet: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), disable=quiet)


def _with_progress(settings: Settings, jobs: int, quiet: bool) -> Totals:
    with _progress(quiet) as bar:
        task = bar.add_task("dealing", total=settings.hands)
        return simulate(settings, jobs, on_hands=lambda n: bar.advance(task, n))


def _compare(settings: Settings, jobs: int, as_json: bool) -> None:
    """What poll direction and focus bring, kind by kind."""
    found: dict[str, Totals] = {}
    for direction in ("with", "against"):
        for focus in (False, True):
            name = f"{direction} the deal, {'focus' if focus else 'no focus'}"
            variant = replace(settings, direction=direction, focus=focus)
            found[name] = _with_progress(variant, jobs, as_json)
    if as_json:
        typer.echo(json.dumps({name: t.as_json() for name, t in found.items()}, indent=1))
        return
    grid = Grid(title="Caught or asked / provable, of planted", title_justify="left")
    grid.add_column("mistake")
    for name in found:
        grid.add_column(name, justify="right")
    for kind in sorted({k for t in found.values() for k in t.kinds}):
        row = [kind]
        for t in found.values():
            k = t.kinds.get(kind)
            row.append(
                "–" if k is None else f"{k.shown / k.planted:.1%} / {k.provable / k.planted:.1%}"
            )
        grid.add_row(*row)
    grid.add_section()
    grid.add_row("false alarms", *(str(t.false_alarms) for t in found.values()))
    grid.add_row(
        'legal hands with a "cannot tell"',
        *(f"{t.cannot_tell_hands / max(1, t.legal_hands):.1%}" for t in found.values()),
    )
    Console().print(grid)


def _read(faults: list[str], name: str, read: Callable[[str], T], text: str, default: T) -> T:
    try:
        return read(text)
    except SettingsError as e:
        faults += [f"{name} {fault}".strip() for fault in e.faults]
        return default


def _settings(faults: list[str], **values: object) -> Settings | None:
    try:
        return Settings(**values)  # type: ignore[arg-type]
    except SettingsError as e:
        faults += e.faults
        return None
