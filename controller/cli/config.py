"""`burnturn config …`: the table's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from controller.calibrating.in_force import in_force
from controller.config import ConfigError, load, sample_text

app = typer.Typer(
    help="Check a table.toml; print the sample.", no_args_is_help=True, add_completion=False
)


@app.command()
def check(file: Annotated[Path, typer.Argument(metavar="FILE")]) -> None:
    """Name every fault of a table.toml at once."""
    try:
        config = load(file)
    except ConfigError as error:
        typer.echo(str(error), err=True)
        count = len(error.faults)
        typer.echo(f"{count} fault{'s' if count != 1 else ''}", err=True)
        raise typer.Exit(1) from None
    measured = in_force(config)
    if measured.faults:
        for fault in measured.faults:
            typer.echo(fault, err=True)
        raise typer.Exit(1)
    table = config.file.table
    more = ""
    if config.inputs is not None:
        lines = len(config.inputs.inputs)
        more += f", {lines} {'key or switch' if lines == 1 else 'keys and switches'}"
    if config.boards:
        more += f", {', '.join(b.driver for b in config.boards)}"
    typer.echo(
        f"{file}: in order: {table.seats} seats, {len(config.file.antenna)} antennas on "
        f"{len(config.file.reader)} readers{more}, {table.game}, profile {config.profile.name}"
    )
    if measured.saved:
        typer.echo(f"goes by what was measured of: {', '.join(measured.saved)}")
    for note in measured.notes:
        typer.echo(f"note: {note}")


@app.command()
def sample(
    camera: Annotated[
        bool, typer.Option("--camera", help="The table under a camera alone.")
    ] = False,
) -> None:
    """Print the sample: the reference table, simulated, with antennas or under a camera alone."""
    typer.echo(sample_text("camera" if camera else "antennas"), nl=False)
