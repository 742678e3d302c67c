"""Forgetting: what is erased is erased everywhere, and the answer says so."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import absent, exact, require_within
from commonplace.core.indexing import Text, entries_of, piece_of, place_again
from commonplace.core.names import claim_slug, identify
from commonplace.core.relations import drop_unnamed, unnamed
from commonplace.core.requests import Forget
from commonplace.core.reviews import asked_from
from commonplace.ingest.chunk import title_of
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Forgotten
from commonplace.model.errors import Conflict, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.store import erase, facts, items
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write
from commonplace.store.erase import Doomed
from commonplace.store.items import Piece, Placed, StoredChunk
from commonplace.store.view import LATEST, View, unveiled, view_of


@dataclass(frozen=True, slots=True)
class Cut:
    """A version some of whose chunks go: what is left of it, and what the index is to hold of that."""

    placed: Placed
    gone: tuple[StoredChunk, ...]
    left: tuple[StoredChunk, ...]
    title: str
    texts: tuple[Text, ...]
    relations: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text that is left."""
        return "".join(each.chunk.text for each in self.left)


def forget(app: App, caller: Caller, request: Forget) -> Forgotten:
    """Erase items, facts or single chunks for good: rows, index, earlier versions, facts, relations, op-log texts."""
    require(caller, Scope.WRITE)
    with app.db.read(caller.workspace_id) as read:
        doomed, cuts = plan = _plan(read, caller, request)
    made = entries_of(app, (text for cut in cuts for text in cut.texts))
    with app.db.write(caller) as write:
        if _plan(write, caller, request) != plan:
            raise Conflict("This changed while it was being forgotten; try again.")
        gone = [*erase.erase(write, doomed)]
        for cut in cuts:
            gone += _cut_out(write, cut)
        place_again(app, write, made, {})
        event = write.record(EventKind.FORGET, *gone)
    return Forgotten(
        doomed.items,
        len(doomed.chunks) + sum(len(cut.gone) for cut in cuts),
        len(doomed.versions),
        len(doomed.facts),
        len({*doomed.relations, *(each for cut in cuts for each in cut.relations)}) // 2,
        app.db.engine.clear_journal(caller.workspace_id),
        event.id,
    )


def _plan(read: Read, caller: Caller, request: Forget) -> tuple[Doomed, list[Cut]]:
    """What goes whole and what is cut."""
    whole, lone_facts = _named(read, caller, request)
    by_version: dict[str, list[StoredChunk]] = {}
    for each in request.chunks:
        chunk = _chunk(read, caller, request, each)
        if request.items and chunk.item_id not in whole:
            raise Invalid(f"The chunk {each} is not of that item.", reason="elsewhere")
        by_version.setdefault(chunk.chunk.version_id, []).append(chunk)
    cuts = []
    for version_id, gone in by_version.items():
        cut = _cut(read, caller, version_id, gone)
        if cut.left:
            cuts.append(cut)
        else:
            whole.append(cut.placed.item.id)
    cuts = [cut for cut in cuts if cut.placed.item.id not in whole]
    waiting = asked_from(read, caller, request.source) if request.source else ()
    if not whole and not cuts and not lone_facts and not waiting:
        raise NotFound("There is nothing like this to forget.")
    return replace(erase.doomed_with(read, list(dict.fromkeys(whole)), lone_facts), reviews=waiting), cuts


def _named(read: Read, caller: Caller, request: Forget) -> tuple[list[str], list[str]]:
    view = view_of(read, caller)
    whole: list[str] = []
    lone_facts: list[str] = []
    if not (request.ids or request.items or request.chunks or request.source or request.collection):
        raise Invalid("Name what to forget: an id, a chunk, a source or a collection.", reason="missing")
    whole += [_item(read, view, request, each) for each in request.items]
    for text in request.ids:
        thing = identify(read, text)
        found = read.one("item_of", id=thing, **view.parameters) if thing else None
        if found:
            whole.append(found["id"])
        elif thing and facts.was_fact(read, view, thing):
            lone_facts.append(thing)
        else:
            raise NotFound(f"Memory not found: {text}", id=text)
    if request.source:
        rows = read.all("items_by_provenance", provenance=request.source, **view.parameters)
        whole += [row["id"] for row in rows]
        rows = read.all("facts_by_provenance", provenance=request.source, **view.parameters)
        lone_facts += [row["id"] for row in rows]
    if request.collection:
        collection = exact(read, request.collection)
        if not collection or (collection.tier == Tier.SENSITIVE and not caller.human):
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        held = [row["id"] for row in read.all("items_of_collection", collection_id=collection.id)]
        whole += [item_id for item_id in held if read.one("item_of", id=item_id, **view.parameters)]
        stated = [row["id"] for row in read.all("facts_of_collection", collection_id=collection.id)]
        lone_facts += [fact_id for fact_id in stated if facts.was_fact(read, view, fact_id)]
    return whole, lone_facts


