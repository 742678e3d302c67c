"""knowmind: what is found, now and at a moment, what is related, and what is counted."""

from typing import Any

import pytest
from client import Client
from knowmind_calls import SECTIONS, client_of, message, store

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import Amend, CreateCollection, Move, Retract, Store
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import Unavailable
from commonplace.model.interval import DAY, Instant, parse_instant
from commonplace.surfaces.knowmind import KNOWMIND
from support import FakeClock

ONBOARDING = "Anna Müller owns onboarding for new service staff, deputised by Tomasz Kowalski."


def titles(client: Client, query: str, **more: Any) -> list[str]:
    """What recall finds, by title."""
    return [hit["title"] for hit in client.fields("knowmind.recall", query=query, **more)["hits"]]


def told_at(client: Client, as_of: str | None, query: str = "plan seats", **more: Any) -> list[str]:
    """What held at a moment, by text."""
    given = more if as_of is None else {"as_of": as_of, **more}
    return [hit["content"] for hit in client.fields("knowmind.recall_at_time", query=query, **given)["hits"]]


# recall


def test_the_seed_question_is_answered_in_the_documented_form(knowmind: Client) -> None:
    """K-REC-3 K-REC-5"""
    stored = store(knowmind, "Onboarding contacts Q2 2026", ONBOARDING, source="internal-handbook-v3")
    answer = knowmind.fields("knowmind.recall", query="Who is the onboarding contact?", k=5, hops=2)
    assert list(answer) == ["hits", "elapsed_ms"]
    [hit] = answer["hits"]
    assert list(hit) == ["memory_id", "title", "content", "score", "source"]
    assert hit["memory_id"] == stored
    assert (hit["title"], hit["content"]) == ("Onboarding contacts Q2 2026", ONBOARDING)
    assert hit["source"] == "internal-handbook-v3"
    assert 0 < hit["score"] <= 1
    assert isinstance(answer["elapsed_ms"], int)
    assert answer["elapsed_ms"] >= 0


def test_only_what_is_valid_now_is_found(knowmind: Client, sqlite_app: App, person: Caller, clock: FakeClock) -> None:
    """K-REC-1"""
    old = store(knowmind, "Contact", "The onboarding contact is Anna.")
    gone = store(knowmind, "Form", "The onboarding form is paper.")
    later = Instant(clock.at + DAY)
    perform(sqlite_app, person, Store(text="The onboarding fee is new.", title="Fee", valid_from=later))
    clock.advance()
    knowmind.call("knowmind.update_fact", target_id=old, new_title="Contact", new_content="Onboarding is with Tom.")
    perform(sqlite_app, person, Retract(id=gone))
    hits = knowmind.fields("knowmind.recall", query="onboarding")["hits"]
    assert [hit["content"] for hit in hits] == ["Onboarding is with Tom."]
    clock.advance(DAY)
    assert set(titles(knowmind, "onboarding")) == {"Contact", "Fee"}


@pytest.mark.parametrize("query", ["QM-Schulung", "Schulungen", "Mitarbeiter", "qm schulung", "müller", "MUELLER"])
def test_german_words_are_found_in_their_forms_and_compounds(query: str, knowmind: Client) -> None:
    """K-REC-2"""
    store(knowmind, "Shed", "Gardening tools are in the shed.")
    store(knowmind, "Pflicht", "Die Mitarbeiterschulung zur QM leitet Frau Müller.")
    assert titles(knowmind, query)[0] == "Pflicht"


def test_relations_lead_to_what_the_words_do_not_find_unless_hops_is_0(knowmind: Client) -> None:
    """K-REC-2 K-REC-6"""
    workshop = store(knowmind, "Workshop", "Quarterly planning took place in Detmold.")
    client = store(knowmind, "Client", "Seats are billed every year.")
    knowmind.call("knowmind.link", from_id=workshop, to_id=client, rel_type="ABOUT")
    near, far = knowmind.fields("knowmind.recall", query="quarterly planning")["hits"]
    assert (near["memory_id"], "via" in near) == (workshop, False)
    assert (far["memory_id"], far["via"]) == (client, [workshop])
    assert far["score"] < near["score"]
    alone = knowmind.fields("knowmind.recall", query="quarterly planning", hops=0)["hits"]
    assert not [hit for hit in alone if "via" in hit]


