"""The Graphnosis contract, through the dispatcher: seed document 004 and its rules."""

import json
import re

import msgspec
import pytest
from asking import Speaker, speaker

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    CreateCollection,
    CreateFolder,
    DecideReview,
    FileItem,
    Get,
    History,
    ListReviews,
    Move,
    SetCollection,
    Supersede,
)
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import RateLimited, Unavailable, Upstream
from commonplace.model.interval import DAY, MINUTE, SECOND
from commonplace.server.protocol import Peer, answer
from commonplace.surfaces.contract import RpcError
from commonplace.surfaces.graphnosis import GRAPHNOSIS, wire_error
from commonplace.surfaces.schema import listing
from support import FakeClock, rows

PIPELINE = "The deployment pipeline runs on GitHub Actions."
ENDPOINT = "The API endpoint is /v1/search."
CHANGE = "The endpoint changed from /v1/search to /v2/query in March 2025."
ID = r"_[0-7][0-9a-hjkmnp-tv-z]{25}"


@pytest.fixture
def claude(sqlite_app: App) -> Speaker:
    return speaker(GRAPHNOSIS, sqlite_app)


def engram(claude: Speaker, person: Caller, name: str, tier: Tier = Tier.PERSONAL) -> None:
    perform(claude.app, person, CreateCollection(name=name, tier=tier))


def chunk_of(claude: Speaker, text: str, **given: str) -> tuple[str, str]:
    """A stored text's chunk and source."""
    source = claude.done("remember", text=text, **given)["sourceId"]
    found = claude.done("recall", query=text, minScore=0, topK=32)["results"]
    return next(each["chunkId"] for each in found if each["sourceId"] == source), source


def sensitive_chunk(claude: Speaker, person: Caller) -> tuple[str, str]:
    """A chunk and its source in an engram that became sensitive after it was stored."""
    engram(claude, person, "Diary")
    found = chunk_of(claude, "Password hint: the first cat.", graphId="diary")
    perform(claude.app, person, SetCollection(slug="diary", tier=Tier.SENSITIVE))
    return found


# The surface


def test_tools_are_listed_with_the_seeds_parameters_alone() -> None:
    """GN-TRN-2"""
    shown = {tool["name"]: list(tool["inputSchema"]["properties"]) for tool in listing(GRAPHNOSIS)}
    assert shown == {
        "recall": ["query", "graphs", "topK", "minScore"],
        "remember": ["text", "graphId", "target_engram", "label", "kind"],
        "correct": ["chunkId", "proposal"],
        "apply": ["correctionId"],
        "forget": ["chunkId", "sourceId"],
        "stats": [],
    }


def test_schemas_give_the_documented_defaults_and_bounds() -> None:
    """GN-TRN-2"""
    tools = {tool["name"]: tool for tool in listing(GRAPHNOSIS)}
    recall = tools["recall"]["inputSchema"]
    assert recall["required"] == ["query"]
    assert recall["additionalProperties"] is False
    top, floor = recall["properties"]["topK"], recall["properties"]["minScore"]
    assert (top["type"], top["default"], top["minimum"], top["maximum"]) == ("integer", 8, 1, 32)
    assert (floor["type"], floor["default"], floor["minimum"], floor["maximum"]) == ("number", 0.3, 0, 1)
    assert tools["remember"]["inputSchema"]["properties"]["kind"]["enum"] == ["clip", "ai-conversation"]
    assert tools["forget"]["annotations"]["destructiveHint"] is True
    assert tools["recall"]["annotations"]["readOnlyHint"] is True


def test_a_call_without_handshake_is_answered(claude: Speaker) -> None:
    """GN-TRN-1"""
    peer = Peer(GRAPHNOSIS, claude.app, claude.caller, perform)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "stats", "arguments": {}}}
    reply = answer(peer, msgspec.json.encode(call))
    assert reply is not None
    assert reply.body["result"]["structuredContent"]["totalSources"] == 0


