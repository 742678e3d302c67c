"""Graniite's REST routes over HTTP."""

from typing import Any
from uuid import uuid4

import pytest
from rest_calls import Fields, Web, serving
from starlette.testclient import TestClient

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import Amend, CreateCollection, DeleteFolder, Move, SetCollection, Store
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import Conflict, Quota, Unavailable, Upstream
from support import FakeClock, tables

INGEST, FOLDERS, ITEMS = "/api/v1/ingest", "/api/v1/folders", "/api/v1/items"
TEXT = "Decisions: ship the API docs. Folder rename deferred."
TABLES = ("item", "version", "chunk", "content", "vector", "folder_member")
ROW = [
    *("user_item_id", "content_id", "title", "url", "platform", "created_at", "in_kb", "archived", "read"),
    *("auto_transform", "transcription_status", "duration_seconds", "media_kind", "thumbnail_url", "published_at"),
]


@pytest.fixture
def web(http: TestClient, sqlite_app: App) -> Web:
    """A token of the whole library."""
    return Web(http, sqlite_app, kind="lev")


def scoped(web: Web, app: App, *folders: str, **token: Any) -> Web:
    """A token of some folders."""
    return Web(web.http, app, kind="lev", folders=folders, **token)


def add(web: Web, title: str = "Notes", *folders: str, **given: Any) -> str:
    """The id of a new item, filed in some folders."""
    item: str = web.post(INGEST, kind="text", title=title, **{"text": TEXT, **given})["user_item_id"]
    if folders:
        web.post(f"{ITEMS}/{item}/folders", folder_ids=list(folders))
    return item


def folder(web: Web, name: str) -> str:
    """The id of a new folder."""
    made: str = web.post(FOLDERS, 201, name=name)["folder"]["id"]
    return made


def listed(web: Web, **query: Any) -> list[str]:
    """The titles of a page."""
    return [row["title"] for row in web.get(ITEMS, **query)["items"]]


def test_a_text_is_ingested_as_by_the_tool(web: Web) -> None:
    """GR-ADD-1 GR-ADD-4"""
    done = web.post(INGEST, kind="text", title="Standup", text=TEXT)
    assert (set(done), done["status"]) == ({"status", "content_id", "user_item_id", "folder_id"}, "ready")
    refused = web.post(INGEST, 400, kind="text", title="Standup", text="too short")
    assert (refused["error"], refused["param"]) == ("invalid_body", "text")
    assert web.post(INGEST, 400, kind="pdf")["error"] == "invalid_body"


def test_a_folder_tells_when_it_was_made_and_what_is_in_it(web: Web, clock: FakeClock) -> None:
    """GR-RST-1"""
    made = web.post(FOLDERS, 201, name=" Research ")["folder"]
    assert made | {"id": ""} == {
        "id": "",
        "name": "Research",
        "created_at": "2024-10-04T00:00:00Z",
        "last_added_at": None,
        "item_count": 0,
    }
    clock.advance()
    add(web, "Notes", made["id"])
    (seen,) = web.get(FOLDERS)["folders"]
    assert (seen["item_count"], seen["last_added_at"]) == (1, "2024-10-04T00:00:01Z")
    assert web.post(FOLDERS, 409, name="RESEARCH")["error"] == "name_taken"
    for name in ("", " ", "x" * 201):
        assert web.post(FOLDERS, 400, name=name)["error"] == "invalid_body"


def test_items_are_listed_in_pages_with_their_number(web: Web, clock: FakeClock) -> None:
    """GR-RST-2"""
    for number in range(5):
        add(web, f"N{number}")
        clock.advance()
    page = web.get(ITEMS, page=2, per_page=2)
    assert [row["title"] for row in page["items"]] == ["N2", "N1"]
    assert [page[name] for name in ("total", "page", "per_page")] == [5, 2, 2]
    assert web.get(ITEMS, page=9)["items"] == []
    assert web.get(ITEMS)["per_page"] == 20


