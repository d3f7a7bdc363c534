"""The page of a certificate: what it says to a person, and as HTML. Pure.

The HTML and the PDF (`page_pdf.py`) say the same, and are the same bytes for the same certificate
wherever they are made: `burnturn certificate verify` makes them again and compares. So their look
belongs to the certificate's schema, and nothing here may depend on a library's taste, the clock or
the language of the machine."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import segno

from controller.integrity.certificate import Certificate, Reason, Signed
from controller.integrity.signing import fingerprint, grouped
from controller.model.cards import face_name
from controller.model.events import CountMeans

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_NAMED = 6
"""More cards than these are told as As, Td … so that the page stays one."""

_WHY = {
    Reason.COUNT: "after a count",
    Reason.CLOSING: "at closing, with the last count",
}
SIGNATURE_PROVES: Final = (
    "The key that signed this page lives on the table's own machine. The signature shows that this"
    " machine issued it, and that nothing in it was changed since. It does not show that the"
    " machine told the truth: whoever controls the machine could sign anything. So compare the"
    " public key below with the one that the house handed to the regulator."
)
HOW: Final = (
    "burnturn certificate verify FILE --key PUBLIC-KEY",
    "burnturn journal verify JOURNAL --against FILE",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page. code: printed in letters of one width."""

    name: str
    value: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What the page says, from top to bottom. verdict: a few words. found: what was not in order, a
    sentence each. qr: the text in the QR code."""

    table: str
    verdict: str
    in_order: bool
    found: tuple[str, ...]
    count: tuple[Row, ...]
    attests: str
    journal: tuple[Row, ...]
    journal_proves: str
    signature: tuple[Row, ...]
    signature_proves: str
    how: tuple[str, ...]
    how_words: tuple[str, str]
    qr: str


def page_of(signed: Signed) -> Page:
    """What the page of that certificate says."""
    c = signed.certificate
    head = c.journal.head
    return Page(
        table=c.table,
        verdict=f"{c.present} of {c.expected}",
        in_order=c.in_order,
        found=findings(c),
        count=(
            Row("Table", c.table),
            Row("Deck", f"{c.deck}, back {c.back}" if c.back else c.deck),
            Row("Issued", f"{spoken(c.issued)}, {_WHY[c.reason]}"),
            Row("Counted from", spoken(c.started)),
            Row("to", spoken(c.ended)),
            Row("Clock", _clock(c)),
            Row("Took", f"{c.duration_s:.1f} s, {_passes(c)} of the deck"),
            Row("Confirmed by", c.confirmed_by or "nobody"),
        ),
        attests=c.attests,
        journal=(
            Row(
                "Newest record", f"number {head.seq}; {_some(c.journal.records, 'record')} up to it"
            ),
            Row("Its hash", grouped(head.hash), code=True),
            Row("First record's", grouped(c.journal.first), code=True),
            Row("Written by", f"burnturn {c.build}"),
        ),
        journal_proves=(
            f"With this hash the table's journal can be proven up to record {head.seq}: a record"
            " that was changed, deleted, moved or slipped in before it is found. What was written"
            " later is not covered."
        ),
        signature=(
            Row("Public key", grouped(signed.public_key.hex()), code=True),
            Row("Its short name", fingerprint(signed.public_key), code=True),
            Row("Signature", grouped(signed.signature.hex()), code=True),
        ),
        signature_proves=SIGNATURE_PROVES,
        how=HOW,
        how_words=(
            "On any machine with burnturn; FILE is this certificate's JSON, HTML or PDF file:",
            "The QR code holds the record's number, its hash and the signature.",
        ),
        qr=qr_text(signed),
    )


def findings(c: Certificate) -> tuple[str, ...]:
    """What the count found, in plain sentences."""
    by_camera = c.means is CountMeans.CAMERA
    if c.in_order and by_camera:
        return ("Every card of the deck was seen, and nothing else.",)
    if c.in_order:
        return ("Every registered card of the deck was there, and nothing else.",)
    found = []
    if c.missing:
        found.append(f"Missing: {_cards(c.missing)}.")
    if c.duplicates:
        found.append(f"More than once in the deck: {_cards(c.duplicates)}.")
    if c.extra:
        found.append(f"{_some(c.extra, 'card')} of another registered deck.")
    if c.foreign and by_camera:
        found.append(f"{_some(c.foreign, 'card')} of another game or with another back.")
    elif c.foreign:
        found.append(f"{_some(c.foreign, 'tag')} of no registered deck.")
    if c.jokers:
        found.append(f"{_some(c.jokers, 'joker')} among the cards.")
    return tuple(found)


def _passes(c: Certificate) -> str:
    if c.means is CountMeans.CAMERA:
        return f"by camera, {_some(c.passes, 'spread')}"
    return _some(c.passes, "pass", "passes")


def spoken(moment: str) -> str:
    """A moment of a certificate for people: 30 November 2026, 19:04:10 (UTC-05:00)."""
    at = datetime.fromisoformat(moment)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {moment[11:19]} (UTC{moment[19:]})"


def _clock(c: Certificate) -> str:
    if not c.clock_trusted:
        return "not set since the machine started: these times may be wrong"
    wall_s = (datetime.fromisoformat(c.ended) - datetime.fromisoformat(c.started)).total_seconds()
    if abs(wall_s - c.duration_s) > 2:
        return "set, but it was moved during the count"
    return "set and trusted"


def _cards(faces: tuple[str, ...]) -> str:
    if len(faces) <= _NAMED:
        return ", ".join(map(face_name, faces))
    return f"{len(faces)} cards: {' '.join(faces)}"


def _some(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


# ---- the QR code

_QR_VERSION = 8
_QR_MASK = 3


def qr_text(signed: Signed) -> str:
    """Head and signature, in letters that a QR code writes small:
    ``BURNTURN:1:<number>:<hash>:<signature>``, hex digits in capitals."""
    head = signed.certificate.journal.head
    schema = signed.certificate.schema
    return f"BURNTURN:{schema}:{head.seq}:{head.hash}:{signed.signature.hex()}".upper()


def qr_rows(text: str) -> tuple[tuple[bool, ...], ...]:
    """The QR code's modules, row by row from the top, without a margin; true is dark."""
    # Everything that the standard leaves open is set, so that any encoder gives these modules.
    code = segno.make_qr(
        text,
        version=_QR_VERSION,
        mode="alphanumeric",
        error="m",
        mask=_QR_MASK,
        boost_error=False,
    )
    return tuple(tuple(module == 1 for module in row) for row in code.matrix)


