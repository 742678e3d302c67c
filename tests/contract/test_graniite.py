"""The Graniite contract, through the dispatcher: seed documents 001 and 002 and its rules."""

from typing import Any
from uuid import UUID

import pytest
from asking import Speaker, speaker
from client import Fields

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import Amend, CreateFolder, FileItem, SetCollection
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import Quota, Unavailable, Upstream
from commonplace.model.ids import render
from commonplace.model.interval import DAY, MINUTE
from commonplace.surfaces.graniite import GRANIITE, wire_error
from commonplace.surfaces.graniite_shapes import snippet, transcript
from commonplace.surfaces.graphnosis import GRAPHNOSIS
from commonplace.surfaces.schema import listing
from support import FakeClock

SCOPES = "Tokens, capabilities, and scope"
STANDUP = {
    "kind": "text",
    "title": "Standup notes 2026-05-19",
    "text": "Decisions: ship the API docs. Folder rename deferred. ...",
}
ROW = [
    "user_item_id",
    "content_id",
    "title",
    "url",
    "platform",
    "created_at",
    "in_kb",
    "archived",
    "read",
    "auto_transform",
    "transcription_status",
    "duration_seconds",
    "media_kind",
    "thumbnail_url",
    "published_at",
]


class Graniite(Speaker):
    """A client of Graniite."""

    def add(self, text: str, title: str = "-", **given: Any) -> str:
        """The id of an item that was added."""
        text = text.ljust(20, ".")
        return str(self.done("add_to_knowledge", kind="text", title=title, text=text, **given)["user_item_id"])

    def search(self, query: str, **given: Any) -> list[Fields]:
        """The chunks that are found."""
        found: list[Fields] = self.done("search_knowledge_base", query=query, **given)["results"]
        return found

    def as_token(self, **changes: Any) -> "Graniite":
        """The same client with other rights."""
        return Graniite(self.app, GRANIITE, self.acting(**changes).caller)


@pytest.fixture
def claude(sqlite_app: App) -> Graniite:
    made = speaker(GRANIITE, sqlite_app)
    return Graniite(made.app, GRANIITE, made.caller)


def folder(claude: Graniite, person: Caller, name: str, *items: str) -> str:
    """A folder with some items."""
    made = str(perform(claude.app, person, CreateFolder(name=name)).id)
    for item in items:
        perform(claude.app, person, FileItem(id=item, folders=(made,)))
    return made


# The surface


def test_four_tools_are_listed_with_their_parameters() -> None:
    """GR-TRN-3"""
    shown = {tool["name"]: tool["inputSchema"] for tool in listing(GRANIITE)}
    assert {name: list(schema["properties"]) for name, schema in shown.items()} == {
        "search_knowledge_base": ["query", "limit", "mode"],
        "get_item": ["item_id"],
        "list_recent": ["limit"],
        "add_to_knowledge": ["kind", "url", "text", "title", "in_kb", "auto_transform"],
    }
    limit = shown["search_knowledge_base"]["properties"]["limit"]
    assert (limit["default"], limit["minimum"], limit["maximum"]) == (8, 1, 20)
    add = shown["add_to_knowledge"]["properties"]
    assert (add["kind"]["enum"], add["in_kb"]["default"], add["auto_transform"]["default"]) == (
        ["url", "text"],
        True,
        False,
    )
    assert (add["text"]["minLength"], add["text"]["maxLength"], add["title"]["maxLength"]) == (20, 500_000, 500)


def test_both_addresses_are_the_contracts() -> None:
    """GR-TRN-1"""
    assert GRANIITE.paths == ("/mcp/graniite", "/api/mcp")


def test_a_call_without_handshake_has_text_and_fields(claude: Graniite) -> None:
    """GR-TRN-1, GR-ENV-1, GR-ENV-2"""
    answered = claude.call("list_recent", colour="red")
    assert answered["isError"] is False
    assert answered["structuredContent"] == {"items": []}
    assert answered["_meta"] == {"commonplace/ignored_arguments": ["colour"]}


# Search


