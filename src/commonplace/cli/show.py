"""Printing: JSON for programs, aligned text for people."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import click

from commonplace.cli.session import is_set, keep_switch

Fields = dict[str, Any]

# Stored text may come from anyone: what would command a terminal is shown, not sent.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
FRACTION = re.compile(r"(?<=T\d\d:\d\d:\d\d)\.\d+(?=Z)")

json_option = click.option(
    "--json", is_flag=True, expose_value=False, callback=keep_switch, help="Print JSON for programs."
)


def show(fields: object, lines: Iterable[str]) -> None:
    """Print the fields when JSON is asked for, else the lines."""
    if is_set("json"):
        click.echo(json.dumps(fields, ensure_ascii=False, indent=2))
        return
    for line in lines:
        say(line)


def say(line: str) -> None:
    """Print a line for people."""
    click.echo(harmless(line))


def note(line: str) -> None:
    """Tell the person something that is no part of the answer."""
    click.echo(harmless(line), err=True)


def harmless(text: str) -> str:
    """The text without what a terminal would obey."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def show_table(records: Sequence[Fields], columns: Sequence[str], empty: str) -> None:
    """Print records: all their fields as JSON, these columns for people, or that there are none."""
    show(records, table(records, columns) if records else [empty])


def table(records: Iterable[Fields], columns: Sequence[str]) -> list[str]:
    """Columns as wide as their widest cell, under their names."""
    rows = [[name.replace("_", " ").upper() for name in columns]]
    rows += [[cell(record[name]) for name in columns] for record in records]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def cell(value: object) -> str:
    """A value on one line: a dash for nothing, times without fractions of a second."""
    match value:
        case None | "" | [] | ():
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case list() | tuple():
            return ", ".join(map(str, value))
        case _:
            return FRACTION.sub("", " ".join(str(value).split()))
