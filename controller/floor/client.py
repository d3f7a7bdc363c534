"""The floor's end of the socket."""

from __future__ import annotations

import getpass
import os
import socket
from pathlib import Path

from controller.floor.commands import Answer, Command, FloorError, read_answer, request_line

PATIENCE_S = 10.0


class NotRunningError(FloorError):
    """No daemon is there to be spoken to."""


def default_socket() -> Path:
    """Where daemon and floor meet unless the configuration names another place."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) if runtime else Path("/tmp") / f"burnturn-{os.getuid()}"
    return folder / "burnturn-floor.sock"


def operator() -> str:
    """The login name of whoever types."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def answers(path: Path) -> bool:
    """Whether a daemon listens there: the table is running."""
    with socket.socket(socket.AF_UNIX) as link:
        try:
            link.connect(str(path))
        except OSError:
            return False
    return True


def say(path: Path, command: Command) -> Answer:
    """Say one command to the daemon and wait for its answer.

    Raises:
        FloorError: nobody answers, or not in time.
    """
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(PATIENCE_S)
        try:
            link.connect(str(path))
            link.sendall(request_line(command))
            line = b""
            while not line.endswith(b"\n") and (part := link.recv(65536)):
                line += part
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError(
                f"the daemon is not running: nobody answers at {path}. Start it with "
                "`burnturn run`, or name its socket with --socket or its table with --config"
            ) from None
        except PermissionError:
            raise FloorError(
                f"{path}: permission denied. Log in as the daemon's user or join its group"
            ) from None
        except TimeoutError:
            raise FloorError(
                f"the daemon at {path} took more than {PATIENCE_S:.0f} s; look at the board"
            ) from None
        except OSError as error:
            raise FloorError(f"{path}: {error.strerror or error}") from error
    if not line:
        raise FloorError(f"the daemon at {path} closed without an answer; look at its log")
    return read_answer(line)
