"""Files that are either there, whole and on the disk, or as they were; and keys that only their
owner may read.

Whatever writes a file whole does it here: beside its place, put on the disk, and only then moved
there, the folder put on the disk after it. A power cut leaves the old file or the new one, never a
part of one; what it may leave beside is taken away by the next file written in that folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_NO_MODES = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}
_ASIDE = re.compile(r"\..+\.([0-9]+)\.beside(-journal|-wal|-shm)?")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class ExposedKeyError(Exception):
    """Others than its owner may read or write a key's file. The text says what, where, what next,
    and never repeats a key."""


class New(NamedTuple):
    """A file that is not there yet. mode: as far as the disk knows modes."""

    path: Path
    content: bytes
    mode: int


def place(*files: New) -> None:
    """Write those new files, all of them or none.

    Their folders must be there. They get their names in the order given, so a power cut may leave
    the first of them. Raises OSError (FileExistsError where one is there already, which is left as
    it was), and then leaves none of them behind."""
    asides = {new.path: _aside(new.path) for new in files}
    placed: list[Path] = []
    try:
        for new in files:
            _write(asides[new.path], new.content, new.mode)
        for path, aside in asides.items():
            _give_name(aside, path)
            placed.append(path)
        for folder in {path.parent for path in asides}:
            _sync(folder)
            _tidy(folder)
    except BaseException:
        for path in placed:
            _gone(path)
        raise
    finally:
        for aside in asides.values():
            _gone(aside)


def replace(path: Path, content: bytes, *, mode: int) -> None:
    """Put a file of that content and mode at `path`, whatever was there. Raises as `beside`."""
    with beside(path, mode=mode) as aside:
        aside.write_bytes(content)


@contextlib.contextmanager
def beside(path: Path, *, mode: int, lasting: bool = True) -> Iterator[Path]:
    """For what others write: an empty file beside `path`, which takes its place when the block is
    left. A link stays one: the file that it names is replaced. lasting: on the disk before that,
    which costs a picture of every second too much.

    Raises OSError, also for a device or a pipe, and then, as with any error in the block, leaves
    `path` as it was (only where the move cannot be put on the disk it may be either)."""
    path = Path(os.path.realpath(path))
    _refuse_special(path)
    aside = _aside(path)
    try:
        _write(aside, b"", mode)
        yield aside
        if lasting:
            _sync(aside)
        aside.replace(path)
    except BaseException:
        _gone(aside)
        raise
    if lasting:
        _sync(path.parent)
        _tidy(path.parent)


def make_folder(folder: Path) -> None:
    """Make the folder, and those above it, where they are not there. Raises OSError."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        _sync(made.parent)


def remedy(
    error: OSError, otherwise: str = "name another place", then: str = ", then do it again"
) -> str:
    """What a person does next about a file that could not be written. otherwise: the way out where
    the place itself will not do. then: what follows once there is room."""
    if error.errno in FULL:
        return f"Next: make room on that disk{then}"
    if error.errno == errno.EROFS:
        return f"Next: that disk is read-only: mount it for writing, or {otherwise}"
    return f"Next: see that this user may write in that folder, or {otherwise}"


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A private key's file as it was read. mode: its rights then."""

    path: Path
    content: bytes = field(repr=False)
    mode: int

    def closed(self, if_copied: str) -> bytes:
        """The content, once it is known for a key. if_copied: what to do where somebody may have
        read it. Raises ExposedKeyError if its mode lets others than its owner in."""
        if self.mode & _OTHERS:
            raise ExposedKeyError(
                f"{self.path}: others than its owner may read or write this key (mode"
                f' {self.mode:o}). Next: chmod 600 "{self.path}" (a memory stick may know no such'
                f" rights: copy the key to a disk first); if somebody may have copied it,"
                f" {if_copied}."
            )
        return self.content


def read_key(path: Path, limit: int) -> KeyFile:
    """A private key's file, `limit` bytes of it at most. Raises OSError."""
    with path.open("rb") as file:
        return KeyFile(path, file.read(limit), stat.S_IMODE(os.fstat(file.fileno()).st_mode))


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.beside")


def _refuse_special(path: Path) -> None:
    """Raises OSError for what is there and no file: root's rename would take a device's place."""
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))


def _write(path: Path, content: bytes, mode: int) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode & ~_OTHERS)
    with os.fdopen(handle, "wb") as file:
        try:
            os.fchmod(handle, mode)  # whatever this user's umask
        except OSError as e:
            if e.errno not in _NO_MODES:
                raise
        file.write(content)
        file.flush()
        os.fsync(handle)


def _give_name(aside: Path, path: Path) -> None:
    try:
        os.link(aside, path)  # unlike a rename, refuses to overwrite
    except FileExistsError:
        raise
    except OSError as e:
        if e.errno not in _NO_LINKS:
            raise
        if path.exists():  # a memory stick knows no links
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from e
        aside.rename(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _tidy(folder: Path) -> None:
    """Take away what programs that were killed left beside."""
    with contextlib.suppress(OSError):
        for left in folder.iterdir():
            of = _ASIDE.fullmatch(left.name)
            if of is not None and not _lives(int(of[1])):
                _gone(left)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _gone(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