def test_items_are_listed_by_folder_archive_and_knowledge_base(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-RST-2"""
    kept = folder(web, "Kept")
    add(web, "Filed", kept)
    add(web, "Out", in_kb=False)
    perform(sqlite_app, person, Amend(id=add(web, "Old"), archived=True))
    assert listed(web, folder_id=kept) == ["Filed"]
    assert set(listed(web)) == {"Filed", "Out"}
    assert listed(web, archived="true") == ["Old"]
    assert set(listed(web, archived="any")) == {"Filed", "Out", "Old"}
    assert listed(web, in_kb="false") == ["Out"]
    assert listed(web, in_kb="true") == ["Filed"]
    assert web.get(ITEMS, folder_id=kept)["total"] == 1


@pytest.mark.parametrize(
    "query",
    [
        *({"page": bad} for bad in ("0", "-1", "x", "1.5", "9" * 40)),
        *({"per_page": bad} for bad in (0, 101)),
        {"archived": "maybe"},
        {"in_kb": "1"},
        {"folder_id": "nothing"},
    ],
)
def test_a_bad_value_of_a_query_is_refused(web: Web, query: Fields) -> None:
    """GR-RST-2"""
    refused = web.get(ITEMS, 400, **query)
    assert (refused["error"], refused["param"]) == ("invalid_body", next(iter(query)))


def test_a_row_has_the_fields_of_the_reference(web: Web) -> None:
    """GR-RST-3"""
    add(web)
    (row,) = web.get(ITEMS)["items"]
    assert list(row) == ROW


def test_items_of_other_surfaces_have_a_platform_too(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-RST-4"""
    add(web, "Text")
    perform(sqlite_app, person, Store(text="A memory.", title="Memory"))
    perform(sqlite_app, person, Store(text="A clip.", title="Clip", platform="clip"))
    assert {row["title"]: row["platform"] for row in web.get(ITEMS)["items"]} == {
        "Text": "text",
        "Memory": "memory",
        "Clip": "clip",
    }


def test_deleting_a_folder_keeps_its_items(web: Web) -> None:
    """GR-RST-5"""
    gone = folder(web, "Gone")
    item = add(web, "Notes", gone)
    assert web.delete(f"{FOLDERS}/{gone}") == {"ok": True, "cascaded_item_count": 0}
    assert web.get(f"{ITEMS}/{item}")["folders"] == []
    assert web.delete(f"{FOLDERS}/{gone}", 404)["error"] == "not_found"
    assert web.delete(f"{FOLDERS}/nothing", 400)["error"] == "invalid_id"


def test_a_cascade_takes_what_is_in_no_other_folder(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-RST-5"""
    gone, other = folder(web, "Gone"), folder(web, "Other")
    alone, shared, hidden = add(web, "Alone", gone), add(web, "Shared", gone, other), add(web, "Hidden", gone)
    perform(sqlite_app, person, CreateCollection(name="Vault", tier=Tier.SENSITIVE))
    perform(sqlite_app, person, Move(ids=(hidden,), collection="vault"))
    assert web.delete(f"{FOLDERS}/{gone}", 400, cascade_items="yes")["error"] == "invalid_body"
    assert web.delete(f"{FOLDERS}/{gone}", cascade_items="true") == {"ok": True, "cascaded_item_count": 1}
    web.get(f"{ITEMS}/{alone}", 404)
    assert web.get(f"{ITEMS}/{shared}")["folders"] == [{"id": other, "name": "Other"}]
    assert {row["id"] for row in tables(sqlite_app, person, "item")["item"]} == {shared, hidden}


def test_deleting_an_item_forgets_it(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-RST-6"""
    first, second = add(web, "Notes", folder(web, "F")), add(web, "Twin")
    twin = web.get(f"{ITEMS}/{second}")
    assert twin["content_id"] == web.get(f"{ITEMS}/{first}")["content_id"]
    assert web.delete(f"{ITEMS}/{first}") == {"ok": True}
    assert web.delete(f"{ITEMS}/{first}", 404)["error"] == "not_found"
    assert web.get(f"{ITEMS}/{second}") == twin
    left = {name: len(rows) for name, rows in tables(sqlite_app, person, *TABLES).items()}
    assert left == {"item": 1, "version": 1, "chunk": 1, "content": 1, "vector": 1, "folder_member": 0}


def test_filing_twice_is_filing_once(web: Web) -> None:
    """GR-RST-7"""
    first, second = folder(web, "A"), folder(web, "B")
    item = add(web, "Notes", first)
    filed = web.post(f"{ITEMS}/{item}/folders", folder_ids=[first.upper(), second, second])
    assert filed == {"ok": True, "added_folder_ids": [second]}
    assert web.post(f"{ITEMS}/{item}/folders", 404, folder_ids=[str(uuid4())])["error"] == "not_found"
    for wrong in ([], ["x"], "x", [first] * 101):
        assert web.post(f"{ITEMS}/{item}/folders", 400, folder_ids=wrong)["error"] == "invalid_body"


def test_a_scoped_token_files_only_where_it_sees(web: Web, sqlite_app: App) -> None:
    """GR-RST-7 GR-AUT-3"""
    first, second, third = (folder(web, name) for name in "ABC")
    item = add(web, "Notes", first)
    single = scoped(web, sqlite_app, first)
    assert single.post(f"{ITEMS}/{item}/folders", 403, folder_ids=[first])["error"] == "forbidden_scope"
    several = scoped(web, sqlite_app, first, second)
    refused = several.post(f"{ITEMS}/{item}/folders", 403, folder_ids=[second, third])
    assert (refused["error"], refused["out_of_scope"]) == ("forbidden_scope", [third])
    assert len(web.get(f"{ITEMS}/{item}")["folders"]) == 1
    assert several.post(f"{ITEMS}/{item}/folders", folder_ids=[second])["added_folder_ids"] == [second]


def test_an_item_may_leave_its_only_folder(web: Web, sqlite_app: App) -> None:
    """GR-RST-8"""
    only = folder(web, "Only")
    item = add(web, "Notes", only)
    token = scoped(web, sqlite_app, only)
    assert token.delete(f"{ITEMS}/{item}/folders/{only}") == {"ok": True}
    token.get(f"{ITEMS}/{item}", 404)
    assert web.get(f"{ITEMS}/{item}")["folders"] == []
    assert web.delete(f"{ITEMS}/{item}/folders/{only}", 404)["error"] == "not_found"


def test_routes_have_hourly_caps_and_ingest_shares_that_of_the_tool(web: Web, sqlite_app: App) -> None:
    """GR-RST-9"""
    set_workspace(sqlite_app, "default", settings={"rate_caps": "on"})
    web.post(INGEST, 400, kind="text")
    for _ in range(59):
        add(web)
    given = {"name": "add_to_knowledge", "arguments": {"kind": "text", "title": "By MCP", "text": TEXT}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
    assert "result" in web.http.post("/api/mcp", json=message, headers=web.headers).json()
    response = web.http.post(INGEST, json={"kind": "text", "title": "-", "text": TEXT}, headers=web.headers)
    assert (response.status_code, response.json()["error"]) == (429, "rate_limited")
    assert response.headers["retry-after"] == str(response.json()["retry_after_sec"])
    folder(web, "Its own cap")
    for _ in range(30):
        web.delete(f"{ITEMS}/{uuid4()}", 404)
    web.delete(f"{ITEMS}/{uuid4()}", 429)


def test_an_item_has_its_text_and_the_folders_the_token_sees(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-RST-10"""
    seen, other = folder(web, "Seen"), folder(web, "Other")
    item = add(web, "Told", seen, other)
    perform(sqlite_app, person, Amend(id=item, custom_title="Mine"))
    told = scoped(web, sqlite_app, seen).get(f"{ITEMS}/{item}")
    assert (told["title"], told["custom_title"], told["transcript"]) == ("Mine", "Mine", TEXT)
    assert told["folders"] == [{"id": seen, "name": "Seen"}]
    assert web.get(f"{ITEMS}/nothing", 400)["error"] == "invalid_id"


def test_scoped_tokens_neither_make_nor_delete_folders_and_end_with_their_last(
    web: Web, sqlite_app: App, person: Caller
) -> None:
    """GR-AUT-3"""
    first, second = folder(web, "A"), folder(web, "B")
    token = scoped(web, sqlite_app, first)
    assert token.post(FOLDERS, 403, name="C")["error"] == "forbidden_scope"
    assert token.delete(f"{FOLDERS}/{first}", 403)["error"] == "forbidden_scope"
    assert [each["id"] for each in token.get(FOLDERS)["folders"]] == [first]
    perform(sqlite_app, person, DeleteFolder(id=first))
    assert token.get(FOLDERS, 401)["error"] == "invalid_token"
    assert [each["id"] for each in web.get(FOLDERS)["folders"]] == [second]


def test_a_token_of_the_knowledge_base_sees_and_adds_nothing_else(web: Web, sqlite_app: App) -> None:
    """GR-AUT-4"""
    out = add(web, "Out", in_kb=False)
    token = Web(web.http, sqlite_app, kind="lev", kb_only=True)
    add(token, "Forced", in_kb=False)
    assert listed(token) == listed(token, in_kb="false") == ["Forced"]
    assert token.get(ITEMS)["total"] == 1
    token.get(f"{ITEMS}/{out}", 404)


def test_what_is_out_of_scope_is_not_there(web: Web, sqlite_app: App) -> None:
    """GR-AUT-5"""
    mine, other = folder(web, "Mine"), folder(web, "Other")
    item = add(web, "Theirs", other)
    token = scoped(web, sqlite_app, mine)
    assert token.get(ITEMS) == {"items": [], "total": 0, "page": 1, "per_page": 20}
    never = str(uuid4())
    for each in (item, never):
        for told in (
            token.get(f"{ITEMS}/{each}", 404),
            token.delete(f"{ITEMS}/{each}", 404),
            token.delete(f"{ITEMS}/{each}/folders/{mine}", 404),
        ):
            assert told == {"error": "not_found", "message": f"Memory not found: {each}", "id": each}
    for each in (other, never):
        assert token.get(ITEMS, 404, folder_id=each)["error"] == "not_found"


def test_a_sensitive_item_is_not_there_for_any_token(web: Web, sqlite_app: App, person: Caller) -> None:
    """GR-AUT-6"""
    kept = folder(web, "Kept")
    item = add(web, "Hidden", kept)
    perform(sqlite_app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    assert web.get(ITEMS)["total"] == 0
    assert web.get(FOLDERS)["folders"][0]["item_count"] == 0
    web.get(f"{ITEMS}/{item}", 404)
    web.delete(f"{ITEMS}/{item}", 404)
    assert web.post(INGEST, 403, kind="text", title="-", text=TEXT)["error"] == "sensitive_collection"


def test_a_token_that_may_not_write_is_told_what_it_lacks(web: Web, sqlite_app: App) -> None:
    """GR-AUT-2 GR-ERR-3"""
    reader = Web(web.http, sqlite_app, kind="lev", scopes=(Scope.READ,))
    refused = reader.post(INGEST, 403, kind="nonsense")
    assert (refused["error"], refused["required"], refused["have"]) == ("capability_denied", "write", ["read"])
    assert reader.get(ITEMS)["items"] == []
    assert web.http.get(ITEMS).json()["error"] == "missing_bearer_token"


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [
        (Quota("Full.", resource="memories", limit=100), 402, "plan_limit"),
        (Quota("Full.", resource="transcription_minutes", tier="pro", cap_per_month=60), 402, "quota_exceeded"),
        (Conflict("It changed."), 409, "conflict"),
        (Upstream("Unreachable.", reason="ingest_failed", url="http://x", detail="dns"), 502, "ingest_failed"),
        (Unavailable("Locked."), 503, "unavailable"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
def test_what_fails_inside_has_a_status_and_a_word(sqlite_app: App, error: Exception, status: int, word: str) -> None:
    """GR-ERR-1"""

    def fail(_app: App, _caller: Caller, _request: object) -> object:
        raise error

    refused = Web(serving(sqlite_app, fail), sqlite_app).get(ITEMS, status)
    assert refused["error"] == word
    assert "secret" not in str(refused)
