from typing import Any

import pytest

from commonplace.core.requests import Recall, Store, Supersede
from commonplace.model.access import Caller
from commonplace.model.answer import Hit, Recalled, Similar, Stored, Superseded
from commonplace.model.errors import RateLimited
from commonplace.model.interval import FOREVER, Instant, Interval
from commonplace.surfaces.contract import RpcError
from commonplace.surfaces.dispatch import call
from commonplace.surfaces.native import NATIVE, wire_error

AT = Instant(1_750_000_000_500_000)
HIT = Hit("memory", "v1", "Plan", "We ship in May.", 0.912345, "personal", None, Interval(AT, FOREVER), AT)


class Verb:
    """Keeps the request it was asked to perform, and gives the answer it was made with."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.request: Any = None

    def __call__(self, _app: object, _caller: Caller, request: object) -> object:
        self.request = request
        return self.answer


def ask(verb: Verb, name: str, **given: Any) -> Any:
    result = call(NATIVE, None, Caller("w", "tester"), name, given, perform=verb)  # type: ignore[arg-type]
    assert isinstance(result, dict)
    return result["structuredContent"]


def test_recall_without_arguments_asks_for_the_newest_of_both_kinds() -> None:
    verb = Verb(Recalled((), 0, truncated=False, elapsed_ms=1))
    assert ask(verb, "recall") == {"hits": [], "llm_tokens": 0, "truncated": False, "elapsed_ms": 1}
    assert verb.request == Recall(targets=("memory", "fact"), max_llm_tokens=2_000)


def test_recall_passes_every_argument_on() -> None:
    verb = Verb(Recalled((), 0, truncated=False, elapsed_ms=1))
    ask(
        verb,
        "recall",
        query="ship date",
        k=3,
        collections=["work"],
        kinds=["memory"],
        tags=["plan"],
        memory_type="episodic",
        as_of="1970-01-01",
        known_at="1970-01-01T00:00:01Z",
        hops=0,
        mode="keyword",
        max_tokens=500,
        explain=True,
    )
    assert verb.request == Recall(
        text="ship date",
        limit=3,
        targets=("memory",),
        mode="keyword",
        collections=("work",),
        tags=("plan",),
        memory_type="episodic",
        as_of=Instant(0),
        known_at=Instant(1_000_000),
        hops=0,
        max_llm_tokens=500,
        explain=True,
    )


def test_memories_asked_for_by_id_are_not_cut() -> None:
    verb = Verb(Recalled((), 0, truncated=False, elapsed_ms=1))
    ask(verb, "recall", ids=["v1"])
    assert (verb.request.ids, verb.request.max_llm_tokens) == (("v1",), None)


def test_a_hit_has_the_documented_fields_in_their_order() -> None:
    fields = ask(Verb(Recalled((HIT,), 4, truncated=True, elapsed_ms=1)), "recall", query="ship")
    assert fields["truncated"] is True
    assert list(fields["hits"][0].items()) == [
        ("id", "v1"),
        ("kind", "memory"),
        ("title", "Plan"),
        ("text", "We ship in May."),
        ("score", 0.9123),
        ("collection", "personal"),
        ("source", None),
        ("valid_from", "2025-06-15T15:06:40.5Z"),
        ("valid_to", None),
        ("recorded_at", "2025-06-15T15:06:40.5Z"),
    ]


def test_reasons_and_missing_stages_are_told_where_there_are_any() -> None:
    hit = Hit("fact", "f1", "", "Ada owns it", 1.0, "work", "mail", Interval(AT), AT, why={"words": 0.5})
    fields = ask(Verb(Recalled((hit,), 4, False, 1, degraded=("vectors",))), "recall")
    assert fields["hits"][0]["why"] == {"words": 0.5}
    assert fields["degraded"] == ["vectors"]


def test_remember_stores_and_names_what_is_similar() -> None:
    verb = Verb(Stored("i1", "v1", None, "work", AT, ("c1", "c2"), ("f1",), (Similar("v0", "Old plan", 0.97),)))
    given = {"text": "We ship in May.", "collection": "work", "tags": ["plan"], "source": "mail", "key": "k"}
    assert ask(verb, "remember", **given) == {
        "id": "v1",
        "created_at": "2025-06-15T15:06:40.5Z",
        "chunks": 2,
        "facts": ["f1"],
        "similar": [{"id": "v0", "title": "Old plan", "score": 0.97}],
    }
    assert verb.request == Store(
        text="We ship in May.",
        collection="work",
        tags=("plan",),
        provenance="mail",
        key="k",
        extract=True,
        similar=True,
    )


def test_remember_with_supersedes_makes_the_next_version() -> None:
    verb = Verb(Superseded("i1", "v1", "v2", None, None, "r1", None, AT))
    fields = ask(verb, "remember", text="We ship in June.", supersedes="v1", valid_from="1970-01-01")
    assert fields == {
        "id": "v2",
        "created_at": "2025-06-15T15:06:40.5Z",
        "chunks": 0,
        "facts": [],
        "similar": [],
        "old_id": "v1",
    }
    assert verb.request == Supersede(id="v1", text="We ship in June.", valid_from=Instant(0))


@pytest.mark.parametrize("inherited", [{"collection": "work"}, {"tags": ["a"]}, {"memory_type": "semantic"}])
def test_what_a_new_version_inherits_is_refused_and_not_dropped(inherited: dict[str, Any]) -> None:
    fields = ask(Verb(None), "remember", text="New.", supersedes="v1", **inherited)
    assert (fields["error"], fields["reason"], fields["param"]) == ("invalid", "conflict", next(iter(inherited)))


@pytest.mark.parametrize(
    ("given", "param", "reason"),
    [
        ({"k": 0}, "k", "range"),
        ({"k": 51}, "k", "range"),
        ({"hops": 4}, "hops", "range"),
        ({"mode": "magic"}, "mode", "enum"),
        ({"query": " "}, "query", "empty"),
        ({"collections": []}, "collections", "empty"),
        ({"as_of": "soon"}, "as_of", "format"),
        ({"limit": 3}, "limit", "unknown_argument"),
    ],
)
def test_recall_refuses_what_its_schema_does_not_allow(given: dict[str, Any], param: str, reason: str) -> None:
    fields = ask(Verb(None), "recall", **given)
    assert (fields["error"], fields["param"], fields["reason"]) == ("invalid", param, reason)


def test_too_many_calls_are_answered_under_their_own_http_status() -> None:
    error = wire_error(RateLimited("Wait.", retry_after_s=12), NATIVE.find("recall"))
    assert error == RpcError(429, "Wait.", {"retry_after_s": 12}, status=429, headers={"Retry-After": "12"})
