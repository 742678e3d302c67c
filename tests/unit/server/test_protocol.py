from typing import Any

import msgspec
import pytest

from commonplace import __version__
from commonplace.model.access import Caller
from commonplace.model.answer import Recalled
from commonplace.server.era import LEGACY_VERSIONS
from commonplace.server.protocol import Peer, answer
from commonplace.surfaces.native import NATIVE

NOTHING_FOUND = Recalled((), 0, truncated=False, elapsed_ms=1)


def find_nothing(_app: object, _caller: Caller, _request: object) -> object:
    return NOTHING_FOUND


PEER = Peer(NATIVE, None, Caller("w", "tester"), find_nothing)  # type: ignore[arg-type]


def send(message: object) -> Any:
    """What comes back on the wire, read again."""
    reply = answer(PEER, message if isinstance(message, bytes) else msgspec.json.encode(message))
    return None if reply is None else msgspec.json.decode(reply.encode())


def request(method: str, **params: Any) -> Any:
    return send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


@pytest.mark.parametrize("version", LEGACY_VERSIONS)
def test_initialize_echoes_a_version_we_know(version: str) -> None:
    result = request("initialize", protocolVersion=version, capabilities={})["result"]
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}
    assert result["serverInfo"] == {"name": "commonplace", "title": "Commonplace", "version": __version__}
    assert result["instructions"] == NATIVE.instructions


@pytest.mark.parametrize("version", ["2026-07-28", "1.0", None, ["2025-11-25"]])
def test_initialize_answers_any_other_version_with_the_newest_of_the_handshake(version: object) -> None:
    assert request("initialize", protocolVersion=version)["result"]["protocolVersion"] == "2025-11-25"


def test_ping_is_answered_with_nothing() -> None:
    assert request("ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_the_tools_are_listed_without_a_handshake() -> None:
    assert [tool["name"] for tool in request("tools/list")["result"]["tools"]] == [tool.name for tool in NATIVE.tools]


def test_a_tool_is_called_without_a_handshake() -> None:
    result = request("tools/call", name="recall", arguments={"query": "anything"})["result"]
    assert result["structuredContent"]["hits"] == []
    assert msgspec.json.decode(result["content"][0]["text"]) == result["structuredContent"]
    assert result["isError"] is False


def test_arguments_may_be_left_out_or_null() -> None:
    assert request("tools/call", name="recall")["result"]["isError"] is False
    assert request("tools/call", name="recall", arguments=None)["result"]["isError"] is False


def test_a_wrong_argument_is_a_tool_error_and_an_unknown_tool_a_protocol_error() -> None:
    assert request("tools/call", name="recall", arguments={"k": 0})["result"]["isError"] is True
    assert request("tools/call", name="dream")["error"]["code"] == -32602
    assert request("tools/call", name=["recall"])["error"]["code"] == -32602


def test_an_id_comes_back_as_it_was_sent() -> None:
    for identifier in ("a", 0, 7, 1.5, 10**30):
        assert send({"jsonrpc": "2.0", "id": identifier, "method": "ping"})["id"] == identifier


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    ],
)
def test_notifications_and_responses_are_never_answered(message: object) -> None:
    assert send(message) is None


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"a":"\xff"}', b'{"a":1e999}', b"[" * 100_000])
def test_what_is_no_json_is_a_parse_error_without_an_id(data: bytes) -> None:
    reply = send(data)
    assert (reply["id"], reply["error"]["code"]) == (None, -32700)


@pytest.mark.parametrize(
    "message",
    [
        5,
        None,
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
    ],
)
def test_what_is_no_request_is_an_invalid_request(message: object) -> None:
    reply = send(message)
    assert (reply["id"], reply["error"]["code"]) == (None, -32600)


def test_an_unknown_method_is_named() -> None:
    assert request("tools/dream")["error"] == {"code": -32601, "message": "method not found: tools/dream"}


def test_params_by_position_are_refused() -> None:
    reply = send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []})
    assert reply["error"]["code"] == -32602
