"""A certificate's page as PDF (ISO 32000-1): one A4 page, the signed JSON attached. Pure.

The file is written here, byte for byte, and nothing in it is compressed: the same page made by
another release of a PDF or compression library would be other bytes, and then a certificate that
is true would be called forged."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime

from controller.integrity.certificate import Signed
from controller.integrity.page import Page, Row, page_of, qr_rows, qr_runs

_MM = 72 / 25.4
_WIDTH, _HEIGHT = 210 * _MM, 297 * _MM
_LEFT, _RIGHT = 20 * _MM, 190 * _MM
_VALUES = 50 * _MM
_QR_MODULE = 0.8 * _MM
_CODE_SIZE = 8.0
_KEY_WIDTH = 68 * _MM
"""Eight groups of four digits."""

_PLAIN, _BOLD, _CODE = "F1", "F2", "F3"
_FONTS = {_PLAIN: "Helvetica", _BOLD: "Helvetica-Bold", _CODE: "Courier"}
_NARROW = frozenset(" !',.:;|ijlIftr()[]/\\-`")
_WIDE = frozenset("mwMW@%—…")


def pdf_of(signed: Signed) -> bytes:
    """The page as a PDF file. Letters that its fonts have not (beyond Windows-1252) are written as
    [U+4E2D], and a name that then needs more than two lines is cut; the HTML page shows them."""
    page = page_of(signed)
    issued = datetime.fromisoformat(signed.certificate.issued)
    zone = issued.strftime("%z")
    date = f"(D:{issued:%Y%m%d%H%M%S}{zone[:3]}'{zone[3:5]}')".encode("ascii")
    title = _string(f"Certificate of a deck count: {page.table}")
    content = _Sheet().drawn(page)
    data = signed.data
    fonts = [
        b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % n.encode()
        for n in _FONTS.values()
    ]
    references = b" ".join(b"/%s %d 0 R" % (f.encode(), 4 + i) for i, f in enumerate(_FONTS))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) /AF [8 0 R]"
        b" /Names << /EmbeddedFiles << /Names [(certificate.json) 8 0 R] >> >>"
        b" /ViewerPreferences << /DisplayDocTitle true >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 7 0 R"
        b" /Resources << /Font << %s >> >> >>" % (_number(_WIDTH), _number(_HEIGHT), references),
        *fonts,
        _stream(b"", content),
        b"<< /Type /Filespec /F (certificate.json) /UF (certificate.json)"
        b" /AFRelationship /Source /Desc (The signed certificate) /EF << /F 9 0 R >> >>",
        _stream(
            b"/Type /EmbeddedFile /Subtype /application#2Fjson /Params << /Size %d >> " % len(data),
            data,
        ),
        b"<< /Title %s /Creator (burnturn) /Producer (burnturn) /CreationDate %s >>"
        % (title, date),
    ]
    return _file(objects)


_EMBEDDED = re.compile(
    rb"/Type /EmbeddedFile /Subtype /application#2Fjson /Params << /Size (\d{1,6}) >>"
    rb" /Length \d{1,6} >>\nstream\n"
)


def json_in_pdf(data: bytes) -> bytes | None:
    """The signed JSON in such a file; None if there is none."""
    found = _EMBEDDED.search(data)
    return data[found.end() : found.end() + int(found[1])] if found else None


class _Sheet:
    """Draws from the top of the page down."""

    def __init__(self) -> None:
        self._ops: list[bytes] = []
        self._y = _HEIGHT - 22 * _MM

    def drawn(self, page: Page) -> bytes:
        self._text(_LEFT, _BOLD, 19, "Certificate of a deck count")
        self._down(6)
        for line in _cut(wrapped(page.table, _PLAIN, 11, _RIGHT - _LEFT), 1):
            self._text(_LEFT, _PLAIN, 11, line)
            self._down(5)
        self._rule(1.4)
        self._verdict(page)
        self._title("The count")
        self._rows(page.count, _RIGHT)
        self._words(page.attests, _RIGHT)
        self._title("The journal")
        self._rows(page.journal, _RIGHT)
        self._words(page.journal_proves, _RIGHT)
        self._title("The signature")
        self._words(page.signature_proves, _RIGHT)
        side = len(qr_rows(page.qr)) * _QR_MODULE
        top = self._y
        self._rows(page.signature, _VALUES + _KEY_WIDTH)
        self._qr(page.qr, _RIGHT - side, top + 1 * _MM)
        self._y = min(self._y, top - side)
        self._title("How to verify it")
        self._words(page.how_words[0], _RIGHT)
        for line in page.how:
            self._text(_LEFT, _CODE, 8.5, line)
            self._down(4)
        self._words(page.how_words[1], _RIGHT)
        return b"\n".join(self._ops)

    @property
    def left(self) -> float:
        """Points between what was drawn last and the lower edge of the page."""
        return self._y

    def _down(self, mm: float) -> None:
        self._y -= mm * _MM

    def _text(self, x: float, font: str, size: float, text: str) -> None:
        self._ops.append(
            b"BT /%s %s Tf %s %s Td %s Tj ET"
            % (font.encode(), _number(size), _number(x), _number(self._y), _string(text))
        )

    def _rule(self, width: float) -> None:
        self._ops.append(
            b"%s w %s %s m %s %s l S"
            % (
                _number(width),
                _number(_LEFT),
                _number(self._y),
                _number(_RIGHT),
                _number(self._y),
            )
        )

    def _title(self, text: str) -> None:
        self._down(3)
        self._text(_LEFT, _BOLD, 10, text)
        self._down(1.4)
        self._rule(0.5)
        self._down(4.4)

    def _words(self, text: str, right: float) -> None:
        for line in wrapped(text, _PLAIN, 8.5, right - _LEFT):
            self._text(_LEFT, _PLAIN, 8.5, line)
            self._down(3.8)
        self._down(0.6)

    def _rows(self, rows: tuple[Row, ...], right: float) -> None:
        for row in rows:
            self._text(_LEFT, _PLAIN, 9, row.name)
            font, size = (_CODE, _CODE_SIZE) if row.code else (_PLAIN, 9.0)
            lines = wrapped(row.value, font, size, right - _VALUES)
            for line in lines if row.code else _cut(lines, 2):
                self._text(_VALUES, font, size, line)
                self._down(4)
        self._down(0.8)

    def _verdict(self, page: Page) -> None:
        large = 24.0
        x = _LEFT + 5 * _MM
        words = x + width_of(page.verdict, _BOLD, large) + 6 * _MM
        head = "The deck is complete." if page.in_order else "The deck is not in order."
        lines = [
            line
            for text in page.found
            for line in wrapped(text, _PLAIN, 9.5, _RIGHT - 4 * _MM - words)
        ]
        self._down(4)
        height = (13 + 4.4 * max(1, len(lines))) * _MM
        self._ops.append(
            b"%s w %s %s %s %s re S"
            % (
                _number(1 if page.in_order else 3),
                _number(_LEFT + 1),
                _number(self._y - height),
                _number(_RIGHT - _LEFT - 2),
                _number(height),
            )
        )
        bottom = self._y - height
        self._y -= height / 2 + large * 0.34
        self._text(x, _BOLD, large, page.verdict)
        self._y = bottom + height - 7 * _MM
        self._text(words, _BOLD, 12.5, head)
        self._down(5.6)
        for line in lines:
            self._text(words, _PLAIN, 9.5, line)
            self._down(4.4)
        self._y = bottom
        self._down(5)

    def _qr(self, text: str, x: float, y: float) -> None:
        for column, row, length in qr_runs(text):
            self._ops.append(
                b"%s %s %s %s re"
                % (
                    _number(x + column * _QR_MODULE),
                    _number(y - (row + 1) * _QR_MODULE),
                    _number(length * _QR_MODULE),
                    _number(_QR_MODULE),
                )
            )
        self._ops.append(b"f")


def room_left(signed: Signed) -> float:
    """Millimetres between the page's last line and the lower edge of the paper."""
    sheet = _Sheet()
    sheet.drawn(page_of(signed))
    return sheet.left / _MM


