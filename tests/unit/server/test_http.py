from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Recalled
from commonplace.model.errors import RateLimited, Unauthenticated, Unavailable
from commonplace.server.http import application

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
BEARER = {"Authorization": "Bearer good"}


@dataclass(frozen=True)
class Settings:
    hosts: tuple[str, ...] = ("memory.example",)
    public_url: str = "https://public.example/memory"
    body_bytes_max: int = 1_000
    workers_max: int = 2
    conformance: int = 0


def know(_app: object, secret: str, surface: str) -> Caller:
    """The caller of the one good token."""
    if secret == "locked":
        raise Unavailable("The store is locked.")
    if secret != "good":
        raise Unauthenticated(reason="invalid_token")
    return Caller("w", "tester", scopes=frozenset({Scope.READ}), surface=surface)


def find(_app: object, caller: Caller, request: Any) -> Recalled:
    if request.text == "often":
        raise RateLimited("Too many calls.", retry_after_s=7)
    assert caller.surface == "native"
    return Recalled((), 0, truncated=False, elapsed_ms=1)


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = application(None, Settings(), know, find)  # type: ignore[arg-type]
    with TestClient(app, base_url="http://127.0.0.1:8642") as client:
        yield client


def recall(**arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "recall", "arguments": arguments}}


def test_one_bare_call_with_a_token_is_answered(client: TestClient) -> None:
    response = client.post("/mcp", json=recall(query="x"), headers=BEARER)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["result"]["structuredContent"]["hits"] == []


def test_a_notification_is_accepted_without_a_body(client: TestClient) -> None:
    response = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=BEARER)
    assert (response.status_code, response.content) == (202, b"")


def test_an_unreadable_body_is_a_json_rpc_error_and_no_http_error(client: TestClient) -> None:
    response = client.post("/mcp", content=b"{", headers=BEARER)
    assert (response.status_code, response.json()["error"]["code"]) == (200, -32700)


METADATA = 'resource_metadata="https://public.example/memory/.well-known/oauth-protected-resource/mcp"'


@pytest.mark.parametrize("header", [{}, {"Authorization": "Basic good"}, {"Authorization": "Bearer "}])
def test_without_a_token_the_answer_asks_for_one(client: TestClient, header: dict[str, str]) -> None:
    response = client.post("/mcp", json=PING, headers=header)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, f"Bearer {METADATA}")
    assert response.json()["error"]["data"] == {"reason": "missing_bearer_token"}


def test_a_token_that_is_not_valid_is_refused(client: TestClient) -> None:
    response = client.post("/mcp", json=PING, headers={"Authorization": "bearer bad"})
    assert (response.status_code, response.headers["www-authenticate"]) == (
        401,
        f'Bearer error="invalid_token", {METADATA}',
    )
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": 401, "message": Unauthenticated.__doc__, "data": {"reason": "invalid_token"}},
    }


def test_a_store_that_cannot_be_used_is_unavailable(client: TestClient) -> None:
    response = client.post("/mcp", json=PING, headers={"Authorization": "Bearer locked"})
    assert (response.status_code, response.json()["error"]["message"]) == (503, "The store is locked.")


def test_the_status_and_headers_of_an_error_reach_http(client: TestClient) -> None:
    response = client.post("/mcp", json=recall(query="often"), headers=BEARER)
    assert (response.status_code, response.headers["retry-after"], response.json()["id"]) == (429, "7", 9)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:8642", "MEMORY.example", "public.example"])
def test_names_that_are_ours_are_served(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).json() == {"status": "ok"}


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "[", "memory.example@evil.example"])
def test_a_foreign_host_is_refused_before_anything_else(client: TestClient, host: str) -> None:
    response = client.post("/mcp", content=b"x" * 2_000, headers={"Host": host})
    assert (response.status_code, response.json()["error"]["code"]) == (403, 403)


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://localhost:3000", 200), ("https://public.example", 200), ("https://evil.example", 403), ("null", 403)],
)
def test_a_page_may_call_only_from_our_own_origins(client: TestClient, origin: str, status: int) -> None:
    assert client.post("/mcp", json=PING, headers={**BEARER, "Origin": origin}).status_code == status


def test_an_announced_body_over_the_cap_is_refused_before_the_token_is_looked_at(client: TestClient) -> None:
    response = client.post("/mcp", content=b"x" * 1_001)
    assert (response.status_code, response.json()["error"]["code"]) == (413, 413)
    assert response.headers["connection"] == "close"


def test_a_body_of_no_announced_length_is_read_no_further_than_the_cap(client: TestClient) -> None:
    response = client.post("/mcp", content=(b"x" * 600 for _ in range(3)), headers=BEARER)
    assert (response.status_code, response.json()["error"]["code"]) == (413, 413)


def test_a_body_of_exactly_the_cap_is_read(client: TestClient) -> None:
    assert client.post("/mcp", content=b" " * 1_000, headers=BEARER).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_only_post_is_allowed(client: TestClient, method: str) -> None:
    response = client.request(method, "/mcp", headers=BEARER)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_an_unknown_path_is_answered_as_json(client: TestClient) -> None:
    response = client.get("/nowhere")
    assert (response.status_code, response.json()["error"]["code"]) == (404, 404)


def test_a_client_that_goes_away_while_it_sends_is_no_fault(client: TestClient) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers, "query_string": b""}
    anyio.run(client.app, scope, receive, send)
    assert sent[0]["status"] == 400


def test_a_client_can_read_how_to_come_in(client: TestClient) -> None:
    told = client.get("/.well-known/oauth-protected-resource/mcp").json()
    assert told["resource"] == "https://public.example/memory/mcp"
    assert told["bearer_methods_supported"] == ["header"]
    assert client.get("/.well-known/oauth-protected-resource").json()["resource"] == "https://public.example/memory"
    assert client.get("/.well-known/oauth-protected-resource/nothing").status_code == 404


def test_events_go_only_to_those_who_accept_nothing_else(client: TestClient) -> None:
    bearer = {"Authorization": "Bearer good"}
    both = client.post("/mcp", json=PING, headers={**bearer, "Accept": "application/json, text/event-stream"})
    events = client.post("/mcp", json=PING, headers={**bearer, "Accept": "text/event-stream"})
    assert both.headers["content-type"] == "application/json"
    assert events.headers["content-type"].startswith("text/event-stream")
    assert events.text == f"event: message\ndata: {both.text}\n\n"


def test_the_fixtures_of_the_protocol_are_served_to_anyone_where_they_are_asked_for(client: TestClient) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "test_simple_text"}}
    assert client.post("/mcp/conformance", json=call).status_code == 404
    with TestClient(application(None, Settings(conformance=1)), base_url="http://127.0.0.1") as served:  # type: ignore[arg-type]
        result = served.post("/mcp/conformance", json=call).json()["result"]
        assert result["content"] == [{"type": "text", "text": "This is a simple text response for testing."}]
        assert served.post("/mcp", json=PING).status_code == 401
