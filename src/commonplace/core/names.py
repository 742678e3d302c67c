"""Readable ids: making them, and finding what an id of any form names."""

from datetime import UTC, datetime

from commonplace.model.ids import parse
from commonplace.model.interval import Instant, moment
from commonplace.model.names import dated, next_version_slug, slug
from commonplace.store.database import Read, Write

PURPOSE = "slug"


def claim_slug(write: Write, target_id: str, title: str, prefix: str) -> str:
    """Give a thing the first free readable id of its title."""
    day = _utc(write.now)
    return _claim(write, target_id, dated(slug(title), prefix, (day.year, day.month)))


def claim_next_slug(write: Write, target_id: str, previous: str) -> str:
    """Give a new version the readable id that follows its predecessor's."""
    wanted = next_version_slug(previous)
    while _taken(write, wanted):
        wanted = next_version_slug(wanted)
    return _claim(write, target_id, wanted)


def claim_relation_slug(write: Write, target_id: str, kind: str) -> str:
    """Give a relation a readable id of its type and day."""
    day = _utc(write.now)
    return _claim(write, target_id, dated(kind.lower(), "edge", (day.year, day.month, day.day)))


def identify(read: Read, text: str) -> str | None:
    """The UUID that an id of any form stands for; None where it stands for nothing."""
    known = parse(text)
    if known:
        return known
    found = read.one("slug_by_hash", slug_hash=read.keyed_hash(PURPOSE, text))
    return found["target_id"] if found else None


def _claim(write: Write, target_id: str, wanted: str) -> str:
    free, number = wanted, 1
    while _taken(write, free):
        number += 1
        free = f"{wanted}_{number}"
    write.insert("slug", slug_hash=write.keyed_hash(PURPOSE, free), slug=free, target_id=target_id)
    return free


def _taken(read: Read, wanted: str) -> bool:
    return read.one("slug_by_hash", slug_hash=read.keyed_hash(PURPOSE, wanted)) is not None


def _utc(at: Instant) -> datetime:
    return moment(at).astimezone(UTC)
