"""What the firmware takes of the ATmega2560: flash, RAM, and the deepest that its stack can reach.

The deepest chain of calls is looked for in the linked program's disassembly; what each function
takes comes from gcc's -fstack-usage, for library functions from the registers that they push. The
return address of a call is three bytes. To the deepest chain from main() comes the greediest
interrupt, for interrupts do not interrupt each other. Ends with 1 if a budget is exceeded.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path

RETURN_ADDRESS = 3

FUNCTION = re.compile(r"^(?P<start>[0-9a-f]+) <(?P<name>[^>]+)>:$")
CALL = re.compile(r"\tr?(?:call|jmp)\t.*; 0x(?P<target>[0-9a-f]+)")
INDIRECT = re.compile(r"\te?i(?:call|jmp)\b")


def sections(elf: Path) -> tuple[int, int]:
    """Bytes of flash and of RAM that the program takes."""
    text = subprocess.run(
        ["avr-size", "-A", elf], capture_output=True, text=True, check=True
    ).stdout
    size = {
        words[0]: int(words[1])
        for line in text.splitlines()
        if len(words := line.split()) == 3 and words[1].isdigit()
    }
    flash = size.get(".text", 0) + size.get(".data", 0)
    return flash, sum(size.get(name, 0) for name in (".data", ".bss", ".noinit"))


def declared(folder: Path) -> dict[str, int]:
    """Bytes of stack of each function, as gcc states them."""
    usage: dict[str, int] = {}
    for file in folder.rglob("*.su"):
        for line in file.read_text().splitlines():
            where, size, kind = line.split("\t")
            if kind != "static":
                raise SystemExit(f"{where}: the stack it takes is not known beforehand ({kind})")
            name = where.rsplit(":", 1)[1]
            usage[name] = max(int(size), usage.get(name, 0))
    return usage


def calls(elf: Path) -> tuple[dict[str, set[str]], dict[str, int]]:
    """Whom each function calls, and how many registers it pushes."""
    text = subprocess.run(
        ["avr-objdump", "-d", elf], capture_output=True, text=True, check=True
    ).stdout
    lines = text.splitlines()
    begins = [
        (int(start["start"], 16), start["name"])
        for line in lines
        if (start := FUNCTION.match(line))
    ]
    starts = [start for start, _ in begins]
    called: dict[str, set[str]] = {name: set() for _, name in begins}
    pushes = dict.fromkeys(called, 0)
    name = ""
    for line in lines:
        if start := FUNCTION.match(line):
            name = start["name"]
        elif "\tpush\t" in line:
            pushes[name] += 1
        elif INDIRECT.search(line):
            raise SystemExit(f"{name} calls a function by its address: its stack cannot be bounded")
        elif found := CALL.search(line):
            target = begins[bisect_right(starts, int(found["target"], 16)) - 1][1]
            if target != name:
                called[name].add(target)
    return called, pushes


def plain(name: str) -> str:
    """A function's name without what gcc adds to its copies."""
    return re.sub(r"\.(part|constprop|isra|lto_priv)\.\d+", "", name)


def deepest(
    name: str, called: Mapping[str, set[str]], takes: Mapping[str, int], above: tuple[str, ...] = ()
) -> tuple[int, tuple[str, ...]]:
    """Bytes of the deepest chain of calls from a function on, and the chain."""
    if name in above:
        raise SystemExit(
            f"{' > '.join((*above, name))}: functions that call themselves have no bounded stack"
        )
    best: tuple[int, tuple[str, ...]] = (0, ())
    for target in called.get(name, ()):
        best = max(best, deepest(target, called, takes, (*above, name)))
    return takes[name] + RETURN_ADDRESS + best[0], (name, *best[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("elf", type=Path)
    parser.add_argument("--stack-usage", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--flash", type=int, required=True)
    parser.add_argument("--ram", type=int, required=True)
    parser.add_argument("--stack", type=int, required=True)
    given = parser.parse_args()

    flash, ram = sections(given.elf)
    usage = declared(given.stack_usage)
    called, pushes = calls(given.elf)
    takes = {name: usage.get(plain(name), pushes[name]) for name in called}
    bytes_main, chain = deepest("main", called, takes)
    interrupts = [name for name in called if re.fullmatch(r"__vector_\d+", name)]
    interrupt = max((deepest(name, called, takes) for name in interrupts), default=(0, ()))
    stack = bytes_main + interrupt[0]

    print(f"flash {flash} of {given.flash} bytes")
    print(f"RAM   {ram} of {given.ram} bytes, without the stack")
    main_chain, interrupt_name = " > ".join(chain), interrupt[1][0]
    print(f"stack {stack} of {given.stack} bytes: {interrupt[0]} in {interrupt_name},")
    print(f"      and {bytes_main} in {main_chain}")
    over = flash > given.flash or ram > given.ram or stack > given.stack
    if over:
        print(
            "over budget: see FLASH_BUDGET, RAM_BUDGET and STACK_BUDGET in the firmware's Makefile",
            file=sys.stderr,
        )
    return over


if __name__ == "__main__":
    sys.exit(main())
