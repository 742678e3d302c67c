"""Instants and half-open intervals.

An instant is a whole number of microseconds since 1970 in UTC: exact, ordered, and the same on every engine.
An interval that never ends ends at FOREVER, so that "contains" is two comparisons everywhere, in SQL too.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NewType

from commonplace.model.errors import Invalid

Instant = NewType("Instant", int)

FOREVER = Instant(2**63 - 1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 86_400 * SECOND

ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?")

RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` up to and without `end`."""

    start: Instant
    end: Instant = FOREVER

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise Invalid("An interval must not end before it starts.", start=self.start, end=self.end)

    def contains(self, at: Instant) -> bool:
        """Whether `at` lies inside; the end does not."""
        return self.start <= at < self.end

    def overlaps(self, other: "Interval") -> bool:
        """Whether the two share an instant."""
        return self.start < other.end and other.start < self.end

    @property
    def is_open(self) -> bool:
        """Whether it never ends."""
        return self.end == FOREVER


def instant(moment: datetime) -> Instant:
    """The instant of an aware datetime."""
    return Instant((moment - EPOCH) // MICROSECOND)


def moment(at: Instant) -> datetime:
    """The datetime of an instant, in UTC."""
    return EPOCH + at * MICROSECOND


def parse_instant(text: str) -> Instant:
    """Read an ISO 8601 date or date-time; without an offset it is UTC, a date alone is its first moment."""
    if not ISO.fullmatch(text.strip()):
        raise Invalid(f"{text!r} is not an ISO 8601 date or time.")
    try:
        read = datetime.fromisoformat(text.strip().upper())
        return instant(read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{text!r} is not an ISO 8601 date or time.") from error


def parse_rfc3339(text: str) -> Instant:
    """Read a date-time with its offset, as RFC 3339 has it and nothing shorter."""
    if not RFC3339.fullmatch(text):
        raise Invalid(f"{text!r} is not an RFC 3339 time.")
    return parse_instant(text)


def format_instant(at: Instant) -> str:
    """RFC 3339 in UTC with microseconds, trailing zeros of the fraction cut."""
    read = moment(at)
    whole = read.strftime("%Y-%m-%dT%H:%M:%S").zfill(19)
    fraction = f".{read.microsecond:06d}".rstrip("0") if read.microsecond else ""
    return f"{whole}{fraction}Z"


def format_second(at: Instant) -> str:
    """RFC 3339 in UTC with whole seconds."""
    return format_instant(Instant(at - at % SECOND))


def format_end(at: Instant) -> str | None:
    """The end of an interval as text, None where it never ends."""
    return None if at == FOREVER else format_instant(at)
