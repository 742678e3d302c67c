from dataclasses import replace
from typing import Any

import pytest
from core_support import FixedExtractor, Reading, collection, file, folder, found, ids, state, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    AssertFact,
    CountAll,
    FactsAbout,
    Forget,
    Get,
    History,
    InvalidateFact,
    Link,
    List,
    ListFolders,
    ListPage,
    Move,
    Recall,
    RelationsOf,
    Retract,
    Store,
    Supersede,
    Undo,
    UnfileItem,
)
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.errors import Conflict, Forbidden, Invalid, NotFound, Quota, TooLarge
from commonplace.model.interval import DAY, FOREVER, SECOND, Instant
from support import FakeClock, rows


def whole(app: App, caller: Caller, thing: str, **asked: Any) -> Any:
    return perform(app, caller, Get(id=thing, **asked))


def listed(app: App, caller: Caller, **asked: Any) -> list[str]:
    return [each.item.id for each in perform(app, caller, List(**asked))]


def renew(app: App, caller: Caller, thing: str, text: str, **asked: Any) -> Any:
    return perform(app, caller, Supersede(id=thing, text=text, **asked))


def test_what_is_stored_is_valid_from_now_on_and_found_at_once(app: App, agent: Caller) -> None:
    """K-STO-1"""
    stored = store(app, agent, "The heating engineer comes on Thursdays.")
    version = whole(app, agent, stored.version_id).version
    assert (version.valid.start, version.valid.end) == (stored.created_at, FOREVER)
    assert version.created_at == version.recorded.start == stored.created_at
    assert ids(found(app, agent, "heating engineer")) == [stored.version_id]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n## Boiler **manual**\nTurn it off first.", "Boiler manual"),
        ("- [ ] Call the plumber\n- [ ] Buy salt", "Call the plumber"),
        ("word " * 40, "word " * 15 + "word"),
    ],
)
def test_a_missing_title_is_the_first_line_that_says_something(app: App, agent: Caller, text: str, title: str) -> None:
    """K-STO-2"""
    assert whole(app, agent, store(app, agent, text, title=" ").item_id).version.title == title


def test_a_generic_label_names_the_client_that_stored_it(app: App, agent: Caller) -> None:
    """GN-REM-5"""
    named = store(app, replace(agent, client="Desk"), "Milk is out.", generic_label="Note")
    nameless = store(app, agent, "Milk is out.", generic_label="Note")
    titled = store(app, agent, "Milk is out.", title="Milk", generic_label="Note")
    labels = [whole(app, agent, each.item_id).item.custom_title for each in (named, nameless, titled)]
    assert labels == ["Note from Desk", "Note", None]


def test_a_readable_id_is_made_of_the_title_and_the_month(app: App, agent: Caller) -> None:
    """K-STO-3 K-IDS-2 K-IDS-3"""
    titles = ("Größe der Tür", "Größe der Tür", "Review 2024-10", "?!")
    slugs = [store(app, agent, "Said.", title=title).slug for title in titles]
    assert slugs == [
        "memory_groesse_der_tuer_2024_10",
        "memory_groesse_der_tuer_2024_10_2",
        "memory_review_2024_10",
        "memory_note_2024_10",
    ]


def test_equal_titles_are_numbered_in_turn(app: App, agent: Caller) -> None:
    """K-IDS-2"""
    slugs = [store(app, agent, "Said.", title="Log", in_kb=False).slug for _ in range(9)]
    assert slugs == ["memory_log_2024_10", *(f"memory_log_2024_10_{number}" for number in range(2, 10))]


def test_a_document_has_a_readable_id_of_its_own_kind(app: App, agent: Caller) -> None:
    """K-IDS-2"""
    assert store(app, agent, "# Rules\nBe kind.", kind="document").slug == "doc_rules_2024_10"


def test_every_rendering_of_an_id_names_the_same_thing(app: App, agent: Caller) -> None:
    """K-IDS-1 K-IDS-5"""
    stored = store(app, agent, "The spare key hangs in the shed.", title="Spare key")
    assert stored.slug
    for thing in (stored.slug, stored.version_id, stored.version_id.upper(), stored.item_id):
        assert whole(app, agent, thing).version.id == stored.version_id


