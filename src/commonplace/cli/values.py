"""What arguments can be besides text: moments, durations and lists."""

import re
from collections.abc import Callable, Collection

import click

from commonplace.model.errors import Invalid
from commonplace.model.interval import DAY, MINUTE, Instant, parse_instant

UNITS = {"d": DAY, "h": 60 * MINUTE, "m": MINUTE}


def moment(text: str) -> Instant:
    """A date or time, as everywhere else."""
    try:
        return parse_instant(text)
    except Invalid as error:
        raise click.BadParameter(error.message) from error


def duration(text: str) -> int:
    """Days, hours or minutes, as microseconds."""
    found = re.fullmatch(r"(\d{1,5})([dhm])", text)
    if not found:
        raise click.BadParameter(f"{text!r} is not a duration such as 90d, 12h or 30m.")
    return int(found[1]) * UNITS[found[2]]


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    found = tuple(name for each in text.split(",") if (name := each.strip()))
    if not found:
        raise click.BadParameter("name at least one.")
    return found


def some_of(choices: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    """The same, out of a choice."""

    def chosen(text: str) -> tuple[str, ...]:
        found = names(text)
        if wrong := [name for name in found if name not in choices]:
            raise click.BadParameter(f"{wrong[0]!r} is none of {', '.join(choices)}.")
        return found

    return chosen
