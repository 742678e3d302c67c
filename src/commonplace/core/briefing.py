"""Facts made ready for a model: lines that fit a budget, and what to know before a task."""

from datetime import date

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.facts import singletons
from commonplace.core.recall import recall
from commonplace.core.requests import Brief, Context, Recall
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Assembled, Hit
from commonplace.model.errors import Invalid
from commonplace.model.fact import HIGH_IMPACT, Briefing, Fact, Window, contradictions, value_text
from commonplace.model.interval import DAY, Instant, moment
from commonplace.model.temporal import Temporal
from commonplace.store import facts as stored
from commonplace.store.view import view_of

LINES_MAX = 20
BYTES_PER_TOKEN = 4
LOW_CONFIDENCE = 0.7


def context(app: App, caller: Caller, request: Context) -> Assembled:
    """The best facts for a text, one line each, as many whole lines as the budget holds."""
    if request.max_llm_tokens < 1:
        raise Invalid("max_tokens must be >= 1", param="max_tokens", reason="range")
    hybrid = request.vector is not None
    asked = Recall(
        text=request.text,
        limit=LINES_MAX,
        targets=("fact",),
        mode="hybrid" if hybrid else "keyword",
        scoring="rrf" if hybrid else "bm25",
        vector=request.vector,
        temporal=Temporal(),
    )
    hits = recall(app, caller, asked).hits
    kept: list[str] = []
    left = request.max_llm_tokens * BYTES_PER_TOKEN
    for rank, hit in enumerate(hits, 1):
        line = _line(hit, f"{hit.score:.3f}" if hybrid else f"#{rank} bm25:{hit.score:.2f}")
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept.append(line)
    return Assembled(tuple(kept), tuple(hit.id for hit in hits[: len(kept)]), truncated=len(kept) < len(hits))


def brief(app: App, caller: Caller, request: Brief) -> Briefing:
    """The facts that matter for a task: those that held within the horizon, current ones first."""
    require(caller, Scope.READ)
    subject = (request.subject or "").strip() or None
    query = f"{request.task} {subject}" if subject else request.task
    with app.db.read(caller.workspace_id) as read:
        now = read.now if request.now is None else request.now
        since = Instant(now - request.horizon_days * DAY)
        of_subject = stored.facts_of(read, view_of(read, caller), subject) if subject else []
    window = Window(now, since, closed=True)
    asked = Recall(
        text=query,
        limit=200,
        targets=("fact",),
        mode="hybrid" if request.hybrid else "keyword",
        scoring="rrf" if request.hybrid else "bm25",
        vector=request.vector,
        window=window,
        facts=tuple(fact.id for fact in of_subject) if subject else None,
    )
    found = [hit.fact for hit in recall(app, caller, asked).hits if hit.fact]
    if subject:
        rest = sorted(of_subject, key=lambda fact: (-fact.confidence, -fact.valid.start, fact.id))
        found = list({fact.id: fact for fact in (*found, *rest)}.values())
    counting = [fact for fact in found if _counts(fact, now, since)]
    current = [fact for fact in counting if fact.was_valid(now)]
    ended = [fact for fact in counting if not fact.was_valid(now)]
    key = (*current, *ended)[: request.limit]
    return Briefing(
        task=request.task,
        subject=subject,
        generated_at=now,
        horizon_days=request.horizon_days,
        query_used=query,
        key_facts=key,
        low_confidence=sum(fact.confidence < LOW_CONFIDENCE for fact in key),
        stale_high_impact=sum(
            fact.predicate in HIGH_IMPACT and fact.was_valid(now) and fact.valid.start <= since for fact in key
        ),
        ended=sum(not fact.was_valid(now) for fact in key),
        contradictions=tuple(contradictions(of_subject, singletons(app, caller))),
    )


def _counts(fact: Fact, now: Instant, since: Instant) -> bool:
    """Whether a fact touches the horizon; one that a correction replaced by now is spoken for by its replacement."""
    if fact.valid.start > now or fact.valid.end <= since:
        return False
    return not (fact.corrected and (fact.valid.end if fact.expired_at is None else fact.expired_at) <= now)


def _line(hit: Hit, score: str) -> str:
    assert hit.fact is not None, "only facts were asked for"
    fact = hit.fact
    day = date.isoformat(moment(fact.valid.start).date())
    sure = "" if fact.confidence == 1.0 else f" conf:{fact.confidence:g}"
    return f"[{day}] ({score}{sure}) {fact.subject} · {fact.predicate} · {value_text(fact.value)}"
