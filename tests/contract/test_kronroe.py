"""The Kronroe contract, through the dispatcher: seed document 003 and its rules."""

import re
from typing import Any

import pytest
from asking import Speaker, speaker
from client import Fields

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import CreateFolder, ListCollections, SetCollection
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import Invalid, RateLimited, Unavailable, Upstream
from commonplace.model.ids import parse
from commonplace.model.interval import DAY, SECOND, format_instant
from commonplace.surfaces.arguments import check
from commonplace.surfaces.contract import RpcError
from commonplace.surfaces.graphnosis import GRAPHNOSIS
from commonplace.surfaces.kronroe import KRONROE, wire_error
from commonplace.surfaces.schema import listing
from support import FakeClock

SENTENCE = "Alice joined Acme Corp in January 2025 as a senior engineer."
ID = r"kf_[0-7][0-9A-HJKMNP-TV-Z]{25}"
NOWHERE = "kf_01JHN2Z0G8R4V6T1B3C5D7E9FA"
FACT_FIELDS = [
    "id",
    "subject",
    "predicate",
    "object",
    "object_type",
    "valid_from",
    "valid_to",
    "recorded_at",
    "expired_at",
    "confidence",
    "source",
]
# The clock of the tests starts on 2024-10-04.
TODAY = "2024-10-04T00:00:00Z"


class Kronroe(Speaker):
    """A client of Kronroe."""

    def state(self, subject: str, predicate: str, value: object, **given: Any) -> str:
        """The id of a fact that was stated."""
        return str(self.done("assert_fact", subject=subject, predicate=predicate, object=value, **given)["fact_id"])

    def fact(self, identifier: str, entity: str = "alice") -> Fields:
        """A fact about an entity, closed or not."""
        held = self.done("facts_about", entity=entity, include_history=True)["facts"]
        return next(each for each in held if each["id"] == identifier)

    def objects(self, **given: Any) -> list[Any]:
        """The objects that recall finds."""
        return [each["object"] for each in self.done("recall", **given)["facts"]]

    def fails(self, tool: str, **given: Any) -> str:
        """The words of a failure."""
        result = self.call(tool, **given)
        assert result["isError"] is True, result
        assert result.keys() == {"content", "isError", "errorCode"}
        said: str = result["content"][0]["text"]
        assert said.startswith(f"[E{result['errorCode']}] ")
        return said


@pytest.fixture
def claude(sqlite_app: App) -> Kronroe:
    made = speaker(KRONROE, sqlite_app)
    return Kronroe(made.app, KRONROE, made.caller)


# The surface


def test_eleven_tools_are_listed_with_their_parameters() -> None:
    """KR-TRN-4"""
    search = ["min_confidence", "confidence_filter_mode", "max_scored_rows", "query_embedding", "use_hybrid"]
    search += ["temporal_intent", "temporal_operator", "at"]
    shown = {tool["name"]: list(tool["inputSchema"]["properties"]) for tool in listing(KRONROE)}
    assert shown == {
        "remember": ["text", "episode_id", "idempotency_key", "query_embedding"],
        "recall": ["query", "limit", "include_scores", *search],
        "recall_scored": ["query", "limit", *search],
        "assemble_context": ["query", "max_tokens", "query_embedding"],
        "facts_about": ["entity", "include_history"],
        "assert_fact": ["subject", "predicate", "object", "valid_from", "confidence", "source", "idempotency_key"],
        "correct_fact": ["fact_id", "new_value"],
        "invalidate_fact": ["fact_id"],
        "what_changed": ["entity", "since", "predicate"],
        "memory_health": ["entity", "predicate", "low_confidence_threshold", "stale_after_days"],
        "recall_for_task": ["task", "subject", "now", "horizon_days", "limit", "query_embedding", "use_hybrid"],
    }


def test_schemas_give_the_documented_defaults_and_bounds() -> None:
    """KR-ERR-1"""
    tools = {tool["name"]: tool["inputSchema"] for tool in listing(KRONROE)}
    limit = tools["recall"]["properties"]["limit"]
    assert (limit["default"], limit["minimum"], limit["maximum"]) == (10, 1, 200)
    assert tools["recall_for_task"]["properties"]["limit"]["default"] == 8
    assert tools["assemble_context"]["required"] == ["query", "max_tokens"]
    assert tools["assert_fact"]["properties"]["object"]["type"] == ["string", "integer", "number", "boolean"]
    assert tools["assert_fact"]["required"] == ["subject", "predicate", "object"]
    health = tools["memory_health"]["properties"]
    assert (health["low_confidence_threshold"]["default"], health["stale_after_days"]["default"]) == (0.7, 90)


def test_the_protocol_has_errors_of_its_own(claude: Kronroe) -> None:
    """KR-TRN-2, KR-TRN-3, KR-TRN-4"""
    assert claude.ask("initialize", {"protocolVersion": "2024-11-05"})["result"]["protocolVersion"] == "2024-11-05"
    assert "tools" in claude.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]["capabilities"]
    assert claude.ask("ping")["result"] == {}
    error = claude.ask("resources/cull")["error"]
    assert (error["code"], error["message"]) == (-32601, "method not found: resources/cull")


# Facts


def test_a_fact_is_shown_as_documented(claude: Kronroe) -> None:
    """KR-FCT-1, KR-AST-1: the seed's example of assert_fact."""
    answered = claude.call(
        "assert_fact",
        subject="alice",
        predicate="works_at",
        object="Acme Corp",
        confidence=0.95,
        source="user_statement",
        valid_from="2024-01-15T01:00:00+01:00",
    )
    identifier = answered["structuredContent"]["fact_id"]
    assert re.fullmatch(ID, identifier)
    assert answered["content"] == [{"type": "text", "text": f"asserted fact {identifier}"}]
    fact = claude.fact(identifier)
    assert list(fact)[:11] == FACT_FIELDS
    assert {name: fact[name] for name in FACT_FIELDS} == {
        "id": identifier,
        "subject": "alice",
        "predicate": "works_at",
        "object": "Acme Corp",
        "object_type": "text",
        "valid_from": "2024-01-15T00:00:00Z",
        "valid_to": None,
        "recorded_at": fact["recorded_at"],
        "expired_at": None,
        "confidence": 0.95,
        "source": "user_statement",
    }
    assert re.fullmatch(r"2024-10-04T00:00:00\.\d{1,6}Z", fact["recorded_at"])


