"""What a table remembers of its decks, on the disk: two files beside the box of decks, encrypted to
its key.

`record` holds the nights that are over, `tonight` what is known since the last hand or count; each
is written as a whole. A file that cannot be read is put aside with a note, and begun anew: nothing
that the table does waits for its memory.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from controller import files
from controller.integrity.box import BoxError, DeckBox, content_of
from controller.integrity.house_record import (
    HouseRecord,
    Kept,
    read_kept,
    read_record,
    spell_kept,
    spell_record,
)
from drivers.readings import Uid

_RECORD_WORD: Final = b"burnturn-deck-record-1\n"
_TONIGHT_WORD: Final = b"burnturn-deck-tonight-1\n"
_MARK_BYTES = 8  # tells another key from damage, and tells nothing of the key

T = TypeVar("T")


class MemoryFileError(ValueError):
    """A file of the table's memory that cannot be read. The text says what, where, and what to do
    next; `what` what and where alone."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what}. Next: put a whole copy there while the table is stopped; without one, start"
            " the table, which puts the file aside and begins anew"
        )


class HouseMemory:
    """The memory beside `box`. known: the deck of every tag of the house. notes: lines for people,
    to be taken out by whoever shows them; put in from whatever thread."""

    def __init__(self, box: DeckBox, known: Mapping[Uid, str]) -> None:
        self._box = box
        self._known = known
        self._mute = False
        self.record_file = box.file.with_name(box.file.name + ".record")
        self.tonight_file = box.file.with_name(box.file.name + ".tonight")
        self.notes: deque[str] = deque()

    def __repr__(self) -> str:
        return f"<memory beside {self._box.file.name}>"

    def record(self) -> HouseRecord:
        """The nights that are over. Raises MemoryFileError."""
        return self._read(self.record_file, _RECORD_WORD, read_record) or HouseRecord()

    def tonight(self) -> Kept | None:
        """What was kept after the last hand or count; None: nothing yet. Raises
        MemoryFileError."""
        return self._read(self.tonight_file, _TONIGHT_WORD, read_kept)

    def load(self) -> tuple[HouseRecord, Kept | None]:
        """Both; a file that cannot be read is put aside, noted, and begun anew."""
        record = self._or_anew(self.record_file, self.record) or HouseRecord()
        return record, self._or_anew(self.tonight_file, self.tonight)

    def keep(self, kept: Kept) -> bool:
        """Keep it, on the disk when this returns; False, with a note, if it cannot be."""
        return self._write(self.tonight_file, _TONIGHT_WORD, spell_kept(kept, self._known))

    def keep_record(self, record: HouseRecord) -> bool:
        """The same of the nights that are over."""
        return self._write(self.record_file, _RECORD_WORD, spell_record(record))

    # -- inside ------------------------------------------------------------------------------------

    def _read(self, path: Path, word: bytes, meaning: Callable[[bytes], T]) -> T | None:
        try:
            content = content_of(path)
        except BoxError as error:
            raise MemoryFileError(str(error).partition(". Next")[0]) from error
        if content is None:
            return None
        if not content.startswith(word):
            what = "is cut off" if word.startswith(content) else "is no such file"
            raise MemoryFileError(f"{path}: {what}")
        mark, sealed = content[len(word) :][:_MARK_BYTES], content[len(word) + _MARK_BYTES :]
        try:
            key = self._box.kept_key()
        except BoxError as error:
            raise MemoryFileError(str(error).partition(". Next")[0]) from error
        if key is None:
            raise MemoryFileError(f"{path}: cannot be read without {self._box.key}, which is gone")
        try:
            return meaning(SecretBox(key).decrypt(sealed))
        except (CryptoError, ValueError, TypeError) as error:
            if mark != _mark(key):
                raise MemoryFileError(
                    f"{path}: is encrypted to another key than {self._box.key}"
                ) from None
            raise MemoryFileError(f"{path}: is damaged") from error

    def _or_anew(self, path: Path, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except MemoryFileError as error:
            aside = path.with_name(path.name + ".unread")
            with contextlib.suppress(OSError):
                path.replace(aside)
            what = (
                "What was learned of the house's shuffle and of worn tags"
                if path == self.record_file
                else "The running test of the deck"
            )
            self.notes.append(
                f"{error.what}. {what} begins anew; what could not be read lies in {aside}. Next:"
                " count the deck; if there is a whole copy of the file, stop the table, put it"
                " there and start again"
            )
            return None

    def _write(self, path: Path, word: bytes, clear: bytes) -> bool:
        try:
            key = self._box.house_key()
            content = word + _mark(key) + bytes(SecretBox(key).encrypt(clear))
            files.replace(path, content, mode=0o600)
        except (BoxError, OSError) as error:
            if not self._mute:
                self._mute = True
                why = error.strerror if isinstance(error, OSError) else str(error)
                self.notes.append(
                    f"{path}: cannot be written ({why}); after a restart the running test of the"
                    " deck begins anew. Next: make room on the disk, and see that this user may"
                    " write there"
                )
            return False
        if self._mute:
            self._mute = False
            self.notes.append(f"{path}: can be written again")
        return True


def _mark(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=_MARK_BYTES, person=b"burnturn-memory").digest()