def test_search_answers_as_documented(claude: Graniite) -> None:
    """GR-SRC-1, GR-SRC-8, GR-ENV-3: the seed's example of search_knowledge_base."""
    said = "A token carries a folder scope, whole library or a specific list of folders."
    item = claude.add(said, SCOPES)
    claude.add("Scope rules: multi-folder scope tokens require every target folder.", "MCP vs REST")
    given = {"query": "How do I scope a token to multiple folders?", "limit": 5, "mode": "hybrid"}
    answered = claude.call("search_knowledge_base", **given)
    fields = answered["structuredContent"]
    assert list(fields) == ["query", "mode", "total", "results"]
    assert (fields["query"], fields["mode"], fields["total"]) == (given["query"], "hybrid", 2)
    hit = next(each for each in fields["results"] if each["title"] == SCOPES)
    assert list(hit) == [
        "rank",
        "score",
        "title",
        "snippet",
        "text",
        "user_item_id",
        "content_id",
        "chunk_id",
        "chunk_index",
        "url",
        "platform",
        "created_at",
    ]
    assert (hit["user_item_id"], hit["text"], hit["snippet"], hit["chunk_index"]) == (item, said, said, 0)
    assert (hit["url"], hit["platform"], hit["created_at"]) == (None, "text", "2024-10-04T00:00:00Z")
    assert all(str(UUID(hit[name])) == hit[name] for name in ("user_item_id", "content_id", "chunk_id"))
    assert [each["rank"] for each in fields["results"]] == [1, 2]
    text = answered["content"][0]["text"]
    assert text.startswith(f'1. ({fields["results"][0]["score"]:.2f}) {fields["results"][0]["title"]}\n   "...')
    quoted = '   "...A token carries a folder scope, whole library or a specific\n    list of folders...."'
    assert f"({hit['score']:.2f}) {SCOPES}\n{quoted}" in text
    assert "\n\n2. (" in text
    assert all(len(line) <= 70 for line in text.splitlines() if line.startswith(" "))


def test_the_modes_have_their_own_scores(claude: Graniite) -> None:
    """GR-SRC-2, GR-SRC-3, GR-SRC-4"""
    claude.add("whale song at night ...", "sea")
    claude.add("whale", "sea")
    claude.add("something else entirely", "land")

    def scores(mode: str) -> dict[str, float]:
        found = claude.search("whale song", mode=mode)
        assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
        assert all(0 <= each["score"] <= 1 for each in found)
        return {each["chunk_id"]: each["score"] for each in found}

    semantic, keyword, hybrid = scores("semantic"), scores("keyword"), scores("hybrid")
    assert len(semantic) == 3
    assert len(keyword) == 2
    assert max(keyword.values()) == 1
    assert hybrid.keys() == semantic.keys() | keyword.keys()
    for chunk, score in hybrid.items():
        assert score == pytest.approx(0.7 * semantic.get(chunk, 0) + 0.3 * keyword.get(chunk, 0), abs=2e-4)


@pytest.mark.parametrize("exact", ["E2004", "-32602", "get_item", "foo.bar()", "Schrödinger"])
def test_exact_strings_are_found_by_keyword(claude: Graniite, exact: str) -> None:
    """GR-SRC-3"""
    wanted = claude.add(f"The answer was {exact} again.")
    claude.add("Some get of an item, a bar without foo, 2004 times.")
    assert claude.search(exact, mode="keyword")[0]["user_item_id"] == wanted
    assert claude.search("zeppelin", mode="keyword") == []


def test_several_chunks_of_one_item_may_be_hits(claude: Graniite) -> None:
    """GR-SRC-1"""
    claude.add("# Alpha\n\nwhale song\n\n# Beta\n\nwhale song\n")
    found = claude.search("whale song", limit=20)
    assert len({each["user_item_id"] for each in found}) == 1
    assert {each["chunk_index"] for each in found} == {0, 1}


def test_equal_scores_are_in_the_order_of_their_chunks(claude: Graniite) -> None:
    """GR-SRC-1"""
    for _ in range(3):
        claude.add("the very same twin text", "twin")
    found = [each["chunk_id"] for each in claude.search("twin")]
    assert found == sorted(found)
    assert len(claude.search("twin", limit=1)) == 1


def test_a_scoped_token_searches_its_folders(claude: Graniite, person: Caller) -> None:
    """GR-SRC-5, GR-AUT-5"""
    inside, outside = claude.add("whale song inside"), claude.add("whale song outside")
    trip = folder(claude, person, "Trip", inside)
    scoped = claude.as_token(folders=(trip,))
    assert [each["user_item_id"] for each in scoped.search("whale song", limit=1)] == [inside]
    graphnosis = Speaker(claude.app, GRAPHNOSIS, scoped.caller)
    assert len(graphnosis.done("recall", query="whale song", minScore=0)["results"]) == 1
    assert scoped.error("get_item", item_id=outside)["data"] == {"reason": "not_found"}


