"""What verbs return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from commonplace.model.fact import Changes, Fact, Health
from commonplace.model.interval import Instant, Interval


@dataclass(frozen=True, slots=True)
class Similar:
    """Something stored before that says nearly the same."""

    id: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class Stored:
    """An item that is now in the store; `known` when an idempotency key had been used before."""

    item_id: str
    version_id: str
    slug: str | None
    collection: str
    created_at: Instant
    chunk_ids: tuple[str, ...]
    fact_ids: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()
    folder_id: str | None = None
    known: bool = False
    content_id: str | None = None


@dataclass(frozen=True, slots=True)
class Superseded:
    """The old and the new version, and the relation between them."""

    item_id: str
    old_id: str
    new_id: str
    old_slug: str | None
    new_slug: str | None
    relation_id: str
    relation_slug: str | None
    changed_at: Instant
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asserted:
    """A fact that is now in the store, and those it contradicts."""

    id: str
    contradicts: tuple[str, ...]
    known: bool = False


@dataclass(frozen=True, slots=True)
class Corrected:
    """A fact that was closed and the one that stands for it."""

    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """What is no longer true, and since when."""

    id: str
    valid_to: Instant


@dataclass(frozen=True, slots=True)
class Hit:
    """Something recalled: the best passage of one item, or a fact."""

    kind: Literal["memory", "fact"]
    id: str
    title: str
    text: str
    score: float
    collection: str
    source: str | None
    valid: Interval
    recorded_at: Instant
    slug: str | None = None
    item_id: str | None = None
    item_kind: str = ""
    chunk_id: str | None = None
    chunk_index: int | None = None
    chunks: int = 0
    via: tuple[str, ...] = ()
    fact: Fact | None = None
    llm_tokens: int = 0
    updated_at: Instant | None = None
    label: str | None = None
    platform: str = ""
    url: str | None = None
    content_id: str | None = None
    added_at: Instant | None = None
    why: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recalled:
    """The hits for a query, best first, and whether any were cut for the token budget."""

    hits: tuple[Hit, ...]
    llm_tokens: int
    truncated: bool
    elapsed_ms: int
    degraded: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assembled:
    """Lines of facts that fit a budget."""

    lines: tuple[str, ...]
    fact_ids: tuple[str, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Linked:
    """A relation and its inverse."""

    relation_id: str
    inverse_id: str
    slug: str | None
    inverse_slug: str | None
    known: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation as seen from one of its ends, under the name it was made with."""

    relation_id: str
    inverse_id: str
    kind: str
    origin: str
    target: str
    origin_slug: str | None
    target_slug: str | None
    created_at: Instant
    outgoing: bool
    slug: str | None = None
    inverse_slug: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """The facts about an entity, how they came about, what it is related to, and how sound all that is."""

    entity: str
    facts: tuple[Fact, ...]
    changes: Changes
    relations: tuple[Relation, ...]
    health: Health


@dataclass(frozen=True, slots=True)
class Proposed:
    """A correction that is shown and not applied."""

    id: str
    chunk_id: str
    original: str
    proposed: str
    diff: str
    method: str
    created_at: Instant
    expires_at: Instant


@dataclass(frozen=True, slots=True)
class Applied:
    """A correction that is now the text."""

    chunk_id: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased, and whether the journal is free of it too."""

    item_ids: tuple[str, ...]
    chunks: int
    versions: int
    facts: int
    relations: int
    journal_clear: bool
    event_id: str


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """The counts of one collection."""

    slug: str
    name: str
    tier: str
    items: int
    chunks: int
    llm_tokens: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The store answers; the version of the product that asked it."""

    version: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What the caller may see, counted."""

    memories: int
    relations: int
    chunks: int
    facts: int
    size_bytes: int
    collections: tuple[CollectionStats, ...]
    embedder: str
    dimensions: int
    reviews_pending: int
    jobs_open: int
    encrypted: bool
    location: str
    version: str


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of long work."""

    id: str
    kind: str
    state: str
    done: int
    total: int
    attempts: int
    error: str | None
    created_at: Instant
    item_id: str | None


@dataclass(frozen=True, slots=True)
class Review:
    """A question that a person decides."""

    id: str
    kind: str
    suggested: str
    label: str | None
    preview: str
    client: str | None
    candidates: tuple[tuple[str, str, float, str], ...]
    state: str
    created_at: Instant
    expires_at: Instant
