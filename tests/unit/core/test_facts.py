from dataclasses import replace
from typing import Any

import pytest
from core_support import FixedExtractor, Reading, collection, file, folder, found, ids, state, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    AssertFact,
    ChangesOf,
    CorrectFact,
    CountAll,
    FactsAbout,
    FileItem,
    Forget,
    HealthOf,
    InvalidateFact,
    Move,
    Recall,
    Undo,
)
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import Conflict, Invalid, NotFound, TooLarge
from commonplace.model.fact import Changes, Fact, Health, Value
from commonplace.model.interval import DAY, FOREVER, MINUTE, SECOND, Instant
from support import FakeClock, rows


def about(app: App, caller: Caller, entity: str, **asked: Any) -> list[Fact]:
    return list(perform(app, caller, FactsAbout(entity=entity, **asked)))


def values(facts: list[Fact]) -> list[Value]:
    return [fact.value for fact in facts]


def read(app: App, caller: Caller, fact: str) -> Fact:
    [hit] = perform(app, caller, Recall(ids=(fact,))).hits
    assert hit.fact
    return hit.fact


def correct(app: App, caller: Caller, fact: str, value: Value, **asked: Any) -> str:
    return str(perform(app, caller, CorrectFact(id=fact, value=value, **asked)).new_id)


def close(app: App, caller: Caller, fact: str, **asked: Any) -> Fact:
    closed: Fact = perform(app, caller, InvalidateFact(id=fact, **asked))
    return closed


def health(app: App, caller: Caller, entity: str, **asked: Any) -> Health:
    told: Health = perform(app, caller, HealthOf(entity=entity, **asked))
    return told


def changed(app: App, caller: Caller, entity: str, since: int, **asked: Any) -> Changes:
    told: Changes = perform(app, caller, ChangesOf(entity=entity, since=Instant(since), **asked))
    return told


