import pytest
from core_support import collection, found, ids, state, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    CreateCollection,
    DeleteCollection,
    FactsAbout,
    Forget,
    History,
    ListCollections,
    SetCollection,
    Undo,
)
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import Conflict, Forbidden, Invalid, NotFound
from commonplace.operations.verify import verify
from support import rows


def slugs(app: App, caller: Caller) -> list[str]:
    return [each.slug for each in perform(app, caller, ListCollections())]


def test_a_new_collection_is_personal_unless_said_otherwise(app: App, owner: Caller) -> None:
    """GN-TIE-1"""
    made = perform(app, owner, CreateCollection(name=" Bücher & Hefte "))
    assert (made.slug, made.name, made.tier, made.recall_cap) == (
        "buecher-hefte",
        "Bücher & Hefte",
        Tier.PERSONAL,
        2000,
    )
    assert collection(app, "News", Tier.PUBLIC).tier == Tier.PUBLIC


@pytest.mark.parametrize("name", ["book-notes", "BookNotes", "  book_notes!", "Buecher", "bücher"])
def test_no_two_collections_share_a_name(app: App, owner: Caller, name: str) -> None:
    """GN-RES-2"""
    for taken in ("Book Notes", "Bücher"):
        collection(app, taken)
    with pytest.raises(Conflict):
        perform(app, owner, CreateCollection(name=name))
    collection(app, "Third")
    with pytest.raises(Conflict):
        perform(app, owner, SetCollection(slug="third", name=name))


def test_a_name_needs_a_letter_or_digit(app: App, owner: Caller) -> None:
    """GN-RES-1"""
    with pytest.raises(Invalid, match="letter or digit"):
        perform(app, owner, CreateCollection(name="!?"))


def test_only_people_make_and_change_collections(app: App, agent: Caller) -> None:
    """GN-RES-8 GN-TIE-2"""
    requests = (
        CreateCollection(name="Attic"),
        SetCollection(slug="personal", tier=Tier.PUBLIC),
        DeleteCollection(slug="personal"),
    )
    for caller in (agent, token(app)):
        for request in requests:
            with pytest.raises(Forbidden, match="Only a person"):
                perform(app, caller, request)
        assert slugs(app, caller) == ["personal"]


def test_sensitive_collections_are_listed_to_people_alone(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-3 GN-STA-3"""
    for name, tier in (("Vault", Tier.SENSITIVE), ("News", Tier.PUBLIC)):
        collection(app, name, tier)
    assert slugs(app, agent) == ["news", "personal"]
    assert slugs(app, owner) == ["news", "personal", "vault"]


def test_a_change_leaves_what_it_does_not_name(app: App, owner: Caller) -> None:
    """GN-TIE-2"""
    made = collection(app, "Work")
    perform(app, owner, SetCollection(slug="Work", recall_cap=700))
    perform(app, owner, SetCollection(slug="work", name="Office"))
    changed = perform(app, owner, SetCollection(slug="office", tier=Tier.PUBLIC))
    assert (changed.id, changed.slug, changed.name, changed.recall_cap) == (made.id, "work", "Office", 700)
    assert changed in perform(app, owner, ListCollections())
    assert perform(app, owner, SetCollection(slug="work", name="office")).name == "office"


def test_a_recall_cap_is_at_least_five_hundred(app: App, owner: Caller) -> None:
    """GN-RCL-5"""
    with pytest.raises(Invalid, match="at least 500"):
        perform(app, owner, SetCollection(slug="personal", recall_cap=499))
    assert perform(app, owner, SetCollection(slug="personal", recall_cap=500)).recall_cap == 500


def test_raising_a_tier_holds_for_the_next_call(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-1 GN-TIE-2"""
    collection(app, "Work")
    stored = store(app, agent, "Fig.", collection="work")
    set_workspace(app, "default", settings={"default_collection": "work"})
    state(app, agent, "x", "is", "fig")
    set_workspace(app, "default", settings={"default_collection": None})
    both = ("memory", "fact")
    perform(app, owner, SetCollection(slug="work", tier=Tier.SENSITIVE))
    assert found(app, agent, "fig", targets=both) == []
    assert perform(app, agent, FactsAbout(entity="x")) == []
    assert len(found(app, owner, "fig", targets=both)) == 2
    perform(app, owner, SetCollection(slug="work", tier=Tier.PERSONAL))
    assert len(found(app, agent, "fig", targets=both)) == 2
    assert stored.version_id in ids(found(app, agent, "fig"))


def test_only_an_empty_collection_is_deleted(app: App, agent: Caller, owner: Caller) -> None:
    collection(app, "Work")
    stored = store(app, agent, "Said.", collection="work")
    with pytest.raises(Conflict, match="still holds items"):
        perform(app, owner, DeleteCollection(slug="work"))
    perform(app, agent, Forget(ids=(stored.item_id,)))
    perform(app, owner, DeleteCollection(slug="Work"))
    assert slugs(app, owner) == ["personal"]
    for request in (DeleteCollection(slug="work"), SetCollection(slug="work", name="x")):
        with pytest.raises(NotFound, match="no collection work"):
            perform(app, owner, request)


def test_what_was_undone_does_not_keep_a_collection(app: App, agent: Caller, owner: Caller) -> None:
    collection(app, "Work")
    stored = store(app, agent, "Said.", collection="work")
    perform(app, owner, Undo(event_id=perform(app, owner, History(limit=1))[0].id))
    perform(app, owner, DeleteCollection(slug="work"))
    assert slugs(app, owner) == ["personal"]
    assert verify(app, owner.workspace_id).problems == ()
    perform(app, owner, Undo(event_id=perform(app, owner, History(limit=1))[0].id))
    perform(app, owner, Forget(collection="work"))
    assert stored.item_id not in {row["id"] for row in rows(app, owner, "item")}


def test_a_collection_that_holds_facts_is_not_empty(app: App, agent: Caller, owner: Caller) -> None:
    collection(app, "Inbox")
    set_workspace(app, "default", settings={"default_collection": "inbox"})
    state(app, agent, "x", "is", "red")
    set_workspace(app, "default", settings={"default_collection": "personal"})
    with pytest.raises(Conflict, match="items or facts"):
        perform(app, owner, DeleteCollection(slug="inbox"))


def test_the_default_collections_are_not_deleted(app: App, owner: Caller) -> None:
    collection(app, "Inbox")
    set_workspace(app, "default", settings={"default_collection": "Inbox"})
    for slug in ("personal", "inbox"):
        with pytest.raises(Conflict, match="default collection"):
            perform(app, owner, DeleteCollection(slug=slug))