def test_the_same_text_twice_is_two_memories(app: App, agent: Caller) -> None:
    """K-STO-6 GN-REM-5"""
    once, again = (store(app, agent, "Bins go out on Monday.") for _ in range(2))
    assert once.item_id != again.item_id
    assert {hit.id for hit in found(app, agent, "bins")} == {once.version_id, again.version_id}


def test_something_alike_is_named_and_never_merged(app: App, agent: Caller) -> None:
    first = store(app, agent, "Grandmother was born in Graz.", title="Birth", similar=True)
    second = store(app, agent, "Grandmother was born in Graz.", title="Birth", similar=True)
    other = store(app, agent, "The oven door sticks.", similar=True)
    assert first.similar == other.similar == ()
    assert [(each.id, each.title) for each in second.similar] == [(first.version_id, "Birth")]


def test_what_is_out_of_the_knowledge_base_is_not_compared(app: App, agent: Caller) -> None:
    assert store(app, agent, "Quiet.", in_kb=False, similar=True).similar == ()


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\r\nb\rc\nd", "a\nb\nc\nd"), ("zero\0byte", "zero\N{REPLACEMENT CHARACTER}byte"), ("half \ud800", "half ?")],
)
def test_a_text_is_kept_verbatim_but_for_line_ends_and_what_no_store_can_hold(
    app: App, agent: Caller, given: str, kept: str
) -> None:
    """GR-ADD-4"""
    assert whole(app, agent, store(app, agent, given).item_id).text == kept


def test_a_blank_text_and_one_too_large_are_refused(app: App, agent: Caller) -> None:
    with pytest.raises(Invalid, match="must not be empty"):
        store(app, agent, " \n ")
    with pytest.raises(TooLarge) as refused:
        store(app, agent, "ä" * (5 * 1024 * 1024 + 1))
    assert refused.value.facts["size_bytes"] == 10 * 1024 * 1024 + 2
    assert listed(app, agent) == []


def test_a_known_key_stores_nothing_and_returns_what_it_made(app: App, agent: Caller) -> None:
    """KR-REM-3"""
    first = store(app, agent, "Rent rises in May.", key="rent")
    again = store(app, agent, "Something else.", key="rent")
    assert again.known
    assert replace(again, known=False) == first
    assert listed(app, agent) == [first.item_id]


def test_a_known_key_of_what_was_forgotten_returns_its_ids_and_stores_nothing(app: App, agent: Caller) -> None:
    """KR-REM-3 and engine 6"""
    first = store(app, agent, "A secret.", key="once")
    perform(app, agent, Forget(ids=(first.item_id,)))
    again = store(app, agent, "A secret.", key="once")
    assert (again.item_id, again.version_id, again.created_at) == (first.item_id, first.version_id, first.created_at)
    assert listed(app, agent) == []


def test_keys_are_one_namespace_for_memories_and_facts(app: App, agent: Caller) -> None:
    """KR-REM-3"""
    stored = store(app, agent, "Said.", key="one")
    assert state(app, agent, "tea", "is", "hot", key="one") == stored.version_id
    fact = state(app, agent, "tea", "is", "hot", key="two")
    assert store(app, agent, "Said.", key="two").fact_ids == (fact,)
    assert len(listed(app, agent)) == 1


def test_facts_read_in_a_text_have_keys_of_their_own(app: App, agent: Caller) -> None:
    """KR-REM-3"""
    kept = state(app, agent, "Ida", "likes", "rye", key="walk:likes")
    readings = [
        Reading("Ida", "likes", "oats", app.clock.now(), FOREVER),
        Reading("Ida", "likes", "figs", app.clock.now(), FOREVER),
    ]
    reading = replace(app, extractor=FixedExtractor(*readings))
    stored = store(reading, agent, "Ida likes oats and figs.", key="walk", note_fact=True, extract=True, episode="e")
    assert stored.fact_ids[1] == kept
    assert state(app, agent, "x", "y", "z", key="walk:likes:2") == stored.fact_ids[2]
    assert store(reading, agent, "Anything.", key="walk", note_fact=True, extract=True).fact_ids == stored.fact_ids