@pytest.mark.parametrize(
    ("value", "kind"), [(41, "number"), (41.5, "number"), (True, "boolean"), ("41", "text"), ("", "text")]
)
def test_values_keep_their_type(claude: Kronroe, value: object, kind: str) -> None:
    """KR-AST-2"""
    fact = claude.fact(claude.state("alice", "shoe_size", value))
    assert (fact["object"], type(fact["object"]), fact["object_type"]) == (value, type(value), kind)


def test_earlier_values_stay_as_they_are(claude: Kronroe) -> None:
    """KR-AST-1, KR-FCT-2"""
    one, two = claude.state("alice", "works_at", "Acme"), claude.state("alice", "works_at", "Globex")
    assert [each["id"] for each in claude.done("facts_about", entity="alice")["facts"]] == [one, two]


def test_a_policy_may_refuse_contradictions(claude: Kronroe) -> None:
    """KR-AST-1: row 4001."""
    set_workspace(claude.app, "default", settings={"reject": ["works_at"]})
    claude.state("alice", "works_at", "Acme")
    said = claude.fails("assert_fact", subject="alice", predicate="works_at", object="Globex")
    assert said.startswith("[E4001] contradiction rejected: ")
    assert claude.objects(query="alice") == ["Acme"]


def test_a_key_gives_the_first_fact_again(claude: Kronroe) -> None:
    """KR-AST-2, KR-REM-3"""
    first = claude.state("alice", "likes", "tea", idempotency_key="k")
    assert claude.state("bob", "hates", "rain", idempotency_key="k") == first
    assert claude.done("facts_about", entity="bob")["facts"] == []
    assert claude.done("remember", text="Something else.", idempotency_key="k")["fact_ids"] == [first]


def test_confidences_are_clamped(claude: Kronroe) -> None:
    """KR-ERR-3"""
    assert claude.fact(claude.state("alice", "likes", "tea", confidence=7))["confidence"] == 1
    assert claude.fact(claude.state("alice", "likes", "rum", confidence=-1))["confidence"] == 0
    assert claude.objects(query="likes", min_confidence=3) == ["tea"]
    assert sorted(claude.objects(query="likes", min_confidence=-3, limit=None)) == ["rum", "tea"]


def test_subjects_match_whole_then_without_case_then_by_alias(claude: Kronroe) -> None:
    """KR-FCT-4"""
    claude.state("Alice Smith", "likes", "tea")
    claude.state("Alice", "likes", "rum")
    claude.state("alice", "likes", "milk")
    claude.state("Robert", "alias", "Bob")

    def of(entity: str) -> list[str]:
        return [each["object"] for each in claude.done("facts_about", entity=entity)["facts"]]

    assert (of("Alice"), of(" alice "), of("Alice Smith")) == (["rum"], ["milk"], ["tea"])
    assert of("ALICE SMITH") == ["tea"]
    assert of("Bob") == ["Bob"]
    assert of("Alice S") == []


