"""The briefs of the Kronroe contract: from a report to what an agent should do next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commonplace.model.fact import HIGH_IMPACT, Briefing, Changes, Fact, Health
from commonplace.model.interval import DAY, Instant, format_instant
from commonplace.surfaces.contract import Fields

LEVELS = {"high": 0.9, "medium": 0.6, "low": 0.3}
IMPACTS = {
    "critical_identity": 0.95,
    "decision_reliability": 0.85,
    "context_coverage": 0.7,
    "freshness_hygiene": 0.55,
    "monitoring": 0.35,
}
RISKY_CONFIDENCE = 0.7
RISKY_DROP = 0.2
MONTH = 30 * DAY
CONTEXT_TOKENS = 350
WIDER_LIMIT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something to do next, and the tool that does it."""

    id: str
    priority: str
    risk: str
    impact: str
    automation: float
    action: str
    rationale: str
    tool: str
    arguments: Fields

    @property
    def score(self) -> float:
        """What decides the order."""
        weighed = 0.45 * LEVELS[self.risk] + 0.30 * IMPACTS[self.impact] + 0.15 * LEVELS[self.priority]
        return round(weighed + 0.10 * self.automation, 4)

    @property
    def mode(self) -> str:
        """How far an agent may go by itself."""
        if self.automation >= 0.8 and self.risk == "high":
            return "auto_with_guardrails"
        return "agent_suggest_then_execute" if self.automation >= 0.6 else "human_confirm"

    @property
    def fields(self) -> Fields:
        """The action as the contract writes it."""
        return {
            "id": self.id,
            "priority": self.priority,
            "priority_score": LEVELS[self.priority],
            "risk_if_skipped": self.risk,
            "risk_score": LEVELS[self.risk],
            "workflow_impact": self.impact,
            "workflow_impact_score": IMPACTS[self.impact],
            "automation_confidence": self.automation,
            "execution_mode": self.mode,
            "action_score": self.score,
            "action": self.action,
            "rationale": self.rationale,
            "suggested_tool": self.tool,
            "suggested_arguments": self.arguments,
        }


def brief(status: str, urgency: str | None, summary: str, signals: Fields, actions: Iterable[Action]) -> Fields:
    """The actions, most pressing first, under what they rest on."""
    ranked = sorted(actions, key=lambda each: -each.score)
    return {
        "schema_version": "1.0",
        "decision_mode": "agent_first",
        "status": status,
        **({} if urgency is None else {"urgency": urgency}),
        "summary": summary,
        "signals": signals,
        "recommended_action_id": ranked[0].id,
        "automation_ready": any(each.mode != "human_confirm" for each in ranked),
        "next_actions": [each.fields for each in ranked],
    }


def brief_of_changes(changes: Changes) -> Fields:
    """What to do about what changed."""
    high = sum(old.predicate in HIGH_IMPACT for old, _ in changes.corrections)
    risky = sum(is_risky(old, new) for old, new in changes.shifts)
    urgency = level(high or risky, changes.corrections or changes.closed)
    counts = (len(changes.new), len(changes.closed), len(changes.corrections))
    return brief(
        status="stable" if urgency == "low" else "attention_needed",
        urgency=urgency,
        summary="{} new, {} invalidated, {} corrections, {} risky confidence shifts".format(*counts, risky),
        signals={
            "new_facts": counts[0],
            "invalidated_facts": counts[1],
            "corrections": counts[2],
            "high_impact_corrections": high,
            "risky_confidence_shifts": risky,
        },
        actions=actions_on_changes(changes, high, risky),
    )


def actions_on_changes(changes: Changes, high: int, risky: int) -> list[Action]:
    """Corrections to verify, shifts to check, gaps to fill; else to look again later."""
    entity, about = changes.entity, of(changes.entity, changes.predicate)
    verify = Action(
        id="verify_corrections",
        priority="high" if high else "medium",
        risk="high" if high else "medium",
        impact="critical_identity" if high else "decision_reliability",
        automation=0.78 if high else 0.66,
        action="Check the corrected facts before you rely on them.",
        rationale="A correction replaces what earlier answers were built on.",
        tool="facts_about",
        arguments={"entity": entity},
    )
    revalidate = Action(
        id="revalidate_confidence",
        priority="high",
        risk="high",
        impact="decision_reliability",
        automation=0.84,
        action="Look at the facts whose confidence fell.",
        rationale="A replacement that is less certain may be the wrong one.",
        tool="memory_health",
        arguments=about,
    )
    fill = Action(
        id="fill_invalidation_gaps",
        priority="medium",
        risk="medium",
        impact="context_coverage",
        automation=0.72,
        action="Find out what holds in place of the facts that ended.",
        rationale="More facts ended than were added.",
        tool="facts_about",
        arguments={"entity": entity},
    )
    monitor = Action(
        id="monitor",
        priority="low",
        risk="low",
        impact="monitoring",
        automation=0.92,
        action="Ask again later what has changed.",
        rationale="Nothing needs attention now.",
        tool="what_changed",
        arguments={"entity": entity, "since": format_instant(changes.since), **about},
    )
    fewer = len(changes.closed) > len(changes.new)
    return chosen((changes.corrections, verify), (risky, revalidate), (fewer, fill)) or [monitor]


def brief_of_health(health: Health) -> Fields:
    """What to do about the state of an entity's facts."""
    low, stale, against = health.low_confidence, health.stale_high_impact, health.contradictions
    high = sum(fact.predicate in HIGH_IMPACT for fact in low)
    urgency = level(against or high, low or stale)
    return brief(
        status="healthy" if urgency == "low" else "attention_needed",
        urgency=urgency,
        summary=f"{len(against)} contradictions, {len(low)} low-confidence and {len(stale)} stale high-impact facts",
        signals={
            "active_fact_count": health.active,
            "total_fact_count": health.total,
            "low_confidence_count": len(low),
            "low_confidence_high_impact_count": high,
            "stale_high_impact_count": len(stale),
            "stale_high_impact_predicates": sorted({fact.predicate for fact in stale}),
            "contradiction_count": len(against),
        },
        actions=actions_on_health(health, high),
    )


