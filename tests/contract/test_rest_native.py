"""Our own REST routes over HTTP, and the document that describes them all."""

from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from rest_calls import Fields, Web, serving
from starlette.testclient import TestClient

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import CreateCollection, CreateFolder, Store
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import (
    Ambiguous,
    CommonplaceError,
    Conflict,
    Expired,
    NotFound,
    RateLimited,
    TooLarge,
    Unavailable,
)
from commonplace.surfaces import RESTS
from commonplace.surfaces.dispatch import call
from commonplace.surfaces.native_rest import NATIVE_REST
from commonplace.surfaces.openapi import describe

V1 = "/api/v1"
ADA = {"subject": "Ada Lovelace", "predicate": "works_at", "object": "Analytical Engines"}


@pytest.fixture
def web(http: TestClient, sqlite_app: App) -> Web:
    """The token of a client that writes."""
    return Web(http, sqlite_app)


@pytest.fixture
def keeper(http: TestClient, sqlite_app: App) -> Web:
    """The token of someone who keeps the memory."""
    return Web(http, sqlite_app, scopes=(Scope.ADMIN,))


def test_facts_are_stated_corrected_closed_and_listed(web: Web) -> None:
    first = web.post(f"{V1}/facts", 201, **ADA)
    assert first["contradicts"] == []
    changed = web.ask("PUT", f"{V1}/facts/{first['id']}", body={"value": "Difference Engines", "reason": "moved"})
    assert changed["old_id"] == first["id"]
    (fact,) = web.get(f"{V1}/facts", entity="Ada Lovelace")["facts"]
    assert (fact["id"], fact["object"], fact["valid_to"]) == (changed["new_id"], "Difference Engines", None)
    closed = web.delete(f"{V1}/facts/{fact['id']}", reason="left")
    assert closed["id"] == fact["id"]
    assert closed["valid_to"] >= fact["valid_from"]
    assert web.get(f"{V1}/facts", entity="Ada Lovelace")["facts"] == []
    assert len(web.get(f"{V1}/facts", entity="Ada Lovelace", history="true")["facts"]) == 2


def test_relations_are_made_listed_and_ended(web: Web, sqlite_app: App, person: Caller) -> None:
    first, second = (perform(sqlite_app, person, Store(text=f"{name}.", title=name)).version_id for name in "AB")
    ends = {"from_id": first, "to_id": second, "rel_type": "OWNS"}
    made = web.post(f"{V1}/relations", **ends)
    (seen,) = web.get(f"{V1}/relations", id=second)["relations"]
    assert seen | ends == seen
    assert seen["edge_id"] == made["edge_id"]
    assert web.delete(f"{V1}/relations", **ends) == {"deleted": True}
    assert web.delete(f"{V1}/relations", 404, **ends)["error"] == "not_found"


def test_no_token_reads_the_history(keeper: Web) -> None:
    """GN-OPL-3"""
    refused = keeper.get(f"{V1}/history", 403)
    assert (refused["error"], refused["reason"]) == ("forbidden", "human_only")


def test_a_person_reads_the_history(web: Web, sqlite_app: App, person: Caller) -> None:
    fact = web.post(f"{V1}/facts", 201, **ADA)["id"]
    told = call(NATIVE_REST, sqlite_app, person, "list_history", {"id": fact}, perform=perform)
    assert isinstance(told, dict)
    (event,) = told["events"]
    assert (event["kind"], event["surface"], event["subjects"][0]) == ("fact_assert", "native", fact)


def test_what_waits_for_a_person_is_listed_and_not_decided(web: Web) -> None:
    web.http.post("/mcp", headers=web.headers, json=remember("Pay rent.", collection="Houshold"))
    (review,) = web.get(f"{V1}/reviews")["reviews"]
    assert (review["kind"], review["suggested"], review["state"]) == ("collection", "Houshold", "pending")
    assert web.get(f"{V1}/reviews", state="approved")["reviews"] == []
    assert web.ask("POST", f"{V1}/reviews", 405)["error"] == "method_not_allowed"


def remember(text: str, **given: Any) -> Fields:
    arguments = {"text": text, **given}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": arguments}}


def test_tokens_are_made_listed_and_revoked_by_those_who_keep_the_memory(web: Web, keeper: Web) -> None:
    """K-AUT-1 K-AUT-2"""
    assert web.get(f"{V1}/tokens", 403)["required"] == "admin"
    made = keeper.post(f"{V1}/tokens", 201, name="laptop", scopes=["read"])
    assert made["token"].startswith(made["prefix"])
    assert made["scopes"] == ["read"]
    held = keeper.get(f"{V1}/tokens")["tokens"]
    assert made["id"] in {each["id"] for each in held}
    assert made["token"] not in str(held)
    bearer = {"Authorization": f"Bearer {made['token']}"}
    assert web.http.get(f"{V1}/stats", headers=bearer).status_code == 200
    assert keeper.delete(f"{V1}/tokens/{made['id']}") == {"id": made["id"], "revoked": True}
    assert web.http.get(f"{V1}/stats", headers=bearer).status_code == 401
    assert keeper.delete(f"{V1}/tokens/{made['id']}", 404)["error"] == "not_found"


