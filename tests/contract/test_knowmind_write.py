"""knowmind: storing memories and documents, and replacing them by new versions."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from client import Client
from knowmind_calls import SECTIONS, link, outgoing, store, update

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    CreateFolder,
    FileItem,
    Get,
)
from commonplace.model.access import Caller
from commonplace.model.errors import Upstream
from commonplace.model.interval import FOREVER, parse_instant
from commonplace.surfaces.knowmind import KNOWMIND
from support import DIMENSIONS, FakeClock, rows

# store_memory


def test_the_seed_memory_is_stored_in_the_documented_form(knowmind: Client, clock: FakeClock) -> None:
    """K-STO-1 K-STO-3 K-IDS-2"""
    clock.at = parse_instant("2026-05-23T11:42:08.25Z")
    stored = knowmind.fields(
        "knowmind.store_memory",
        title="QM training mandatory",
        content="All service staff complete the QM training annually.",
        memory_type="procedural",
        tags=["qm", "training"],
        source="internal-handbook",
    )
    assert stored == {"memory_id": "memory_qm_training_mandatory_2026_05", "created_at": "2026-05-23T11:42:08Z"}
    hit = knowmind.fields("knowmind.recall_at_time", query="QM training")["hits"][0]
    assert (hit["memory_id"], hit["valid_from"], hit["valid_to"]) == (
        stored["memory_id"],
        stored["created_at"],
        None,
    )


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Badges are printed.", "Badges are printed."),
        ("\n\n## **Badges** and `keys`\n\nMore.", "Badges and keys"),
        ("- [ ] Order badges\n- [ ] Order keys", "Order badges"),
        ("word " * 40, "word " * 15 + "word"),
        ("x" * 100, "x" * 80),
    ],
)
def test_a_memory_without_a_title_is_called_by_its_first_line(content: str, title: str, knowmind: Client) -> None:
    """K-STO-2"""
    knowmind.call("knowmind.store_memory", content=content)
    assert knowmind.fields("knowmind.recall", query=content.rsplit(maxsplit=1)[-1])["hits"][0]["title"] == title


@pytest.mark.parametrize(
    "text",
    [
        "See [[Müller client]].",
        "See [[mueller CLIENT]].",
        "See [[memory_mueller_client_2024_10|the client]].",
        "Ask @mueller_client about it.",
        "(@mueller-client)",
    ],
)
def test_a_text_is_related_to_what_it_names(text: str, knowmind: Client) -> None:
    """K-STO-4"""
    store(knowmind, "Müller client")
    named = store(knowmind, "Note", text)
    assert outgoing(knowmind, named) == [("REFERENCES_ENTITY", "memory_mueller_client_2024_10")]


@pytest.mark.parametrize(
    "text",
    [
        "Write to office@client.example.",
        "See https://example.org/@client and more.",
        "Run `@client` or\n```\n[[Client]]\n```\n",
        "Nobody is named here.",
    ],
)
def test_addresses_links_and_code_name_nothing(text: str, knowmind: Client) -> None:
    """K-STO-4"""
    store(knowmind, "Client")
    assert outgoing(knowmind, store(knowmind, "Note", text)) == []


def test_a_link_to_what_comes_later_waits_for_it(knowmind: Client) -> None:
    """K-STO-4"""
    named = store(knowmind, "Note", "See [[Handbook]] and [[Never]].")
    assert outgoing(knowmind, named) == []
    handbook = store(knowmind, "Handbook")
    assert outgoing(knowmind, named) == [("REFERENCES_ENTITY", handbook)]


def test_tags_that_name_classes_give_them(knowmind: Client) -> None:
    """K-STO-5 K-LNK-5 K-EDG-2"""
    anna = store(knowmind, "Anna", tags=["person"])
    client = store(knowmind, "Müller", tags=["CLIENT", "gold"])
    deal = store(knowmind, "Deal", tags=["type:Deal<<Contract"])
    recipe = store(knowmind, "Recipe", tags=["type:Recipe"])
    plain = store(knowmind, "Plain", tags=["gold"])
    assert link(knowmind, anna, client, "WORKS_FOR")["inverse_edge_id"].startswith("edge_employs_")
    assert link(knowmind, anna, deal, "PARTY_TO")
    assert link(knowmind, anna, plain, "WORKS_FOR")
    error = knowmind.error("knowmind.link", from_id=anna, to_id=recipe, rel_type="PARTY_TO")
    assert error["data"] == {
        "status": 400,
        "reason": "range",
        "rel_type": "PARTY_TO",
        "expected": ["Contract"],
        "actual": ["Recipe"],
    }


def test_the_same_text_twice_makes_two_memories(knowmind: Client) -> None:
    """K-STO-6 K-IDS-2"""
    assert [store(knowmind, "Twice") for _ in range(3)] == [
        "memory_twice_2024_10",
        "memory_twice_2024_10_2",
        "memory_twice_2024_10_3",
    ]


# upload_document


def test_a_document_is_cut_at_headings_and_between_words_with_one_vector_each(
    knowmind: Client, sqlite_app: App, person: Caller
) -> None:
    """K-DOC-1 K-DOC-3"""
    text = SECTIONS + "\n# Long\n\n" + " ".join(f"word{number}" for number in range(900))
    stored = knowmind.fields("knowmind.upload_document", content=text, title="House")
    pieces = [row["body"] for row in rows(sqlite_app, person, "content")]
    assert (stored["chunks"], len(rows(sqlite_app, person, "vector"))) == (len(pieces), len(pieces))
    assert "".join(pieces) == text
    assert sum(piece.startswith("# ") for piece in pieces) == 3
    assert [word for piece in pieces for word in piece.split()] == text.split()
    for word in ("porter", "basement", "word7", "word899"):
        hit = knowmind.fields("knowmind.recall", query=word)["hits"][0]
        assert word in hit["content"].replace(".", " ").split()


def test_a_document_that_cannot_be_embedded_is_not_stored_at_all(
    knowmind: Client, sqlite_app: App, person: Caller
) -> None:
    """K-DOC-3 K-ERR-4 K-ERR-6"""

    class Failing:
        name, dimensions = "failing", DIMENSIONS

        def embed(self, _texts: object) -> Any:
            raise Upstream("The embedder does not answer.", provider="embed.example")

        def centred(self, vectors: Any) -> Any:
            return vectors

    broken = Client(replace(sqlite_app, embedder=Failing()), KNOWMIND, knowmind.peer.caller)
    error = broken.error("knowmind.upload_document", content=SECTIONS)
    assert (error["code"], error["data"]) == (-32000, {"reason": "provider_error", "provider": "embed.example"})
    assert not rows(sqlite_app, person, "item")
    assert not rows(sqlite_app, person, "content")


def test_a_document_has_the_class_document(knowmind: Client) -> None:
    """K-DOC-2"""
    document = knowmind.fields("knowmind.upload_document", content=SECTIONS, title="House")["document_id"]
    other = store(knowmind, "Other")
    assert link(knowmind, document, other, "FOR_CLIENT")
    error = knowmind.error("knowmind.link", from_id=document, to_id=other, rel_type="WORKS_FOR")
    assert (error["data"]["reason"], error["data"]["actual"]) == ("domain", ["Document"])


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("internal-handbook-v3.md", "internal-handbook-v3.md"),
        ("/srv/files/Handbook v3.pdf", "Handbook v3.pdf"),
        ("C:\\files\\handbook.docx", "handbook.docx"),
        ("https://example.org/a/handbook.html?page=2#top", "handbook.html"),
        ("https://example.org/a/", "a"),
        ("Ticket #5", "Ticket #5"),
        (None, "Arrival"),
    ],
)
def test_a_document_without_a_title_is_called_as_its_source_is(
    source: str | None, title: str, knowmind: Client
) -> None:
    """K-DOC-4"""
    knowmind.call("knowmind.upload_document", content=SECTIONS, source=source)
    hit = knowmind.fields("knowmind.recall", query="porter")["hits"][0]
    assert (hit["title"], hit["source"]) == (title, source)


# update_fact


def test_the_seed_address_is_replaced_in_the_documented_form(
    knowmind: Client, sqlite_app: App, person: Caller, clock: FakeClock
) -> None:
    """K-UPD-1 K-UPD-5 K-IDS-4"""
    clock.at = parse_instant("2026-05-23T09:00:00Z")
    old = store(knowmind, "Müller address v1")
    assert old == "memory_mueller_address_v1_2026_05"
    clock.advance()
    changed = knowmind.fields(
        "knowmind.update_fact",
        target_id=old,
        new_title="Müller GmbH address from 2026-06-01",
        new_content="Müller GmbH, Industriestraße 7, 32756 Detmold.",
        update_reason="Address changed effective 2026-06-01",
    )
    assert changed == {
        "old_memory_id": old,
        "new_memory_id": "memory_mueller_address_v1_2026_05_v2",
        "supersedes_edge": "edge_supersedes_2026_05_23",
    }
    was, now = rows(sqlite_app, person, "version")[-2:]
    assert was["valid_to"] == now["valid_from"] == now["created_at"] == clock.at
    assert now["valid_to"] == FOREVER
    forward, backward = rows(sqlite_app, person, "relation")
    assert [(row["kind"], row["origin"], row["target"]) for row in (forward, backward)] == [
        ("SUPERSEDES", now["id"], was["id"]),
        ("SUPERSEDED_BY", was["id"], now["id"]),
    ]
    assert forward["reason"] == "Address changed effective 2026-06-01"


def test_a_version_can_be_replaced_once(knowmind: Client, clock: FakeClock) -> None:
    """K-UPD-3"""
    old = store(knowmind, "Address")
    clock.advance()
    new = update(knowmind, old)
    error = knowmind.error("knowmind.update_fact", target_id=old, new_title="x", new_content="x")
    assert (error["code"], error["data"]) == (-32602, {"reason": "already_superseded", "current_id": new})
    assert update(knowmind, new) == "memory_address_2024_10_v3"


def test_of_two_updates_at_once_one_wins(knowmind: Client, clock: FakeClock) -> None:
    """K-UPD-3"""
    given = {"target_id": store(knowmind, "Address"), "new_title": "x", "new_content": "x"}
    clock.advance()
    asked = {"name": "knowmind.update_fact", "arguments": given}
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: knowmind.ask("tools/call", asked), range(4)))
    assert sum("result" in each for each in said) == 1
    assert {each["error"]["data"]["reason"] for each in said if "error" in each} == {"already_superseded"}


def test_a_new_version_inherits_what_is_not_said_anew(
    knowmind: Client, sqlite_app: App, person: Caller, clock: FakeClock
) -> None:
    """K-UPD-4"""
    bob, carla, firm = store(knowmind, "Bob"), store(knowmind, "Carla"), store(knowmind, "Firm")
    old = store(knowmind, "Anna", "See [[Bob]].", memory_type="episodic", tags=["person"], source="mail")
    folder = perform(sqlite_app, person, CreateFolder(name="HR"))
    perform(sqlite_app, person, FileItem(id=old, folders=(folder.id,)))
    link(knowmind, old, firm, "WORKS_FOR")
    clock.advance()
    new = update(knowmind, old, "Anna", "See [[Carla]].")
    was, now = (perform(sqlite_app, person, Get(id=each)) for each in (old, new))
    for each in ("memory_type", "tags", "classes", "provenance"):
        assert getattr(now.version, each) == getattr(was.version, each)
    assert (now.collection, now.folders) == (was.collection, ((folder.id, "HR"),))
    assert outgoing(knowmind, old) == [("REFERENCES_ENTITY", bob), ("WORKS_FOR", firm)]
    assert set(outgoing(knowmind, new)) == {("SUPERSEDES", old), ("WORKS_FOR", firm), ("REFERENCES_ENTITY", carla)}


def test_a_replaced_document_is_cut_anew_and_may_be_longer_than_a_memory(knowmind: Client, clock: FakeClock) -> None:
    """K-UPD-5"""
    document = knowmind.fields("knowmind.upload_document", content=SECTIONS, title="House")["document_id"]
    note = store(knowmind, "Note")
    clock.advance()
    new = update(knowmind, document, "House", "# Roof\n\n" + "tiles and beams\n\n" * 7_000)
    assert new == "doc_house_2024_10_v2"
    sections = [target for kind, target in outgoing(knowmind, new) if kind == "HAS_CHUNK"]
    assert sections[0] == "doc_house_2024_10_v2/0001"
    assert len(sections) > 50
    assert knowmind.fields("knowmind.recall", query="porter keys", k=1)["hits"][0]["memory_id"] != document
    long = {"target_id": note, "new_title": "x", "new_content": "x" * 102_401}
    error = knowmind.error("knowmind.update_fact", **long)
    assert (error["data"]["reason"], error["data"]["param"]) == ("too_large", "new_content")
    assert update(knowmind, note, content="x" * 102_400)
