"""knowmind: how it is reached, and what every answer and error looks like."""

import re
from typing import Any

import msgspec
import pytest
from client import Client
from jsonschema import Draft202012Validator
from knowmind_calls import TOOLS, WRITES, client_of, filled, message
from starlette.testclient import TestClient

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import IssueToken
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller
from commonplace.model.errors import (
    CommonplaceError,
    Damaged,
    Invalid,
    Quota,
    RateLimited,
    Unavailable,
    Upstream,
)
from commonplace.model.interval import DAY, Instant
from commonplace.surfaces.dispatch import Perform
from commonplace.surfaces.knowmind import KNOWMIND
from commonplace.surfaces.schema import listing
from support import FakeClock, rows


def failing(error: CommonplaceError) -> Perform:
    def verb(_app: App, _caller: Caller, _request: object) -> object:
        raise error

    return verb


# How it is reached


@pytest.mark.parametrize("path", ["/api/mcp/v1", "/mcp/knowmind"])
def test_one_post_with_a_token_is_answered_without_a_handshake(
    path: str, http: TestClient, sqlite_app: App, person: Caller
) -> None:
    """K-TRN-1"""
    secret = perform(sqlite_app, person, IssueToken()).secret
    call = message("knowmind.stats")
    response = http.post(path, json=call, headers={"Authorization": f"Bearer {secret}"})
    assert (response.status_code, response.json()["result"]["memories"]) == (200, 0)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json, text/event-stream", "application/json"),
        ("text/event-stream", "text/event-stream"),
    ],
)
def test_events_are_sent_only_where_nothing_else_is_accepted(
    accept: str | None, kind: str, http: TestClient, sqlite_app: App, person: Caller
) -> None:
    """K-TRN-2"""
    headers = {"Authorization": f"Bearer {perform(sqlite_app, person, IssueToken()).secret}"}
    if accept is None:
        del http.headers["accept"]
    response = http.post(
        "/api/mcp/v1", json=message("knowmind.health"), headers=headers | ({"Accept": accept} if accept else {})
    )
    assert response.headers["content-type"].startswith(kind)
    body = response.text if kind.endswith("json") else re.findall(r"^data: (.*)$", response.text, re.MULTILINE)[0]
    assert msgspec.json.decode(body)["result"]["status"] == "ok"


def test_the_handshake_tells_how_to_use_the_memory(knowmind: Client) -> None:
    """K-TRN-3"""
    result = knowmind.ask("initialize", {"protocolVersion": "2025-06-18"})["result"]
    assert result["protocolVersion"] == "2025-06-18"
    assert re.search("Recall first.*Answer.*store", result["instructions"], re.DOTALL)


def test_names_have_a_dot_and_are_taken_with_an_underscore_too(knowmind: Client) -> None:
    """K-TRN-4"""
    assert [tool["name"] for tool in knowmind.ask("tools/list")["result"]["tools"]] == list(TOOLS)
    assert knowmind.fields("knowmind_health") == knowmind.fields("knowmind.health")
    for name in ("recall", "health", "knowmind.Recall", "knowmind-recall", "remember"):
        assert knowmind.error(name)["data"]["reason"] == "unknown_tool"


def test_every_token_is_shown_all_ten_tools(sqlite_app: App) -> None:
    """K-TRN-5"""
    assert len(client_of(sqlite_app).ask("tools/list")["result"]["tools"]) == 10


