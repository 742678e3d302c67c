import base64
from typing import Any

import msgspec
import pytest

from commonplace.model.access import Caller
from commonplace.model.answer import Recalled
from commonplace.server.era import MODERN, SUPPORTED
from commonplace.server.protocol import Peer, Reply, answer
from commonplace.surfaces.native import NATIVE

PEER = Peer(NATIVE, None, Caller("w", "tester"), lambda *_: Recalled((), 0, truncated=False, elapsed_ms=1))  # type: ignore[arg-type]
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
HEADERS = {"mcp-protocol-version": MODERN}


def send(method: str, headers: dict[str, str] | None, meta: dict[str, Any] | None = META, **params: Any) -> Reply:
    body = {**params, "_meta": meta} if meta is not None else params
    reply = answer(PEER, msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": body}), headers)
    assert reply is not None
    return reply


def test_discovery_says_which_versions_are_served() -> None:
    result = send("server/discover", HEADERS | {"mcp-method": "server/discover"}).body["result"]
    assert result["supportedVersions"] == list(SUPPORTED)
    assert result["resultType"] == "complete"
    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "private")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "commonplace"


def test_a_stateless_call_is_complete_and_a_legacy_one_says_nothing_of_it() -> None:
    call = {"name": "recall", "arguments": {"query": "anything"}}
    modern = send("tools/call", HEADERS | {"mcp-method": "tools/call", "mcp-name": "recall"}, **call).body["result"]
    legacy = send("tools/call", {}, None, **call).body["result"]
    assert modern["resultType"] == "complete"
    assert "ttlMs" not in modern
    assert {key: value for key, value in modern.items() if key not in {"resultType", "_meta"}} == legacy


def test_on_stdio_no_headers_are_asked_for() -> None:
    assert "tools" in send("tools/list", None).body["result"]


def test_a_name_that_no_header_may_hold_comes_in_base64() -> None:
    name = "mémoire"
    encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    reply = send("tools/call", HEADERS | {"mcp-method": "tools/call", "mcp-name": encoded}, name=name)
    assert reply.body["error"]["code"] == -32602


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"mcp-protocol-version": "2025-11-25", "mcp-method": "tools/call", "mcp-name": "recall"},
        {"mcp-protocol-version": MODERN, "mcp-name": "recall"},
        {"mcp-protocol-version": MODERN, "mcp-method": "tools/list", "mcp-name": "recall"},
        {"mcp-protocol-version": MODERN, "mcp-method": "tools/call"},
        {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "remember"},
        {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "=?base64?%?="},
    ],
)
def test_headers_that_do_not_repeat_the_body_are_refused(headers: dict[str, str]) -> None:
    reply = send("tools/call", headers, name="recall")
    assert (reply.status, reply.body["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize("meta", [None, {}, {"io.modelcontextprotocol/clientCapabilities": {}}])
def test_a_stateless_request_says_its_version_in_the_body_too(meta: dict[str, Any] | None) -> None:
    reply = send("tools/list", HEADERS | {"mcp-method": "tools/list"}, meta)
    assert (reply.status, reply.body["error"]["code"]) == (400, -32602)


def test_blanks_around_a_header_are_not_part_of_it() -> None:
    headers = {"mcp-protocol-version": f" {MODERN}", "mcp-method": "tools/call\t", "mcp-name": "  recall  "}
    assert "result" in send("tools/call", headers, name="recall").body


@pytest.mark.parametrize("version", ["1900-01-01", "2025-11-25", "newest"])
def test_a_version_that_is_not_served_names_those_that_are(version: str) -> None:
    meta = META | {"io.modelcontextprotocol/protocolVersion": version}
    reply = send("tools/list", {"mcp-protocol-version": version}, meta)
    assert reply.status == 400
    assert reply.body["error"]["code"] == -32022
    assert reply.body["error"]["data"] == {"supported": list(SUPPORTED), "requested": version}


def test_an_unknown_version_in_the_header_alone_is_refused() -> None:
    assert send("tools/list", {"mcp-protocol-version": "1900-01-01"}, None).body["error"]["code"] == -32022


def test_capabilities_are_part_of_every_stateless_request() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN}
    reply = send("tools/list", HEADERS | {"mcp-method": "tools/list"}, meta)
    assert (reply.status, reply.body["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize("method", ["initialize", "ping", "dreams/list"])
def test_what_the_stateless_era_does_not_have_is_not_found(method: str) -> None:
    reply = send(method, HEADERS | {"mcp-method": method})
    assert (reply.status, reply.body["error"]["code"]) == (404, -32601)
