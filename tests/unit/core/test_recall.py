from dataclasses import replace
from typing import Any

import pytest
from core_support import collection, file, folder, found, ids, state, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    CorrectFact,
    InvalidateFact,
    Link,
    Recall,
    Retract,
    Supersede,
)
from commonplace.model.access import Caller, Tier
from commonplace.model.answer import Recalled
from commonplace.model.errors import Invalid, NotFound
from commonplace.model.fact import Window
from commonplace.model.interval import DAY, FOREVER, SECOND, Instant
from commonplace.model.temporal import Temporal
from support import FakeClock


def recalled(app: App, caller: Caller, **asked: Any) -> Recalled:
    answer: Recalled = perform(app, caller, Recall(**asked))
    return answer


def facts(app: App, caller: Caller, text: str, **asked: Any) -> list[str]:
    return ids(found(app, caller, text, targets=("fact",), mode="keyword", **asked))


def test_only_what_is_valid_now_is_recalled(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-REC-1 K-RAT-1"""
    now = clock.at
    stored = store(app, agent, "The fair opens.", valid_to=Instant(now + DAY))
    store(app, agent, "The fair is planned.", valid_from=Instant(now + DAY))
    store(app, agent, "The fair is over.", valid_from=Instant(now - DAY), valid_to=now)
    assert ids(found(app, agent, "fair")) == [stored.version_id]
    clock.at = Instant(now + DAY)
    assert [hit.text for hit in found(app, agent, "fair")] == ["The fair is planned."]


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_one_hit_per_memory_best_first_and_at_most_as_many_as_asked_for(app: App, agent: Caller, mode: str) -> None:
    """K-REC-3"""
    for number in range(9):
        store(app, agent, f"# Yeast\nyeast {'water ' * number}\n# More yeast\nand yeast {number}")
    hits = found(app, agent, "yeast", limit=5, mode=mode)
    assert len({hit.item_id for hit in hits}) == len(hits) == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 and round(hit.score, 4) == hit.score for hit in hits)


def test_equal_scores_are_in_the_order_of_newest_validity_then_id(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-REC-3"""
    start = Instant(clock.at - DAY)
    early = [store(app, agent, "Oats.", valid_from=start).version_id for _ in range(2)]
    late = store(app, agent, "Oats.", valid_from=Instant(start + 1)).version_id
    assert ids(found(app, agent, "oats")) == [late, *early]


def test_as_many_memories_as_exist_are_returned_however_many_chunks_one_has(app: App, agent: Caller) -> None:
    """K-RAT-2 K-REC-3"""
    store(app, agent, "\n".join(f"# Barley {number}\nbarley barley" for number in range(60)), kind="document")
    others = {store(app, agent, f"Barley soup number {number} with carrots.").version_id for number in range(3)}
    for mode in ("keyword", "hybrid"):
        hits = found(app, agent, "barley", limit=4, depth=5, mode=mode)
        assert len(hits) == 4
        assert others < {hit.id for hit in hits}


def test_several_chunks_of_an_item_are_hits_where_that_is_asked_for(app: App, agent: Caller) -> None:
    """GR-SRC-1"""
    stored = store(app, agent, "# Rye\nrye\n# Rye bread\nrye")
    hits = found(app, agent, "rye", one_per_item=False)
    assert {hit.chunk_id for hit in hits} == set(stored.chunk_ids)


def test_a_document_answers_by_its_best_section(app: App, agent: Caller) -> None:
    """K-REC-4"""
    store(app, agent, "# Soup\nleek and salt\n# Cake\nplum and sugar", title="Kitchen", kind="document")
    [hit] = found(app, agent, "plum")
    assert (hit.title, hit.text, hit.chunk_index, hit.chunks) == ("Kitchen", "# Cake\nplum and sugar", 1, 2)


def test_the_filter_runs_before_the_limit(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-2"""
    wanted = {store(app, agent, f"Barley {number} in stock, {'very ' * 9}cheap.").version_id for number in range(2)}
    for _ in range(60):
        perform(app, agent, Retract(id=store(app, agent, "barley barley").item_id, valid_to=Instant(clock.at + SECOND)))
    clock.advance(DAY)
    assert {hit.id for hit in found(app, agent, "barley", limit=2, depth=1)} == wanted


def test_a_moment_is_answered_by_the_half_open_interval(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-1 K-UPD-2"""
    start, end = Instant(clock.at - 2 * DAY), Instant(clock.at - DAY)
    stored = store(app, agent, "The pool is shut.", valid_from=start, valid_to=end)
    answers = [bool(found(app, agent, "pool", as_of=Instant(moment))) for moment in (start - 1, start, end - 1, end)]
    assert answers == [False, True, True, False]
    [hit] = found(app, agent, "pool", as_of=start)
    assert (hit.id, hit.valid.start, hit.valid.end) == (stored.version_id, start, end)


def test_what_was_known_at_a_moment_stays_what_it_was(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-3"""
    stored = store(app, agent, "The tram costs 3 euros.")
    known = Instant(clock.advance() - 1)
    perform(app, agent, Supersede(id=stored.item_id, text="The tram is free.", valid_from=Instant(clock.at - 1)))
    store(app, agent, "The tram is late.", valid_from=Instant(known - DAY))
    assert [hit.text for hit in found(app, agent, "tram", known_at=known)] == ["The tram costs 3 euros."]
    assert [hit.text for hit in found(app, agent, "tram", as_of=Instant(clock.at + 1), known_at=known)] == [
        "The tram costs 3 euros."
    ]
    assert found(app, agent, "tram", known_at=Instant(stored.created_at - 1)) == []
    assert len(found(app, agent, "tram", known_at=Instant(clock.at + DAY))) == 2


def test_the_future_can_be_asked_about(app: App, agent: Caller, clock: FakeClock) -> None:
    """K-RAT-4"""
    start = Instant(clock.at + DAY)
    stored = store(app, agent, "The bridge is new.", valid_from=start)
    assert found(app, agent, "bridge") == found(app, agent, "bridge", as_of=Instant(start - 1)) == []
    assert ids(found(app, agent, "bridge", as_of=start)) == [stored.version_id]


def test_asking_twice_answers_the_same(app: App, agent: Caller) -> None:
    """K-REC-7"""
    for number in range(12):
        store(app, agent, f"Apple {number % 3} and pear {number % 2}.")
        state(app, agent, "apple", "number", number % 3)
    asked = Recall(text="apple pear", limit=9, targets=("memory", "fact"), explain=True)
    once, again = (perform(app, agent, asked) for _ in range(2))
    assert once.hits == again.hits


def test_a_budget_drops_hits_whole_and_says_so(app: App, agent: Caller) -> None:
    """GN-RCL-5"""
    for number in range(3):
        store(app, agent, f"Walnut {number} " + "x" * 31)
    whole = recalled(app, agent, text="walnut")
    assert (len(whole.hits), whole.llm_tokens, whole.truncated) == (3, 30, False)
    cut = recalled(app, agent, text="walnut", max_llm_tokens=20)
    assert (cut.hits, cut.llm_tokens, cut.truncated) == (whole.hits[:2], 20, True)


def test_hits_below_a_score_are_left_out(app: App, agent: Caller) -> None:
    """GN-RCL-1"""
    best = store(app, agent, "walnut cake").version_id
    store(app, agent, "walnut tree, old and high and never cut for cake or table")
    assert ids(found(app, agent, "walnut cake", min_score=0.9)) == [best]


def test_tags_and_types_narrow(app: App, agent: Caller) -> None:
    both = store(app, agent, "Fig one.", tags=("a", "b"), memory_type="episodic").version_id
    one = store(app, agent, "Fig two.", tags=("a",)).version_id
    assert set(ids(found(app, agent, "fig", tags=("a",)))) == {both, one}
    assert ids(found(app, agent, "fig", tags=("a", "b"))) == [both]
    assert ids(found(app, agent, "fig", memory_type="episodic")) == [both]


def test_only_named_collections_are_searched(app: App, agent: Caller) -> None:
    """GN-RCL-4"""
    collection(app, "Book Notes")
    there = store(app, agent, "Fig there.", collection="book-notes").version_id
    here = store(app, agent, "Fig here.").version_id
    assert ids(found(app, agent, "fig", collections=("BookNotes",))) == [there]
    assert ids(found(app, agent, "fig", except_collections=("book notes",))) == [here]
    with pytest.raises(Invalid, match="at least one collection"):
        found(app, agent, "fig", collections=())
    with pytest.raises(NotFound) as refused:
        found(app, agent, "fig", collections=("attic",))
    assert refused.value.facts["name"] == "attic"
    assert refused.value.facts["existing"] == ["book-notes", "personal"]


def test_a_sensitive_collection_gives_nothing_and_is_named_as_left_out(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RCL-3 K-SEC-1"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, "Fig secret.", collection="vault").version_id
    plain = store(app, agent, "Fig plain.").version_id
    assert ids(found(app, agent, "fig")) == [plain]
    answer = recalled(app, agent, text="fig", collections=("Vault", "personal"), tell_sensitive=True)
    assert (ids(answer.hits), answer.excluded) == ([plain], ("Vault",))
    assert recalled(app, agent, text="fig", collections=("Vault",), tell_sensitive=True).hits == ()
    with pytest.raises(NotFound) as hidden:
        found(app, agent, "fig", collections=("Vault",))
    assert hidden.value.message == "There is no collection Vault; there are: personal."
    assert set(ids(found(app, owner, "fig"))) == {secret, plain}
    with pytest.raises(NotFound) as refused:
        found(app, agent, "fig", collections=("attic",))
    assert refused.value.facts["existing"] == ["personal"]


def test_scores_of_what_is_seen_do_not_tell_of_what_is_not(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-3 and engine 4"""
    collection(app, "Vault", Tier.SENSITIVE)
    for text in ("fig jam", "plum jam", "tea"):
        store(app, agent, text)
    before = found(app, agent, "fig", mode="keyword", scoring="bm25")
    for _ in range(20):
        store(app, owner, "fig fig fig", collection="vault")
    assert found(app, agent, "fig", mode="keyword", scoring="bm25") == before


def test_superseded_versions_and_what_is_out_of_the_knowledge_base_are_not_found(app: App, agent: Caller) -> None:
    """GN-RCL-7"""
    renewed = store(app, agent, "Fig one.")
    new = perform(app, agent, Supersede(id=renewed.item_id, text="Fig two.")).new_id
    perform(app, agent, Amend(id=store(app, agent, "Fig three.").item_id, in_kb=False))
    perform(app, agent, Amend(id=store(app, agent, "Fig four.").item_id, archived=True))
    hits = found(app, agent, "fig")
    assert {hit.text for hit in hits} == {"Fig four.", "Fig two."}
    assert new in ids(hits)


def test_a_scoped_token_finds_what_is_in_its_folders(app: App, agent: Caller) -> None:
    """GN-RCL-7 GR-SRC-5 GR-AUT-5"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = [store(app, agent, f"Fig {number}.") for number in range(3)]
    file(app, stored[0].item_id, one)
    file(app, stored[1].item_id, two)
    assert ids(found(app, token(app, one), "fig")) == [stored[0].version_id]
    assert len(found(app, token(app, one, two), "fig")) == 2
    assert len(found(app, token(app), "fig")) == 3


def test_without_a_query_the_newest_come_first(app: App, agent: Caller, clock: FakeClock) -> None:
    made = []
    for number in range(3):
        clock.advance()
        made.append(store(app, agent, f"Number {number}.").version_id)
        clock.advance()
        made.append(state(app, agent, "count", "is", number))
    hits = recalled(app, agent, targets=("memory", "fact"), limit=9).hits
    assert ids(hits) == made[::-1]
    assert ids(recalled(app, agent, limit=2).hits) == [made[4], made[2]]


def test_ids_are_read_whole_and_in_their_order(app: App, agent: Caller) -> None:
    long = store(app, agent, "# One\nfirst\n# Two\nsecond")
    fact = state(app, agent, "tea", "is", "hot")
    assert long.slug
    answer = recalled(app, agent, ids=(fact, long.slug))
    assert [hit.text for hit in answer.hits] == ["tea · is · hot", "# One\nfirst\n# Two\nsecond"]
    assert answer.llm_tokens == sum(hit.llm_tokens for hit in answer.hits)
    for unknown in ("nothing", "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound, match=f"Memory not found: {unknown}"):
            recalled(app, agent, ids=(fact, unknown))


@pytest.mark.parametrize(("text", "reason"), [(" \n", "empty"), ("x" * 8193, "too_large")])
def test_a_query_that_says_nothing_or_too_much_is_refused(app: App, agent: Caller, text: str, reason: str) -> None:
    """K-ERR-3"""
    with pytest.raises(Invalid) as refused:
        found(app, agent, text)
    assert (refused.value.facts["param"], refused.value.facts["reason"]) == ("query", reason)


def test_signs_that_are_no_words_find_nothing(app: App, agent: Caller) -> None:
    store(app, agent, "Said.")
    assert found(app, agent, "?! \0 \ud800", mode="keyword") == []


def test_an_empty_store_answers_with_nothing(app: App, agent: Caller) -> None:
    for mode in ("hybrid", "semantic", "keyword"):
        assert found(app, agent, "anything", mode=mode, targets=("memory", "fact")) == []
    assert found(app, agent, "anything", scoring="cosine") == []


@pytest.mark.parametrize("scoring", ["blend", "cosine", "seventy_thirty", "bm25", "rrf"])
def test_every_score_finds_what_fits_best_first(app: App, agent: Caller, scoring: str) -> None:
    best = store(app, agent, "plum jam").version_id
    store(app, agent, "plum tree in the garden of the neighbours")
    store(app, agent, "unrelated words")
    assert ids(found(app, agent, "plum jam", scoring=scoring, one_per_item=False))[0] == best


def test_an_explained_hit_tells_what_each_search_gave(app: App, agent: Caller) -> None:
    store(app, agent, "plum jam")
    assert found(app, agent, "plum")[0].why == {}
    assert set(found(app, agent, "plum", explain=True)[0].why) >= {"words", "vectors", "bm25"}


def test_what_a_hit_is_related_to_is_reached_within_its_hops(app: App, agent: Caller) -> None:
    """K-REC-6"""
    near, far = store(app, agent, "plum jam", title="Plum"), store(app, agent, "cupboard", title="Cupboard")
    perform(app, agent, Link(origin=near.version_id, target=far.version_id, kind="LOCATED_IN"))
    assert ids(found(app, agent, "plum", mode="keyword", hops=0)) == [near.version_id]
    reached = found(app, agent, "plum", mode="keyword", hops=1)
    assert ids(reached) == [near.version_id, far.version_id]
    assert reached[1].via == (near.version_id,)


def test_relations_do_not_lead_through_what_is_sensitive(app: App, agent: Caller, owner: Caller) -> None:
    """K-SEC-1 GN-TIE-3"""
    collection(app, "Vault", Tier.SENSITIVE)
    near, far = store(app, agent, "plum jam"), store(app, agent, "cupboard")
    secret = store(app, owner, "safe", collection="vault")
    for origin, target in ((near, secret), (secret, far)):
        perform(app, owner, Link(origin=origin.version_id, target=target.version_id, kind="RELATED_TO"))
    assert ids(found(app, agent, "plum", mode="keyword", hops=3)) == [near.version_id]
    assert len(found(app, owner, "plum", mode="keyword", hops=3)) == 3


def test_live_facts_alone_are_candidates_and_all_that_match_are_returned(app: App, agent: Caller) -> None:
    """KR-RCL-1"""
    live = [state(app, agent, "larch", "height", number) for number in range(30)]
    for number in range(70):
        perform(app, agent, InvalidateFact(id=state(app, agent, "larch larch", "height", number)))
    assert set(facts(app, agent, "larch", limit=30, depth=1)) == set(live)
    assert len(facts(app, agent, "larch", limit=7)) == 7


def test_facts_below_a_confidence_are_filtered_before_the_limit(app: App, agent: Caller) -> None:
    """KR-RCL-5"""
    sure = state(app, agent, "larch", "is", "high", confidence=0.6)
    for _ in range(5):
        state(app, agent, "larch", "is", "larch", confidence=0.59)
    assert facts(app, agent, "larch", limit=1, min_confidence=0.6) == [sure]


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("larch", True),
        ("LÄRCH", True),
        ("larsh", True),
        ("larc", True),
        ("slarch", True),
        ("larhc", False),
        ("height", True),
        ("crown height", True),
        ("41", True),
        ("true", False),
    ],
)
def test_facts_are_found_by_their_words_or_within_one_edit(app: App, agent: Caller, query: str, *, hit: bool) -> None:
    """KR-RCL-2"""
    fact = state(app, agent, "larch", "crown_height", 41)
    state(app, agent, "owl", "wise", "yes")
    assert facts(app, agent, query) == ([fact] if hit else [])


def test_the_first_letter_may_be_the_wrong_one(app: App, agent: Caller) -> None:
    """KR-RCL-2"""
    fact = state(app, agent, "larch", "is", "old")
    assert facts(app, agent, "march") == facts(app, agent, "arch") == facts(app, agent, "ylarch") == [fact]


def test_a_word_that_hits_keeps_near_words_out(app: App, agent: Caller) -> None:
    """KR-RCL-2"""
    exact, _ = state(app, agent, "march", "is", "old"), state(app, agent, "larch", "is", "old")
    assert facts(app, agent, "march") == [exact]
    assert found(app, agent, "larsh", targets=("fact",), mode="semantic") != []


def test_a_truth_is_found_by_its_name(app: App, agent: Caller) -> None:
    """KR-RCL-2"""
    fact = state(app, agent, "door", "locked", True)
    assert facts(app, agent, "true") == [fact]


def windowed(app: App, caller: Caller, window: Window, **asked: Any) -> set[str]:
    return {
        str(hit.fact.value)
        for hit in found(app, caller, "plan", targets=("fact",), mode="keyword", window=window, **asked)
        if hit.fact
    }


@pytest.mark.parametrize(
    ("starts_by", "ends_after", "closed", "hits"),
    [
        (0, 0, True, {"old", "ended"}),
        (-1, None, True, {"old", "ended", "early"}),
        (None, 0, False, {"old", "ended", "later"}),
        (3, 0, True, {"old", "ended", "later"}),
        (None, 8, False, {"old", "later"}),
        (-9, -9, True, {"early"}),
    ],
)
def test_a_window_chooses_facts_by_start_end_and_closing(
    app: App,
    agent: Caller,
    clock: FakeClock,
    *,
    starts_by: int | None,
    ends_after: int | None,
    closed: bool,
    hits: set[str],
) -> None:
    """KR-RCL-7 KR-RCL-8"""

    def day(number: int) -> Instant:
        return Instant(clock.at + number * DAY)

    now = clock.at
    state(app, agent, "plan", "is", "old", valid_from=day(-5))
    state(app, agent, "plan", "is", "ended", valid_from=day(-5), valid_to=day(5))
    state(app, agent, "plan", "is", "early", valid_from=day(-9), valid_to=day(-6))
    state(app, agent, "plan", "is", "later", valid_from=day(2))
    window = Window(
        FOREVER if starts_by is None else Instant(now + starts_by * DAY),
        Instant(-(2**62)) if ends_after is None else Instant(now + ends_after * DAY),
        closed=closed,
    )
    assert windowed(app, agent, window) == hits


def test_facts_closed_by_a_correction_are_candidates_where_the_window_says_so(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """KR-RCL-8"""
    first = state(app, agent, "plan", "is", "old")
    before = clock.at
    clock.advance(DAY)
    perform(app, agent, CorrectFact(id=first, value="new"))
    clock.advance(DAY)
    now = clock.at
    assert windowed(app, agent, Window(FOREVER, now)) == {"new"}
    assert windowed(app, agent, Window(now, Instant(0), closed=True)) == {"old", "new"}
    assert windowed(app, agent, Window(now, Instant(0))) == {"new"}
    assert windowed(app, agent, Window(Instant(before + SECOND), Instant(before + SECOND), closed=True)) == {"old"}


def test_facts_of_another_time_are_found_as_they_held(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-FCT-2"""
    first = state(app, agent, "plan", "is", "old")
    before = Instant(clock.at + SECOND)
    clock.advance(DAY)
    new = perform(app, agent, CorrectFact(id=first, value="new")).new_id
    assert facts(app, agent, "plan", as_of=before) == [first]
    assert facts(app, agent, "plan", known_at=before) == [first]
    assert facts(app, agent, "plan") == facts(app, agent, "plan", as_of=Instant(clock.at + DAY)) == [new]


def test_only_the_facts_that_are_named_are_searched(app: App, agent: Caller) -> None:
    """KR-TSK-1"""
    one, two = state(app, agent, "plan", "is", "old"), state(app, agent, "plan", "is", "new")
    assert facts(app, agent, "plan", facts=(two,)) == [two]
    assert facts(app, agent, "plan", facts=()) == []
    assert set(facts(app, agent, "plan")) == {one, two}


def test_each_collection_has_its_cap(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RCL-5"""
    collection(app, "Work")
    for number in range(4):
        store(app, agent, f"# Fig {number}\n" + "fig " * 450, collection="work")
    here = store(app, agent, "fig").version_id
    answer = recalled(app, agent, text="fig", limit=9, capped_collections=True)
    assert here in ids(answer.hits)
    assert sum(hit.llm_tokens for hit in answer.hits if hit.collection == "work") <= 2000
    assert answer.truncated == (len(answer.hits) < 5)
    assert replace(answer.hits[0], score=0.0).collection in {"work", "personal"}
    assert perform(app, owner, Recall(text="fig", limit=9)).truncated is False


def test_a_note_is_recalled_whole_and_a_document_by_its_section(app: App, agent: Caller) -> None:
    """K-REC-4"""
    text = "# Soup\nleek and salt\n# Cake\nplum and sugar"
    note, _ = store(app, agent, text), store(app, agent, text, kind="document")
    state(app, agent, "plum", "is", "blue")
    hits = found(app, agent, "plum", targets=("memory", "fact"), whole_notes=True)
    texts = {hit.kind if hit.kind == "fact" else hit.id == note.version_id: hit.text for hit in hits}
    assert texts == {True: text, False: "# Cake\nplum and sugar", "fact": "plum · is · blue"}
    [whole] = [hit for hit in hits if hit.id == note.version_id]
    assert (whole.chunk_index, whole.llm_tokens) == (None, 6 + 6)


def test_what_age_leaves_of_a_confidence_can_be_asked_for(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-RCL-5 KR-UNC-1"""
    old = Instant(clock.at - 730 * DAY)
    aged = state(app, agent, "Uta", "works_at", "Weber", valid_from=old, confidence=0.8)
    fresh = state(app, agent, "Uta", "works_at", "Huber", confidence=0.8)
    lasting = state(app, agent, "Uta", "likes", "tea", valid_from=old, confidence=0.8)
    assert set(facts(app, agent, "Uta", min_effective=0.41)) == {fresh, lasting}
    assert set(facts(app, agent, "Uta", min_effective=0.39)) == {aged, fresh, lasting}
    hits = found(app, agent, "Uta", targets=("fact",), mode="keyword", explain=True)
    assert {hit.id: round(hit.why["effective"], 2) for hit in hits} == {aged: 0.4, fresh: 0.8, lasting: 0.8}


def test_a_hint_about_time_reorders_what_both_searches_found(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-HYB-2 KR-RCL-7"""
    first = state(app, agent, "Uta", "works_at", "Weber", valid_from=Instant(clock.at - 900 * DAY))
    before = Instant(clock.at - 800 * DAY)
    perform(app, agent, CorrectFact(id=first, value="Huber", valid_from=Instant(clock.at - 700 * DAY)))
    hint = Temporal(operator="as_of", at=before)
    hits = found(app, agent, "where does Uta work", targets=("fact",), scoring="rrf", temporal=hint)
    assert ids(hits) == [first]


def test_the_newest_facts_alone_can_be_asked_for(app: App, agent: Caller) -> None:
    store(app, agent, "Said.")
    fact = state(app, agent, "x", "is", "red")
    assert ids(recalled(app, agent, targets=("fact",)).hits) == [fact]
