"""`burnturn calibrate camera`: the sheets to print, the lens, the table, the areas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from controller.cli.calibrate import ConfigPath

if TYPE_CHECKING:
    from controller.config import Config

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A camera over the table: print its sheets, then measure its lens, where it hangs, and the"
    " places that it reads.",
)


@app.command()
def sheet(
    to: Annotated[Path, typer.Argument(help="The PDF to write.")] = Path("burnturn-sheets.pdf"),
    paper: Annotated[str, typer.Option("--paper", help="a4 or letter.")] = "a4",
    config: ConfigPath = None,
) -> None:
    """Write the sheets to print: lens board, stickers, place cards, and where they go."""
    checked = _config(config)
    try:
        from calibration.camera.sheets import Paper, sheets_pdf

        if paper.lower() not in list(Paper):
            _fail(f"--paper {paper}: allowed {' and '.join(Paper)}")
        content = sheets_pdf(Paper(paper.lower()), checked.file.table.seats)
    except ModuleNotFoundError as error:
        _fail(
            f"the sheets need {error.name}. Next: pip install"
            " 'burnturn[camera-headless,calibration]'"
        )
    _write(to, content)
    typer.echo(
        f"{to}: print it at 100 % (not “fit to page”) on"
        f" {paper.upper() if paper == 'a4' else paper} paper, and measure the ruler on each"
        " page.\nThe lens board goes on something stiff and flat; the stickers go on the table"
        " where the last page says.\nThen: burnturn"
        " calibrate"
        " camera"
    )


def _write(to: Path, content: bytes) -> None:
    from controller.files import remedy, replace

    try:
        replace(to, content, mode=0o644)
    except OSError as error:
        _fail(f"{to}: cannot be written ({error.strerror}). {remedy(error)}")


def _config(path: Path | None) -> Config:
    from controller.config import ConfigError, load

    try:
        return load(path)
    except ConfigError as error:
        _fail(str(error))


def _fail(text: str) -> NoReturn:
    typer.echo(f"burnturn calibrate camera: {text}", err=True)
    raise typer.Exit(2)