def test_a_fact_is_kept_as_it_was_stated(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-AST-2"""
    start, end = Instant(clock.at - DAY), Instant(clock.at + DAY)
    fact = read(
        app,
        agent,
        state(app, agent, " Uta ", "owns", 41, valid_from=start, valid_to=end, confidence=0.4, provenance="deed"),
    )
    assert (fact.subject, fact.predicate, fact.value, fact.confidence) == ("Uta", "owns", 41, 0.4)
    assert (fact.valid.start, fact.valid.end, fact.expired_at, fact.provenance) == (start, end, None, "deed")
    assert type(fact.value) is int


@pytest.mark.parametrize("value", ["oak", 7, 2.5, True, ""])
def test_a_value_keeps_its_type(app: App, agent: Caller, value: Value) -> None:
    """KR-AST-2"""
    kept = read(app, agent, state(app, agent, "table", "is", value)).value
    assert (type(kept), kept) == (type(value), value)


def test_other_values_are_named_and_left_alone(app: App, agent: Caller) -> None:
    """KR-AST-1"""
    first = state(app, agent, "Uta", "lives_in", "Bonn")
    asked = AssertFact(subject="Uta", predicate="lives_in", value="Köln")
    assert perform(app, agent, asked).contradicts == (first,)
    assert sorted(map(str, values(about(app, agent, "Uta")))) == ["Bonn", "Köln"]
    same = AssertFact(subject="Uta", predicate="lives_in", value=" bonn ")
    assert first not in perform(app, agent, same).contradicts


def test_a_predicate_can_refuse_a_second_value(app: App, agent: Caller) -> None:
    """KR-AST-1"""
    set_workspace(app, "default", settings={"reject": ["born_on"]})
    first = state(app, agent, "Uta", "born_on", "1970-01-01")
    with pytest.raises(Conflict) as refused:
        state(app, agent, "Uta", "born_on", "1971-01-01")
    assert refused.value.facts == {"reason": "contradiction", "ids": (first,)}
    state(app, agent, "Uta", "born_on", "1970-01-01")
    assert len(about(app, agent, "Uta")) == 2


def test_a_known_key_returns_the_fact_it_made(app: App, agent: Caller) -> None:
    """KR-AST-2"""
    first = state(app, agent, "Uta", "owns", "bike", key="k")
    assert state(app, agent, "Otto", "owns", "car", key="k") == first
    assert about(app, agent, "Otto") == []


@pytest.mark.parametrize(("given", "kept"), [(1.7, 1.0), (-2, 0.0), (0.25, 0.25)])
def test_a_confidence_is_kept_between_nought_and_one(app: App, agent: Caller, given: float, kept: float) -> None:
    """KR-ERR-3"""
    assert read(app, agent, state(app, agent, "a", "b", "c", confidence=given)).confidence == kept


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"subject": " "}, "subject is required"),
        ({"predicate": ""}, "predicate is required"),
        ({"subject": "é" * 257}, r"subject exceeds max allowed size \(512 bytes\)"),
        ({"value": "x" * 32_769}, r"object exceeds max allowed size \(32768 bytes\)"),
        ({"value": float("nan")}, "finite"),
        ({"confidence": float("inf")}, "confidence"),
    ],
)
def test_what_cannot_be_a_fact_is_refused(app: App, agent: Caller, asked: dict[str, Any], message: str) -> None:
    """KR-ERR-2"""
    with pytest.raises(Invalid, match=message):
        perform(app, agent, AssertFact(**{"subject": "a", "predicate": "b", "value": "c", **asked}))
    assert perform(app, agent, CountAll()).facts == 0


def test_a_fact_may_be_drawn_from_an_item(app: App, agent: Caller, owner: Caller) -> None:
    """engine 3"""
    collection(app, "Work")
    stored = store(app, agent, "Uta sells bikes.", collection="work")
    fact = state(app, agent, "Uta", "sells", "bikes", item=stored.version_id)
    assert [hit.collection for hit in perform(app, agent, Recall(ids=(fact,))).hits] == ["work"]
    perform(app, owner, Move(ids=(stored.item_id,), collection="personal"))
    assert [hit.collection for hit in perform(app, agent, Recall(ids=(fact,))).hits] == ["personal"]
    with pytest.raises(NotFound, match="Memory not found: nowhere"):
        state(app, agent, "Uta", "sells", "bikes", item="nowhere")


def test_a_subject_is_matched_whole_first_as_spelled_then_in_any_case_then_by_an_alias(app: App, agent: Caller) -> None:
    """KR-FCT-4"""
    state(app, agent, "Jo", "likes", "tea")
    state(app, agent, "Jo:x", "likes", "milk")
    state(app, agent, "Jo Miller", "likes", "rum")
    assert values(about(app, agent, " Jo ")) == values(about(app, agent, "JO")) == ["tea"]
    state(app, agent, "JO", "likes", "gin")
    assert values(about(app, agent, "JO")) == ["gin"]
    assert sorted(map(str, values(about(app, agent, "jo")))) == ["gin", "tea"]
    state(app, agent, "Jo Miller", "aka", "Captain")
    assert values(about(app, agent, "captain")) == ["Captain", "rum"]
    assert about(app, agent, "nobody") == []


def test_one_spelling_of_a_letter_is_another(app: App, agent: Caller) -> None:
    """KR-FCT-4"""
    state(app, agent, "Zoe\u0308", "likes", "tea")
    assert values(about(app, agent, "Zo\u00eb")) == ["tea"]


def test_an_exact_spelling_of_any_time_keeps_others_out(app: App, agent: Caller) -> None:
    """KR-FCT-4"""
    state(app, agent, "ana", "likes", "tea")
    close(app, agent, state(app, agent, "Ana", "likes", "rum"))
    assert about(app, agent, "Ana") == []


def test_a_name_that_only_people_may_know_hides_no_alias(app: App, agent: Caller, owner: Caller) -> None:
    """KR-FCT-5 GN-TIE-3"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, "M drinks.", collection="vault")
    state(app, owner, "M", "drinks", "rum", item=secret.item_id)
    state(app, agent, "Mallory", "alias", "m")
    state(app, owner, "Mallory", "alias", "The Fox", item=secret.item_id)
    assert values(about(app, agent, "M")) == ["m"]
    assert values(about(app, owner, "M")) == ["rum"]
    assert about(app, agent, "the fox") == []
    assert found(app, agent, "what of the fox?", targets=("fact",), mode="keyword") == []
    assert len(found(app, owner, "what of the fox?", targets=("fact",), mode="keyword")) == 2


def test_facts_are_in_the_order_of_predicate_then_id(app: App, agent: Caller) -> None:
    """KR-FAB-1"""
    made = [state(app, agent, "Uta", predicate, predicate) for predicate in ("c", "a", "b", "a")]
    assert [fact.id for fact in about(app, agent, "Uta")] == [made[1], made[3], made[2], made[0]]


def test_live_facts_are_told_and_with_history_all(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-FAB-1 KR-FCT-2"""
    early, late = Instant(clock.at - DAY), Instant(clock.at + DAY)
    state(app, agent, "x", "a", "ended", valid_from=early, valid_to=Instant(clock.at - 1))
    state(app, agent, "x", "b", "ends later", valid_to=late)
    state(app, agent, "x", "c", "begins later", valid_from=late)
    close(app, agent, state(app, agent, "x", "d", "closed"))
    assert values(about(app, agent, "x")) == ["ends later", "begins later"]
    assert values(about(app, agent, "x", include_history=True)) == ["ended", "ends later", "begins later", "closed"]


def test_facts_are_told_as_they_held_and_as_they_were_known(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-FCT-2"""
    first = state(app, agent, "x", "is", "red", valid_from=Instant(clock.at - DAY))
    known = clock.advance(DAY)
    clock.advance(SECOND)
    correct(app, agent, first, "blue")
    assert values(about(app, agent, "x", as_of=known)) == ["red"]
    assert values(about(app, agent, "x", as_of=Instant(clock.at + 1))) == ["blue"]
    assert values(about(app, agent, "x", known_at=known)) == ["red"]
    assert values(about(app, agent, "x", as_of=Instant(clock.at - 9 * DAY))) == []


def test_correcting_closes_the_old_fact_and_states_the_new_at_one_instant(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """KR-COR-1"""
    first = state(app, agent, "Uta", "lives_in", "Bonn", confidence=0.3, provenance="letter", episode="may")
    clock.advance(DAY)
    second = correct(app, agent, first, "Köln", reason="moved")
    old, new = read(app, agent, first), read(app, agent, second)
    assert old.valid.end == old.expired_at == new.valid.start == new.first_recorded_at
    assert (new.subject, new.predicate, new.value) == ("Uta", "lives_in", "Köln")
    assert (new.confidence, new.provenance, new.episode, new.predecessor) == (1.0, None, "may", first)
    assert old.corrected


def test_a_fact_is_corrected_once(app: App, agent: Caller) -> None:
    """KR-COR-2"""
    first = state(app, agent, "Uta", "age", 50)
    second = correct(app, agent, first, 51)
    with pytest.raises(Conflict) as refused:
        correct(app, agent, first, 52)
    assert refused.value.facts == {"reason": "already_corrected", "id": first, "current_id": second}
    assert correct(app, agent, second, 52)


def test_an_invalidated_fact_keeps_its_times_when_it_is_corrected(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-COR-2"""
    first = state(app, agent, "Uta", "age", 50)
    closed = close(app, agent, first)
    clock.advance(DAY)
    second = correct(app, agent, first, 51)
    assert read(app, agent, first).expired_at == closed.expired_at
    assert read(app, agent, second).valid.start == clock.at


def test_a_fact_that_begins_later_can_be_corrected_and_invalidated(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-COR-1 KR-INV-1"""
    later = Instant(clock.at + DAY)
    moved, dropped = (state(app, agent, "fair", name, "May", valid_from=later) for name in ("a", "b"))
    second = correct(app, agent, moved, "June")
    assert read(app, agent, second).valid.start < later
    assert close(app, agent, dropped).expired_at is not None
    clock.advance(2 * DAY)
    assert values(about(app, agent, "fair")) == ["June"]


def test_a_correction_may_begin_at_another_time_but_not_before_the_fact(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """engine 1"""
    start = Instant(clock.at - 9 * DAY)
    first = state(app, agent, "x", "is", "red", valid_from=start)
    with pytest.raises(Invalid, match="begin after"):
        correct(app, agent, first, "blue", valid_from=start)
    correct(app, agent, first, "blue", valid_from=Instant(start + DAY))
    assert values(about(app, agent, "x", as_of=start)) == ["red"]
    assert values(about(app, agent, "x", as_of=Instant(start + DAY))) == ["blue"]


def test_an_end_that_lies_ahead_closes_nothing_yet(app: App, agent: Caller, clock: FakeClock) -> None:
    """engine 1: expired_at is null when the end lies in the future"""
    later = Instant(clock.at + DAY)
    fact = close(app, agent, state(app, agent, "lease", "held_by", "Uta"), valid_to=later)
    assert (fact.valid.end, fact.expired_at) == (later, None)
    assert values(about(app, agent, "lease")) == ["Uta"]
    correct(app, agent, fact.id, "Otto", valid_from=Instant(later - 1))
    assert sorted(map(str, values(about(app, agent, "lease")))) == ["Otto", "Uta"]
    clock.advance(DAY)
    assert values(about(app, agent, "lease")) == ["Otto"]


def test_invalidating_closes_and_repeating_it_keeps_the_first_times(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-INV-1"""
    fact = state(app, agent, "x", "is", "red")
    clock.advance(DAY)
    first = close(app, agent, fact, reason="faded")
    assert first.valid.end == first.expired_at == clock.at
    clock.advance(DAY)
    assert close(app, agent, fact) == first
    assert values(about(app, agent, "x", include_history=True)) == ["red"]
    with pytest.raises(Invalid, match="before it began"):
        close(app, agent, state(app, agent, "y", "is", "red"), valid_to=Instant(clock.at - DAY))


def test_an_unknown_fact_is_not_found(app: App, agent: Caller) -> None:
    """KR-FCT-3"""
    memory = store(app, agent, "Said.")
    for request in (CorrectFact(id=memory.version_id, value=1), InvalidateFact(id="fact")):
        with pytest.raises(NotFound, match="Fact not found"):
            perform(app, agent, request)


def test_a_fact_of_a_token_is_filed_where_the_token_files(app: App, agent: Caller) -> None:
    """GR-ADD-2 and rule 8 of all surfaces"""
    one, two = folder(app, "One"), folder(app, "Two")
    single, double = token(app, one), token(app, one, two)
    seen, unseen = state(app, single, "x", "is", "red"), state(app, double, "x", "is", "blue")
    alone = state(app, agent, "x", "is", "green")
    assert [fact.id for fact in about(app, single, "x")] == [fact.id for fact in about(app, double, "x")] == [seen]
    assert [fact.id for fact in about(app, agent, "x")] == [seen, unseen, alone]
    assert ids(found(app, single, "red blue green", targets=("fact",))) == [seen]
    assert perform(app, single, CountAll()).facts == 1


def test_a_corrected_fact_stays_in_its_folders(app: App, owner: Caller) -> None:
    """KR-FCT-5"""
    one, two = folder(app, "One"), folder(app, "Two")
    first = state(app, token(app, one), "x", "is", "red")
    correct(app, owner, first, "blue")
    assert values(about(app, token(app, one), "x")) == ["blue"]
    assert values(about(app, token(app, two), "x")) == []


def test_a_fact_of_an_item_is_seen_where_the_item_is(app: App, agent: Caller) -> None:
    """KR-FCT-5"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Said.")
    state(app, agent, "x", "is", "red", item=stored.item_id)
    file(app, stored.item_id, one)
    assert values(about(app, token(app, one), "x")) == ["red"]
    assert values(about(app, token(app, two), "x")) == []


def test_a_note_and_what_is_read_in_it_are_facts_of_its_episode(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-REM-1"""
    birth = Instant(clock.at - 99 * DAY)
    reading = FixedExtractor(
        Reading("Ida", "likes", "rye", birth, FOREVER), Reading("Ida", "age", 5, clock.at, FOREVER)
    )
    stored = store(
        replace(app, extractor=reading), agent, "Ida likes rye.", note_fact=True, extract=True, episode="walk"
    )
    note, likes, age = (read(app, agent, each) for each in stored.fact_ids)
    assert (note.subject, note.predicate, note.value, note.confidence) == ("walk", "memory", "Ida likes rye.", 1.0)
    assert (note.valid.start, note.provenance) == (stored.created_at, None)
    assert (likes.value, likes.valid.start, likes.confidence) == ("rye", birth, 0.9)
    assert {likes.provenance, age.provenance} == {f"extracted:{note.id}"}
    assert {fact.episode for fact in (note, likes, age)} == {"walk"}
    assert {fact.item_id for fact in (note, likes, age)} == {stored.item_id}


def test_facts_without_a_note_come_from_their_item(app: App, agent: Caller, clock: FakeClock) -> None:
    reading = FixedExtractor(
        Reading("Ida", "likes", "rye", clock.at, FOREVER), Reading("Ida", "age", 5, clock.at, FOREVER)
    )
    stored = store(replace(app, extractor=reading), agent, "Ida, 5, likes rye.", extract=True)
    provenances = [read(app, agent, each).provenance for each in stored.fact_ids]
    assert provenances[0] == f"extracted:{stored.item_id}"


def test_extraction_closes_nothing(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-REM-5"""
    state(app, agent, "Ida", "lives_in", "Bonn")
    reading = FixedExtractor(Reading("Ida", "lives_in", "Köln", clock.at, FOREVER))
    store(replace(app, extractor=reading), agent, "Ida moved to Köln.", extract=True)
    assert sorted(map(str, values(about(app, agent, "Ida")))) == ["Bonn", "Köln"]


def test_a_given_vector_finds_its_note_in_a_space_of_its_own(app: App, agent: Caller) -> None:
    """KR-REM-4 KR-VEC-1"""
    stored = store(app, agent, "One.", note_fact=True, episode="e", vector=[3.0, 4.0])
    other = store(app, agent, "Two.", note_fact=True, episode="e", vector=[40_000.0, -30_000.0])
    near = found(app, agent, "anything", targets=("fact",), mode="semantic", vector=[0.3, 0.4])
    assert ids(near) == [stored.fact_ids[0], other.fact_ids[0]]
    with pytest.raises(Invalid, match="query dimension mismatch: index has dim 2, query has 3"):
        found(app, agent, "anything", targets=("fact",), vector=[1.0, 0.0, 0.0])
    with pytest.raises(Invalid, match="index has dim 2, query has 1"):
        store(app, agent, "Three.", note_fact=True, vector=[1.0])
    assert len(rows(app, agent, "item")) == 2


def test_without_given_vectors_one_of_our_size_searches_ours(app: App, agent: Caller) -> None:
    """KR-VEC-1"""
    fact = state(app, agent, "boiler", "needs", "salt")
    ours = [float(number) for number in app.embedder.embed(["boiler needs salt"])[0]]
    assert ids(found(app, agent, "x", targets=("fact",), mode="semantic", vector=ours)) == [fact]
    assert found(app, agent, "x", targets=("fact",), mode="semantic", vector=[1.0, 0.0]) == []
    assert found(app, agent, "x", targets=("fact",), mode="semantic", vector=[0.0] * len(ours)) != []


def test_what_became_known_is_told_after_a_moment(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-WCH-1"""
    old = state(app, agent, "Uta", "likes", "tea")
    since = clock.advance(DAY)
    clock.advance(SECOND)
    brief = state(app, agent, "Uta", "likes", "rum", valid_from=Instant(clock.at - 9 * DAY))
    close(app, agent, brief)
    clock.advance(SECOND)
    close(app, agent, old)
    told = changed(app, agent, "Uta", since)
    assert [fact.id for fact in told.new] == [brief]
    assert [fact.id for fact in told.closed] == [brief, old]
    assert changed(app, agent, "Uta", told.new[0].first_recorded_at).new == ()
    assert changed(app, agent, "Uta", since, predicate="hates") == Changes("Uta", Instant(since), "hates", (), (), ())


def test_corrections_are_paired_by_their_link_with_the_shift_in_confidence(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """KR-WCH-2"""
    sure, unsure = state(app, agent, "Uta", "age", 50), state(app, agent, "Uta", "size", 160, confidence=0.5)
    since = clock.advance()
    clock.advance()
    pairs = {(each, correct(app, agent, each, 1)) for each in (sure, unsure)}
    told = changed(app, agent, "Uta", since)
    assert {(old.id, new.id) for old, new in told.corrections} == pairs
    assert [(old.id, old.confidence, new.confidence) for old, new in told.shifts] == [(unsure, 0.5, 1.0)]


@pytest.mark.parametrize(
    ("gap", "subject", "predicate", "paired"),
    [
        (2 * SECOND, "Uta", "age", True),
        (2 * SECOND + 2, "Uta", "age", False),
        (0, "Uta", "size", False),
        (0, "uta", "age", False),
    ],
)
def test_facts_that_follow_each_other_within_two_seconds_are_a_correction(
    app: App, agent: Caller, clock: FakeClock, *, gap: int, subject: str, predicate: str, paired: bool
) -> None:
    """KR-WCH-2"""
    first = state(app, agent, "Uta", "age", 50)
    closed = close(app, agent, first).expired_at
    assert closed
    clock.advance(DAY)
    second = state(app, agent, subject, predicate, 51, valid_from=Instant(closed + gap))
    told = changed(app, agent, "UTA", 0)
    assert [(old.id, new.id) for old, new in told.corrections] == ([(first, second)] if paired else [])


def test_a_correction_that_was_closed_itself_can_be_followed(app: App, agent: Caller) -> None:
    """KR-WCH-2"""
    first = state(app, agent, "Uta", "age", 50)
    second = correct(app, agent, first, 51)
    closed = close(app, agent, second).expired_at
    assert closed
    third = state(app, agent, "Uta", "age", 52, valid_from=closed)
    told = changed(app, agent, "Uta", 0)
    assert [(old.id, new.id) for old, new in told.corrections] == [(first, second), (second, third)]


def test_health_counts_all_live_unsure_and_stale_facts(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-HLT-1"""
    long_ago, longer_ago = Instant(clock.at - 90 * DAY), Instant(clock.at - 400 * DAY)
    close(app, agent, state(app, agent, "Uta", "likes", "tea", confidence=0.1))
    weak = state(app, agent, "Uta", "likes", "rum", confidence=0.2)
    weaker = state(app, agent, "Uta", "phone", "1", confidence=0.1, valid_from=long_ago)
    stale = state(app, agent, "Uta", "email", "u@x", valid_from=longer_ago)
    state(app, agent, "Uta", "lives_in", "Bonn", valid_from=Instant(long_ago + MINUTE))
    told = health(app, agent, "Uta")
    assert (told.total, told.active) == (5, 4)
    assert [fact.id for fact in told.low_confidence] == [weaker, weak]
    assert [fact.id for fact in told.stale_high_impact] == [stale, weaker]
    assert health(app, agent, "Uta", low_confidence=0.2).low_confidence == told.low_confidence[:1]
    assert health(app, agent, "Uta", predicate="phone").total == 1
    assert len(health(app, agent, "Uta", stale_after_days=0).stale_high_impact) == 3


def test_only_predicates_of_one_value_contradict_themselves(app: App, agent: Caller) -> None:
    """KR-HLT-3"""
    for value in ("tea", "rum"):
        state(app, agent, "Uta", "likes", value)
        state(app, agent, "Uta", "email", value)
    assert [each.fact.predicate for each in health(app, agent, "Uta").contradictions] == ["email"]
    set_workspace(app, "default", settings={"singletons": ["likes"]})
    assert [each.fact.predicate for each in health(app, agent, "Uta").contradictions] == ["likes"]


def test_a_closed_fact_contradicts_nothing(app: App, agent: Caller) -> None:
    """KR-HLT-3"""
    first = state(app, agent, "Uta", "email", "a@x")
    state(app, agent, "Uta", "email", "b@x")
    close(app, agent, first)
    assert health(app, agent, "Uta").contradictions == ()


def test_a_fact_of_a_sensitive_collection_is_for_people_alone(app: App, agent: Caller, owner: Caller) -> None:
    """KR-FCT-5 GN-TIE-1"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, "Said.", collection="vault")
    fact = state(app, owner, "Uta", "owes", 5000, item=secret.item_id)
    assert about(app, agent, "Uta") == [] == about(app, token(app), "Uta")
    assert changed(app, agent, "Uta", 0).new == ()
    assert health(app, agent, "Uta").total == 0
    assert perform(app, agent, CountAll()).facts == 0
    with pytest.raises(NotFound, match=f"Fact not found: {fact}"):
        close(app, agent, fact)
    asked = AssertFact(subject="Uta", predicate="owes", value=1)
    assert perform(app, agent, asked).contradicts == ()
    assert perform(app, owner, CountAll()).facts == 2


def test_a_forgotten_entity_is_named_nowhere(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    first, second = (state(app, agent, "Rumpelstilz", "likes", value) for value in ("gold", "straw"))
    for fact in (first, second):
        perform(app, agent, Forget(ids=(fact,)))
    assert rows(app, agent, "entity") == []
    assert not [row for row in rows(app, agent, "event_payload") if b"Rumpelstilz" in row["body"]]


def test_a_forgotten_alias_leaves_no_word_with_other_facts(app: App, agent: Caller) -> None:
    """GN-FGT-2 KR-RCL-2"""
    alias = state(app, agent, "Robert", "aka", "Bobbikins")
    fact = state(app, agent, "Robert", "likes", "tea")
    assert set(ids(found(app, agent, "bobbikins?", targets=("fact",), mode="keyword"))) == {alias, fact}
    perform(app, agent, Forget(ids=(alias,)))
    assert found(app, agent, "bobbikins?", targets=("fact",), mode="keyword") == []
    assert not [row for row in rows(app, agent, "lexical") if "bobbikins" in row["terms"]]


def test_a_fact_that_was_undone_can_still_be_forgotten(app: App, agent: Caller, owner: Caller) -> None:
    """GN-FGT-2"""
    fact = state(app, agent, "Uta", "owes", "Schmeichelburger")
    [event] = [row["id"] for row in rows(app, agent, "event") if row["kind"] == "fact_assert"]
    perform(app, owner, Undo(event_id=event))
    assert perform(app, agent, Forget(ids=(fact,))).facts == 1
    assert rows(app, agent, "fact") == []


def test_facts_are_not_filed_by_themselves(app: App, agent: Caller) -> None:
    one = folder(app, "One")
    fact = state(app, agent, "x", "is", "red")
    with pytest.raises(NotFound, match="Memory not found"):
        perform(app, agent, FileItem(id=fact, folders=(one.id,)))


def test_a_fact_too_large_changes_nothing(app: App, agent: Caller) -> None:
    """KR-ERR-2"""
    fact = state(app, agent, "x", "is", "red")
    with pytest.raises(TooLarge):
        correct(app, agent, fact, "x" * 32_769)
    assert values(about(app, agent, "x")) == ["red"]
