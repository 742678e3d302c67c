import re
from typing import Any

import pytest
from core_support import collection, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    CountAll,
    Get,
    Link,
    Move,
    RelationsOf,
    SetCollection,
    Supersede,
    Unlink,
)
from commonplace.model.access import Caller, Tier
from commonplace.model.answer import Linked, Relation
from commonplace.model.errors import Constraint, Invalid, NotFound
from commonplace.model.interval import DAY, Instant
from support import FakeClock, rows


def link(app: App, caller: Caller, origin: str, kind: str, target: str) -> Linked:
    linked: Linked = perform(app, caller, Link(origin=origin, target=target, kind=kind))
    return linked


def unlink(app: App, caller: Caller, origin: str, kind: str, target: str) -> None:
    perform(app, caller, Unlink(origin=origin, target=target, kind=kind))


def told(app: App, caller: Caller, thing: str, **asked: Any) -> list[Relation]:
    return list(perform(app, caller, RelationsOf(id=thing, **asked)))


def memory(app: App, caller: Caller, title: str, *tags: str, text: str = "Said.") -> str:
    return store(app, caller, text, title=title, tags=tags).version_id


def test_a_relation_and_its_inverse_are_made_together_and_named_by_type_and_day(app: App, agent: Caller) -> None:
    """K-LNK-1"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    made = link(app, agent, a, "DEPENDS_ON", b)
    assert (made.slug, made.inverse_slug) == ("edge_depends_on_2024_10_04", "edge_required_by_2024_10_04")
    held = {row["id"]: row for row in rows(app, agent, "relation")}
    assert set(held) == {made.relation_id, made.inverse_id}
    backward = held[made.inverse_id]
    assert (backward["kind"], backward["origin"], backward["target"]) == ("REQUIRED_BY", b, a)
    assert link(app, agent, b, "DEPENDS_ON", a).slug == "edge_depends_on_2024_10_04_2"


def test_the_inverse_is_named_by_the_class_of_where_the_relation_starts(app: App, agent: Caller) -> None:
    """K-LNK-2"""
    client = memory(app, agent, "Weber AG", "client")
    workshop, hinted, other = (
        memory(app, agent, "Kickoff", "workshop"),
        memory(app, agent, "Meeting in June"),
        memory(app, agent, "Offer", "type:Contract"),
    )
    inverses = []
    for origin in (workshop, hinted, other):
        made = link(app, agent, origin, "FOR_CLIENT", client)
        inverses += [row["kind"] for row in rows(app, agent, "relation") if row["id"] == made.inverse_id]
    assert inverses == ["HAS_WORKSHOP", "HAS_MEETING", "HAS_CONTRACT"]


def test_a_symmetric_type_is_its_own_inverse_with_an_id_of_its_own(app: App, agent: Caller) -> None:
    """K-LNK-2"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    made = link(app, agent, a, "SAME_AS", b)
    assert made.relation_id != made.inverse_id
    assert {row["kind"] for row in rows(app, agent, "relation")} == {"SAME_AS"}
    assert link(app, agent, b, "SAME_AS", a).known


def test_an_equal_relation_is_found_and_not_doubled(app: App, agent: Caller) -> None:
    """K-LNK-3 K-LNK-4"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    made = link(app, agent, a, "OWNS", b)
    again, swapped = link(app, agent, a, "OWNS", b), link(app, agent, b, "OWNED_BY", a)
    assert (again.relation_id, again.inverse_id, again.known) == (made.relation_id, made.inverse_id, True)
    assert (swapped.relation_id, swapped.inverse_id, swapped.known) == (made.inverse_id, made.relation_id, True)
    assert (swapped.slug, swapped.inverse_slug) == (made.inverse_slug, made.slug)
    assert len(rows(app, agent, "relation")) == 2


def test_a_relation_is_equal_whatever_its_inverse_is_called(app: App, agent: Caller) -> None:
    """K-LNK-3 K-LNK-4"""
    client, workshop = memory(app, agent, "Weber AG", "client"), memory(app, agent, "Kickoff", "workshop")
    made = link(app, agent, workshop, "FOR_CLIENT", client)
    for name in ("HAS_ENGAGEMENT", "HAS_WORKSHOP"):
        assert link(app, agent, client, name, workshop).relation_id == made.inverse_id
    assert len(rows(app, agent, "relation")) == 2
    unlink(app, agent, client, "HAS_ENGAGEMENT", workshop)
    assert told(app, agent, client) == []


def test_a_relation_made_by_its_inverse_name_is_listed_so(app: App, agent: Caller) -> None:
    """K-LNK-4 K-LST-2"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    made = link(app, agent, b, "PART_OF", a)
    other = link(app, agent, b, "REQUIRED_BY", a)
    assert [(each.kind, each.origin, each.target) for each in told(app, agent, a)] == [
        ("PART_OF", b, a),
        ("REQUIRED_BY", b, a),
    ]
    kinds = {row["id"]: (row["kind"], row["stated"]) for row in rows(app, agent, "relation")}
    assert kinds[made.inverse_id][0] == "HAS_PART"
    assert kinds[other.inverse_id][0] == "DEPENDS_ON"