def test_what_is_out_of_the_knowledge_base_is_not_found(claude: Graniite, person: Caller) -> None:
    """GR-SRC-6"""
    claude.add("whale song hidden", in_kb=False)
    later, archived = claude.add("whale song later"), claude.add("whale song archived")
    perform(claude.app, person, Amend(id=later, in_kb=False))
    perform(claude.app, person, Amend(id=archived, archived=True))
    assert [each["user_item_id"] for each in claude.search("whale song")] == [archived]
    perform(claude.app, person, Amend(id=later, in_kb=True))
    assert len(claude.search("whale song")) == 2


def test_nothing_found_is_no_error(claude: Graniite) -> None:
    """GR-SRC-7"""
    answered = claude.call("search_knowledge_base", query="whale", mode="keyword")
    assert answered["content"][0]["text"] == "No matching chunks found."
    assert answered["structuredContent"] == {"query": "whale", "mode": "keyword", "total": 0, "results": []}


def test_a_snippet_is_the_best_passage_cut_at_words() -> None:
    """GR-SRC-8"""
    text = " ".join(["filler"] * 60 + ["the", "whale", "sings", "at", "night"] + ["filler"] * 60)
    found = snippet(text, "When does the whale sing at night?")
    assert "whale sings at night" in found
    assert len(found) <= 200
    assert set(found.split()) <= set(text.split())
    assert snippet("short", "anything") == "short"


# Get and list


def test_get_item_answers_as_documented(claude: Graniite, person: Caller) -> None:
    """GR-RST-10, GR-RST-4, GR-ENV-3"""
    item = claude.add("The whole text of the interview.", "Interview on database migrations")
    trip = folder(claude, person, "Trip", item)
    answered = claude.call("get_item", item_id=item)
    assert answered["content"][0]["text"] == (
        "# Interview on database migrations\nPlatform: text\n\n## Transcript / source text\n"
        "The whole text of the interview."
    )
    fields = answered["structuredContent"]
    assert list(fields) == [
        "user_item_id",
        "content_id",
        "title",
        "custom_title",
        "source_title",
        "url",
        "platform",
        "created_at",
        "archived",
        "read",
        "in_kb",
        "auto_transform",
        "transcript",
        "transcript_segments",
        "transcription_status",
        "transcription_error",
        "transform_error",
        "transform_failed_at",
        "media_kind",
        "mime_type",
        "duration_seconds",
        "thumbnail_url",
        "published_at",
        "outputs",
        "folders",
    ]
    assert fields["transcript"] == "The whole text of the interview."
    assert fields["folders"] == [{"id": trip, "name": "Trip"}]
    assert (fields["outputs"], fields["transcript_segments"], fields["in_kb"]) == ([], [], True)


def test_items_of_other_surfaces_are_read_too(claude: Graniite) -> None:
    """GR-RST-3, GR-RST-4, GR-RST-10"""
    graphnosis = speaker(GRAPHNOSIS, claude.app)
    source = graphnosis.done("remember", text="A clip of a whale.", kind="ai-conversation")["sourceId"]
    fields = claude.done("get_item", item_id=source)
    assert (fields["platform"], fields["transcript"]) == ("ai-conversation", "A clip of a whale.")
    assert claude.done("list_recent")["items"][0]["user_item_id"] == fields["user_item_id"]


def test_ids_are_understood_in_every_form(claude: Graniite) -> None:
    """GR-ENV-3"""
    item = claude.add("Some text to find again.")
    assert claude.done("get_item", item_id=render("src", item).lower())["user_item_id"] == item
    assert claude.done("get_item", item_id=item.upper())["user_item_id"] == item


