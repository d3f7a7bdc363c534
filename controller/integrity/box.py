"""The file of a house's decks: encrypted, changed as a whole, never lost.

The box holds which tag is which card, so it is encrypted to a key that lies in a file of its own:
whoever gets hold of a copy of the box alone learns nothing. A change writes the new box beside the
old one, puts it on the disk and takes its place in one step; the version before stays beside it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Annotated, Final

from nacl import pwhash
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random as random_bytes
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from controller.files import (
    ExposedKeyError,
    New,
    beside,
    make_folder,
    place,
    read_key,
    remedy,
    replace,
)
from controller.integrity.decks import Deck, DeckStatus, DeckTag, checked
from drivers.readings import Uid

KEY_BYTES: Final = SecretBox.KEY_SIZE
PASSPHRASE_SHORTEST: Final = 12
_BOX_WORD: Final = b"burnturn-decks-1\n"
_MOVE_WORD: Final = b"burnturn-deck-export-1\n"
_MARK_BYTES = 8  # tells another key from damage, and tells nothing of the key
_LARGEST = 16_000_000  # bytes; a deck takes some four thousand
_SECRET_MODE = 0o600
_IF_COPIED = (
    "export the decks, move the box and its key away, and import the decks again, which makes a new"
    " key"
)
_PUT_BACK = (
    "Next: put a copy of the file back; if there is none, move it away and register the decks again"
)

Change = Callable[[tuple[Deck, ...]], tuple[Deck, ...]]


class BoxError(ValueError):
    """A file of decks, or its key, cannot be used. The text says what, where, what to do next, and
    names no card and no UID."""


class DeckBox:
    """The decks of a house in `file`, encrypted to the key in `key`.

    A house without a file has no decks yet; the first registration makes file and key.
    """

    def __init__(self, file: Path, key: Path) -> None:
        self.file = file
        self.key = key

    @property
    def backup(self) -> Path:
        """The version before the last change."""
        return self.file.with_name(self.file.name + ".backup")

    def load(self) -> tuple[Deck, ...]:
        """The house's decks; none if none was ever registered. Raises BoxError."""
        content = content_of(self.file)
        if content is None:
            if self.backup.exists():
                raise BoxError(
                    f"{self.file}: is not there, but the version before the last change is"
                    f" ({self.backup}). Next: cp {self.backup} {self.file}"
                )
            return ()
        try:
            return self._opened(self.file, content)
        except BoxError as error:
            if (before := self._before()) is None:
                raise
            raise BoxError(
                f"{self.file}: is damaged, or no file of decks. The version before the last change"
                f" is whole: {', '.join(deck.name for deck in before) or 'no deck'}."
                f" Next: cp {self.backup} {self.file}"
            ) from error

    def prepare(self) -> None:
        """See that a deck could be kept before anybody lays a card: the folder takes files, the key
        is there or is made. Raises BoxError."""
        with self._locked():
            self.load()
            self._own_key()
            trial = self.file.with_name(f".{self.file.name}.trial")
            try:
                replace(trial, b"\0" * 4096, mode=_SECRET_MODE)
                trial.unlink()
            except OSError as error:
                raise self._not_written(error) from error

    def change(self, change: Change) -> tuple[Deck, ...]:
        """Keep the house's decks as `change` returns them, on the disk when this returns.

        Raises:
            BoxError: cannot be read or written; what was there is there still.
            DeckError: of `change`, or of what it returned.
        """
        with self._locked():
            before = self.load()
            after = checked(change(before))
            key = self._own_key()
            content = _sealed(key, after)
            try:
                with beside(self.file, mode=_SECRET_MODE) as new:
                    new.write_bytes(content)  # before the version before goes
                    if (old := content_of(self.file)) is not None:
                        replace(self.backup, old, mode=_SECRET_MODE)
            except OSError as error:
                raise self._not_written(error) from error
        return after

    def kept_key(self) -> bytes | None:
        """The key, if there is one. Raises BoxError."""
        return self._kept_key()

    def house_key(self) -> bytes:
        """The key, for what else is kept beside the decks; made if there is neither one nor a box
        that needs it. Raises BoxError."""
        if (key := self._kept_key()) is not None:
            return key
        with self._locked():
            self.load()
            return self._own_key()

    # -- inside ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One change at a time, whoever makes it."""
        lock = self.file.with_name(f".{self.file.name}.lock")
        try:
            make_folder(self.file.parent)
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _SECRET_MODE)
        except OSError as error:
            raise self._not_written(error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _opened(self, path: Path, content: bytes) -> tuple[Deck, ...]:
        if not content.startswith(_BOX_WORD):
            what = "is no file of decks"
            if _BOX_WORD.startswith(content):
                what = f"is cut off after {len(content)} bytes"
            elif content.startswith(_MOVE_WORD):
                what = "is an export of decks, which belongs into `burnturn deck import`"
            raise BoxError(f"{path}: {what}. {_PUT_BACK}")
        mark, sealed = _parted(content, _BOX_WORD, _MARK_BYTES)
        key = self._kept_key()
        if key is None:
            raise BoxError(
                f"{self.key}: the key of the decks is not there, and without it {path} cannot be"
                " read. Next: put the key file back, from wherever it is kept a second time;"
                f" if there is none, move {path} away and register the decks again."
            )
        try:
            return _decks(SecretBox(key).decrypt(sealed))
        except (CryptoError, ValueError, TypeError) as error:
            if mark != _mark(key):
                raise BoxError(
                    f"{path}: is encrypted to another key than {self.key}, or damaged. Next: put"
                    " the key file back that belongs to it, or say in the part [decks] of the"
                    " configuration where it lies."
                ) from None
            raise BoxError(f"{path}: is damaged. {_PUT_BACK}") from error

    def _before(self) -> tuple[Deck, ...] | None:
        """The version before the last change, if there is one that can be opened."""
        try:
            content = content_of(self.backup)
            return None if content is None else self._opened(self.backup, content)
        except BoxError:
            return None

    def _kept_key(self) -> bytes | None:
        try:
            file = read_key(self.key, _LARGEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _not_read(self.key, error) from error
        if len(file.content) != KEY_BYTES:
            raise BoxError(
                f"{self.key}: is no key of decks: it has {len(file.content)} bytes, not"
                f" {KEY_BYTES}. Next: put the key file back, from wherever it is kept a second"
                " time."
            )
        try:
            return file.closed(_IF_COPIED)
        except ExposedKeyError as error:
            raise BoxError(str(error)) from error

    def _own_key(self) -> bytes:
        """The key; made if there is none and nothing that was encrypted to it."""
        key = self._kept_key()
        if key is not None:
            return key
        key = random_bytes(KEY_BYTES)
        try:
            make_folder(self.key.parent)
            place(New(self.key, key, _SECRET_MODE))
        except OSError as error:
            raise BoxError(
                f"{self.key}: the key of the decks cannot be written ({error.strerror})."
                f" {remedy(error)}"
            ) from error
        return key

    def _not_written(self, error: OSError) -> BoxError:
        return BoxError(
            f"{self.file}: cannot be written ({error.strerror}); nothing was changed."
            f" {remedy(error)}"
        )


# ---- moving decks to another table


def exported(decks: Sequence[Deck], passphrase: str) -> bytes:
    """The decks as a file for another table, encrypted to a passphrase (argon2id). A pair of which
    only one goes is no pair there. Raises BoxError for a passphrase that is too short."""
    if len(passphrase) < PASSPHRASE_SHORTEST:
        raise BoxError(
            f"the passphrase has {len(passphrase)} characters; whoever has it and the file knows"
            f" every card. Next: take at least {PASSPHRASE_SHORTEST}, such as four words"
        )
    together = {deck.name for deck in decks}
    alone = [d if d.pair in together else changed(d, pair=None) for d in decks]
    salt = random_bytes(pwhash.argon2id.SALTBYTES)
    sealed = SecretBox(_stretched(passphrase, salt)).encrypt(_json(alone))
    return _MOVE_WORD + salt + bytes(sealed)


def imported(source: Path, passphrase: str) -> tuple[Deck, ...]:
    """The decks of an exported file. Raises BoxError."""
    content = content_of(source)
    if content is None:
        raise BoxError(f"{source}: there is no such file. Next: give one that was exported")
    if not content.startswith(_MOVE_WORD):
        raise BoxError(
            f"{source}: is no export of decks. Next: give a file that `burnturn deck export` made"
        )
    salt, sealed = _parted(content, _MOVE_WORD, pwhash.argon2id.SALTBYTES)
    try:
        clear = SecretBox(_stretched(passphrase, salt)).decrypt(sealed)
        return _decks(clear)
    except (CryptoError, ValueError, TypeError) as error:
        raise BoxError(
            f"{source}: another passphrase, or the file is damaged. Next: try the passphrase again;"
            " if it is right, export the decks again"
        ) from error


def write_export(target: Path, content: bytes) -> None:
    """Put an export where nothing is yet, readable for its owner alone. Raises BoxError."""
    try:
        place(New(target, content, _SECRET_MODE))
    except FileExistsError as error:
        raise BoxError(f"{target}: is there already. Next: name a file that is not") from error
    except OSError as error:
        raise BoxError(
            f"{target}: cannot be written ({error.strerror}). {remedy(error)}"
        ) from error


def _stretched(passphrase: str, salt: bytes) -> bytes:
    # Fixed, not read from the file: a file must not decide how much memory it costs to refuse it.
    return bytes(
        pwhash.argon2id.kdf(
            KEY_BYTES,
            passphrase.encode(),
            salt,
            opslimit=pwhash.argon2id.OPSLIMIT_MODERATE,
            memlimit=pwhash.argon2id.MEMLIMIT_MODERATE,
        )
    )


# ---- what is inside


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class _Tag(_Strict):
    uid: Annotated[StrictStr, Field(pattern=r"^([0-9a-f]{2}){1,16}$")]
    face: StrictStr
    reads: StrictInt
    looks: StrictInt


class _Deck(_Strict):
    name: StrictStr
    back: StrictStr
    status: DeckStatus
    pair: StrictStr | None
    registered: StrictStr
    tags: tuple[_Tag, ...]


class _House(_Strict):
    decks: tuple[_Deck, ...]


def _json(decks: Sequence[Deck]) -> bytes:
    told = [
        {
            "name": deck.name,
            "back": deck.back,
            "status": deck.status.value,
            "pair": deck.pair,
            "registered": deck.registered,
            "tags": [
                {"uid": tag.uid.hex(), "face": tag.face, "reads": tag.reads, "looks": tag.looks}
                for tag in deck.tags
            ],
        }
        for deck in decks
    ]
    return json.dumps({"decks": told}, separators=(",", ":")).encode()


def _decks(clear: bytes) -> tuple[Deck, ...]:
    """Raises ValueError, without what was read, for anything that is not decks."""
    try:
        house = _House.model_validate_json(clear)
        return checked(
            Deck(
                name=deck.name,
                back=deck.back,
                tags=tuple(
                    DeckTag(Uid(bytes.fromhex(t.uid)), t.face, t.reads, t.looks) for t in deck.tags
                ),
                status=deck.status,
                pair=deck.pair,
                registered=deck.registered,
            )
            for deck in house.decks
        )
    except ValidationError:
        raise ValueError("not decks as this build keeps them") from None


def _sealed(key: bytes, decks: Sequence[Deck]) -> bytes:
    return _BOX_WORD + _mark(key) + bytes(SecretBox(key).encrypt(_json(decks)))


def _mark(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=_MARK_BYTES, person=b"burnturn-decks").digest()


def _parted(content: bytes, word: bytes, size: int) -> tuple[bytes, bytes]:
    rest = content[len(word) :]
    return rest[:size], rest[size:]


# ---- the disk


def content_of(path: Path) -> bytes | None:
    """A file's bytes, None if it is not there. Raises BoxError."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _not_read(path, error) from error
    if len(content) > _LARGEST:
        raise BoxError(f"{path}: is longer than a file of decks can be; is it the right file?")
    return content


def _not_read(path: Path, error: OSError) -> BoxError:
    return BoxError(
        f"{path}: cannot be read ({error.strerror}). Next: see that it is a file that this user may"
        " read"
    )
