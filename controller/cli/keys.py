"""`burnturn keys`: the regulator's key pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from controller.keys import RegulatorKeyError, new_pair

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The regulator's key pair.")


@app.callback()
def _keys() -> None:
    """The regulator's key pair."""


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the two key files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a key pair. Best done on the regulator's own machine, not on the table."""
    try:
        pair = new_pair(folder)
    except RegulatorKeyError as e:
        typer.echo(f"keys new: {e}", err=True)
        raise typer.Exit(2) from e
    if as_json:
        told = {
            "private_file": str(pair.private),
            "public_file": str(pair.public),
            "public_key": pair.public_text,
        }
        typer.echo(json.dumps(told))
        return
    typer.echo(f"""Two halves of a key were made.

PUBLIC half, for the table's configuration (table.toml):
  [keys]
  public = "{pair.public_text}"
  also in {pair.public}

PRIVATE half: {pair.private}
  It opens every sealed card identity. It must never be on the table's machine:
  give it to the regulator, on paper or on a stick, and keep it with them alone.
  If this machine is the table: move the file off it now, and delete it here
  (shred -u "{pair.private}"). Lost, it cannot be made again, and what was
  sealed to it stays sealed for ever.""")
