"""What the Kronroe tools ask for, and how their answers read: pure functions."""

import math

from commonplace.core.requests import AssertFact, Brief, Recall, Store
from commonplace.model.answer import Assembled, Hit, Recalled, Stored
from commonplace.model.errors import Invalid
from commonplace.model.fact import Briefing, Changes, Contradiction, Fact, Health, value_type
from commonplace.model.ids import parse, render
from commonplace.model.interval import format_end, format_instant
from commonplace.model.temporal import Temporal
from commonplace.surfaces.contract import Arguments, Fields
from commonplace.surfaces.kronroe_brief import brief_of_changes, brief_of_health, brief_of_task

DIGITS = 6


def kf(thing: object) -> str:
    """A fact's id in this contract's form, from any form of it."""
    return render("kf", parse(str(thing)) or str(thing))


def fact_id(text: str) -> str:
    """An id that may be a fact's."""
    if parse(text) is None or ("_" in text and not text.lower().startswith("kf_")):
        raise Invalid(text, reason="fact_id")
    return text


def finite(number: float | str) -> float | str:
    """A value that is no infinite number."""
    if isinstance(number, float) and not math.isfinite(number):
        raise Invalid("it must be finite")
    return number


def clamped(number: float) -> float:
    """A confidence brought into its range."""
    return min(1.0, max(0.0, float(finite(number))))


def is_hybrid(given: Arguments) -> bool:
    """Whether vectors count: when asked for, else with a vector or a hint about time."""
    hinted = given.get("query_embedding") is not None or temporal(given).is_given
    return hinted if given["use_hybrid"] is None else given["use_hybrid"]


def temporal(given: Arguments) -> Temporal:
    """The hint about time."""
    return Temporal(given.get("temporal_intent"), given.get("temporal_operator"), given.get("at"))


def fact_fields(fact: Fact) -> Fields:
    """A fact, in every result the same."""
    return {
        "id": kf(fact.id),
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.value,
        "object_type": value_type(fact.value),
        "valid_from": format_instant(fact.valid.start),
        "valid_to": format_end(fact.valid.end),
        "recorded_at": format_instant(fact.first_recorded_at),
        "expired_at": None if fact.expired_at is None else format_instant(fact.expired_at),
        "confidence": fact.confidence,
        "source": fact.provenance,
        "episode_id": fact.episode,
    }


def many_facts(found: tuple[Fact, ...] | list[Fact]) -> list[Fields]:
    """Facts in their order."""
    return [fact_fields(fact) for fact in found]


def remember_request(given: Arguments) -> Store:
    """A text with its note fact, and what is read in it."""
    return Store(
        text=given["text"],
        episode=given["episode_id"].strip() or "default",
        key=given["idempotency_key"],
        vector=given["query_embedding"],
        note_fact=True,
        extract=True,
    )


def remember_reply(answer: Stored, _: Arguments) -> Fields:
    """The note first, then what was read, in the order of the text."""
    return {"fact_ids": [kf(each) for each in answer.fact_ids]}


def recall_request(given: Arguments) -> Recall:
    """What to look for; by words alone unless vectors count."""
    hybrid, effective = is_hybrid(given), given["confidence_filter_mode"] == "effective"
    least = given["min_confidence"] or 0.0
    return Recall(
        text=given["query"],
        limit=given["limit"],
        targets=("fact",),
        mode="hybrid" if hybrid else "keyword",
        scoring="rrf" if hybrid else "bm25",
        depth=given["max_scored_rows"],
        vector=given["query_embedding"] if hybrid else None,
        temporal=temporal(given),
        min_confidence=0.0 if effective else least,
        min_effective=least if effective else 0.0,
        hops=0,
        explain=True,
    )


def recall_reply(answer: Recalled, given: Arguments) -> Fields:
    """The facts; with their scores where these were asked for."""
    if given["include_scores"]:
        return scored_reply(answer, given)
    return {"facts": [fact_fields(hit.fact) for hit in answer.hits if hit.fact]}


def scored_reply(answer: Recalled, given: Arguments) -> Fields:
    """The facts with what each search contributed."""
    shape = hybrid_score if is_hybrid(given) else text_score
    return {
        "results": [
            {"fact": fact_fields(hit.fact), "score": shape(rank, hit)}
            for rank, hit in enumerate(answer.hits)
            if hit.fact
        ]
    }


def text_score(rank: int, hit: Hit) -> Fields:
    """The score of what words found."""
    return {"type": "text", "rank": rank, "bm25_score": hit.score, **contributions(hit)}


def hybrid_score(_: int, hit: Hit) -> Fields:
    """The score of what words and vectors found, and how it fits the time where one was hinted at."""
    told = {"temporal_signal": round(hit.why["temporal"], DIGITS)} if "temporal" in hit.why else {}
    return {"type": "hybrid", **contributions(hit), **told}


def contributions(hit: Hit) -> Fields:
    """The reciprocal ranks and the confidences of a hit."""
    words, vectors = hit.why["words"], hit.why["vectors"]
    return {
        "rrf_score": round(words + vectors, DIGITS),
        "text_contrib": round(words, DIGITS),
        "vector_contrib": round(vectors, DIGITS),
        "confidence": hit.fact.confidence if hit.fact else 0.0,
        "effective_confidence": round(hit.why["effective"], DIGITS),
    }


def found_text(fields: Fields) -> str:
    """How many were found."""
    if "results" in fields:
        return f"found {len(fields['results'])} scored fact(s)"
    return f"found {len(fields['facts'])} fact(s)"


def context_reply(answer: Assembled, _: Arguments) -> Fields:
    """The lines as one text."""
    return {
        "context": "\n".join(answer.lines),
        "truncated": answer.truncated,
        "fact_ids": [kf(each) for each in answer.fact_ids],
    }