@pytest.mark.parametrize(
    ("origin", "kind", "target", "reason"),
    [
        ("client", "ADORES", "task", "unknown_type"),
        ("client", "ASSIGNED_TO", "role", "domain"),
        ("task", "ASSIGNED_TO", "task", "range"),
        ("risk", "HAS_CHUNK", "task", "reserved"),
        ("risk", "CHUNK_OF", "task", "reserved"),
    ],
)
def test_a_relation_that_breaks_the_registry_is_refused(
    app: App, agent: Caller, origin: str, kind: str, target: str, reason: str
) -> None:
    """K-LNK-5 K-LNK-6"""
    ends = memory(app, agent, "One", origin), memory(app, agent, "Two", target)
    with pytest.raises(Constraint) as refused:
        link(app, agent, ends[0], kind, ends[1])
    assert (refused.value.facts["reason"], refused.value.facts["rel_type"]) == (reason, kind)
    assert rows(app, agent, "relation") == []


def test_an_end_without_a_class_accepts_every_type_and_a_subclass_its_superclass(app: App, agent: Caller) -> None:
    """K-LNK-5"""
    plain, task, team = memory(app, agent, "Plain"), memory(app, agent, "Task", "TASK"), memory(app, agent, "T", "team")
    assert link(app, agent, plain, "ASSIGNED_TO", plain_too := memory(app, agent, "Plain too")).slug
    assert link(app, agent, task, "ASSIGNED_TO", plain_too).slug
    assert link(app, agent, task, "ASSIGNED_TO", team).slug


def test_nothing_is_related_to_itself(app: App, agent: Caller) -> None:
    """K-LNK-6"""
    a = memory(app, agent, "A")
    with pytest.raises(Constraint) as refused:
        link(app, agent, a, "RELATED_TO", a)
    assert refused.value.facts["reason"] == "self"


@pytest.mark.parametrize("kind", ["about", "ABOUT_", "_ABOUT", "A B", "1A", "A" * 65, ""])
def test_a_malformed_type_is_refused(app: App, agent: Caller, kind: str) -> None:
    """K-LNK-1"""
    for request in (Link, Unlink):
        with pytest.raises(Invalid) as refused:
            perform(app, agent, request(origin="a", target="b", kind=kind))
        assert (refused.value.facts["param"], refused.value.facts["reason"]) == ("rel_type", "format")


def test_superseded_versions_may_be_linked_and_list_their_relations(app: App, agent: Caller) -> None:
    """K-LNK-6 K-LST-1"""
    old, other = memory(app, agent, "Old"), memory(app, agent, "Other")
    perform(app, agent, Supersede(id=old, text="New."))
    made = link(app, agent, old, "CONTRADICTS", other)
    assert made.relation_id in [each.relation_id for each in told(app, agent, old)]
    item = perform(app, agent, Get(id=old)).item.id
    assert made.relation_id not in [each.relation_id for each in told(app, agent, item)]