def test_facts_of_sensitive_collections_are_invisible(claude: Kronroe, person: Caller) -> None:
    """KR-FCT-5, KR-ERR-2"""
    fact = claude.state("alice", "pin", "1234")
    perform(claude.app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    assert claude.done("facts_about", entity="alice", include_history=True)["facts"] == []
    assert claude.objects(query="alice pin 1234") == []
    assert claude.fails("invalidate_fact", fact_id=fact) == f"[E2001] not found: fact id {fact}"
    refusal = "[E2004] invalid input: the default collection is sensitive"
    assert claude.fails("assert_fact", subject="a", predicate="b", object=1) == refusal
    assert claude.fails("remember", text="x") == refusal
    assert len(perform(claude.app, person, ListCollections())) == 1


def test_facts_out_of_a_tokens_folders_are_invisible(claude: Kronroe, person: Caller) -> None:
    """KR-FCT-5"""
    claude.state("alice", "likes", "tea")
    folder = perform(claude.app, person, CreateFolder(name="Trip"))
    scoped = Kronroe(claude.app, KRONROE, claude.acting(folders=(folder.id,)).caller)
    assert scoped.objects(query="alice likes tea") == []
    scoped.state("bob", "likes", "rum")
    assert scoped.objects(query="likes") == ["rum"]


# Remember


def test_remember_answers_as_documented(claude: Kronroe) -> None:
    """KR-REM-1, KR-REM-5: the seed's example of remember."""
    before = claude.state("alice", "works_at", "Globex")
    answered = claude.call("remember", text=SENTENCE, episode_id="onboarding-chat")
    (note, *_) = answered["structuredContent"]["fact_ids"]
    assert answered["content"][0]["text"] == f"stored {len(answered['structuredContent']['fact_ids'])} fact(s)"
    fact = claude.fact(note, "onboarding-chat")
    assert (fact["predicate"], fact["object"], fact["confidence"]) == ("memory", SENTENCE, 1.0)
    assert fact["valid_from"] == fact["recorded_at"]
    assert fact["episode_id"] == "onboarding-chat"
    assert claude.fact(before)["expired_at"] is None


def test_a_remembered_text_is_found_on_the_other_surfaces(claude: Kronroe) -> None:
    """KR-REM-1"""
    claude.done("remember", text=SENTENCE)
    graphnosis = speaker(GRAPHNOSIS, claude.app)
    assert graphnosis.done("recall", query=SENTENCE)["results"][0]["text"] == SENTENCE
    assert claude.done("facts_about", entity="default")["facts"][0]["object"] == SENTENCE


def test_a_known_key_stores_nothing(claude: Kronroe) -> None:
    """KR-REM-3"""
    first = claude.done("remember", text=SENTENCE, idempotency_key="k")["fact_ids"]
    assert claude.done("remember", text="Another text.", idempotency_key="k")["fact_ids"] == first
    assert len(claude.done("facts_about", entity="default")["facts"]) == 1


# Correct and invalidate


def test_correct_closes_the_old_and_states_the_new_at_one_moment(claude: Kronroe, clock: FakeClock) -> None:
    """KR-COR-1: the seed's example of correct_fact."""
    old = claude.state("alice", "works_at", "Acme Corp", confidence=0.4, source="rumour")
    clock.advance(SECOND)
    answered = claude.call("correct_fact", fact_id=old, new_value="Globex Corp")
    new = answered["structuredContent"]["new_fact_id"]
    assert answered["content"][0]["text"] == f"corrected fact {old} -> {new}"
    before, after = claude.fact(old), claude.fact(new)
    moment = before["valid_to"]
    assert (before["expired_at"], after["valid_from"], after["recorded_at"]) == (moment, moment, moment)
    assert (after["subject"], after["predicate"], after["object"]) == ("alice", "works_at", "Globex Corp")
    assert (after["confidence"], after["source"]) == (1.0, None)
    assert claude.objects(query="alice works") == ["Globex Corp"]


def test_a_fact_is_corrected_once(claude: Kronroe) -> None:
    """KR-COR-2"""
    old = claude.state("alice", "works_at", "Acme")
    new = claude.done("correct_fact", fact_id=old, new_value="Globex")["new_fact_id"]
    said = claude.fails("correct_fact", fact_id=old, new_value="Initech")
    assert said == f"[E2004] invalid input: fact {old} was already corrected by {new}"


def test_a_closed_fact_may_be_corrected(claude: Kronroe) -> None:
    """KR-COR-2"""
    old = claude.state("alice", "works_at", "Acme")
    claude.done("invalidate_fact", fact_id=old)
    closed = claude.fact(old)
    new = claude.done("correct_fact", fact_id=old, new_value="Globex")["new_fact_id"]
    assert (claude.fact(old)["valid_to"], claude.fact(old)["expired_at"]) == (closed["valid_to"], closed["expired_at"])
    assert claude.fact(new)["valid_from"] > closed["valid_to"]


def test_invalidating_twice_keeps_the_first_times(claude: Kronroe, clock: FakeClock) -> None:
    """KR-INV-1: the seed's example of invalidate_fact."""
    fact = claude.state("alice", "works_at", "Acme")
    clock.advance(SECOND)
    assert claude.call("invalidate_fact", fact_id=fact)["content"][0]["text"] == f"invalidated fact {fact}"
    first = claude.fact(fact)
    clock.advance(SECOND)
    assert claude.done("invalidate_fact", fact_id=fact) == {"fact_id": fact}
    assert claude.fact(fact) == first
    assert first["valid_to"] == first["expired_at"]
    assert claude.done("facts_about", entity="alice")["facts"] == []


@pytest.mark.parametrize("form", [str.lower, str.upper, lambda kf: str(parse(kf)), lambda kf: "kf_" + kf[3:].lower()])
def test_ids_are_understood_in_every_form(claude: Kronroe, form: Any) -> None:
    """KR-FCT-3"""
    fact = claude.state("alice", "likes", "tea")
    assert claude.done("invalidate_fact", fact_id=form(fact)) == {"fact_id": fact}


# Recall


def test_recall_answers_as_documented(claude: Kronroe) -> None:
    """KR-RCL-1, KR-RCL-2: the seed's example of recall."""
    claude.state("Alice", "works_at", "Acme Corp", confidence=0.9)
    claude.state("Alice", "likes", "tea", confidence=0.5)
    claude.state("Bob", "works_at", "Globex")
    answered = claude.call("recall", query="where does Alice work", limit=5, min_confidence=0.8)
    assert answered["content"][0]["text"] == "found 1 fact(s)"
    (fact,) = answered["structuredContent"]["facts"]
    assert (fact["subject"], fact["object"]) == ("Alice", "Acme Corp")
    assert claude.call("recall", query="zeppelins")["content"][0]["text"] == "found 0 fact(s)"


def test_scores_are_told_when_asked_for(claude: Kronroe) -> None:
    """KR-RCL-6, KR-RCL-4: the seed's example of recall_scored."""
    for name in ("Alice", "Alicia", "Bob", "Carol", "Dave"):
        claude.state(name, "job_title", f"engineer of {name}")
    answered = claude.call("recall_scored", query="Alice's job title", limit=3)
    results = answered["structuredContent"]["results"]
    assert answered["content"][0]["text"] == "found 3 scored fact(s)"
    assert [each["score"]["rank"] for each in results] == [0, 1, 2]
    assert results[0]["fact"]["subject"] == "Alice"
    score = results[0]["score"]
    assert list(score)[:3] == ["type", "rank", "bm25_score"]
    assert (score["type"], score["text_contrib"], score["vector_contrib"]) == ("text", round(0.8 / 61, 6), 0.0)
    assert score["rrf_score"] == score["text_contrib"]
    assert score["bm25_score"] >= results[1]["score"]["bm25_score"]
    assert (score["confidence"], score["effective_confidence"]) == (1.0, 1.0)
    with_scores = claude.done("recall", query="Alice's job title", limit=3, include_scores=True)
    assert [each["fact"] for each in with_scores["results"]] == [each["fact"] for each in results]
    assert claude.done("recall", query="Alice's job title", limit=3)["facts"] == [each["fact"] for each in results]


def test_hybrid_scores_are_reciprocal_ranks(claude: Kronroe) -> None:
    """KR-RCL-3, KR-RCL-4, KR-HYB-1"""
    claude.state("Alice", "likes", "green tea")
    claude.state("Bob", "plays", "chess")
    results = claude.done("recall_scored", query="green tea", use_hybrid=True)["results"]
    first, second = (each["score"] for each in results)
    assert first["type"] == "hybrid"
    assert (first["text_contrib"], first["vector_contrib"]) == (round(0.8 / 61, 6), round(0.2 / 61, 6))
    assert first["rrf_score"] == round(1 / 61, 6)
    assert (second["text_contrib"], second["vector_contrib"]) == (0.0, round(0.2 / 62, 6))
    assert [each["score"]["type"] for each in claude.done("recall_scored", query="green tea")["results"]] == ["text"]


def test_the_filter_comes_before_the_limit(claude: Kronroe) -> None:
    """KR-RCL-1, KR-RCL-5"""
    for number in range(30):
        claude.state("tea", "note", f"tea {number}", confidence=0.9)
    for number in range(12):
        claude.state("tea", "note", f"rare tea {number} leaf", confidence=0.2)
    assert len(claude.objects(query="tea rare", limit=5, min_confidence=0.5)) == 5
    assert len(claude.objects(query="tea rare", limit=200, min_confidence=0.5)) == 30
    assert len(claude.objects(query="tea", limit=200, max_scored_rows=1)) == 42


def test_confidence_ages_by_half_lives(claude: Kronroe) -> None:
    """KR-UNC-1, KR-RCL-5"""
    claude.state("alice", "works_at", "Acme", valid_from="2022-10-05T00:00:00Z", confidence=0.9)
    claude.state("alice", "likes", "Acme tea", valid_from="2022-10-05T00:00:00Z", confidence=0.9)
    given: dict[str, Any] = {"query": "Acme", "min_confidence": 0.8}
    assert len(claude.objects(**given)) == 2
    assert claude.objects(**given, confidence_filter_mode="effective") == ["Acme tea"]
    scores = {
        each["fact"]["predicate"]: each["score"] for each in claude.done("recall_scored", query="Acme")["results"]
    }
    assert scores["works_at"]["effective_confidence"] == pytest.approx(0.45, abs=0.001)
    assert scores["works_at"]["confidence"] == 0.9
    assert scores["likes"]["effective_confidence"] == 0.9


def test_half_lives_and_source_weights_are_settings(claude: Kronroe) -> None:
    """KR-UNC-1"""
    set_workspace(
        claude.app, "default", settings={"half_lives_days": {"likes": 365}, "source_weights": {"rumour": 0.5}}
    )
    claude.state("alice", "likes", "tea", valid_from="2023-10-05T00:00:00Z", source="rumour")
    (found,) = claude.done("recall_scored", query="tea")["results"]
    assert found["score"]["effective_confidence"] == pytest.approx(0.25, abs=0.001)


def test_words_are_found_without_case_diacritics_and_one_edit(claude: Kronroe) -> None:
    """KR-RCL-2"""
    claude.state("Zoë", "favourite_city", "Zürich")
    claude.state("Zoë", "age", 41)
    assert claude.objects(query="zurich") == ["Zürich"]
    assert claude.objects(query="zuerch") == []
    assert claude.objects(query="zurick") == ["Zürich"]
    assert claude.objects(query="41") == [41]
    assert claude.objects(query="favourite_city") == ["Zürich"]
    assert claude.objects(query="CITY") == ["Zürich"]


def test_only_live_facts_are_found_without_a_time(claude: Kronroe) -> None:
    """KR-RCL-1, KR-FCT-2"""
    gone = claude.state("alice", "likes", "rum")
    claude.done("invalidate_fact", fact_id=gone)
    claude.state("alice", "likes", "tea")
    claude.state("alice", "likes", "mate", valid_from="2030-01-01T00:00:00Z")
    assert sorted(claude.objects(query="alice likes")) == ["mate", "tea"]


@pytest.fixture
def jobs(claude: Kronroe, clock: FakeClock) -> Kronroe:
    """Alice worked at Acme from 2020, at Globex from today, and at Initech from 2030."""
    acme = claude.state("alice", "works_at", "Acme", valid_from="2020-01-01T00:00:00Z")
    clock.advance(SECOND)
    claude.done("correct_fact", fact_id=acme, new_value="Globex")
    claude.state("alice", "works_at", "Initech", valid_from="2030-01-01T00:00:00Z")
    clock.advance(DAY)
    return claude


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["Globex", "Initech"]),
        ({"temporal_operator": "current"}, ["Globex", "Initech"]),
        ({"temporal_operator": "unknown"}, ["Globex", "Initech"]),
        ({"temporal_intent": "timeless"}, ["Globex", "Initech"]),
        ({"temporal_intent": "current_state"}, ["Globex", "Initech"]),
        ({"temporal_operator": "current", "at": "2021-01-01"}, ["Acme"]),
        ({"at": "2021-06-01T00:00:00Z"}, ["Acme"]),
        ({"temporal_operator": "as_of", "at": "2021-06-01"}, ["Acme"]),
        ({"temporal_operator": "as_of"}, ["Globex"]),
        ({"temporal_intent": "historical_point"}, ["Globex"]),
        ({"temporal_intent": "historical_interval"}, ["Acme", "Globex"]),
        ({"temporal_operator": "during", "at": "2019-01-01/2021-01-01"}, ["Acme"]),
        ({"at": {"start": "2021-01-01", "end": "2025-01-01"}}, ["Acme", "Globex"]),
        ({"at": "2025-01-01/.."}, ["Globex", "Initech"]),
        ({"temporal_operator": "before", "at": "2020-01-01"}, []),
        ({"temporal_operator": "by", "at": "2020-01-01"}, ["Acme"]),
        ({"temporal_operator": "before"}, ["Acme", "Globex"]),
        ({"temporal_operator": "by", "at": "2019-01-01/2020-01-01"}, []),
        ({"temporal_operator": "after", "at": "2030-01-01"}, ["Globex", "Initech"]),
        ({"temporal_operator": "after", "at": "2020-06-01"}, ["Acme", "Globex", "Initech"]),
    ],
)
def test_a_time_decides_which_facts_count(jobs: Kronroe, given: dict[str, Any], expected: list[str]) -> None:
    """KR-RCL-7, KR-RCL-8"""
    assert sorted(jobs.objects(query="where does alice work works_at", **given)) == expected


