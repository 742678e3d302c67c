import pytest

from commonplace.model.fact import Fact
from commonplace.model.interval import DAY, FOREVER, Instant, Interval
from commonplace.model.temporal import Temporal
from commonplace.retrieval.fuse import Scored
from commonplace.retrieval.temporal import Found, reorder, signal

NOW = Instant(20_000 * DAY)


def fact(name: str, start: int, end: int | None = None, confidence: float = 1.0) -> Fact:
    """A fact that is valid between two days."""
    valid = Interval(Instant(start * DAY), FOREVER if end is None else Instant(end * DAY))
    expired = None if end is None else valid.end
    return Fact(name, "s", "p", name, valid, NOW, FOREVER, NOW, expired, confidence, None, None, None, "c", None)


def found(held: Fact, words: float, vectors: float) -> Found:
    return Found(Scored(held.id, words + vectors, {"words": words, "vectors": vectors}), held, "personal")


@pytest.mark.parametrize(
    ("hint", "held", "expected"),
    [
        (Temporal("current_state"), fact("new", 20_000), 1.0),
        (Temporal("current_state"), fact("old", 20_000 - 365), 0.75),
        (Temporal("current_state"), fact("gone", 19_000, 19_500), -(0.5 + 0.5 * 2 ** (-1000 / 365))),
        (Temporal(operator="as_of"), fact("held", 10), 1.0),
        (Temporal(operator="as_of"), fact("gone", 10, 20), -1.0),
        (Temporal(operator="before"), fact("still", 10), 1.1),
        (Temporal(operator="before"), fact("gone", 10, 20), 0.3),
        (Temporal(operator="before"), fact("later", 30_000), 0.0),
        (Temporal(operator="by"), fact("still", 20_000), 1.05),
        (Temporal(operator="by"), fact("gone", 10, 20), 0.2),
        (Temporal(operator="after"), fact("later", 20_001), 1.0),
        (Temporal(operator="after"), fact("before", 10), -0.8),
        (Temporal("historical_point", "current"), fact("held", 10), 0.9),
        (Temporal("historical_point", "unknown"), fact("gone", 10, 20), -0.8),
        (Temporal("historical_interval"), fact("touched", 19_000, 19_950), 1.0),
        (Temporal("historical_interval"), fact("long ago", 10, 20), -1.0),
        (Temporal(operator="as_of"), fact("unsure", 10, confidence=0.1), 0.2),
        (Temporal(operator="as_of"), fact("half sure", 10, confidence=0.5), 0.5),
    ],
)
def test_a_fact_fits_a_hint_so_far(hint: Temporal, held: Fact, expected: float) -> None:
    assert signal(held, hint.settled(NOW), NOW) == pytest.approx(expected)


def test_what_fits_the_time_comes_before_what_scores_better() -> None:
    better, fitting = found(fact("better", 10, 20), 0.013, 0.003), found(fact("fitting", 10), 0.001, 0.001)
    ordered = reorder([better, fitting], Temporal("historical_point").settled(NOW), NOW)
    assert [each.fact.id for each in ordered] == ["fitting", "better"]
    assert [each.scored.why["temporal"] for each in ordered] == [1.0, -1.0]


@pytest.mark.parametrize("hint", [Temporal(), Temporal("timeless"), Temporal("current_state")])
def test_nothing_is_lost_beyond_those_that_are_reordered(hint: Temporal) -> None:
    many = [found(fact(f"{number:02}", 10), 0.8 / (61 + number), 0.2 / (61 + number)) for number in range(30)]
    ordered = reorder(many, hint, NOW)
    assert [each.fact.id for each in ordered] == [each.fact.id for each in many]


@pytest.mark.parametrize(
    ("words", "vectors", "first"),
    [(0.0010, 0.0100, "near"), (0.0040, 0.0070, "near"), (0.0120, 0.0010, "said")],
)
def test_the_more_the_top_leans_on_vectors_the_more_they_count(words: float, vectors: float, first: str) -> None:
    top = [found(fact(f"top {number}", 10), words, vectors) for number in range(3)]
    said, near = found(fact("said", 10), 0.0131, 0.0), found(fact("near", 10), 0.0, 0.0060)
    order = [each.fact.id for each in reorder([*top, said, near], Temporal(), NOW)]
    assert order.index(first) < order.index({"near": "said", "said": "near"}[first])
