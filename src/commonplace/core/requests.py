"""What can be asked: one frozen record per verb."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from commonplace.model.access import Scope, Tier
from commonplace.model.fact import Value, Window
from commonplace.model.interval import Instant
from commonplace.model.item import MemoryType
from commonplace.model.temporal import Temporal

Mode = Literal["hybrid", "semantic", "keyword"]
Target = Literal["memory", "fact"]
Scoring = Literal["blend", "cosine", "seventy_thirty", "bm25", "rrf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Keep a text. `collection` is a name a model wrote and goes through the resolver.

    `generic_label` and the client's name are shown in place of a title that was not given, but not searched.
    """

    text: str
    title: str | None = None
    generic_label: str | None = None
    collection: str | None = None
    kind: str = "note"
    platform: str = "memory"
    memory_type: MemoryType = "semantic"
    tags: tuple[str, ...] = ()
    provenance: str | None = None
    url: str | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    key: str | None = None
    in_kb: bool = True
    episode: str | None = None
    extract: bool = False
    note_fact: bool = False
    similar: bool = False
    vector: Sequence[float] | None = None
    media: dict[str, Any] = field(default_factory=dict)
    tell_sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede:
    """Replace the current version of an item; the old one stays as history. `note_bytes_max` spares documents."""

    id: str
    text: str
    title: str | None = None
    reason: str | None = None
    valid_from: Instant | None = None
    note_bytes_max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract:
    """End the validity of a version or a fact; history stays."""

    id: str
    reason: str | None = None
    valid_to: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """One item, whole."""

    id: str
    as_of: Instant | None = None
    known_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """Items, newest first."""

    limit: int = 20
    offset: int = 0
    folder: str | None = None
    archived: bool | None = False
    in_kb: bool | None = None
    collections: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ListPage:
    """The same, with how many items there are in all."""

    of: List


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Find what answers a text; without one, the newest; with ids, exactly those, whole.

    `scoring` is what orders what the searches found, and `depth` how much each of them finds at least. With
    `whole_notes` only a document answers by its best passage. `temporal` takes the place of a window of facts, and
    `min_effective` is the least confidence that age and source have left of a fact's own.
    """

    text: str | None = None
    ids: tuple[str, ...] = ()
    limit: int = 8
    targets: tuple[Target, ...] = ("memory",)
    mode: Mode = "hybrid"
    scoring: Scoring = "blend"
    depth: int = 50
    collections: tuple[str, ...] | None = None
    except_collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    memory_type: MemoryType | None = None
    as_of: Instant | None = None
    known_at: Instant | None = None
    hops: int = 1
    min_score: float = 0.0
    min_confidence: float = 0.0
    max_llm_tokens: int | None = None
    capped_collections: bool = False
    vector: Sequence[float] | None = None
    window: Window | None = None
    temporal: Temporal | None = None
    min_effective: float = 0.0
    facts: tuple[str, ...] | None = None
    one_per_item: bool = True
    whole_notes: bool = False
    explain: bool = False
    tell_sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Facts that fit a budget of llm tokens, as lines."""

    text: str
    max_llm_tokens: int
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What one should know before a task."""

    task: str
    subject: str | None = None
    now: Instant | None = None
    horizon_days: int = 30
    limit: int = 8
    hybrid: bool = False
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertFact:
    """State a fact; one that was drawn from an item shares its collection and is forgotten with it."""

    subject: str
    predicate: str
    value: Value
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    confidence: float = 1.0
    provenance: str | None = None
    episode: str | None = None
    item: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectFact:
    """Close a fact and state its replacement."""

    id: str
    value: Value
    valid_from: Instant | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidateFact:
    """Close a fact; a second time changes nothing."""

    id: str
    valid_to: Instant | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAbout:
    """The facts about an entity."""

    entity: str
    include_history: bool = False
    as_of: Instant | None = None
    known_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Everything known about an entity: facts, changes, relations, health."""

    entity: str
    as_of: Instant | None = None
    known_at: Instant | None = None
    since: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesOf:
    """What became known about an entity since a moment."""

    entity: str
    since: Instant
    predicate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthOf:
    """How far what is known about an entity can be relied on."""

    entity: str
    predicate: str | None = None
    low_confidence: float = 0.7
    stale_after_days: int = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Relate two versions."""

    origin: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlink:
    """End a relation and its inverse."""

    origin: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationsOf:
    """The relations of a version."""

    id: str
    as_of: Instant | None = None
    known_at: Instant | None = None


BASE = "https://commonplace.invalid"


@dataclass(frozen=True, slots=True)
class ListRelationTypes:
    """The workspace's classes and relation types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportShapes:
    """The registry as SHACL shapes in Turtle."""

    base: str = BASE


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportGraph:
    """The memories and their relations in Turtle."""

    base: str = BASE


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """Show what a chunk would say after a correction; nothing is changed.

    Here and in `Apply` and `Forget`, `within` is the collection it must be in, and `tell_sensitive` has a sensitive
    thing refused as such, where it else looks as if it were not there.
    """

    chunk_id: str
    proposal: str
    methods: tuple[str, ...] | None = None
    within: str | None = None
    tell_sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Make a proposed correction the text."""

    id: str
    within: str | None = None
    tell_sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Erase for good: what ids of any kind name, items, single chunks, or all from a source or in a collection.

    Chunks that are named beside items must be of these items.
    """

    ids: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    source: str | None = None
    collection: str | None = None
    within: str | None = None
    tell_sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateCollection:
    """Make a collection; for people only."""

    name: str
    tier: Tier = Tier.PERSONAL


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCollection:
    """Change a collection; what is None stays. For people only."""

    slug: str
    name: str | None = None
    tier: Tier | None = None
    recall_cap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteCollection:
    """Delete an empty collection; for people only."""

    slug: str


