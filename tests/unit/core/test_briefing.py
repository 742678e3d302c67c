from typing import Any

import pytest
from core_support import state, store

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import Brief, Context, CorrectFact, InvalidateFact
from commonplace.model.access import Caller
from commonplace.model.answer import Assembled
from commonplace.model.errors import Invalid
from commonplace.model.fact import Briefing
from commonplace.model.interval import DAY, SECOND, Instant
from support import FakeClock


def brief(app: App, caller: Caller, task: str, **asked: Any) -> Briefing:
    told: Briefing = perform(app, caller, Brief(task=task, **asked))
    return told


def context(app: App, caller: Caller, text: str, max_llm_tokens: int, **asked: Any) -> Assembled:
    told: Assembled = perform(app, caller, Context(text=text, max_llm_tokens=max_llm_tokens, **asked))
    return told


def values(told: Briefing) -> list[object]:
    return [fact.value for fact in told.key_facts]


def test_a_context_holds_as_many_whole_lines_as_fit(app: App, agent: Caller) -> None:
    """KR-ASM-1 KR-ASM-2"""
    made = [state(app, agent, "larch", "height", 40 + number) for number in range(3)]
    whole = context(app, agent, "larch", 1000)
    assert whole.fact_ids == tuple(made)
    assert not whole.truncated
    assert whole.lines[0].startswith("[2024-10-04] (#1 bm25:")
    assert whole.lines[0].endswith(") larch · height · 40")
    size = len(whole.lines[0].encode()) + 1
    cut = context(app, agent, "larch", -(-size // 4))
    assert (cut.lines, cut.fact_ids, cut.truncated) == (whole.lines[:1], (made[0],), True)
    assert context(app, agent, "larch", (size - 1) // 4) == Assembled((), (), truncated=True)
    assert context(app, agent, "nothing", 9) == Assembled((), (), truncated=False)


def test_a_line_tells_of_a_doubtful_fact(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-ASM-1"""
    state(app, agent, "larch", "felled", True, confidence=0.4, valid_from=Instant(clock.at - 300 * DAY))
    [line] = context(app, agent, "larch", 99).lines
    assert line.startswith("[2023-12-09] (#1 bm25:")
    assert line.endswith(" conf:0.4) larch · felled · true")


def test_a_context_with_a_vector_is_ranked_by_both(app: App, agent: Caller) -> None:
    """KR-ASM-1"""
    stored = store(app, agent, "larch", note_fact=True, episode="e", vector=[0.0, 1.0])
    told = context(app, agent, "larch", 99, vector=[0.0, 2.0])
    assert told.fact_ids == stored.fact_ids
    assert told.lines[0].startswith("[2024-10-04] (0.016) e")


def test_at_most_twenty_facts_are_a_context(app: App, agent: Caller) -> None:
    """KR-ASM-1"""
    for number in range(25):
        state(app, agent, "larch", "height", number)
    assert len(context(app, agent, "larch", 9999).lines) == 20


def test_a_context_needs_room(app: App, agent: Caller) -> None:
    """KR-ASM-2"""
    with pytest.raises(Invalid, match="max_tokens must be >= 1"):
        context(app, agent, "larch", 0)


def test_a_query_is_the_task_and_the_subject(app: App, agent: Caller) -> None:
    """KR-TSK-1"""
    assert brief(app, agent, "plan the visit", subject=" Uta ").query_used == "plan the visit Uta"
    told = brief(app, agent, "plan the visit", subject="  ")
    assert (told.query_used, told.subject, told.horizon_days) == ("plan the visit", None, 30)
    assert told.generated_at >= app.clock.now()


def test_with_a_subject_only_its_facts_are_told_and_those_without_a_hit_by_confidence(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """KR-TSK-1"""
    early = Instant(clock.at - DAY)
    state(app, agent, "Otto", "visit", "soon")
    state(app, agent, "Uta", "mood", "grim", confidence=0.2)
    state(app, agent, "Uta", "colour", "red", valid_from=early, confidence=0.8)
    state(app, agent, "Uta", "colour", "blue", confidence=0.8)
    state(app, agent, "Uta", "visit", "June", confidence=0.1)
    assert values(brief(app, agent, "visit", subject="Uta", limit=1)) == ["June"]
    assert set(values(brief(app, agent, "visit", subject="UTA"))) == {"June", "grim", "red", "blue"}
    assert values(brief(app, agent, "xyzzy", subject="Nobody")) == []


def test_facts_of_the_subject_follow_the_hits_by_confidence_then_newest(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """KR-TSK-1"""
    for predicate, value, confidence, age in (("a", "low", 0.2, 0), ("b", "old", 0.9, 5), ("c", "new", 0.9, 1)):
        start = Instant(clock.at - age * DAY)
        state(app, agent, "→", predicate, value, confidence=confidence, valid_from=start)
    assert values(brief(app, agent, "xyzzy", subject="→")) == ["new", "old", "low"]
    assert values(brief(app, agent, "old", subject="→")) == ["old", "new", "low"]


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [(-400, None, 1), (-400, -29, 1), (-400, -30, 0), (-400, -31, 0), (0, 1, 1), (1, None, 0), (-30, None, 1)],
)
def test_a_key_fact_touches_the_horizon(
    app: App, agent: Caller, clock: FakeClock, start: int, end: int | None, told: int
) -> None:
    """KR-TSK-2"""
    now = Instant(clock.advance(DAY))
    until = {} if end is None else {"valid_to": Instant(now + end * DAY)}
    state(app, agent, "Uta", "visit", "June", valid_from=Instant(now + start * DAY), **until)
    for subject in ("Uta", None):
        assert len(brief(app, agent, "visit", subject=subject, now=now).key_facts) == told


def test_ended_facts_follow_the_current_ones_and_are_counted(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-TSK-3"""
    ended = state(app, agent, "Uta", "visit", "visit visit visit")
    perform(app, agent, InvalidateFact(id=ended))
    clock.advance(DAY)
    state(app, agent, "Uta", "visit", "June")
    for subject in ("Uta", None):
        told = brief(app, agent, "visit", subject=subject)
        assert (values(told), told.ended) == (["June", "visit visit visit"], 1)
        assert brief(app, agent, "visit", subject=subject, limit=1).ended == 0


def test_a_corrected_fact_is_spoken_for_by_its_replacement(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-TSK-3"""
    first = state(app, agent, "Uta", "visit", "May")
    before = clock.advance(DAY)
    clock.advance(DAY)
    second = perform(app, agent, CorrectFact(id=first, value="June")).new_id
    perform(app, agent, CorrectFact(id=second, value="July", valid_from=Instant(clock.at + DAY)))
    assert values(brief(app, agent, "visit", subject="Uta")) == ["June"]
    clock.advance(DAY + SECOND)
    assert values(brief(app, agent, "visit", subject="Uta")) == ["July"]
    assert values(brief(app, agent, "visit", subject="Uta", now=before)) == ["May"]


def test_doubts_staleness_and_contradictions_are_counted(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-TSK-4"""
    month = Instant(clock.at - 30 * DAY)
    state(app, agent, "Uta", "email", "a@x", confidence=0.69, valid_from=Instant(month - DAY))
    state(app, agent, "Uta", "email", "b@x", confidence=0.7, valid_from=Instant(month + DAY))
    state(app, agent, "Uta", "likes", "tea", valid_from=Instant(month - DAY))
    state(app, agent, "Uta", "phone", "1", valid_from=Instant(month - DAY), valid_to=clock.at)
    told = brief(app, agent, "reach", subject="Uta")
    assert (told.low_confidence, told.stale_high_impact, told.ended, len(told.contradictions)) == (1, 1, 1, 1)
    assert len(brief(app, agent, "email").contradictions) == 0
    assert brief(app, agent, "reach", subject="Uta", horizon_days=1).stale_high_impact == 2