def test_what_cannot_be_seen_is_not_found_in_the_same_words(claude: Graniite, person: Caller) -> None:
    """GR-GET-1, GR-AUT-5, GR-AUT-6: row not_found."""
    item = claude.add("Some text to hide away.")
    chunk = claude.search("text to hide")[0]["chunk_id"]
    errors = [claude.error("get_item", item_id=chunk), claude.error("get_item", item_id=str(UUID(int=7)))]
    errors.append(claude.as_token(folders=(folder(claude, person, "Empty"),)).error("get_item", item_id=item))
    perform(claude.app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    errors.append(claude.error("get_item", item_id=item))
    assert errors == [{"code": -32603, "message": "Not found", "data": {"reason": "not_found"}}] * 4
    assert claude.search("text to hide") == []
    assert claude.done("list_recent")["items"] == []


def test_a_kb_only_token_sees_the_knowledge_base_alone(claude: Graniite) -> None:
    """GR-GET-2, GR-LST-3, GR-AUT-4, GR-ADD-3"""
    hidden, shown = claude.add("Out of the knowledge base.", in_kb=False), claude.add("In the knowledge base.")
    narrow = claude.as_token(kb_only=True)
    assert narrow.error("get_item", item_id=hidden)["data"]["reason"] == "not_found"
    assert [row["user_item_id"] for row in narrow.done("list_recent")["items"]] == [shown]
    assert claude.done("get_item", item_id=hidden)["in_kb"] is False
    forced = narrow.add("Forced into the knowledge base.", in_kb=False)
    assert narrow.done("get_item", item_id=forced)["in_kb"] is True


def test_a_long_transcript_is_cut_at_a_word() -> None:
    """GR-GET-3"""
    whole = "whale " * 800_000
    cut, told = transcript(whole)
    assert told is True
    assert len(cut.encode()) <= 4 * 1024 * 1024
    assert cut.endswith("whale")
    assert transcript("short") == ("short", False)


def test_list_recent_answers_as_documented(claude: Graniite, person: Caller, clock: FakeClock) -> None:
    """GR-LST-1, GR-LST-3, GR-RST-3: the reference's example of list_recent."""
    first = claude.add("The first of the notes.", "First")
    clock.advance(DAY)
    second = claude.add("The second of the notes.", "Second")
    archived = claude.add("The third of the notes.", "Third")
    perform(claude.app, person, Amend(id=archived, archived=True))
    answered = claude.call("list_recent")
    rows = answered["structuredContent"]["items"]
    assert [row["user_item_id"] for row in rows] == [second, first]
    assert list(rows[0]) == ROW
    assert answered["content"][0]["text"] == (
        f"1. Second (text, 2024-10-05) — {second}\n2. First (text, 2024-10-04) — {first}"
    )
    assert len(claude.done("list_recent", limit=1)["items"]) == 1


def test_a_scoped_token_lists_its_folders(claude: Graniite, person: Caller) -> None:
    """GR-LST-2"""
    inside = claude.add("Inside of the folder Trip.")
    claude.add("Outside of the folder Trip.")
    scoped = claude.as_token(folders=(folder(claude, person, "Trip", inside), folder(claude, person, "Other")))
    assert [row["user_item_id"] for row in scoped.done("list_recent")["items"]] == [inside]
    empty = claude.as_token(folders=(folder(claude, person, "Empty"),)).call("list_recent")
    assert empty["content"][0]["text"] == "Nothing here yet: the folders this token can see are empty."
    assert empty["structuredContent"] == {"items": []}


# Add


def test_add_to_knowledge_answers_as_documented(claude: Graniite) -> None:
    """GR-ADD-1, GR-ADD-2, GR-ADD-9: the seed's example of add_to_knowledge."""
    answered = claude.done("add_to_knowledge", **STANDUP)
    assert list(answered) == ["status", "user_item_id", "content_id", "folder_id"]
    assert (answered["status"], answered["folder_id"]) == ("ready", None)
    assert claude.search("ship the API docs")[0]["user_item_id"] == answered["user_item_id"]
    item = claude.done("get_item", item_id=answered["user_item_id"])
    assert (item["title"], item["transcript"], item["auto_transform"]) == (STANDUP["title"], STANDUP["text"], False)
    other = claude.add("With a transform, please.", auto_transform=True)
    assert claude.done("get_item", item_id=other)["auto_transform"] is True


def test_a_token_of_one_folder_files_there(claude: Graniite, person: Caller) -> None:
    """GR-ADD-2"""
    trip, other = folder(claude, person, "Trip"), folder(claude, person, "Other")
    one, two = claude.as_token(folders=(trip,)), claude.as_token(folders=(trip, other))
    assert one.done("add_to_knowledge", **STANDUP)["folder_id"] == trip
    assert two.done("add_to_knowledge", **STANDUP)["folder_id"] is None
    assert len(two.done("list_recent")["items"]) == 1


def test_equal_texts_are_two_items_of_one_content(claude: Graniite) -> None:
    """GR-ADD-8"""
    one, two = claude.done("add_to_knowledge", **STANDUP), claude.done("add_to_knowledge", **STANDUP)
    other = claude.done("add_to_knowledge", **{**STANDUP, "text": "Another text of some length."})
    assert one["user_item_id"] != two["user_item_id"]
    assert one["content_id"] == two["content_id"] != other["content_id"]


def test_limits_hold_at_their_edges(claude: Graniite) -> None:
    """GR-ADD-4"""
    claude.done("add_to_knowledge", kind="text", title="t" * 500, text="x" * 20)
    claude.done("add_to_knowledge", kind="text", title="t", text="word " * 100_000, in_kb=False)
    item = claude.add("one line\r\nand another line")
    assert claude.done("get_item", item_id=item)["transcript"] == "one line\nand another line"
    for given in ({"text": "x" * 19}, {"text": "x" * 500_001}, {"title": ""}, {"title": "t" * 501}):
        assert claude.error("add_to_knowledge", **{**STANDUP, **given})["data"]["reason"] == "invalid_params"


def test_a_url_beside_a_text_is_ignored_with_notice(claude: Graniite) -> None:
    """GR-ADD-6, GR-ENV-2"""
    answered = claude.call("add_to_knowledge", **STANDUP, url="https://example.org/", colour="red")
    assert answered["_meta"] == {"commonplace/ignored_arguments": ["url", "colour"]}
    item = answered["structuredContent"]["user_item_id"]
    assert claude.done("get_item", item_id=item)["url"] is None


@pytest.mark.parametrize(
    "given",
    [
        *({"kind": kind} for kind in ("file", "binary", "pdf", "image", "audio", "video")),
        {"kind": "url", "url": "data:text/plain;base64,aGk="},
        *(
            {**STANDUP, field: value}
            for field, value in (("file", "x"), ("data", {}), ("base64", True), ("bytes", [1]))
        ),
    ],
)
def test_bytes_are_refused(claude: Graniite, given: dict[str, Any]) -> None:
    """GR-ADD-5: row forbidden_binary."""
    error = claude.error("add_to_knowledge", **given)
    assert error["code"] == -32602
    assert error["data"] == {"reason": "forbidden_binary", "use": "/api/v1/uploads/signed-url"}
    assert claude.done("list_recent")["items"] == []


@pytest.mark.parametrize(
    ("tool", "given", "param"),
    [
        ("search_knowledge_base", {}, "query"),
        ("search_knowledge_base", {"query": " "}, "query"),
        ("search_knowledge_base", {"query": "x" * 8193}, "query"),
        ("search_knowledge_base", {"query": "x", "limit": 0}, "limit"),
        ("search_knowledge_base", {"query": "x", "limit": 21}, "limit"),
        ("search_knowledge_base", {"query": "x", "limit": "8"}, "limit"),
        ("search_knowledge_base", {"query": "x", "mode": "fuzzy"}, "mode"),
        ("get_item", {}, "item_id"),
        ("get_item", {"item_id": "nope"}, "item_id"),
        ("list_recent", {"limit": 0}, "limit"),
        ("list_recent", {"limit": 101}, "limit"),
        ("add_to_knowledge", {}, "kind"),
        ("add_to_knowledge", {"kind": "rss"}, "kind"),
        ("add_to_knowledge", {"kind": "url"}, "url"),
        ("add_to_knowledge", {"kind": "url", "url": "https://example.org/" + "x" * 2048}, "url"),
        ("add_to_knowledge", {"kind": "text", "title": "t"}, "text"),
        ("add_to_knowledge", {"kind": "text", "text": "x" * 20}, "title"),
        ("add_to_knowledge", {**STANDUP, "in_kb": "yes"}, "in_kb"),
    ],
)
def test_bad_arguments_are_named(claude: Graniite, tool: str, given: dict[str, Any], param: str) -> None:
    """GR-ERR-1: row invalid_params."""
    error = claude.error(tool, **given)
    assert (error["code"], error["data"]) == (-32602, {"reason": "invalid_params", "param": param})
    assert error["message"].startswith("Invalid params: ")


def test_messages_are_as_in_the_reference(claude: Graniite) -> None:
    """GR-ERR-1"""
    error = claude.error("search_knowledge_base", query="x", limit=21)
    assert error["message"] == "Invalid params: limit must be between 1 and 20"
    unknown = claude.error("delete_item")
    assert (unknown["code"], unknown["data"]) == (-32602, {"reason": "invalid_params"})


def test_addresses_outside_the_web_are_refused(claude: Graniite) -> None:
    """GR-ERR-1: rows url_not_allowed and ingest_failed."""
    error = claude.error("add_to_knowledge", kind="url", url="ftp://example.org/file")
    assert (error["code"], error["data"]) == (-32602, {"reason": "url_not_allowed", "param": "url"})
    failed = claude.error("add_to_knowledge", kind="url", url="https://example.org/")
    assert (failed["code"], failed["data"]["reason"]) == (-32603, "ingest_failed")
    assert failed["data"]["url"] == "https://example.org/"


def test_a_token_without_the_right_to_write_may_only_read(claude: Graniite) -> None:
    """GR-AUT-2, GR-ERR-3: row capability_denied."""
    reader = claude.as_token(scopes=frozenset({Scope.READ}))
    error = reader.error("add_to_knowledge")
    assert (error["code"], error["data"]) == (
        403,
        {"reason": "capability_denied", "required": "write", "have": ["read"]},
    )
    assert reader.search("x") == []


def test_a_sensitive_default_collection_is_refused(claude: Graniite, person: Caller) -> None:
    """GR-ADD-11, GR-AUT-6: row sensitive_collection."""
    perform(claude.app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    error = claude.error("add_to_knowledge", **STANDUP)
    assert (error["code"], error["data"]) == (403, {"reason": "sensitive_collection"})


def test_the_hourly_cap_of_a_tool_holds_where_it_is_on(claude: Graniite, clock: FakeClock) -> None:
    """GR-ERR-2, GR-ERR-3, GR-ERR-4: row rate_limited."""
    token = claude.as_token(token_id=str(UUID(int=7)))
    set_workspace(claude.app, "default", settings={"rate_caps": "on"})
    for _ in range(5):
        token.error("add_to_knowledge", kind="text")
    for _ in range(60):
        token.done("add_to_knowledge", **STANDUP, in_kb=False)
    reply = token.send("tools/call", {"name": "add_to_knowledge", "arguments": STANDUP})
    error = reply.body["error"]
    assert (error["code"], error["data"]["reason"]) == (-32605, "rate_limited")
    wait = error["data"]["retry_after_sec"]
    assert error["message"] == f"Rate limited: retry after {wait} s"
    assert (reply.status, reply.headers["Retry-After"]) == (200, str(wait))
    assert token.done("list_recent", limit=1)["items"]
    clock.advance(61 * MINUTE)
    token.done("add_to_knowledge", **STANDUP, in_kb=False)


def test_without_a_plan_there_are_no_caps(claude: Graniite) -> None:
    """GR-ERR-4"""
    token = claude.as_token(token_id=str(UUID(int=7)))
    for _ in range(61):
        token.done("add_to_knowledge", **STANDUP, in_kb=False)


def test_failures_of_the_server_have_codes(claude: Graniite) -> None:
    """GR-ERR-1: rows internal, quota_exceeded, plan_limit and unavailable."""
    internal = wire_error(Upstream("The embedder is gone."), None)
    assert (internal.code, internal.data) == (-32603, {"reason": "internal"})
    down = wire_error(Unavailable(), None)
    assert (down.code, down.status, down.data) == (503, 503, {"reason": "unavailable", "component": "store"})
    used_up = Quota("No minutes left.", resource="transcription_minutes", tier="private", cap_per_month=60)
    assert wire_error(used_up, None).data == {
        "reason": "quota_exceeded",
        "resource": "transcription_minutes",
        "tier": "private",
        "cap_per_month": 60,
    }
    full = wire_error(Quota("Full.", resource="memories", limit=100, used=100, required_plan="pro"), None)
    assert (full.code, full.data["reason"], full.data["limit"]) == (402, "plan_limit", 100)
    assert Graniite(claude.on(embedder=None).app, GRANIITE, claude.caller).error(
        "search_knowledge_base", query="x"
    ) == {
        "code": -32603,
        "message": "Internal error",
        "data": {"reason": "internal"},
    }
