"""Run the benches: `python -m tests.bench [--quick] [NAME …]`. `make bench` runs them all.

A bench is a module ``bench_NAME.py`` beside this file with ``run() -> list[str]``, lines for
people; one that can do with less takes ``run(quick: bool)``.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import platform
import sys
import traceback
from pathlib import Path


def names() -> list[str]:
    """The benches that there are, without their ``bench_``."""
    return sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))


def run_one(name: str, quick: bool) -> list[str]:
    """What one bench says. Raises whatever it raises."""
    module = importlib.import_module(f"tests.bench.bench_{name}")
    run = module.run
    takes_quick = "quick" in inspect.signature(run).parameters
    lines: list[str] = run(quick=quick) if takes_quick else run()
    return lines


def main(arguments: list[str] | None = None) -> int:
    """0 if every bench ran, 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}")
    chosen = parser.parse_args(arguments)
    unknown = sorted(set(chosen.names) - set(names()))
    if unknown:
        parser.error(f"no bench {', '.join(unknown)}; there are {', '.join(names())}")
    print(
        f"Python {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    failed = 0
    for name in chosen.names or names():
        print(f"\n{name}", flush=True)
        try:
            for line in run_one(name, chosen.quick):
                print(f"  {line}", flush=True)
        except Exception:
            failed += 1
            traceback.print_exc(file=sys.stdout)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
