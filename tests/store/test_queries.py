"""The SQL files: every query is used, every query that is used is there, and both dialects say the same."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import commonplace
from commonplace.store.queries import Dialect, queries, to_postgres, to_sqlite

SOURCE = Path(commonplace.__file__).parent
ASKING = {"run", "many", "one", "all"}


@cache
def strings() -> frozenset[str]:
    """Every string that the program says."""
    return frozenset(node.value for node in nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str))


@cache
def nodes() -> tuple[ast.AST, ...]:
    """The rooms that may ask the store, as trees."""
    source = [file for room in ("store", "core", "operations") for file in sorted((SOURCE / room).rglob("*.py"))]
    return tuple(node for file in source for node in ast.walk(ast.parse(file.read_text("utf-8"))))


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    """Every name that is put together where a query is run: insert_{table}."""
    return tuple(pattern(name) for name in named() if isinstance(name, ast.JoinedStr))


def named() -> Iterator[ast.expr]:
    """The first argument wherever a query is run."""
    for node in nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKING:
            yield from node.args[:1]


def pattern(name: ast.JoinedStr) -> re.Pattern[str]:
    parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"(\w+)" for part in name.values)
    return re.compile("".join(parts))


def is_used(query: str) -> bool:
    if query in strings():
        return True
    found = (each.fullmatch(query) for each in patterns())
    return any(match and all(is_said(part) for part in match.groups()) for match in found)


def is_said(part: str) -> bool:
    """A table or a shelf that the program names; a shelf may be named by its two halves."""
    return part in strings() or set(part.split("_", 1)) <= strings()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_every_query_is_used(dialect: Dialect) -> None:
    assert [query for query in queries(dialect) if not is_used(query)] == []


def test_every_query_that_is_run_exists() -> None:
    known = queries("sqlite").keys() | queries("postgres").keys()
    said = [name.value for name in named() if isinstance(name, ast.Constant) and isinstance(name.value, str)]
    assert [name for name in said if re.fullmatch(r"[a-z]\w+", name) and name not in known] == []
    assert [each.pattern for each in patterns() if not any(map(each.fullmatch, known))] == []


def test_the_engines_differ_only_in_queries_about_themselves() -> None:
    sqlite, postgres = queries("sqlite"), queries("postgres")
    adapters = {name: (SOURCE / f"store/{name}.py").read_text("utf-8") for name in ("sqlite", "postgres")}
    assert [name for name in sqlite.keys() - postgres.keys() if f'"{name}"' not in adapters["sqlite"]] == []
    assert [name for name in postgres.keys() - sqlite.keys() if f'"{name}"' not in adapters["postgres"]] == []


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_no_fragment_and_no_shelf_is_left_open(dialect: Dialect) -> None:
    assert [body for body in queries(dialect).values() if re.search(r"\{_|<shelf>|--", body)] == []


def test_every_query_about_content_asks_for_one_workspace() -> None:
    of_the_install = re.compile(r"\b(workspace|token|session|setting|activity|migration|pg_\w+|role_table_grants)\b")
    touching = re.compile(r"\b(FROM|INTO|UPDATE)\b")
    bodies = {name: body for name, body in queries("postgres").items() if touching.search(body)}
    loose = [name for name, body in bodies.items() if "%(workspace_id)s" not in body]
    assert [name for name in loose if not of_the_install.search(bodies[name])] == []


def test_lists_become_json_for_sqlite() -> None:
    body = "SELECT id FROM item WHERE id = ANY(:ids::uuid[]) AND kind = ANY(:kinds::text[])"
    assert to_sqlite(body) == (
        "SELECT id FROM item WHERE id IN (SELECT value FROM json_each(:ids))"
        " AND kind IN (SELECT value FROM json_each(:kinds))"
    )


def test_casts_and_row_locks_are_not_for_sqlite() -> None:
    assert to_sqlite("SELECT score::double, a::text[] FROM chain FOR UPDATE") == "SELECT score, a FROM chain"


def test_parameters_become_placeholders_for_postgres() -> None:
    assert to_postgres("SELECT a::text FROM b WHERE c = :c AND d LIKE '%:d'") == (
        "SELECT a::text FROM b WHERE c = %(c)s AND d LIKE '%%%(d)s'"
    )
