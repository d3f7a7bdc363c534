"""How a command ends badly: in one line for a person, as JSON for a program, without a traceback.

An exception's own text stays out of what is shown: it may hold what nobody may read yet.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

OWN_FAULT = 70
"""Exit code: a fault of the program itself, as `sysexits.h` numbers it."""
OUTPUT_FULL = "its output cannot be written: that disk is full. Next: make room, and call it again"


class _Overheard:
    """A stream that passes everything on and remembers the text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.parts: list[str] = []

    def write(self, text: str) -> int:
        written = self._stream.write(text)  # refuses bytes, which typer tries streams with
        self.parts.append(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def answering_in_json(call: Callable[[], object]) -> int:
    """Make a `--json` call; where it fails and has said nothing on stdout, say the error there.

    call: runs a typer command with ``standalone_mode=False`` and returns its exit code. The error
    is an object with the one key ``error``; a person still reads it on stderr. Returns the exit
    code.
    """
    out, err = _Overheard(sys.stdout), _Overheard(sys.stderr)
    with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
        try:
            ended = call()
            code = ended if isinstance(ended, int) else 0
        except SystemExit as asked:
            code = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
            if isinstance(asked.code, str):
                print(asked.code, file=sys.stderr)
        except Exception as error:
            told = getattr(error, "format_message", None)  # a usage error of the command line
            print(told() if told else own_fault(error), file=sys.stderr)
            code = getattr(error, "exit_code", OWN_FAULT)
    if code and not "".join(out.parts).strip():
        text = "".join(err.parts).strip() or "interrupted"
        print(json.dumps({"error": text}, ensure_ascii=False))
    return code


def own_fault(error: BaseException) -> str:
    """Where the program failed, without what it held at the time."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "site-packages" not in f.filename] or list(frames)
    where = "unknown place"
    if ours:
        path = ours[-1].filename.replace("\\", "/")
        where = f"{'/'.join(path.split('/')[-3:])}:{ours[-1].lineno}"
    return (
        f"stopped by a fault of its own: {type(error).__name__} at {where}. Next: report this line"
        " and the command; BURNTURN_TRACEBACK=1 shows how it came there"
    )
