"""knowmind's REST routes over HTTP."""

from typing import Any

import pytest
from rest_calls import Web, serving
from starlette.testclient import TestClient

from commonplace.core.app import App
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Recalled
from commonplace.model.errors import Quota, RateLimited, Unavailable, Upstream
from commonplace.model.interval import DAY
from support import FakeClock

MEMORY = "/api/v1/memory"
ENTRIES = f"{MEMORY}/entries"
ANNA = "memory_anna_2024_10"


@pytest.fixture
def web(http: TestClient, sqlite_app: App) -> Web:
    """The token of a client that writes."""
    return Web(http, sqlite_app)


def add(web: Web, title: str, content: str = "Something to keep.", **more: Any) -> str:
    """The id of a new memory."""
    added: str = web.post(ENTRIES, 201, title=title, content=content, **more)["memory_id"]
    return added


def test_health_needs_no_token_and_tells_the_level(http: TestClient) -> None:
    """K-HEA-1"""
    response = http.get("/api/health")
    assert response.status_code == 200
    told = response.json()
    assert [told[name] for name in ("status", "service", "version")] == ["ok", "memory", "0.3.0"]


def test_health_is_503_when_the_store_does_not_answer(sqlite_app: App) -> None:
    """K-HEA-2"""

    def locked(_app: App, _caller: Caller, _request: object) -> object:
        raise Unavailable("Another process has held the store for a minute; try again.")

    response = serving(sqlite_app, locked).get("/api/health")
    assert (response.status_code, response.json()["component"]) == (503, "store")


def test_a_memory_is_stored_read_and_recalled(web: Web) -> None:
    """K-STO-1 K-REC-4"""
    stored = web.post(ENTRIES, 201, title="Anna", content="Anna owns onboarding.", tags=["client"], source="mail")
    assert stored == {"memory_id": ANNA, "created_at": "2024-10-04T00:00:00Z"}
    assert web.get(f"{ENTRIES}/{ANNA}") == {
        "memory_id": ANNA,
        "title": "Anna",
        "content": "Anna owns onboarding.",
        "memory_type": "semantic",
        "tags": ["client"],
        "source": "mail",
        "valid_from": "2024-10-04T00:00:00Z",
        "valid_to": None,
        "created_at": "2024-10-04T00:00:00Z",
    }
    (hit,) = web.post(f"{MEMORY}/recall", query="onboarding", k=3)["hits"]
    assert (hit["memory_id"], hit["source"]) == (ANNA, "mail")


@pytest.mark.parametrize(("given", "hops"), [({}, 2), ({"hops": 3}, 3), ({"hops": 3, "use_graph": False}, 0)])
def test_without_the_graph_no_relation_is_followed(sqlite_app: App, given: dict[str, Any], hops: int) -> None:
    """K-REC-2"""
    asked: list[Any] = []

    def listen(_app: App, _caller: Caller, request: object) -> Recalled:
        asked.append(request)
        return Recalled((), 0, truncated=False, elapsed_ms=1)

    Web(serving(sqlite_app, listen), sqlite_app).post(f"{MEMORY}/recall", query="x", **given)
    assert [request.hops for request in asked] == [hops]


def test_an_update_makes_a_version_and_the_past_is_still_found(web: Web, clock: FakeClock) -> None:
    """K-UPD-1 K-RAT-1"""
    add(web, "Anna", "Anna owns onboarding.")
    clock.advance(DAY)
    changed = web.ask(
        "PUT", f"{ENTRIES}/{ANNA}", body={"new_title": "Anna", "new_content": "Anna left.", "update_reason": "news"}
    )
    assert (changed["old_memory_id"], changed["new_memory_id"]) == (ANNA, f"{ANNA}_v2")
    assert web.get(f"{ENTRIES}/{ANNA}")["valid_to"] == "2024-10-05T00:00:00Z"
    (hit,) = web.post(f"{MEMORY}/recall-at-time", query="Anna", as_of="2024-10-04T12:00:00Z")["hits"]
    assert hit["content"] == "Anna owns onboarding."


def test_a_document_is_cut_and_a_larger_one_is_refused(web: Web) -> None:
    """K-DOC-1 K-ERR-1"""
    done = web.post(f"{MEMORY}/documents", 201, title="Handbook", content="# One\n\nA.\n\n# Two\n\nB.")
    assert (done["status"], done["chunks"]) == ("indexed", 2)
    too_much = "x" * 102_401
    refused = web.post(ENTRIES, 400, content=too_much)
    assert (refused["error"], refused["limit_bytes"]) == ("too_large", 102_400)


def test_relations_are_made_listed_and_ended(web: Web) -> None:
    """K-LNK-1 K-LST-2 K-UNL-1"""
    ends = {"from_id": add(web, "Anna"), "to_id": add(web, "Flow"), "rel_type": "OWNS"}
    made = web.post(f"{MEMORY}/relations", **ends)
    assert set(made) == {"edge_id", "inverse_edge_id"}
    listed = web.get(f"{ENTRIES}/{ANNA}/relations")
    assert [(row["rel_type"], row["to"]) for row in listed["outgoing"]] == [("OWNS", ends["to_id"])]
    assert web.ask("DELETE", f"{MEMORY}/relations", body=ends) == {"deleted": True}
    assert web.ask("DELETE", f"{MEMORY}/relations", 404, body=ends)["error"] == "not_found"
    assert web.get(f"{MEMORY}/stats") == {"memories": 2, "edges": 0, "chunks": 2}