def _item(read: Read, view: View, request: Forget, text: str) -> str:
    thing = identify(read, text)
    found = _placed(read, view, thing) if thing else None
    if not found:
        kept_back = request.tell_sensitive and thing and _placed(read, unveiled(view), thing)
        raise absent("Memory", text, kept_back=kept_back)
    require_within(read, request.within, found.collection)
    return found.item.id


def _placed(read: Read, view: View, thing: str) -> Placed | None:
    return items.version_by_id(read, view, thing) or items.version_of_item(read, view, thing)


def _chunk(read: Read, caller: Caller, request: Forget, text: str) -> StoredChunk:
    view = view_of(read, caller)
    thing = identify(read, text)
    found = items.chunk_by_id(read, view, thing) if thing else None
    if not found:
        kept_back = request.tell_sensitive and thing and items.chunk_by_id(read, unveiled(view), thing)
        raise absent("Chunk", text, kept_back=kept_back)
    require_within(read, request.within, found.collection)
    return found


def _cut(read: Read, caller: Caller, version_id: str, gone: Sequence[StoredChunk]) -> Cut:
    placed = items.version_by_id(read, view_of(read, caller), version_id)
    assert placed is not None, "its chunk was visible"
    ids = {each.chunk.id for each in gone}
    before = items.chunks_of_version(read, version_id, LATEST)
    left = tuple(c for c in before if c.chunk.id not in ids)
    text = "".join(each.chunk.text for each in left)
    left = tuple(replace(c, chunk=replace(c.chunk, headings=_standing(c.chunk.headings, text))) for c in left)
    title = placed.version.title
    drawn = title == title_of("".join(each.chunk.text for each in before))
    if title not in text and (drawn or any(title in each.chunk.text for each in gone)):
        title = title_of(text) if text.strip() else title
    texts = _texts(read, title, left) if placed.item.in_kb else ()
    return Cut(placed, tuple(gone), left, title, texts, unnamed(read, version_id, text))


def _texts(read: Read, title: str, left: Sequence[StoredChunk]) -> tuple[Text, ...]:
    """What stays, and what it said before a correction: the entries of both held words of their neighbours."""
    earlier = (piece for each in left for piece in _earlier(read, each))
    return ((title, tuple(piece_of(each) for each in left)), *((title, (piece,)) for piece in earlier))


def _earlier(read: Read, stored: StoredChunk) -> Iterator[Piece]:
    for row in read.all("contents_of_chunks", chunks=(stored.chunk.id,)):
        body = read.one("content_by_id", id=row["content_id"])
        if body and row["content_id"] != stored.content_id:
            yield replace(piece_of(stored), content_id=row["content_id"], text=body["body"])


def _cut_out(write: Write, cut: Cut) -> list[str]:
    version = cut.placed.version
    before = cut.placed.version.title
    drawn = _facts_without_ground(write, cut)
    chunks = tuple(each.chunk.id for each in cut.gone)
    contents = [row["content_id"] for row in write.all("contents_of_chunks", chunks=chunks)]
    gone = erase.erase(write, Doomed(chunks=chunks, contents=tuple(contents), facts=drawn, relations=cut.relations))
    drop_unnamed(write, version.id, cut.text)
    erase.reword_version(write, version.id, cut.title, hashlib.sha256(cut.text.encode()).hexdigest())
    for each in cut.left:
        erase.rehead_chunk(write, each.chunk.id, each.chunk.headings)
    erase.redact(write, (version.id, *(each.chunk.id for each in cut.left)))
    if cut.title != before and version.slug:
        erase.hide_slug(write, version.id)
        claim_slug(write, version.id, cut.title, cut.placed.item.kind)
    return [*gone, version.id]


def _facts_without_ground(read: Read, cut: Cut) -> tuple[str, ...]:
    """The facts of an item that its remaining text no longer says: its note, and what was read in the lost part."""
    ids = [row["id"] for row in read.all("facts_of_item", items=(cut.placed.item.id,))]
    lost, left = ("".join(each.chunk.text for each in chunks).casefold() for chunks in (cut.gone, cut.left))

    def groundless(row: Row) -> bool:
        subject, value = row["subject"].casefold(), facts.said_value(row).casefold()
        return row["predicate"] == "memory" or value not in left or (subject in lost and subject not in left)

    return tuple(dict.fromkeys(row["id"] for row in read.all("facts_kept", ids=tuple(ids)) if groundless(row)))


def _standing(headings: Sequence[str], text: str) -> tuple[str, ...]:
    return tuple(heading for heading in headings if heading in text)
