"""Named queries from the SQL files, written for PostgreSQL and translated for SQLite.

A query begins at `-- name: its_name`. A name that starts with an underscore is a fragment, put in where `{_its_name}`
stands. `<shelf>` in a name makes one query per shelf.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Literal

Dialect = Literal["sqlite", "postgres"]

SHELVES = ("current", "history", "sensitive")
HEAD = re.compile(r"^-- name: (\S+)\n", re.MULTILINE)
FRAGMENT = re.compile(r"\{(_\w+)\}")
COMMENT = re.compile(r"^--.*$", re.MULTILINE)
PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")
ANY_OF = re.compile(r"= ANY\(:([a-z_]+)::\w+\[\]\)")
CAST = re.compile(r"::\w+(\[\])?")


@cache
def queries(dialect: Dialect) -> dict[str, str]:
    """All queries of an engine by name."""
    found: dict[str, str] = {}
    for name in ("common", dialect):
        pieces = HEAD.split(files("commonplace.store").joinpath(f"sql/{name}.sql").read_text("utf-8"))
        found.update(zip(pieces[1::2], map(_bare, pieces[2::2]), strict=True))
    whole = {name: _filled(body, found) for name, body in found.items() if not name.startswith("_")}
    return {name: _TRANSLATE[dialect](body) for name, body in _by_shelf(whole).items()}


def _bare(body: str) -> str:
    return COMMENT.sub("", body).strip()


def _filled(body: str, fragments: dict[str, str]) -> str:
    while FRAGMENT.search(body):
        body = FRAGMENT.sub(lambda found: fragments[found[1]], body)
    return body


def _by_shelf(found: dict[str, str]) -> dict[str, str]:
    return {
        name.replace("<shelf>", shelf): body.replace("<shelf>", shelf)
        for name, body in found.items()
        for shelf in (SHELVES if "<shelf>" in name else ("",))
    }


def to_sqlite(body: str) -> str:
    """Lists become JSON, casts go, and the row locks that SQLite has no need of."""
    body = ANY_OF.sub(r"IN (SELECT value FROM json_each(:\1))", body)
    return CAST.sub("", body).replace(" FOR UPDATE", "")


def to_postgres(body: str) -> str:
    """The driver's own placeholders."""
    return PARAMETER.sub(r"%(\1)s", body.replace("%", "%%"))


_TRANSLATE = {"sqlite": to_sqlite, "postgres": to_postgres}
