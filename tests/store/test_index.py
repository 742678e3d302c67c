"""The index: entries stand on the shelf where they may be found, and both engines score them alike."""

import math
from collections import Counter
from typing import Any

import pytest

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller, Tier
from commonplace.model.interval import DAY, Instant
from commonplace.operations.verify import verify
from commonplace.store import search
from commonplace.store.search import Filter, lexical, near_terms
from commonplace.store.view import Wanted, view_of
from support import FakeClock, rows

SATURATION, LENGTH_WEIGHT = 1.2, 0.75

NOTES = (
    "the pond and the garden",
    "garden garden garden",
    "a hedge beside a pond beside a pond",
    "Müllers Rechnung für den Garten",
    "get_item() in /etc/hosts, 1.234,50 and e-mail",
    "東京 and naïve cafés",
    "one long note about nothing in particular that goes on and on and then mentions the pond at its end",
)


def shelves(app: App, caller: Caller) -> Counter[str]:
    """How many entries each shelf has; vectors stand with their words."""
    words = {row["owner"]: row["shelf"] for row in rows(app, caller, "lexical")}
    assert {row["owner"]: row["shelf"] for row in rows(app, caller, "vector")} == words
    assert verify(app, caller.workspace_id).problems == ()
    return Counter(words.values())


def found(app: App, caller: Caller, *terms: str, limit: int = 50, wanted: Wanted | None = None) -> list[Any]:
    """What the words find, as the store tells it."""
    with app.db.read(caller.workspace_id) as read:
        return lexical(read, "chunk", terms, Filter(view_of(read, caller), limit, wanted or Wanted()))


def bm25(app: App, caller: Caller, terms: tuple[str, ...]) -> dict[str, float]:
    """The textbook's score of every entry, from nothing but its words."""
    entries = {row["owner"]: row["terms"].split() for row in rows(app, caller, "lexical")}
    mean = sum(map(len, entries.values())) / len(entries)
    scores: dict[str, float] = {}
    for term in terms:
        holding = sum(term in words for words in entries.values())
        weight = max(math.log((len(entries) - holding + 0.5) / (holding + 0.5)), 1e-6) if holding else 0.0
        for owner, words in entries.items():
            if count := words.count(term):
                damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(words) / mean)
                scores[owner] = scores.get(owner, 0.0) + weight * count * (SATURATION + 1) / (count + damping)
    return scores


@pytest.mark.parametrize(
    "terms",
    [("pond",), ("garden", "pond"), ("e:garden", "d:pond", "hedge"), ("=get_item", "1.234,50", "東京", "naive")],
)
def test_scores_are_those_of_the_textbook(app: App, agent: Caller, terms: tuple[str, ...]) -> None:
    for text in NOTES:
        perform(app, agent, ask.Store(text=text))
    scored = {each.owner: each.score for each in found(app, agent, *terms)}
    assert scored == pytest.approx(bm25(app, agent, terms), abs=2e-6)


@pytest.mark.parametrize("text", NOTES)
def test_every_term_of_a_text_finds_it(app: App, agent: Caller, text: str) -> None:
    perform(app, agent, ask.Store(text=text))
    for term in rows(app, agent, "lexical")[0]["terms"].split():
        assert len(found(app, agent, term)) == 1, term