ENDS: dict[str, dict[str, Any]] = {
    "from_id": {"type": "string", "minLength": 1},
    "to_id": {"type": "string", "minLength": 1},
    "rel_type": {
        "type": "string",
        "minLength": 1,
        "maxLength": 64,
        "pattern": "^(?:[A-Z][A-Z0-9]*(_[A-Z0-9]+)*)$",
    },
}
SCHEMAS: dict[str, dict[str, dict[str, Any]]] = {
    "knowmind.recall": {
        "query": {"type": "string", "minLength": 1, "maxLength": 8192},
        "k": {"type": "integer", "default": 5, "minimum": 1, "maximum": 25},
        "hops": {"type": "integer", "default": 2, "minimum": 0, "maximum": 3},
        "tags": {"type": "array", "default": [], "maxItems": 50},
    },
    "knowmind.recall_at_time": {
        "query": {"type": "string", "minLength": 1, "maxLength": 8192},
        "as_of": {"type": "string", "minLength": 1},
        "k": {"type": "integer", "default": 5, "minimum": 1, "maximum": 25},
        "known_at": {"type": "string", "minLength": 1},
    },
    "knowmind.list_relations": {"memory_id": {"type": "string", "minLength": 1}},
    "knowmind.health": {},
    "knowmind.stats": {},
    "knowmind.store_memory": {
        "title": {"type": "string", "minLength": 1, "maxLength": 500},
        "content": {"type": "string", "minLength": 1, "maxLength": 102_400},
        "memory_type": {
            "type": "string",
            "default": "semantic",
            "enum": ["semantic", "episodic", "procedural", "reference"],
        },
        "tags": {"type": "array", "default": [], "maxItems": 50},
        "source": {"type": "string", "minLength": 1, "maxLength": 2_000},
    },
    "knowmind.upload_document": {
        "title": {"type": "string", "minLength": 1, "maxLength": 500},
        "content": {"type": "string", "minLength": 1, "maxLength": 10_485_760},
        "source": {"type": "string", "minLength": 1, "maxLength": 2_000},
    },
    "knowmind.update_fact": {
        "target_id": {"type": "string", "minLength": 1},
        "new_title": {"type": "string", "minLength": 1, "maxLength": 500},
        "new_content": {"type": "string", "minLength": 1, "maxLength": 10_485_760},
        "update_reason": {"type": "string", "minLength": 1, "maxLength": 2_000},
    },
    "knowmind.link": ENDS,
    "knowmind.unlink": ENDS,
}
REQUIRED = {
    "knowmind.recall": ["query"],
    "knowmind.recall_at_time": ["query"],
    "knowmind.list_relations": ["memory_id"],
    "knowmind.store_memory": ["content"],
    "knowmind.upload_document": ["content"],
    "knowmind.update_fact": ["target_id", "new_title", "new_content"],
    "knowmind.link": ["from_id", "to_id", "rel_type"],
    "knowmind.unlink": ["from_id", "to_id", "rel_type"],
}


@pytest.mark.parametrize("listed", listing(KNOWMIND), ids=lambda listed: listed["name"])
def test_a_schema_says_what_the_contract_documents(listed: dict[str, Any]) -> None:
    """K-TRN-5"""
    schema = listed["inputSchema"]
    shown = {
        name: {word: value for word, value in said.items() if word not in {"description", "items"}}
        for name, said in schema["properties"].items()
    }
    assert shown == SCHEMAS[listed["name"]]
    assert schema.get("required", []) == REQUIRED.get(listed["name"], [])
    hints = listed["annotations"]
    assert hints["readOnlyHint"] == (listed["name"] not in WRITES)
    assert hints["destructiveHint"] == (listed["name"] == "knowmind.unlink")


# Answers