def test_after_puts_what_began_after_first(jobs: Kronroe) -> None:
    """KR-RCL-7, KR-HYB-2"""
    given = {"query": "alice works_at", "temporal_operator": "after", "at": "2029-01-01"}
    results = jobs.done("recall_scored", **given)["results"]
    assert [each["fact"]["object"] for each in results] == ["Initech", "Globex"]
    assert [each["score"]["temporal_signal"] for each in results] == [1.0, -0.8]


def test_before_prefers_what_still_held(jobs: Kronroe) -> None:
    """KR-HYB-2"""
    jobs.state("alice", "works_at", "Umbrella", valid_from="2024-10-04T12:00:00Z", confidence=0.1)
    given = {"query": "alice works_at", "temporal_operator": "before", "at": "2024-10-04T18:00:00Z"}
    results = jobs.done("recall_scored", **given)["results"]
    signals = {each["fact"]["object"]: each["score"]["temporal_signal"] for each in results}
    assert signals == {"Globex": 1.1, "Acme": 0.3, "Umbrella": pytest.approx(0.22)}
    assert results[0]["fact"]["object"] == "Globex"


def test_current_state_prefers_the_newer(jobs: Kronroe) -> None:
    """KR-HYB-2"""
    jobs.state("alice", "works_at", "Old Corp", valid_from="2014-10-05T00:00:00Z")
    results = jobs.done("recall_scored", query="alice works_at", temporal_intent="current_state")["results"]
    signals = {each["fact"]["object"]: each["score"]["temporal_signal"] for each in results}
    assert signals["Globex"] == pytest.approx(1.0, abs=0.01)
    assert signals["Old Corp"] == pytest.approx(0.5, abs=0.01)
    assert [each["fact"]["object"] for each in results][-1] == "Old Corp"


