from typing import Any

import pytest
from core_support import collection, correcting, file, folder, found, ids, state, store

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    Apply,
    CorrectFact,
    CreateCollection,
    CreateFolder,
    DeleteCollection,
    DeleteFolder,
    FactsAbout,
    Forget,
    Get,
    History,
    InvalidateFact,
    Link,
    List,
    ListCollections,
    ListFolders,
    Move,
    Propose,
    RelationsOf,
    Retract,
    SetCollection,
    Supersede,
    Undo,
    Unlink,
)
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import Conflict, Forbidden, NotFound
from commonplace.model.event import Event, EventKind
from commonplace.model.interval import DAY
from support import FakeClock, rows


def history(app: App, owner: Caller, **asked: Any) -> list[Event]:
    return list(perform(app, owner, History(**asked)))


def undo(app: App, owner: Caller, event: str | None = None) -> Event:
    """Take back an event, the last one unless another is named."""
    undone: Event = perform(app, owner, Undo(event_id=event or history(app, owner, limit=1)[0].id))
    return undone


def about(app: App, caller: Caller, entity: str, **asked: Any) -> list[object]:
    return [fact.value for fact in perform(app, caller, FactsAbout(entity=entity, **asked))]


def slugs(app: App, caller: Caller) -> list[str]:
    return [each.slug for each in perform(app, caller, ListCollections())]


def test_every_write_is_one_event_newest_first(app: App, owner: Caller, agent: Caller) -> None:
    """GN-OPL-1 GN-OPL-2"""
    stored = store(app, agent, "Said.")
    fact = state(app, agent, "x", "is", "red")
    perform(app, agent, Retract(id=stored.item_id))
    events = history(app, owner)
    assert [event.kind for event in events] == [
        EventKind.RETRACT,
        EventKind.FACT_ASSERT,
        EventKind.INGEST,
        EventKind.COLLECTION_CREATE,
    ]
    assert [event.seq for event in events] == [4, 3, 2, 1]
    assert [(event.actor, event.surface) for event in events[:3]] == [("stdio", "native")] * 3
    assert fact in events[1].subjects
    assert len(history(app, owner, limit=2)) == 2


def test_a_failed_write_is_no_event(app: App, owner: Caller, agent: Caller) -> None:
    """K-ERR-6 KR-ERR-2 GN-ERR-4"""
    before = {table: rows(app, owner, table) for table in ("event", "version", "chain", "lexical", "slug")}
    with pytest.raises(Conflict):
        perform(app, owner, CreateCollection(name="Personal"))
    with pytest.raises(NotFound):
        perform(app, agent, Supersede(id="nothing", text="x"))
    assert {table: rows(app, owner, table) for table in before} == before