def test_a_token_for_some_folders_is_made_with_their_ids(keeper: Web, sqlite_app: App, person: Caller) -> None:
    """GR-AUT-3 GR-AUT-4"""
    folder = perform(sqlite_app, person, CreateFolder(name="A")).id
    made = keeper.post(f"{V1}/tokens", 201, kind="lev", folders=[folder], kb_only=True, expires_at="2030-01-01")
    assert (made["folders"], made["kb_only"], made["expires_at"]) == ([folder], True, "2030-01-01T00:00:00Z")
    assert keeper.post(f"{V1}/tokens", 400, kind="kmt", folders=[folder])["error"] == "invalid"
    assert keeper.post(f"{V1}/tokens", 400, expires_at="2020-01-01")["param"] == "expires"


def test_those_who_keep_the_memory_choose_its_plan(web: Web, keeper: Web) -> None:
    """K-PLN-1"""
    assert keeper.get(f"{V1}/workspace")["plan"] == "unlimited"
    assert keeper.ask("PUT", f"{V1}/workspace", body={"plan": "business"})["plan"] == "business"
    assert keeper.get(f"{V1}/workspace")["plan"] == "business"
    assert keeper.ask("PUT", f"{V1}/workspace", 400, body={"plan": "golden"})["reason"] == "enum"
    assert web.get(f"{V1}/workspace", 403)["error"] == "forbidden"


def test_collections_and_counts_are_told_without_what_is_sensitive(web: Web, sqlite_app: App, person: Caller) -> None:
    """K-STA-2"""
    perform(sqlite_app, person, CreateCollection(name="Vault", tier=Tier.SENSITIVE))
    perform(sqlite_app, person, Store(text="Secret.", collection="vault"))
    assert [each["slug"] for each in web.get(f"{V1}/collections")["collections"]] == ["personal"]
    assert web.get(f"{V1}/stats")["counts"]["memories"] == 0


@pytest.mark.parametrize(
    ("method", "path", "given", "error"),
    [
        ("GET", "facts", {}, {"param": "entity", "reason": "missing"}),
        ("GET", "facts", {"entity": "Ada", "history": "1"}, {"param": "history", "reason": "type"}),
        ("GET", "facts", {"entity": "Ada", "as_of": "soon"}, {"param": "as_of", "reason": "format"}),
        ("GET", "facts", {"entity": "Ada", "colour": "red"}, {"param": "colour", "reason": "unknown_argument"}),
        ("GET", "reviews", {"state": ["a", "b"]}, {"param": "state", "reason": "type"}),
        ("DELETE", "facts/5", {"valid_to": "9999-12-31T23:59-23:00"}, {"param": "valid_to", "reason": "format"}),
    ],
)
def test_a_wrong_argument_is_named(web: Web, method: str, path: str, given: Fields, error: Fields) -> None:
    refused = web.ask(method, f"{V1}/{path}", 400, **given)
    assert refused["error"] == "invalid"
    assert refused | error == refused


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound(), 404),
        (Conflict(), 409),
        (Ambiguous(), 409),
        (Expired(), 410),
        (TooLarge(), 413),
        (RateLimited(retry_after_s=3), 429),
        (Unavailable(), 503),
    ],
)
def test_the_status_is_the_nearest_to_the_kind(sqlite_app: App, error: CommonplaceError, status: int) -> None:
    def fail(_app: App, _caller: Caller, _request: object) -> object:
        raise error

    refused = Web(serving(sqlite_app, fail), sqlite_app).get(f"{V1}/stats", status)
    assert refused["message"] == error.message


def test_a_body_that_is_too_large_is_refused_in_the_form_of_all_errors(web: Web) -> None:
    response = web.http.post(f"{V1}/facts", content=b"x" * 1_000_001, headers=web.headers)
    assert (response.status_code, response.json()["error"]) == (413, "too_large")
    foreign = web.http.get(f"{V1}/stats", headers={**web.headers, "Host": "evil.example"})
    assert (foreign.status_code, foreign.json()["error"]) == (403, "forbidden")


def test_the_routes_are_described_without_a_token(http: TestClient) -> None:
    told = http.get(f"{V1}/openapi.json").json()
    OpenAPIV31SpecValidator(told).validate()
    described = {(method.upper(), path) for path, each in told["paths"].items() for method in each}
    assert described == {(row.method, row.path) for rest in RESTS for row in rest.tools}
    operations = [operation for each in told["paths"].values() for operation in each.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_a_description_tells_which_routes_need_a_token_and_where_parameters_stand() -> None:
    paths = describe(RESTS, "http://127.0.0.1", "1")["paths"]
    assert paths["/api/health"]["get"]["security"] == []
    listing = paths[f"{V1}/items"]["get"]
    assert listing["security"] == [{"bearer": []}]
    assert {(each["name"], each["in"]) for each in listing["parameters"]} >= {("page", "query"), ("folder_id", "query")}
    filing = paths[f"{V1}/items/{{id}}/folders"]["post"]
    assert [(each["name"], each["in"]) for each in filing["parameters"]] == [("id", "path")]
    assert filing["requestBody"]["content"]["application/json"]["schema"]["required"] == ["folder_ids"]
    assert "requestBody" in paths[f"{V1}/memory/relations"]["delete"]
    assert "requestBody" not in paths[f"{V1}/relations"]["delete"]