@dataclass(frozen=True, slots=True)
class ListCollections:
    """The collections the caller may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Move items to another collection; for people only."""

    ids: tuple[str, ...]
    collection: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """Change what is not bi-temporal about an item; what is None stays."""

    id: str
    in_kb: bool | None = None
    archived: bool | None = None
    read: bool | None = None
    custom_title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFolder:
    """Make a folder."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFolder:
    """Delete a folder; with `cascade`, also the items that are in no other."""

    id: str
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class ListFolders:
    """The folders the caller may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileItem:
    """Put an item into folders."""

    id: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfileItem:
    """Take an item out of a folder."""

    id: str
    folder: str


@dataclass(frozen=True, slots=True)
class CheckReady:
    """Whether the store answers; open to every caller, for nothing of anyone is told."""


@dataclass(frozen=True, slots=True)
class CountAll:
    """Count what the caller may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Events, newest first; of one thing when an id is given. For people only."""

    id: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take a write back by a write of its own. For people only."""

    event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue:
    """Queue a piece of long work."""

    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    item_id: str | None = None
    total: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelJob:
    """Stop a piece of long work."""

    id: str


@dataclass(frozen=True, slots=True)
class ListJobs:
    """Long work, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReviews:
    """What waits for a person."""

    state: str = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideReview:
    """A person's decision: into which collection, a new one, or not at all."""

    id: str
    approve: bool
    collection: str | None = None
    create: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueToken:
    """Make a token; its secret is in the answer and nowhere else."""

    kind: Literal["kmt", "lev"] = "kmt"
    name: str = ""
    scopes: tuple[Scope, ...] = (Scope.READ, Scope.WRITE)
    folders: tuple[str, ...] | None = None
    kb_only: bool = False
    expires_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken:
    """End a token at once."""

    id: str


@dataclass(frozen=True, slots=True)
class ShowWorkspace:
    """The caller's workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosePlan:
    """Put the caller's workspace on a plan."""

    plan: str


@dataclass(frozen=True, slots=True)
class ListTokens:
    """The workspace's tokens, without their secrets."""
