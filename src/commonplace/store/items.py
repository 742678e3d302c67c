"""Items, versions and chunks: rows to values and back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from commonplace.model.interval import FOREVER, Instant, Interval
from commonplace.model.item import Chunk, Item, Version
from commonplace.model.names import slug
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write
from commonplace.store.view import View, Wanted


@dataclass(frozen=True, slots=True)
class Placed:
    """A version with its item and the slug of its collection."""

    item: Item
    version: Version
    collection: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk that is to be stored: its text and where it stands."""

    id: str
    content_id: str
    ordinal: int
    headings: tuple[str, ...]
    text: str
    llm_tokens: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with the content it points to and the item it belongs to."""

    chunk: Chunk
    content_id: str
    item_id: str
    collection: str = ""
    tier: str = ""
    title: str = ""
    valid_to: Instant = FOREVER


def insert_item(write: Write, item: Item) -> None:
    """Put in an item."""
    write.insert(
        "item",
        id=item.id,
        collection_id=item.collection_id,
        kind=item.kind,
        platform=item.platform,
        created_at=item.created_at,
        in_kb=item.in_kb,
        archived=item.archived,
        read=item.read,
        custom_title=item.custom_title,
        source_title=item.source_title,
        url=item.url,
        content_key=item.content_key,
        episode=item.episode,
        actor=item.actor,
        client=item.client,
        media=json.dumps(item.media),
    )


def insert_version(write: Write, version: Version) -> None:
    """Put in a version and its tags."""
    write.insert(
        "version",
        id=version.id,
        item_id=version.item_id,
        title=version.title,
        title_key=slug(version.title),
        memory_type=version.memory_type,
        tags=json.dumps(version.tags),
        classes=json.dumps(version.classes),
        provenance=version.provenance,
        predecessor=version.predecessor,
        reason=version.reason,
        content_hash=version.content_hash,
        created_at=version.created_at,
        valid_from=version.valid.start,
        valid_to=version.valid.end,
        recorded_at=version.recorded.start,
        retired_at=version.recorded.end,
    )
    for tag in dict.fromkeys(version.tags):
        write.insert("version_tag", version_id=version.id, tag=tag)


def insert_chunks(write: Write, item_id: str, version_id: str, pieces: Sequence[Piece]) -> None:
    """Put in the chunks of a version, their texts in the erasable table."""
    write.many("insert_content", ({"id": piece.content_id, "body": piece.text} for piece in pieces))
    for piece in pieces:
        write.insert(
            "chunk",
            id=piece.id,
            version_id=version_id,
            item_id=item_id,
            ordinal=piece.ordinal,
            headings=json.dumps(piece.headings),
            content_id=piece.content_id,
            llm_tokens=piece.llm_tokens,
            recorded_at=write.now,
            retired_at=FOREVER,
        )


def version_by_id(read: Read, view: View, version_id: str) -> Placed | None:
    """A version, whether it is valid at the moment or not."""
    return _placed(read.one("version_by_id", id=version_id, **view.parameters))


def version_of_item(read: Read, view: View, item_id: str) -> Placed | None:
    """The version of an item that is valid at the moment, else its latest."""
    return _placed(read.one("version_of_item", id=item_id, **view.parameters))


def versions_of_item(read: Read, view: View, item_id: str) -> list[Placed]:
    """All versions of an item, in the order of the world."""
    return [_of(row) for row in read.all("versions_of_item", id=item_id, **view.parameters)]


def versions_by_id(read: Read, view: View, ids: Sequence[str]) -> list[Placed]:
    """The visible ones of some versions."""
    return [_of(row) for row in read.all("versions_by_id", ids=tuple(ids), **view.parameters)]


def newest(
    read: Read,
    view: View,
    wanted: Wanted,
    *,
    limit: int,
    offset: int = 0,
) -> list[Placed]:
    """Items with the version valid at the moment, newest first."""
    rows = read.all("newest_versions", limit=limit, offset=offset, **wanted.parameters, **view.parameters)
    return [_of(row) for row in rows]


def count(read: Read, view: View, wanted: Wanted) -> int:
    """How many there are of them."""
    row = read.one("count_listed", **wanted.parameters, **view.parameters)
    assert row is not None, "a count has a row"
    return int(row["items"])


def chunks_of_version(read: Read, version_id: str, known_at: Instant) -> list[StoredChunk]:
    """The chunks of a version as they were held at a moment, in order; joined they are its text."""
    rows = read.all("chunks_of_version", version_id=version_id, known_at=known_at)
    return [_chunk(row) for row in rows]


def chunk_by_id(read: Read, view: View, chunk_id: str) -> StoredChunk | None:
    """A chunk that the caller may see."""
    row = read.one("chunk_by_id", id=chunk_id, **view.parameters)
    return _chunk(row) if row else None


def _chunk(row: Row) -> StoredChunk:
    chunk = Chunk(
        id=row["id"],
        version_id=row["version_id"],
        ordinal=row["ordinal"],
        headings=tuple(json.loads(row["headings"])),
        text=row["body"],
        llm_tokens=row["llm_tokens"],
        updated_at=Instant(row["recorded_at"]),
    )
    return StoredChunk(
        chunk,
        row["content_id"],
        row["item_id"],
        row.get("collection", ""),
        row.get("tier", ""),
        row.get("title", ""),
        Instant(row.get("valid_to", FOREVER)),
    )


def _placed(row: Row | None) -> Placed | None:
    return _of(row) if row else None


def _of(row: Row) -> Placed:
    return Placed(_item(row), _version(row), row["collection"])


def _item(row: Row) -> Item:
    return Item(
        id=row["item_id"],
        collection_id=row["item_collection_id"],
        kind=row["item_kind"],
        platform=row["item_platform"],
        created_at=Instant(row["item_created_at"]),
        in_kb=bool(row["item_in_kb"]),
        archived=bool(row["item_archived"]),
        read=bool(row["item_read"]),
        custom_title=row["item_custom_title"],
        source_title=row["item_source_title"],
        url=row["item_url"],
        content_key=row["item_content_key"],
        episode=row["item_episode"],
        actor=row["item_actor"],
        client=row["item_client"],
        media=_mapping(row["item_media"]),
    )


def _version(row: Row) -> Version:
    return Version(
        id=row["id"],
        item_id=row["item_id"],
        title=row["title"],
        memory_type=row["memory_type"],
        tags=tuple(json.loads(row["tags"])),
        classes=tuple(json.loads(row["classes"])),
        provenance=row["provenance"],
        predecessor=row["predecessor"],
        reason=row["reason"],
        content_hash=row["content_hash"],
        valid=Interval(Instant(row["valid_from"]), Instant(row["valid_to"])),
        recorded=Interval(Instant(row["recorded_at"]), Instant(row["retired_at"])),
        created_at=Instant(row["created_at"]),
        slug=row["slug"],
    )


def _mapping(text: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(text)
    return read
