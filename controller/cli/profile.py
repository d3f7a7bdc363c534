"""`burnturn profile …`: list the profiles, check a file, print a compliance sheet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from controller.rules.profile import DEFAULT, Profile, ProfileError, check, load, names, remarks
from controller.rules.sheet import RowState, Sheet, sheet

app = typer.Typer(
    help="The house's rules of dealing: list, check, and how the table deals with each clause.",
    no_args_is_help=True,
    add_completion=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]

_STATE_STYLE = {
    RowState.NOT_YET: "yellow",
    RowState.OUTSIDE: "dim",
}


@app.command("list")
def list_profiles(as_json: AsJson = False) -> None:
    """The profiles that ship with the table."""
    profiles = [load(name) for name in names()]
    if as_json:
        print(json.dumps({"profiles": [_summary(p) for p in profiles]}, indent=1))
        return
    table = Table("name", "rules", "edition", "games", "seats")
    for p in profiles:
        name = f"{p.name} (default)" if p.name == DEFAULT else p.name
        table.add_row(name, p.title, p.edition, ", ".join(p.games.value), f"2-{p.max_seats.value}")
    Console().print(table)


def _summary(p: Profile) -> dict[str, object]:
    return {
        "name": p.name,
        "title": p.title,
        "jurisdiction": p.jurisdiction,
        "edition": p.edition,
        "games": list(p.games.value),
        "max_seats": p.max_seats.value,
        "default": p.name == DEFAULT,
        "remarks": remarks(p),
    }


@app.command("check")
def check_file(
    file: Annotated[Path, typer.Argument(help="A profile as TOML.")], as_json: AsJson = False
) -> None:
    """Every fault of a profile file at once; remarks on what is lawful but tight.

    Exits 1 if there is a fault.
    """
    found = check(file)
    faults = [f for f in found if not f.remark]
    if as_json:
        listed = [
            {
                "line": f.line,
                "column": f.column,
                "message": f.message,
                "remark": f.remark,
                "code": f.code,
            }
            for f in found
        ]
        print(json.dumps({"file": str(file), "ok": not faults, "faults": listed}, indent=1))
    else:
        for f in found:
            print(f"{file}:{f.line}:{f.column}: {'remark: ' if f.remark else ''}{f.message}")
        print(f"{file}: {_counted(len(faults))}" if faults else f"{file}: in order")
    if faults:
        raise typer.Exit(1)


def _counted(faults: int) -> str:
    return "1 fault" if faults == 1 else f"{faults} faults"


@app.command("sheet")
def print_sheet(
    name: Annotated[str, typer.Argument(help="A profile's name, or the path of its file.")],
    as_json: AsJson = False,
) -> None:
    """Clause by clause, how the table deals with it, and the scenarios or tests that show it."""
    try:
        made = sheet(load(name))
    except ProfileError as error:
        _fail(str(error))
    if as_json:
        print(json.dumps(made.as_dict(), indent=1, ensure_ascii=False))
    else:
        _print_table(made)


def _print_table(made: Sheet) -> None:
    console = Console()
    p = made.profile
    table = Table(title=Text(f"{p.title}, {p.edition or 'edition unknown'}"))
    table.add_column("row", no_wrap=True)
    table.add_column("asks", ratio=3)
    table.add_column("how", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("shown by", ratio=3, overflow="fold")
    for line in made.rows:
        shown = "\n".join(path.removeprefix("tests/") for path in line.shown_by)
        table.add_row(
            line.row.id,
            line.row.paraphrase,
            line.row.how,
            Text(str(line.state), style=_STATE_STYLE.get(line.state, "green")),
            Text(shown).append(("\n" if shown and line.reason else "") + line.reason, style="dim"),
        )
    console.print(table)
    console.print(", ".join(f"{count} {state}" for state, count in made.counts().items() if count))
    console.print(
        "How this table deals with each clause, in our own words; it is no legal advice.",
        style="dim",
    )


def _fail(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(2)