def test_vectors_of_clients_are_a_space_of_their_own(claude: Kronroe) -> None:
    """KR-VEC-1, KR-REM-4, KR-RCL-3: row 2003."""
    assert claude.objects(query="anything", query_embedding=[1.0, 0.0, 0.0]) == []
    claude.done("remember", text="east", query_embedding=[2.0, 0.0, 0.0])
    claude.done("remember", text="north", query_embedding=[0.0, 2.0, 0.0])
    assert claude.objects(query="zzz", query_embedding=[0.1, 9.0, 0.0])[0] == "north"
    assert claude.objects(query="zzz", query_embedding=[9, 1, 0])[0] == "east"
    assert claude.objects(query="zzz", query_embedding=[9, 1, 0], use_hybrid=False) == []
    said = "[E2003] invalid embedding: query dimension mismatch: index has dim 3, query has 2"
    assert claude.fails("recall", query="x", query_embedding=[1, 0]) == said
    assert claude.fails("remember", text="x", query_embedding=[1, 0]) == said
    assert claude.done("facts_about", entity="default")["facts"][-1]["object"] == "north"


# Context


def test_a_context_has_a_line_for_each_fact(claude: Kronroe) -> None:
    """KR-ASM-1: the seed's example of assemble_context."""
    claude.state("Alice", "works_at", "Acme Corp", valid_from="2023-01-01T00:00:00Z")
    claude.state("Alice", "job_title", "senior engineer", valid_from="2023-01-01T00:00:00Z", confidence=0.9)
    answered = claude.call("assemble_context", query="everything about Alice's career", max_tokens=500)
    context = answered["structuredContent"]["context"]
    assert answered["content"][0]["text"] == context
    lines = context.splitlines()
    assert re.fullmatch(r"\[2023-01-01\] \(#1 bm25:\d+\.\d\d( conf:0\.9)?\) Alice · \w+ · .+", lines[0])
    assert any(
        re.fullmatch(r"\[.{10}\] \(#\d bm25:\S+ conf:0\.9\) Alice · job_title · senior engineer", x) for x in lines
    )
    vector = claude.app.embedder.embed(["Alice"])[0].tolist()
    hybrid = claude.done("assemble_context", query="Alice", max_tokens=500, query_embedding=vector)["context"]
    assert re.match(r"\[2023-01-01\] \(0\.016", hybrid)