def test_a_user_made_supersedes_closes_no_validity(app: App, agent: Caller) -> None:
    """K-LNK-6"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    link(app, agent, a, "SUPERSEDES", b)
    assert perform(app, agent, CountAll()).memories == 2
    perform(app, agent, Supersede(id=b, text="Still current."))


def test_each_relation_is_listed_once_at_each_end_under_its_own_name(app: App, agent: Caller) -> None:
    """K-LST-2 K-LST-3"""
    a, b, c = (memory(app, agent, title) for title in "ABC")
    first, second = link(app, agent, a, "BLOCKS", b), link(app, agent, c, "ABOUT", a)
    at_a, at_b = told(app, agent, a), told(app, agent, b)
    assert [each.relation_id for each in at_a] == [first.relation_id, second.relation_id]
    assert [(each.kind, each.outgoing) for each in at_a] == [("BLOCKS", True), ("ABOUT", False)]
    assert [(each.kind, each.outgoing, each.origin, each.target) for each in at_b] == [("BLOCKS", False, a, b)]
    assert at_b[0].origin_slug == "memory_a_2024_10"


def test_sections_of_a_document_are_listed(app: App, agent: Caller) -> None:
    """K-LST-4 K-DOC-2"""
    stored = store(app, agent, "# One\nfirst\n# Two\nsecond", title="Rules", kind="document")
    sections = told(app, agent, stored.item_id)
    assert [each.kind for each in sections] == ["HAS_CHUNK", "HAS_CHUNK"]
    assert {each.target for each in sections} == set(stored.chunk_ids)
    assert sorted(str(each.target_slug) for each in sections) == ["doc_rules_2024_10/0001", "doc_rules_2024_10/0002"]


def test_relations_whose_other_end_is_hidden_are_left_out(app: App, agent: Caller, owner: Caller) -> None:
    """K-LST-3 K-SEC-1"""
    collection(app, "Vault", Tier.SENSITIVE)
    a = memory(app, agent, "A")
    secret = store(app, owner, "Said.", collection="vault")
    made = link(app, owner, a, "ABOUT", secret.version_id)
    assert (made.slug, made.inverse_slug) == (None, None)
    assert told(app, agent, a) == []
    assert perform(app, agent, CountAll()).relations == 0
    assert [each.relation_id for each in told(app, owner, a)] == [made.relation_id]
    assert link(app, agent, a, "ABOUT", memory(app, agent, "B")).slug == "edge_about_2024_10_04"


def test_relations_get_readable_ids_when_their_ends_cease_to_be_sensitive(
    app: App, agent: Caller, owner: Caller
) -> None:
    """K-IDS-2"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret, other = (store(app, owner, "Said.", title=name, collection="vault") for name in ("One", "Two"))
    a = memory(app, agent, "A")
    link(app, owner, a, "ABOUT", secret.version_id)
    perform(app, owner, Move(ids=(other.item_id,), collection="personal"))
    assert [row for row in rows(app, agent, "slug") if (row["slug"] or "").startswith("edge")] == []
    perform(app, owner, SetCollection(slug="vault", tier=Tier.PERSONAL))
    [edge] = told(app, agent, a)
    assert edge.target_slug == "memory_one_2024_10"
    assert {"edge_about_2024_10_04", "edge_subject_of_2024_10_04"} <= {row["slug"] for row in rows(app, agent, "slug")}