def test_entries_move_with_what_they_stand_for(app: App, owner: Caller, clock: FakeClock) -> None:
    perform(app, owner, ask.CreateCollection(name="Clinic", tier=Tier.SENSITIVE))
    first, second = (perform(app, owner, ask.Store(text=text)).item_id for text in NOTES[:2])
    fact = perform(app, owner, ask.AssertFact(subject="Alice", predicate="likes", value="ponds"))
    assert shelves(app, owner) == {"chunk_current": 2, "fact_current": 1}
    clock.advance(DAY)
    perform(app, owner, ask.Supersede(id=first, text="the pond is gone"))
    perform(app, owner, ask.InvalidateFact(id=fact.id))
    assert shelves(app, owner) == {"chunk_current": 2, "chunk_history": 1, "fact_history": 1}
    perform(app, owner, ask.Move(ids=(first,), collection="clinic"))
    assert shelves(app, owner) == {"chunk_current": 1, "chunk_sensitive": 2, "fact_history": 1}
    perform(app, owner, ask.SetCollection(slug="clinic", tier=Tier.PUBLIC))
    assert shelves(app, owner) == {"chunk_current": 2, "chunk_history": 1, "fact_history": 1}
    perform(app, owner, ask.Retract(id=second))
    assert shelves(app, owner) == {"chunk_current": 1, "chunk_history": 2, "fact_history": 1}
    perform(app, owner, ask.Forget(ids=(first, fact.id)))
    assert shelves(app, owner) == {"chunk_history": 1}


def test_what_leaves_the_knowledge_base_leaves_the_index(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text="the pond"))
    perform(app, agent, ask.Amend(id=made.item_id, in_kb=False))
    assert shelves(app, agent) == {}
    perform(app, agent, ask.Amend(id=made.item_id, in_kb=True))
    assert shelves(app, agent) == {"chunk_current": 1}
    assert len(found(app, agent, "pond")) == 1


def test_history_is_searched_only_for_another_time(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.Store(text="five seats"))
    clock.advance(DAY)
    perform(app, agent, ask.Supersede(id=made.item_id, text="nine chairs"))
    assert texts(app, agent, ask.Recall(text="seats", mode="keyword")) == []
    assert texts(app, agent, ask.Recall(text="seats", mode="keyword", as_of=made.created_at)) == ["five seats"]
    assert texts(app, agent, ask.Recall(text="chairs", mode="keyword", as_of=made.created_at)) == []


def test_what_begins_and_ends_by_time_moves_with_the_next_write(app: App, agent: Caller, clock: FakeClock) -> None:
    tomorrow, later = Instant(clock.now() + DAY), Instant(clock.now() + 3 * DAY)
    perform(app, agent, ask.Store(text="the pond", valid_to=tomorrow))
    made = perform(app, agent, ask.Store(text="five seats"))
    perform(app, agent, ask.Supersede(id=made.item_id, text="nine chairs", valid_from=tomorrow))
    perform(app, agent, ask.Store(text="a hedge", valid_from=tomorrow, valid_to=later))
    perform(app, agent, ask.AssertFact(subject="Bob", predicate="likes", value="ponds", valid_to=tomorrow))
    assert shelves(app, agent) == {"chunk_current": 2, "chunk_history": 2, "fact_current": 1}
    clock.advance(2 * DAY)
    assert shelves(app, agent) == {"chunk_current": 2, "chunk_history": 2, "fact_current": 1}
    perform(app, agent, ask.AssertFact(subject="Bob", predicate="is", value="old"))
    assert shelves(app, agent) == {"chunk_current": 2, "chunk_history": 2, "fact_current": 1, "fact_history": 1}
    assert len(found(app, agent, "chairs")) == len(found(app, agent, "hedge")) == 1
    clock.advance(2 * DAY)
    perform(app, agent, ask.Retract(id=made.item_id))
    assert shelves(app, agent) == {"chunk_history": 4, "fact_current": 1, "fact_history": 1}


@pytest.mark.parametrize("mode", ["keyword", "semantic"])
def test_what_has_begun_is_found_before_any_write_moves_it(
    app: App, agent: Caller, clock: FakeClock, mode: Any
) -> None:
    made = perform(app, agent, ask.Store(text="five seats"))
    perform(app, agent, ask.Supersede(id=made.item_id, text="nine seats", valid_from=Instant(clock.now() + DAY)))
    question = ask.Recall(text="seats", mode=mode)
    assert texts(app, agent, question) == ["five seats"]
    assert texts(app, agent, ask.Recall(text="seats", mode=mode, as_of=Instant(clock.now() + DAY))) == ["nine seats"]
    clock.advance(2 * DAY)
    assert texts(app, agent, question) == ["nine seats"]
    perform(app, agent, ask.Store(text="a hedge"))
    assert "nine seats" in texts(app, agent, question)
    assert "five seats" not in texts(app, agent, question)


