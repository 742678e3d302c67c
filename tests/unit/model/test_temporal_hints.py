from typing import Any

import pytest

from commonplace.model.errors import Invalid
from commonplace.model.fact import Window
from commonplace.model.interval import DAY, FOREVER, Instant, Interval
from commonplace.model.temporal import BEGINNING, Temporal, read_time

NOW = Instant(20_000 * DAY)
THEN = Instant(10_000 * DAY)
SPAN = Interval(THEN, Instant(THEN + DAY))


@pytest.mark.parametrize(
    ("hint", "window"),
    [
        (Temporal(), Window(FOREVER, NOW)),
        (Temporal("timeless"), Window(FOREVER, NOW)),
        (Temporal(operator="current"), Window(FOREVER, NOW)),
        (Temporal(operator="unknown", at=THEN), Window(THEN, THEN, closed=True)),
        (Temporal(at=THEN), Window(THEN, THEN, closed=True)),
        (Temporal(at=SPAN), Window(Instant(SPAN.end - 1), THEN, closed=True)),
        (Temporal("historical_point"), Window(NOW, NOW, closed=True)),
        (Temporal(operator="during"), Window(Instant(NOW + 90 * DAY - 1), Instant(NOW - 90 * DAY), closed=True)),
        (Temporal(operator="before", at=THEN), Window(Instant(THEN - 1), BEGINNING, closed=True)),
        (Temporal(operator="before", at=SPAN), Window(Instant(THEN - 1), BEGINNING, closed=True)),
        (Temporal(operator="by", at=THEN), Window(THEN, BEGINNING, closed=True)),
        (Temporal(operator="by", at=SPAN), Window(Instant(SPAN.end - 1), BEGINNING, closed=True)),
        (Temporal(operator="after", at=THEN), Window(FOREVER, THEN, closed=True)),
        (Temporal(operator="after", at=SPAN), Window(FOREVER, SPAN.end, closed=True)),
    ],
)
def test_a_hint_says_which_facts_count(hint: Temporal, window: Window) -> None:
    assert hint.window(NOW) == window


def test_what_a_hint_leaves_open_is_filled_in() -> None:
    assert Temporal().settled(NOW) == Temporal()
    assert Temporal(at=THEN).settled(NOW) == Temporal("historical_point", "as_of", THEN)
    assert Temporal(at=SPAN).settled(NOW) == Temporal("historical_interval", "during", SPAN)
    assert Temporal("current_state", at=THEN).settled(NOW).intent == "current_state"
    assert not Temporal().is_given
    assert Temporal(at=THEN).is_given


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("1970-01-02", Instant(DAY)),
        ("1970-01-02T00:00:00Z", Instant(DAY)),
        ("1970-01-02/1970-01-03", Interval(Instant(DAY), Instant(2 * DAY))),
        ("1970-01-02/..", Interval(Instant(DAY))),
        ("../1970-01-02", Interval(BEGINNING, Instant(DAY))),
        ({"start": "1970-01-02", "end": None}, Interval(Instant(DAY))),
        ({"end": "1970-01-02"}, Interval(BEGINNING, Instant(DAY))),
    ],
)
def test_a_time_is_a_moment_or_an_interval(given: Any, read: Instant | Interval) -> None:
    assert read_time(given) == read


@pytest.mark.parametrize("given", ["soon", "1970-01-02/1970-01-02", "1970-01-03/1970-01-02", {"start": 5}, "/"])
def test_what_is_no_time_is_refused(given: Any) -> None:
    with pytest.raises(Invalid):
        read_time(given)
