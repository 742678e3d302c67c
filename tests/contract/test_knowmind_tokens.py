"""knowmind: what a token may do and see, and what a plan allows."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import Client
from knowmind_calls import TOOLS, WRITES, client_of, filled, message
from starlette.testclient import TestClient

from commonplace.core import perform
from commonplace.core.access import authenticate, local_caller
from commonplace.core.app import App
from commonplace.core.requests import CreateFolder, FileItem, IssueToken, ListTokens, RevokeToken, SetCollection, Store
from commonplace.core.workspaces import create_workspace, find_workspace, set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import (
    CommonplaceError,
    Invalid,
    Quota,
)
from commonplace.surfaces.knowmind import KNOWMIND

UPLOAD = "knowmind.upload_document"
DOCUMENT = {"content": "# One\n\nA.\n\n# Two\n\nB.", "title": "D"}


def test_a_token_is_long_kept_as_a_hash_and_shown_once(sqlite_app: App, person: Caller) -> None:
    """K-AUT-1"""
    issued = perform(sqlite_app, person, IssueToken())
    assert re.fullmatch(r"kmt_[\w-]{43}", issued.secret)
    assert authenticate(sqlite_app, issued.secret).workspace_id == person.workspace_id
    listed = perform(sqlite_app, person, ListTokens())
    assert issued.secret not in str(listed)
    perform(sqlite_app, person, RevokeToken(id=issued.token.id))
    with pytest.raises(CommonplaceError):
        authenticate(sqlite_app, issued.secret)


def test_a_workspace_has_at_most_fifty_active_tokens(sqlite_app: App, person: Caller) -> None:
    """K-AUT-1"""
    issued = [perform(sqlite_app, person, IssueToken()) for _ in range(50)]
    with pytest.raises(Quota):
        perform(sqlite_app, person, IssueToken())
    perform(sqlite_app, person, RevokeToken(id=issued[0].token.id))
    assert perform(sqlite_app, person, IssueToken()).secret


@pytest.mark.parametrize("header", [None, "Basic x", "Bearer", f"Bearer kmt_{'x' * 43}", "Bearer nonsense"])
def test_without_a_valid_token_the_answer_is_401_and_asks_for_one(header: str | None, http: TestClient) -> None:
    """K-AUT-1 K-HEA-3"""
    headers = {"Authorization": header} if header else {}
    response = http.post("/api/mcp/v1", json=message("knowmind.health"), headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.json()["error"]["code"] == 401


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "knowmind.health"])
def test_each_tool_asks_for_its_scope(tool: str, sqlite_app: App) -> None:
    """K-AUT-2 K-ERR-5"""
    required = Scope.WRITE if tool in WRITES else Scope.READ
    held = [Scope.READ] if tool in WRITES else []
    error = client_of(sqlite_app, *held).error(tool, **TOOLS[tool])
    assert (error["code"], error["message"]) == (403, f"Scope {required} missing")
    have = [scope.value for scope in held]
    assert error["data"] == {"status": 403, "reason": "scope_missing", "required": required.value, "have": have}


def test_a_wider_scope_includes_the_narrower_ones(sqlite_app: App) -> None:
    """K-AUT-2"""
    for scope in (Scope.WRITE, Scope.ADMIN):
        client = client_of(sqlite_app, scope)
        assert client.fields("knowmind.store_memory", content="Anna owns onboarding.")["memory_id"]
        assert client.fields("knowmind.recall", query="onboarding")["hits"]


def test_a_folder_token_sees_and_counts_its_folder_alone(sqlite_app: App, person: Caller, knowmind: Client) -> None:
    """K-AUT-4 K-STA-2"""
    inside = perform(sqlite_app, person, Store(text="Anna owns onboarding.", title="Inside"))
    knowmind.call("knowmind.store_memory", content="Tomasz owns onboarding.", title="Outside")
    folder = perform(sqlite_app, person, CreateFolder(name="HR"))
    perform(sqlite_app, person, FileItem(id=inside.item_id, folders=(folder.id,)))
    scoped = perform(sqlite_app, person, IssueToken(kind="lev", folders=(folder.id,)))
    client = Client(sqlite_app, KNOWMIND, authenticate(sqlite_app, scoped.secret, "knowmind"))
    assert [hit["title"] for hit in client.fields("knowmind.recall", query="onboarding")["hits"]] == ["Inside"]
    assert client.fields("knowmind.stats")["memories"] == 1
    assert client.error("knowmind.list_relations", memory_id="memory_outside_2024_10")["code"] == 404
    assert client.fields("knowmind.store_memory", content="New here.")["memory_id"]
    assert client.fields("knowmind.stats")["memories"] == 2


def test_a_sensitive_collection_does_not_exist_for_a_model(sqlite_app: App, person: Caller, knowmind: Client) -> None:
    """K-SEC-1 K-STA-2"""
    filled(knowmind)
    perform(sqlite_app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    assert knowmind.fields("knowmind.stats") == {"memories": 0, "edges": 0, "chunks": 0}
    assert knowmind.fields("knowmind.recall", query="This is A")["hits"] == []
    for tool in ("knowmind.list_relations", "knowmind.update_fact", "knowmind.link", "knowmind.unlink"):
        assert knowmind.error(tool, **TOOLS[tool])["code"] == 404
    for tool in ("knowmind.store_memory", "knowmind.upload_document"):
        error = knowmind.error(tool, **TOOLS[tool])
        assert (error["code"], error["data"]["reason"]) == (403, "sensitive_collection")


def test_what_is_in_another_workspace_cannot_be_told_from_what_is_not(sqlite_app: App, knowmind: Client) -> None:
    """K-SEC-2 K-IDS-5"""
    stored = perform(sqlite_app, knowmind.peer.caller, Store(text="Ours.", title="Ours"))
    create_workspace(sqlite_app, "other")
    other = Client(sqlite_app, KNOWMIND, local_caller(sqlite_app, "other", human=False))
    for each in (stored.version_id, stored.slug, stored.item_id, "memory_never_2024_10"):
        error = other.error("knowmind.list_relations", memory_id=each)
        assert error["data"] == {"status": 404, "reason": "not_found", "id": each}
    assert other.fields("knowmind.recall", query="Ours")["hits"] == []


def test_a_workspace_starts_without_limits_and_can_be_given_a_plan(sqlite_app: App) -> None:
    """K-PLN-1"""
    assert find_workspace(sqlite_app, "default").plan == "unlimited"
    assert set_workspace(sqlite_app, "default", plan="business").plan == "business"
    with pytest.raises(Invalid):
        set_workspace(sqlite_app, "default", plan="golden")


def test_the_hundredth_memory_is_the_last_of_the_private_plan(sqlite_app: App, knowmind: Client) -> None:
    """K-PLN-2 K-PLN-3 K-PLN-4 K-UPD-6"""
    set_workspace(sqlite_app, "default", plan="private")
    for number in range(97):
        knowmind.call("knowmind.store_memory", content=f"Number {number}", title="N")
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: knowmind.ask("tools/call", {"name": UPLOAD, "arguments": DOCUMENT}), range(6)))
    assert sum("result" in each for each in said) == 3
    assert next(each["error"]["data"] for each in said if "error" in each) == {
        "status": 402,
        "reason": "plan_limit",
        "resource": "memories",
        "plan": "private",
        "limit": 100,
        "used": 100,
        "required_plan": "pro",
    }
    assert knowmind.fields("knowmind.stats")["memories"] == 100
    changed = knowmind.fields(
        "knowmind.update_fact", target_id="memory_n_2024_10", new_title="N", new_content="Changed."
    )
    assert changed["new_memory_id"] == "memory_n_2024_10_v2"
    assert knowmind.error("knowmind.store_memory", content="One more.")["code"] == 402
