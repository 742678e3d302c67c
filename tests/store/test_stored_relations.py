"""Relations as both engines keep them: always two rows."""

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.model.access import Caller, Tier
from commonplace.model.answer import Relation
from commonplace.model.interval import DAY, FOREVER
from support import FakeClock, rows


def two(app: App, caller: Caller) -> tuple[str, str]:
    """The versions of two notes."""
    first, second = (perform(app, caller, ask.Store(text=text, title=text)) for text in ("first", "second"))
    return first.version_id, second.version_id


def relations(app: App, caller: Caller, version: str) -> list[Relation]:
    return list(perform(app, caller, ask.RelationsOf(id=version)))


def test_a_relation_has_an_inverse_with_the_same_times(app: App, agent: Caller) -> None:
    origin, target = two(app, agent)
    made = perform(app, agent, ask.Link(origin=origin, target=target, kind="PART_OF"))
    forward, backward = sorted(rows(app, agent, "relation"), key=lambda row: not row["stated"])
    assert (forward["id"], forward["inverse_id"]) == (made.relation_id, made.inverse_id)
    assert (backward["kind"], backward["origin"], backward["target"]) == ("HAS_PART", target, origin)
    assert forward["recorded_at"] == backward["recorded_at"]


def test_a_relation_is_seen_once_from_either_end(app: App, agent: Caller) -> None:
    origin, target = two(app, agent)
    perform(app, agent, ask.Link(origin=origin, target=target, kind="PART_OF"))
    (out,), (back,) = relations(app, agent, origin), relations(app, agent, target)
    assert (out.kind, out.outgoing, back.kind, back.outgoing) == ("PART_OF", True, "PART_OF", False)


def test_the_same_relation_is_found_and_not_doubled(app: App, agent: Caller) -> None:
    origin, target = two(app, agent)
    first = perform(app, agent, ask.Link(origin=origin, target=target, kind="PART_OF"))
    again = perform(app, agent, ask.Link(origin=origin, target=target, kind="PART_OF"))
    turned = perform(app, agent, ask.Link(origin=target, target=origin, kind="HAS_PART"))
    assert again.relation_id == first.relation_id
    assert turned.relation_id == first.inverse_id
    assert (again.known, turned.known) == (True, True)
    assert len(rows(app, agent, "relation")) == 2


def test_unlinking_ends_both_and_leaves_the_past(app: App, agent: Caller, clock: FakeClock) -> None:
    origin, target = two(app, agent)
    perform(app, agent, ask.Link(origin=origin, target=target, kind="PART_OF"))
    before = clock.advance(DAY)
    clock.advance(DAY)
    perform(app, agent, ask.Unlink(origin=target, target=origin, kind="HAS_PART"))
    assert relations(app, agent, origin) == relations(app, agent, target) == []
    assert {row["valid_to"] for row in rows(app, agent, "relation") if row["retired_at"] == FOREVER} == {clock.at}
    assert len(perform(app, agent, ask.RelationsOf(id=origin, as_of=before))) == 1


def test_a_new_version_takes_over_what_was_linked_by_hand(app: App, agent: Caller) -> None:
    origin, target = two(app, agent)
    perform(app, agent, ask.Link(origin=target, target=origin, kind="REFERENCES"))
    new = perform(app, agent, ask.Supersede(id=origin, text="first, again", title="first"))
    assert {(relation.kind, relation.origin, relation.target) for relation in relations(app, agent, new.new_id)} == {
        ("SUPERSEDES", new.new_id, origin),
        ("REFERENCES", target, new.new_id),
    }


def test_a_wiki_link_waits_for_its_target(app: App, agent: Caller) -> None:
    early = perform(app, agent, ask.Store(text="See [[The pond]].", title="Early"))
    assert relations(app, agent, early.version_id) == []
    pond = perform(app, agent, ask.Store(text="Deep.", title="The Pond"))
    assert [(relation.kind, relation.target) for relation in relations(app, agent, early.version_id)] == [
        ("REFERENCES_ENTITY", pond.version_id)
    ]
    assert rows(app, agent, "pending_link") == []


def test_a_relation_into_a_sensitive_collection_is_for_people(app: App, agent: Caller, owner: Caller) -> None:
    origin, target = two(app, owner)
    perform(app, owner, ask.Link(origin=origin, target=target, kind="PART_OF"))
    perform(app, owner, ask.SetCollection(slug="personal", tier=Tier.SENSITIVE))
    perform(app, owner, ask.CreateCollection(name="Open"))
    perform(app, owner, ask.Move(ids=(origin,), collection="open"))
    assert relations(app, agent, origin) == []
    assert len(relations(app, owner, origin)) == 1
