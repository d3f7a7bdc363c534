"""`burnturn rates`: how often the table's senses err, night by night."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from controller.rates.counts import Sense, Tally
    from controller.rates.nights import Night, Nights

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

HELP = """How often the table's senses err, night by night: antennas that miss a card or read a
neighbour's, looks without a clean answer, tags that there are not; areas that a camera cannot see,
faces and sides that it cannot read; questions that stay open. The table counts all of it by itself
in what it sees anyway; no card is in it.

A rate's interval is that of 95 %. "too often" was told by a test that is wrong in one of 10,000
nights at most; the sense is measured against its calibration, or against the table's first nights.
"""


def rates(
    config: Annotated[
        Path | None, typer.Option(help="The table.toml. Default: the simulated sample table.")
    ] = None,
    nights: Annotated[int, typer.Option(min=1, help="The last so many nights.")] = 7,
    every: Annotated[
        bool, typer.Option("--every", help="Each night by itself, instead of all together.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
) -> None:
    from controller.config import ConfigError, load
    from controller.rates.book import RatesFileError, rates_file, read

    try:
        file = rates_file(load(config).journal)
        kept = read(file)
    except (ConfigError, RatesFileError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    shown = [night for night in kept.nights if night.hands][-nights:]
    if as_json:
        typer.echo(json.dumps(_as_json(kept, shown), ensure_ascii=False, indent=1))
        return
    if not shown:
        typer.echo(f"no night is counted yet: {file} is written after each hand at the table")
        return
    for words, of in _parts(shown, every):
        _print(words, of, kept)
    for line in kept.trouble():
        typer.echo(f"TOO OFTEN: {line}")


def _parts(shown: list[Night], every: bool) -> list[tuple[str, list[Night]]]:
    if every:
        return [(_when(night), [night]) for night in shown]
    many = f"{len(shown)} nights since" if len(shown) > 1 else "the night of"
    return [(f"{many} {_when(shown[0])}", shown)]


def _when(night: Night) -> str:
    return f"{datetime.fromtimestamp(night.began).astimezone():%Y-%m-%d %H:%M}"


def _together(nights: list[Night]) -> dict[Sense, Tally]:
    from controller.rates.nights import pooled

    senses = {sense for night in nights for sense in night.tallies}
    return {
        s: pooled(n.tallies[s] for n in nights if s in n.tallies)
        for s in sorted(senses, key=_order)
    }


def _order(sense: Sense) -> tuple[str, int, str, str]:
    """Antennas by their number."""
    kind, _, rest = sense.what.partition(" ")
    number = rest.split(",")[0]
    return kind, int(number) if number.isdigit() else 0, sense.what, sense.error


def _print(words: str, nights: list[Night], kept: Nights) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    hands = sum(night.hands for night in nights)
    grid = Grid(title=f"{words}: {hands} hands", title_justify="left")
    for column in ("sense", "error", "rate", "95 %", "should be", "tried"):
        grid.add_column(column, justify="left" if column in ("sense", "error") else "right")
    for sense, tally in _together(nights).items():
        test = kept.drifts.get(sense)
        low, high = tally.interval or (0.0, 1.0)
        grid.add_row(
            sense.what,
            f"{sense.error}{' (too often)' if test is not None and test.told else ''}",
            f"{tally.rate or 0.0:.2%}",
            f"{low:.2%} to {high:.2%}",
            "–" if test is None else f"{test.reference:.2%}",
            f"{tally.tried:,}",
        )
    Console().print(grid)


def _as_json(kept: Nights, shown: list[Night]) -> dict[str, Any]:
    def rows(nights: list[Night]) -> list[dict[str, Any]]:
        return [
            {
                "sense": sense.what,
                "error": str(sense.error),
                "tried": tally.tried,
                "wrong": tally.wrong,
                "rate": tally.rate,
                "interval": tally.interval,
            }
            for sense, tally in _together(nights).items()
        ]

    return {
        "nights": [
            {"began": n.began, "last": n.last, "hands": n.hands, "rates": rows([n])} for n in shown
        ],
        "together": rows(shown),
        "tests": [
            {
                "sense": sense.what,
                "error": str(sense.error),
                "reference": test.reference,
                "allowed": test.allowed,
                "too_often": test.told,
            }
            for sense, test in sorted(kept.drifts.items())
        ],
        "too_often": list(kept.trouble()),
    }


paragraphs = (" ".join(part.split()) for part in HELP.split("\n\n"))
app.command(help="\n\n".join(paragraphs))(rates)
