"""Readable ids: making them, and finding what an id of any form names."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from commonplace.model.ids import parse
from commonplace.model.interval import Instant, moment
from commonplace.model.names import dated, next_version_slug, slug
from commonplace.store.database import Read, Write

PURPOSE = "slug"
DOCUMENT = "document"


def claim_slug(write: Write, target_id: str, title: str, kind: str, made_at: Instant | None = None) -> str:
    """Give a version of an item of this kind the first free readable id of its title."""
    day = _utc(made_at or write.now)
    prefix = "doc" if kind == DOCUMENT else "memory"
    return _claim(write, target_id, dated(slug(title), prefix, (day.year, day.month)))


def claim_next_slug(write: Write, target_id: str, previous: str) -> str:
    """Give a new version the readable id that follows its predecessor's."""
    wanted = next_version_slug(previous)
    while _taken(write, wanted):
        wanted = next_version_slug(wanted)
    return _claim(write, target_id, wanted)


def claim_relation_slug(write: Write, target_id: str, kind: str, made_at: Instant | None = None) -> str:
    """Give a relation a readable id of its type and day."""
    day = _utc(made_at or write.now)
    return _claim(write, target_id, dated(kind.lower(), "edge", (day.year, day.month, day.day)))


def claim_missing(write: Write, items: Sequence[str]) -> None:
    """Give what was in a sensitive collection the readable ids that it did without there."""
    for row in write.all("nameless_versions", items=tuple(items)):
        before = write.one("slug_of", target_id=row["predecessor"]) if row["predecessor"] else None
        if before:
            claim_next_slug(write, row["id"], before["slug"])
        else:
            claim_slug(write, row["id"], row["title"], row["kind"], row["created_at"])
    for row in write.all("nameless_relations", items=tuple(items)):
        claim_relation_slug(write, row["id"], row["kind"], row["created_at"])


def identify(read: Read, text: str) -> str | None:
    """The UUID that an id of any form stands for; None where it stands for nothing."""
    known = parse(text)
    if known:
        return known
    found = read.one("slug_by_hash", slug_hash=read.keyed_hash(PURPOSE, text))
    return found["target_id"] if found else None


def content_key(read: Read, content: str) -> str:
    """An id that equal contents share, and that tells nothing of them."""
    return str(UUID(bytes=read.keyed_hash("content", content)[:16], version=5))


def _claim(write: Write, target_id: str, wanted: str) -> str:
    free = _numbered(wanted, _free_number(write, wanted))
    write.insert("slug", slug_hash=write.keyed_hash(PURPOSE, free), slug=free, target_id=target_id)
    return free


def _free_number(read: Read, wanted: str) -> int:
    """The first number that is free, found by doubling and halving: a title may be used thousands of times."""
    taken, free = 0, 1
    while _taken(read, _numbered(wanted, free)):
        taken, free = free, free * 2
    while free - taken > 1:
        between = (taken + free) // 2
        if _taken(read, _numbered(wanted, between)):
            taken = between
        else:
            free = between
    return free


def _numbered(wanted: str, number: int) -> str:
    return wanted if number == 1 else f"{wanted}_{number}"


def _taken(read: Read, wanted: str) -> bool:
    return read.one("slug_by_hash", slug_hash=read.keyed_hash(PURPOSE, wanted)) is not None


def _utc(at: Instant) -> datetime:
    return moment(at).astimezone(UTC)
