"""A certificate's three files: JSON, HTML and PDF. Made, put in a folder, and read back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from nacl.signing import SigningKey

from controller.files import New, make_folder, place, remedy
from controller.integrity.certificate import (
    Certificate,
    CertificateError,
    Fault,
    Signed,
    Untrue,
    parse,
    sign,
    verify,
)
from controller.integrity.page import html_of, json_in_html
from controller.integrity.page_pdf import json_in_pdf, pdf_of

READ_LIMIT = 1_000_000
"""Bytes; a certificate's largest file has some thirty thousand."""
_TRIES = 100
_ELSEWHERE = (
    "let `folder` below [certificates] in table.toml name a folder that the table can write"
)
_SHOWN = 60


class Kind(StrEnum):
    JSON = "json"
    HTML = "html"
    PDF = "pdf"


class FilingError(Exception):
    """A certificate's files cannot be written or read there; the text says what, where, what
    next."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a file. signed: the certificate in it, None where none can be read. faults:
    everything that is false; () if it is true."""

    kind: Kind
    signed: Signed | None
    faults: tuple[Fault, ...]


def files_of(signed: Signed) -> dict[Kind, bytes]:
    """The three files; each holds the whole signed certificate."""
    return {Kind.JSON: signed.data, Kind.HTML: html_of(signed), Kind.PDF: pdf_of(signed)}


def save(certificate: Certificate, key: SigningKey, folder: Path) -> dict[Kind, Path]:
    """Sign it and put its files on the disk, in that folder (made if need be), named like
    ``2026-11-30T19-04-10-red-count.pdf``. Nothing is overwritten: a name that is taken gets a
    number. Raises FilingError, and then leaves nothing behind."""
    content = files_of(sign(certificate, key))
    try:
        make_folder(folder)
        for number in range(1, _TRIES + 1):
            name = _name(certificate) + ("" if number == 1 else f"-{number}")
            paths = {kind: folder / f"{name}.{kind}" for kind in content}
            try:
                place(*(New(paths[kind], data, 0o640) for kind, data in content.items()))
            except FileExistsError:
                continue
            return paths
    except OSError as e:
        raise FilingError(
            f"{folder}: the certificate cannot be written ({e.strerror})."
            f" {remedy(e, _ELSEWHERE, then='')}. A running table tries again every minute."
        ) from e
    raise FilingError(
        f"{folder}: holds {_TRIES} certificates of the same deck and second already."
        " Next: look at the clock of this machine, and at what issues them."
    )


def read(path: Path) -> bytes:
    """The bytes of a file that somebody calls a certificate. Raises FilingError."""
    try:
        with path.open("rb") as file:
            data = file.read(READ_LIMIT + 1)
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) else "no name that a file can have"
        raise FilingError(
            f"{path}: cannot be read ({why})."
            " Next: give the JSON, HTML or PDF file of a certificate."
        ) from e
    if len(data) > READ_LIMIT:
        raise FilingError(
            f"{path}: longer than {READ_LIMIT} bytes, so no certificate."
            " Next: give the JSON, HTML or PDF file of a certificate."
        )
    return data


def checked(data: bytes, trusted_key: bytes | None = None) -> Checked:
    """Whether one of the three files is true: the certificate in it, and that a page is the one
    that is made from it. trusted_key: as in `verify`."""
    kind, inner = _taken_apart(data)
    if inner is None:
        text = f"there is no signed certificate in this {kind.upper()} file"
        return Checked(kind, None, (Fault(Untrue.MALFORMED, text),))
    faults = verify(inner, trusted_key)
    try:
        signed = parse(inner)
    except CertificateError:
        return Checked(kind, None, faults)
    if kind is not Kind.JSON and (unlike := _unlike(data, files_of(signed)[kind])):
        inside = "is false too" if faults else "is true (burnturn certificate show prints it)"
        text = (
            f"it is not the page that is made from the certificate in it, which {inside}: {unlike}"
        )
        faults = (*faults, Fault(Untrue.PAGE, text))
    return Checked(kind, signed, faults)


def _taken_apart(data: bytes) -> tuple[Kind, bytes | None]:
    if data.startswith(b"%PDF"):
        return Kind.PDF, json_in_pdf(data)
    if data.lstrip().startswith(b"<"):
        return Kind.HTML, json_in_html(data)
    return Kind.JSON, data


def _unlike(found: bytes, due: bytes) -> str:
    """Where two files differ first, in words; "" if they do not."""
    if found == due:
        return ""
    ours, theirs = due.split(b"\n"), found.split(b"\n")
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=False), start=1):
        if mine != other:
            at = next(
                (i for i, (a, b) in enumerate(zip(mine, other, strict=False)) if a != b),
                min(len(mine), len(other)),
            )
            return f"line {number} has {_around(other, at)} where {_around(mine, at)} is due"
    last = min(len(ours), len(theirs))
    return f"after line {last} {'something was added' if len(theirs) > last else 'the rest lacks'}"


def _around(line: bytes, at: int) -> str:
    start = max(0, at - _SHOWN // 2)
    return ascii(line[start : start + _SHOWN].decode("utf-8", "backslashreplace"))


def _name(certificate: Certificate) -> str:
    at = datetime.fromisoformat(certificate.issued)
    deck = re.sub(r"[^A-Za-z0-9]+", "-", certificate.deck).strip("-").lower() or "deck"
    return f"{at:%Y-%m-%dT%H-%M-%S}-{deck}-{certificate.reason}"
