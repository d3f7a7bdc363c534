"""What the test machines need of Debian: programs installed or named, a cache outside the tree, and
steps that say what they cost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "LC_ALL": "C",
    # Debian keeps some programs where only root looks.
    "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin",
}
_SHOWN_LINES = 40


class MachineError(Exception):
    """A test machine cannot be made or used; says what to do next."""


def cache(kind: str) -> Path:
    """The folder for downloads and builds of one machine: outside the tree, made if it is
    missing."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "burnturn" / kind
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """`folder`, filled by `make` if it is missing. What was given up half-way is no cache."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="unfinished-") as unfinished:
            content = Path(unfinished) / "content"
            content.mkdir()
            make(content)
            try:
                content.rename(folder)
            except OSError:
                # Another run was quicker; its result is as good.
                if not folder.is_dir():
                    raise
    return folder


@contextmanager
def step(what: str) -> Iterator[None]:
    """Prints what is done, and how long it took once it is."""
    began = time.monotonic()
    print(f"    {what} ...", end="", flush=True)
    try:
        yield
    except BaseException:
        print(" FAILED", flush=True)
        raise
    print(f" {time.monotonic() - began:.1f} s", flush=True)


def run(
    *command: str | Path,
    into: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> str:
    """A program's output. `into`: where it is run. Raises MachineError with the end of all that it
    said."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=into,
            env={**ENVIRONMENT, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise MachineError(f"{words[0]} cannot be run: {error.strerror}") from error
    if done.returncode:
        said = (done.stdout + done.stderr).splitlines()[-_SHOWN_LINES:]
        raise MachineError(
            f"{' '.join(words)[:200]} failed ({done.returncode}):\n" + "\n".join(said)
        )
    return done.stdout


def need(programs: Mapping[str, str]) -> None:
    """Make sure of programs (program or file to its Debian package): installs what is missing if we
    are root on a Debian, else names it. Raises MachineError."""
    missing = sorted({p for program, p in programs.items() if not _present(program)})
    if not missing:
        return
    command = "apt-get install --no-install-recommends " + " ".join(missing)
    if os.geteuid() != 0 or shutil.which("apt-get", path=ENVIRONMENT["PATH"]) is None:
        raise MachineError(f"this needs programs that are missing. Install them: sudo {command}")
    with step(f"installing {' '.join(missing)}"):
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        install = [*command.split()[:2], "-y", *command.split()[2:]]
        try:
            run(*install, env=quiet)
        except MachineError:
            run("apt-get", "update", env=quiet)
            run(*install, env=quiet)


def _present(program: str) -> bool:
    if program.startswith("/"):
        return Path(program).exists()
    return shutil.which(program, path=ENVIRONMENT["PATH"]) is not None


def colour() -> str:
    """pytest's option for the terminal that we have. Not by PY_COLORS, which our own command line
    would follow, too."""
    return f"--color={'yes' if sys.stdout.isatty() else 'no'}"


def guarded(main: Callable[[Sequence[str]], int]) -> int:
    """Run a stage's main with the words of the command line; errors are told without a trace."""
    try:
        return main(sys.argv[1:])
    except MachineError as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
