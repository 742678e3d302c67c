from core_support import state, store

from commonplace.core import perform
from commonplace.core.about import Known
from commonplace.core.app import App
from commonplace.core.requests import About, CorrectFact, Link
from commonplace.model.access import Caller
from commonplace.model.interval import DAY
from support import FakeClock


def test_an_entity_is_told_from_every_side(app: App, agent: Caller, clock: FakeClock) -> None:
    first = state(app, agent, "Weber AG", "phone", "1")
    memory, other = store(app, agent, "Said.", title="Weber AG"), store(app, agent, "Other.")
    linked = perform(app, agent, Link(origin=other.version_id, target=memory.version_id, kind="ABOUT"))
    before = clock.advance(DAY)
    clock.advance(DAY)
    perform(app, agent, CorrectFact(id=first, value="2"))
    told: Known = perform(app, agent, About(entity="weber ag"))
    assert [fact.value for fact in told.facts] == ["2"]
    assert [each.relation_id for each in told.relations] == [linked.relation_id]
    assert (told.entity, told.health.total, len(told.changes.new)) == ("weber ag", 2, 2)
    then: Known = perform(app, agent, About(entity="Weber AG", as_of=before, since=before))
    assert [fact.value for fact in then.facts] == ["1"]
    assert [(old.value, new.value) for old, new in then.changes.corrections] == [("1", "2")]


def test_nothing_is_known_of_nobody(app: App, agent: Caller) -> None:
    told: Known = perform(app, agent, About(entity="Nobody"))
    assert (told.facts, told.relations, told.health.total) == ((), (), 0)
