"""What arguments can be besides text: moments, durations and lists."""

import re

import click

from commonplace.model.errors import Invalid
from commonplace.model.interval import DAY, MINUTE, Instant, parse_instant

UNITS = {"d": DAY, "h": 60 * MINUTE, "m": MINUTE}


class Moment(click.ParamType[Instant]):
    """A date or time, as everywhere else."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Instant:
        """The instant."""
        try:
            return parse_instant(value)
        except Invalid as error:
            self.fail(error.message, param, ctx)


class Duration(click.ParamType[int]):
    """Days, hours or minutes, as microseconds."""

    name = "duration"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The length of time."""
        found = re.fullmatch(r"(\d{1,5})([dhm])", value)
        if not found:
            self.fail(f"{value!r} is not a duration such as 90d, 12h or 30m.", param, ctx)
        return int(found[1]) * UNITS[found[2]]


class Names(click.ParamType[tuple[str, ...]]):
    """Names with commas between them, some of a choice or any."""

    name = "list"

    def __init__(self, choices: tuple[str, ...] = ()) -> None:
        self.choices = choices

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The names."""
        names = tuple(name for each in value.split(",") if (name := each.strip()))
        if not names:
            self.fail("name at least one.", param, ctx)
        wrong = [name for name in names if self.choices and name not in self.choices]
        if wrong:
            self.fail(f"{wrong[0]!r} is none of {', '.join(self.choices)}.", param, ctx)
        return names