def test_a_context_keeps_to_its_budget(claude: Kronroe) -> None:
    """KR-ASM-2"""
    claude.state("Alice", "likes", "tea")
    claude.state("Alice", "likes", "rum")
    whole = claude.done("assemble_context", query="Alice", max_tokens=500)
    size = len(whole["context"].splitlines()[0].encode()) + 1
    assert (whole["truncated"], len(whole["fact_ids"])) == (False, 2)
    one = claude.done("assemble_context", query="Alice", max_tokens=-(-size // 4))
    assert (len(one["context"].splitlines()), one["truncated"]) == (1, True)
    none = claude.done("assemble_context", query="Alice", max_tokens=1)
    assert (none["context"], none["truncated"], none["fact_ids"]) == ("", True, [])


# Entities


def test_facts_about_gives_the_current_facts(claude: Kronroe) -> None:
    """KR-FAB-1: the seed's example of facts_about."""
    claude.state("alice", "works_at", "Acme")
    tea = claude.state("alice", "likes", "tea")
    rum = claude.state("alice", "likes", "rum")
    claude.done("invalidate_fact", fact_id=tea)
    answered = claude.call("facts_about", entity="alice")
    assert answered["content"][0]["text"] == "2 fact(s) about alice"
    assert [each["predicate"] for each in answered["structuredContent"]["facts"]] == ["likes", "works_at"]
    history = claude.done("facts_about", entity="alice", include_history=True)["facts"]
    assert [each["id"] for each in history][:2] == [tea, rum]
    assert claude.done("facts_about", entity="nobody")["facts"] == []


def test_what_changed_when_nothing_did(claude: Kronroe) -> None:
    """KR-WCH-1, KR-BRF-1, KR-BRF-2, KR-BRF-3: the seed's example of what_changed."""
    given = {"entity": "alice", "since": "2025-01-01T00:00:00Z", "predicate": "works_at"}
    answered = claude.call("what_changed", **given)
    assert answered["content"][0]["text"] == "0 new, 0 invalidated, 0 correction(s) for alice"
    action = answered["structuredContent"]["agent_brief"]["next_actions"][0]
    assert answered["structuredContent"] == {
        "report": {
            "entity": "alice",
            "since": "2025-01-01T00:00:00Z",
            "predicate_filter": "works_at",
            "new_facts": [],
            "invalidated_facts": [],
            "corrections": [],
            "confidence_shifts": [],
        },
        "agent_brief": {
            "schema_version": "1.0",
            "decision_mode": "agent_first",
            "status": "stable",
            "urgency": "low",
            "summary": "0 new, 0 invalidated, 0 corrections, 0 risky confidence shifts",
            "signals": {
                "new_facts": 0,
                "invalidated_facts": 0,
                "corrections": 0,
                "high_impact_corrections": 0,
                "risky_confidence_shifts": 0,
            },
            "recommended_action_id": "monitor",
            "automation_ready": True,
            "next_actions": [
                {
                    "id": "monitor",
                    "priority": "low",
                    "priority_score": 0.3,
                    "risk_if_skipped": "low",
                    "risk_score": 0.3,
                    "workflow_impact": "monitoring",
                    "workflow_impact_score": 0.35,
                    "automation_confidence": 0.92,
                    "execution_mode": "agent_suggest_then_execute",
                    "action_score": 0.377,
                    "action": action["action"],
                    "rationale": action["rationale"],
                    "suggested_tool": "what_changed",
                    "suggested_arguments": given,
                }
            ],
        },
    }


def test_what_changed_tells_only_what_came_after(claude: Kronroe, clock: FakeClock) -> None:
    """KR-WCH-1, KR-WCH-2, KR-BRF-2, KR-BRF-3"""
    early = claude.state("alice", "works_at", "Acme", confidence=0.6)
    claude.state("alice", "likes", "tea")
    since = claude.fact(early)["recorded_at"]
    clock.advance(SECOND)
    late = claude.done("correct_fact", fact_id=early, new_value="Globex")["new_fact_id"]
    answered = claude.done("what_changed", entity="alice", since=since, predicate="works_at")
    report, brief = answered["report"], answered["agent_brief"]
    assert [each["id"] for each in report["new_facts"]] == [late]
    assert [each["id"] for each in report["invalidated_facts"]] == [early]
    assert [(each["old_fact"]["id"], each["new_fact"]["id"]) for each in report["corrections"]] == [(early, late)]
    assert report["confidence_shifts"] == [
        {"from_fact_id": early, "to_fact_id": late, "from_confidence": 0.6, "to_confidence": 1.0}
    ]
    assert (brief["status"], brief["urgency"]) == ("attention_needed", "high")
    assert brief["signals"]["high_impact_corrections"] == 1
    assert brief["recommended_action_id"] == "verify_corrections"
    assert brief["next_actions"][0]["execution_mode"] == "agent_suggest_then_execute"


def test_a_fact_that_follows_another_is_its_correction(claude: Kronroe, clock: FakeClock) -> None:
    """KR-WCH-2, KR-BRF-2"""
    old = claude.state("alice", "likes", "tea", confidence=0.9)
    claude.done("invalidate_fact", fact_id=old)
    clock.advance(SECOND)
    new = claude.state("alice", "likes", "rum", confidence=0.65)
    answered = claude.done("what_changed", entity="alice", since="2020-01-01T00:00:00Z")
    assert [(each["old_fact"]["id"], each["new_fact"]["id"]) for each in answered["report"]["corrections"]] == [
        (old, new)
    ]
    brief = answered["agent_brief"]
    assert brief["signals"]["risky_confidence_shifts"] == 1
    assert brief["urgency"] == "high"
    assert [each["id"] for each in brief["next_actions"]] == ["revalidate_confidence", "verify_corrections"]
    assert brief["next_actions"][0]["execution_mode"] == "auto_with_guardrails"


def test_more_ended_than_new_is_a_gap(claude: Kronroe, clock: FakeClock) -> None:
    """KR-BRF-2, KR-BRF-3"""
    old = claude.state("alice", "likes", "tea")
    since = claude.fact(old)["recorded_at"]
    clock.advance(DAY)
    claude.done("invalidate_fact", fact_id=old)
    brief = claude.done("what_changed", entity="alice", since=since)["agent_brief"]
    assert (brief["urgency"], brief["recommended_action_id"]) == ("medium", "fill_invalidation_gaps")


def test_health_counts_what_cannot_be_relied_on(claude: Kronroe) -> None:
    """KR-HLT-1, KR-HLT-2, KR-HLT-3, KR-BRF-2, KR-BRF-3: the seed's example of memory_health."""
    sure = claude.state("alice", "works_at", "Acme", valid_from="2023-01-01T00:00:00Z")
    low = claude.state("alice", "works_at", "Globex", confidence=0.4)
    gone = claude.state("alice", "likes", "tea")
    claude.done("invalidate_fact", fact_id=gone)
    answered = claude.call("memory_health", entity="alice", low_confidence_threshold=0.5, stale_after_days=180)
    report, brief = answered["structuredContent"]["report"], answered["structuredContent"]["agent_brief"]
    assert answered["content"][0]["text"] == (
        "health: 2 active / 3 total; 1 low-confidence; 1 stale high-impact; 1 contradiction(s)"
    )
    assert list(report)[:8] == [
        "entity",
        "generated_at",
        "predicate_filter",
        "total_fact_count",
        "active_fact_count",
        "low_confidence_facts",
        "stale_high_impact_facts",
        "contradiction_count",
    ]
    assert [each["id"] for each in report["low_confidence_facts"]] == [low]
    assert [each["id"] for each in report["stale_high_impact_facts"]] == [sure]
    (against,) = report["contradictions"]
    assert (against["fact_a"], against["fact_b"], against["severity"]) == (sure, low, "high")
    assert len(report["recommended_actions"]) == 3
    assert (brief["status"], brief["urgency"]) == ("attention_needed", "high")
    assert brief["signals"]["low_confidence_high_impact_count"] == 1
    assert brief["signals"]["stale_high_impact_predicates"] == ["works_at"]
    scores = [each["action_score"] for each in brief["next_actions"]]
    assert scores == sorted(scores, reverse=True)
    assert brief["recommended_action_id"] == "resolve_contradictions"


def test_sound_facts_need_nothing(claude: Kronroe) -> None:
    """KR-HLT-2, KR-BRF-2"""
    claude.state("alice", "works_at", "Acme")
    answered = claude.done("memory_health", entity="alice", predicate="works_at", stale_after_days=0)
    assert answered["report"]["predicate_filter"] == "works_at"
    assert len(answered["report"]["stale_high_impact_facts"]) == 1
    calm = claude.done("memory_health", entity="alice")
    assert len(calm["report"]["recommended_actions"]) == 1
    assert (calm["agent_brief"]["status"], calm["agent_brief"]["urgency"]) == ("healthy", "low")
    assert calm["agent_brief"]["recommended_action_id"] == "monitor_health"


@pytest.mark.parametrize(
    ("given", "severity"),
    [
        ({"valid_from": "2024-01-01T00:00:00Z"}, "high"),
        ({"valid_from": "2020-01-01T00:00:00Z"}, "high"),
    ],
)
def test_contradictions_are_weighed_by_their_overlap(claude: Kronroe, given: dict[str, str], severity: str) -> None:
    """KR-HLT-3"""
    claude.state("alice", "lives_in", "Bonn", valid_from="2022-01-01T00:00:00Z")
    claude.state("alice", "lives_in", "Mainz", **given)
    claude.state("alice", "lives_in", " bonn ")
    (one, *_) = claude.done("memory_health", entity="alice")["report"]["contradictions"]
    assert one["severity"] == severity
    assert claude.done("memory_health", entity="alice", predicate="likes")["report"]["contradiction_count"] == 0


# Tasks


def test_a_task_gets_its_key_facts(claude: Kronroe) -> None:
    """KR-TSK-1, KR-TSK-4, KR-TSK-5, KR-BRF-2, KR-BRF-3: the seed's example of recall_for_task."""
    claude.state("alice", "works_at", "Acme", valid_from="2023-01-01T00:00:00Z")
    claude.state("alice", "performance", "excellent")
    claude.state("bob", "performance", "poor")
    given = {"task": "Write a performance review for Alice", "subject": "alice", "horizon_days": 365, "limit": 10}
    answered = claude.call("recall_for_task", **given)
    report, brief = answered["structuredContent"]["report"], answered["structuredContent"]["agent_brief"]
    assert answered["content"][0]["text"] == "task report: 2 key fact(s), 1 watchout(s), 1 next check(s)"
    assert report["query_used"] == "Write a performance review for Alice alice"
    assert {each["subject"] for each in report["key_facts"]} == {"alice"}
    assert (report["stale_high_impact_count"], report["low_confidence_count"], report["contradiction_count"]) == (
        1,
        0,
        0,
    )
    assert brief["status"] == "attention_needed"
    assert "urgency" not in brief
    assert [each["id"] for each in brief["next_actions"]] == ["prepare_task_brief", "refresh_stale_high_impact_facts"]


def test_a_task_without_facts_asks(claude: Kronroe) -> None:
    """KR-TSK-5, KR-BRF-2"""
    answered = claude.done("recall_for_task", task="Plan the trip", subject=" ")
    assert answered["report"]["subject"] is None
    assert len(answered["report"]["watchouts"]) == len(answered["report"]["recommended_next_checks"]) == 1
    brief = answered["agent_brief"]
    assert (brief["status"], brief["recommended_action_id"]) == ("no_context", "ask_clarifying_question")
    assert brief["next_actions"][0]["suggested_arguments"] == {"task": "Plan the trip", "limit": 12}


def test_a_known_subject_never_comes_back_empty(claude: Kronroe) -> None:
    """KR-TSK-1"""
    claude.state("alice", "likes", "tea", confidence=0.5)
    claude.state("alice", "likes", "rum")
    answered = claude.done("recall_for_task", task="Prepare dinner", subject="alice")
    assert {each["object"] for each in answered["report"]["key_facts"]} == {"rum", "tea"}
    assert answered["report"]["low_confidence_count"] == 1
    ids = [each["id"] for each in answered["agent_brief"]["next_actions"]]
    assert ids == ["verify_low_confidence_facts", "prepare_task_brief"]
    assert (
        claude.done("recall_for_task", task="Tea", subject="alice", limit=1)["report"]["key_facts"][0]["object"]
        == "tea"
    )


def test_the_horizon_limits_what_counts(jobs: Kronroe, clock: FakeClock) -> None:
    """KR-TSK-2, KR-TSK-3"""
    moved = jobs.state("alice", "lives_in", "Bonn", valid_from="2020-01-01T00:00:00Z")
    jobs.done("invalidate_fact", fact_id=moved)
    clock.advance(10 * DAY)

    def key_facts(**given: Any) -> list[str]:
        report = jobs.done("recall_for_task", task="Send a letter", subject="alice", **given)["report"]
        return [each["object"] for each in report["key_facts"]]

    assert key_facts() == ["Globex", "Bonn"]
    assert key_facts(limit=1) == ["Globex"]
    assert key_facts(horizon_days=5) == ["Globex"]
    assert key_facts(now=format_instant(clock.at), horizon_days=12) == ["Globex", "Bonn"]
    assert key_facts(now="2021-01-01T00:00:00Z") == ["Acme", "Bonn"]
    watchouts = jobs.done("recall_for_task", task="Send a letter", subject="alice")["report"]["watchouts"]
    assert any("1 fact(s) ended" in each for each in watchouts)


def test_contradictions_come_first_in_a_task(claude: Kronroe) -> None:
    """KR-TSK-4, KR-BRF-3"""
    claude.state("alice", "email", "a@example.org")
    claude.state("alice", "email", "b@example.org")
    answered = claude.done("recall_for_task", task="Write to Alice", subject="alice", use_hybrid=True)
    assert answered["report"]["contradiction_count"] == 1
    assert answered["agent_brief"]["recommended_action_id"] == "resolve_contradictions_first"
    assert claude.done("recall_for_task", task="Write to alice")["report"]["contradiction_count"] == 0


# Errors


@pytest.mark.parametrize(
    ("tool", "given", "detail"),
    [
        ("remember", {}, "text is required"),
        ("remember", {"text": " "}, "text is required"),
        ("remember", {"text": None}, "text is required"),
        ("remember", {"text": "x" * 32769}, "text exceeds max allowed size (32768 bytes)"),
        ("remember", {"text": "x", "episode_id": "e" * 513}, "episode_id exceeds max allowed size (512 bytes)"),
        (
            "remember",
            {"text": "x", "idempotency_key": "k" * 513},
            "idempotency_key exceeds max allowed size (512 bytes)",
        ),
        (
            "remember",
            {"text": "x", "idempotency_key": "k", "query_embedding": [1]},
            "idempotency_key is not supported with query_embedding in remember",
        ),
        ("recall", {"query": ""}, "query is required"),
        ("recall", {"query": "ü" * 4097}, "query exceeds max allowed size (8192 bytes)"),
        ("recall", {"query": "x", "limit": 0}, "limit must be greater than or equal to 1"),
        ("recall", {"query": "x", "limit": 201}, "limit exceeds max allowed value (200)"),
        ("recall", {"query": "x", "limit": "5"}, "limit must be an integer greater than or equal to 1"),
        ("recall", {"query": "x", "limit": 1.5}, "limit must be an integer greater than or equal to 1"),
        ("recall", {"query": "x", "max_scored_rows": 0}, "max_scored_rows must be greater than or equal to 1"),
        ("recall", {"query": "x", "confidence_filter_mode": "base"}, "confidence_filter_mode requires min_confidence"),
        (
            "recall",
            {"query": "x", "min_confidence": 0.5, "confidence_filter_mode": "raw"},
            "invalid confidence_filter_mode: raw",
        ),
        ("recall", {"query": "x", "temporal_intent": "soon"}, "invalid temporal_intent 'soon'"),
        ("recall_scored", {"query": "x", "temporal_operator": "near"}, "invalid temporal_operator 'near'"),
        ("recall", {"query": "x", "at": "soon"}, "at must be RFC3339 or an interval start/end"),
        ("recall", {"query": "x", "at": 5}, "at must be RFC3339 or an interval start/end"),
        ("recall", {"query": "x", "at": "2025-01-01/2024-01-01"}, "at must be RFC3339 or an interval start/end"),
        ("recall", {"query": "x", "query_embedding": "1,2"}, "query_embedding must be an array"),
        ("recall", {"query": "x", "query_embedding": []}, "query_embedding must not be empty"),
        ("recall", {"query": "x", "query_embedding": ["a"]}, "query_embedding values must be numbers"),
        ("assemble_context", {"query": "x"}, "max_tokens is required"),
        ("assemble_context", {"query": "x", "max_tokens": 0}, "max_tokens must be >= 1"),
        ("facts_about", {"entity": "\t"}, "entity is required"),
        ("assert_fact", {"predicate": "p", "object": 1}, "subject is required"),
        ("assert_fact", {"subject": "s", "predicate": " ", "object": 1}, "predicate is required"),
        ("assert_fact", {"subject": "s", "predicate": "p"}, "object is required"),
        ("assert_fact", {"subject": "s", "predicate": "p", "object": None}, "object must not be null"),
        (
            "assert_fact",
            {"subject": "s", "predicate": "p", "object": [1]},
            "object must be a scalar (string, number, or boolean), not an array or object",
        ),
        (
            "assert_fact",
            {"subject": "s", "predicate": "p", "object": 1, "valid_from": "2025"},
            "valid_from must be RFC3339",
        ),
        (
            "assert_fact",
            {"subject": "s", "predicate": "p", "object": 1, "idempotency_key": "k", "confidence": 1},
            "idempotency_key cannot be used with confidence or source in this endpoint",
        ),
        (
            "assert_fact",
            {"subject": "s", "predicate": "p", "object": 1, "idempotency_key": "k", "source": "s"},
            "idempotency_key cannot be used with confidence or source in this endpoint",
        ),
        ("correct_fact", {"new_value": 1}, "fact_id is required"),
        ("what_changed", {"entity": "a"}, "since is required"),
        ("what_changed", {"entity": "a", "since": "2025-01-01"}, "since must be RFC3339"),
        (
            "memory_health",
            {"entity": "a", "low_confidence_threshold": 1.1},
            "low_confidence_threshold must be between 0.0 and 1.0",
        ),
        ("memory_health", {"entity": "a", "stale_after_days": -1}, "stale_after_days must be >= 0"),
        ("recall_for_task", {"task": "x" * 8193}, "task exceeds max allowed size (8192 bytes)"),
        ("recall_for_task", {"task": "x", "now": "now"}, "now must be RFC3339 when provided"),
        ("recall_for_task", {"task": "x", "horizon_days": 0}, "horizon_days must be >= 1"),
        ("forget", {}, "unknown tool: forget"),
    ],
)
def test_errors_have_their_exact_words(claude: Kronroe, tool: str, given: dict[str, Any], detail: str) -> None:
    """KR-ERR-1, KR-ERR-4: row 2004."""
    assert claude.fails(tool, **given) == f"[E2004] invalid input: {detail}"


def test_limits_hold_at_their_edges(claude: Kronroe) -> None:
    """KR-ERR-1"""
    claude.done("remember", text="x" * 32768, episode_id="e" * 512, idempotency_key="k" * 512)
    claude.done("recall", query="ü" * 4096, limit=200, max_scored_rows=1)
    claude.done("recall", query="x", limit=1, min_confidence=0, confidence_filter_mode="base")
    claude.done("memory_health", entity="a", low_confidence_threshold=0, stale_after_days=0)
    claude.done("recall_for_task", task="x", horizon_days=1, limit=200)


@pytest.mark.parametrize("tool", ["correct_fact", "invalidate_fact"])
@pytest.mark.parametrize(
    ("fact_id", "said"),
    [
        ("nope", "[E2002] invalid fact id: nope"),
        ("chk_01JHN2Z0G8R4V6T1B3C5D7E9FA", "[E2002] invalid fact id: chk_01JHN2Z0G8R4V6T1B3C5D7E9FA"),
        (NOWHERE, f"[E2001] not found: fact id {NOWHERE}"),
        (NOWHERE.lower(), f"[E2001] not found: fact id {NOWHERE}"),
    ],
)
def test_ids_that_name_nothing_are_refused(claude: Kronroe, tool: str, fact_id: str, said: str) -> None:
    """KR-ERR-1: rows 2001 and 2002."""
    assert claude.fails(tool, fact_id=fact_id, **({"new_value": 1} if tool == "correct_fact" else {})) == said


def test_numbers_that_are_not_finite_are_refused() -> None:
    """KR-ERR-1, KR-ERR-3"""
    tool = KRONROE.find("recall")
    assert tool is not None
    with pytest.raises(Invalid, match="query_embedding values must be finite"):
        check(tool, {"query": "x", "query_embedding": [float("inf")]}, "ignore")


def test_unknown_arguments_are_ignored_and_named(claude: Kronroe) -> None:
    """KR-ERR-4"""
    answered = claude.call("facts_about", entity="alice", colour="red")
    assert answered["_meta"] == {"commonplace/ignored_arguments": ["colour"]}


def test_a_token_without_the_right_to_write_may_only_read(claude: Kronroe) -> None:
    """KR-ERR-2"""
    reader = Kronroe(claude.app, KRONROE, claude.acting(scopes=frozenset({Scope.READ})).caller)
    assert reader.fails("remember", text="x") == "[E2004] invalid input: token lacks write capability"
    assert reader.objects(query="x") == []


def test_failures_of_the_server_have_codes(claude: Kronroe) -> None:
    """KR-ERR-1, KR-TRN-4: rows 1001, 3001 and 9001."""
    for error, said in (
        (Unavailable("The disk is full."), "[E1001] storage error: the disk is full"),
        (Upstream("The embedder is gone."), "[E3001] search error: the embedder is gone"),
    ):
        answered = wire_error(error, None)
        assert isinstance(answered, dict)
        assert answered["content"][0]["text"] == said
    busy = wire_error(RateLimited(retry_after_s=3), None)
    assert isinstance(busy, RpcError)
    assert (busy.status, busy.headers["Retry-After"]) == (429, "3")
    broken = Kronroe(claude.on(embedder=None).app, KRONROE, claude.caller)
    assert broken.fails("assert_fact", subject="a", predicate="b", object=1).startswith("[E9001] internal error: ")
    assert claude.done("facts_about", entity="a")["facts"] == []