def test_a_correction_of_what_has_begun_is_current(app: App, agent: Caller, clock: FakeClock) -> None:
    app = App(app.db, app.clock, app.ids, app.embedder, (DeterministicRewriter(),))
    made = perform(app, agent, ask.Store(text="five seats", valid_from=Instant(clock.now() + DAY)))
    clock.advance(2 * DAY)
    proposed = perform(app, agent, ask.Propose(chunk_id=made.chunk_ids[0], proposal='replace "five" with "nine"'))
    perform(app, agent, ask.Apply(id=proposed.id))
    assert shelves(app, agent) == {"chunk_current": 1, "chunk_history": 1}
    assert texts(app, agent, ask.Recall(text="seats", mode="keyword")) == ["nine seats"]


def texts(app: App, caller: Caller, request: ask.Recall) -> list[str]:
    return [hit.text for hit in perform(app, caller, request).hits]


def test_filters_are_applied_before_the_limit(app: App, agent: Caller, owner: Caller) -> None:
    perform(app, owner, ask.CreateCollection(name="Work"))
    weak = perform(
        app, owner, ask.Store(text=NOTES[6], tags=("rare", "two"), memory_type="procedural", collection="Work")
    )
    for number in range(20):
        perform(app, agent, ask.Store(text=f"pond pond pond {number}", tags=("two",)))
    for wanted in (
        Wanted(tags=("rare",)),
        Wanted(tags=("rare", "two")),
        Wanted(memory_type="procedural"),
        Wanted(collections=("work",)),
    ):
        assert [each.version_id for each in found(app, agent, "pond", limit=1, wanted=wanted)] == [weak.version_id]
    nearest = ask.Recall(text="pond", mode="semantic", limit=1, collections=("Work",))
    assert [hit.id for hit in perform(app, agent, nearest).hits] == [weak.version_id]


def test_a_token_for_folders_finds_only_what_is_filed_there(app: App, agent: Caller) -> None:
    folder = perform(app, agent, ask.CreateFolder(name="Plans"))
    filed = perform(app, agent, ask.Store(text="the pond plan"))
    perform(app, agent, ask.Store(text="the pond secret"))
    perform(app, agent, ask.FileItem(id=filed.item_id, folders=(folder.id,)))
    scoped = Caller(agent.workspace_id, "token:x", folders=(folder.id,))
    assert texts(app, scoped, ask.Recall(text="pond secret")) == ["the pond plan"]


def test_the_rarest_words_are_read_first(app: App, agent: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        perform(app, agent, ask.Store(text="pond hedge" if number else "pond hedge heron"))
    monkeypatch.setattr(search, "POSTINGS_MAX", 5)
    assert len(found(app, agent, "pond", "heron")) == 1
    assert len(found(app, agent, "pond")) == 5, "one word is always read"


def test_words_are_suggested_from_what_lives(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.AssertFact(subject="Alice", predicate="likes", value="herons"))
    with app.db.read(agent.workspace_id) as read:
        assert "herons" in near_terms(read, "fact_current", "heronz")
    perform(app, agent, ask.InvalidateFact(id=made.id))
    with app.db.read(agent.workspace_id) as read:
        assert "herons" not in near_terms(read, "fact_current", "heronz")


def test_a_version_that_ends_by_itself_is_found_until_then(app: App, agent: Caller, clock: FakeClock) -> None:
    end = Instant(clock.at + DAY)
    perform(app, agent, ask.Store(text="the pond is open", valid_to=end))
    assert len(texts(app, agent, ask.Recall(text="pond"))) == 1
    clock.at = end
    assert texts(app, agent, ask.Recall(text="pond")) == []
    assert len(texts(app, agent, ask.Recall(text="pond", as_of=Instant(end - 1)))) == 1
