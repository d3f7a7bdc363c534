"""`burnturn journal`: is it whole, does it replay, where does it end, and what is in it."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from controller.journal.build import build_name
from controller.journal.reader import JournalFile
from controller.journal.reader import export as exported_lines
from controller.journal.record import Record, RecordError, blob_hash
from controller.journal.replay import Difference
from controller.journal.replay import replay as replayed
from controller.journal.store import Anchor, Head
from controller.journal.trouble import DATABASE_ERRORS, JournalReadError
from controller.journal.verify import Fault
from controller.journal.verify import verify as verified
from controller.keys import RegulatorKeyError, private_key
from controller.keys import unseal as unsealed
from controller.vault import unsealed as identity

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="What happened at the table and what was said of it. Exit codes: 0 in order, 1 something"
    " is wrong with the journal or its replay, 2 it could not be looked at.",
)
JournalPath = Annotated[Path, typer.Argument(metavar="PATH", help="The journal file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_SHOWN = 20


def _fail(command: str, text: object) -> NoReturn:
    typer.echo(f"journal {command}: {text}", err=True)
    raise typer.Exit(2)


@contextmanager
def _opened(command: str, path: Path) -> Iterator[JournalFile]:
    try:
        with JournalFile(path) as journal:
            yield journal
    except (JournalReadError, RegulatorKeyError) as e:
        _fail(command, e)
    except RecordError as e:
        _fail(command, f"{path}: {e}. Next: run `burnturn journal verify`.")
    except DATABASE_ERRORS as e:
        _fail(command, f"{path}: damaged ({e}). Next: run `burnturn journal verify`.")


def _head(text: str) -> Head:
    """SEQ:HASH as `journal head` prints it, with or without spaces around."""
    found = re.fullmatch(r"\s*(\d+)\s*:\s*([0-9a-fA-F]{64})\s*", text)
    if not found:
        _fail(
            "verify",
            f"--head {text!r}: not a head. Next: give NUMBER:HASH as `burnturn journal head`"
            " printed it, with all 64 hex digits.",
        )
    return Head(int(found[1]), found[2].lower())


@app.command()
def verify(
    path: JournalPath,
    heads: Annotated[
        list[str] | None,
        typer.Option(
            "--head", metavar="NUMBER:HASH", help="A head that was kept outside. May be repeated."
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="CERTIFICATE",
            help="A certificate of a count (JSON, HTML or PDF). May be repeated.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", metavar="HEX|FILE", help="The public key that must have signed certificates."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every record, every link of the chain, and every sealed blob."""
    kept = [_head(text) for text in heads or ()]
    anchors, false = _anchors(against or (), key)
    with _opened("verify", path) as journal:
        found = verified(journal, kept, anchors)
    ok = found.ok and not false
    if as_json:
        told: dict[str, Any] = {
            "ok": ok,
            "records": found.records,
            "not_recorded": found.gaps,
            "head": {"seq": found.head.seq, "hash": found.head.hash},
            "anchored": found.anchored,
            "faults": [asdict(f) for f in found.faults],
            "false_certificates": false,
        }
        typer.echo(json.dumps(told))
    else:
        for file, texts in false.items():
            for text in texts:
                typer.echo(f"certificate {file}: {text}")
            typer.echo(f"certificate {file}: false, so it vouches for nothing here")
        for fault in found.faults:
            typer.echo(str(fault))
        typer.echo(f"{found.records} records, head {found.head.seq}:{found.head.hash}")
        if found.gaps:
            typer.echo(
                f"{found.gaps} records were lost while recording was impossible (gap records)"
            )
        if found.anchored >= found.head.seq:
            typer.echo("anchored to the end by a head kept outside")
        else:
            if found.anchored:
                typer.echo(f"anchored by what was kept outside: records 1 to {found.anchored}")
            typer.echo(
                f"not anchored: records {found.anchored + 1} to {found.head.seq}."
                " Only a head kept outside this machine (--head, or a certificate: --against)"
                " proves that those were neither cut off nor written anew."
            )
        if anchors and key is None:
            typer.echo(
                "the certificates' keys were compared with nothing: --key takes the one that the"
                " house handed over"
            )
        if found.ok and false:
            typer.echo("the journal's own chain is whole; what was given against it is not true")
        else:
            typer.echo("the journal is whole" if found.ok else f"{len(found.faults)} faults")
    raise typer.Exit(0 if ok else 1)


def _anchors(files: Sequence[Path], key: str | None) -> tuple[list[Anchor], dict[str, list[str]]]:
    """What the certificates keep of the journal; and of false ones, by file, what is false."""
    if not files:
        return [], {}
    # Loaded by this option alone: the other commands must work on a machine with little.
    from controller.integrity.filing import FilingError, checked, read
    from controller.integrity.signing import SigningKeyError, trusted_key

    anchors: list[Anchor] = []
    false: dict[str, list[str]] = {}
    try:
        trusted = None if key is None else trusted_key(key)
        for file in files:
            found = checked(read(file), trusted)
            if found.signed is None or found.faults:
                false[str(file)] = [str(f) for f in found.faults]
            else:
                anchors.append(found.signed.certificate.journal)
    except (FilingError, SigningKeyError) as e:
        _fail("verify", e)
    return anchors, false