def test_a_new_version_begins_where_the_old_one_ends(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-UPD-1 K-UPD-2"""
    stored = store(app, agent, "The code is 1111.", title="Door code")
    clock.advance(DAY)
    renewed = renew(app, agent, stored.version_id, "The code is 2222.", title="Door code")
    old, new = (whole(app, agent, each).version for each in (stored.version_id, renewed.new_id))
    assert old.valid.end == new.valid.start == new.created_at == renewed.changed_at
    assert (new.predecessor, new.valid.end) == (old.id, FOREVER)
    for moment, text in ((renewed.changed_at - 1, "The code is 1111."), (renewed.changed_at, "The code is 2222.")):
        assert [hit.text for hit in found(app, agent, "code", as_of=Instant(moment))] == [text]
    [edge] = perform(app, agent, RelationsOf(id=renewed.new_id))
    assert (edge.kind, edge.origin, edge.target) == ("SUPERSEDES", new.id, old.id)


@pytest.mark.parametrize("count", [2, 3])
def test_versions_are_numbered_in_their_readable_ids(app: App, agent: Caller, count: int) -> None:
    """K-IDS-4"""
    stored = store(app, agent, "Zero.", title="Plan")
    last = stored.slug
    for number in range(2, count + 1):
        last = renew(app, agent, stored.item_id, f"Number {number}.").new_slug
    assert last == f"memory_plan_2024_10_v{count}"


def test_a_taken_number_of_a_version_is_passed_over(app: App, agent: Caller) -> None:
    """K-IDS-4"""
    stored = store(app, agent, "Said.", title="Plan")
    store(app, agent, "Taken.", title="Plan 2024-10 v2 2024-10")
    rows_before = {row["slug"] for row in rows(app, agent, "slug")}
    assert "memory_plan_2024_10_v2_2024_10" in rows_before
    other = store(app, agent, "Other.", title="Plan")
    assert other.slug == "memory_plan_2024_10_2"
    assert renew(app, agent, stored.item_id, "New.").new_slug == "memory_plan_2024_10_v2"
    with app.db.write(agent) as write:
        assert write.one("slug_of", target_id=stored.version_id) == {"slug": "memory_plan_2024_10"}


def test_of_two_updates_of_one_version_the_second_is_told_the_current_one(app: App, agent: Caller) -> None:
    """K-UPD-3"""
    stored = store(app, agent, "First.", title="Plan")
    renewed = renew(app, agent, stored.version_id, "Second.")
    with pytest.raises(Conflict) as refused:
        renew(app, agent, stored.version_id, "Third.")
    assert refused.value.facts["reason"] == "already_superseded"
    assert refused.value.facts["current_id"] == renewed.new_slug
    assert renew(app, agent, stored.item_id, "Third.").old_id == renewed.new_id


@pytest.mark.parametrize("named", ["item_id", "version_id", "slug"])
def test_what_is_planned_to_take_over_is_named_before_it_does(
    app: App, agent: Caller, clock: FakeClock, named: str
) -> None:
    """K-UPD-3"""
    stored = store(app, agent, "First.", title="Plan")
    planned = renew(app, agent, stored.item_id, "Second.", valid_from=Instant(clock.now() + DAY))
    for request in (Supersede(id=getattr(stored, named), text="Third."), Retract(id=getattr(stored, named))):
        with pytest.raises(Conflict, match=r"takes over at 2024-1\d-\d\dT") as refused:
            perform(app, agent, request)
        assert refused.value.facts["current_id"] == planned.new_slug
    perform(app, agent, Retract(id=planned.new_id, valid_to=Instant(clock.now() + 2 * DAY)))


@pytest.mark.parametrize("ended_by", [Supersede(id="", text="He moved."), Retract(id="")], ids=["supersede", "retract"])
def test_the_facts_of_an_item_end_with_what_it_said(
    app: App, agent: Caller, owner: Caller, clock: FakeClock, ended_by: Any
) -> None:
    stored = store(app, agent, "Alice lives in Ulm.", note_fact=True, episode="talk")
    by_hand = state(app, agent, "Alice", "lives_in", "Ulm", item=stored.item_id)
    ended = state(app, agent, "Alice", "lives_in", "Bonn", item=stored.item_id)
    perform(app, agent, InvalidateFact(id=ended))
    clock.advance(DAY)
    perform(app, agent, replace(ended_by, id=stored.item_id))
    assert found(app, agent, "Ulm", targets=("fact",)) == []
    closed = {each.id: each for each in perform(app, agent, FactsAbout(entity="Alice", include_history=True))}
    assert closed[by_hand].valid.end == closed[by_hand].expired_at == clock.now()
    assert closed[ended].valid.end < clock.now()
    for entity in ("Alice", "talk"):
        assert perform(app, agent, FactsAbout(entity=entity)) == []
    perform(app, owner, Undo(event_id=perform(app, owner, History(limit=1))[0].id))
    assert [each.id for each in perform(app, agent, FactsAbout(entity="Alice"))] == [by_hand]
    assert [each.id for each in perform(app, agent, FactsAbout(entity="talk"))] == list(stored.fact_ids)
    assert len(found(app, agent, "Ulm", targets=("fact",))) == 2


def test_an_item_is_not_told_of_a_moment_when_it_said_nothing(app: App, agent: Caller, clock: FakeClock) -> None:
    before = Instant(clock.now() - DAY)
    stored = store(app, agent, "The code is 1111.")
    clock.advance(DAY)
    perform(app, agent, Retract(id=stored.item_id))
    clock.advance(DAY)
    for moment in (before, Instant(clock.now() - 1)):
        for request in (Get(id=stored.item_id, as_of=moment), Recall(ids=(stored.item_id,), as_of=moment)):
            with pytest.raises(NotFound, match="Memory not found"):
                perform(app, agent, request)
        assert whole(app, agent, stored.version_id, as_of=moment).text == "The code is 1111."
    assert whole(app, agent, stored.item_id, as_of=stored.created_at).text == "The code is 1111."
    assert whole(app, agent, stored.item_id).text == "The code is 1111."


def test_an_update_keeps_everything_but_title_and_text(app: App, agent: Caller, owner: Caller) -> None:
    """K-UPD-4"""
    home, work = folder(app, "Home"), collection(app, "Work")
    stored = store(
        app, agent, "v1", collection="work", memory_type="procedural", tags=("client", "q3"), provenance="letter"
    )
    file(app, stored.item_id, home)
    renewed = renew(app, agent, stored.version_id, "v2", reason="new letter")
    new = whole(app, owner, renewed.new_id)
    assert (new.version.memory_type, new.version.tags, new.version.classes) == (
        "procedural",
        ("client", "q3"),
        ("Client",),
    )
    assert (new.version.provenance, new.collection, new.folders) == ("letter", work.slug, ((home.id, "Home"),))
    assert new.version.reason == "new letter"
    assert ids(found(app, agent, "v2", tags=("q3",))) == [renewed.new_id]


def test_linked_relations_are_copied_and_wiki_links_read_anew(app: App, agent: Caller) -> None:
    """K-UPD-4"""
    alpha, beta = store(app, agent, "A", title="Alpha"), store(app, agent, "B", title="Beta")
    stored = store(app, agent, "See [[Alpha]].", title="Gamma")
    perform(app, agent, Link(origin=stored.version_id, target=beta.version_id, kind="ABOUT"))
    perform(app, agent, Link(origin=beta.version_id, target=stored.version_id, kind="PRECEDES"))
    renewed = renew(app, agent, stored.version_id, "See @beta instead.", title="Gamma")

    def told(thing: str) -> set[tuple[str, str, str]]:
        return {(each.kind, each.origin, each.target) for each in perform(app, agent, RelationsOf(id=thing))}

    kept = {("ABOUT", stored.version_id, beta.version_id), ("PRECEDES", beta.version_id, stored.version_id)}
    supersedes = ("SUPERSEDES", renewed.new_id, stored.version_id)
    assert told(stored.version_id) == kept | {
        ("REFERENCES_ENTITY", stored.version_id, alpha.version_id),
        supersedes,
    }
    assert told(renewed.new_id) == {
        ("ABOUT", renewed.new_id, beta.version_id),
        ("PRECEDES", beta.version_id, renewed.new_id),
        ("REFERENCES_ENTITY", renewed.new_id, beta.version_id),
        supersedes,
    }


def test_the_reason_of_an_update_stands_on_its_relation(app: App, agent: Caller) -> None:
    """K-UPD-5"""
    stored = store(app, agent, "v1")
    renew(app, agent, stored.version_id, "v2", reason="they moved")
    assert [row["reason"] for row in rows(app, agent, "relation")] == ["they moved", "they moved"]


def test_updating_a_document_cuts_it_anew(app: App, agent: Caller) -> None:
    """K-UPD-5"""
    stored = store(app, agent, "# One\nfirst\n# Two\nsecond", kind="document")
    renewed = renew(app, agent, stored.version_id, "# Only\nthird")
    assert (len(stored.chunk_ids), len(renewed.chunk_ids)) == (2, 1)
    assert found(app, agent, "second", mode="keyword") == []


def test_a_version_may_begin_at_another_time_but_not_before_the_old_one(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """engine 1"""
    stored = store(app, agent, "Old.", valid_from=Instant(clock.at - 9 * DAY))
    start = Instant(clock.at - 9 * DAY)
    for moment in (start, Instant(start - DAY)):
        with pytest.raises(Invalid, match="begin after"):
            renew(app, agent, stored.version_id, "New.", valid_from=moment)
    renew(app, agent, stored.version_id, "New.", valid_from=Instant(start + DAY))
    assert whole(app, agent, stored.item_id, as_of=Instant(start + DAY)).text == "New."
    assert whole(app, agent, stored.item_id, as_of=Instant(start + DAY - 1)).text == "Old."


def test_what_was_retracted_is_not_superseded(app: App, agent: Caller) -> None:
    stored = store(app, agent, "Gone.")
    perform(app, agent, Retract(id=stored.item_id))
    with pytest.raises(Conflict, match="store it as something new"):
        renew(app, agent, stored.item_id, "Back.")


def test_a_note_may_have_a_limit_that_documents_have_not(app: App, agent: Caller) -> None:
    """K-UPD-5"""
    note, document = store(app, agent, "Short."), store(app, agent, "# D\nShort.", kind="document")
    with pytest.raises(TooLarge):
        renew(app, agent, note.item_id, "x" * 11, note_bytes_max=10)
    renew(app, agent, document.item_id, "x" * 11, note_bytes_max=10)


def test_a_retracted_memory_is_history(app: App, agent: Caller) -> None:
    stored = store(app, agent, "The pool is open.")
    retracted = perform(app, agent, Retract(id=stored.item_id, reason="winter"))
    assert found(app, agent, "pool") == []
    before = Instant(retracted.valid_to - 1)
    assert ids(found(app, agent, "pool", as_of=before)) == [stored.version_id]
    assert whole(app, agent, stored.version_id).version.reason == "winter"


def test_an_end_must_lie_after_the_start_and_before_the_end_there_is(app: App, agent: Caller, clock: FakeClock) -> None:
    later = Instant(clock.at + DAY)
    stored = store(app, agent, "The fair.", valid_to=later)
    with pytest.raises(Invalid, match="before it began"):
        perform(app, agent, Retract(id=stored.item_id, valid_to=stored.created_at))
    with pytest.raises(Conflict, match="ended already"):
        perform(app, agent, Retract(id=stored.item_id, valid_to=later))
    sooner = Instant(later - SECOND)
    assert perform(app, agent, Retract(id=stored.item_id, valid_to=sooner)).valid_to == sooner
    assert ids(found(app, agent, "fair")) == [stored.version_id]
    clock.advance(2 * DAY)
    assert found(app, agent, "fair") == []


def test_a_superseded_version_is_not_retracted(app: App, agent: Caller) -> None:
    stored = store(app, agent, "One.")
    renew(app, agent, stored.version_id, "Two.")
    with pytest.raises(Conflict, match="superseded"):
        perform(app, agent, Retract(id=stored.version_id))


def test_a_fact_can_be_retracted_like_a_memory(app: App, agent: Caller) -> None:
    fact = state(app, agent, "cellar", "holds", "wine")
    ended = perform(app, agent, Retract(id=fact, reason="drunk"))
    assert ended.id == fact
    assert perform(app, agent, FactsAbout(entity="cellar")) == []
    assert perform(app, agent, Retract(id=fact)).valid_to == ended.valid_to


def test_an_item_is_read_as_it_was_and_as_it_was_known(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-1 K-RAT-3"""
    stored = store(app, agent, "First.")
    between = clock.advance()
    clock.advance()
    renew(app, agent, stored.item_id, "Second.", valid_from=Instant(stored.created_at + 1))
    assert whole(app, agent, stored.item_id, as_of=stored.created_at).text == "First."
    assert whole(app, agent, stored.item_id, known_at=between).text == "First."
    assert whole(app, agent, stored.item_id).text == "Second."
    with pytest.raises(NotFound):
        whole(app, agent, stored.item_id, known_at=Instant(stored.created_at - 1))


def test_folders_out_of_a_tokens_scope_are_not_named(app: App, agent: Caller) -> None:
    """GR-RST-10"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Filed.")
    file(app, stored.item_id, one, two)
    assert whole(app, token(app, one), stored.item_id).folders == ((one.id, "One"),)


def test_the_newest_items_come_first_and_the_archived_not_at_all(app: App, agent: Caller) -> None:
    """GR-LST-1 GR-LST-3"""
    stored = [store(app, agent, f"Number {number}.").item_id for number in range(4)]
    perform(app, agent, Amend(id=stored[1], archived=True))
    assert listed(app, agent) == [stored[3], stored[2], stored[0]]
    assert listed(app, agent, limit=1, offset=1) == [stored[2]]
    assert listed(app, agent, archived=True) == [stored[1]]
    assert listed(app, agent, archived=None) == stored[::-1]


def test_a_scoped_token_lists_its_folders_and_a_kb_only_one_what_is_in_the_knowledge_base(
    app: App, agent: Caller
) -> None:
    """GR-LST-2 GR-LST-3 GR-AUT-4"""
    one, two, empty = folder(app, "One"), folder(app, "Two"), folder(app, "Empty")
    items = [store(app, agent, f"Number {number}.", in_kb=number != 1).item_id for number in range(3)]
    file(app, items[0], one)
    file(app, items[1], one, two)
    assert listed(app, token(app, one)) == [items[1], items[0]]
    assert listed(app, token(app, two, empty)) == [items[1]]
    assert listed(app, token(app, empty)) == []
    assert listed(app, token(app, one, kb_only=True)) == [items[0]]
    assert listed(app, token(app, kb_only=True)) == [items[2], items[0]]
    assert listed(app, agent, in_kb=False) == [items[1]]


def test_items_of_a_folder_out_of_scope_are_not_listed(app: App, agent: Caller) -> None:
    """GR-RST-2"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Filed.")
    file(app, stored.item_id, one, two)
    assert listed(app, agent, folder=one.id) == [stored.item_id]
    for unknown in (two.id, "nothing"):
        with pytest.raises(NotFound, match=f"no folder {unknown}"):
            listed(app, token(app, one), folder=unknown)
    assert listed(app, token(app, one), folder=one.id) == [stored.item_id]


