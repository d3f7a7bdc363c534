"""Captures: what was written comes back, as text; files that are none are refused with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelink.capture import FORMAT, CaptureError, CaptureFile, Portion, Way, portions
from tablelink.dump import main
from tablelink.framing import Frame, encode
from tablelink.messages import Ack, Hello, KeyMoved

HELLO = encode(Frame(Hello(), 4660, 0, 0))
KEY = encode(Frame(KeyMoved(99, 3, 1, 7), 4660, 1, 0))
ACK = encode(Frame(Ack(), 4660, 0, 1))


def recorded(path: Path, *said: tuple[str, bytes]) -> Path:
    with CaptureFile(path) as capture:
        for n, (way, data) in enumerate(said):
            (capture.sent if way == ">" else capture.heard)(data, 12.5 + n)
    return path


def test_a_line_a_frame_with_way_time_and_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "KEY session=4660 seq=1 ack=0 time=99 key=3 pressed=1 presses=7"
    spoilt = KEY[:7] + bytes((KEY[7] ^ 1,)) + KEY[8:]
    path = recorded(
        tmp_path / "line.txt",
        *((">", HELLO[:5]), (">", HELLO[5:]), ("<", spoilt), ("<", KEY), ("<", KEY), (">", ACK)),
        ("<", b"\0\x05\x11\x22\x00"),
        ("<", KEY[:6]),
    )
    assert main(["dump", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   13.500000  host → board  HELLO session=4660 seq=0 ack=0 lowest=1 highest=1",
        "   14.500000  host ← board  bad-crc (17 bytes)",
        f"   15.500000  host ← board  {key}",
        f"   16.500000  host ← board  {key}  (sent again)",
        "   17.500000  host → board  ACK session=4660 seq=0 ack=1",
        "   18.500000  host ← board  bad-cobs (3 bytes)",
        "# 1 damaged (bad-cobs), 1 damaged (bad-crc), 4 good, 1 sent again; "
        "the last frame is not whole",
    ]


@given(
    st.lists(
        st.builds(
            Portion,
            st.integers(0, 10**9).map(lambda us: us / 1e6),
            st.sampled_from(Way),
            st.binary(min_size=1, max_size=200),
        )
    )
)
def test_what_was_written_comes_back(said: list[Portion]) -> None:
    lines = [FORMAT + "\n"]
    lines += [f"{p.at:.6f} {p.way.value} {p.data.hex()}\n" for p in said]
    assert list(portions(lines, "here")) == said


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = recorded(tmp_path / "line.txt", (">", HELLO), (">", ACK))
    text = path.read_text()
    found = list(portions(text[:-4].splitlines(keepends=True), "here"))
    assert [p.data for p in found] == [HELLO]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty; nothing was recorded"),
        (b"burnturn\n", "is no capture of the table link"),
        (FORMAT.encode() + b"\n1.0 > 00\nnonsense\n", "line 3: is not seconds, > or <, and hex"),
        (FORMAT.encode() + b"\n1.0 = 00\n", "line 2"),
        (FORMAT.encode() + b"\n1.0 > 0\n", "line 2"),
        (FORMAT.encode() + b"\nnow > 00\n", "line 2"),
        (FORMAT.encode() + b"\n1.0 > " + b"00" * 5000 + b"\n", "line 2"),
        (b"\xff\xfe\x00", "is no capture"),
    ],
)
def test_a_file_that_is_no_capture_is_refused_with_its_place(
    tmp_path: Path, content: bytes, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert main(["dump", str(path)]) == 1
    said = capsys.readouterr()
    assert told in said.err
    assert str(path) in said.err
    assert "Traceback" not in said.err


def test_a_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dump", str(tmp_path / "none")]) == 1
    assert "none: cannot be read (No such file" in capsys.readouterr().err


@given(st.binary(max_size=300))
def test_any_file_is_shown_or_refused(content: bytes) -> None:
    lines = (FORMAT.encode() + b"\n" + content).decode("latin-1").splitlines(keepends=True)
    told = ""
    try:
        list(portions(lines, "here"))
    except CaptureError as error:
        told = str(error)
    assert not told or told.startswith("here, line ")


def test_it_is_a_command(tmp_path: Path) -> None:
    path = recorded(tmp_path / "line.txt", (">", HELLO))
    command = [sys.executable, "-m", "tablelink", "dump", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "HELLO" in done.stdout


def test_a_full_disk_ends_the_capture_and_not_the_link() -> None:
    capture = CaptureFile(Path("/dev/full"))
    for _ in range(2000):
        capture.sent(HELLO, 1.0)
    capture.close()
    assert capture.error is not None
