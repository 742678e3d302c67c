"""Facts and entities as both engines keep them."""

import pytest

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Conflict
from commonplace.model.fact import Value
from commonplace.model.interval import DAY, FOREVER, Instant
from support import FakeClock, rows


@pytest.mark.parametrize("value", ["Acme", "", "東京 ' \\", 41, 2**60, 0.1, -1.5e300, True, False])
def test_a_value_keeps_its_type_and_its_digits(app: App, agent: Caller, value: Value) -> None:
    perform(app, agent, ask.AssertFact(subject="Alice", predicate="has", value=value))
    kept = perform(app, agent, ask.FactsAbout(entity="Alice"))[0].value
    assert (type(kept), kept) == (type(value), value)


def test_an_entity_is_found_by_its_spelling_else_in_any_case_else_by_an_alias(app: App, agent: Caller) -> None:
    for subject in ("Straße", "STRASSE", "Österreich"):
        perform(app, agent, ask.AssertFact(subject=subject, predicate="is", value=subject))
    perform(app, agent, ask.AssertFact(subject="Österreich", predicate="alias", value="Austria"))
    assert values(app, agent, "Straße") == ["Straße"]
    assert sorted(values(app, agent, "strasse")) == ["STRASSE", "Straße"]
    assert "Österreich" in values(app, agent, "AUSTRIA")
    assert len(rows(app, agent, "entity")) == 2


def values(app: App, caller: Caller, entity: str) -> list[Value]:
    return [fact.value for fact in perform(app, caller, ask.FactsAbout(entity=entity))]


def test_a_correction_closes_and_replaces_at_one_moment(app: App, agent: Caller, clock: FakeClock) -> None:
    old = perform(app, agent, ask.AssertFact(subject="Alice", predicate="works_at", value="Acme"))
    start = clock.advance(DAY)
    new = perform(app, agent, ask.CorrectFact(id=old.id, value="Initech"))
    before, after = sorted(
        perform(app, agent, ask.FactsAbout(entity="Alice", include_history=True)), key=lambda f: f.id
    )
    assert (before.valid.end, after.valid.start, before.expired_at) == (start, start, start)
    assert after.predecessor == old.id
    assert [fact.id for fact in perform(app, agent, ask.FactsAbout(entity="Alice"))] == [new.new_id]
    with pytest.raises(Conflict, match="already corrected"):
        perform(app, agent, ask.CorrectFact(id=old.id, value="Hooli"))


def test_a_closed_fact_keeps_its_first_times(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.AssertFact(subject="Alice", predicate="phone", value="1"))
    first = perform(app, agent, ask.InvalidateFact(id=made.id))
    clock.advance(DAY)
    assert perform(app, agent, ask.InvalidateFact(id=made.id)) == first
    assert len(rows(app, agent, "fact")) == 2


def test_an_end_that_lies_ahead_does_not_close_a_fact_now(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.AssertFact(subject="Alice", predicate="phone", value="1"))
    ahead = Instant(clock.at + DAY)
    kept = perform(app, agent, ask.InvalidateFact(id=made.id, valid_to=ahead))
    assert (kept.valid.end, kept.expired_at) == (ahead, None)
    assert len(perform(app, agent, ask.FactsAbout(entity="Alice"))) == 1
    clock.at = ahead
    assert perform(app, agent, ask.FactsAbout(entity="Alice")) == []


def test_a_past_state_of_knowledge_stays_as_it_was(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.AssertFact(subject="Alice", predicate="phone", value="1"))
    known = clock.advance(DAY)
    clock.advance(DAY)
    perform(app, agent, ask.InvalidateFact(id=made.id, valid_to=Instant(known - 1)))
    told = perform(app, agent, ask.FactsAbout(entity="Alice", as_of=known, known_at=known))
    assert [(fact.id, fact.valid.end) for fact in told] == [(made.id, FOREVER)]
    assert perform(app, agent, ask.FactsAbout(entity="Alice", as_of=known)) == []


def test_a_known_key_gives_the_first_id_and_stores_nothing(app: App, agent: Caller) -> None:
    request = ask.AssertFact(subject="Alice", predicate="phone", value="1", key="call-1")
    first, again = perform(app, agent, request), perform(app, agent, request)
    assert (again.id, again.known) == (first.id, True)
    assert len(rows(app, agent, "fact")) == len(rows(app, agent, "idempotency")) == 1
