"""`burnturn`: the command line. Each part is imported when it is called, so that `--help` is quick
and one broken part leaves the others alone."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from types import FrameType

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

HOLD_DEVICES = ("calibrate", "deck", "devices", "doctor")
"""Parts that open devices and give them back at their end; `run` sees to its signals itself."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the `burnturn` command."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _no_core()
    _any_terminal()
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


def _any_terminal() -> None:
    """A terminal of another encoding shows ? for what it has not, instead of ending the work."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does: lamps go dark, readers go quiet, and the
    terminal is as it was. A signal that is ignored, as under nohup, stays so."""

    def end(number: int, frame: FrameType | None) -> None:
        on_ctrl_c = signal.getsignal(signal.SIGINT)
        if callable(on_ctrl_c):
            on_ctrl_c(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    signals = (signal.SIGTERM, signal.SIGHUP)
    usual = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


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
    with _ended_as_by_ctrl_c() if name in HOLD_DEVICES else contextlib.nullcontext():
        if "--json" in arguments:
            once = partial(app, arguments, prog_name=called, standalone_mode=False)
            sys.exit(answering_in_json(once))
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