def assert_request(given: Arguments) -> AssertFact:
    """A fact to state."""
    return AssertFact(
        subject=given["subject"],
        predicate=given["predicate"],
        value=given["object"],
        valid_from=given["valid_from"],
        confidence=given["confidence"],
        provenance=given["source"],
        key=given["idempotency_key"],
    )


def changes_reply(answer: Changes, _: Arguments) -> Fields:
    """What became known, and what to do about it."""
    report = {
        "entity": answer.entity,
        "since": format_instant(answer.since),
        "predicate_filter": answer.predicate,
        "new_facts": many_facts(answer.new),
        "invalidated_facts": many_facts(answer.closed),
        "corrections": [
            {"old_fact": fact_fields(old), "new_fact": fact_fields(new)} for old, new in answer.corrections
        ],
        "confidence_shifts": [
            {
                "from_fact_id": kf(old.id),
                "to_fact_id": kf(new.id),
                "from_confidence": old.confidence,
                "to_confidence": new.confidence,
            }
            for old, new in answer.shifts
        ],
    }
    return {"report": report, "agent_brief": brief_of_changes(answer)}


def changes_text(fields: Fields) -> str:
    """The counts."""
    report = fields["report"]
    counts = (len(report[each]) for each in ("new_facts", "invalidated_facts", "corrections"))
    return "{} new, {} invalidated, {} correction(s) for {}".format(*counts, report["entity"])


def health_reply(answer: Health, _: Arguments) -> Fields:
    """How sound an entity's facts are, and what to do about it."""
    report = {
        "entity": answer.entity,
        "generated_at": format_instant(answer.generated_at),
        "predicate_filter": answer.predicate,
        "total_fact_count": answer.total,
        "active_fact_count": answer.active,
        "low_confidence_facts": many_facts(answer.low_confidence),
        "stale_high_impact_facts": many_facts(answer.stale_high_impact),
        "contradiction_count": len(answer.contradictions),
        "recommended_actions": recommended(answer),
        "contradictions": [contradiction_fields(each) for each in answer.contradictions],
    }
    return {"report": report, "agent_brief": brief_of_health(answer)}


def recommended(health: Health) -> list[str]:
    """A sentence for everything that is wrong."""
    low, stale, against = (
        len(each) for each in (health.low_confidence, health.stale_high_impact, health.contradictions)
    )
    said = (
        (low, f"Confirm or correct {low} fact(s) of low confidence."),
        (stale, f"Ask whether {stale} old high-impact fact(s) still hold."),
        (against, f"Resolve {against} contradiction(s)."),
    )
    return [sentence for count, sentence in said if count] or ["Nothing needs attention."]


def contradiction_fields(found: Contradiction) -> Fields:
    """Two facts that cannot both hold."""
    return {
        "fact_a": kf(found.fact.id),
        "fact_b": kf(found.other.id),
        "predicate": found.fact.predicate,
        "severity": found.severity,
        "suggested_resolution": found.suggestion,
    }


def health_text(fields: Fields) -> str:
    """The counts."""
    report = fields["report"]
    low, stale = len(report["low_confidence_facts"]), len(report["stale_high_impact_facts"])
    return (
        f"health: {report['active_fact_count']} active / {report['total_fact_count']} total; {low} low-confidence; "
        f"{stale} stale high-impact; {report['contradiction_count']} contradiction(s)"
    )


def task_request(given: Arguments) -> Brief:
    """A task to prepare for."""
    return Brief(
        task=given["task"],
        subject=given["subject"],
        now=given["now"],
        horizon_days=given["horizon_days"],
        limit=given["limit"],
        hybrid=is_hybrid(given),
        vector=given["query_embedding"] if is_hybrid(given) else None,
    )


def task_reply(answer: Briefing, _: Arguments) -> Fields:
    """The key facts for a task, and what to watch out for."""
    watchouts = [sentence for sentence, _ in problems(answer)]
    report = {
        "task": answer.task,
        "subject": answer.subject,
        "generated_at": format_instant(answer.generated_at),
        "horizon_days": answer.horizon_days,
        "query_used": answer.query_used,
        "key_facts": many_facts(answer.key_facts),
        "low_confidence_count": answer.low_confidence,
        "stale_high_impact_count": answer.stale_high_impact,
        "contradiction_count": len(answer.contradictions),
        "watchouts": watchouts,
        "recommended_next_checks": [check for _, check in problems(answer)] or ["Go ahead; nothing needs a check."],
    }
    return {"report": report, "agent_brief": brief_of_task(answer, watchouts)}


def problems(report: Briefing) -> list[tuple[str, str]]:
    """What is wrong with the key facts, each with the check that settles it."""
    low, stale, ended, against = (
        report.low_confidence,
        report.stale_high_impact,
        report.ended,
        len(report.contradictions),
    )
    said = (
        (not report.key_facts, "No fact was found for this task.", "Ask the person what is known."),
        (low, f"{low} fact(s) of low confidence (< 0.7).", "Confirm or correct them."),
        (stale, f"{stale} stale high-impact fact(s) for the horizon.", "Ask whether they still hold."),
        (against, f"{against} contradiction(s).", "Find out which fact holds."),
        (ended, f"{ended} fact(s) ended within the horizon.", "Find out what holds in their place."),
    )
    return [(sentence, check) for count, sentence, check in said if count]


def task_text(fields: Fields) -> str:
    """The counts."""
    report = fields["report"]
    counts = (len(report[each]) for each in ("key_facts", "watchouts", "recommended_next_checks"))
    return "task report: {} key fact(s), {} watchout(s), {} next check(s)".format(*counts)
