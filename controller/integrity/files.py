"""New files that are either there, whole and on the disk, or not there at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping
from pathlib import Path

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def place(files: Mapping[Path, bytes], *, mode: int) -> None:
    """Write those files, which must not be there yet, with that mode; their folders must be there.

    They are written aside, put on the disk, and only then get their names, in the order given: a
    power cut leaves some of them or none, but never a part of one. Raises OSError (FileExistsError
    where one is there already), and then leaves none of them behind."""
    aside = {path: path.with_name(f".{path.name}.{os.getpid()}.new") for path in files}
    placed: list[Path] = []
    try:
        for path, content in files.items():
            _write(aside[path], content, mode)
        for path in files:
            _give_name(aside[path], path)
            placed.append(path)
        for folder in {path.parent for path in files}:
            _sync(folder)
    except BaseException:
        for path in placed:
            with contextlib.suppress(OSError):
                path.unlink()
        raise
    finally:
        for left in aside.values():
            with contextlib.suppress(OSError):
                left.unlink()


def _write(path: Path, content: bytes, mode: int) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as file:
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


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
