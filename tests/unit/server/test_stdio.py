import signal
import subprocess
import sys
from io import BytesIO

import msgspec
import pytest

from commonplace.model.access import Caller
from commonplace.model.answer import Recalled
from commonplace.server import stdio
from commonplace.server.protocol import Peer
from commonplace.surfaces.native import NATIVE

PEER = Peer(NATIVE, None, Caller("w", "tester"), lambda *_: None)  # type: ignore[arg-type]
PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":%d,"result":{}}\n'

SERVER = """
from commonplace.server.stdout import claim_stdout

sink = claim_stdout()

import os
from commonplace.model.access import Caller
from commonplace.model.answer import Recalled
from commonplace.server.protocol import Peer
from commonplace.server.stdio import serve_stdio
from commonplace.surfaces.native import NATIVE

print("from Python")
os.write(1, b"from a library")
serve_stdio(Peer(NATIVE, None, Caller("w", "tester"), print), sink)
"""


def conversation(data: bytes) -> bytes:
    sink = BytesIO()
    stdio.converse(PEER, BytesIO(data), sink)
    return sink.getvalue()


def start() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", SERVER], stdin=pipe, stdout=pipe, stderr=pipe)


def test_each_line_is_answered_by_a_line_in_order() -> None:
    assert conversation(PING % 1 + b"\r\n  \n" + PING % 2) == PONG % 1 + PONG % 2


def test_a_notification_leaves_no_line() -> None:
    assert conversation(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n') == b""


def test_the_last_line_needs_no_end() -> None:
    assert conversation((PING % 1).rstrip()) == PONG % 1


def test_an_answer_is_utf_8_whatever_the_machine_speaks() -> None:
    call = '{"jsonrpc":"2.0","id":1,"method":"Übung"}\n'.encode()
    assert "method not found: Übung" in conversation(call).decode("utf-8")


def test_an_unreadable_line_does_not_end_the_conversation() -> None:
    first, second = conversation(b"{oops\n" + PING % 2).splitlines(keepends=True)
    assert (msgspec.json.decode(first)["error"]["code"], second) == (-32700, PONG % 2)


def test_a_line_over_the_limit_is_refused_and_read_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MESSAGE_BYTES_MAX", 64)
    first, second = conversation(b"x" * 200_000 + b"\n" + PING % 2).splitlines(keepends=True)
    assert (msgspec.json.decode(first)["error"]["code"], second) == (-32700, PONG % 2)


def test_a_line_of_exactly_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MESSAGE_BYTES_MAX", len(PING % 1) - 1)
    assert conversation(PING % 1) == PONG % 1


@pytest.mark.slow
def test_only_json_rpc_reaches_standard_output_and_the_end_of_input_ends_the_server() -> None:
    with start() as server:
        out, err = server.communicate(PING % 1)
    assert (out, server.returncode) == (PONG % 1, 0)
    assert b"from Python" in err
    assert b"from a library" in err


@pytest.mark.slow
def test_sigterm_ends_the_server_cleanly() -> None:
    with start() as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(PING % 1)
        server.stdin.flush()
        assert server.stdout.readline() == PONG % 1
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 0


@pytest.mark.slow
def test_starting_on_stdio_loads_neither_the_web_nor_numpy() -> None:
    code = "import sys, commonplace.surfaces, commonplace.server.stdio; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"starlette", "uvicorn", "anyio", "asyncio", "numpy", "httpx2"} & set(loaded)


def framed(body: bytes, ending: bytes = b"\r\n\r\n") -> bytes:
    return b"Content-Length: %d" % len(body) + ending + body


@pytest.mark.parametrize("ending", [b"\r\n\r\n", b"\n\n", b"\r\nContent-Type: application/json\r\n\r\n"])
def test_a_message_behind_its_length_is_answered_behind_its_length(ending: bytes) -> None:
    assert conversation(framed(PING % 7, ending)) == framed((PONG % 7).rstrip())


def test_both_framings_may_alternate() -> None:
    """KR-TRN-1"""
    said = conversation(PING % 1 + framed(PING % 2) + PING % 3)
    assert said == PONG % 1 + framed((PONG % 2).rstrip()) + PONG % 3


def test_a_wrong_length_is_a_fault_and_the_stream_goes_on() -> None:
    said = conversation(b"Content-Length: many\r\n\r\n" + PING % 1)
    assert b"-32700" in said
    assert said.endswith(PONG % 1)


def test_a_frame_over_the_limit_is_refused_and_read_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MESSAGE_BYTES_MAX", 64)
    said = conversation(framed(b"x" * 200_000) + PING % 2)
    assert b"-32700" in said
    assert said.endswith(PONG % 2)


def test_who_the_client_is_stands_in_what_it_writes() -> None:
    asked: list[Caller] = []

    def note(_app: object, caller: Caller, _request: object) -> Recalled:
        asked.append(caller)
        return Recalled((), 0, truncated=False, elapsed_ms=0)

    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"editor","version":"1"}}}\n'
    call = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{}}}\n'
    peer = Peer(NATIVE, None, Caller("w", "tester"), note)  # type: ignore[arg-type]
    stdio.converse(peer, BytesIO(call + hello + call), BytesIO())
    assert [caller.client for caller in asked] == [None, "editor"]
