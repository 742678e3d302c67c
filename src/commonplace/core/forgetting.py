"""Forgetting: what is erased is erased everywhere, and the answer says so."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import exact
from commonplace.core.indexing import entries
from commonplace.core.names import claim_slug, identify
from commonplace.core.requests import Forget
from commonplace.ingest.chunk import title_of
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Forgotten
from commonplace.model.errors import Conflict, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.store import erase, facts, index, items
from commonplace.store.database import Read, Write
from commonplace.store.erase import Doomed
from commonplace.store.index import Entry
from commonplace.store.items import Piece, Placed, StoredChunk
from commonplace.store.view import LATEST, view_of


@dataclass(frozen=True, slots=True)
class Cut:
    """A version some of whose chunks go: what is left of it, and the index entries of that."""

    placed: Placed
    gone: tuple[StoredChunk, ...]
    left: tuple[StoredChunk, ...]
    title: str
    entries: tuple[Entry, ...]

    @property
    def text(self) -> str:
        """The text that is left."""
        return "".join(each.chunk.text for each in self.left)


def forget(app: App, caller: Caller, request: Forget) -> Forgotten:
    """Erase items, facts or single chunks for good: rows, index, earlier versions, facts, relations, op-log texts."""
    require(caller, Scope.WRITE)
    with app.db.read(caller.workspace_id) as read:
        doomed, cuts = _plan(app, read, caller, request)
    with app.db.write(caller) as write:
        again = _plan(None, write, caller, request)
        if again[0] != doomed or [_signature(cut) for cut in again[1]] != [_signature(cut) for cut in cuts]:
            raise Conflict("This changed while it was being forgotten; try again.")
        gone = [*erase.erase(write, doomed)]
        for cut in cuts:
            gone += _cut_out(app, write, cut)
        event = write.record(EventKind.FORGET, *gone)
    return Forgotten(
        doomed.items,
        len(doomed.chunks) + sum(len(cut.gone) for cut in cuts),
        len(doomed.versions),
        len(doomed.facts),
        len(doomed.relations) // 2,
        app.db.engine.clear_journal(caller.workspace_id),
        event.id,
    )


def _plan(app: App | None, read: Read, caller: Caller, request: Forget) -> tuple[Doomed, list[Cut]]:
    """What goes whole and what is cut; without an app nothing is embedded, for comparison under the lock."""
    whole, lone_facts = _named(read, caller, request)
    by_version: dict[str, list[StoredChunk]] = {}
    for each in request.chunks:
        chunk = _chunk(read, caller, each)
        by_version.setdefault(chunk.chunk.version_id, []).append(chunk)
    cuts = []
    for version_id, gone in by_version.items():
        cut = _cut(app, read, caller, version_id, gone)
        if cut.left:
            cuts.append(cut)
        else:
            whole.append(cut.placed.item.id)
    cuts = [cut for cut in cuts if cut.placed.item.id not in whole]
    if not whole and not cuts and not lone_facts:
        raise NotFound("There is nothing like this to forget.")
    return erase.doomed_with(read, list(dict.fromkeys(whole)), lone_facts), cuts


def _named(read: Read, caller: Caller, request: Forget) -> tuple[list[str], list[str]]:
    view = view_of(read, caller)
    whole: list[str] = []
    lone_facts: list[str] = []
    if not (request.ids or request.chunks or request.source or request.collection):
        raise Invalid("Name what to forget: an id, a chunk, a source or a collection.", reason="missing")
    for text in request.ids:
        thing = identify(read, text)
        found = read.one("item_of", id=thing, **view.parameters) if thing else None
        if found:
            whole.append(found["id"])
        elif thing and facts.fact_by_id(read, view, thing):
            lone_facts.append(thing)
        else:
            raise NotFound(f"Memory not found: {text}", id=text)
    if request.source:
        rows = read.all("items_by_provenance", provenance=request.source, **view.parameters)
        whole += [row["id"] for row in rows]
    if request.collection:
        collection = exact(read, request.collection)
        if not collection or (collection.tier == Tier.SENSITIVE and not caller.human):
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        held = [row["id"] for row in read.all("items_of_collection", collection_id=collection.id)]
        whole += [item_id for item_id in held if read.one("item_of", id=item_id, **view.parameters)]
    return whole, lone_facts


def _chunk(read: Read, caller: Caller, text: str) -> StoredChunk:
    thing = identify(read, text)
    found = items.chunk_by_id(read, view_of(read, caller), thing) if thing else None
    if not found:
        raise NotFound(f"Chunk not found: {text}", id=text)
    return found


def _cut(app: App | None, read: Read, caller: Caller, version_id: str, gone: Sequence[StoredChunk]) -> Cut:
    placed = items.version_by_id(read, view_of(read, caller), version_id)
    assert placed is not None, "its chunk was visible"
    ids = {each.chunk.id for each in gone}
    left = tuple(c for c in items.chunks_of_version(read, version_id, LATEST) if c.chunk.id not in ids)
    text = "".join(each.chunk.text for each in left)
    left = tuple(replace(c, chunk=replace(c.chunk, headings=_standing(c.chunk.headings, text))) for c in left)
    title = placed.version.title
    if title not in text and any(title in each.chunk.text for each in gone):
        title = title_of(text) if text.strip() else title
    made = entries(app, title, [_piece(each) for each in left]) if app and left and placed.item.in_kb else ()
    return Cut(placed, tuple(gone), left, title, made)


def _cut_out(app: App, write: Write, cut: Cut) -> list[str]:
    version = cut.placed.version
    before = cut.placed.version.title
    drawn = _facts_without_ground(write, cut)
    chunks = tuple(each.chunk.id for each in cut.gone)
    contents = [row["content_id"] for row in write.all("contents_of_chunks", chunks=chunks)]
    gone = erase.erase(write, Doomed(chunks=chunks, contents=tuple(contents), facts=drawn))
    erase.reword_version(write, version.id, cut.title, hashlib.sha256(cut.text.encode()).hexdigest())
    for each in cut.left:
        erase.rehead_chunk(write, each.chunk.id, each.chunk.headings)
    if cut.entries:
        _reindex(app, write, cut)
    erase.redact(write, (version.id, *(each.chunk.id for each in cut.left)))
    if cut.title != before and version.slug:
        erase.hide_slug(write, version.id)
        claim_slug(write, version.id, cut.title, "memory")
    return [*gone, version.id]


def _reindex(app: App, write: Write, cut: Cut) -> None:
    space_id = index.space(write, app.embedder.name, app.embedder.dimensions)
    for entry in cut.entries:
        held = write.one("shelf_of", owner=entry.owner)
        if held:
            index.put(write, held["shelf"], space_id, entry)


def _facts_without_ground(read: Read, cut: Cut) -> tuple[str, ...]:
    """The facts of an item that its remaining text no longer says: its note, and what was read in the lost part."""
    ids = [row["id"] for row in read.all("facts_of_item", items=(cut.placed.item.id,))]
    rows = read.all("facts_kept", ids=tuple(ids))
    text = cut.text.casefold()
    return tuple(
        dict.fromkeys(
            row["id"] for row in rows if facts.said_value(row).casefold() not in text or row["predicate"] == "memory"
        )
    )


def _standing(headings: Sequence[str], text: str) -> tuple[str, ...]:
    return tuple(heading for heading in headings if heading in text)


def _piece(stored: StoredChunk) -> Piece:
    chunk = stored.chunk
    return Piece(chunk.id, stored.content_id, chunk.ordinal, chunk.headings, chunk.text, chunk.llm_tokens)


def _signature(cut: Cut) -> tuple[object, ...]:
    return (cut.placed.version, cut.gone, cut.left, cut.title)
