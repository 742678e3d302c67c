"""Taking everything out of a workspace as JSON lines, and putting such lines into one.

An export holds what is known now: every version, fact and relation with its valid interval. What was known earlier and
was changed since is in a backup only. An import goes through the verbs: it is recorded when it happens, and what a
text names in double brackets is linked anew, to what bears that name then.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec

from commonplace import __version__
from commonplace.core import perform
from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.requests import ListCollections, ListFolders
from commonplace.core.workspaces import workspace_of
from commonplace.model.access import Caller, Scope
from commonplace.model.errors import CommonplaceError, Invalid
from commonplace.model.fact import Fact
from commonplace.model.interval import Instant, format_end, format_instant
from commonplace.operations.arrival import Arrival, Counts, take
from commonplace.operations.lines import (
    FORMAT,
    CollectionLine,
    ExportLine,
    FactLine,
    FolderLine,
    Head,
    ItemLine,
    RelationLine,
    VersionPart,
    to_json,
)
from commonplace.store import facts, items
from commonplace.store.collections import folder_ids_of
from commonplace.store.connection import Row
from commonplace.store.database import Read
from commonplace.store.items import Placed
from commonplace.store.view import View, view_of

PAGE = 100
NIL = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class Sight:
    """What an exporter may see, at the moment when the export began."""

    app: App
    caller: Caller
    known_at: Instant

    @contextmanager
    def opened(self) -> Iterator[tuple[Read, View]]:
        """A short look: between two pages others write on, and the moment holds the pages together."""
        with self.app.db.read(self.caller.workspace_id) as read:
            yield read, view_of(read, self.caller, known_at=self.known_at)


def export_lines(app: App, caller: Caller) -> Iterator[str]:
    """Everything that the caller may see, a JSON object a line, in an order that does not change."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        sight = Sight(app, caller, read.now)
    name = workspace_of(app, caller.workspace_id).name
    head = Head(format=FORMAT, version=__version__, workspace=name, exported_at=format_instant(sight.known_at))
    for pages in ([head], _collections(sight), _folders(sight), _items(sight), _facts(sight), _relations(sight)):
        yield from map(to_json, pages)


def import_lines(app: App, caller: Caller, lines: Iterable[str | bytes]) -> Counts:
    """Put in the lines of an export, or plain ones with a `text`; what came before does not come twice."""
    arrival = Arrival(app, caller)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            with _numbered(number):
                take(arrival, line)
    return Counts(**arrival.counted)


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    """Say which line an error is about."""
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"Line {number} cannot be read: {error}.", line=number) from error
    except CommonplaceError as error:
        raise type(error)(f"Line {number}: {error.message}", **{**error.facts, "line": number}) from error


def _collections(sight: Sight) -> Iterator[ExportLine]:
    for each in perform(sight.app, sight.caller, ListCollections()):
        yield CollectionLine(slug=each.slug, name=each.name, tier=each.tier, recall_cap=each.recall_cap)


def _folders(sight: Sight) -> Iterator[ExportLine]:
    for each in perform(sight.app, sight.caller, ListFolders()):
        yield FolderLine(name=each.name)


def _items(sight: Sight) -> Iterator[ExportLine]:
    after = NIL
    while after:
        with sight.opened() as (read, view):
            ids = [row["id"] for row in read.all("item_ids_after", after=after, limit=PAGE, **view.parameters)]
            found = [(read, view, items.versions_of_item(read, view, each)) for each in ids]
            lines = [_item_line(*each) for each in found if each[2]]
        yield from lines
        after = ids[-1] if ids else ""


def _item_line(read: Read, view: View, versions: list[Placed]) -> ItemLine:
    item = versions[0].item
    return ItemLine(
        id=item.id,
        collection=versions[0].collection,
        kind=item.kind,
        platform=item.platform,
        created_at=format_instant(item.created_at),
        in_kb=item.in_kb,
        archived=item.archived,
        read=item.read,
        custom_title=item.custom_title,
        url=item.url,
        episode=item.episode,
        actor=item.actor,
        client=item.client,
        media=item.media,
        folders=tuple(name for _, name in folder_ids_of(read, item.id)),
        versions=tuple(_version_part(read, view, each) for each in versions),
    )


def _version_part(read: Read, view: View, placed: Placed) -> VersionPart:
    version = placed.version
    chunks = items.chunks_of_version(read, version.id, view.known_at)
    return VersionPart(
        id=version.id,
        title=version.title,
        text="".join(each.chunk.text for each in chunks),
        valid_from=format_instant(version.valid.start),
        valid_to=format_end(version.valid.end),
        recorded_at=format_instant(version.created_at),
        memory_type=version.memory_type,
        tags=version.tags,
        provenance=version.provenance,
        reason=version.reason,
    )


def _facts(sight: Sight) -> Iterator[ExportLine]:
    after = NIL
    while after:
        with sight.opened() as (read, view):
            ids = [row["id"] for row in read.all("fact_ids_after", after=after, limit=PAGE, **view.parameters)]
            found = facts.facts_by_id(read, view, ids)
        yield from (_fact_line(*found[each]) for each in ids)
        after = ids[-1] if ids else ""


def _fact_line(fact: Fact, collection: str) -> FactLine:
    return FactLine(
        id=fact.id,
        subject=fact.subject,
        predicate=fact.predicate,
        value=fact.value,
        valid_from=format_instant(fact.valid.start),
        valid_to=format_end(fact.valid.end),
        recorded_at=format_instant(fact.first_recorded_at),
        closed_at=None if fact.expired_at is None else format_instant(fact.expired_at),
        confidence=fact.confidence,
        provenance=fact.provenance,
        episode=fact.episode,
        collection=collection,
        item=fact.item_id,
        supersedes=fact.predecessor,
    )


def _relations(sight: Sight) -> Iterator[ExportLine]:
    last: Row | None = {"origin": NIL, "target": NIL, "kind": "", "id": NIL}
    while last:
        after = {column: last[column] for column in ("origin", "target", "kind", "id")}
        with sight.opened() as (read, view):
            rows = read.all("relations_after", limit=PAGE, **after, **view.parameters)
        yield from map(_relation_line, rows)
        last = rows[-1] if rows else None


def _relation_line(row: Row) -> RelationLine:
    return RelationLine(
        id=row["id"],
        kind=row["kind"],
        origin=row["origin"],
        target=row["target"],
        made_by=row["made_by"],
        valid_from=format_instant(row["valid_from"]),
        valid_to=format_end(row["valid_to"]),
        recorded_at=format_instant(row["created_at"]),
    )