def test_items_are_listed_by_collection(app: App, agent: Caller) -> None:
    collection(app, "Work")
    work, _ = store(app, agent, "Here.", collection="Work"), store(app, agent, "There.")
    assert listed(app, agent, collections=("work",)) == [work.item_id]


def test_a_kb_only_token_does_not_read_what_is_out_of_the_knowledge_base(app: App, agent: Caller) -> None:
    """GR-GET-2"""
    stored = store(app, agent, "Draft.", in_kb=False)
    assert whole(app, token(app), stored.item_id).text == "Draft."
    with pytest.raises(NotFound):
        whole(app, token(app, kb_only=True), stored.item_id)


def test_a_kb_only_token_stores_into_the_knowledge_base_whatever_it_asks_for(app: App) -> None:
    """GR-ADD-3"""
    caller = token(app, kb_only=True)
    stored = store(app, caller, "A thing to know.", in_kb=False)
    assert whole(app, caller, stored.item_id).item.in_kb
    assert ids(found(app, caller, "thing")) == [stored.version_id]


def test_a_page_tells_how_many_items_the_whole_list_has(app: App, agent: Caller) -> None:
    """GR-RST-2"""
    kept = [store(app, agent, f"Note {number}.").item_id for number in range(3)]
    file(app, kept[0], folder(app, "Filed"))
    store(app, agent, "Draft.", in_kb=False)
    page = perform(app, agent, ListPage(List(limit=2, offset=1)))
    assert ([each.item.id for each in page.items], page.total) == ([kept[2], kept[1]], 4)
    filed = perform(app, agent, ListPage(List(folder=perform(app, agent, ListFolders())[0].id)))
    assert ([each.item.id for each in filed.items], filed.total) == ([kept[0]], 1)
    assert perform(app, token(app, kb_only=True), ListPage(List(in_kb=False))).total == 3


