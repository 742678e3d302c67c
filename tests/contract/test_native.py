"""Our own ten tools, through the protocol: what they do, and how they answer."""

from typing import Any

import msgspec
import pytest
from client import Client
from jsonschema import Draft202012Validator

from commonplace import __version__
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import CreateCollection, SetCollection
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.interval import DAY
from commonplace.surfaces.native import NATIVE
from commonplace.surfaces.schema import listing
from support import FakeClock

SCHEMA_BYTES_MAX = 12_000


@pytest.fixture
def memory(sqlite_app: App) -> Client:
    """A model's client on the owner's machine."""
    return Client(sqlite_app, NATIVE, local_caller(sqlite_app, human=False))


def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The fields of a tool error."""
    result = client.call(tool, **arguments)
    assert result["isError"] is True
    assert result["content"][0]["text"] == result["structuredContent"]["message"]
    fields: dict[str, Any] = result["structuredContent"]
    return fields


def hits(client: Client, **arguments: Any) -> list[dict[str, Any]]:
    """What recall finds."""
    found: list[dict[str, Any]] = client.fields("recall", **arguments)["hits"]
    return found


def test_ten_tools_take_at_most_twelve_kilobytes() -> None:
    tools = listing(NATIVE)
    assert [tool["name"] for tool in tools] == [
        "recall",
        "remember",
        "add",
        "about",
        "assert_fact",
        "revise",
        "retract",
        "relate",
        "forget",
        "status",
    ]
    assert len(msgspec.json.encode(tools)) <= SCHEMA_BYTES_MAX


def test_the_instructions_say_recall_then_answer_then_remember(memory: Client) -> None:
    said = memory.ask("initialize", {"protocolVersion": "2025-06-18"})["result"]["instructions"]
    assert said.index("Recall first") < said.index("Then answer") < said.index("Then remember")


def test_every_answer_fits_its_schema(memory: Client, clock: FakeClock) -> None:
    note, other = (memory.fields("remember", text=text)["id"] for text in ("Ada is here.", "Bob is here."))
    fact = memory.fields("assert_fact", subject="Ada", predicate="works_at", object="Acme")["id"]
    clock.advance()
    outputs = {tool["name"]: tool["outputSchema"] for tool in listing(NATIVE)}
    for tool, arguments in (
        ("recall", {"query": "Ada", "explain": True}),
        ("remember", {"text": "Carla is here."}),
        ("add", {"text": "# Minutes\n\nAll are here."}),
        ("about", {"entity": "Ada"}),
        ("assert_fact", {"subject": "Ada", "predicate": "works_at", "object": "Initech"}),
        ("revise", {"id": note, "text": "Ada has left."}),
        ("revise", {"id": fact, "value": "Globex"}),
        ("relate", {"from_id": note, "to_id": other, "rel_type": "ABOUT"}),
        ("relate", {"from_id": note, "to_id": other, "rel_type": "ABOUT", "remove": True}),
        ("retract", {"id": other}),
        ("status", {}),
        ("forget", {"id": note}),
    ):
        fields = memory.fields(tool, **arguments)
        assert fields.keys() <= outputs[tool]["properties"].keys()
        Draft202012Validator(outputs[tool]).validate(fields)
        clock.advance()


def test_what_is_remembered_is_recalled_at_once(memory: Client) -> None:
    stored = memory.fields(
        "remember", text="Ada Lovelace owns the rollout.", title="Rollout", tags=["plan"], source="mail"
    )
    assert (stored["chunks"], stored["facts"], stored["similar"]) == (1, [], [])
    [hit] = hits(memory, query="Who owns the rollout?", kinds=["memory"])
    assert (hit["id"], hit["kind"], hit["title"]) == (stored["id"], "memory", "Rollout")
    assert (hit["text"], hit["collection"], hit["source"]) == ("Ada Lovelace owns the rollout.", "personal", "mail")
    assert (hit["valid_from"], hit["valid_to"], "why" in hit) == (stored["created_at"], None, False)
    assert hits(memory, query="rollout", tags=["other"]) == []
    assert hits(memory, query="rollout", explain=True)[0]["why"]


def test_the_same_key_stores_nothing_twice(memory: Client) -> None:
    first = memory.fields("remember", text="Ada owns the rollout.", key="k")
    assert memory.fields("remember", text="Something else.", key="k")["id"] == first["id"]
    assert memory.fields("status")["counts"]["memories"] == 1


def test_near_duplicates_are_named_and_kept(memory: Client) -> None:
    first = memory.fields("remember", text="Ada owns the rollout.", title="Rollout")["id"]
    second = memory.fields("remember", text="Ada owns the rollout.", title="Rollout")
    assert [(each["id"], each["title"]) for each in second["similar"]] == [(first, "Rollout")]
    assert memory.fields("status")["counts"]["memories"] == 2


def test_without_a_query_the_newest_come_and_with_ids_these_whole(memory: Client, clock: FakeClock) -> None:
    long = "Rollout.\n\n" + "Many words follow here. " * 300
    first = memory.fields("remember", text=long)["id"]
    clock.advance()
    second = memory.fields("assert_fact", subject="Ada", predicate="works_at", object="Acme")["id"]
    assert [hit["id"] for hit in hits(memory, max_tokens=5_000)] == [second, first]
    whole = memory.fields("recall", ids=[second, first])
    assert [hit["text"] for hit in whole["hits"]] == ["Ada · works_at · Acme", long]
    assert whole["llm_tokens"] > 1_500
    assert refused(memory, "recall", ids=["memory_never"])["error"] == "not_found"


def test_what_does_not_fit_the_budget_is_left_out_and_that_is_told(memory: Client) -> None:
    for number in range(4):
        memory.call("remember", text=f"The rollout, part {number}. " + "More words. " * 30)
    answer = memory.fields("recall", query="rollout", max_tokens=250)
    assert (len(answer["hits"]), answer["truncated"]) == (2, True)
    assert answer["llm_tokens"] <= 250
    assert memory.fields("recall", query="rollout")["truncated"] is False


def test_an_added_text_is_a_document_that_is_ready_at_once(memory: Client) -> None:
    added = memory.fields("add", text="# Keys\n\nAt the porter.\n\n# Badge\n\nIn the basement.", title="House")
    assert (added["status"], added["job"]) == ("ready", None)
    [hit] = hits(memory, query="badge basement", kinds=["memory"])
    assert (hit["id"], hit["title"], hit["text"]) == (added["id"], "House", "# Badge\n\nIn the basement.")
    assert hits(memory, ids=[added["id"]])[0]["text"].startswith("# Keys")


def test_everything_about_one_name_comes_together(memory: Client, clock: FakeClock) -> None:
    old = memory.fields("assert_fact", subject="Ada", predicate="works_at", object="Acme", confidence=0.4)["id"]
    clock.advance(DAY)
    new = memory.fields("revise", id=old, value="Initech", reason="She moved.")["new_id"]
    odd = memory.fields("assert_fact", subject="Ada", predicate="works_at", object="Globex", confidence=0.3, source="x")
    assert odd["contradicts"] == [new]
    note, city = (memory.fields("remember", text=text, title=text)["id"] for text in ("Ada", "Detmold"))
    edge = memory.fields("relate", from_id=note, to_id=city, rel_type="ABOUT")["edge_id"]
    known = memory.fields("about", entity="Ada")
    assert [(fact["id"], fact["object"], fact["valid_to"]) for fact in known["facts"]] == [
        (new, "Initech", None),
        (odd["id"], "Globex", None),
    ]
    assert known["facts"][1].items() >= {"subject": "Ada", "predicate": "works_at", "source": "x"}.items()
    assert known["history"]["corrections"] == [{"old_id": old, "new_id": new}]
    assert [fact["id"] for fact in known["history"]["closed"]] == [old]
    assert [(each["edge_id"], each["rel_type"], each["to_id"]) for each in known["relations"]] == [
        (edge, "ABOUT", city)
    ]
    assert known["health"]["low_confidence"] == [odd["id"]]
    assert known["health"]["contradictions"][0]["ids"] == [new, odd["id"]]
    before = memory.fields("about", entity="Ada", as_of="2024-10-04T12:00:00Z", since="2024-10-04T12:00:00Z")
    assert [fact["id"] for fact in before["facts"]] == [old]
    assert [fact["id"] for fact in before["history"]["new"]] == [new, odd["id"]]


@pytest.mark.parametrize("value", ["Acme", 7, 2.5, True])
def test_a_fact_keeps_the_type_of_its_value(value: object, memory: Client) -> None:
    memory.call("assert_fact", subject="Ada", predicate="has", object=value)
    kept = memory.fields("about", entity="Ada")["facts"][0]["object"]
    assert (kept, type(kept)) == (value, type(value))


def test_a_revised_memory_stays_as_history(memory: Client, clock: FakeClock) -> None:
    old = memory.fields("remember", text="We ship in May.", title="Plan")["id"]
    clock.advance(DAY)
    revised = memory.fields("revise", id=old, text="We ship in June.", title="Plan")
    assert revised["old_id"] == old
    assert [hit["id"] for hit in hits(memory, query="ship")] == [revised["new_id"]]
    assert [hit["id"] for hit in hits(memory, query="ship", as_of="2024-10-04T12:00:00Z")] == [old]
    replaced = memory.fields("remember", text="We ship in July.", supersedes=revised["new_id"])
    assert replaced["old_id"] == revised["new_id"]
    error = refused(memory, "revise", id=old, text="Never.")
    assert (error["error"], error["reason"]) == ("conflict", "already_superseded")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "missing"),
        ({"text": "x", "value": "y"}, "conflict"),
        ({"title": "x", "value": "y"}, "conflict"),
        ({"text": " "}, "empty"),
    ],
)
def test_revise_takes_a_text_or_a_value(given: dict[str, str], reason: str, memory: Client) -> None:
    error = refused(memory, "revise", id="x", **given)
    assert (error["error"], error["reason"]) == ("invalid", reason)


def test_what_is_retracted_has_ended_and_stays_as_history(memory: Client, clock: FakeClock) -> None:
    note = memory.fields("remember", text="The office is in Detmold.")["id"]
    fact = memory.fields("assert_fact", subject="Ada", predicate="lives_in", object="Detmold")["id"]
    clock.advance(DAY)
    assert memory.fields("retract", id=note, reason="Closed.") == {"id": note, "valid_to": "2024-10-05T00:00:00Z"}
    ended = memory.fields("retract", id=fact, valid_to="2024-10-04T18:00:00Z")
    assert ended == {"id": fact, "valid_to": "2024-10-04T18:00:00Z"}
    assert hits(memory, query="Detmold") == []
    assert len(hits(memory, query="Detmold", as_of="2024-10-04T12:00:00Z")) == 2
    assert memory.fields("about", entity="Ada")["facts"] == []
    assert refused(memory, "retract", id=note)["error"] == "conflict"
    assert refused(memory, "retract", id="never")["error"] == "not_found"


def test_a_relation_is_made_followed_and_ended(memory: Client) -> None:
    here, there = (memory.fields("remember", text=text)["id"] for text in ("Planning in Detmold.", "Yearly bills."))
    ends = {"from_id": here, "to_id": there, "rel_type": "ABOUT"}
    made = memory.fields("relate", **ends)
    assert set(made) == {"edge_id", "inverse_edge_id"}
    assert memory.fields("relate", **ends) == made
    linked = hits(memory, query="planning Detmold")
    assert memory.fields("relate", **ends, remove=True) == {"deleted": True}
    alone = hits(memory, query="planning Detmold")
    assert [hit["id"] for hit in linked] == [here, there]
    assert alone != linked
    assert refused(memory, "relate", **ends, remove=True)["error"] == "not_found"
    error = refused(memory, "relate", **{**ends, "rel_type": "LIKES"})
    assert (error["error"], error["reason"]) == ("constraint", "unknown_type")
    assert "ABOUT" in error["expected"]


def test_what_is_forgotten_is_gone_with_its_history(memory: Client, clock: FakeClock) -> None:
    note = memory.fields("remember", text="We ship in May.")["id"]
    clock.advance(DAY)
    new = memory.fields("revise", id=note, text="We ship in June.")["new_id"]
    fact = memory.fields("assert_fact", subject="Ada", predicate="works_at", object="Acme")["id"]
    gone = memory.fields("forget", id=new)
    assert (len(gone["items"]), gone["versions"], gone["chunks"], gone["journal_clear"]) == (1, 2, 2, True)
    assert memory.fields("forget", id=fact)["facts"] == 1
    assert hits(memory, query="ship", as_of="2024-10-04T12:00:00Z") == []
    for each in (note, new, fact):
        assert refused(memory, "forget", id=each)["error"] == "not_found"


def test_status_counts_what_a_model_may_see(memory: Client, sqlite_app: App, person: Caller) -> None:
    memory.call("remember", text="Ada is here.")
    memory.call("assert_fact", subject="Ada", predicate="works_at", object="Acme")
    perform(sqlite_app, person, CreateCollection(name="Salaries", tier=Tier.SENSITIVE))
    assert memory.fields("status") == {
        "version": __version__,
        "collections": [{"slug": "personal", "name": "Personal", "tier": "personal", "items": 1}],
        "counts": {"memories": 1, "facts": 1, "relations": 0, "chunks": 1},
        "embedder": {"name": "hashed-words-1", "dimensions": 384},
        "encrypted": True,
        "reviews_pending": 0,
        "jobs_open": 0,
    }


def test_an_unknown_collection_becomes_a_question_to_a_person(memory: Client) -> None:
    error = refused(memory, "remember", text="Ada is here.", collection="Persnal")
    assert (error["error"], error["resolution"], error["retry"]) == ("ambiguous", "ambiguous", False)
    assert error["candidates"][0]["slug"] == "personal"
    assert memory.fields("status")["reviews_pending"] == 1
    assert refused(memory, "add", text="Minutes.", collection="Persnal")["error"] == "ambiguous"


def test_a_sensitive_collection_does_not_exist_for_a_model(memory: Client, sqlite_app: App, person: Caller) -> None:
    note = memory.fields("remember", text="Ada earns nine.")["id"]
    perform(sqlite_app, person, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    assert hits(memory, query="Ada") == []
    assert memory.fields("status")["collections"] == []
    for tool in ("forget", "retract"):
        assert refused(memory, tool, id=note)["error"] == "not_found"
    assert refused(memory, "remember", text="More.")["reason"] == "sensitive_collection"


def test_errors_tell_kind_and_sentence_and_protocol_faults_stay_faults(memory: Client, sqlite_app: App) -> None:
    assert memory.error("knowmind.recall")["code"] == -32602
    error = refused(memory, "recall", query="x", limit=3)
    assert (error["error"], error["reason"], error["param"]) == ("invalid", "unknown_argument", "limit")
    reader = Client(sqlite_app, NATIVE, Caller(memory.peer.caller.workspace_id, "t", scopes=frozenset({Scope.READ})))
    for tool in ("remember", "add", "assert_fact", "revise", "retract", "relate", "forget"):
        assert refused(reader, tool)["required"] == "write"
    assert reader.fields("status")["counts"]["memories"] == 0
