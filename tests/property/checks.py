"""What must hold of the rows themselves, whatever was done."""

import base64
from itertools import pairwise
from typing import Any

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.interval import FOREVER
from support import tables

EQUAL = (
    *("item", "version", "chunk", "content", "entity", "fact", "relation"),
    *("slug", "event_subject", "lexical", "vector"),
)
OF_ONE_ENGINE = {"entry", "length"}

Row = dict[str, Any]


def as_line(row: Row) -> tuple[Any, ...]:
    key = (row["kind"], row["origin"], row["target"]) if "origin" in row else (row["id"],)
    return (*key, row["valid_from"], row["valid_to"], row["recorded_at"], row["retired_at"])


def check_chains(found: list[Row]) -> None:
    """At any instant at most one version of a chain, one wherever the chain has begun and not ended; no forks."""
    held = [row for row in found if row["retired_at"] == FOREVER]
    for item in {row["item_id"] for row in held}:
        chain = sorted((row for row in held if row["item_id"] == item), key=lambda row: row["valid_from"])
        for earlier, later in pairwise(chain):
            assert earlier["valid_to"] == later["valid_from"]
            assert later["predecessor"] == earlier["id"]
        assert chain[0]["predecessor"] is None


def check_inverses(found: list[Row]) -> None:
    """Every relation has its inverse, made and ended with it."""
    times = ("valid_from", "valid_to", "recorded_at", "retired_at", "created_at")
    known = {(row["id"], row["recorded_at"]): row for row in found}
    for row in found:
        inverse = known[row["inverse_id"], row["recorded_at"]]
        assert (inverse["origin"], inverse["target"]) == (row["target"], row["origin"])
        assert inverse["inverse_id"] == row["id"]
        assert inverse["stated"] != row["stated"]
        assert [inverse[name] for name in times] == [row[name] for name in times]


def check_nothing_changes(found: dict[str, list[Row]], seen: dict[tuple[str, str, int], Row]) -> None:
    """A row that was there is there as it was, but that it may have been retired, once."""
    now = {(table, row["id"], row["recorded_at"]): row for table in found for row in found[table]}
    for key in seen.keys() & now.keys():
        assert {**seen[key], "retired_at": 0} == {**now[key], "retired_at": 0}
        assert seen[key]["retired_at"] in {FOREVER, now[key]["retired_at"]}
    seen.clear()
    seen.update(now)


def normal(found: list[Row]) -> list[str]:
    """Rows as text in one order: bytes as the op-log writes them, and 1 for true."""
    return sorted(
        repr(sorted((name, plain(value)) for name, value in row.items() if name not in OF_ONE_ENGINE)) for row in found
    )


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return int(value) if isinstance(value, bool) else value


def check_equal_rows(apps: list[App], caller: Caller) -> None:
    """One history makes the same rows, index entries and vectors on both engines."""
    sqlite, postgres = (tables(app, caller, *EQUAL) for app in apps)
    for table in EQUAL:
        assert normal(sqlite[table]) == normal(postgres[table]), table
