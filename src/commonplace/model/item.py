"""Things put in: items, their versions, and the chunks these are cut into."""

from dataclasses import dataclass, field
from typing import Any, Literal

from commonplace.model.interval import Instant, Interval

MemoryType = Literal["semantic", "episodic", "procedural", "reference"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing put in: a note, a document, a page, a recording, a turn of a conversation."""

    id: str
    collection_id: str
    kind: str
    platform: str
    created_at: Instant
    in_kb: bool = True
    archived: bool = False
    read: bool = False
    custom_title: str | None = None
    source_title: str | None = None
    url: str | None = None
    content_key: str | None = None
    episode: str | None = None
    actor: str = ""
    client: str | None = None
    media: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Version:
    """What an item says over one valid interval."""

    id: str
    item_id: str
    title: str
    memory_type: MemoryType
    tags: tuple[str, ...]
    classes: tuple[str, ...]
    provenance: str | None
    predecessor: str | None
    reason: str | None
    content_hash: str
    valid: Interval
    recorded: Interval
    created_at: Instant
    slug: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable piece of one version; the chunks of a version, joined, are its text."""

    id: str
    version_id: str
    ordinal: int
    headings: tuple[str, ...]
    text: str
    llm_tokens: int
    updated_at: Instant


@dataclass(frozen=True, slots=True)
class Whole:
    """An item with the version asked for and its full text."""

    item: Item
    version: Version
    text: str
    collection: str
    chunk_ids: tuple[str, ...]
    folders: tuple[tuple[str, str], ...] = ()