def test_at_most_k_hits_come_best_first_and_the_newest_of_equals_before(knowmind: Client, clock: FakeClock) -> None:
    """K-REC-3"""
    equal = []
    for _ in range(3):
        equal.append(store(knowmind, "Onboarding", "Onboarding takes two days."))
        clock.advance()
    for number in range(4):
        store(knowmind, f"Garden {number}", f"Tools and gardening, part {number}.")
    hits = knowmind.fields("knowmind.recall", query="Onboarding takes two days", k=6)["hits"]
    scores = [hit["score"] for hit in hits]
    assert (len(hits), scores) == (6, sorted(scores, reverse=True))
    assert [hit["memory_id"] for hit in hits[:3]] == equal[::-1]
    assert all(round(score, 4) == score for score in scores)
    assert len(knowmind.fields("knowmind.recall", query="Onboarding", k=1)["hits"]) == 1
    assert len(knowmind.fields("knowmind.recall", query="Onboarding")["hits"]) == 5


def test_a_document_answers_by_its_best_section_and_a_memory_as_a_whole(knowmind: Client) -> None:
    """K-REC-4"""
    document = knowmind.fields("knowmind.upload_document", content=SECTIONS, title="House")["document_id"]
    long = "Ladders stand in the shed.\n\n" + "Much more is told of it here. " * 200 + "\n\nKetchup is in the cellar."
    note = store(knowmind, "Shed", long)
    hit = knowmind.fields("knowmind.recall", query="badge basement")["hits"][0]
    assert (hit["memory_id"], hit["chunk_index"]) == (document, 1)
    assert hit["content"] == "# Badge\n\nThe badge is printed in the basement.\n"
    hit = knowmind.fields("knowmind.recall", query="ketchup cellar")["hits"][0]
    assert (hit["memory_id"], hit["content"], "chunk_index" in hit) == (note, long, False)


def test_a_hit_always_has_a_title_and_no_source_where_none_was_given(knowmind: Client) -> None:
    """K-REC-5"""
    knowmind.call("knowmind.store_memory", content="Badges are printed.")
    hit = knowmind.fields("knowmind.recall", query="badges")["hits"][0]
    assert (hit["title"], hit["source"]) == ("Badges are printed.", None)


def test_the_same_question_has_the_same_answer(knowmind: Client) -> None:
    """K-REC-7"""
    for number in range(12):
        store(knowmind, f"Badge {number}", f"Badge {number % 3} is printed.")
    first, second = (knowmind.fields("knowmind.recall", query="badge printed", k=25)["hits"] for _ in range(2))
    assert first == second
    assert len(first) == 12


def test_only_memories_that_carry_all_tags_are_found(knowmind: Client) -> None:
    """K-ENV-2"""
    store(knowmind, "Both", "Badges are printed.", tags=["qm", "training"])
    store(knowmind, "One", "Badges are printed.", tags=["qm"])
    assert titles(knowmind, "badges", tags=["qm", "training"]) == ["Both"]
    assert titles(knowmind, "badges", tags=["qm", "other"]) == []


# recall_at_time


@pytest.fixture
def plans(knowmind: Client, clock: FakeClock) -> Client:
    """The plan of Müller GmbH, changed on 1 April 2026."""
    clock.at = parse_instant("2026-02-01T00:00:00Z")
    five = store(knowmind, "Müller GmbH plan as of 2026-02-01", "Müller GmbH is on Business with five seats.")
    clock.at = parse_instant("2026-04-01T00:00:00Z")
    knowmind.call(
        "knowmind.update_fact",
        target_id=five,
        new_title="Müller GmbH plan as of 2026-04-01",
        new_content="Müller GmbH is on Enterprise with nine seats.",
    )
    clock.at = parse_instant("2026-05-23T11:42:08Z")
    return knowmind


FIVE, NINE = "Müller GmbH is on Business with five seats.", "Müller GmbH is on Enterprise with nine seats."


def test_the_seed_question_about_march_is_answered_in_the_documented_form(plans: Client) -> None:
    """K-RAT-1"""
    given = {"query": "Müller GmbH plan status", "as_of": "2026-03-14T00:00:00Z", "k": 3}
    [hit] = plans.fields("knowmind.recall_at_time", **given)["hits"]
    assert hit.pop("score") > 0
    assert hit == {
        "memory_id": "memory_mueller_gmbh_plan_as_of_2026_02_01",
        "title": "Müller GmbH plan as of 2026-02-01",
        "content": FIVE,
        "valid_from": "2026-02-01T00:00:00Z",
        "valid_to": "2026-04-01T00:00:00Z",
        "source": None,
    }


@pytest.mark.parametrize(
    ("as_of", "told"),
    [
        ("2026-01-31T23:59:59Z", []),
        ("2026-02-01T00:00:00Z", [FIVE]),
        ("2026-02-01", [FIVE]),
        ("2026-03-31T23:59:59.999999Z", [FIVE]),
        ("2026-04-01T00:00:00Z", [NINE]),
        ("2026-04-01T00:00:00", [NINE]),
        ("2026-04-01T01:59:59+02:00", [FIVE]),
        ("2026-04-01T02:00:00+02:00", [NINE]),
        ("2027-01-01", [NINE]),
        (None, [NINE]),
    ],
)
def test_at_each_moment_the_version_of_that_moment_is_told(as_of: str | None, told: list[str], plans: Client) -> None:
    """K-RAT-1 K-RAT-4 K-UPD-2"""
    assert told_at(plans, as_of) == told