DOCUMENTED = {
    "knowmind.recall": ["hits", "elapsed_ms"],
    "knowmind.recall_at_time": ["hits"],
    "knowmind.list_relations": ["outgoing", "incoming"],
    "knowmind.health": ["status", "service", "version"],
    "knowmind.stats": ["memories", "edges", "chunks"],
    "knowmind.store_memory": ["memory_id", "created_at"],
    "knowmind.upload_document": ["document_id", "chunks", "status"],
    "knowmind.update_fact": ["old_memory_id", "new_memory_id", "supersedes_edge"],
    "knowmind.link": ["edge_id", "inverse_edge_id"],
    "knowmind.unlink": ["deleted"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_documented_fields_lead_the_result_and_stand_in_it_three_times(tool: str, knowmind: Client) -> None:
    """K-ENV-1 K-ENV-2"""
    result = filled(knowmind).call(tool, **TOOLS[tool])
    fields = result["structuredContent"]
    assert list(fields)[: len(DOCUMENTED[tool])] == DOCUMENTED[tool]
    assert list(result) == [*fields, "content", "structuredContent", "isError"]
    assert {name: result[name] for name in fields} == fields
    assert [part["type"] for part in result["content"]] == ["text"]
    assert result["content"][0]["text"] == msgspec.json.encode(fields).decode()
    assert result["isError"] is False
    output = next(each for each in listing(KNOWMIND) if each["name"] == tool)["outputSchema"]
    Draft202012Validator(output).validate(fields)


def test_the_whole_answer_to_stats_is_the_documented_one(knowmind: Client) -> None:
    """K-ENV-1"""
    counts = {"memories": 0, "edges": 0, "chunks": 0}
    text = '{"memories":0,"edges":0,"chunks":0}'
    result = {**counts, "content": [{"type": "text", "text": text}], "structuredContent": counts, "isError": False}
    assert knowmind.ask("tools/call", {"name": "knowmind.stats"}) == {"jsonrpc": "2.0", "id": 7, "result": result}


def test_arguments_that_nobody_knows_change_nothing_and_are_named(knowmind: Client) -> None:
    """K-ENV-3"""
    result = knowmind.call("knowmind.recall", query="onboarding", limit=3, colour="red")
    assert result["_meta"] == {"commonplace/ignored_arguments": ["limit", "colour"]}
    assert "_meta" not in knowmind.call("knowmind.recall", query="onboarding")


def test_times_are_whole_seconds_in_utc(knowmind: Client, clock: FakeClock) -> None:
    """K-ENV-4"""
    clock.at = Instant(20_000 * DAY + 42_128_999_999)
    stored = knowmind.fields("knowmind.store_memory", content="Anna owns onboarding.")
    assert stored["created_at"] == "2024-10-04T11:42:08Z"
    hit = knowmind.fields("knowmind.recall_at_time", query="onboarding")["hits"][0]
    assert (hit["valid_from"], hit["valid_to"]) == ("2024-10-04T11:42:08Z", None)


@pytest.mark.parametrize("k", [5, 5.0])
def test_an_integer_may_be_written_with_a_point(k: float, knowmind: Client) -> None:
    """K-ENV-5"""
    assert knowmind.fields("knowmind.recall", query="onboarding", k=k)["hits"] == []


@pytest.mark.parametrize("k", ["5", True, 5.5, [5]])
def test_nothing_else_is_an_integer(k: object, knowmind: Client) -> None:
    """K-ENV-5"""
    error = knowmind.error("knowmind.recall", query="onboarding", k=k)
    assert (error["code"], error["data"]) == (-32602, {"reason": "type", "param": "k"})


# Errors


LONG = "x" * 102_401


@pytest.mark.parametrize(
    ("tool", "arguments", "reason", "param"),
    [
        ("recall", {}, "missing", "query"),
        ("recall", {"query": ""}, "empty", "query"),
        ("recall", {"query": " \n\t"}, "empty", "query"),
        ("recall", {"query": 5}, "type", "query"),
        ("recall", {"query": "ä" * 4_097}, "too_large", "query"),
        ("recall", {"query": "x", "k": 0}, "range", "k"),
        ("recall", {"query": "x", "k": 26}, "range", "k"),
        ("recall", {"query": "x", "hops": -1}, "range", "hops"),
        ("recall", {"query": "x", "hops": 4}, "range", "hops"),
        ("recall", {"query": "x", "tags": "qm"}, "type", "tags"),
        ("recall_at_time", {}, "missing", "query"),
        ("recall_at_time", {"query": "x", "as_of": "14 March"}, "format", "as_of"),
        ("recall_at_time", {"query": "x", "as_of": "2026-13-01"}, "format", "as_of"),
        ("recall_at_time", {"query": "x", "as_of": 1_750_000_000}, "type", "as_of"),
        ("recall_at_time", {"query": "x", "k": 26}, "range", "k"),
        ("recall_at_time", {"query": "x", "known_at": "then"}, "format", "known_at"),
        ("list_relations", {}, "missing", "memory_id"),
        ("store_memory", {}, "missing", "content"),
        ("store_memory", {"content": None}, "missing", "content"),
        ("store_memory", {"content": " "}, "empty", "content"),
        ("store_memory", {"content": LONG}, "too_large", "content"),
        ("store_memory", {"content": "x", "memory_type": "fact"}, "enum", "memory_type"),
        ("store_memory", {"content": "x", "title": "x" * 501}, "too_large", "title"),
        ("store_memory", {"content": "x", "source": "x" * 2_001}, "too_large", "source"),
        ("store_memory", {"content": "x", "tags": ["x"] * 51}, "range", "tags"),
        ("store_memory", {"content": "x", "tags": ["x" * 101]}, "too_large", "tags"),
        ("store_memory", {"content": "x", "tags": [""]}, "empty", "tags"),
        ("store_memory", {"content": "x", "tags": [1]}, "type", "tags"),
        ("upload_document", {}, "missing", "content"),
        ("upload_document", {"content": "\n"}, "empty", "content"),
        ("upload_document", {"content": "x", "title": "x" * 501}, "too_large", "title"),
        ("update_fact", {"new_title": "x", "new_content": "x"}, "missing", "target_id"),
        ("update_fact", {"target_id": "x", "new_content": "x"}, "missing", "new_title"),
        ("update_fact", {"target_id": "x", "new_title": "x"}, "missing", "new_content"),
        ("update_fact", {"target_id": "x", "new_title": " ", "new_content": "x"}, "empty", "new_title"),
        ("update_fact", {"target_id": "x", "new_title": "x", "new_content": " "}, "empty", "new_content"),
        ("link", {"to_id": "x", "rel_type": "OWNS"}, "missing", "from_id"),
        ("link", {"from_id": "x", "rel_type": "OWNS"}, "missing", "to_id"),
        ("link", {"from_id": "x", "to_id": "x"}, "missing", "rel_type"),
        ("link", {"from_id": "x", "to_id": "x", "rel_type": "owns"}, "format", "rel_type"),
        ("link", {"from_id": "x", "to_id": "x", "rel_type": "OWNS_"}, "format", "rel_type"),
        ("link", {"from_id": "x", "to_id": "x", "rel_type": "O" * 65}, "too_large", "rel_type"),
        ("unlink", {"from_id": "x", "to_id": "x"}, "missing", "rel_type"),
    ],
)
def test_wrong_parameters_are_named(
    tool: str, arguments: dict[str, Any], reason: str, param: str, knowmind: Client
) -> None:
    """K-ERR-1 K-ERR-3"""
    error = knowmind.error(f"knowmind.{tool}", **arguments)
    assert error["code"] == -32602
    assert (error["data"]["reason"], error["data"]["param"]) == (reason, param)
    assert error["message"].startswith(f"Invalid params: {param}")


def test_what_lies_on_a_limit_is_taken(knowmind: Client) -> None:
    """K-ERR-3"""
    for tool, arguments in (
        ("recall", {"query": "ä" * 4_096, "k": 25, "hops": 3}),
        ("recall", {"query": "x", "k": 1, "hops": 0}),
        ("store_memory", {"content": LONG[1:], "title": "x" * 500, "source": "x" * 2_000, "tags": ["x" * 100] * 50}),
        ("recall_at_time", {"query": "x", "as_of": "2026-03-14"}),
    ):
        assert knowmind.call(f"knowmind.{tool}", **arguments)["isError"] is False


def test_a_memory_that_is_too_long_is_sent_to_the_other_tool(knowmind: Client) -> None:
    """K-ERR-1"""
    error = knowmind.error("knowmind.store_memory", content=LONG)
    assert "knowmind.upload_document" in error["message"]
    assert (error["data"]["size_bytes"], error["data"]["limit_bytes"]) == (102_401, 102_400)


def test_a_document_that_is_too_large_is_413_inside_of_http_200(knowmind: Client) -> None:
    """K-ERR-1"""
    reply = knowmind.send(
        "tools/call", {"name": "knowmind.upload_document", "arguments": {"content": "x" * 10_485_761}}
    )
    assert (reply.status, reply.body["error"]["code"]) == (200, 413)
    assert reply.body["error"]["message"] == "Content too large: 10485761 bytes, at most 10485760"
    assert (
        reply.body["error"]["data"].items()
        >= {
            "status": 413,
            "reason": "too_large",
            "size_bytes": 10_485_761,
            "limit_bytes": 10_485_760,
        }.items()
    )


def test_an_unknown_id_is_404_and_named(knowmind: Client) -> None:
    """K-ERR-1 K-ERR-5"""
    reply = knowmind.send("tools/call", {"name": "knowmind.list_relations", "arguments": {"memory_id": "memory_x"}})
    assert reply.status == 200
    assert reply.body["error"] == {
        "code": 404,
        "message": "Memory not found: memory_x",
        "data": {"status": 404, "reason": "not_found", "id": "memory_x"},
    }


@pytest.mark.parametrize(
    ("error", "code", "status", "message", "data"),
    [
        (
            Upstream(provider="embed.example"),
            -32000,
            200,
            "Provider error: embed.example",
            {"provider": "embed.example"},
        ),
        (
            Unavailable("Locked."),
            503,
            503,
            "Service unavailable: store",
            {"reason": "unavailable", "component": "store"},
        ),
        (Damaged("Broken."), 503, 503, "Service unavailable: store", {"reason": "unavailable", "component": "store"}),
        (RateLimited(retry_after_s=7), 429, 429, "Rate limit exceeded, retry in 7 s", {"retry_after_sec": 7}),
        (Quota("Plan limit reached: 100 memories on private"), 402, 200, "Plan limit reached: ", {"status": 402}),
        (Invalid("It cannot be.", reason="range"), -32602, 200, "Invalid params: It cannot be.", {"reason": "range"}),
    ],
)
def test_each_kind_of_error_has_its_code_and_its_place(
    error: CommonplaceError, code: int, status: int, message: str, data: dict[str, Any], sqlite_app: App
) -> None:
    """K-ERR-1 K-ERR-4"""
    client = Client(sqlite_app, KNOWMIND, local_caller(sqlite_app, human=False), failing(error))
    reply = client.send("tools/call", {"name": "knowmind.recall", "arguments": {"query": "x"}})
    shown = reply.body["error"]
    assert (shown["code"], reply.status) == (code, status)
    assert shown["message"].startswith(message)
    assert shown["data"].items() >= data.items()
    assert reply.headers == ({"Retry-After": "7"} if status == 429 else {})


def test_a_bug_tells_nothing_but_where_to_look(sqlite_app: App) -> None:
    """K-ERR-1"""

    def stumble(_app: App, _caller: Caller, _request: object) -> object:
        raise KeyError("secret")

    error = Client(sqlite_app, KNOWMIND, local_caller(sqlite_app, human=False), stumble).error("knowmind.stats")
    assert (error["code"], error["message"], set(error["data"])) == (-32603, "Internal error", {"reason", "trace"})


def test_the_tool_is_looked_at_before_the_scope_and_that_before_the_parameters(sqlite_app: App) -> None:
    """K-ERR-2"""
    nobody = client_of(sqlite_app)
    assert nobody.error("knowmind.remember")["data"]["reason"] == "unknown_tool"
    assert nobody.error("knowmind.recall")["code"] == 403
    assert nobody.error("knowmind.store_memory", content="")["code"] == 403


def test_parameters_come_before_the_plan_and_existence_before_the_registry(sqlite_app: App, knowmind: Client) -> None:
    """K-ERR-2"""
    set_workspace(sqlite_app, "default", plan="private")
    for number in range(100):
        knowmind.call("knowmind.store_memory", content=f"Number {number}", title=f"N{number}")
    assert knowmind.error("knowmind.store_memory", content="")["code"] == -32602
    assert knowmind.error("knowmind.store_memory", content="x")["code"] == 402
    unknown = {"from_id": "memory_n1_2024_10", "to_id": "memory_x", "rel_type": "NO_SUCH_TYPE"}
    assert knowmind.error("knowmind.link", **unknown)["code"] == 404
    assert knowmind.error("knowmind.link", **{**unknown, "to_id": "memory_n2_2024_10"})["code"] == 400


def test_an_error_leaves_the_store_as_it_was(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-ERR-6"""
    tables = ("item", "version", "chunk", "relation", "event", "slug")
    filled(knowmind)
    before = {table: rows(sqlite_app, person, table) for table in tables}
    knowmind.error("knowmind.update_fact", target_id="memory_x", new_title="x", new_content="x")
    knowmind.error("knowmind.update_fact", target_id="memory_a_2024_10", new_title="x", new_content=LONG)
    knowmind.error("knowmind.link", from_id="memory_a_2024_10", to_id="memory_a_2024_10", rel_type="OWNS")
    knowmind.error("knowmind.unlink", from_id="memory_a_2024_10", to_id="memory_b_2024_10", rel_type="USES")
    assert {table: rows(sqlite_app, person, table) for table in tables} == before