def qr_runs(text: str) -> tuple[tuple[int, int, int], ...]:
    """The dark modules as runs: column, row, length."""
    runs = []
    for y, row in enumerate(qr_rows(text)):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end]:
                end += 1
            if end > x:
                runs.append((x, y, end - x))
            x = end + 1
    return tuple(runs)


# ---- HTML

_STYLE = """
@page { size: A4; margin: 14mm 16mm }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 50rem; color: #111; background: #fff;
  font: .94rem/1.45 Helvetica, Arial, "Liberation Sans", sans-serif }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem;
  border-bottom: 2px solid #111; padding-bottom: .5rem }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; margin: 1.5rem 0 .4rem;
  padding-bottom: .15rem; border-bottom: 1px solid #999 }
p { margin: .4rem 0 }
.table { overflow-wrap: anywhere; text-align: right }
.verdict { display: flex; gap: 1.25rem; align-items: center; margin: 1.1rem 0;
  padding: .8rem 1.1rem; border: 2px solid #111 }
.verdict.odd { border-width: 6px }
.verdict strong { font-size: 2.1rem; line-height: 1.1; white-space: nowrap }
.verdict b { display: block; font-size: 1.15rem }
.verdict p { margin: .15rem 0 }
dl { display: grid; grid-template-columns: 8.5rem 1fr; gap: .15rem .9rem; margin: .4rem 0 }
dt { color: #444 }
dd { margin: 0; overflow-wrap: anywhere }
code, pre { font: .8rem/1.5 "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace }
.how code { display: block; margin: .2rem 0 }
.sealed { display: flex; gap: 1.25rem; align-items: flex-start }
.sealed dl { flex: 1 }
svg { width: 10.5rem; height: 10.5rem; flex: none }
details { margin-top: 1.5rem; font-size: .85rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr } dt { margin-top: .3rem }
  .sealed, .verdict { flex-direction: column; align-items: flex-start } }
@media print { html { font-size: 12px } body { padding: 0; max-width: none }
  details { display: none } }
""".strip()

_EMBEDDED = re.compile(r'<pre id="certificate">(.*?)</pre>', re.DOTALL)


def html_of(signed: Signed) -> bytes:
    """The page as one HTML file that needs nothing else: UTF-8, no scripts, nothing loaded. The
    signed JSON is in it."""
    p = page_of(signed)
    verdict = "The deck is complete." if p.in_order else "The deck is not in order."
    found = "\n".join(f"<p>{_safe(text)}</p>" for text in p.found)
    how = "\n".join(f"<code>{_safe(line)}</code>" for line in p.how)
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate of a deck count: {_safe(p.table)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<header><h1>Certificate of a deck count</h1><div class="table">{_safe(p.table)}</div></header>
<div class="verdict{"" if p.in_order else " odd"}">
<strong>{_safe(p.verdict)}</strong>
<div><b>{verdict}</b>
{found}</div>
</div>
<h2>The count</h2>
{_list(p.count)}
<p>{_safe(p.attests)}</p>
<h2>The journal</h2>
{_list(p.journal)}
<p>{_safe(p.journal_proves)}</p>
<h2>The signature</h2>
<p>{_safe(p.signature_proves)}</p>
<div class="sealed">
{_list(p.signature)}
{_svg(p.qr)}
</div>
<h2>How to verify it</h2>
<p>{_safe(p.how_words[0])}</p>
<div class="how">
{how}
</div>
<p>{_safe(p.how_words[1])}</p>
<details><summary>What was signed</summary>
<pre id="certificate">{_safe(signed.data.decode("ascii"))}</pre>
</details>
</body>
</html>
"""
    return text.encode("utf-8")


def json_in_html(data: bytes) -> bytes | None:
    """The signed JSON in such a file; None if there is none."""
    found = _EMBEDDED.search(data.decode("utf-8", "replace"))
    return html.unescape(found[1]).encode("utf-8") if found else None


def _safe(text: str) -> str:
    return html.escape(text, quote=True)


def _list(rows: tuple[Row, ...]) -> str:
    lines = []
    for row in rows:
        value = f"<code>{_safe(row.value)}</code>" if row.code else _safe(row.value)
        lines.append(f"<dt>{_safe(row.name)}</dt><dd>{value}</dd>")
    return "<dl>\n" + "\n".join(lines) + "\n</dl>"


def _svg(text: str) -> str:
    size = len(qr_rows(text))
    path = "".join(f"M{x} {y}h{length}v1h-{length}z" for x, y, length in qr_runs(text))
    return (
        f'<svg viewBox="-4 -4 {size + 8} {size + 8}" shape-rendering="crispEdges" role="img"'
        f' aria-label="QR code of the journal\'s head and the signature">'
        f'<path fill="#fff" d="M-4-4h{size + 8}v{size + 8}h-{size + 8}z"/>'
        f'<path fill="#000" d="{path}"/></svg>'
    )
