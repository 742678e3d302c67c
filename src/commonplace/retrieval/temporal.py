"""The order of facts found by words and vectors, where a question hints at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.model.fact import Fact
from commonplace.model.interval import DAY, Instant, Interval
from commonplace.model.temporal import Temporal
from commonplace.retrieval.fuse import Scored

TIMELESS_KEPT = 20
TEMPORAL_KEPT = 14
TOP = 5
TOTAL_WEIGHT = 0.02
SIGNAL_WEIGHTS: Mapping[str | None, float] = {
    "current_state": 0.10,
    "historical_point": 0.22,
    "historical_interval": 0.20,
}
CONFIDENCE_MIN = 0.2
YEAR = 365 * DAY


@dataclass(frozen=True, slots=True)
class Found:
    """A fact with its score and the collection it is kept in."""

    scored: Scored
    fact: Fact
    collection: str

    def weighted(self, vectors: float, words: float) -> float:
        """What both searches contributed, weighed, with a little for their sum."""
        parts = self.scored.why
        total = parts["vectors"] + parts["words"]
        return vectors * parts["vectors"] + words * parts["words"] + TOTAL_WEIGHT * total


def reorder(found: Sequence[Found], hint: Temporal, now: Instant) -> list[Found]:
    """The best candidates in the order the hint asks for, then the others; none is lost."""
    timeless = hint.intent in {None, "timeless"}
    ranked = sorted(found, key=lambda each: (-each.weighted(0.75, 0.25), each.fact.id))
    kept = TIMELESS_KEPT if timeless else TEMPORAL_KEPT
    best, rest = ranked[:kept], ranked[kept:]
    return [*(_timeless(best) if timeless else _by_signal(best, hint, now)), *rest]


def signal(fact: Fact, hint: Temporal, now: Instant) -> float:
    """How well a fact's time fits the hint; negative where it does not."""
    return _fit(fact, hint, now) * max(CONFIDENCE_MIN, fact.confidence)


def _timeless(best: Sequence[Found]) -> list[Found]:
    """The more the top leans on vectors, the more they count."""
    top = [each.scored.why for each in best[:TOP]]
    share = sum(parts["vectors"] for parts in top) / (sum(parts["vectors"] + parts["words"] for parts in top) or 1.0)
    vectors = 0.90 if share >= 0.60 else 0.75 if share >= 0.50 else 0.60
    return sorted(best, key=lambda each: (-each.weighted(vectors, 1 - vectors), each.fact.id))


def _by_signal(best: Sequence[Found], hint: Temporal, now: Instant) -> list[Found]:
    signals = {each.fact.id: signal(each.fact, hint, now) for each in best}
    weight = SIGNAL_WEIGHTS[hint.intent]

    def place(each: Found) -> tuple[bool, float, str]:
        fits = signals[each.fact.id]
        return fits <= 0, -(each.weighted(0.75, 0.25) + weight * fits), each.fact.id

    return [_told(each, signals[each.fact.id]) for each in sorted(best, key=place)]


def _told(found: Found, signal: float) -> Found:
    return replace(found, scored=replace(found.scored, why={**found.scored.why, "temporal": signal}))


def _fit(fact: Fact, hint: Temporal, now: Instant) -> float:
    if hint.intent == "current_state":
        fresh = 0.5 + 0.5 * 2 ** (-max(0, now - fact.valid.start) / YEAR)
        return fresh if fact.is_live(now) else -fresh
    start, end = hint.ends
    over = isinstance(hint.at, Interval)
    valid = fact.valid.overlaps(Interval(start, end)) if over else fact.was_valid(start)
    match hint.operator:
        case "before":
            return _earlier(1.1, 0.3, valid=valid, started=fact.valid.start < start)
        case "by":
            return _earlier(1.05, 0.2, valid=valid, started=fact.valid.start <= end)
        case "after":
            return 1.0 if fact.valid.start >= end else -0.8
        case "current" | "unknown":
            return 0.9 if valid else -0.8
    return 1.0 if valid else -1.0


def _earlier(still: float, only: float, *, valid: bool, started: bool) -> float:
    """One that began before and held then fits best; one that only began before, a little."""
    if not started:
        return 0.0
    return still if valid else only