@pytest.mark.parametrize(("folders", "filed"), [(0, 0), (1, 1), (2, 0)])
def test_only_a_token_of_a_single_folder_files_what_it_stores(app: App, folders: int, filed: int) -> None:
    """GR-ADD-2"""
    scope = [folder(app, f"Folder {number}") for number in range(folders)]
    caller = token(app, *scope)
    stored = store(app, caller, "Said.")
    assert stored.folder_id == (scope[0].id if filed else None)
    assert [each.item_count for each in perform(app, caller, ListFolders())] == [filed] * folders
    assert len(listed(app, caller)) == (1 if folders < 2 else 0)


def test_what_is_taken_out_of_the_knowledge_base_is_not_found_and_returns_whole(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """GR-SRC-6"""
    stored = store(app, agent, "The old tariff.")
    clock.advance()
    renewed = renew(app, agent, stored.version_id, "The new tariff.")
    perform(app, agent, Amend(id=stored.item_id, in_kb=False))
    assert found(app, agent, "tariff") == found(app, agent, "tariff", as_of=stored.created_at) == []
    perform(app, agent, Amend(id=stored.item_id, in_kb=True, read=True, custom_title="Tariffs"))
    assert ids(found(app, agent, "tariff")) == [renewed.new_id]
    assert ids(found(app, agent, "tariff", as_of=stored.created_at)) == [stored.version_id]
    item = whole(app, agent, stored.item_id).item
    assert (item.read, item.custom_title, item.archived) == (True, "Tariffs", False)


def test_a_text_stored_out_of_the_knowledge_base_can_enter_it_later(app: App, agent: Caller) -> None:
    stored = store(app, agent, "# Soup\nLeek.\n# Cake\nPlum.", in_kb=False)
    assert found(app, agent, "plum") == []
    perform(app, agent, Amend(id=stored.item_id, in_kb=True))
    assert [hit.text for hit in found(app, agent, "plum", mode="keyword")] == ["# Cake\nPlum."]


def test_a_moved_item_has_the_tier_of_where_it_is(app: App, agent: Caller, owner: Caller) -> None:
    """engine 3"""
    collection(app, "Vault", Tier.SENSITIVE)
    readings = FixedExtractor(Reading("Otto", "likes", "figs", app.clock.now(), FOREVER))
    stored = store(replace(app, extractor=readings), agent, "Otto likes figs.", extract=True)
    with pytest.raises(Forbidden, match="person"):
        perform(app, agent, Move(ids=(stored.item_id,), collection="Vault"))
    perform(app, owner, Move(ids=(stored.item_id,), collection="vault"))
    assert found(app, agent, "figs", targets=("memory", "fact")) == []
    assert perform(app, agent, FactsAbout(entity="Otto")) == []
    assert len(found(app, owner, "figs", targets=("memory", "fact"))) == 2
    with pytest.raises(NotFound, match="no collection Attic"):
        perform(app, owner, Move(ids=(stored.item_id,), collection="Attic"))


def test_what_leaves_a_sensitive_collection_gets_its_readable_ids(
    app: App, agent: Caller, owner: Caller, clock: FakeClock
) -> None:
    """K-IDS-2"""
    collection(app, "Vault", Tier.SENSITIVE)
    stored = store(app, owner, "v1", title="Plan", collection="Vault")
    renewed = renew(app, owner, stored.version_id, "v2")
    linked = perform(app, owner, Link(origin=renewed.new_id, target=stored.version_id, kind="RELATED_TO"))
    assert stored.slug is renewed.new_slug is renewed.relation_slug is linked.slug is None
    assert store(app, agent, "Other.", title="Plan").slug == "memory_plan_2024_10"
    clock.advance(40 * DAY)
    perform(app, owner, Move(ids=(stored.item_id,), collection="personal"))
    assert whole(app, agent, stored.version_id).version.slug == "memory_plan_2024_10_2"
    assert whole(app, agent, renewed.new_id).version.slug == "memory_plan_2024_10_2_v2"
    again = perform(app, agent, Link(origin=renewed.new_id, target=stored.version_id, kind="RELATED_TO"))
    assert (again.slug, again.known) == ("edge_related_to_2024_10_04", True)


def test_the_hundredth_memory_of_a_private_workspace_is_the_last(app: App, agent: Caller) -> None:
    """K-PLN-2 K-PLN-3 K-PLN-4 K-UPD-6"""
    set_workspace(app, "default", plan="private")
    unindexed = replace(app, embedder=app.embedder)
    first = store(unindexed, agent, "Number 0.")
    for number in range(1, 99):
        store(unindexed, agent, f"Number {number}.", in_kb=False)
    state(app, agent, "facts", "count", False)
    renew(app, agent, first.version_id, "An old version does not count.")
    last = store(app, agent, "# The hundredth\nsection\n# Another\nsection", kind="document")
    with pytest.raises(Quota) as refused:
        store(app, agent, "One too many.")
    assert refused.value.facts == {
        "resource": "memories",
        "plan": "private",
        "limit": 100,
        "used": 100,
        "required_plan": "pro",
    }
    assert perform(app, agent, CountAll()).memories == 100
    renew(app, agent, last.version_id, "An update needs no room.")
    perform(app, agent, Retract(id=first.item_id))
    store(app, agent, "There is room again.")


def test_sensitive_memories_fill_nobodys_plan(app: App, agent: Caller, owner: Caller) -> None:
    """K-PLN-2 and engine 5"""
    collection(app, "Vault", Tier.SENSITIVE)
    set_workspace(app, "default", plan="private")
    for number in range(100):
        store(app, owner, f"{number}", collection="Vault", in_kb=False)
    store(app, agent, "Seen.")


def test_a_workspace_may_have_another_default_collection(app: App, agent: Caller) -> None:
    collection(app, "Inbox")
    set_workspace(app, "default", settings={"default_collection": "inbox"})
    assert store(app, agent, "Said.").collection == "inbox"
    fact = state(app, agent, "tea", "is", "hot")
    assert [hit.collection for hit in perform(app, agent, Recall(ids=(fact,))).hits] == ["inbox"]
    set_workspace(app, "default", settings={"default_collection": "attic"})
    with pytest.raises(NotFound, match="default collection attic is gone"):
        store(app, agent, "Said.")


@pytest.mark.parametrize("request_", [Store(text="Said."), AssertFact(subject="a", predicate="b", value="c")])
def test_a_sensitive_default_collection_is_written_by_people_alone(
    app: App, agent: Caller, owner: Caller, request_: object
) -> None:
    """K-SEC-1 GR-ADD-11 GR-AUT-6"""
    collection(app, "Vault", Tier.SENSITIVE)
    set_workspace(app, "default", settings={"default_collection": "vault"})
    for caller in (agent, token(app)):
        with pytest.raises(Forbidden, match="only a person can write there") as refused:
            perform(app, caller, request_)
        assert refused.value.facts["reason"] == "sensitive_collection"
    perform(app, owner, request_)


def test_reading_is_not_enough_to_write(app: App, agent: Caller) -> None:
    """K-AUT-2"""
    stored = store(app, agent, "Said.")
    reader = token(app, scopes=(Scope.READ,))
    assert whole(app, reader, stored.item_id).text == "Said."
    for request in (Store(text="x"), Supersede(id=stored.item_id, text="x"), Retract(id=stored.item_id)):
        with pytest.raises(Forbidden) as refused:
            perform(app, reader, request)
        assert refused.value.facts == {"reason": "scope_missing", "required": "write", "have": ["read"]}


def test_an_unfiled_item_takes_its_facts_out_of_a_tokens_sight(app: App) -> None:
    """GR-RST-8 KR-FCT-5"""
    home = folder(app, "Home")
    caller = token(app, home)
    reading = replace(app, extractor=FixedExtractor(Reading("Ida", "likes", "rye", app.clock.now(), FOREVER)))
    stored = store(reading, caller, "Ida likes rye.", extract=True)
    assert len(perform(app, caller, FactsAbout(entity="Ida"))) == 1
    perform(app, caller, UnfileItem(id=stored.item_id, folder=home.id))
    assert perform(app, caller, FactsAbout(entity="Ida")) == []
    with pytest.raises(NotFound):
        whole(app, caller, stored.item_id)
