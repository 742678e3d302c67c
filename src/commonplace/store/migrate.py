"""Ordered, recorded migrations, each in the transaction of its part."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from commonplace.model.errors import Unavailable
from commonplace.store.queries import CAST, Dialect

Kind = Literal["control", "store"]

FILE = re.compile(r"(\d{4})_(\w+?)(?:\.(sqlite|postgres))?\.sql")
SQLITE_TYPES = {"uuid": "TEXT", "bytea": "BLOB", "halfvec": "BLOB", "boolean": "INTEGER", "bigint": "INTEGER"}


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a schema."""

    number: int
    name: str
    sql: str


@cache
def migrations(kind: Kind, dialect: Dialect) -> tuple[Migration, ...]:
    """The steps of one kind of part, in order."""
    found = []
    for file in files("commonplace.store").joinpath(f"sql/migrations/{kind}").iterdir():
        named = FILE.fullmatch(file.name)
        if named and named[3] in {None, dialect}:
            sql = file.read_text("utf-8")
            found.append(Migration(int(named[1]), named[2], _plain(sql) if dialect == "sqlite" else sql))
    return tuple(sorted(found, key=lambda step: step.number))


def outstanding(kind: Kind, dialect: Dialect, applied: int, place: str) -> tuple[Migration, ...]:
    """The steps still to take; a schema from the future is refused."""
    steps = migrations(kind, dialect)
    if applied > steps[-1].number:
        raise Unavailable(
            f"{place} was written by a newer Commonplace (schema {applied}, this one knows {steps[-1].number}); "
            "install the newer version again."
        )
    return tuple(step for step in steps if step.number > applied)


def statements(sql: str) -> list[str]:
    """The single statements of a file; none of ours has a semicolon inside."""
    return [statement for statement in sql.split(";\n") if statement.strip()]


def _plain(sql: str) -> str:
    for theirs, ours in SQLITE_TYPES.items():
        sql = re.sub(rf"\b{theirs}\b(?! PRECISION)", ours, sql)
    return CAST.sub("", sql)
