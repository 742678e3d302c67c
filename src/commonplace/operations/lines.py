"""The lines of an export: one JSON object each, told apart by `type`; times are RFC 3339, what never ends has none."""

from typing import Annotated, Any

from msgspec import Meta, Struct, json

from commonplace.model.access import Tier
from commonplace.model.fact import Value
from commonplace.model.item import MemoryType

FORMAT = 1


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="type"):
    """What every line of an export shares."""


class Head(Line, frozen=True, kw_only=True, tag="commonplace"):
    """The first line."""

    format: int
    version: str
    workspace: str
    exported_at: str


class CollectionLine(Line, frozen=True, kw_only=True, tag="collection"):
    """A collection, by its slug."""

    slug: str
    name: str
    tier: Tier
    recall_cap: int


class FolderLine(Line, frozen=True, kw_only=True, tag="folder"):
    """A folder, by its name."""

    name: str


class VersionPart(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One version of an item; the one in front of it is what it replaced."""

    id: str
    title: str
    text: str
    valid_from: str
    valid_to: str | None = None
    recorded_at: str
    memory_type: MemoryType = "semantic"
    tags: tuple[str, ...] = ()
    provenance: str | None = None
    reason: str | None = None


class ItemLine(Line, frozen=True, kw_only=True, tag="item"):
    """An item with all its versions, oldest first."""

    id: str
    collection: str
    kind: str
    platform: str
    created_at: str
    in_kb: bool = True
    archived: bool = False
    read: bool = False
    custom_title: str | None = None
    url: str | None = None
    episode: str | None = None
    actor: str = ""
    client: str | None = None
    media: dict[str, Any] = {}
    folders: tuple[str, ...] = ()
    versions: Annotated[tuple[VersionPart, ...], Meta(min_length=1)]


class FactLine(Line, frozen=True, kw_only=True, tag="fact"):
    """A fact; `supersedes` is the one it corrects, `closed_at` when the store ended it."""

    id: str
    subject: str
    predicate: str
    value: Value
    valid_from: str
    valid_to: str | None = None
    recorded_at: str
    closed_at: str | None = None
    confidence: float = 1.0
    provenance: str | None = None
    episode: str | None = None
    collection: str
    item: str | None = None
    supersedes: str | None = None


class RelationLine(Line, frozen=True, kw_only=True, tag="relation"):
    """A relation between two versions; one that was not made by a link follows from texts and versions."""

    id: str
    kind: str
    origin: str
    target: str
    made_by: str
    valid_from: str
    valid_to: str | None = None
    recorded_at: str


class PlainLine(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A text from elsewhere."""

    text: str
    title: str | None = None
    tags: tuple[str, ...] = ()
    source: str | None = None
    valid_from: str | None = None
    collection: str | None = None


ExportLine = Head | CollectionLine | FolderLine | ItemLine | FactLine | RelationLine


def to_json(line: ExportLine) -> str:
    """A line as it is written, without its end."""
    return json.encode(line).decode()
