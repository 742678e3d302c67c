"""What a reader may not see changes nothing of what it reads: no score, no order, no count, no byte."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import CommonplaceError
from commonplace.model.interval import DAY, SECOND, Instant
from support import START, FakeClock

WRITING, ASKING = START, Instant(START + DAY)
"""Everything is written by one moment and asked at a later one, so that answers may hold the present."""

NOTES = (
    "Müller GmbH is on the Business plan with five seats.",
    "The garden plan: hedges in May, the pond in June.",
    "Rechnung 4711 to Müller, paid in June.",
    "Seats in the garden need paint.",
)
HIDDEN = (
    "Müller plan plan plan, garden seats seats, Rechnung 4711.",
    "Diagnosis: the pond of Alice. Pond, pond, hedges.",
)

QUESTIONS: tuple[Any, ...] = (
    *(ask.Recall(text="garden seats", explain=True, mode=mode) for mode in ("hybrid", "keyword", "semantic")),
    ask.Recall(text="Which plan does Müller have?", targets=("memory", "fact"), explain=True),
    ask.Recall(text="Ulm Alice", targets=("fact",), explain=True),
    ask.Recall(text="Alise", targets=("fact",), mode="keyword"),
    *(ask.Recall(text="Müller Rechnung", scoring=scoring) for scoring in ("rrf", "bm25", "seventy_thirty", "cosine")),
    ask.Recall(),
    ask.Recall(text="plan", collections=("nowhere",)),
    ask.Context(text="Alice", max_llm_tokens=200),
    ask.Brief(task="pay the invoice of Müller", subject="Alice"),
    *(ask.FactsAbout(entity="Alice"), ask.About(entity="Alice"), ask.HealthOf(entity="Alice")),
    ask.ChangesOf(entity="Alice", since=Instant(0)),
    *(ask.List(), ask.CountAll(), ask.ListCollections(), ask.ListFolders(), ask.ListReviews(), ask.ListJobs()),
    *(ask.Get(id="memory_garden_plan_2024_10"), ask.RelationsOf(id="memory_garden_plan_2024_10")),
    *(ask.Get(id="memory_diagnosis_2024_10"), ask.Forget(source="clinic"), ask.Forget(collection="Clinic")),
    ask.ExportGraph(),
)


@pytest.fixture
def lived_in(app: App, owner: Caller) -> App:
    """A store with a few notes and facts that everyone may see, and an empty sensitive collection."""
    perform(app, owner, ask.CreateCollection(name="Clinic", tier=Tier.SENSITIVE))
    for number, text in enumerate(NOTES):
        perform(app, owner, ask.Store(text=text, title="Garden plan" if number == 1 else None))
    perform(app, owner, ask.AssertFact(subject="Alice", predicate="lives_in", value="Ulm"))
    perform(app, owner, ask.AssertFact(subject="Bob", predicate="likes", value="the garden of Alice"))
    first, second = (placed.version.id for placed in perform(app, owner, ask.List(limit=2)))
    perform(app, owner, ask.Link(origin=first, target=second, kind="REFERENCES"))
    return app


def answers(app: App, agent: Caller, clock: FakeClock) -> list[bytes]:
    """Every answer as bytes."""
    clock.at = ASKING
    told = [msgspec.json.encode(attempt(app, agent, question)) for question in QUESTIONS]
    clock.at = WRITING
    return told


def attempt(app: App, agent: Caller, question: object) -> Any:
    try:
        return perform(app, agent, question)
    except CommonplaceError as error:
        return (type(error).__name__, error.message, {name: repr(fact) for name, fact in error.facts.items()})


def hide_by_tier(app: App, owner: Caller) -> list[str]:
    """Store into the sensitive collection, with a fact and a relation to what all may see."""
    seen = perform(app, owner, ask.List(limit=1))[0].version.id
    items = []
    for text in HIDDEN:
        made = perform(app, owner, ask.Store(text=text, collection="Clinic", provenance="clinic", note_fact=True))
        perform(app, owner, ask.Link(origin=made.version_id, target=seen, kind="REFERENCES"))
        perform(app, owner, ask.AssertFact(subject="Alice", predicate="ill_with", value="flu", item=made.item_id))
        items.append(made.item_id)
    return items


def hide_by_moving(app: App, owner: Caller) -> list[str]:
    """Store for all to see, then move."""
    items = [perform(app, owner, ask.Store(text=text)).item_id for text in HIDDEN]
    perform(app, owner, ask.Move(ids=tuple(items), collection="Clinic"))
    return items


def hide_by_retracting(app: App, owner: Caller) -> list[str]:
    """Store what is replaced twice and then retracted, and a fact that is closed at once."""
    items = []
    for text in HIDDEN:
        made = perform(app, owner, ask.Store(text=text))
        perform(app, owner, ask.Supersede(id=made.item_id, text=f"{text} Again: plan."))
        perform(app, owner, ask.Supersede(id=made.item_id, text=f"{text} And again: garden."))
        perform(app, owner, ask.Retract(id=made.item_id))
        items.append(made.item_id)
    return items


HIDE: dict[str, Callable[[App, Caller], list[str]]] = {
    "sensitive": hide_by_tier,
    "moved": hide_by_moving,
    "retracted": hide_by_retracting,
}


@pytest.mark.parametrize("how", HIDE)
def test_hidden_rows_change_no_byte_of_any_answer(
    lived_in: App, owner: Caller, agent: Caller, clock: FakeClock, how: str
) -> None:
    before = answers(lived_in, agent, clock)
    hidden = HIDE[how](lived_in, owner)
    for question, was, now in zip(QUESTIONS, before, answers(lived_in, agent, clock), strict=True):
        # History is no secret: what superseded what is counted among the relations.
        assert now == was or (how == "retracted" and question == ask.CountAll()), question
    perform(lived_in, owner, ask.Forget(items=tuple(hidden)))
    assert answers(lived_in, agent, clock) == before


def test_what_began_later_and_what_ended_by_time_change_no_score(
    app: App, owner: Caller, agent: Caller, clock: FakeClock
) -> None:
    for number in range(10):
        perform(app, owner, ask.Store(text=f"Filler {number} about nothing."))
    ending = [perform(app, owner, ask.Store(text=f"Seat {number}.")).item_id for number in range(3)]
    perform(app, owner, ask.Store(text="The garden seats need paint."))
    tomorrow, question = Instant(clock.now() + DAY), ask.Recall(text="garden paint", mode="keyword", explain=True)
    before = attempt(app, agent, question).hits
    for number, item_id in enumerate(ending):
        perform(app, owner, ask.Store(text=f"A garden {number} of later.", valid_from=Instant(tomorrow + 9 * DAY)))
        perform(app, owner, ask.Supersede(id=item_id, text="Gone at once: paint.", valid_from=tomorrow))
    assert attempt(app, agent, question).hits == before
    clock.advance(2 * DAY)
    for item_id in ending:
        perform(app, owner, ask.Retract(id=item_id))
    scores = [hit.score for hit in attempt(app, agent, question).hits]
    perform(app, owner, ask.Forget(items=tuple(ending)))
    assert [hit.score for hit in attempt(app, agent, question).hits] == scores


def test_a_closed_fact_changes_no_byte_of_what_the_words_find(
    lived_in: App, owner: Caller, agent: Caller, clock: FakeClock
) -> None:
    before = answers(lived_in, agent, clock)
    fact = perform(lived_in, owner, ask.AssertFact(subject="Carol", predicate="lives_in", value="Ulm Ulm garden"))
    assert answers(lived_in, agent, clock) != before
    perform(lived_in, owner, ask.InvalidateFact(id=fact.id))
    assert answers(lived_in, agent, clock) == before


def test_the_owner_sees_what_is_hidden_from_others(lived_in: App, owner: Caller, clock: FakeClock) -> None:
    before = answers(lived_in, owner, clock)
    hidden = hide_by_tier(lived_in, owner)
    assert set(hidden) <= {hit.item_id for hit in perform(lived_in, owner, ask.Recall(text="pond seats")).hits}
    assert answers(lived_in, owner, clock) != before


def test_a_tier_that_is_lifted_gives_everything_back(
    lived_in: App, owner: Caller, agent: Caller, clock: FakeClock
) -> None:
    hide_by_tier(lived_in, owner)
    question = ask.Recall(text="pond hedges", explain=True)
    assert "Diagnosis" not in msgspec.json.encode(perform(lived_in, agent, question)).decode()
    perform(lived_in, owner, ask.SetCollection(slug="clinic", tier=Tier.PERSONAL))
    clock.advance(SECOND)
    assert perform(lived_in, agent, question) == perform(lived_in, owner, question)
    assert "Diagnosis" in perform(lived_in, agent, question).hits[0].text