def test_unlinking_ends_both_directions_from_either_end(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-UNL-1 K-UNL-2"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    for origin, kind, target in ((a, "USES", b), (b, "USED_BY", a)):
        link(app, agent, a, "USES", b)
        held = clock.advance(DAY)
        clock.advance(1)
        unlink(app, agent, origin, kind, target)
        assert told(app, agent, a) == told(app, agent, b) == []
        assert len(told(app, agent, a, as_of=held)) == 1
        assert len(told(app, agent, b, known_at=held)) == 1
        with pytest.raises(NotFound, match="Relation not found"):
            unlink(app, agent, origin, kind, target)
    assert perform(app, agent, CountAll()).relations == 0


def test_a_reserved_relation_is_not_unlinked_and_an_unknown_one_not_found(app: App, agent: Caller) -> None:
    """K-UNL-1"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    with pytest.raises(Constraint) as refused:
        unlink(app, agent, a, "CHUNK_OF", b)
    assert refused.value.facts["reason"] == "reserved"
    for kind in ("ADORES", "KNOWS"):
        with pytest.raises(NotFound, match="Relation not found"):
            unlink(app, agent, a, kind, b)


@pytest.mark.parametrize("verb", [Link, Unlink])
def test_ends_that_are_unknown_are_not_found(app: App, agent: Caller, verb: type) -> None:
    """K-LNK-6"""
    a = memory(app, agent, "A")
    for origin, target, missing in ((a, "memory_nowhere", "memory_nowhere"), ("x", a, "x")):
        with pytest.raises(NotFound, match=f"Memory not found: {missing}"):
            perform(app, agent, verb(origin=origin, target=target, kind="ABOUT"))


@pytest.mark.parametrize(
    "mention",
    [
        "[[Müller GmbH]]",
        "[[mueller gmbh]]",
        "[[MÜLLER-GMBH]]",
        "@müller_gmbh",
        "(@mueller-gmbh)",
        "[[memory_mueller_gmbh_2024_10]]",
        "[[memory_mueller_gmbh_2024_10|the firm]]",
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_text_refers_to_what_it_names_now_or_later(app: App, agent: Caller, mention: str, *, before: bool) -> None:
    """K-STO-4"""
    if before:
        firm = store(app, agent, "Said.", title="Müller GmbH")
    note = store(app, agent, f"Call {mention}, today.")
    if not before:
        assert told(app, agent, note.version_id) == []
        firm = store(app, agent, "Said.", title="Müller GmbH")
    assert [(each.kind, each.origin, each.target) for each in told(app, agent, note.version_id)] == [
        ("REFERENCES_ENTITY", note.version_id, firm.version_id)
    ]
    assert rows(app, agent, "pending_link") == []


def test_a_text_may_name_a_version_or_an_item_by_its_id(app: App, agent: Caller) -> None:
    """K-STO-4 and engine 2"""
    firm = store(app, agent, "Said.")
    for thing in (firm.version_id, firm.item_id):
        assert [each.target for each in told(app, agent, memory(app, agent, "Note", text=f"See [[{thing}]]."))] == [
            firm.version_id
        ]


@pytest.mark.parametrize(
    "text",
    [
        "Write to me@firm or a.me@firm.example",
        "See https://x.example/@firm and mail@firm/x",
        "`@firm` and ```\n[[firm]]\n``` and `[[firm]]`",
        "@firm.example is no name",
    ],
)
def test_addresses_and_code_refer_to_nothing(app: App, agent: Caller, text: str) -> None:
    """K-STO-4"""
    memory(app, agent, "firm")
    assert told(app, agent, store(app, agent, text).version_id) == []


def test_a_thing_named_twice_is_referred_to_once(app: App, agent: Caller) -> None:
    """K-STO-4"""
    note = store(app, agent, "[[Firm]], @firm, [[memory_firm_2024_10]] and again [[Firm]].", title="Note")
    memory(app, agent, "Firm")
    assert len(told(app, agent, note.version_id)) == 1
    after = store(app, agent, "[[Firm]] and [[memory_firm_2024_10]].")
    assert len(told(app, agent, after.version_id)) == 1


def test_a_text_that_names_itself_refers_to_nothing(app: App, agent: Caller) -> None:
    """K-STO-4"""
    assert told(app, agent, memory(app, agent, "Loop", text="See [[Loop]].")) == []


def test_a_sensitive_text_is_not_what_others_refer_to(app: App, agent: Caller, owner: Caller) -> None:
    """K-STO-4 K-SEC-1"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, "See [[Later]].", title="Safe", collection="vault")
    note = store(app, agent, "See [[Safe]].")
    assert told(app, agent, note.version_id) == []
    memory(app, agent, "Later")
    assert told(app, owner, secret.version_id) == []
    assert {row["target_key"] for row in rows(app, agent, "pending_link")} == {"safe", "later"}
    open_safe = memory(app, agent, "Safe")
    assert [each.target for each in told(app, agent, note.version_id)] == [open_safe]


@pytest.mark.parametrize(
    ("tags", "classes"),
    [
        (("CLIENT",), ("Client",)),
        (("q3", "blue"), ()),
        (("type:workshop", "workshop"), ("Workshop",)),
        (("type:Deal",), ("Deal",)),
        (("type:Deal<<contract", "deal"), ("Deal",)),
        (("type: Deal < Bargain",), ("Deal",)),
    ],
)
def test_tags_give_classes(app: App, agent: Caller, tags: tuple[str, ...], classes: tuple[str, ...]) -> None:
    """K-STO-5"""
    stored = store(app, agent, "Said.", tags=tags)
    version = perform(app, agent, Get(id=stored.item_id)).version
    assert (version.classes, version.tags) == (classes, tags)


def test_a_new_class_stands_below_its_parent_from_then_on(app: App, agent: Caller) -> None:
    """K-STO-5 K-LNK-5"""
    deal = memory(app, agent, "Deal", "type:Deal<<Contract")
    bargain = memory(app, agent, "Bargain", "type:Bargain<Deal")
    plain = memory(app, agent, "Plain", "type:Thing")
    party = memory(app, agent, "Weber", "client")
    for contract in (deal, bargain):
        assert link(app, agent, party, "PARTY_TO", contract).slug
    with pytest.raises(Constraint) as refused:
        link(app, agent, party, "PARTY_TO", plain)
    assert refused.value.facts["actual"] == ["Thing"]
    assert {row["name"]: row["parent"] for row in rows(app, agent, "registry_class")} == {
        "Deal": "Contract",
        "Bargain": "Deal",
        "Thing": "Memory",
    }


def test_a_reading_token_may_list_and_not_link(app: App, agent: Caller) -> None:
    """K-AUT-2"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    link(app, agent, a, "ABOUT", b)
    assert len(told(app, token(app), a)) == 1
    with pytest.raises(NotFound, match=re.escape("Memory not found: ?")):
        told(app, agent, "?")


def test_relations_are_told_as_they_were(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-4"""
    a, b = memory(app, agent, "A"), memory(app, agent, "B")
    before = clock.advance(DAY)
    clock.advance(DAY)
    link(app, agent, a, "ABOUT", b)
    assert told(app, agent, a, as_of=before) == told(app, agent, a, known_at=before) == []
    assert len(told(app, agent, a, as_of=Instant(clock.at + DAY))) == 1
