"""Questions about time: what a hint about it asks for, as a window of facts."""

from dataclasses import dataclass, replace
from typing import Literal

from commonplace.model.errors import Invalid
from commonplace.model.fact import Window, at, live
from commonplace.model.interval import DAY, FOREVER, Instant, Interval, parse_instant

Intent = Literal["timeless", "current_state", "historical_point", "historical_interval"]
Operator = Literal["current", "as_of", "during", "before", "by", "after", "unknown"]

HISTORICAL = ("as_of", "during", "before", "by", "after")
AROUND = 90 * DAY
BEGINNING = Instant(-(2**62))


@dataclass(frozen=True, slots=True)
class Temporal:
    """A hint about the time a question means; without any it means the facts that are live."""

    intent: Intent | None = None
    operator: Operator | None = None
    at: Instant | Interval | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is a hint at all."""
        return not (self.intent is None and self.operator is None and self.at is None)

    def settled(self, now: Instant) -> "Temporal":
        """The hint with what it leaves open filled in."""
        moment = self.at
        if moment is None and (self.operator in HISTORICAL or (self.intent or "").startswith("historical")):
            over = self.operator == "during" or self.intent == "historical_interval"
            moment = Interval(Instant(now - AROUND), Instant(now + AROUND)) if over else now
        if moment is None:
            return self
        over = isinstance(moment, Interval)
        intent: Intent = self.intent or ("historical_interval" if over else "historical_point")
        return replace(self, intent=intent, operator=self.operator or ("during" if over else "as_of"), at=moment)

    def window(self, now: Instant) -> Window:
        """The facts that come into question."""
        hint = self.settled(now)
        if hint.at is None:
            return live(now)
        start, end = hint.ends
        match hint.operator:
            case "before":
                return Window(Instant(start - 1), BEGINNING, closed=True)
            case "by":
                return Window(Instant(max(start, end - 1)), BEGINNING, closed=True)
            case "after":
                return Window(FOREVER, end, closed=True)
        return Window(Instant(end - 1), start, closed=True) if end > start else at(start)

    @property
    def ends(self) -> tuple[Instant, Instant]:
        """First and last of the time it is about, the same for a moment."""
        assert self.at is not None, "a settled hint of the past has its time"
        return (self.at.start, self.at.end) if isinstance(self.at, Interval) else (self.at, self.at)


def read_time(given: str | dict[str, object]) -> Instant | Interval:
    """A moment, or an interval as `start/end` or as an object; `..` leaves an end open."""
    if isinstance(given, dict):
        return _interval(str(given.get("start", "..")), str(given.get("end", "..")))
    if "/" in given:
        return _interval(*given.split("/", 1))
    return parse_instant(given)


def _interval(start: str, end: str) -> Interval:
    read = Interval(_end(start, BEGINNING), _end(end, FOREVER))
    if read.start == read.end:
        raise Invalid("An interval must have a length.")
    return read


def _end(text: str, otherwise: Instant) -> Instant:
    return otherwise if text.strip() in {"..", "None"} else parse_instant(text)
