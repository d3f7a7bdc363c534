"""`burnturn certificate`: are the certificates of counts true, and which key signs them here."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from controller.integrity.certificate import Signed
from controller.integrity.filing import Checked, FilingError, checked, read
from controller.integrity.page import page_of
from controller.integrity.signing import (
    SigningKeyError,
    fingerprint,
    grouped,
    table_key,
    trusted_key,
)
from controller.journal.reader import JournalFile
from controller.journal.trouble import JournalReadError
from controller.journal.verify import Verification
from controller.journal.verify import verify as verified

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Certificates of counts. Exit codes: 0 true, 1 false, 2 it could not be looked at.",
)
CertificateFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A certificate's JSON, HTML or PDF file.")
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="HEX|FILE",
        help="The table's public key, as the house handed it over (burnturn certificate key).",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _fail(command: str, text: object) -> NoReturn:
    typer.echo(f"certificate {command}: {text}", err=True)
    raise typer.Exit(2)


def _checked(command: str, file: Path, key: str | None) -> Checked:
    try:
        return checked(read(file), None if key is None else trusted_key(key))
    except (FilingError, SigningKeyError) as e:
        _fail(command, e)


@app.command()
def verify(
    file: CertificateFile,
    key: KeyOption = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="JOURNAL", help="The table's journal file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a certificate is true, or everything that is false about it."""
    found = _checked("verify", file, key)
    proven = None
    if journal is not None and found.signed is not None and not found.faults:
        try:
            with JournalFile(journal) as opened:
                proven = verified(opened, anchors=[found.signed.certificate.journal])
        except JournalReadError as e:
            _fail("verify", e)
    true = not found.faults and (proven is None or proven.ok)
    if as_json:
        told: dict[str, Any] = {
            "true": true,
            "kind": found.kind,
            "faults": [asdict(f) for f in found.faults],
            "key_compared": key is not None,
            "journal": None if proven is None else _journal_told(proven),
            "certificate": None if found.signed is None else _told(found.signed),
        }
        typer.echo(json.dumps(told))
        raise typer.Exit(0 if true else 1)
    for fault in found.faults:
        typer.echo(f"{file}: {fault}")
    if found.faults and journal is not None:
        typer.echo("the journal was not looked at: a false certificate proves nothing of it")
    if proven is not None:
        _say_journal(proven)
    if not found.faults and found.signed is not None:
        c = found.signed.certificate
        page = page_of(found.signed)
        typer.echo(f"{c.table}, deck {c.deck}, {page.count[2].value}: {page.verdict}")
        for sentence in page.found:
            typer.echo(sentence)
        typer.echo(f"signed by the key {grouped(found.signed.public_key.hex())}")
        typer.echo(
            "which is the one given with --key"
            if key is not None
            else "not compared with anything: --key takes the one that the house handed over"
        )
    if found.faults:
        typer.echo("FALSE")
    elif true:
        typer.echo("the certificate is true")
    else:
        typer.echo("the certificate is true, and the JOURNAL is not the one that it vouches for")
    raise typer.Exit(0 if true else 1)


@app.command()
def show(file: CertificateFile, as_json: AsJson = False) -> None:
    """Print what a certificate says, and whether it is true."""
    found = _checked("show", file, None)
    if as_json:
        told = {
            "true": not found.faults,
            "faults": [asdict(f) for f in found.faults],
            "certificate": None if found.signed is None else _told(found.signed),
        }
        typer.echo(json.dumps(told))
        raise typer.Exit(1 if found.faults else 0)
    if found.signed is not None:
        page = page_of(found.signed)
        typer.echo(f"Certificate of a deck count: {page.verdict}")
        for sentence in page.found:
            typer.echo(f"  {sentence}")
        for row in (*page.count, *page.journal, *page.signature):
            typer.echo(f"{row.name:<16}{row.value}")
        typer.echo(page.attests)
    for fault in found.faults:
        typer.echo(f"{file}: {fault}")
    typer.echo("FALSE" if found.faults else "nobody changed it since that key signed it")
    raise typer.Exit(1 if found.faults else 0)


@app.command()
def key(
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="table.toml; the simulated table without."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """ON THE TABLE: print the public half of its signing key, to be handed to the regulator."""
    from controller.config import ConfigError, load

    try:
        found = table_key(load(config).certificate_key)
    except (ConfigError, SigningKeyError) as e:
        _fail("key", e)
    public = found.public.hex()
    if as_json:
        told = {
            "public_key": public,
            "fingerprint": fingerprint(found.public),
            "private_file": str(found.path),
            "made_now": found.made,
        }
        typer.echo(json.dumps(told))
        return
    typer.echo(public)
    typer.echo(
        f"""
The line above is the public half of the key with which this table signs its certificates
(short name {fingerprint(found.public)}). Hand it to the regulator before it is needed:
a certificate is the table's if it was signed by that key.
The private half {"was made just now and " if found.made else ""}lives on this machine, in
  {found.path}
Whoever can read that file, or controls this machine, can sign in the table's name.""",
        err=True,
    )


def _told(signed: Signed) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(signed.data)["certificate"]
    return {
        **fields,
        "in_order": signed.certificate.in_order,
        "public_key": signed.public_key.hex(),
        "fingerprint": fingerprint(signed.public_key),
    }


def _journal_told(proven: Verification) -> dict[str, Any]:
    return {
        "ok": proven.ok,
        "records": proven.records,
        "anchored": proven.anchored,
        "head": {"seq": proven.head.seq, "hash": proven.head.hash},
        "faults": [asdict(f) for f in proven.faults],
    }


def _say_journal(proven: Verification) -> None:
    for fault in proven.faults:
        typer.echo(f"journal, {fault}")
    if proven.anchored:
        typer.echo(f"the certificate vouches for the journal's records 1 to {proven.anchored}")
    if proven.anchored < proven.head.seq:
        typer.echo(
            f"not anchored by this certificate: records {proven.anchored + 1} to {proven.head.seq}"
        )