def actions_on_health(health: Health, high: int) -> list[Action]:
    """Contradictions to resolve, doubts to settle, old facts to renew; else to look again later."""
    entity, about = health.entity, of(health.entity, health.predicate)
    resolve = Action(
        id="resolve_contradictions",
        priority="high",
        risk="high",
        impact="critical_identity",
        automation=0.86,
        action="Find out which of the contradicting facts holds, and close the other.",
        rationale="Both cannot be true at the same time.",
        tool="facts_about",
        arguments={"entity": entity},
    )
    verify = Action(
        id="verify_low_confidence",
        priority="high" if high else "medium",
        risk="high" if high else "medium",
        impact="critical_identity" if high else "decision_reliability",
        automation=0.80 if high else 0.68,
        action="Confirm or correct the facts of low confidence.",
        rationale="They may not hold.",
        tool="facts_about",
        arguments={"entity": entity},
    )
    refresh = Action(
        id="refresh_stale_high_impact",
        priority="medium",
        risk="medium",
        impact="freshness_hygiene",
        automation=0.74,
        action="Ask whether the old facts still hold.",
        rationale="Such facts change over time.",
        tool="what_changed",
        arguments={"entity": entity, "since": format_instant(Instant(health.generated_at - MONTH)), **about},
    )
    monitor = Action(
        id="monitor_health",
        priority="low",
        risk="low",
        impact="monitoring",
        automation=0.93,
        action="Look at the facts' health again later.",
        rationale="Nothing needs attention now.",
        tool="memory_health",
        arguments=about,
    )
    return chosen(
        (health.contradictions, resolve), (health.low_confidence, verify), (health.stale_high_impact, refresh)
    ) or [monitor]


def brief_of_task(report: Briefing, watchouts: Sequence[str]) -> Fields:
    """What to do before a task."""
    ready = "attention_needed" if watchouts else "ready"
    return brief(
        status=ready if report.key_facts else "no_context",
        urgency=None,
        summary=f"{len(report.key_facts)} key facts, {len(watchouts)} watchouts",
        signals={
            "key_fact_count": len(report.key_facts),
            "low_confidence_count": report.low_confidence,
            "stale_high_impact_count": report.stale_high_impact,
            "contradiction_count": len(report.contradictions),
        },
        actions=actions_for_task(report, calm=not watchouts),
    )


def actions_for_task(report: Briefing, *, calm: bool) -> list[Action]:
    """To ask where nothing is known; else to prepare, and to clear up what is doubtful about the subject."""
    entity = {"entity": report.subject}
    ask = Action(
        id="ask_clarifying_question",
        priority="high",
        risk="high",
        impact="context_coverage",
        automation=0.76,
        action="Ask the person what matters for this task, or look further.",
        rationale="Nothing that is known bears on it.",
        tool="recall_for_task",
        arguments={
            "task": report.task,
            **({"subject": report.subject} if report.subject else {}),
            "limit": WIDER_LIMIT,
        },
    )
    verify = Action(
        id="verify_low_confidence_facts",
        priority="high",
        risk="high",
        impact="decision_reliability",
        automation=0.82,
        action="Confirm the facts of low confidence first.",
        rationale="The task would rest on facts that may not hold.",
        tool="memory_health",
        arguments=entity,
    )
    refresh = Action(
        id="refresh_stale_high_impact_facts",
        priority="medium",
        risk="medium",
        impact="freshness_hygiene",
        automation=0.77,
        action="Ask whether the old facts still hold.",
        rationale="They are older than the horizon of the task.",
        tool="what_changed",
        arguments={**entity, "since": format_instant(Instant(report.generated_at - report.horizon_days * DAY))},
    )
    resolve = Action(
        id="resolve_contradictions_first",
        priority="high",
        risk="high",
        impact="critical_identity",
        automation=0.80,
        action="Find out which of the contradicting facts holds.",
        rationale="Both cannot be true at the same time.",
        tool="memory_health",
        arguments=entity,
    )
    prepare = Action(
        id="prepare_task_brief",
        priority="high" if calm else "medium",
        risk="medium",
        impact="decision_reliability",
        automation=0.91,
        action="Put the key facts together for the task.",
        rationale="There is something to work with.",
        tool="assemble_context",
        arguments={"query": report.query_used, "max_tokens": CONTEXT_TOKENS},
    )
    about = report.subject is not None
    return chosen(
        (not report.key_facts, ask),
        (about and report.low_confidence, verify),
        (about and report.stale_high_impact, refresh),
        (about and report.contradictions, resolve),
        (report.key_facts, prepare),
    )


def is_risky(old: Fact, new: Fact) -> bool:
    """Whether a correction is much less certain than what it replaced."""
    return new.confidence < RISKY_CONFIDENCE or old.confidence - new.confidence >= RISKY_DROP


def level(high: object, medium: object) -> str:
    """How urgent it is."""
    return "high" if high else "medium" if medium else "low"


def of(entity: str, predicate: str | None) -> Fields:
    """An entity, and the predicate where there is one, as arguments of a tool."""
    return {"entity": entity} if predicate is None else {"entity": entity, "predicate": predicate}


def chosen(*options: tuple[object, Action]) -> list[Action]:
    """The actions for which there is a reason."""
    return [action for reason, action in options if reason]