def test_what_did_not_hold_takes_no_place_among_the_k(knowmind: Client, clock: FakeClock) -> None:
    """K-RAT-2"""
    old = [store(knowmind, f"Old {number}", f"The old plan has seats, number {number}.") for number in range(4)]
    clock.advance(DAY)
    for each in range(60):
        store(knowmind, f"New {each}", f"The plan has seats and seats and a plan, number {each}.")
    hits = knowmind.fields("knowmind.recall_at_time", query="plan seats", as_of="2024-10-04T12:00:00Z", k=4)["hits"]
    assert {hit["memory_id"] for hit in hits} == set(old)


def test_what_was_known_is_an_axis_of_its_own(plans: Client) -> None:
    """K-RAT-3"""
    assert told_at(plans, "2026-05-01", known_at="2026-03-01") == [FIVE]
    assert told_at(plans, "2026-05-01", known_at="2026-04-02") == [NINE]
    assert told_at(plans, "2026-05-01", known_at="2026-01-01") == []
    assert told_at(plans, "2026-05-01") == [NINE]


def test_hops_take_the_relations_of_that_moment(knowmind: Client, clock: FakeClock) -> None:
    """K-RAT-4 K-UNL-2"""
    ends = {"from_id": store(knowmind, "A", "Planning in Detmold."), "to_id": store(knowmind, "B", "Yearly bills.")}
    clock.advance(DAY)
    knowmind.call("knowmind.link", **ends, rel_type="ABOUT")
    clock.advance(DAY)
    knowmind.call("knowmind.unlink", **ends, rel_type="ABOUT")
    clock.advance(DAY)

    def reached(as_of: str) -> bool:
        found = knowmind.fields("knowmind.recall_at_time", query="planning detmold", as_of=as_of)["hits"]
        return any("via" in hit for hit in found)

    assert [reached(f"2024-10-0{day}T12:00:00Z") for day in (4, 5, 6)] == [False, True, False]
    assert not any("via" in hit for hit in knowmind.fields("knowmind.recall", query="planning detmold")["hits"])


# list_relations


def test_the_seed_workshop_lists_its_relations(knowmind: Client, clock: FakeClock) -> None:
    """K-LST-2 K-LST-3"""
    workshop = store(knowmind, "Workshop 2026-03-12", "Planning.")
    moved = store(knowmind, "Workshop 2026-03-19", "Planning, a week later.")
    client, handbook = store(knowmind, "Müller client", "Müller GmbH."), store(knowmind, "QM handbook", "Rules.")
    for origin, target, kind in (
        (workshop, client, "FOR_CLIENT"),
        (workshop, handbook, "REFERENCES"),
        (moved, workshop, "SUPERSEDES"),
    ):
        clock.advance()
        knowmind.call("knowmind.link", from_id=origin, to_id=target, rel_type=kind)
    listed = knowmind.fields("knowmind.list_relations", memory_id="memory_workshop_2026_03_12")
    assert listed == {
        "outgoing": [
            {
                "rel_type": "FOR_CLIENT",
                "to": "memory_mueller_client_2024_10",
                "from": "memory_workshop_2026_03_12",
                "created_at": "2024-10-04T00:00:01Z",
                "edge_id": "edge_for_client_2024_10_04",
                "inverse_edge_id": "edge_has_workshop_2024_10_04",
            },
            {
                "rel_type": "REFERENCES",
                "to": "memory_qm_handbook_2024_10",
                "from": "memory_workshop_2026_03_12",
                "created_at": "2024-10-04T00:00:02Z",
                "edge_id": "edge_references_2024_10_04",
                "inverse_edge_id": "edge_cited_by_2024_10_04",
            },
        ],
        "incoming": [
            {
                "rel_type": "SUPERSEDES",
                "from": "memory_workshop_2026_03_19",
                "to": "memory_workshop_2026_03_12",
                "created_at": "2024-10-04T00:00:03Z",
                "edge_id": "edge_supersedes_2024_10_04",
                "inverse_edge_id": "edge_superseded_by_2024_10_04",
            }
        ],
    }
    seen = knowmind.fields("knowmind.list_relations", memory_id=client)
    assert (seen["outgoing"], [each["rel_type"] for each in seen["incoming"]]) == ([], ["FOR_CLIENT"])


