from dataclasses import replace

import pytest

from commonplace.model.fact import (
    Changes,
    Fact,
    Value,
    Window,
    at,
    contradictions,
    live,
    same_value,
    value_text,
    value_type,
)
from commonplace.model.interval import DAY, FOREVER, MINUTE, Instant, Interval

NOW = Instant(20_000 * DAY)


def fact(number: int, value: Value = "Bonn", start: int = 0, end: int | None = None, **said: object) -> Fact:
    """A fact whose validity is given in days from now."""
    until = FOREVER if end is None else Instant(NOW + end * DAY)
    made = Fact(
        id=f"f{number}",
        subject="Uta",
        predicate="lives_in",
        value=value,
        valid=Interval(Instant(NOW + start * DAY), until),
        recorded_at=NOW,
        retired_at=FOREVER,
        first_recorded_at=NOW,
        expired_at=None,
        confidence=1.0,
        provenance=None,
        episode=None,
        item_id=None,
        collection_id="c",
        predecessor=None,
    )
    return replace(made, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("end", "expired", "is_live"),
    [(None, None, True), (1, None, True), (0, None, False), (-1, None, False), (None, NOW, False)],
)
def test_a_live_fact_is_neither_closed_nor_ended(end: int | None, expired: Instant | None, *, is_live: bool) -> None:
    """KR-FCT-2"""
    assert fact(1, start=-9, end=end, expired_at=expired).is_live(NOW) == is_live


def test_a_fact_that_begins_later_is_live_already() -> None:
    """KR-FCT-2"""
    assert fact(1, start=9).is_live(NOW)
    assert not fact(1, start=9).was_valid(NOW)


def test_a_fact_was_valid_until_it_ended_or_was_closed() -> None:
    """KR-FCT-2"""
    closed = fact(1, start=-9, end=9, expired_at=NOW)
    assert [closed.was_valid(Instant(NOW + each)) for each in (-9 * DAY - 1, -9 * DAY, -1, 0)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("a", "text", "a"),
        (1, "number", "1"),
        (1.5, "number", "1.5"),
        (True, "boolean", "true"),
        (False, "boolean", "false"),
    ],
)
def test_a_value_has_a_type_and_a_text(value: Value, kind: str, text: str) -> None:
    assert (value_type(value), value_text(value)) == (kind, text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Bonn", " BONN ", True), ("Bonn", "Köln", False), (1, 1.0, True), (1, True, False), ("1", 1, False)],
)
def test_texts_are_the_same_without_case_and_types_never(one: Value, other: Value, *, same: bool) -> None:
    """KR-HLT-3"""
    assert same_value(one, other) == same


def test_windows_of_a_moment_and_of_what_is_live() -> None:
    assert at(NOW) == Window(NOW, NOW, closed=True)
    assert live(NOW) == Window(FOREVER, NOW)


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        ((0, 100), (10, 20), "high"),
        ((0, None), (10, None), "high"),
        ((0, 100), (69, 200), "medium"),
        ((0, 100), (70, 200), "low"),
        ((0, 100), (100, 200), None),
    ],
)
def test_a_contradiction_is_as_severe_as_its_overlap(
    one: tuple[int, int | None], other: tuple[int, int | None], severity: str | None
) -> None:
    """KR-HLT-3"""
    found = contradictions([fact(1, "Bonn", *one), fact(2, "Köln", *other)], {"lives_in"})
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_what_can_have_many_values_says_the_same_or_is_closed_contradicts_nothing() -> None:
    """KR-HLT-3"""
    one, other = fact(1), fact(2, "Köln")
    assert contradictions([one, other], {"email"}) == []
    assert contradictions([one, replace(other, predicate="email")], {"email", "lives_in"}) == []
    assert contradictions([one, replace(other, value="bonn")], {"lives_in"}) == []
    assert contradictions([one, replace(other, expired_at=NOW)], {"lives_in"}) == []


@pytest.mark.parametrize(
    ("confidence", "later", "suggestion"),
    [
        (0.7, 0, "invalidate f2, the less certain"),
        (0.71, 61 * MINUTE, "close f1, the older"),
        (0.71, 60 * MINUTE, "look at both"),
    ],
)
def test_the_less_certain_goes_then_the_older(confidence: float, later: int, suggestion: str) -> None:
    """KR-HLT-3"""
    other = fact(2, "Köln", confidence=confidence, first_recorded_at=Instant(NOW + later))
    [found] = contradictions([other, fact(1)], {"lives_in"})
    assert (found.fact.id, found.other.id, found.suggestion) == ("f1", "f2", suggestion)


def test_a_shift_is_a_correction_that_changes_the_confidence() -> None:
    """KR-WCH-2"""
    sure, unsure, new = fact(1), fact(2, confidence=0.5), fact(3)
    changes = Changes("Uta", NOW, None, (new,), (sure, unsure), ((sure, new), (unsure, new)))
    assert changes.shifts == ((unsure, new),)
