"""A capture of the line as text, a line a frame: `tablelink dump FILE`, or `python -m
tablelink dump FILE`.

Every frame with its time, way, numbers and fields; damaged ones by what is wrong with them; frames
sent again are marked. A summary follows. Exit code 1 if the file is no capture.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tablelink.capture import CaptureError, Portion, Way, portions
from tablelink.delivery import NUMBERS
from tablelink.framing import BadFrame, Decoder, Malformed, Received

_ARROW = {Way.TO_BOARD: "host → board", Way.FROM_BOARD: "host ← board"}
_KNOWN = 16
"""A frame whose number is one of so many last ones is one sent again."""


class Dump:
    """Portions in their order to lines of text."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._decoders = {way: Decoder() for way in Way}
        self._newest: dict[Way, tuple[int, int]] = dict.fromkeys(Way, (0, 0))
        self._held: dict[Way, int] = dict.fromkeys(Way, 0)

    def lines(self, portion: Portion) -> Iterator[str]:
        """A line for each frame that became whole, or was found damaged, by this portion."""
        for item in self._decoders[portion.way].feed(portion.data):
            mark = self._mark(portion.way, item)
            yield f"{portion.at:12.6f}  {_ARROW[portion.way]}  {item}{mark}"
        cut = portion.data.rfind(b"\0")
        held = self._held[portion.way] + len(portion.data)
        self._held[portion.way] = held if cut < 0 else len(portion.data) - cut - 1

    def summary(self) -> str:
        """How many frames there were, and what was wrong with them."""
        named = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        torn = sum(1 for held in self._held.values() if held)
        end = "; the last frame is not whole" if torn else ""
        return f"{named or 'no frame'}{end}"

    def _mark(self, way: Way, item: Received) -> str:
        if isinstance(item, BadFrame):
            self.counts[f"damaged ({item})"] += 1
            return f" ({item.length} bytes)" if item.length else ""
        self.counts["malformed" if isinstance(item, Malformed) else "good"] += 1
        if not item.seq:
            return ""
        session, newest = self._newest[way]
        back = (newest - item.seq) % NUMBERS
        if session == item.session and newest and back < _KNOWN:
            self.counts["sent again"] += 1
            return "  (sent again)"
        self._newest[way] = (item.session, item.seq)
        return ""


def dumped(found: Iterable[Portion]) -> Iterator[str]:
    """A capture as lines, the summary last."""
    dump = Dump()
    for portion in found:
        yield from dump.lines(portion)
    yield f"# {dump.summary()}"


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="tablelink", description="What was said on the table board's line."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    dump = commands.add_parser("dump", help="a capture as text, a line a frame")
    dump.add_argument("file", metavar="FILE", help="a capture; - reads it from standard input")
    path = parser.parse_args(arguments).file
    try:
        if path == "-":
            _print(portions(sys.stdin, "standard input"))
        else:
            with Path(path).open(encoding="ascii", errors="strict") as file:
                _print(portions(file, path))
    except CaptureError as error:
        print(error, file=sys.stderr)
        return 1
    except UnicodeDecodeError:
        print(f"{path}: is no capture of the table link; it is not text", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the text has seen enough; nothing more can be said to them.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{path}: cannot be read ({error.strerror})", file=sys.stderr)
        return 1
    return 0


def _print(found: Iterable[Portion]) -> None:
    for line in dumped(found):
        print(line)
    sys.stdout.flush()