def test_the_registry_is_exported_as_json_and_as_shapes(web: Web) -> None:
    """K-EDG-1 K-EDG-2"""
    add(web, "Müller", tags=["type:Sponsor<<Client"])
    told = web.get(f"{MEMORY}/edge-types")
    owns = next(row for row in told["edge_types"] if row["name"] == "OWNS")
    assert (owns["inverse"], owns["domain"], owns["origin"]) == ("OWNED_BY", ["Agent", "Role"], "documented")
    assert {"name": "Sponsor", "parent": "Client"} in told["classes"]
    shapes = web.http.get(f"{MEMORY}/shapes", headers=web.headers)
    assert shapes.headers["content-type"].startswith("text/turtle")
    assert "sh:NodeShape" in shapes.text


@pytest.mark.parametrize(
    ("body", "reason", "param"),
    [
        ({}, "missing", "query"),
        ({"query": " "}, "empty", "query"),
        ({"query": 5}, "type", "query"),
        ({"query": "x", "k": 26}, "range", "k"),
        ({"query": "x", "k": "5"}, "type", "k"),
    ],
)
def test_a_wrong_parameter_is_a_400_that_names_it(web: Web, body: dict[str, Any], reason: str, param: str) -> None:
    """K-ERR-3 K-ENV-5"""
    refused = web.post(f"{MEMORY}/recall", 400, **body)
    assert (refused["error"], refused["param"]) == (reason, param)


def test_the_status_is_the_code_of_the_contract(web: Web, sqlite_app: App) -> None:
    """K-ERR-1 K-ERR-5 K-PLN-3"""
    assert web.get(f"{ENTRIES}/memory_never", 404) == {
        "error": "not_found",
        "message": "Memory not found: memory_never",
        "id": "memory_never",
    }
    add(web, "Anna")
    self_link = {"from_id": ANNA, "to_id": ANNA, "rel_type": "OWNS"}
    assert web.post(f"{MEMORY}/relations", 400, **self_link)["error"] == "self"
    reader = Web(web.http, sqlite_app, scopes=(Scope.READ,))
    refused = reader.post(ENTRIES, 403, content="x")
    assert (refused["error"], refused["required"], refused["have"]) == ("scope_missing", "write", ["read"])


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (Upstream("It failed.", provider="voyage"), 502, "provider_error"),
        (Unavailable("Locked."), 503, "unavailable"),
        (Quota("Full.", resource="memories"), 402, "plan_limit"),
        (RateLimited("Often.", retry_after_s=7), 429, "rate_limited"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_what_fails_inside_has_a_status_too(sqlite_app: App, error: Exception, status: int, reason: str) -> None:
    """K-ERR-1 K-ERR-4"""

    def fail(_app: App, _caller: Caller, _request: object) -> object:
        raise error

    refused = Web(serving(sqlite_app, fail), sqlite_app).get(f"{MEMORY}/stats", status)
    assert refused["error"] == reason
    assert "secret" not in refused["message"]


def test_calls_count_against_the_minute_of_the_token(web: Web, sqlite_app: App) -> None:
    """K-LIM-1"""
    set_workspace(sqlite_app, "default", plan="business")
    for _ in range(60):
        web.get(f"{MEMORY}/stats")
    response = web.http.get(f"{MEMORY}/stats", headers=web.headers)
    assert response.status_code == 429
    assert response.headers["retry-after"] == str(response.json()["retry_after_sec"])


def test_the_token_comes_before_the_body_and_the_scope_before_its_content(web: Web, sqlite_app: App) -> None:
    """K-ERR-2 K-AUT-1"""
    refused = web.http.post(ENTRIES, content=b"{")
    assert refused.status_code == 401
    assert refused.json()["error"] == "missing_bearer_token"
    assert refused.headers["www-authenticate"].startswith("Bearer resource_metadata=")
    reader = Web(web.http, sqlite_app, scopes=(Scope.READ,))
    assert reader.post(ENTRIES, 403, content=5)["error"] == "scope_missing"


def test_what_is_not_an_object_is_refused(web: Web) -> None:
    """K-ERR-3"""
    for content in (b"{", b"[]", b"\xff", b"[" * 100_000):
        response = web.http.post(ENTRIES, content=content, headers=web.headers)
        assert (response.status_code, response.json()["param"]) == (400, "body")
    assert web.ask("GET", f"{ENTRIES}/{ANNA}", 400, id="other")["error"] == "conflict"


def test_unknown_arguments_are_ignored_and_named(web: Web) -> None:
    """K-ENV-3"""
    assert web.get(f"{MEMORY}/stats", colour="red")["_meta"] == {"commonplace/ignored_arguments": ["colour"]}


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/v1/nothing", 404), ("PUT", ENTRIES, 405)])
def test_where_nothing_is_served_the_error_has_the_form_of_all_others(
    web: Web, method: str, path: str, status: int
) -> None:
    """K-ERR-1"""
    refused = web.ask(method, path, status)
    assert set(refused) == {"error", "message"}