def test_only_protocol_faults_are_json_rpc_errors(claude: Speaker) -> None:
    """GN-ERR-1"""
    peer = Peer(GRAPHNOSIS, claude.app, claude.caller, perform)
    reply = answer(peer, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/cull"}')
    assert reply is not None
    assert reply.body["error"]["code"] == -32601
    assert claude.refused("recollect")["error"] == "unknown_tool"


def test_the_text_is_the_documented_object_and_nothing_else(claude: Speaker) -> None:
    """GN-ENV-1"""
    answered = claude.call("remember", text=PIPELINE)
    (content,) = answered["content"]
    assert content["type"] == "text"
    assert json.loads(content["text"]) == answered["structuredContent"]


@pytest.mark.parametrize(("alias", "tool"), [("remind", "recall"), ("edit", "correct")])
def test_older_names_of_tools_are_answered(alias: str, tool: str) -> None:
    """GN-TRN-2"""
    found = GRAPHNOSIS.find(alias)
    assert found is not None
    assert found.name == tool


# Recall


def test_recall_answers_as_documented(claude: Speaker, person: Caller) -> None:
    """GN-ENV-2, GN-ENV-3, GN-ENV-4, GN-RCL-6: the seed's example of recall."""
    engram(claude, person, "Work")
    chunk, source = chunk_of(claude, PIPELINE, graphId="work", label="deployment-notes.md")
    answered = claude.done("recall", query="deployment pipeline", graphs=["work"], topK=5)
    (found,) = answered["results"]
    assert list(answered) == ["results", "totalTokens", "truncated"]
    assert list(found) == ["chunkId", "sourceId", "graph", "text", "score", "sourceName", "updatedAt"]
    assert (found["chunkId"], found["sourceId"], found["graph"]) == (chunk, source, "work")
    assert (found["text"], found["sourceName"]) == (PIPELINE, "deployment-notes.md")
    assert re.fullmatch("chk" + ID, chunk)
    assert re.fullmatch("src" + ID, source)
    assert found["updatedAt"] == "2024-10-04T00:00:00Z"
    assert (answered["totalTokens"], answered["truncated"]) == (-(-len(PIPELINE) // 4), False)


def test_recall_sorts_by_cosine_above_the_floor(claude: Speaker) -> None:
    """GN-RCL-1, GN-RCL-2"""
    for text in ("red apple", "red apple pie", "blue sky", "red"):
        claude.done("remember", text=text, label="-")
    found = claude.done("recall", query="red apple")["results"]
    scores = [each["score"] for each in found]
    assert [each["text"] for each in found] == ["red apple", "red apple pie", "red"]
    assert scores == sorted(scores, reverse=True)
    assert all(0.3 <= score <= 1 and score == round(score, 4) for score in scores)
    everything = claude.done("recall", query="red apple", minScore=0)["results"]
    assert len(everything) == 4
    assert min(each["score"] for each in everything) >= 0


def test_equal_scores_are_in_the_order_of_their_chunks(claude: Speaker) -> None:
    """GN-RCL-1"""
    for _ in range(3):
        claude.done("remember", text="twin", label="twin")
    found = [each["chunkId"] for each in claude.done("recall", query="twin")["results"]]
    assert found == sorted(found)
    assert len(found) == 3


def test_nothing_found_is_an_empty_answer(claude: Speaker) -> None:
    """GN-RCL-1"""
    assert claude.done("recall", query="nothing") == {"results": [], "totalTokens": 0, "truncated": False}


def test_the_cosine_is_seen_from_the_embedders_centre(claude: Speaker) -> None:
    """GN-RCL-2"""

    class Shifted:
        name, dimensions = "shifted", 2

        def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            import numpy as np

            rows = np.array([[10.0, 1.0] if "yes" in text else [10.0, -1.0] for text in texts], np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        def centred(self, vectors):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            import numpy as np

            moved = vectors - np.array([10 / 101**0.5, 0], np.float32)
            return moved / np.linalg.norm(moved, axis=1, keepdims=True)

    client = claude.on(embedder=Shifted())
    client.done("remember", text="yes")
    client.done("remember", text="no")
    found = client.done("recall", query="yes yes", minScore=0)["results"]
    assert [(each["text"], round(each["score"], 1)) for each in found] == [("yes", 1.0), ("no", 0.0)]


def test_sensitive_engrams_are_never_recalled(claude: Speaker, person: Caller) -> None:
    """GN-RCL-3, GN-TIE-1, GN-TIE-2"""
    sensitive_chunk(claude, person)
    claude.done("remember", text="Password rules: long ones.")
    found = claude.done("recall", query="password hint cat", minScore=0)["results"]
    assert [each["graph"] for each in found] == ["personal"]
    named = claude.call("recall", query="password", graphs=["Diary"])
    assert named["structuredContent"]["results"] == []
    assert named["_meta"] == {"commonplace/excluded_graphs": ["Diary"]}


def test_only_the_named_engrams_are_searched(claude: Speaker, person: Caller) -> None:
    """GN-RCL-4, GN-RES-1"""
    engram(claude, person, "Book Notes")
    claude.done("remember", text="a note on whales", graphId="book-notes")
    claude.done("remember", text="a note on whales")
    for name in ("book-notes", "Book Notes", "booknotes"):
        found = claude.done("recall", query="note whales", graphs=[name])["results"]
        assert [each["graph"] for each in found] == ["book-notes"]
    assert claude.refused("recall", query="x", graphs=[])["error"] == "invalid_params"
    unknown = claude.refused("recall", query="x", graphs=["cooking"])
    assert (unknown["error"], unknown["name"]) == ("graph_not_found", "cooking")
    assert unknown["existing"] == ["book-notes", "personal"]


def test_the_cap_of_an_engram_drops_its_lower_chunks_and_says_so(claude: Speaker, person: Caller) -> None:
    """GN-RCL-5"""
    engram(claude, person, "Work")
    perform(claude.app, person, SetCollection(slug="personal", recall_cap=500))
    word = "pipeline "
    for _ in range(2):
        claude.done("remember", text=word * 150, label="-")
    claude.done("remember", text=word * 150, label="-", graphId="work")
    found = claude.done("recall", query="pipeline")
    assert sorted(each["graph"] for each in found["results"]) == ["personal", "work"]
    assert found["truncated"] is True
    assert found["totalTokens"] == sum(-(-len(each["text"]) // 4) for each in found["results"])
    first = claude.done("recall", query="pipeline", topK=1)
    assert (len(first["results"]), first["truncated"]) == (1, False)


def test_a_call_has_a_budget_of_its_own(claude: Speaker) -> None:
    """GN-RCL-5"""
    claude.done("remember", text="one two three four", label="-")
    claude.done("remember", text="one two three", label="-")
    found = claude.done("recall", query="one two three four", maxTokens=5)
    assert [each["text"] for each in found["results"]] == ["one two three four"]
    assert (found["totalTokens"], found["truncated"]) == (5, True)
    none = claude.done("recall", query="one two three four", maxTokens=4)
    assert none == {"results": [], "totalTokens": 0, "truncated": True}


def test_several_chunks_of_one_source_are_results_of_their_own(claude: Speaker) -> None:
    """GN-RCL-1, GN-REM-2"""
    text = "# Alpha\n\nwhale song\n\n# Beta\n\nwhale song\n"
    stored = claude.done("remember", text=text, label="-")
    found = claude.done("recall", query="whale song", minScore=0)["results"]
    assert stored["nodeCount"] == 2
    assert {each["sourceId"] for each in found} == {stored["sourceId"]}
    assert len({each["chunkId"] for each in found}) == 2


def test_old_versions_and_what_is_out_of_the_knowledge_base_are_no_chunks(claude: Speaker, person: Caller) -> None:
    """GN-RCL-7"""
    _, source = chunk_of(claude, "The office is in Bonn.")
    _, hidden = chunk_of(claude, "The office has a cat.")
    perform(claude.app, person, Supersede(id=source, text="The office is in Mainz."))
    perform(claude.app, person, Amend(id=hidden, in_kb=False))
    found = claude.done("recall", query="The office is in Bonn.", minScore=0)["results"]
    assert [each["text"] for each in found] == ["The office is in Mainz."]


def test_a_token_for_a_folder_sees_only_what_is_in_it(claude: Speaker, person: Caller) -> None:
    """GN-RCL-7"""
    folder = perform(claude.app, person, CreateFolder(name="Trip"))
    _, inside = chunk_of(claude, "train to Rome")
    claude.done("remember", text="train to Oslo")
    perform(claude.app, person, FileItem(id=inside, folders=(folder.id,)))
    scoped = claude.acting(folders=(folder.id,))
    assert [each["sourceId"] for each in scoped.done("recall", query="train to", minScore=0)["results"]] == [inside]
    assert scoped.done("stats")["totalSources"] == 1


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x" * 8193}, "query"),
        ({"query": "x", "topK": 0}, "topK"),
        ({"query": "x", "topK": 33}, "topK"),
        ({"query": "x", "topK": 1.5}, "topK"),
        ({"query": "x", "minScore": -0.1}, "minScore"),
        ({"query": "x", "minScore": 1.1}, "minScore"),
        ({"query": "x", "minScore": "high"}, "minScore"),
        ({"query": "x", "graphs": "work"}, "graphs"),
        ({"query": "x", "graphs": ["!?"]}, "graphs"),
    ],
)
def test_bad_arguments_of_recall_are_named(claude: Speaker, given: dict[str, object], param: str) -> None:
    """GN-ERR-2: row invalid_params."""
    refusal = claude.refused("recall", **given)
    assert (refusal["error"], refusal["param"]) == ("invalid_params", param)


def test_limits_hold_at_their_edges(claude: Speaker) -> None:
    """GN-ERR-3"""
    claude.done("recall", query="x" * 8192, topK=32, minScore=1)
    claude.done("recall", query="x", topK="1", minScore="0.0", graphs=None)
    claude.done("recall", query="x", topK=None)
    assert claude.refused("recall", query="x", topK="33")["param"] == "topK"


# Stats


def test_stats_counts_as_documented(claude: Speaker, person: Caller) -> None:
    """GN-STA-1, GN-STA-2, GN-STA-3: the seed's example of stats."""
    sensitive_chunk(claude, person)
    engram(claude, person, "Work")
    claude.done("remember", text=PIPELINE, graphId="work")
    claude.done("remember", text=ENDPOINT, graphId="work")
    answered = claude.done("stats", includeNodes=True)
    tokens = -(-len(PIPELINE) // 4) - (-len(ENDPOINT) // 4)
    assert answered["graphs"] == [
        {"name": "personal", "tier": "personal", "sources": 0, "chunks": 0, "estimatedTokens": 0},
        {"name": "work", "tier": "personal", "sources": 2, "chunks": 2, "estimatedTokens": tokens},
    ]
    assert (answered["totalSources"], answered["totalChunks"]) == (2, 2)
    assert (answered["embeddingModel"], answered["embeddingDimensions"]) == ("hashed-words-1", 384)
    assert answered["cortexDbSizeBytes"] == len(PIPELINE) + len(ENDPOINT)
    assert list(answered) == [
        "cortexPath",
        "graphs",
        "totalSources",
        "totalChunks",
        "embeddingModel",
        "embeddingDimensions",
        "cortexDbSizeBytes",
    ]


def test_the_path_of_the_store_is_for_its_keeper_alone(claude: Speaker) -> None:
    """GN-STA-3"""
    assert claude.done("stats")["cortexPath"] == claude.app.db.engine.location
    reader = claude.acting(scopes=frozenset({Scope.READ}))
    assert reader.done("stats")["cortexPath"] == "commonplace://default"


# Remember


def test_remember_answers_as_documented(claude: Speaker, person: Caller) -> None:
    """GN-REM-1, GN-REM-3, GN-ENV-2: the seed's example of remember."""
    engram(claude, person, "Work decisions")
    text = "Decided to use PostgreSQL for the new service. SQLite was ruled out due to concurrent write requirements."
    given = {"text": text, "target_engram": "Work decisions", "label": "DB choice", "kind": "clip"}
    answered = claude.done("remember", **given)
    assert list(answered) == ["sourceId", "graphId", "nodeCount"]
    assert (answered["graphId"], answered["nodeCount"]) == ("work-decisions", 1)
    (event, *_) = perform(claude.app, person, History())
    assert event.kind == "ingest"
    assert claude.done("recall", query="PostgreSQL for the new service")["results"][0]["sourceName"] == "DB choice"


@pytest.mark.parametrize("name", ["Book Notes", "book-notes", "booknotes", "BOOK_NOTES"])
def test_one_engram_has_many_spellings(claude: Speaker, person: Caller, name: str) -> None:
    """GN-RES-1, GN-RES-2"""
    engram(claude, person, "Book Notes")
    assert claude.done("remember", text="x", target_engram=name)["graphId"] == "book-notes"
    assert claude.done("remember", text="x", graphId=name)["graphId"] == "book-notes"


@pytest.mark.parametrize("name", ["日記", "дневник"])
def test_names_of_any_script_are_names(claude: Speaker, person: Caller, name: str) -> None:
    """GN-RES-1"""
    engram(claude, person, name)
    slug = claude.done("remember", text="x", target_engram=name)["graphId"]
    assert slug in {each["name"] for each in claude.done("stats")["graphs"]}
    assert claude.refused("remember", text="x", target_engram="...")["param"] == "target_engram"


def test_without_a_target_it_goes_to_the_default_engram(claude: Speaker) -> None:
    """GN-REM-3"""
    assert claude.done("remember", text="x")["graphId"] == "personal"
    assert claude.done("remember", text="x", graphId=None, target_engram=None)["graphId"] == "personal"


def test_the_slug_beats_the_name(claude: Speaker, person: Caller) -> None:
    """GN-REM-3"""
    engram(claude, person, "Work")
    other = claude.call("remember", text="x", graphId="work", target_engram="Private")
    assert other["structuredContent"]["graphId"] == "work"
    assert other["_meta"] == {"commonplace/ignored_arguments": ["target_engram"]}
    assert "_meta" not in claude.call("remember", text="x", graphId="work", target_engram="Work")


def test_an_unknown_slug_goes_through_the_resolver(claude: Speaker) -> None:
    """GN-REM-3, GN-RES-8"""
    refusal = claude.refused("remember", text="x", graphId="cooking")
    assert (refusal["error"], refusal["requested"]) == ("engram_unresolved", "cooking")
    assert claude.done("stats")["totalSources"] == 0
    assert len(claude.done("stats")["graphs"]) == 1


def test_near_names_are_told_and_nothing_is_written(claude: Speaker, person: Caller) -> None:
    """GN-RES-3, GN-RES-4, GN-RES-5, GN-RES-6: row engram_unresolved."""
    engram(claude, person, "Book Notes")
    engram(claude, person, "Secret Book", Tier.SENSITIVE)
    answered = claude.call("remember", text="A whale of a book.", target_engram="Book")
    fields = answered["structuredContent"]
    assert list(fields)[2:] == ["resolution", "requested", "candidates", "existing", "pendingReviewId", "retry"]
    assert (fields["error"], fields["resolution"], fields["retry"]) == ("engram_unresolved", "ambiguous", False)
    assert fields["candidates"] == [
        {"graphId": "book-notes", "displayName": "Book Notes", "score": 0.9, "reason": "substring"}
    ]
    assert "Secret" not in json.dumps(answered)
    assert "Book Notes" in answered["content"][0]["text"]
    assert "do not call again" in answered["content"][0]["text"]
    assert claude.done("stats")["totalSources"] == 0


def test_a_name_like_no_other_lists_all_engrams(claude: Speaker, person: Caller) -> None:
    """GN-RES-6"""
    engram(claude, person, "Work")
    answered = claude.call("remember", text="x", target_engram="Quarks")
    fields = answered["structuredContent"]
    assert (fields["resolution"], fields["candidates"]) == ("none", [])
    assert [each["graphId"] for each in fields["existing"]] == ["personal", "work"]
    assert "Work" in answered["content"][0]["text"]


def test_a_person_decides_where_an_unplaced_text_goes(claude: Speaker, person: Caller) -> None:
    """GN-RES-5, GN-RES-8"""
    asked = {"text": "Quarks are small.", "target_engram": "Physics", "label": "Quarks", "kind": "ai-conversation"}
    first = claude.refused("remember", **asked)["pendingReviewId"]
    assert claude.refused("remember", **asked)["pendingReviewId"] == first
    (review,) = perform(claude.app, person, ListReviews())
    assert (review.suggested, review.label, review.client) == ("Physics", "Quarks", "Claude")
    perform(claude.app, person, DecideReview(id=first, approve=True, create="Physics"))
    (found,) = claude.done("recall", query="Quarks are small.")["results"]
    assert (found["graph"], found["sourceName"]) == ("physics", "Quarks")
    assert perform(claude.app, person, ListReviews()) == []


def test_reviews_end_after_seven_days(claude: Speaker, person: Caller, clock: FakeClock) -> None:
    """GN-RES-5"""
    claude.refused("remember", text="x", target_engram="Physics")
    clock.advance(7 * DAY - SECOND)
    assert len(perform(claude.app, person, ListReviews())) == 1
    clock.advance(2 * SECOND)
    assert perform(claude.app, person, ListReviews()) == []


def test_writing_to_a_sensitive_engram_is_refused(claude: Speaker, person: Caller) -> None:
    """GN-REM-4, GN-TIE-1: row sensitive_graph."""
    engram(claude, person, "Diary", Tier.SENSITIVE)
    for given in ({"graphId": "diary"}, {"target_engram": "Diary"}):
        refusal = claude.refused("remember", text="x", **given)
        assert (refusal["error"], refusal["graph"]) == ("sensitive_graph", *given.values())
    assert perform(claude.app, person, ListReviews()) == []
    perform(claude.app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    refusal = claude.refused("remember", text="x")
    assert refusal["error"] == "sensitive_graph"
    assert "graph" not in refusal


def test_kind_and_client_are_kept_and_equal_texts_are_two_sources(claude: Speaker, person: Caller) -> None:
    """GN-REM-5"""
    one = claude.done("remember", text="the same", kind="ai-conversation")["sourceId"]
    two = claude.done("remember", text="the same")["sourceId"]
    items = [perform(claude.app, person, Get(id=each)).item for each in (one, two)]
    assert one != two
    assert [(item.platform, item.client) for item in items] == [("ai-conversation", "Claude"), ("clip", "Claude")]


def test_a_source_without_label_is_named_after_its_client(claude: Speaker) -> None:
    """GN-RCL-6, GN-REM-5"""
    claude.done("remember", text="apples are red")
    assert claude.done("recall", query="apples are red")["results"][0]["sourceName"] == "Note from Claude"
    nameless = speaker(GRAPHNOSIS, claude.app, None)
    nameless.done("remember", text="grass is green")
    assert claude.done("recall", query="grass is green")["results"][0]["sourceName"] == "Note"


def test_the_description_prefers_the_name_over_the_slug() -> None:
    """GN-REM-6, GN-COR-8"""
    tools = {tool.name: tool.summary for tool in GRAPHNOSIS.tools}
    assert "target_engram rather than graphId" in tools["remember"]
    assert "show the diff" in tools["correct"]


def test_short_texts_are_one_chunk_and_words_stay_whole(claude: Speaker) -> None:
    """GN-REM-2"""
    assert claude.done("remember", text="word " * 99)["nodeCount"] == 1
    text = " ".join(f"word{number}" for number in range(1500))
    stored = claude.done("remember", text=text)
    assert stored["nodeCount"] > 1
    words = set(text.split())
    found = claude.done("recall", query="word1 word2", minScore=0, topK=32)["results"]
    assert all(set(each["text"].split()) <= words for each in found if each["sourceId"] == stored["sourceId"])


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({}, "text"),
        ({"text": "\n"}, "text"),
        ({"text": "x" * 1_048_577}, "text"),
        ({"text": "x", "label": "l" * 201}, "label"),
        ({"text": "x", "target_engram": "n" * 201}, "target_engram"),
        ({"text": "x", "kind": "poem"}, "kind"),
        ({"text": "x", "engramm": "work"}, "engramm"),
        ({"text": "x", "note": "y"}, "text"),
    ],
)
def test_bad_arguments_of_remember_change_nothing(claude: Speaker, given: dict[str, object], param: str) -> None:
    """GN-ERR-2, GN-ERR-4, GN-ALI-1"""
    refusal = claude.refused("remember", **given)
    assert (refusal["error"], refusal["param"]) == ("invalid_params", param)
    assert claude.done("stats")["totalSources"] == 0


def test_an_unknown_argument_is_answered_with_the_known_ones(claude: Speaker) -> None:
    """GN-ERR-2"""
    assert claude.refused("apply", correctionId="x", force=True)["accepted"] == ["correctionId"]


# Correct and apply


def test_correct_answers_as_documented(claude: Speaker) -> None:
    """GN-COR-1, GN-COR-2, GN-COR-4, GN-COR-5: the seed's example of correct."""
    chunk, _ = chunk_of(claude, ENDPOINT)
    answered = claude.done("correct", chunkId=chunk, proposal=CHANGE)
    identifier = answered.pop("correctionId")
    assert re.fullmatch("cor" + ID, identifier)
    assert answered == {
        "chunkId": chunk,
        "originalText": ENDPOINT,
        "proposedText": "The API endpoint is /v2/query.",
        "diff": "- The API endpoint is /v1/search.\n+ The API endpoint is /v2/query.",
        "expiresAt": "2024-10-04T00:10:00Z",
        "method": "deterministic",
    }
    assert claude.done("recall", query=ENDPOINT)["results"][0]["text"] == ENDPOINT


@pytest.mark.parametrize(
    ("proposal", "corrected"),
    [
        ("Die Farbe hat sich von rot auf blau geändert.", "The colour is blue today."),
        ("it is blue, not red", "The colour is blue today."),
        ("es ist blau, nicht red", "The colour is blau today."),
        ("not red but blue", "The colour is blue today."),
        ('replace "red" with "dark blue"', "The colour is dark blue today."),
        ("ersetze red durch blue", "The colour is blue today."),
        ("red → blue", "The colour is blue today."),
        ("red is now blue", "The colour is blue today."),
        ("red ist jetzt blau", "The colour is blau today."),
    ],
)
def test_corrections_have_fixed_forms_in_two_languages(claude: Speaker, proposal: str, corrected: str) -> None:
    """GN-COR-4"""
    old = "rot" if "rot" in proposal else "red"
    chunk, _ = chunk_of(claude, f"The colour is {old} today.")
    expected = corrected.replace("blue", "blau") if "blau" in proposal else corrected
    assert claude.done("correct", chunkId=chunk, proposal=proposal)["proposedText"] == expected


def test_the_diff_goes_line_by_line(claude: Speaker) -> None:
    """GN-COR-1"""
    chunk, _ = chunk_of(claude, "Name: Ann\nCity: Bonn\nPet: cat")
    answered = claude.done("correct", chunkId=chunk, proposal="replace Bonn with Mainz")
    assert answered["diff"] == "  Name: Ann\n- City: Bonn\n+ City: Mainz\n  Pet: cat"


@pytest.mark.parametrize("proposal", ["Make it nicer.", "it is blue, not green"])
def test_what_cannot_be_read_is_refused_with_the_forms(claude: Speaker, proposal: str) -> None:
    """GN-COR-6: row cannot_rewrite."""
    chunk, _ = chunk_of(claude, "The colour is red.")
    refusal = claude.refused("correct", chunkId=chunk, proposal=proposal)
    assert refusal["error"] == "cannot_rewrite"
    assert refusal["forms"]
    assert "model" in refusal["model_hint"]


def test_a_rewriter_may_be_named(claude: Speaker) -> None:
    """GN-COR-3"""
    chunk, _ = chunk_of(claude, ENDPOINT)
    assert claude.done("edit", nodeId=chunk, correction=CHANGE, mode="deterministic")["method"] == "deterministic"
    assert claude.refused("edit", nodeId=chunk, correction=CHANGE, mode="llm-assisted")["error"] == "cannot_rewrite"


def test_a_correction_that_changes_nothing_is_refused(claude: Speaker) -> None:
    """GN-ENV-5: row no_change."""
    chunk, _ = chunk_of(claude, ENDPOINT)
    refusal = claude.refused("correct", chunkId=chunk, proposal="replace /v1/search with /v1/search")
    assert refusal["error"] in {"no_change", "cannot_rewrite"}


def test_apply_answers_as_documented(claude: Speaker, person: Caller, clock: FakeClock) -> None:
    """GN-APP-1, GN-APP-3, GN-APP-4, GN-OPL-1, GN-OPL-2: the seed's example of apply."""
    chunk, source = chunk_of(claude, ENDPOINT)
    correction = claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"]
    clock.advance(MINUTE)
    answered = claude.done("apply", correctionId=correction)
    assert list(answered) == ["chunkId", "applied", "newEmbeddingComputed", "opLogEventId"]
    assert (answered["chunkId"], answered["applied"], answered["newEmbeddingComputed"]) == (chunk, True, True)
    assert re.fullmatch("op" + ID, answered["opLogEventId"])
    (found,) = claude.done("recall", query="The API endpoint is /v2/query.")["results"]
    assert (found["chunkId"], found["sourceId"], found["updatedAt"]) == (chunk, source, "2024-10-04T00:01:00Z")
    assert found["text"] == "The API endpoint is /v2/query."
    (event, *_) = perform(claude.app, person, History())
    assert event.kind == "correction"
    assert perform(claude.app, person, Get(id=source)).text == "The API endpoint is /v2/query."


def test_a_correction_is_for_ten_minutes(claude: Speaker, clock: FakeClock) -> None:
    """GN-COR-2, GN-APP-2: row correction_expired."""
    chunk, _ = chunk_of(claude, ENDPOINT)
    early, late = (claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"] for _ in range(2))
    clock.advance(10 * MINUTE - SECOND)
    assert claude.done("apply", correctionId=early)["applied"] is True
    clock.advance(2 * SECOND)
    refusal = claude.refused("apply", correctionId=late)
    assert (refusal["error"], refusal["expiredAt"]) == ("correction_expired", "2024-10-04T00:10:00Z")


def test_a_correction_is_applied_once_and_to_what_was_shown(claude: Speaker) -> None:
    """GN-APP-2: rows correction_used and correction_stale."""
    chunk, _ = chunk_of(claude, ENDPOINT)
    first, second = (claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"] for _ in range(2))
    event = claude.done("apply", correctionId=first)["opLogEventId"]
    used = claude.refused("apply", correctionId=first)
    assert (used["error"], used["opLogEventId"]) == ("correction_used", event)
    stale = claude.refused("apply", correctionId=second)
    assert (stale["error"], stale["chunkId"]) == ("correction_stale", chunk)


def test_a_correction_of_a_forgotten_chunk_is_gone(claude: Speaker) -> None:
    """GN-APP-2, GN-FGT-2"""
    chunk, source = chunk_of(claude, ENDPOINT)
    correction = claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"]
    claude.done("forget", sourceId=source)
    assert claude.refused("apply", correctionId=correction)["error"] == "not_found"


def test_a_correction_is_no_new_version(claude: Speaker, person: Caller) -> None:
    """GN-APP-5"""
    chunk, source = chunk_of(claude, ENDPOINT)
    before = perform(claude.app, person, Get(id=source)).version
    claude.done("apply", correctionId=claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"])
    after = perform(claude.app, person, Get(id=source)).version
    assert (after.id, after.slug, after.valid) == (before.id, before.slug, before.valid)


def test_correcting_and_applying_in_a_sensitive_engram_is_refused(claude: Speaker, person: Caller) -> None:
    """GN-TIE-1, GN-TIE-2: row sensitive_graph."""
    engram(claude, person, "Diary")
    chunk, _ = chunk_of(claude, ENDPOINT, graphId="diary")
    correction = claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"]
    perform(claude.app, person, SetCollection(slug="diary", tier=Tier.SENSITIVE))
    assert claude.refused("correct", chunkId=chunk, proposal=CHANGE)["error"] == "sensitive_graph"
    assert claude.refused("apply", correctionId=correction)["error"] == "sensitive_graph"
    perform(claude.app, person, SetCollection(slug="diary", tier=Tier.PERSONAL))
    assert claude.refused("apply", correctionId=correction)["error"] == "correction_used"


@pytest.mark.parametrize(
    ("tool", "given", "param"),
    [
        ("correct", {"proposal": "a → b"}, "chunkId"),
        ("correct", {"chunkId": "chk"}, "proposal"),
        ("correct", {"chunkId": "chk", "proposal": " "}, "proposal"),
        ("correct", {"chunkId": "chk", "proposal": "x" * 4097}, "proposal"),
        ("apply", {}, "correctionId"),
        ("forget", {}, "chunkId"),
        ("forget", {"items": [{"node": "x"}]}, "items"),
        ("forget", {"nodeIds": ["x"] * 21}, "nodeIds"),
        ("stats", {"graph": "work"}, "graph"),
    ],
)
def test_bad_arguments_of_other_tools_are_named(
    claude: Speaker, tool: str, given: dict[str, object], param: str
) -> None:
    """GN-ERR-2"""
    refusal = claude.refused(tool, **given)
    assert (refusal["error"], refusal["param"]) == ("invalid_params", param)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("correct", {"chunkId": "chk_01j9ad7000e03r000000000007", "proposal": "a → b"}),
        ("correct", {"chunkId": "whatever", "proposal": "a → b"}),
        ("apply", {"correctionId": "cor_01j9ad7000e03r000000000007"}),
        ("forget", {"chunkId": "chk_01j9ad7000e03r000000000007"}),
        ("forget", {"sourceId": "memory_of_nothing_2024_10"}),
    ],
)
def test_what_is_not_there_is_not_found(claude: Speaker, tool: str, given: dict[str, str]) -> None:
    """GN-ERR-4: row not_found."""
    refusal = claude.refused(tool, **given)
    assert refusal["error"] == "not_found"
    assert refusal["id"] in given.values()


# Forget


def test_forget_answers_as_documented(claude: Speaker) -> None:
    """GN-FGT-1: the seed's example of forget."""
    text = "".join(f"# Part {number}\n\nwhale number {number}\n\n" for number in range(7))
    stored = claude.done("remember", text=text)
    assert claude.done("forget", sourceId=stored["sourceId"]) == {
        "deleted": True,
        "chunksRemoved": stored["nodeCount"],
        "sourceRemoved": True,
    }
    assert claude.done("recall", query="whale number", minScore=0)["results"] == []
    assert claude.done("stats")["totalSources"] == 0


def test_one_chunk_is_cut_out_and_the_last_one_takes_the_source(claude: Speaker, person: Caller) -> None:
    """GN-FGT-1, GN-FGT-5"""
    source = claude.done("remember", text="# A\n\nred fish\n\n# B\n\nblue fish\n")["sourceId"]
    found = claude.done("recall", query="red fish", minScore=0)["results"]
    red = next(each["chunkId"] for each in found if "red" in each["text"])
    blue = next(each["chunkId"] for each in found if "blue" in each["text"])
    assert claude.done("forget", chunkId=red) == {"deleted": True, "chunksRemoved": 1, "sourceRemoved": False}
    assert "red" not in perform(claude.app, person, Get(id=source)).text
    assert claude.done("forget", chunkId=blue) == {"deleted": True, "chunksRemoved": 1, "sourceRemoved": True}


def test_a_chunk_named_with_its_source_removes_the_source(claude: Speaker) -> None:
    """GN-FGT-1"""
    chunk, source = chunk_of(claude, PIPELINE)
    other, _ = chunk_of(claude, ENDPOINT)
    assert claude.refused("forget", chunkId=other, sourceId=source)["error"] == "invalid_params"
    assert claude.done("forget", chunkId=chunk, sourceId=source)["sourceRemoved"] is True
    assert claude.done("stats")["totalSources"] == 1


def test_a_chunk_is_no_source_and_a_source_no_chunk(claude: Speaker) -> None:
    """GN-ENV-3"""
    chunk, source = chunk_of(claude, PIPELINE)
    assert claude.refused("forget", sourceId=chunk)["error"] == "not_found"
    assert claude.refused("forget", chunkId=source)["error"] == "not_found"


def test_what_is_forgotten_is_in_no_table(claude: Speaker, person: Caller) -> None:
    """GN-FGT-2, GN-FGT-3"""
    chunk, source = chunk_of(claude, "The zebra code is quagga.", label="zebra")
    claude.done("apply", correctionId=claude.done("correct", chunkId=chunk, proposal="quagga → okapi")["correctionId"])
    claude.done("forget", sourceId=source)
    told = [
        str(rows(claude.app, person, table)) for table in ("event_payload", "content", "lexical", "proposal", "slug")
    ]
    assert not any(word in text for text in told for word in ("zebra", "quagga", "okapi"))
    assert perform(claude.app, person, History())[0].kind == "forget"
    assert claude.refused("forget", sourceId=source)["error"] == "not_found"


def test_forgetting_in_a_sensitive_engram_is_refused(claude: Speaker, person: Caller) -> None:
    """GN-FGT-4, GN-TIE-1: row sensitive_graph."""
    chunk, source = sensitive_chunk(claude, person)
    for given in ({"chunkId": chunk}, {"sourceId": source}):
        answered = claude.call("forget", **given)
        assert answered["structuredContent"]["error"] == "sensitive_graph"
        assert "commonplace forget" in answered["content"][0]["text"]
    assert perform(claude.app, person, Get(id=source)).text == "Password hint: the first cat."


def test_nothing_sensitive_shows_in_what_is_told(claude: Speaker, person: Caller) -> None:
    """GN-TIE-3, GN-STA-1"""
    sensitive_chunk(claude, person)
    told = [
        claude.call("stats"),
        claude.call("recall", query="password hint", minScore=0),
        claude.call("recall", query="x", graphs=["nowhere"]),
        claude.call("remember", text="x", target_engram="nowhere"),
    ]
    assert not any(word in json.dumps(each).casefold() for each in told for word in ("diary", "first cat"))


def test_every_form_of_an_id_is_understood(claude: Speaker, person: Caller) -> None:
    """GN-ENV-3"""
    _, source = chunk_of(claude, PIPELINE)
    version = perform(claude.app, person, Get(id=source)).version
    assert version.slug is not None
    assert claude.done("forget", sourceId=version.slug)["sourceRemoved"] is True
    chunk, _ = chunk_of(claude, ENDPOINT)
    uuid = perform(claude.app, person, Get(id=claude.done("recall", query=ENDPOINT)["results"][0]["sourceId"]))
    assert claude.done("forget", chunkId=uuid.chunk_ids[0])["sourceRemoved"] is True
    assert claude.refused("forget", chunkId=chunk.upper())["error"] == "not_found"


# Aliases


def test_aliases_of_recall_are_taken(claude: Speaker, person: Caller) -> None:
    """GN-ALI-1"""
    engram(claude, person, "Work")
    claude.done("remember", text="red fish", label="-")
    claude.done("remember", text="red fish", label="-", graph_id="work")
    ask = lambda **given: [each["graph"] for each in claude.done("recall", **given)["results"]]  # noqa: E731 - short
    assert ask(q="red fish", maxNodes=1) == ["personal"]
    assert len(ask(question="red fish", maxNodes="400")) == 2
    assert ask(query="red fish", only_engrams=["work"]) == ["work"]
    assert ask(query="red fish", engrams=["Work"], graphs=["Work"]) == ["work"]
    assert ask(query="red fish", except_engrams=["work"]) == ["personal"]
    assert claude.refused("recall", query="a", q="b")["param"] == "query"
    assert claude.refused("recall", query="a", topK=2, maxNodes=3)["param"] == "maxNodes"
    assert claude.refused("recall", query="a", graphs=["work"], except_engrams=["work"])["error"] == "invalid_params"
    assert len(ask(query="red fish", topK=2, maxNodes=2)) == 2


@pytest.mark.parametrize("name", ["note", "content", "body"])
def test_aliases_of_remember_are_taken(claude: Speaker, person: Caller, name: str) -> None:
    """GN-ALI-1"""
    engram(claude, person, "Work")
    for engram_name in ("graph_id", "engram_id", "graphID", "engram"):
        assert claude.done("remember", **{name: "x", engram_name: "work"})["graphId"] == "work"


def test_an_engram_beside_an_id_must_be_the_right_one(claude: Speaker, person: Caller) -> None:
    """GN-ALI-1, GN-ERR-2"""
    engram(claude, person, "Work")
    chunk, source = chunk_of(claude, ENDPOINT, graphId="work")
    for tool, given in (
        ("correct", {"chunkId": chunk, "proposal": CHANGE}),
        ("forget", {"chunkId": chunk}),
        ("forget", {"sourceId": source}),
    ):
        assert claude.refused(tool, **given, graphId="personal")["error"] == "invalid_params"
    correction = claude.done("correct", chunkId=chunk, proposal=CHANGE, graphId="Work")["correctionId"]
    assert claude.refused("apply", diffId=correction, graphId="personal")["error"] == "invalid_params"
    assert claude.done("apply", correction_id=correction, graphId="work")["applied"] is True
    assert claude.done("forget", source_id=source, graphId="work")["deleted"] is True


def test_several_chunks_are_forgotten_together_or_not_at_all(claude: Speaker) -> None:
    """GN-ALI-1, GN-ERR-4"""
    one, two = chunk_of(claude, "red fish")[0], chunk_of(claude, "blue fish")[0]
    assert claude.refused("forget", nodeIds=[one, "chk_01j9ad7000e03r000000000zzz"])["error"] == "not_found"
    assert claude.done("stats")["totalChunks"] == 2
    assert claude.done("forget", nodeIds=[one], items=[{"nodeId": two}])["chunksRemoved"] == 2


# Errors


def test_a_token_without_the_right_to_write_may_only_read(claude: Speaker) -> None:
    """GN-ERR-4: row capability_denied."""
    reader = claude.acting(scopes=frozenset({Scope.READ}))
    refusal = reader.refused("remember", text="x")
    assert (refusal["error"], refusal["required"], refusal["have"]) == ("capability_denied", "write", ["read"])
    for tool in ("correct", "apply", "forget"):
        assert reader.refused(tool)["error"] == "capability_denied"
    reader.done("recall", query="x")
    reader.done("stats")


def test_other_failures_have_their_codes(claude: Speaker) -> None:
    """GN-TRN-1, GN-APP-4: rows provider_error and internal."""
    failed = wire_error(Upstream("The model did not answer.", provider="ollama"), None)
    assert isinstance(failed, dict)
    assert failed["structuredContent"]["error"] == "provider_error"
    assert failed["structuredContent"]["provider"] == "ollama"
    busy, down = wire_error(RateLimited(retry_after_s=7), None), wire_error(Unavailable(), None)
    assert isinstance(busy, RpcError)
    assert isinstance(down, RpcError)
    assert (busy.status, busy.headers, down.status) == (429, {"Retry-After": "7"}, 503)
    broken = claude.on(embedder=None)
    assert broken.refused("recall", query="x")["error"] == "internal"


def test_a_failing_embedder_changes_nothing(claude: Speaker) -> None:
    """GN-APP-4, GN-ERR-4"""

    class Broken:
        name, dimensions = "hashed-words-1", 384

        def embed(self, _texts: object) -> object:
            raise Upstream("The embedder did not answer.", provider="embedder")

        def centred(self, vectors: object) -> object:
            return vectors

    chunk, _ = chunk_of(claude, ENDPOINT)
    correction = claude.done("correct", chunkId=chunk, proposal=CHANGE)["correctionId"]
    broken = claude.on(embedder=Broken())
    assert broken.refused("apply", correctionId=correction)["error"] == "provider_error"
    assert claude.done("recall", query=ENDPOINT)["results"][0]["text"] == ENDPOINT
    assert claude.done("apply", correctionId=correction)["applied"] is True


def test_tools_that_read_the_log_are_not_offered() -> None:
    """GN-OPL-3"""
    assert not any("log" in tool.name for tool in GRAPHNOSIS.tools)


def test_moving_into_a_sensitive_engram_hides_at_once(claude: Speaker, person: Caller) -> None:
    """GN-TIE-2"""
    engram(claude, person, "Diary", Tier.SENSITIVE)
    chunk, source = chunk_of(claude, ENDPOINT)
    perform(claude.app, person, Move(ids=(source,), collection="diary"))
    assert claude.done("recall", query=ENDPOINT, minScore=0)["results"] == []
    assert claude.refused("forget", chunkId=chunk)["error"] == "sensitive_graph"
