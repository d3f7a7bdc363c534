"""The regulator's key pair, and sealing to it.

Live card identities are sealed to the public half before they touch the disk. The private half is
never on the table: without it nobody at the table, however much they control there, can learn what
was dealt."""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

PRIVATE_NAME = "regulator-private.key"
PUBLIC_NAME = "regulator-public.key"
_PRIVATE_WORD = "burnturn-private-1"
_PUBLIC_WORD = "burnturn-public-1"


class RegulatorKeyError(ValueError):
    """A key is not one, or cannot be made or read there; the text says what, where, what next. It
    never repeats a key."""


class KeyPair(NamedTuple):
    private: Path
    public: Path
    public_text: str


def new_pair(folder: Path) -> KeyPair:
    """Make a pair of key files in `folder` (made if need be): the private one readable by its owner
    only, both on the disk when this returns. Raises RegulatorKeyError, and then leaves nothing
    behind, if either file is there already or cannot be written."""
    private, public = folder / PRIVATE_NAME, folder / PUBLIC_NAME
    made: list[Path] = []
    key = PrivateKey.generate()
    public_text = _text(_PUBLIC_WORD, bytes(key.public_key))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text, mode in (
            (private, _text(_PRIVATE_WORD, bytes(key)), 0o600),
            (public, public_text, 0o644),
        ):
            _write_new(path, text + "\n", mode, made)
    except OSError as e:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        if isinstance(e, FileExistsError):
            raise RegulatorKeyError(
                f"{e.filename or folder} is there already and is not overwritten: what was sealed"
                " to that key could never be opened again. Next: name an empty folder."
            ) from e
        raise RegulatorKeyError(
            f"{folder}: cannot write the keys ({e.strerror})."
            " Next: name a folder that you can write."
        ) from e
    return KeyPair(private, public, public_text)


def public_key(text: str) -> PublicKey:
    """The public half from its text, as `keys new` prints it. Raises RegulatorKeyError."""
    return PublicKey(_bytes(_PUBLIC_WORD, text, "the public key"))


def private_key(path: Path) -> PrivateKey:
    """The private half from its file. Raises RegulatorKeyError."""
    try:
        text = path.read_text("ascii")
    except OSError as e:
        raise RegulatorKeyError(
            f"{path}: cannot read the private key ({e.strerror})."
            " Next: give the file that `burnturn keys new` made."
        ) from e
    except UnicodeDecodeError as e:
        raise RegulatorKeyError(
            f"{path}: not a key file. Next: give the file that `burnturn keys new` made."
        ) from e
    return PrivateKey(_bytes(_PRIVATE_WORD, text, str(path)))


def seal(key: PublicKey, plain: bytes) -> bytes:
    """Readable for the holder of the private half alone; 48 bytes longer than `plain`. Pad what you
    seal to a fixed length: the length is not hidden."""
    return bytes(SealedBox(key).encrypt(plain))


def unseal(key: PrivateKey, blob: bytes) -> bytes:
    """What was sealed. Raises RegulatorKeyError if it was sealed to another key, or was changed
    since."""
    try:
        return bytes(SealedBox(key).decrypt(blob))
    except (CryptoError, ValueError, TypeError) as e:
        raise RegulatorKeyError(
            "sealed to another key, or changed since. Next: try the private key that belongs to the"
            " public key in that table's configuration."
        ) from e


def _text(word: str, key: bytes) -> str:
    return f"{word}:{base64.b64encode(key).decode('ascii')}"


def _bytes(word: str, text: str, where: str) -> bytes:
    said, _, encoded = text.strip().partition(":")
    if said == {_PUBLIC_WORD: _PRIVATE_WORD, _PRIVATE_WORD: _PUBLIC_WORD}[word]:
        other = "private" if word == _PUBLIC_WORD else "public"
        warning = " It must not be on the table at all." if other == "private" else ""
        raise RegulatorKeyError(
            f"{where}: this is the {other} half. Next: give the other one.{warning}"
        )
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if said != word or len(key) != PublicKey.SIZE:
        raise RegulatorKeyError(
            f"{where}: not a burnturn key; it has the form {word}:… with 44 characters after the"
            " colon. Next: copy it again, whole, from what `burnturn keys new` made."
        )
    return key


def _write_new(path: Path, text: str, mode: int, made: list[Path]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    made.append(path)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        os.fchmod(handle, mode)
        file.write(text)
        file.flush()
        os.fsync(handle)