def test_a_superseded_memory_lists_its_relations(knowmind: Client, clock: FakeClock) -> None:
    """K-LST-1"""
    old = store(knowmind, "Workshop", "Planning.")
    clock.advance()
    given = {"target_id": old, "new_title": "Workshop", "new_content": "Moved."}
    new = knowmind.fields("knowmind.update_fact", **given)["new_memory_id"]
    [row] = knowmind.fields("knowmind.list_relations", memory_id=old)["incoming"]
    assert (row["rel_type"], row["from"], row["to"]) == ("SUPERSEDES", new, old)


def test_relations_to_what_the_caller_may_not_see_are_left_out(
    knowmind: Client, sqlite_app: App, person: Caller
) -> None:
    """K-LST-3 K-SEC-1 K-STA-2"""
    seen, hidden = store(knowmind, "Seen", "Planning."), store(knowmind, "Hidden", "Salaries.")
    knowmind.call("knowmind.link", from_id=seen, to_id=hidden, rel_type="ABOUT")
    perform(sqlite_app, person, CreateCollection(name="Private", tier=Tier.SENSITIVE))
    perform(sqlite_app, person, Move(ids=(hidden,), collection="Private"))
    assert knowmind.fields("knowmind.list_relations", memory_id=seen) == {"outgoing": [], "incoming": []}
    assert knowmind.error("knowmind.list_relations", memory_id=hidden)["code"] == 404
    assert knowmind.fields("knowmind.stats") == {"memories": 1, "edges": 0, "chunks": 1}
    assert titles(knowmind, "planning", hops=3) == ["Seen"]


def test_a_document_lists_its_sections_in_order(knowmind: Client) -> None:
    """K-LST-4 K-DOC-2"""
    stored = knowmind.fields("knowmind.upload_document", content=SECTIONS, title="House")
    assert stored == {"document_id": "doc_house_2024_10", "chunks": 2, "status": "indexed"}
    listed = knowmind.fields("knowmind.list_relations", memory_id="doc_house_2024_10")
    assert [(row["rel_type"], row["to"]) for row in listed["outgoing"]] == [
        ("HAS_CHUNK", "doc_house_2024_10/0001"),
        ("HAS_CHUNK", "doc_house_2024_10/0002"),
    ]


# health and stats


def test_health_tells_the_level_of_the_contract_and_nothing_of_anyone(sqlite_app: App) -> None:
    """K-HEA-1 K-HEA-3"""
    fields = client_of(sqlite_app).fields("knowmind.health")
    assert list(fields.items())[:3] == [("status", "ok"), ("service", "memory"), ("version", "0.3.0")]
    assert set(fields) == {"status", "service", "version", "product", "product_version"}


def test_health_is_503_when_the_store_does_not_answer(sqlite_app: App, person: Caller) -> None:
    """K-HEA-2"""

    def locked(_app: App, _caller: Caller, _request: object) -> object:
        raise Unavailable("Another process has held the store for a minute; try again.")

    client = Client(sqlite_app, KNOWMIND, person, locked)
    reply = client.send("tools/call", message("knowmind.health")["params"])
    assert (reply.status, reply.body["error"]["code"]) == (503, 503)
    assert reply.body["error"]["data"] == {"reason": "unavailable", "component": "store"}


def test_stats_count_what_is_valid_now_and_a_pair_of_relations_once(knowmind: Client, clock: FakeClock) -> None:
    """K-STA-1"""
    old = store(knowmind, "Workshop", "Planning.")
    other = store(knowmind, "Bills", "Bills.")
    assert knowmind.fields("knowmind.stats") == {"memories": 2, "edges": 0, "chunks": 2}
    knowmind.call("knowmind.link", from_id=old, to_id=other, rel_type="ABOUT")
    assert knowmind.fields("knowmind.stats") == {"memories": 2, "edges": 1, "chunks": 2}
    knowmind.call("knowmind.unlink", from_id=old, to_id=other, rel_type="ABOUT")
    knowmind.call("knowmind.upload_document", content=SECTIONS, title="House")
    assert knowmind.fields("knowmind.stats") == {"memories": 3, "edges": 2, "chunks": 4}
    clock.advance()
    knowmind.call("knowmind.update_fact", target_id=old, new_title="Workshop", new_content="Moved.")
    assert knowmind.fields("knowmind.stats") == {"memories": 3, "edges": 3, "chunks": 4}


def test_what_is_not_in_the_index_is_no_chunk_of_it(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-STA-1"""
    stored = store(knowmind, "Workshop", "Planning.")
    perform(sqlite_app, person, Amend(id=stored, in_kb=False))
    assert knowmind.fields("knowmind.stats") == {"memories": 1, "edges": 0, "chunks": 0}
    assert titles(knowmind, "planning") == []
