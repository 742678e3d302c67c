from datetime import UTC, datetime, timedelta, timezone

import pytest

from commonplace.model.errors import Invalid
from commonplace.model.interval import (
    FOREVER,
    Instant,
    Interval,
    format_end,
    format_instant,
    format_second,
    instant,
    moment,
    parse_instant,
    parse_rfc3339,
)


def of(*parts: int) -> Instant:
    return instant(datetime(*parts, tzinfo=UTC))  # type: ignore[misc]


def test_an_interval_holds_its_start_and_not_its_end() -> None:
    """K-RAT-1"""
    interval = Interval(Instant(3), Instant(5))
    assert [interval.contains(Instant(at)) for at in (2, 3, 4, 5)] == [False, True, True, False]
    assert not Interval(Instant(3), Instant(3)).contains(Instant(3))


@pytest.mark.parametrize(("start", "end", "shared"), [(1, 3, False), (1, 4, True), (4, 9, True), (5, 9, False)])
def test_intervals_overlap_where_they_share_an_instant(start: int, end: int, *, shared: bool) -> None:
    one, other = Interval(Instant(3), Instant(5)), Interval(Instant(start), Instant(end))
    assert one.overlaps(other) == other.overlaps(one) == shared


def test_an_interval_is_open_until_it_has_an_end() -> None:
    assert Interval(Instant(1)).is_open
    assert not Interval(Instant(1), Instant(2)).is_open


def test_an_interval_does_not_end_before_it_starts() -> None:
    with pytest.raises(Invalid, match="end before it starts"):
        Interval(Instant(2), Instant(1))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2024-05-06", of(2024, 5, 6)),
        (" 2024-05-06T07:08 ", of(2024, 5, 6, 7, 8)),
        ("2024-05-06 07:08:09", of(2024, 5, 6, 7, 8, 9)),
        ("2024-05-06T07:08:09z", of(2024, 5, 6, 7, 8, 9)),
        ("2024-05-06t07:08:09.25Z".upper(), of(2024, 5, 6, 7, 8, 9, 250_000)),
        ("2024-05-06T07:08:09.123456789Z", of(2024, 5, 6, 7, 8, 9, 123_456)),
        ("2024-05-06T07:08:09+02:00", of(2024, 5, 6, 5, 8, 9)),
        ("2024-05-06T01:08:09-0330", of(2024, 5, 6, 4, 38, 9)),
        ("1066-10-14", of(1066, 10, 14)),
    ],
)
def test_iso_8601_is_read_as_utc_where_it_says_nothing_else(text: str, at: Instant) -> None:
    assert parse_instant(text) == at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2024",
        "2024-13-01",
        "2024-02-30",
        "06.05.2024",
        "2024-05-06T25:00",
        "2024-05-06T07:08:09 CET",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="is not an ISO 8601 date or time"):
        parse_instant(text)


@pytest.mark.parametrize("text", ["2024-05-06", "2024-05-06T07:08:09", "2024-05-06T07:08Z", " 2024-05-06T07:08:09Z"])
def test_rfc_3339_is_whole(text: str) -> None:
    """KR-FCT-1"""
    with pytest.raises(Invalid, match="is not an RFC 3339 time"):
        parse_rfc3339(text)
    assert parse_rfc3339("2024-05-06T07:08:09-01:00") == of(2024, 5, 6, 8, 8, 9)


@pytest.mark.parametrize(
    ("at", "text", "second"),
    [
        (of(2024, 5, 6), "2024-05-06T00:00:00Z", "2024-05-06T00:00:00Z"),
        (of(2024, 5, 6, 7, 8, 9, 250_000), "2024-05-06T07:08:09.25Z", "2024-05-06T07:08:09Z"),
        (of(2024, 5, 6, 7, 8, 9, 1), "2024-05-06T07:08:09.000001Z", "2024-05-06T07:08:09Z"),
        (of(33, 4, 3), "0033-04-03T00:00:00Z", "0033-04-03T00:00:00Z"),
        (of(1969, 12, 31, 23, 59, 59, 999_999), "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59Z"),
    ],
)
def test_an_instant_is_written_with_its_zeros_cut(at: Instant, text: str, second: str) -> None:
    """KR-FCT-1 K-ENV-4"""
    assert (format_instant(at), format_second(at)) == (text, second)
    assert parse_instant(text) == at


def test_an_end_that_never_comes_is_none() -> None:
    assert format_end(FOREVER) is None
    assert format_end(of(2024, 5, 6)) == "2024-05-06T00:00:00Z"


def test_an_instant_is_a_moment_in_utc() -> None:
    there = datetime(2024, 5, 6, 9, tzinfo=timezone(timedelta(hours=2)))
    assert moment(instant(there)) == there
    assert moment(instant(there)).tzinfo == UTC
