"""`burnturn table …`: the floor speaks to the running daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from controller.floor.client import default_socket, operator, say
from controller.floor.commands import WRONG_READING, Answer, Command, FloorError, Word

app = typer.Typer(
    help="The floor's word to the running table: seats, button, rulings, status.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class _Line:
    """Where to speak and in whose name; set by the options before the command."""

    socket: Path
    by: str
    as_json: bool


@app.callback()
def options(
    context: typer.Context,
    by: Annotated[str, typer.Option(help="Who says so; journaled. Default: your login.")] = "",
    socket: Annotated[
        Path | None, typer.Option(envvar="BURNTURN_SOCKET", help="The daemon's socket.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The table.toml that names the socket.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
) -> None:
    line = _Line()
    line.by = by.strip() or operator()
    line.as_json = as_json
    line.socket = socket or (_socket_of(config) if config else default_socket())
    context.obj = line


def _socket_of(path: Path) -> Path:
    from controller.config import ConfigError, load

    try:
        return load(path).socket
    except ConfigError as error:
        _fail(str(error))


@app.command()
def seat(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="SEAT")],
    status: Annotated[str, typer.Argument(metavar="in|out|sit-out")],
) -> None:
    """Register a seat: in (due cards), sit-out (seated, not due), out (nobody)."""
    _say(context, "seat", seat=number, status=status)


@app.command()
def button(context: typer.Context, number: Annotated[int, typer.Argument(metavar="SEAT")]) -> None:
    """Say where the dealer button is."""
    _say(context, "button", seat=number)


@app.command()
def rule(
    context: typer.Context,
    finding: Annotated[str, typer.Argument(metavar="ID", help="Number, or code if open once.")],
    text: Annotated[str, typer.Argument(help="The ruling, in words.")],
) -> None:
    """Rule on a finding."""
    _say(context, "rule", finding=finding, text=text)


@app.command()
def dismiss(
    context: typer.Context,
    finding: Annotated[str, typer.Argument(metavar="ID", help="Number, or code if open once.")],
    reason: Annotated[str, typer.Argument(metavar=WRONG_READING)],
) -> None:
    """Dismiss a finding: the antennas read wrongly."""
    _say(context, "dismiss", finding=finding, text=reason)


@app.command()
def confirm(
    context: typer.Context,
    finding: Annotated[str, typer.Argument(metavar="[ID]", help="Default: what is asked.")] = "",
) -> None:
    """Confirm what the table asks: the dealer looked, it is as the board says."""
    _say(context, "confirm", finding=finding)


@app.command()
def quiet(context: typer.Context) -> None:
    """The deal is done: judge it now."""
    _say(context, "quiet")


@app.command()
def action(
    context: typer.Context, happened: Annotated[str, typer.Argument(metavar="yes|no")]
) -> None:
    """Say whether substantial action has taken place in this hand."""
    if happened not in ("yes", "no"):
        _fail(f"action {happened!r}: allowed are yes, no")
    _say(context, "action", happened=happened == "yes")


@app.command()
def attest(
    context: typer.Context,
    row: Annotated[str, typer.Argument(metavar="ROW|all", help="As `status` lists them.")],
) -> None:
    """Confirm what no sensor sees, as at the table's opening: deck sealed, gear in order."""
    rows = _to_attest(context) if row == "all" else [row]
    for one in rows:
        _say(context, "attest", text=one)
    if not rows:
        typer.echo("nothing is left to be confirmed here")


@app.command()
def defer(
    context: typer.Context,
    duty: Annotated[str, typer.Argument(metavar="count|change")],
    reason: Annotated[str, typer.Argument(help="Why; journaled.")],
) -> None:
    """Put the deck's count or change off, with the reason. Its limit stays."""
    _say(context, "defer", status=duty, text=reason)


@app.command()
def count(
    context: typer.Context,
    camera: Annotated[
        bool, typer.Option("--camera", help="Spread it face up under the camera instead.")
    ] = False,
) -> None:
    """Count the deck, between hands: pass it over the count antenna, then confirm."""
    _say(context, "count", status="camera" if camera else "")


@app.command()
def status(context: typer.Context) -> None:
    """Hand, registry, readers and open findings."""
    _say(context, "status")


def _to_attest(context: typer.Context) -> list[str]:
    line: _Line = context.obj
    try:
        answer = say(line.socket, Command(do="status", by=line.by))
    except FloorError as error:
        _fail(str(error))
    rows = answer.data.get("to_attest")
    return [str(row) for row in rows] if isinstance(rows, list) else []


def _say(
    context: typer.Context,
    do: Word,
    *,
    seat: int = 0,
    status: str = "",
    finding: str = "",
    text: str = "",
    happened: bool = False,
) -> None:
    line: _Line = context.obj
    command = Command(
        do=do,
        by=line.by,
        seat=seat,
        status=status,
        finding=finding,
        text=text,
        happened=happened,
    )
    try:
        answer = say(line.socket, command)
    except FloorError as error:
        answer = Answer(False, str(error))
    if line.as_json:
        body = {"ok": answer.ok, "text": answer.text, **answer.data}
        typer.echo(json.dumps(body, ensure_ascii=False))
    elif answer.ok:
        typer.echo(answer.text)
    if not answer.ok:
        if line.as_json:
            raise typer.Exit(1)
        _fail(answer.text)


def _fail(text: str) -> NoReturn:
    typer.echo(f"burnturn table: {text}", err=True)
    raise typer.Exit(1)
