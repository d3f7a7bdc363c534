"""`burnturn scenario`: run scenario files, or name their faults."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from controller.rules.catalogue import catalogue
from controller.scenario.language import SET_UP, read
from controller.scenario.lines import Scenario
from controller.scenario.rehearsal import rehearse
from controller.scenario.runner import (
    CameraChoice,
    Missing,
    NoiseChoice,
    Undecided,
    Unexpected,
    run,
)

app = typer.Typer(
    help="Scenario files: what a dealer does, and what the table must say.",
    no_args_is_help=True,
    add_completion=False,
)

NOISE_FORM = "miss,cross,sweep, such as 5%,2%,400ms"


@dataclass(slots=True)
class FileResult:
    """What came of a file, over all its seeds. faults: of the file, or lines that cannot be run."""

    file: str
    faults: list[str] = field(default_factory=list)
    missing: list[tuple[int | None, Missing]] = field(default_factory=list)
    unexpected: list[tuple[int | None, Unexpected]] = field(default_factory=list)
    cannot_tell: list[tuple[int | None, Undecided]] = field(default_factory=list)
    runs: int = 0
    failed_runs: int = 0

    @property
    def ok(self) -> bool:
        return not self.faults and not self.failed_runs

    def as_json(self) -> dict[str, Any]:
        def told(items: Sequence[tuple[int | None, Any]]) -> list[dict[str, Any]]:
            return [
                dataclasses.asdict(item) | ({} if seed is None else {"seed": seed})
                for seed, item in items
            ]

        return {
            "file": self.file,
            "ok": self.ok,
            "missing": told(self.missing),
            "unexpected": told(self.unexpected),
            "cannot_tell": told(self.cannot_tell),
            "faults": self.faults,
            "runs": self.runs,
            "failed_runs": self.failed_runs,
        }


@app.command("run")
def run_command(
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders of *.deal files.")],
    noise: Annotated[
        str | None, typer.Option(help=f"Lay noise over every file: {NOISE_FORM}.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=10_000, help="Repeat each file with so many seeds.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
    table_board: Annotated[
        bool,
        typer.Option(
            "--table-board",
            help="Button, chairs and keys come through the bytes of an emulated table board.",
        ),
    ] = False,
    camera: Annotated[
        Literal["alone", "both"] | None,
        typer.Option(help="Whatever a file says: a camera instead of antennas, or beside them."),
    ] = None,
) -> None:
    """Run scenarios on a virtual clock. Exit code 1 if any fails.

    With --noise, an expectation is also met by "cannot tell", and only warnings and above are
    surprises. The result does not depend on the number of processes.
    """
    choice = _noise(noise)
    files = _files(paths)
    tried: list[int | None] = [None]
    if noise is not None or seeds > 1:
        tried = list(range(1, seeds + 1))
    results = list(_run_all(files, choice, tried, jobs or os.cpu_count() or 1, table_board, camera))
    failed = sum(not r.ok for r in results)
    if as_json:
        body = {
            "passed": len(results) - failed,
            "failed": failed,
            "results": [r.as_json() for r in results],
        }
        print(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        _show(results, failed)
    raise typer.Exit(1 if failed else 0)


@app.command("check")
def check_command(
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders of *.deal files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Name every fault of scenario files, with line and column, and what a run would refuse. Exit
    code 1 if there is any."""
    files = _files(paths)
    faults = [told for file in files for told in _read(file)[1]]
    if as_json:
        body = {"ok": not faults, "files": len(files), "faults": faults}
        print(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        for told in faults:
            print(told)
        if not faults:
            print("1 file, in order" if len(files) == 1 else f"{len(files)} files, in order")
    raise typer.Exit(1 if faults else 0)


def _noise(text: str | None) -> NoiseChoice | None:
    if text is None:
        return None
    m = re.fullmatch(
        r"(\d+(?:\.\d+)?)%,(\d+(?:\.\d+)?)%,(\d+(?:\.\d+)?)(ms|s)",
        text.replace(" ", ""),
        re.ASCII,
    )
    if m is None:
        raise typer.BadParameter(f"'{text}' is no noise; write {NOISE_FORM}", param_hint="--noise")
    miss, cross = float(m[1]) / 100, float(m[2]) / 100
    sweep_s = float(m[3]) * (0.001 if m[4] == "ms" else 1.0)
    if miss > 0.5 or cross > 0.2 or not 0.05 <= sweep_s <= 10:
        raise typer.BadParameter(
            f"'{text}' is out of range; allowed: miss to 50%, cross to 20%, sweep 50ms to 10s",
            param_hint="--noise",
        )
    return NoiseChoice(miss, cross, sweep_s)


def _files(paths: Sequence[Path]) -> list[Path]:
    """Every file named, and every *.deal below a folder named, in order."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.deal"))
            if not inside:
                raise typer.BadParameter(f"{path} holds no *.deal files")
            found.update(dict.fromkeys(inside))
        else:
            found[path] = None
    return list(found)


def _read(file: Path) -> tuple[Scenario | None, list[str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return None, [f"{file}:1:1: cannot be read: {why}"]
    found = read(text, catalogue())
    faults = [fault.told(str(file)) for fault in found.faults]
    if found.scenario and all(isinstance(line, SET_UP) for line in found.scenario.lines):
        faults.append(f"{file}:1:1: there is no act in it: nothing would be tried")
    if found.scenario and not faults:
        refused = rehearse(found.scenario, file.parent)
        faults = [f"{file}:{line or 1}:1: {why}" for line, why in refused]
    return None if faults else found.scenario, faults


def run_file(
    file: Path,
    noise: NoiseChoice | None,
    seeds: Sequence[int | None],
    wired: bool = False,
    camera: CameraChoice | None = None,
) -> FileResult:
    """Run one file with each seed (None: its own). wired, camera: see `run`."""
    scenario, faults = _read(file)
    result = FileResult(str(file), faults)
    if scenario is None:
        return result
    for seed in seeds:
        once = run(scenario, noise, seed, file.parent, wired, camera)
        result.runs += 1
        result.failed_runs += not once.ok
        result.faults += [f"{file}: {told}" for told in once.faults if not result.faults]
        result.missing += [(seed, x) for x in once.missing]
        result.unexpected += [(seed, x) for x in once.unexpected]
        result.cannot_tell += [(seed, x) for x in once.cannot_tell]
        if once.faults:
            break
    return result


def _run_all(
    files: Sequence[Path],
    noise: NoiseChoice | None,
    seeds: Sequence[int | None],
    jobs: int,
    wired: bool,
    camera: CameraChoice | None,
) -> Iterator[FileResult]:
    """Each file's result, in the files' order."""
    if jobs == 1 or len(files) * len(seeds) < 24:
        yield from (run_file(file, noise, seeds, wired, camera) for file in files)
        return
    with ProcessPoolExecutor(min(jobs, len(files)), get_context("spawn")) as pool:
        work = [pool.submit(run_file, file, noise, seeds, wired, camera) for file in files]
        yield from (w.result() for w in work)


def _show(results: Sequence[FileResult], failed: int) -> None:
    console = Console(file=sys.stdout)
    if not console.is_terminal:  # a file or another program: one line for each thing said
        console.width = 10_000
    grid = Grid("scenario", "result", "what", box=None, pad_edge=False)
    for result in results:
        word = Text("ok", style="green") if result.ok else Text("FAILED", style="bold red")
        if result.runs > 1:
            word.append(f" {result.runs - result.failed_runs}/{result.runs}")
        grid.add_row(Text(result.file), word, Text("\n".join(_lines(result))))
    console.print(grid)
    style = "bold red" if failed else "bold green"
    console.print(f"{len(results) - failed} passed, {failed} failed", style=style)


def _lines(result: FileResult) -> list[str]:
    def by(seed: int | None) -> str:
        return "" if seed is None else f"seed {seed}, "

    told = list(result.faults)
    told += [
        f"{by(s)}line {m.line}: {m.expected} did not come ({m.why})" for s, m in result.missing
    ]
    told += [
        f"{by(s)}{f'line {u.line}' if u.line else 'at the end'}: unexpected {u.text}"
        for s, u in result.unexpected
    ]
    if result.cannot_tell and result.ok:
        told.append(f"cannot tell: {len(result.cannot_tell)}")
    return told
