"""The table's own key, with which it signs certificates.

It lives on the table's machine, so a signature shows that this machine made it, and no more:
whoever controls the machine could sign anything. Its public half is handed to the regulator before
it is needed, and compared then."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from nacl.signing import SigningKey

from controller.files import ExposedKeyError, New, make_folder, place, read_key, remedy

_WORD = "burnturn-table-signing-1"
_HEX = re.compile(r"[0-9a-f]{64}")
_FILE_LIMIT = 4096
_ELSEWHERE = "let `key` below [certificates] in table.toml name a file where the table can write"
_IF_COPIED = "move it away, let the table make a new one, and hand its public half to the regulator"


class SigningKeyError(ValueError):
    """A key is not one, or cannot be made or read there; the text says what, where, what next. It
    never repeats a key."""


@dataclass(frozen=True, slots=True)
class TableKey:
    """The table's signing key. made: whether it was made just now."""

    path: Path
    signing: SigningKey = field(repr=False)
    made: bool

    @property
    def public(self) -> bytes:
        return bytes(self.signing.verify_key)


def table_key(path: Path) -> TableKey:
    """The key in that file (mode 0600), made there at its first use and on the disk when this
    returns; never overwritten. Raises SigningKeyError."""
    made = False
    try:
        if not path.exists():
            made = _make(path)
        return TableKey(path, _read(path), made)
    except OSError as e:
        raise SigningKeyError(
            f"{path}: the table's signing key can neither be read nor made there ({e.strerror})."
            f" {remedy(e, _ELSEWHERE)}."
        ) from e
    except ExposedKeyError as e:
        raise SigningKeyError(str(e)) from e


def trusted_key(text: str) -> bytes:
    """A public key from what somebody typed: 64 hex digits, in groups or not, or the name of a file
    that holds them, as `burnturn certificate key` prints them. Raises SigningKeyError."""
    if (found := _public(text)) is not None:
        return found
    path = Path(text)
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_LIMIT).decode("ascii")
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) else "no text"
        raise SigningKeyError(
            f"{text[:100]!r}: neither a public key of 64 hex digits nor a file that can be read"
            f" ({why}). Next: give what `burnturn certificate key` printed on the table."
        ) from e
    if content.strip().startswith(_WORD):
        raise SigningKeyError(
            f"{path}: this is the table's private half, which belongs on the table alone."
            " Next: give what `burnturn certificate key` prints there."
        )
    if (found := _public(content)) is None:
        raise SigningKeyError(
            f"{path}: holds no public key of 64 hex digits."
            " Next: give a file with what `burnturn certificate key` printed on the table."
        )
    return found


def fingerprint(public: bytes) -> str:
    """A short name of a public key, to be read aloud: half of its SHA-256, in groups of four hex
    digits."""
    return grouped(hashlib.sha256(public).hexdigest()[:32])


def grouped(digits: str) -> str:
    """The digits in groups of four."""
    return " ".join(digits[i : i + 4] for i in range(0, len(digits), 4))


def _make(path: Path) -> bool:
    text = f"{_WORD}:{base64.b64encode(bytes(SigningKey.generate())).decode('ascii')}\n"
    make_folder(path.parent)
    try:
        place(New(path, text.encode("ascii"), 0o600))
    except FileExistsError:
        return False  # another program was quicker: there is one key, and it is there
    return True


def _read(path: Path) -> SigningKey:
    file = read_key(path, _FILE_LIMIT)
    word, _, encoded = file.content.decode("latin-1").strip().partition(":")
    try:
        seed = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if word != _WORD or len(seed) != 32:
        raise SigningKeyError(
            f"{path}: not the table's signing key, or damaged. Next: put a copy of it back; if"
            " there is none, move the file away, let the table make a new key, and hand its public"
            " half to the regulator."
        )
    file.closed(_IF_COPIED)
    return SigningKey(seed)


def _public(text: str) -> bytes | None:
    digits = re.sub(r"\s", "", text).lower()
    return bytes.fromhex(digits) if _HEX.fullmatch(digits) else None