def width_of(text: str, font: str, size: float) -> float:
    """Points that the text takes: exact for letters of one width, rather too much for others."""
    if font == _CODE:
        return 0.6 * size * len(_shown(text))
    share = 0.0
    for letter in _shown(text):
        if letter in _NARROW:
            share += 0.34
        elif letter in _WIDE:
            share += 1.02
        else:
            share += 0.78 if letter.isupper() else 0.58
    return share * size * (1.06 if font == _BOLD else 1.0)


def wrapped(text: str, font: str, size: float, width: float) -> Iterator[str]:
    """The text in lines that are no wider than `width` points, at least one."""
    line = ""
    for word in _shown(text).split(" "):
        longer = f"{line} {word}" if line else word
        if width_of(longer, font, size) <= width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while width_of(line, font, size) > width:
            fits = next(
                n for n in range(len(line) - 1, 0, -1) if width_of(line[:n], font, size) <= width
            )
            yield line[:fits]
            line = line[fits:]
    yield line


def _cut(lines: Iterator[str], most: int) -> list[str]:
    whole = list(lines)
    if len(whole) <= most:
        return whole
    return [*whole[: most - 1], f"{whole[most - 1][:-2]}…"]


def _shown(text: str) -> str:
    letters = []
    for letter in text:
        try:
            letter.encode("cp1252")
            letters.append(letter)
        except UnicodeEncodeError:
            letters.append(f"[U+{ord(letter):04X}]")
    return "".join(letters)


def _string(text: str) -> bytes:
    raw = _shown(text).encode("cp1252")
    return b"(" + re.sub(rb"([\\()])", rb"\\\1", raw) + b")"


def _number(value: float) -> bytes:
    return f"{value:.2f}".encode("ascii")


def _stream(words: bytes, content: bytes) -> bytes:
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (words, len(content), content)


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    name = hashlib.sha256(bytes(out)).hexdigest()[:32].encode("ascii")
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R /ID [<%s> <%s>] >>\n" % (
        len(objects) + 1,
        len(objects),
        name,
        name,
    )
    out += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(out)
