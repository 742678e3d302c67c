"""Facts: an entity, a predicate and a value, true over an interval."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from commonplace.model.interval import DAY, FOREVER, MINUTE, Instant, Interval

Value = str | int | float | bool

HIGH_IMPACT = ("works_at", "lives_in", "job_title", "email", "phone")
ALIAS_PREDICATES = ("alias", "has_alias", "aka")
HALF_LIVES_DAYS = {"works_at": 730, "job_title": 730, "lives_in": 1095, "phone": 1095, "email": 1460}


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement about an entity. `expired_at` is when the store closed it, if it did."""

    id: str
    subject: str
    predicate: str
    value: Value
    valid: Interval
    recorded_at: Instant
    retired_at: Instant
    first_recorded_at: Instant
    expired_at: Instant | None
    confidence: float
    provenance: str | None
    episode: str | None
    item_id: str | None
    collection_id: str
    predecessor: str | None
    corrected: bool = False

    def is_live(self, now: Instant) -> bool:
        """Neither closed by the store nor ended by now; one that begins later is live already."""
        return self.expired_at is None and self.valid.end > now

    def was_valid(self, at: Instant) -> bool:
        """Whether it held at an instant and was not closed by then."""
        return self.valid.contains(at) and (self.expired_at is None or self.expired_at > at)


def effective_confidence(
    fact: Fact, now: Instant, half_lives_days: Mapping[str, float], source_weights: Mapping[str, float]
) -> float:
    """The confidence that is left at a moment, from 0 to 1; what has no half-life does not age."""
    days = half_lives_days.get(fact.predicate)
    fresh = 2 ** (-max(0, now - fact.valid.start) / (days * DAY)) if days else 1.0
    return min(1.0, max(0.0, fact.confidence * fresh * source_weights.get(fact.provenance or "", 1.0)))


def value_type(value: Value) -> str:
    """The name of a value's type: boolean before number, for a bool is an int to Python."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"


def same_value(one: Value, other: Value) -> bool:
    """Whether two values say the same: texts without case and outer space, types never mixed."""
    if value_type(one) != value_type(other):
        return False
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().casefold() == other.strip().casefold()
    return one == other


def value_text(value: Value) -> str:
    """A value as text, for search and for people."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both hold."""

    fact: Fact
    other: Fact
    severity: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Window:
    """Which facts count: those that start by one moment, end after another, and are closed or not."""

    starts_by: Instant
    ends_after: Instant
    closed: bool = False
    min_confidence: float = 0.0


def at(moment: Instant) -> Window:
    """The facts that held at a moment."""
    return Window(moment, moment, closed=True)


def live(now: Instant) -> Window:
    """The facts that are neither closed nor ended; one that begins later is live already."""
    return Window(FOREVER, now)


LONG_OVERLAP = 30 * DAY
CLEAR_GAP = 0.3
LATER = 60 * MINUTE


def contradictions(facts: Iterable[Fact], singletons: Collection[str]) -> list[Contradiction]:
    """The pairs of open facts that give a predicate of one value two values at a time."""
    held = [fact for fact in facts if fact.expired_at is None and fact.predicate in singletons]
    return [
        Contradiction(one, other, _severity(one.valid, other.valid), _suggestion(one, other))
        for one, other in combinations(sorted(held, key=lambda fact: fact.id), 2)
        if one.predicate == other.predicate
        and one.valid.overlaps(other.valid)
        and not same_value(one.value, other.value)
    ]


def _severity(one: Interval, other: Interval) -> str:
    start, end = max(one.start, other.start), min(one.end, other.end)
    if (start, end) in {(one.start, one.end), (other.start, other.end)}:
        return "high"
    return "medium" if end == FOREVER or end - start > LONG_OVERLAP else "low"


def _suggestion(one: Fact, other: Fact) -> str:
    weaker, stronger = sorted((one, other), key=lambda fact: (fact.confidence, fact.id))
    if stronger.confidence - weaker.confidence >= CLEAR_GAP:
        return f"invalidate {weaker.id}, the less certain"
    older, newer = sorted((one, other), key=lambda fact: (fact.first_recorded_at, fact.id))
    if newer.first_recorded_at - older.first_recorded_at > LATER:
        return f"close {older.id}, the older"
    return "look at both"


@dataclass(frozen=True, slots=True)
class Changes:
    """What became known about an entity since a moment."""

    entity: str
    since: Instant
    predicate: str | None
    new: tuple[Fact, ...]
    closed: tuple[Fact, ...]
    corrections: tuple[tuple[Fact, Fact], ...]

    @property
    def shifts(self) -> tuple[tuple[Fact, Fact], ...]:
        """The corrections whose two confidences differ."""
        return tuple((old, new) for old, new in self.corrections if old.confidence != new.confidence)


@dataclass(frozen=True, slots=True)
class Health:
    """How far what is known about an entity can be relied on."""

    entity: str
    generated_at: Instant
    predicate: str | None
    total: int
    active: int
    low_confidence: tuple[Fact, ...]
    stale_high_impact: tuple[Fact, ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What one should know before a task."""

    task: str
    subject: str | None
    generated_at: Instant
    horizon_days: int
    query_used: str
    key_facts: tuple[Fact, ...]
    low_confidence: int
    stale_high_impact: int
    ended: int
    contradictions: tuple[Contradiction, ...] = field(default_factory=tuple)
