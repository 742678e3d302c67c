"""knowmind: relating memories, the registry, and the ids of things."""

import re
from uuid import UUID

import pytest
from client import Client
from knowmind_calls import SECTIONS, link, outgoing, store, update

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    CreateCollection,
    CreateFolder,
    DeleteFolder,
    ExportGraph,
    ExportShapes,
    FileItem,
    Get,
    SetCollection,
    Store,
)
from commonplace.model.access import Caller, Tier
from commonplace.model.ids import render
from commonplace.model.relation import registry
from support import FakeClock, rows

# link and unlink


def test_a_relation_is_made_with_its_inverse(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-LNK-1 K-LNK-2 K-EDG-3"""
    workshop, client = store(knowmind, "Workshop 2026-03-12"), store(knowmind, "Müller client")
    made = link(knowmind, workshop, client, "FOR_CLIENT")
    assert made == {"edge_id": "edge_for_client_2024_10_04", "inverse_edge_id": "edge_has_workshop_2024_10_04"}
    again = link(knowmind, workshop, client, "RELATED_TO")
    assert set(again.values()) == {"edge_related_to_2024_10_04", "edge_related_to_2024_10_04_2"}
    kept = rows(sqlite_app, person, "relation")
    assert {(row["id"], row["inverse_id"]) for row in kept} == {(row["inverse_id"], row["id"]) for row in kept}


@pytest.mark.parametrize(
    ("title", "tags", "inverse"),
    [
        ("Workshop 2026-03-12", [], "has_workshop"),
        ("Kickoff", ["workshop"], "has_workshop"),
        ("Kickoff", ["meeting"], "has_meeting"),
        ("Kickoff", ["event"], "has_event"),
        ("Kickoff", ["project"], "has_project"),
        ("Kickoff", ["task"], "has_task"),
        ("Kickoff", ["contract"], "has_contract"),
        ("Kickoff", ["type:Sprint<<Workshop"], "has_workshop"),
        ("Kickoff", ["decision"], "has_engagement"),
        ("Kickoff", [], "has_engagement"),
        ("Anna workshop", [], "has_engagement"),
    ],
)
def test_the_inverse_is_named_for_the_class_of_the_source(
    title: str, tags: list[str], inverse: str, knowmind: Client
) -> None:
    """K-EDG-3"""
    made = link(knowmind, store(knowmind, title, tags=tags), store(knowmind, "Müller"), "FOR_CLIENT")
    assert made["inverse_edge_id"] == f"edge_{inverse}_2024_10_04"


def test_an_equal_relation_is_found_and_not_doubled(knowmind: Client) -> None:
    """K-LNK-3 K-LNK-4"""
    anna, car = store(knowmind, "Anna"), store(knowmind, "Car")
    made = link(knowmind, anna, car, "OWNS")
    assert link(knowmind, anna, car, "OWNS") == made
    assert link(knowmind, car, anna, "OWNED_BY") == {
        "edge_id": made["inverse_edge_id"],
        "inverse_edge_id": made["edge_id"],
    }
    assert knowmind.fields("knowmind.stats")["edges"] == 1


def test_a_relation_may_be_made_by_the_name_of_its_inverse(knowmind: Client) -> None:
    """K-LNK-4"""
    anna, car = store(knowmind, "Anna"), store(knowmind, "Car")
    made = link(knowmind, car, anna, "OWNED_BY")
    assert (made["edge_id"], made["inverse_edge_id"]) == ("edge_owned_by_2024_10_04", "edge_owns_2024_10_04")
    assert link(knowmind, anna, car, "OWNS")["edge_id"] == made["inverse_edge_id"]
    assert outgoing(knowmind, car) == [("OWNED_BY", anna)]


@pytest.mark.parametrize(
    ("ends", "kind", "reason"),
    [
        (("anna", "car"), "LIKES", "unknown_type"),
        (("car", "anna"), "WORKS_FOR", "domain"),
        (("anna", "car"), "WORKS_FOR", "range"),
        (("anna", "anna"), "OWNS", "self"),
        (("anna", "car"), "HAS_CHUNK", "reserved"),
        (("anna", "car"), "CHUNK_OF", "reserved"),
    ],
)
def test_the_registry_refuses_what_it_does_not_allow(
    ends: tuple[str, str], kind: str, reason: str, knowmind: Client
) -> None:
    """K-LNK-5 K-LNK-6"""
    ids = {"anna": store(knowmind, "Anna", tags=["person"]), "car": store(knowmind, "Car", tags=["product"])}
    error = knowmind.error("knowmind.link", from_id=ids[ends[0]], to_id=ids[ends[1]], rel_type=kind)
    assert (error["code"], error["data"]["status"]) == (400, 400)
    assert (error["data"]["reason"], error["data"]["rel_type"]) == (reason, kind)
    assert {"expected", "actual"} <= error["data"].keys()
    assert error["message"].startswith(f"Constraint violated: {kind} ")


@pytest.mark.parametrize("missing", ["from_id", "to_id"])
def test_both_ends_of_a_relation_must_exist(missing: str, knowmind: Client) -> None:
    """K-LNK-6"""
    ends = dict.fromkeys(("from_id", "to_id"), store(knowmind, "Anna")) | {missing: "memory_x_2024_10"}
    for tool in ("knowmind.link", "knowmind.unlink"):
        error = knowmind.error(tool, **ends, rel_type="OWNS")
        assert (error["code"], error["data"]["id"]) == (404, "memory_x_2024_10")


def test_a_superseded_version_can_be_linked_and_such_a_link_ends_nothing(knowmind: Client, clock: FakeClock) -> None:
    """K-LNK-6"""
    old, other = store(knowmind, "Address", "Street one."), store(knowmind, "Phone", "Phone two.")
    clock.advance()
    new = update(knowmind, old, content="Street three.")
    assert link(knowmind, old, other, "ABOUT")
    link(knowmind, other, new, "SUPERSEDES")
    assert len(knowmind.fields("knowmind.recall", query="street phone")["hits"]) == 2


def test_a_relation_ends_with_its_inverse_from_either_side(knowmind: Client) -> None:
    """K-UNL-1 K-UNL-2"""
    anna, car = store(knowmind, "Anna"), store(knowmind, "Car")
    for ends in ((anna, car, "OWNS"), (car, anna, "OWNED_BY")):
        link(knowmind, anna, car, "OWNS")
        given = dict(zip(("from_id", "to_id", "rel_type"), ends, strict=True))
        assert knowmind.fields("knowmind.unlink", **given) == {"deleted": True}
        for thing in (anna, car):
            nothing = {"outgoing": [], "incoming": []}
            assert knowmind.fields("knowmind.list_relations", memory_id=thing) == nothing
        assert knowmind.fields("knowmind.stats")["edges"] == 0
        error = knowmind.error("knowmind.unlink", **given)
        assert error == {
            "code": 404,
            "message": "Relation not found",
            "data": {"status": 404, "reason": "not_found"},
        }


def test_the_sections_of_a_document_cannot_be_taken_from_it(knowmind: Client) -> None:
    """K-UNL-1 K-LNK-6"""
    document = knowmind.fields("knowmind.upload_document", content=SECTIONS, title="House")["document_id"]
    ends = {"from_id": document, "to_id": f"{document}/0001", "rel_type": "HAS_CHUNK"}
    assert knowmind.error("knowmind.unlink", **ends)["data"]["reason"] == "reserved"


# The registry


DOCUMENTED = {
    "HAS_CHUNK": "CHUNK_OF",
    "SUPERSEDES": "SUPERSEDED_BY",
    "REFERENCES_ENTITY": "REFERENCED_BY",
    "REFERENCES": "CITED_BY",
    "OWNS": "OWNED_BY",
    "FOR_CLIENT": "HAS_ENGAGEMENT",
}


def test_the_registry_has_the_documented_types_and_its_shapes_tell_all(sqlite_app: App, person: Caller) -> None:
    """K-EDG-1"""
    types = {kind.name: kind for kind in registry().types}
    assert {name for name, kind in types.items() if kind.origin == "documented"} == set(DOCUMENTED)
    assert {name: types[name].inverse for name in DOCUMENTED} == DOCUMENTED
    shapes = perform(sqlite_app, person, ExportShapes(base="https://example.org"))
    assert all(re.search(rf"\b{name}\b", shapes) for name in types)


def test_every_inverse_belongs_to_one_type() -> None:
    """K-EDG-2"""
    names = [name for kind in registry().types for name in set(kind.names)]
    assert len(names) == len(set(names))


def test_memories_have_iris_by_class_and_slug(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-EDG-4"""
    link(knowmind, store(knowmind, "Anna", tags=["person"]), store(knowmind, "Car"), "OWNS")
    graph = perform(sqlite_app, person, ExportGraph(base="https://example.org"))
    assert "@base <https://example.org/>" in graph
    for segment, slug in (("person", "memory_anna_2024_10"), ("memory", "memory_car_2024_10")):
        assert f"<t/{person.workspace_id}/{segment}/{slug}>" in graph


# Ids


def test_every_form_of_an_id_names_the_memory(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-IDS-1 K-IDS-5"""
    slug = store(knowmind, "Anna")
    kept = perform(sqlite_app, person, Get(id=slug))
    assert UUID(kept.version.id).version == 7
    for form in (slug, kept.version.id, kept.version.id.upper(), kept.item.id, render("src", kept.item.id)):
        assert knowmind.fields("knowmind.list_relations", memory_id=form) == {"outgoing": [], "incoming": []}
    target = store(knowmind, "Car")
    assert link(knowmind, render("src", kept.item.id), target, "OWNS") == link(knowmind, slug, target, "OWNS")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("QM training mandatory", "memory_qm_training_mandatory_2024_10"),
        ("Müßige Öle, Äpfel & Übung", "memory_muessige_oele_aepfel_uebung_2024_10"),
        ("Crème brûlée – déjà vu", "memory_creme_brulee_deja_vu_2024_10"),
        ("Workshop 2026-03-12", "memory_workshop_2026_03_12"),
        ("Report 2026-03", "memory_report_2026_03"),
        ("Отчёт за год", "memory_отчет_за_год_2024_10"),
        ("!!!", "memory_note_2024_10"),
        (
            "A title that is so very long that its slug must be cut somewhere",
            "memory_a_title_that_is_so_very_long_that_its_slug_must_2024_10",
        ),
    ],
)
def test_an_id_can_be_read(title: str, slug: str, knowmind: Client) -> None:
    """K-IDS-2 K-IDS-3"""
    assert store(knowmind, title) == slug


def test_relations_are_numbered_by_type_and_day(knowmind: Client) -> None:
    """K-IDS-2 K-LNK-1"""
    one, two, three = (store(knowmind, title) for title in ("One", "Two", "Three"))
    assert link(knowmind, one, two, "PART_OF")["edge_id"] == "edge_part_of_2024_10_04"
    assert link(knowmind, one, three, "PART_OF")["edge_id"] == "edge_part_of_2024_10_04_2"


def test_a_new_version_is_numbered_from_the_old_one(knowmind: Client, clock: FakeClock) -> None:
    """K-IDS-4"""
    first = store(knowmind, "Address 2026-03 v1")
    assert first == "memory_address_2026_03_v1_2024_10"
    clock.advance()
    plain = store(knowmind, "Phone")
    clock.advance()
    second = update(knowmind, plain)
    clock.advance()
    assert (second, update(knowmind, second)) == ("memory_phone_2024_10_v2", "memory_phone_2024_10_v3")


def test_what_is_sensitive_has_no_readable_id_and_takes_none(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-IDS-2 K-SEC-1"""
    perform(sqlite_app, person, CreateCollection(name="Private", tier=Tier.SENSITIVE))
    hidden = perform(sqlite_app, person, Store(text="Nine.", title="Salary", collection="Private"))
    assert hidden.slug is None
    assert store(knowmind, "Salary") == "memory_salary_2024_10"
    assert knowmind.error("knowmind.list_relations", memory_id=hidden.version_id)["code"] == 404
    perform(sqlite_app, person, SetCollection(slug="private", tier=Tier.PERSONAL))
    hit = knowmind.fields("knowmind.recall", query="Nine")["hits"][0]
    assert hit["memory_id"] == "memory_salary_2024_10_2"


def test_ids_are_never_used_twice(knowmind: Client, sqlite_app: App, person: Caller) -> None:
    """K-IDS-5"""
    stored = store(knowmind, "Gone")
    folder = perform(sqlite_app, person, CreateFolder(name="F"))
    perform(sqlite_app, person, FileItem(id=stored, folders=(folder.id,)))
    perform(sqlite_app, person, DeleteFolder(id=folder.id, cascade=True))
    assert knowmind.error("knowmind.list_relations", memory_id=stored)["code"] == 404
    assert store(knowmind, "Gone") == "memory_gone_2024_10_2"
