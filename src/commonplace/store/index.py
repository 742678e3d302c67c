"""Index entries: the terms and vectors of chunks and facts, each on the shelf where it may be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.store.connection import Half

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonplace.model.interval import Instant
    from commonplace.store.database import Read, Write


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index holds of one text or fact."""

    owner: str
    terms: Sequence[str]
    vector: Half | None


def put(write: Write, shelf: str, space_id: str | None, entry: Entry) -> None:
    """Make a text or fact findable on a shelf, in place of what was there of it."""
    drop(write, entry.owner)
    write.run("insert_lexical", owner=entry.owner, shelf=shelf, terms=" ".join(entry.terms))
    write.run(f"fill_{shelf}", owner=entry.owner, shelf=shelf)
    if space_id and entry.vector is not None:
        write.run("insert_vector", space_id=space_id, owner=entry.owner, shelf=shelf, data=entry.vector)


def put_vector(write: Write, shelf: str, space_id: str, owner: str, vector: Half) -> None:
    """Add a vector of another space to an entry."""
    write.run("insert_vector", space_id=space_id, owner=owner, shelf=shelf, data=vector)


def vectors(read: Read, space_id: str, owners: Sequence[str]) -> dict[str, Half]:
    """The vectors of some entries in a space, by owner."""
    rows = read.all("vectors_of", space_id=space_id, owners=tuple(owners))
    return {row["owner"]: Half(row["data"]) for row in rows}


def drop(write: Write, owner: str) -> None:
    """Take an entry out of the index, its words and its vectors."""
    held = write.one("shelf_of", owner=owner)
    if held is None:
        return
    write.run(f"empty_{held['shelf']}", owner=owner, shelf=held["shelf"])
    write.run("remove_lexical", owner=owner)
    write.run("remove_vector", owner=owner)


def settle(write: Write, *, items: Sequence[str] = (), facts: Sequence[str] = ()) -> dict[str, str]:
    """Move every entry of some items and facts to the shelf it now belongs on; the shelves of those that have none."""
    rows = write.all("places_of_items", items=tuple(items), now=write.now) if items else []
    rows += write.all("places_of_facts", facts=tuple(facts), items=tuple(items), now=write.now)
    missing = {}
    for row in rows:
        owner, held, place = row["owner"], row["shelf"], row["place"]
        if held == place:
            continue
        if not place:
            drop(write, owner)
        elif held is None:
            missing[owner] = place
        else:
            _move(write, owner, held, place)
    return missing


def keep_time(write: Write, since: Instant) -> None:
    """Move what began or ended by the passing of time since the last write."""
    items = [row["id"] for row in write.all("items_due", since=since, now=write.now)]
    facts = [row["id"] for row in write.all("facts_due", since=since, now=write.now)]
    if items or facts:
        settle(write, items=items, facts=facts)


def _move(write: Write, owner: str, held: str, place: str) -> None:
    write.run(f"empty_{held}", owner=owner, shelf=held)
    write.run("move_lexical", owner=owner, shelf=place)
    write.run(f"fill_{place}", owner=owner, shelf=place)
    write.run("move_vector", owner=owner, shelf=place)


def space(write: Write, name: str, dimensions: int) -> str:
    """The id of a vector space, made when it is new."""
    found = write.one("space_by_name", name=name)
    if found:
        return str(found["id"])
    space_id = write.new_id()
    write.run("insert_space", id=space_id, name=name, dimensions=dimensions)
    return space_id


def space_id(read: Read, name: str) -> tuple[str, int] | None:
    """The id and dimension of a vector space, if anything was ever put there."""
    found = read.one("space_by_name", name=name)
    return (found["id"], found["dimensions"]) if found else None
