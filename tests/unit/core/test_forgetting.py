import json
from dataclasses import replace
from typing import Any

import pytest
from core_support import FixedExtractor, Reading, collection, correcting, file, folder, found, ids, state, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Apply,
    CountAll,
    DecideReview,
    Enqueue,
    FactsAbout,
    Forget,
    Get,
    History,
    Link,
    ListJobs,
    ListRelationTypes,
    ListReviews,
    Propose,
    RelationsOf,
    Supersede,
)
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Forgotten
from commonplace.model.errors import Ambiguous, Conflict, Forbidden, Invalid, NotFound
from commonplace.model.event import EventKind, chain_hash
from commonplace.model.interval import FOREVER, SECOND
from commonplace.operations.verify import verify
from commonplace.store.database import event_line
from support import FakeClock, rows
from support import found as selected

TEXT = "# Soup\nleek and salt, from Zwiebelfeld\n# Cake\nplum and sugar, from Pflaumenbaum\n# Tea\nhot water"


def forget(app: App, caller: Caller, **asked: Any) -> Forgotten:
    forgotten: Forgotten = perform(app, caller, Forget(**asked))
    return forgotten


def tables_with(app: App, caller: Caller, word: str) -> set[str]:
    """The tables, indexes and vocabularies in which a word stands, in any form."""
    with app.db.engine.transaction(caller.workspace_id, write=False) as connection:
        names = [row["name"] for row in selected(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name
            for name in names
            for row in selected(connection, f"SELECT * FROM {name}")
            for value in row.values()
            if word.casefold()
            in (value.decode("utf-8", "ignore") if isinstance(value, bytes) else str(value)).casefold()
        }


def assert_chain_holds(app: App, caller: Caller) -> None:
    previous = bytes(32)
    for row in rows(app, caller, "event"):
        line = event_line(
            *(row[name] for name in ("seq", "id", "recorded_at", "kind", "actor", "client", "surface")),
            tuple(json.loads(row["subjects"])),
        )
        assert row["previous_hash"] == previous
        assert row["hash"] == chain_hash(previous, row["payload_hash"], line)
        previous = row["hash"]


def test_an_item_is_forgotten_with_all_its_chunks_and_versions(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    stored = store(app, agent, TEXT)
    perform(app, agent, Supersede(id=stored.item_id, text="One piece."))
    forgotten = forget(app, agent, items=(stored.item_id,))
    assert (forgotten.item_ids, forgotten.chunks, forgotten.versions, forgotten.relations) == (
        (stored.item_id,),
        4,
        2,
        1,
    )
    assert forgotten.journal_clear
    with pytest.raises(NotFound):
        perform(app, agent, Get(id=stored.item_id))
    assert found(app, agent, "leek") == []


def test_a_chunk_is_cut_out_of_the_text_of_its_item(app: App, agent: Caller) -> None:
    """GN-FGT-1 GN-FGT-5"""
    stored = store(app, agent, TEXT, title="Kitchen")
    forgotten = forget(app, agent, chunks=(stored.chunk_ids[1],))
    assert (forgotten.item_ids, forgotten.chunks, forgotten.versions) == ((), 1, 0)
    whole = perform(app, agent, Get(id=stored.item_id))
    assert whole.text == "# Soup\nleek and salt, from Zwiebelfeld\n# Tea\nhot water"
    assert whole.version.title == "Kitchen"
    assert tables_with(app, agent, "pflaumenbaum") == set()
    assert ids(found(app, agent, "hot water", mode="keyword")) == [stored.version_id]


def test_the_last_chunk_takes_its_item_along(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    stored = store(app, agent, TEXT)
    forget(app, agent, chunks=stored.chunk_ids[:1])
    forgotten = forget(app, agent, chunks=stored.chunk_ids[1:])
    assert (forgotten.item_ids, forgotten.chunks) == ((stored.item_id,), 2)
    assert perform(app, agent, CountAll()).memories == 0


def test_chunks_beside_items_must_be_of_these_items(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    one, two = store(app, agent, TEXT), store(app, agent, TEXT)
    with pytest.raises(Invalid, match="not of that item"):
        forget(app, agent, items=(one.item_id,), chunks=(two.chunk_ids[0],))
    assert perform(app, agent, CountAll()).chunks == 6
    forgotten = forget(app, agent, items=(one.item_id,), chunks=(one.chunk_ids[0],))
    assert (forgotten.item_ids, forgotten.chunks) == ((one.item_id,), 3)


def test_several_chunks_go_together_or_not_at_all(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    one, two = store(app, agent, TEXT), store(app, agent, TEXT)
    with pytest.raises(NotFound, match="Chunk not found: nothing"):
        forget(app, agent, chunks=(one.chunk_ids[0], "nothing"))
    assert forget(app, agent, chunks=(one.chunk_ids[0], one.chunk_ids[2], two.chunk_ids[1])).chunks == 3
    assert perform(app, agent, Get(id=one.item_id)).text == "# Cake\nplum and sugar, from Pflaumenbaum\n"


def test_forgetting_leaves_no_word_anywhere(app: App, agent: Caller, owner: Caller, clock: FakeClock) -> None:
    """GN-FGT-2"""
    word = "Zwiebelfeld"
    reading = Reading("Ida", "likes", f"{word} onions", app.clock.now(), FOREVER)
    full = replace(correcting(app), extractor=FixedExtractor(reading))
    stored = store(
        full,
        agent,
        f"The secret is {word}.",
        title=f"{word} secret",
        tags=(f"{word} tag",),
        provenance=f"{word} letter",
        note_fact=True,
        extract=True,
        episode=word,
        key=f"{word} key",
    )
    other = store(app, agent, "Plain words.")
    perform(app, agent, Link(origin=other.version_id, target=stored.version_id, kind="ABOUT"))
    proposal = perform(full, agent, Propose(chunk_id=stored.chunk_ids[0], proposal=f"replace '{word}' with 'Mitte'"))
    perform(full, agent, Apply(id=proposal.id))
    clock.advance(SECOND)
    renewed = perform(app, agent, Supersede(id=stored.item_id, text=f"{word} again.", reason=f"{word} reason"))
    perform(full, agent, Propose(chunk_id=renewed.chunk_ids[0], proposal=f"replace 'again' with '{word}'"))
    perform(app, agent, Enqueue(kind="transcribe", payload={"title": word}, item_id=stored.item_id))
    assert {"content", "fact", "lexical", "version", "job", "proposal"} <= tables_with(app, agent, word)
    forgotten = forget(app, agent, ids=(stored.slug,))
    assert tables_with(app, agent, word) == set()
    assert (forgotten.facts, forgotten.versions, forgotten.relations) == (2, 2, 3)
    assert perform(app, agent, FactsAbout(entity="Ida")) == []
    assert perform(app, agent, RelationsOf(id=other.version_id)) == []
    assert perform(app, agent, ListJobs()) == []
    assert_chain_holds(app, agent)


def test_the_op_log_keeps_that_something_was_forgotten_and_still_verifies(
    app: App, agent: Caller, owner: Caller
) -> None:
    """GN-FGT-3"""
    stored = store(app, agent, TEXT)
    before = rows(app, agent, "event")
    forgotten = forget(app, agent, items=(stored.item_id,))
    event = perform(app, owner, History(limit=1))[0]
    assert (event.kind, event.id, event.actor) == (EventKind.FORGET, forgotten.event_id, "stdio")
    assert {stored.item_id, stored.version_id, *stored.chunk_ids} <= set(event.subjects)
    assert rows(app, agent, "event")[: len(before)] == before
    assert_chain_holds(app, agent)


def test_forgetting_again_is_not_found(app: App, agent: Caller) -> None:
    """GN-FGT-4"""
    stored = store(app, agent, TEXT)
    forget(app, agent, ids=(stored.version_id,))
    for asked in (
        {"ids": (stored.item_id,)},
        {"items": (stored.item_id,)},
        {"chunks": stored.chunk_ids[:1]},
        {"ids": ("nothing",)},
    ):
        with pytest.raises(NotFound):
            forget(app, agent, **asked)


def test_a_readable_id_is_never_used_again(app: App, agent: Caller) -> None:
    """K-IDS-5 and engine 2"""
    stored = store(app, agent, "Said.", title="Plan")
    forget(app, agent, ids=(stored.item_id,))
    assert tables_with(app, agent, "memory_plan") == set()
    assert store(app, agent, "Said.", title="Plan").slug == "memory_plan_2024_10_2"
    with pytest.raises(NotFound):
        perform(app, agent, Get(id="memory_plan_2024_10"))


def test_what_is_sensitive_is_forgotten_by_people_alone(app: App, agent: Caller, owner: Caller) -> None:
    """GN-FGT-4 K-SEC-1 GR-AUT-6"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, "Said.", collection="vault")
    unknown = "00000000-0000-7000-8000-000000000000"
    for told in (True, False):
        for asked in ({"items": (secret.item_id,)}, {"chunks": secret.chunk_ids}):
            with pytest.raises(Forbidden if told else NotFound) as refused:
                forget(app, agent, tell_sensitive=told, **asked)
            assert not told or refused.value.facts["reason"] == "sensitive_collection"
        with pytest.raises(NotFound):
            forget(app, agent, tell_sensitive=told, items=(unknown,))
    with pytest.raises(NotFound, match="no collection vault"):
        forget(app, agent, collection="vault")
    with pytest.raises(NotFound):
        forget(app, agent, ids=(secret.version_id,))
    assert forget(app, owner, ids=(secret.version_id,)).versions == 1


def test_what_is_elsewhere_than_was_said_is_left(app: App, agent: Caller) -> None:
    collection(app, "Work")
    stored = store(app, agent, TEXT, collection="work")
    for within in ("personal", "nowhere"):
        with pytest.raises(Invalid, match=f"in the collection work, not in {within}"):
            forget(app, agent, items=(stored.item_id,), within=within)
        with pytest.raises(Invalid, match="in the collection work"):
            forget(app, agent, chunks=stored.chunk_ids[:1], within=within)
    assert forget(app, agent, items=(stored.item_id,), within="Work").chunks == 3


def test_forgetting_needs_a_name(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    with pytest.raises(Invalid, match="Name what to forget"):
        forget(app, agent)
    with pytest.raises(NotFound, match="nothing like this"):
        forget(app, agent, source="no such source")
    with pytest.raises(NotFound, match="no collection attic"):
        forget(app, agent, collection="attic")


def test_all_that_came_from_a_source_is_forgotten(app: App, agent: Caller) -> None:
    one, _ = (store(app, agent, "Said.", provenance=each) for each in ("letter", "book"))
    fact, _ = (state(app, agent, "x", "is", each, provenance=each) for each in ("letter", "book"))
    forgotten = forget(app, agent, source="letter")
    assert (forgotten.item_ids, forgotten.facts) == ((one.item_id,), 1)
    assert [each.value for each in perform(app, agent, FactsAbout(entity="x"))] == ["book"]
    assert fact not in {row["id"] for row in rows(app, agent, "fact")}


def test_all_in_a_collection_is_forgotten(app: App, agent: Caller) -> None:
    collection(app, "Inbox")
    stored = store(app, agent, "Said.", collection="inbox")
    kept = store(app, agent, "Kept.")
    set_workspace(app, "default", settings={"default_collection": "inbox"})
    state(app, agent, "x", "is", "red")
    forgotten = forget(app, agent, collection="Inbox")
    assert (forgotten.item_ids, forgotten.facts) == ((stored.item_id,), 1)
    assert perform(app, agent, Get(id=kept.item_id)).text == "Kept."


def test_a_scoped_token_forgets_what_is_in_its_folders(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    one = folder(app, "One")
    inside, outside = (store(app, agent, "Said.", provenance="book") for _ in range(2))
    state(app, agent, "x", "is", "red", provenance="book")
    file(app, inside.item_id, one)
    caller = token(app, one)
    with pytest.raises(NotFound, match=f"Memory not found: {outside.item_id}"):
        forget(app, caller, ids=(outside.item_id,))
    assert forget(app, caller, collection="personal").item_ids == (inside.item_id,)
    with pytest.raises(NotFound, match="nothing like this"):
        forget(app, caller, source="book")


def test_forgetting_needs_the_right_to_write(app: App, agent: Caller) -> None:
    """K-AUT-2"""
    stored = store(app, agent, "Said.")
    with pytest.raises(Forbidden):
        forget(app, token(app, scopes=(Scope.READ,)), ids=(stored.item_id,))


def test_a_title_and_headings_that_stood_in_a_lost_chunk_go_with_it(app: App, agent: Caller) -> None:
    """GN-FGT-2 GN-FGT-5"""
    text = "Treasure on Skull Island\n\n# One\n" + "a " * 1200 + "\n# Two\nend"
    stored = store(app, agent, text)
    assert stored.slug == "memory_treasure_on_skull_island_2024_10"
    forget(app, agent, chunks=stored.chunk_ids[:1])
    assert tables_with(app, agent, "skull") == tables_with(app, agent, "treasure") == set()
    version = perform(app, agent, Get(id=stored.item_id)).version
    assert version.slug != stored.slug
    assert "memory_" in str(version.slug)


def test_headings_of_chunks_that_stay_are_kept_where_they_still_stand(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    text = "# Gemstone\n" + "long words " * 300 + "\n## Inner\n" + "more words " * 300
    stored = store(app, agent, text, title="Stones")
    forget(app, agent, chunks=stored.chunk_ids[:1])
    assert tables_with(app, agent, "gemstone") == set()
    assert [hit.title for hit in found(app, agent, "inner", mode="keyword")] == ["Stones"]


def test_facts_of_a_cut_item_stay_where_its_text_still_says_them(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    readings = [Reading("Ida", "grows", each, app.clock.now(), FOREVER) for each in ("leek", "plum")]
    stored = store(
        replace(app, extractor=FixedExtractor(*readings)), agent, TEXT, note_fact=True, extract=True, episode="e"
    )
    forgotten = forget(app, agent, chunks=(stored.chunk_ids[1],))
    assert perform(app, agent, FactsAbout(entity="e")) == []
    assert [each.value for each in perform(app, agent, FactsAbout(entity="Ida"))] == ["leek"]
    assert tables_with(app, agent, "plum") == set()
    assert forgotten.chunks == 1


def test_a_chunk_of_an_item_out_of_the_knowledge_base_is_cut_too(app: App, agent: Caller) -> None:
    stored = store(app, agent, TEXT, in_kb=False)
    forget(app, agent, chunks=(stored.chunk_ids[0],))
    assert found(app, agent, "plum") == []
    assert tables_with(app, agent, "zwiebelfeld") == set()


def test_a_chunk_that_was_corrected_is_forgotten_with_what_it_said_before(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    full = correcting(app)
    stored = store(full, agent, TEXT)
    proposal = perform(
        full, agent, Propose(chunk_id=stored.chunk_ids[0], proposal="replace 'Zwiebelfeld' with 'Mitte'")
    )
    perform(full, agent, Apply(id=proposal.id))
    forget(full, agent, chunks=(stored.chunk_ids[0],))
    assert tables_with(app, agent, "zwiebelfeld") == tables_with(app, agent, "mitte") == set()
    assert_chain_holds(app, agent)


def test_a_neighbour_that_was_corrected_holds_no_word_of_a_lost_chunk(app: App, agent: Caller) -> None:
    """GN-FGT-2 and engine 4"""
    full = correcting(app)
    stored = store(full, agent, TEXT)
    proposal = perform(full, agent, Propose(chunk_id=stored.chunk_ids[1], proposal="replace 'plum' with 'pear'"))
    perform(full, agent, Apply(id=proposal.id))
    assert "lexical" in tables_with(app, agent, "zwiebelfeld")
    forget(full, agent, chunks=stored.chunk_ids[:1])
    assert tables_with(app, agent, "zwiebelfeld") == set()
    assert [hit.chunk_id for hit in found(app, agent, "pear", mode="keyword")] == [stored.chunk_ids[1]]


def test_the_words_of_a_decided_review_go_with_what_it_made(app: App, agent: Caller, owner: Caller) -> None:
    """engine 6"""
    with pytest.raises(Ambiguous):
        store(app, agent, "Zwiebelfeld.", title="Z", collection="Attic")
    [review] = perform(app, owner, ListReviews())
    perform(app, owner, DecideReview(id=review.id, approve=True))
    [item] = rows(app, agent, "item")
    forget(app, agent, ids=(item["id"],))
    assert tables_with(app, agent, "zwiebelfeld") == set()
    assert rows(app, agent, "review") == []


class Interfering:
    """An embedder in whose time somebody else writes."""

    def __init__(self, app: App, interfere: Any) -> None:
        self.inner, self.interfere = app.embedder, interfere
        self.name, self.dimensions = app.embedder.name, app.embedder.dimensions

    def embed(self, texts: Any) -> Any:
        self.interfere()
        return self.inner.embed(texts)

    def centred(self, vectors: Any) -> Any:
        return vectors


def test_what_changes_while_it_is_being_forgotten_is_not_half_forgotten(app: App, agent: Caller) -> None:
    """GN-FGT-1"""
    stored = store(app, agent, TEXT)
    interfering = Interfering(app, lambda: perform(app, agent, Forget(chunks=stored.chunk_ids[2:])))
    with pytest.raises(Conflict, match="try again"):
        forget(replace(app, embedder=interfering), agent, chunks=stored.chunk_ids[:1])
    assert "Zwiebelfeld" in perform(app, agent, Get(id=stored.item_id)).text


def test_a_class_goes_with_the_last_text_that_carries_it(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    one, two = (store(app, agent, "Said.", tags=("type:Zebrasecret<Memory",)) for _ in range(2))
    forget(app, agent, ids=(one.item_id,))
    assert "Zebrasecret" in perform(app, agent, ListRelationTypes()).classes
    assert verify(app, agent.workspace_id).problems == ()
    forget(app, agent, ids=(two.item_id,))
    assert tables_with(app, agent, "zebrasecret") == set()
    assert verify(app, agent.workspace_id).problems == ()


def test_what_a_lost_chunk_linked_to_goes_with_it(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    lost, kept = store(app, agent, "Cold.", title="Cellar"), store(app, agent, "Warm.", title="Attic")
    text = "# One\nSee [[Cellar]], [[Zebrasecret]] and [[Attic]].\n# Two\nSee [[Attic]] and [[Loft]] again."
    stored = store(app, agent, text, title="House")
    forgotten = forget(app, agent, chunks=stored.chunk_ids[:1])
    assert forgotten.relations == 1
    assert [each.target for each in perform(app, agent, RelationsOf(id=stored.item_id))] == [kept.version_id]
    assert perform(app, agent, RelationsOf(id=lost.item_id)) == []
    assert [row["target_key"] for row in rows(app, agent, "pending_link")] == ["loft"]
    assert tables_with(app, agent, "zebrasecret") == set()
    assert verify(app, agent.workspace_id).problems == ()


def test_a_review_that_waits_is_forgotten_with_the_source_of_its_text(app: App, agent: Caller, owner: Caller) -> None:
    """GN-FGT-2"""
    for source in ("letter", "book"):
        with pytest.raises(Ambiguous):
            store(app, agent, f"Said in a {source}.", provenance=source, collection="Attic")
    with pytest.raises(NotFound, match="nothing like this"):
        forget(app, token(app, folder(app, "One")), source="letter")
    forget(app, agent, source="letter")
    assert [each.preview for each in perform(app, owner, ListReviews())] == ["Said in a book."]
    assert "review" not in tables_with(app, agent, "letter")
