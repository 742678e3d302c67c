"""Relations: every one is two rows, made, ended and copied together."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.model.answer import Relation
from commonplace.model.interval import FOREVER, Instant
from commonplace.store.database import Read, Write
from commonplace.store.view import View, Wanted

NEIGHBOURS_MAX = 1000


@dataclass(frozen=True, slots=True)
class NewPair:
    """A relation that is to be made, with the name of its inverse."""

    kind: str
    inverse: str
    origin: str
    target: str
    made_by: str
    reason: str | None = None


def insert_pair(write: Write, pair: NewPair) -> tuple[str, str]:
    """Put in a relation and its inverse; their ids."""
    forward, backward = write.new_id(), write.new_id()
    for relation_id, inverse_id, kind, origin, target, stated in (
        (forward, backward, pair.kind, pair.origin, pair.target, True),
        (backward, forward, pair.inverse, pair.target, pair.origin, False),
    ):
        write.insert(
            "relation",
            id=relation_id,
            inverse_id=inverse_id,
            kind=kind,
            origin=origin,
            target=target,
            stated=stated,
            made_by=pair.made_by,
            reason=pair.reason,
            created_at=write.now,
            valid_from=write.now,
            valid_to=FOREVER,
            recorded_at=write.now,
            retired_at=FOREVER,
        )
    return forward, backward


def end_pair(write: Write, relation_id: str, inverse_id: str) -> None:
    """End a relation and its inverse; that they once held stays known."""
    for each in (relation_id, inverse_id):
        write.replace("relation", each, valid_to=write.now)


def open_between(read: Read, kind: str, origin: str, target: str) -> tuple[str, str] | None:
    """Ids of the relation between two ends that holds now, and of its inverse."""
    found = read.one("open_relation_between", kind=kind, origin=origin, target=target)
    return (found["id"], found["inverse_id"]) if found else None


def made_by(read: Read, version_id: str, maker: str) -> list[NewPair]:
    """What a maker related a version to and that holds now."""
    rows = read.all("relations_made", id=version_id, made_by=maker)
    return [NewPair(row["kind"], row["inverse"], row["origin"], row["target"], maker, row["reason"]) for row in rows]


def relations_of(read: Read, view: View, version_id: str) -> list[Relation]:
    """The relations of a version whose other end the caller may see."""
    return [
        Relation(
            row["id"],
            row["inverse_id"],
            row["kind"],
            row["origin"],
            row["target"],
            row["origin_slug"],
            row["target_slug"],
            Instant(row["created_at"]),
            outgoing=row["origin"] == version_id,
            slug=row["slug"],
            inverse_slug=row["inverse_slug"],
        )
        for row in read.all("relations_of", id=version_id, **view.parameters)
    ]


def neighbours(read: Read, view: View, wanted: Wanted, ids: Sequence[str]) -> list[tuple[str, str]]:
    """What some versions are related to, in either direction, as far as a reader wants and may see it."""
    rows = read.all("neighbours", ids=tuple(ids), limit=NEIGHBOURS_MAX, **view.parameters, **wanted.parameters)
    return [(row["origin"], row["target"]) for row in rows]
