"""The regulator's key pair, and sealing to it.

Live card identities are sealed to the public half before they touch the disk. The private half is
never on the table: without it nobody at the table, however much they control there, can learn what
was dealt."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import NamedTuple

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from controller.files import ExposedKeyError, New, make_folder, place, read_key, remedy

PRIVATE_NAME = "regulator-private.key"
PUBLIC_NAME = "regulator-public.key"
_PRIVATE_WORD = "burnturn-private-1"
_PUBLIC_WORD = "burnturn-public-1"
_FILE_LIMIT = 4096
_IF_COPIED = "make a new pair, and give the tables its public half"


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
    key = PrivateKey.generate()
    public_text = _text(_PUBLIC_WORD, bytes(key.public_key))
    try:
        make_folder(folder)
        secret = _text(_PRIVATE_WORD, bytes(key)) + "\n"
        place(
            New(private, secret.encode("ascii"), 0o600),
            New(public, f"{public_text}\n".encode("ascii"), 0o644),
        )
        read_key(private, _FILE_LIMIT).closed(_IF_COPIED)
    except OSError as e:
        taken = next((path for path in (private, public) if path.exists()), None)
        if isinstance(e, FileExistsError) and taken is not None:
            raise RegulatorKeyError(
                f"{taken} is there already and is not overwritten: what was sealed"
                " to that key could never be opened again. Next: name an empty folder."
            ) from e
        raise RegulatorKeyError(
            f"{folder}: cannot write the keys ({e.strerror}). {remedy(e, 'name another folder')}."
        ) from e
    except ExposedKeyError as e:
        for path in (private, public):
            path.unlink(missing_ok=True)
        raise RegulatorKeyError(
            f"{folder}: this disk knows no rights, so anybody could read the private half here."
            " Next: name a folder on a disk of this machine."
        ) from e
    return KeyPair(private, public, public_text)


def public_key(text: str) -> PublicKey:
    """The public half from its text, as `keys new` prints it. Raises RegulatorKeyError."""
    return PublicKey(_bytes(_PUBLIC_WORD, text, "the public key"))


def private_key(path: Path) -> PrivateKey:
    """The private half from its file. Raises RegulatorKeyError."""
    try:
        file = read_key(path, _FILE_LIMIT)
        key = PrivateKey(_bytes(_PRIVATE_WORD, file.content.decode("ascii"), str(path)))
        file.closed(_IF_COPIED)
    except OSError as e:
        raise RegulatorKeyError(
            f"{path}: cannot read the private key ({e.strerror})."
            " Next: give the file that `burnturn keys new` made."
        ) from e
    except ExposedKeyError as e:
        raise RegulatorKeyError(str(e)) from e
    except UnicodeDecodeError as e:
        raise RegulatorKeyError(
            f"{path}: not a key file. Next: give the file that `burnturn keys new` made."
        ) from e
    return key


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
