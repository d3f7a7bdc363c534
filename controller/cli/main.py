"""`burnturn`: the command line. Each part is imported when it is called, so that `--help` is quick
and one broken part leaves the others alone."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import sys
from collections.abc import Sequence

from controller.cli.answers import OUTPUT_FULL, OWN_FAULT, answering_in_json, own_fault
from controller.files import FULL

PARTS: dict[str, tuple[str, str]] = {
    "run": ("controller.cli.run", "Watch a table: the daemon, with or without its live screen."),
    "table": ("controller.cli.floor", "The floor's word to the running table."),
    "devices": (
        "controller.cli.devices",
        "Readers and ports at this machine, and lines for a table.toml.",
    ),
    "config": ("controller.cli.config", "Check a table.toml; print the sample."),
    "profile": ("controller.cli.profile", "House rules: list, check, clause by clause."),
    "scenario": ("controller.cli.scenario", "Try written deals against a profile."),
    "simulate": ("controller.cli.simulate", "Try a profile and antennas over thousands of hands."),
    "deck": ("controller.cli.deck", "Decks: register, list, retire, move to another table."),
    "calibrate": (
        "controller.cli.calibrate",
        "Measure the table's antennas, chairs, button and lamps.",
    ),
    "journal": ("controller.cli.journal", "Verify, replay, export; the head of the chain."),
    "certificate": (
        "controller.cli.certificate",
        "Certificates of counts: verify, show, the table's public key.",
    ),
    "doctor": ("controller.cli.doctor", "Check the machine under the table, and its readers."),
    "rates": ("controller.cli.rates", "How often the table's senses err, night by night."),
    "keys": ("controller.cli.keys", "Make the regulator's pair of keys."),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the `burnturn` command."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _no_core()
    try:
        if words and words[0] in PARTS:
            _part(words[0], words[1:])
        else:
            _listing(words)
    except BrokenPipeError:  # whoever reads our output has seen enough (| head)
        sys.stderr.close()
        sys.exit(141)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get("BURNTURN_TRACEBACK"):
            raise
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            print(f"burnturn {' '.join(words[:1])}: {OUTPUT_FULL}", file=sys.stderr)
            _forget_output()
            sys.exit(OWN_FAULT)
        print(f"burnturn {' '.join(words[:1])}: {own_fault(error)}", file=sys.stderr)
        sys.exit(OWN_FAULT)


def _forget_output() -> None:
    """What could not be written is not tried again at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_core() -> None:
    """A crash leaves no picture of the memory on the disk: it holds which tag is which card."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def _part(name: str, arguments: list[str]) -> None:
    module = PARTS[name][0]
    try:
        app = importlib.import_module(module).app
    except ModuleNotFoundError as error:
        package = error.name or ""
        if module == package or module.startswith(f"{package}."):
            sys.exit(f"burnturn {name}: is not part of this installation")
        sys.exit(
            f"burnturn {name}: needs the Python package {package}, which is not installed; "
            "run `make setup`"
        )
    # A traceback with variables, as older releases of typer print it, could name cards.
    app.pretty_exceptions_enable = False
    called = f"burnturn {name}"
    if "--json" in arguments:
        sys.exit(answering_in_json(lambda: app(arguments, prog_name=called, standalone_mode=False)))
    app(arguments, prog_name=called)


def _listing(arguments: list[str]) -> None:
    """`burnturn` alone, its options, and words that are no part: typer's own help and errors."""
    import typer

    app = typer.Typer(
        help="Watches a poker table's cards, checks the deal against the house's rules, and "
        "drives an LED board.",
        no_args_is_help=True,
        add_completion=False,
    )

    def version(wanted: bool) -> None:
        if wanted:
            from importlib.metadata import version

            typer.echo(f"burnturn {version('burnturn')}")
            raise typer.Exit

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=version, is_eager=True, help="Show the version."
        ),
    ) -> None:
        pass

    for name, (_, words) in PARTS.items():
        app.command(name, help=words)(_never)
    app(arguments, prog_name="burnturn")


def _never() -> None:
    raise AssertionError("a part is run by `_part`")


if __name__ == "__main__":
    main()