def test_the_history_of_a_thing_is_told_by_any_of_its_ids(app: App, owner: Caller, agent: Caller) -> None:
    """GN-OPL-3"""
    stored, other = store(app, agent, "Said."), store(app, agent, "Other.")
    renewed = perform(app, agent, Supersede(id=stored.item_id, text="New."))
    kinds = [EventKind.SUPERSEDE, EventKind.INGEST]
    for thing in (stored.item_id, stored.slug, renewed.new_id, stored.chunk_ids[0]):
        assert [event.kind for event in history(app, owner, id=thing)] == kinds
    assert len(history(app, owner, id=other.version_id)) == 1
    fact = state(app, agent, "x", "is", "red")
    assert [event.kind for event in history(app, owner, id=fact)] == [EventKind.FACT_ASSERT]
    for unknown in ("nothing", "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound, match=f"Nothing is known of {unknown}"):
            history(app, owner, id=unknown)


def test_the_op_log_is_for_people(app: App, agent: Caller) -> None:
    """GN-OPL-3"""
    for request in (History(), Undo(event_id="x")):
        with pytest.raises(Forbidden, match="Only a person"):
            perform(app, agent, request)


def test_an_undone_memory_is_gone_and_was_known(app: App, owner: Caller, agent: Caller, clock: FakeClock) -> None:
    """engine 6"""
    later = store(app, agent, "See [[Plan]].")
    stored = store(app, agent, "The plan.", title="Plan")
    between = clock.advance(DAY)
    clock.advance(DAY)
    undone = undo(app, owner)
    assert undone.kind == EventKind.UNDO
    assert ids(found(app, agent, "plan", mode="keyword")) == [later.version_id]
    assert [each.version.id for each in perform(app, agent, List())] == [later.version_id]
    assert perform(app, agent, Get(id=stored.item_id, known_at=between)).text == "The plan."
    assert perform(app, agent, RelationsOf(id=later.version_id)) == []
    again = store(app, agent, "The plan again.", title="Plan")
    assert [each.target for each in perform(app, agent, RelationsOf(id=later.version_id))] == [again.version_id]


def test_an_undone_update_gives_the_old_version_back(app: App, owner: Caller, agent: Caller, clock: FakeClock) -> None:
    """engine 6"""
    stored = store(app, agent, "Old words.")
    perform(app, agent, Supersede(id=stored.item_id, text="New words."))
    between = clock.advance(DAY)
    clock.advance(DAY)
    undo(app, owner)
    assert perform(app, agent, Get(id=stored.item_id)).text == "Old words."
    assert [hit.text for hit in found(app, agent, "words")] == ["Old words."]
    assert [hit.text for hit in found(app, agent, "words", known_at=between)] == ["New words."]
    assert perform(app, agent, RelationsOf(id=stored.version_id)) == []
    assert perform(app, agent, Supersede(id=stored.item_id, text="Newer words.")).old_id == stored.version_id


def test_facts_asserted_corrected_and_invalidated_are_undone(
    app: App, owner: Caller, agent: Caller, clock: FakeClock
) -> None:
    """engine 6"""
    fact = state(app, agent, "x", "is", "red")
    perform(app, agent, CorrectFact(id=fact, value="blue"))
    between = clock.advance(DAY)
    clock.advance(DAY)
    undo(app, owner)
    assert about(app, agent, "x") == ["red"]
    assert about(app, agent, "x", known_at=between) == ["blue"]
    perform(app, agent, CorrectFact(id=fact, value="green"))
    undo(app, owner)
    perform(app, agent, InvalidateFact(id=fact))
    assert about(app, agent, "x") == []
    undo(app, owner)
    assert about(app, agent, "x") == ["red"]
    assert ids(found(app, agent, "red", targets=("fact",))) == [fact]


def test_an_undone_assertion_is_no_alias(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    state(app, agent, "Robert", "likes", "tea")
    state(app, agent, "Robert", "aka", "Bob")
    undo(app, owner)
    assert about(app, agent, "Bob") == []


def test_links_are_undone_both_ways(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    a, b = (store(app, agent, "Said.").version_id for _ in range(2))
    perform(app, agent, Link(origin=a, target=b, kind="ABOUT"))
    undo(app, owner)
    assert perform(app, agent, RelationsOf(id=b)) == []
    perform(app, agent, Link(origin=a, target=b, kind="ABOUT"))
    perform(app, agent, Unlink(origin=a, target=b, kind="ABOUT"))
    undo(app, owner)
    assert len(perform(app, agent, RelationsOf(id=b))) == 1


def test_an_undone_correction_says_and_finds_the_old_words_again(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    app = correcting(app)
    stored = store(app, agent, "# Door\nThe code is 1111.\n# Gate\nIt squeaks.")
    made = perform(app, agent, Propose(chunk_id=stored.chunk_ids[0], proposal="replace '1111' with '2222'"))
    perform(app, agent, Apply(id=made.id))
    undo(app, owner)
    assert "1111" in perform(app, agent, Get(id=stored.item_id)).text
    assert len(found(app, agent, "1111", mode="keyword")) == 1
    assert found(app, agent, "2222", mode="keyword") == []


def test_an_undone_correction_of_what_is_not_indexed_stays_so(app: App, owner: Caller, agent: Caller) -> None:
    app = correcting(app)
    stored = store(app, agent, "The code is 1111.", in_kb=False)
    made = perform(app, agent, Propose(chunk_id=stored.chunk_ids[0], proposal="replace '1111' with '2222'"))
    perform(app, agent, Apply(id=made.id))
    undo(app, owner)
    assert perform(app, agent, Get(id=stored.item_id)).text == "The code is 1111."
    assert found(app, agent, "1111") == []


def test_folders_and_what_is_in_them_are_undone(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    stored = store(app, agent, "Said.")
    one = folder(app, "One")
    file(app, stored.item_id, one)
    undo(app, owner)
    assert perform(app, owner, ListFolders())[0].item_count == 0
    file(app, stored.item_id, one)
    perform(app, owner, DeleteFolder(id=one.id))
    undo(app, owner)
    assert perform(app, owner, ListFolders())[0].item_count == 1
    folder(app, "Two")
    undo(app, owner)
    assert [each.name for each in perform(app, owner, ListFolders())] == ["One"]


def test_collections_are_undone(app: App, owner: Caller) -> None:
    """engine 6"""
    collection(app, "Work")
    undo(app, owner)
    assert slugs(app, owner) == ["personal"]
    collection(app, "Home")
    perform(app, owner, SetCollection(slug="home", name="House", recall_cap=900))
    undo(app, owner)
    assert [(each.name, each.recall_cap) for each in perform(app, owner, ListCollections())] == [
        ("Home", 2000),
        ("Personal", 2000),
    ]
    perform(app, owner, DeleteCollection(slug="home"))
    undo(app, owner)
    assert slugs(app, owner) == ["home", "personal"]


def test_a_move_is_undone_with_its_tier(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    collection(app, "Vault", Tier.SENSITIVE)
    stored = store(app, agent, "Fig.")
    perform(app, owner, Move(ids=(stored.item_id,), collection="vault"))
    assert found(app, agent, "fig") == []
    undo(app, owner)
    assert ids(found(app, agent, "fig")) == [stored.version_id]


def test_what_is_taken_back_into_the_knowledge_base_is_found(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    stored = store(app, agent, "Fig.")
    perform(app, agent, Amend(id=stored.item_id, in_kb=False))
    undo(app, owner)
    assert ids(found(app, agent, "fig")) == [stored.version_id]
    perform(app, agent, Amend(id=stored.item_id, archived=True))
    undo(app, owner)
    assert len(perform(app, agent, List())) == 1


def test_the_last_is_undone_first(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    stored = store(app, agent, "Said.")
    [ingest] = history(app, owner, limit=1)
    perform(app, agent, Retract(id=stored.item_id))
    with pytest.raises(Conflict, match="undo that first"):
        undo(app, owner, ingest.id)
    with pytest.raises(NotFound, match="no event nothing"):
        undo(app, owner, "nothing")
    other = store(app, agent, "Unrelated.")
    retracted = history(app, owner, id=stored.item_id)[0]
    undo(app, owner, retracted.id)
    assert perform(app, agent, Get(id=other.item_id)).text == "Unrelated."


@pytest.mark.parametrize("kind", ["forget", "tier", "undo"])
def test_some_events_are_never_undone(app: App, owner: Caller, agent: Caller, kind: str) -> None:
    """engine 6"""
    stored = store(app, agent, "Said.")
    if kind == "forget":
        perform(app, agent, Forget(ids=(stored.item_id,)))
    elif kind == "tier":
        perform(app, owner, SetCollection(slug="personal", tier=Tier.PUBLIC))
    else:
        undo(app, owner)
    with pytest.raises(Conflict, match=f"of the kind {kind} cannot be undone"):
        undo(app, owner)


def test_what_was_partly_forgotten_cannot_be_undone(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    one = folder(app, "One")
    kept, gone = store(app, agent, "Said."), store(app, agent, "Said.")
    for stored in (kept, gone):
        file(app, stored.item_id, one)
    perform(app, owner, DeleteFolder(id=one.id))
    [deleted] = history(app, owner, limit=1)
    perform(app, agent, Forget(ids=(gone.item_id,)))
    with pytest.raises(Conflict):
        undo(app, owner, deleted.id)


def test_a_forgotten_part_of_an_event_keeps_it_from_being_undone(app: App, owner: Caller, agent: Caller) -> None:
    """engine 6"""
    fact = state(app, agent, "x", "is", "red")
    [asserted] = history(app, owner, limit=1)
    with app.db.write(owner) as write:
        write.run("redact_payload", seq=asserted.seq, body=b"[]", redacted=True)
    with pytest.raises(Conflict, match="forgotten"):
        undo(app, owner, asserted.id)
    assert about(app, agent, "x") == ["red"]
    assert fact


def test_the_default_collection_stays(app: App, owner: Caller) -> None:
    [made] = history(app, owner)
    with pytest.raises(Conflict, match="default collection"):
        undo(app, owner, made.id)
    assert slugs(app, owner) == ["personal"]


def test_what_is_in_use_is_not_taken_away(app: App, owner: Caller, agent: Caller) -> None:
    collection(app, "Work")
    [made] = history(app, owner, limit=1)
    stored = store(app, agent, "Said.", collection="work")
    with pytest.raises(Conflict, match="in use"):
        undo(app, owner, made.id)
    perform(app, agent, Forget(ids=(stored.item_id,)))
    set_workspace(app, "default", settings={"default_collection": "work"})
    state(app, agent, "x", "is", "red")
    with pytest.raises(Conflict, match="in use"):
        undo(app, owner, made.id)
    one = folder(app, "One")
    [made] = history(app, owner, limit=1)
    filed = store(app, agent, "Said.", collection="personal")
    with app.db.write(owner) as write:
        write.insert("folder_member", folder_id=one.id, member_id=filed.item_id, added_at=write.now)
        write.record(EventKind.FOLDER, filed.item_id)
    with pytest.raises(Conflict, match="The folder holds items"):
        undo(app, owner, made.id)


def test_an_old_name_must_be_free_to_come_back(app: App, owner: Caller) -> None:
    """GN-RES-2"""
    collection(app, "Work")
    perform(app, owner, DeleteCollection(slug="work"))
    [deleted] = history(app, owner, limit=1)
    collection(app, "work!")
    with pytest.raises(Conflict, match="another collection named Work"):
        undo(app, owner, deleted.id)
    collection(app, "Home")
    perform(app, owner, SetCollection(slug="home", name="House"))
    [renamed] = history(app, owner, limit=1)
    undo(app, owner, renamed.id)
    one = folder(app, "One")
    perform(app, owner, DeleteFolder(id=one.id))
    [deleted] = history(app, owner, limit=1)
    perform(app, owner, CreateFolder(name="ONE"))
    with pytest.raises(Conflict, match="another folder named One"):
        undo(app, owner, deleted.id)


def test_a_collection_must_still_be_there_to_move_back_to(app: App, owner: Caller, agent: Caller) -> None:
    collection(app, "Work")
    stored = store(app, agent, "Said.", collection="work")
    perform(app, owner, Move(ids=(stored.item_id,), collection="personal"))
    [moved] = history(app, owner, limit=1)
    perform(app, owner, DeleteCollection(slug="work"))
    with pytest.raises(Conflict, match="The collection it was in is gone"):
        undo(app, owner, moved.id)
    assert perform(app, agent, Get(id=stored.item_id)).collection == "personal"


def test_an_undo_is_recorded_after_what_it_undoes(app: App, owner: Caller, agent: Caller) -> None:
    """engine 1"""
    store(app, agent, "Said.")
    [event] = history(app, owner, limit=1)
    undone = undo(app, owner)
    assert undone.recorded_at > event.recorded_at
    assert {event.id, *event.subjects} == set(undone.subjects)
