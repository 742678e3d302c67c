"""Journeys of a person at a terminal, each command a process of its own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


def command(folder: Path, *arguments: str) -> list[str]:
    places = ["--data-dir", str(folder / "data"), "--config-dir", str(folder / "config")]
    return [sys.executable, "-m", "commonplace", *arguments, *places]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*arguments: str, piped: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(tmp_path, *arguments), input=piped, capture_output=True, text=True, encoding="utf-8", check=False
        )

    return run


def answer(run: Run, *arguments: str, piped: str = "") -> Any:
    done = run(*arguments, "--json", piped=piped)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_what_is_remembered_is_recalled_has_a_history_and_can_be_forgotten(run: Run) -> None:
    made = answer(run, "remember", "Alice moved from Berlin to Vienna.", "--tag", "people")
    assert made["collection"] == "personal"
    assert answer(run, "recall", "where does Alice live")["hits"][0]["id"] == made["id"]
    events = answer(run, "history", made["id"])
    assert [event["kind"] for event in events] == ["ingest"]
    assert answer(run, "forget", made["id"], "--yes")["versions"] == 1
    assert answer(run, "recall", "Alice")["hits"] == []
    assert answer(run, "history")[0]["kind"] == "forget"


def test_a_text_is_read_from_a_pipe(run: Run) -> None:
    said = "Die Straße führt nach Köln.\nSie ist lang.\n"
    for arguments in (["remember"], ["remember", "-"]):
        done = run(*arguments, piped=said)
        assert (done.returncode, done.stdout.startswith("Remembered in personal: ")) == (0, True)
    assert [hit["text"] for hit in answer(run, "recall", "Köln")["hits"]] == [said.removesuffix("\n")] * 2


def test_a_token_is_shown_once_listed_without_its_secret_and_revoked(run: Run) -> None:
    made = answer(run, "token", "create", "--scopes", "read", "--expires", "90d", "--name", "laptop")
    assert re.fullmatch(r"kmt_[\w-]{43}", made["token"])
    assert made["scopes"] == ["read"]
    [held] = answer(run, "token", "list")
    assert held == {name: value for name, value in made.items() if name != "token"}
    assert answer(run, "token", "revoke", made["id"])["revoked"]
    assert answer(run, "token", "list")[0]["revoked_at"] is not None
    assert run("token", "revoke", made["id"]).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["frobnicate"], 2, "No such command 'frobnicate'. See: "),
        (["recall", "x", "-k", "0"], 2, "Invalid value for '-k': "),
        (["forget", "x"], 2, "This cannot be undone; say --yes"),
        (["undo", "nothing"], 1, "There is no event nothing."),
        (["recall", "x", "--workspace", "nowhere"], 1, "There is no workspace named nowhere; "),
        (["mcp", "--surface", "nowhere"], 2, "Argument --surface: invalid choice: 'nowhere'"),
    ],
)
def test_what_goes_wrong_is_told_in_one_line(run: Run, arguments: list[str], status: int, says: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1


def test_a_traceback_is_shown_when_it_is_asked_for(run: Run) -> None:
    done = run("undo", "nothing", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "NotFound: There is no event nothing." in done.stderr


def test_only_the_first_start_of_the_server_makes_a_token(tmp_path: Path) -> None:
    first, second = greeting(tmp_path), greeting(tmp_path)
    assert re.search(r"Commonplace listens on http://127\.0\.0\.1:\d+; the store is ", first)
    assert len(set(re.findall(r"kmt_[\w-]{43}", first))) == 1
    assert "commonplace key show" in first
    assert "claude mcp add --scope user --transport http commonplace http://127.0.0.1:" in first
    assert "kmt_" not in second
    assert "Commonplace listens on http://127.0.0.1:" in second


def greeting(folder: Path) -> str:
    """All that a server says until it is told to end."""
    serve = command(folder, "serve", "--port", str(free_port()))
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout
        assert server.stderr
        said = ""
        while "Started server" not in said:
            assert server.poll() is None, said
            said += server.stderr.readline()
        server.send_signal(signal.SIGTERM)
        said += server.stderr.read()
        assert (server.wait(), server.stdout.read()) == (0, "")
    return said


def test_remembering_does_not_wait_for_a_web_server_to_be_imported(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from commonplace.cli import cli\n"
        "try:\n    cli()\n"
        "except SystemExit:\n    print([name for name in ('starlette', 'uvicorn') if name in sys.modules])\n"
    )
    arguments = command(tmp_path, "remember", "x")[3:]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals to type on")
def test_a_passphrase_is_asked_for_on_a_terminal_and_locks_the_store(tmp_path: Path, run: Run) -> None:
    run("remember", "Kept.")
    secret = "correct horse"
    asked = [("New passphrase", secret), ("Repeat for confirmation", secret)]
    assert "locked" in typed(command(tmp_path, "key", "passphrase"), asked)
    assert "A passphrase locks this store" in run("recall").stderr
    assert "Kept." in typed(command(tmp_path, "recall"), [("Passphrase", secret)])
    assert "The passphrase is wrong" in typed(command(tmp_path, "recall"), [("Passphrase", "a wrong one")])


def typed(arguments: list[str], answers: list[tuple[str, str]]) -> str:
    """What a command says to someone who answers its questions in this order."""
    keyboard, terminal = os.openpty()
    # In a session of its own, so that it asks on this terminal and not on that of the person who runs the tests.
    with subprocess.Popen(
        arguments, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        assert process.stdout
        said = b""
        for question, answer in answers:
            while not said.endswith(f"{question}: ".encode()):
                read = process.stdout.read(1)
                assert read, said
                said += read
            os.write(keyboard, f"{answer}\n".encode())
        said += process.stdout.read()
    os.close(keyboard)
    os.close(terminal)
    return said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals to type on")
def test_forgetting_asks_on_a_terminal(tmp_path: Path, run: Run) -> None:
    made = answer(run, "remember", "Kept.")
    question = "Erase this for good, with its history? [y/N]"
    typed(command(tmp_path, "forget", made["id"]), [(question, "n")])
    assert answer(run, "recall")["hits"]
    assert "Erased 1 items" in typed(command(tmp_path, "forget", made["id"]), [(question, "y")])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals to type on")
def test_restoring_without_the_key_asks_for_the_recovery_phrase(tmp_path: Path, run: Run) -> None:
    run("remember", "Kept.")
    phrase = answer(run, "key", "show")["recovery_phrase"]
    file = str(tmp_path / "store.backup")
    assert run("backup", file).returncode == 0
    elsewhere = tmp_path / "elsewhere"
    assert "Restored into " in typed(command(elsewhere, "restore", file), [("Recovery phrase", phrase)])
    assert "Kept." in typed(command(elsewhere, "recall"), [])