@app.command()
def replay(path: JournalPath, as_json: AsJson = False) -> None:
    """Judge the recorded events once more, and list what the rules say differently now."""
    # The rules are loaded by this command alone: the others must work on a machine with little.
    engine = importlib.import_module("controller.rules.engine")
    with _opened("replay", path) as journal:
        chain = verified(journal)
        if not chain.ok:
            _not_whole(chain.faults, as_json)
        found = replayed(journal, engine.closed, engine.step)
    now = build_name()
    if as_json:
        told: dict[str, Any] = {
            "same": found.same,
            "chain_faults": [],
            "events": found.events,
            "said": found.said,
            "skipped": found.skipped,
            "builds": found.builds,
            "build": now,
            "differences": [_difference(d) for d in found.differences],
        }
        typer.echo(json.dumps(told))
    else:
        for difference in found.differences[:_SHOWN]:
            typer.echo(_difference_text(difference))
        if len(found.differences) > _SHOWN:
            typer.echo(f"… {len(found.differences) - _SHOWN} more; --json lists them all")
        if found.skipped:
            typer.echo(f"{found.skipped} events after a gap in the journal could not be judged")
        typer.echo(f"{found.events} events judged, {found.said} records compared, build {now}")
        others = [b for b in found.builds if b != now]
        if others:
            typer.echo(f"written by another build: {', '.join(others)}")
        typer.echo(
            "the same, bit for bit" if found.same else f"{len(found.differences)} differences"
        )
    raise typer.Exit(0 if found.same else 1)


def _not_whole(faults: Sequence[Fault], as_json: bool) -> NoReturn:
    """A replay of records that were changed proves nothing, however it comes out."""
    if as_json:
        typer.echo(json.dumps({"same": False, "chain_faults": [asdict(f) for f in faults]}))
    else:
        for fault in faults[:_SHOWN]:
            typer.echo(str(fault))
        typer.echo(
            f"the journal is not whole ({len(faults)} faults): a replay of it proves nothing."
            " Next: burnturn journal verify"
        )
    raise typer.Exit(1)


def _difference(d: Difference) -> dict[str, Any]:
    then, now = (None if t is None else json.loads(t) for t in (d.then, d.now))
    return {"event": d.event, "record": d.record, "then": then, "now": now}


def _difference_text(d: Difference) -> str:
    if d.then is None:
        return f"event {d.event}: said now, not then: {d.now}"
    if d.now is None:
        return f"event {d.event}: said then (record {d.record}), not now: {d.then}"
    return f"event {d.event}: then (record {d.record}): {d.then}\n          now: {d.now}"


@app.command()
def export(
    path: JournalPath,
    since: Annotated[int, typer.Option(help="First number to export.")] = 1,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="With the sealed card identities, still sealed.")
    ] = False,
) -> None:
    """Print the journal as JSON lines, one record each. Sealed card identities are left out."""
    with _opened("export", path) as journal:
        for line in exported_lines(journal, since=since, sealed=sealed):
            sys.stdout.write(line + "\n")


@app.command()
def head(path: JournalPath, as_json: AsJson = False) -> None:
    """Print the newest record's number and hash. Kept outside this machine, it proves the rest."""
    with _opened("head", path) as journal:
        newest = journal.head()
    if as_json:
        typer.echo(json.dumps({"seq": newest.seq, "hash": newest.hash}))
    else:
        typer.echo(str(newest))


@app.command()
def unseal(
    path: JournalPath,
    key: Annotated[Path, typer.Option("--key", metavar="PRIVATE", help="The private key's file.")],
    since: Annotated[int, typer.Option(help="First number to unseal.")] = 1,
    as_json: AsJson = False,
) -> None:
    """FOR THE REGULATOR, away from the table: print the sealed card identities in clear."""
    opened = closed = 0
    with _opened("unseal", path) as journal:
        opener = private_key(key)
        if not as_json:
            typer.echo(
                "CARD IDENTITIES IN CLEAR. For the regulator only; never on the table.", err=True
            )
        for record in journal.records(since):
            if record.sealed is None:
                continue
            blob = journal.blob(record.seq)
            clear, wrong = None, ""
            if blob is None:
                wrong = "the sealed blob is missing"
            else:
                try:
                    clear = _clear(unsealed(opener, blob))
                except RegulatorKeyError as e:
                    wrong = str(e)
                if blob_hash(blob) != record.sealed:
                    wrong = "not the sealed blob that was journaled; it proves nothing"
            opened, closed = opened + (not wrong), closed + bool(wrong)
            typer.echo(_unsealed_line(record, clear, wrong, as_json))
    if not as_json:
        typer.echo(f"{opened} unsealed, {closed} not", err=True)
    raise typer.Exit(1 if closed else 0)


def _clear(plain: bytes) -> str:
    """What was sealed, for people: deck, face and UID as a vault seals them; else text or hex."""
    try:
        uid, deck, face = identity(plain)
    except ValueError:
        bare = plain.rstrip(b"\0 ")
        try:
            text = bare.decode("utf-8")
        except UnicodeDecodeError:
            return bare.hex()
        return text if text.isprintable() else bare.hex()
    return f"{face or 'unknown card'} of {deck or 'no deck'}, uid {uid.hex()}"


def _unsealed_line(record: Record, clear: str | None, wrong: str, as_json: bool) -> str:
    body = json.loads(record.body)
    when = datetime.fromtimestamp(record.wall, UTC).isoformat(timespec="milliseconds")
    told = {
        "seq": record.seq,
        "when": when,
        "kind": record.kind,
        "zone": body.get("zone"),
        "token": body.get("token"),
        "identity": clear,
        "wrong": wrong or None,
    }
    if as_json:
        return json.dumps(told)
    said = clear or ""
    if wrong:
        said += f" ! {wrong}"
    return "\t".join((str(record.seq), when, record.kind, told["zone"] or "", said))
