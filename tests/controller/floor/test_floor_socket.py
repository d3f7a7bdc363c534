"""The socket itself: permissions, names, strangers, and daemons that are not there."""

import asyncio
import contextlib
import getpass
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.floor import app
from controller.floor.client import operator, say
from controller.floor.commands import Answer, Command, Desk, FloorError
from controller.floor.server import FloorServer
from controller.model.events import ButtonDeclared, SeatRegistered, TableEvent
from controller.model.findings import Progress, Stage


class PaperTable:
    """A table that writes down what it is told."""

    def __init__(self, recording: bool = True) -> None:
        self.told: list[TableEvent] = []
        self.recording = recording

    def desk(self) -> Desk:
        progress = Progress(
            stage=Stage.DEAL, hand=1, button=1, game="holdem", profile="tda", hole_cards=2
        )
        return Desk(seats=9, registry=(), progress=progress, findings=())

    async def tell(self, event: TableEvent) -> bool:
        self.told.append(event)
        return self.recording


def serve(table: PaperTable, path: Path, visit: Callable[[], object], mode: int = 0o600) -> object:
    """Run the server, and `visit` in a thread beside it."""

    async def run() -> object:
        async with FloorServer(path, mode, table, lambda: 1.0):
            return await asyncio.to_thread(visit)

    return asyncio.run(run())


def test_a_command_reaches_the_table_with_the_name_of_who_said_it(tmp_path: Path) -> None:
    table, path = PaperTable(), tmp_path / "floor.sock"
    me = operator()
    serve(table, path, lambda: say(path, Command(do="button", by=me, seat=4)))
    serve(table, path, lambda: say(path, Command(do="button", by="anna", seat=5)))
    assert [e.by for e in table.told if isinstance(e, ButtonDeclared)] == [
        me,
        f"anna (login {getpass.getuser()})",
    ]


@pytest.mark.parametrize("mode", [0o600, 0o660])
def test_the_socket_has_the_stated_permissions_and_goes_with_the_daemon(
    tmp_path: Path, mode: int
) -> None:
    path = tmp_path / "deep" / "floor.sock"
    seen = serve(PaperTable(), path, lambda: stat.S_IMODE(path.stat().st_mode), mode)
    assert seen == mode
    assert not path.exists()


def test_what_cannot_be_recorded_is_not_called_done(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"
    answer = serve(
        PaperTable(recording=False),
        path,
        lambda: say(path, Command(do="button", by="anna", seat=4)),
    )
    assert isinstance(answer, Answer)
    assert not answer.ok
    assert "not recorded" in answer.text


def test_a_socket_left_by_a_power_cut_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert serve(PaperTable(), path, path.is_socket) is True


def test_a_second_daemon_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"

    def second() -> str:
        with pytest.raises(FloorError) as caught:
            serve(PaperTable(), path, lambda: None)
        return str(caught.value)

    assert "another burnturn answers there" in str(serve(PaperTable(), path, second))


def test_a_file_in_the_way_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"
    path.write_text("notes")
    with pytest.raises(FloorError, match="something else"):
        serve(PaperTable(), path, lambda: None)
    assert path.read_text() == "notes"


def test_rubbish_and_endless_lines_do_not_stop_the_table(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"

    def visit() -> Answer:
        for rubbish in (b"\xff\xfe\n", b"x" * 100_000, b"[" * 3000 + b"\n", b""):
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(str(path))
                try:
                    link.sendall(rubbish)
                    link.shutdown(socket.SHUT_WR)
                    link.recv(100)
                except (BrokenPipeError, ConnectionResetError):
                    pass
        return say(path, Command(do="status", by="anna"))

    answer = serve(PaperTable(), path, visit)
    assert isinstance(answer, Answer)
    assert answer.ok


def test_a_hundred_silent_clients_keep_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "floor.sock"

    def visit() -> Answer:
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                link = stack.enter_context(socket.socket(socket.AF_UNIX))
                link.setblocking(False)  # who is kept waiting fails
                link.connect(str(path))
            return say(path, Command(do="status", by="anna"))

    answer = serve(PaperTable(), path, visit)
    assert isinstance(answer, Answer)
    assert answer.ok


def test_no_daemon_is_said_with_its_place_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FloorError, match=r"daemon is not running.*floor\.sock.*burnturn run"):
        say(tmp_path / "floor.sock", Command(do="status", by="anna"))


def test_the_command_line_speaks_for_the_floor(tmp_path: Path) -> None:
    table, path = PaperTable(), tmp_path / "floor.sock"
    runner = CliRunner()

    def command(*words: str) -> tuple[int, str]:
        result = runner.invoke(app, ["--socket", str(path), "--by", "anna", *words])
        return result.exit_code, result.output

    def visit() -> list[tuple[int, str]]:
        return [
            command("seat", "4", "in"),
            command("seat", "44", "in"),
            command("rule", "7", "stands"),
            command("status"),
            command("action", "perhaps"),
        ]

    answers = serve(table, path, visit)
    assert isinstance(answers, list)
    assert answers[0] == (0, "seat 4: out → in\n")
    assert answers[1][0] == 1
    assert "seats 1 to 9" in answers[1][1]
    assert "no finding 7; none is open" in answers[2][1]
    assert "hand 1, deal, holdem" in answers[3][1]
    assert "allowed are yes, no" in answers[4][1]
    assert [type(e) for e in table.told] == [SeatRegistered]
    assert command("status")[0] == 1
