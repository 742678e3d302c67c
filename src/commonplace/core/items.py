"""Items: keeping, replacing, retracting, reading, filing and amending them."""

import hashlib
from dataclasses import replace

from commonplace.core import facts as fact_verbs
from commonplace.core import relations, reviews
from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import default_for_writing, exact, narrowed, writable
from commonplace.core.indexing import Prepared, place, prepare
from commonplace.core.keys import keep_key, made_by
from commonplace.core.names import claim_next_slug, claim_slug, identify
from commonplace.core.requests import Amend, Get, List, Move, Retract, Store, Supersede
from commonplace.core.workspaces import workspace_of
from commonplace.ingest.chunk import title_of
from commonplace.model.access import PLANS, Caller, Collection, Scope, Tier
from commonplace.model.answer import Retracted, Similar, Stored, Superseded
from commonplace.model.errors import Conflict, Invalid, NotFound, Quota, TooLarge
from commonplace.model.event import EventKind
from commonplace.model.interval import FOREVER, Instant, Interval
from commonplace.model.item import Item, Version, Whole
from commonplace.store import index, items
from commonplace.store.collections import folder_ids_of
from commonplace.store.database import Read, Write
from commonplace.store.items import Placed
from commonplace.store.search import Filter, similar
from commonplace.store.view import LATEST, View, Wanted, view_of

TEXT_BYTES_MAX = 10 * 1024 * 1024
SIMILAR_MAX = 3
SIMILAR_MIN = 0.95


def store(app: App, caller: Caller, request: Store) -> Stored:
    """Keep a text as a new item, searchable when this returns."""
    require(caller, Scope.WRITE)
    text = _checked_text(request.text)
    title = (request.title or "").strip() or title_of(text)
    target = reviews.target(app, caller, request)
    plan = PLANS[workspace_of(app, caller.workspace_id).plan]
    in_kb = request.in_kb or caller.kb_only
    prepared = prepare(app, title, text, indexed=in_kb)
    alike = _similar(app, caller, prepared) if request.similar else ()
    drafts = fact_verbs.drafts(app, request, text)
    with app.db.write(caller) as write:
        if known := made_by(write, request.key):
            return _stored_before(write, caller, known)
        collection = _target(write, caller, target)
        _check_room(write, plan.memories_max, plan.name)
        start = write.now if request.valid_from is None else request.valid_from
        item = Item(
            id=write.new_id(),
            collection_id=collection.id,
            kind=request.kind,
            platform=request.platform,
            created_at=write.now,
            in_kb=in_kb,
            url=request.url,
            episode=request.episode,
            actor=caller.actor,
            client=caller.client,
            media=request.media,
        )
        version = Version(
            id=write.new_id(),
            item_id=item.id,
            title=title,
            memory_type=request.memory_type,
            tags=request.tags,
            classes=relations.classes_of(write, request.tags),
            provenance=request.provenance,
            predecessor=None,
            reason=None,
            content_hash=_content_hash(text),
            valid=Interval(start, FOREVER if request.valid_to is None else request.valid_to),
            recorded=Interval(write.now),
            created_at=write.now,
        )
        items.insert_item(write, item)
        _insert_version(app, write, collection, version, prepared)
        slug = _slug_for(write, collection, version)
        folder = _file_for(write, caller, item.id)
        relations.link_wiki(write, caller, version, slug, text)
        facts = fact_verbs.insert_drafts(app, write, caller, item, drafts)
        keep_key(write, request.key, [version.id, *facts])
        write.record(EventKind.INGEST, item.id, version.id, *facts)
    return Stored(
        item.id,
        version.id,
        slug,
        collection.slug,
        version.created_at,
        tuple(piece.id for piece in prepared.pieces),
        tuple(facts),
        alike,
        folder,
    )


def supersede(app: App, caller: Caller, request: Supersede) -> Superseded:
    """Put a new version in the place of the current one, from a moment on."""
    require(caller, Scope.WRITE)
    text = _checked_text(request.text)
    with app.db.read(caller.workspace_id) as read:
        seen = find(read, view_of(read, caller), request.id)
    title = (request.title or "").strip() or title_of(text)
    prepared = prepare(app, title, text, indexed=seen.item.in_kb)
    with app.db.write(caller) as write:
        old = find(write, view_of(write, caller), request.id)
        _refuse_superseded(write, caller, old.version)
        start = write.now if request.valid_from is None else request.valid_from
        if start <= old.version.valid.start:
            raise Invalid("The new version must begin after the old one.", param="valid_from", reason="range")
        if start >= old.version.valid.end:
            raise Conflict("This was retracted; store it as something new.", reason="retracted")
        collection = exact(write, old.collection)
        assert collection is not None, "an item's collection exists"
        new = replace(
            old.version,
            id=write.new_id(),
            title=title,
            predecessor=old.version.id,
            reason=request.reason,
            content_hash=_content_hash(text),
            valid=Interval(start, old.version.valid.end),
            recorded=Interval(write.now),
            created_at=write.now,
            slug=None,
        )
        write.replace("version", old.version.id, valid_to=start)
        _insert_version(app, write, collection, new, prepared)
        slug = _slug_for(write, collection, new, old.version.slug)
        index.settle(write, items=[old.item.id])
        edge = relations.supersedes(write, new, old.version, request.reason)
        relations.inherit(write, old.version.id, new.id)
        relations.link_wiki(write, caller, new, slug, text)
        write.record(EventKind.SUPERSEDE, old.item.id, old.version.id, new.id)
    return Superseded(
        old.item.id,
        old.version.id,
        new.id,
        old.version.slug,
        slug,
        edge.relation_id,
        edge.slug,
        start,
        tuple(piece.id for piece in prepared.pieces),
    )


def retract(app: App, caller: Caller, request: Retract) -> Retracted:
    """End the validity of a memory; its history stays."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        kept = find(write, view_of(write, caller), request.id)
        _refuse_superseded(write, caller, kept.version)
        end = write.now if request.valid_to is None else request.valid_to
        if end <= kept.version.valid.start:
            raise Invalid("It cannot end before it began.", param="valid_to", reason="range")
        if kept.version.valid.end <= end:
            raise Conflict("It has ended already.", reason="retracted")
        write.replace("version", kept.version.id, valid_to=end, reason=request.reason)
        index.settle(write, items=[kept.item.id])
        write.record(EventKind.RETRACT, kept.item.id, kept.version.id)
    return Retracted(kept.version.id, end)


def get(app: App, caller: Caller, request: Get) -> Whole:
    """One item with its full text, as it was at a moment."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, request.as_of, request.known_at)
        return whole(read, caller, view, find(read, view, request.id))


def whole(read: Read, caller: Caller, view: View, placed: Placed) -> Whole:
    """A version with its text and the folders that the caller may know of."""
    chunks = items.chunks_of_version(read, placed.version.id, view.known_at)
    filed = folder_ids_of(read, placed.item.id)
    return Whole(
        placed.item,
        placed.version,
        "".join(each.chunk.text for each in chunks),
        placed.collection,
        tuple(each.chunk.id for each in chunks),
        tuple(each for each in filed if caller.folders is None or each[0] in caller.folders),
    )


def list_items(app: App, caller: Caller, request: List) -> list[Placed]:
    """The items the caller may see, newest first."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        kept, _ = narrowed(read, caller, request.collections)
        return items.newest(
            read,
            view_of(read, caller),
            Wanted(kept),
            limit=request.limit,
            offset=request.offset,
            folder=request.folder,
            archived=request.archived,
            in_kb=request.in_kb,
        )


def amend(app: App, caller: Caller, request: Amend) -> None:
    """Change what is not bi-temporal about an item."""
    require(caller, Scope.WRITE)
    changes = {
        name: value
        for name in ("in_kb", "archived", "read", "custom_title")
        if (value := getattr(request, name)) is not None
    }
    with app.db.read(caller.workspace_id) as read:
        found = find(read, view_of(read, caller), request.id)
        text = whole(read, caller, view_of(read, caller), found).text
    prepared = prepare(app, found.version.title, text) if request.in_kb and not found.item.in_kb else None
    with app.db.write(caller) as write:
        kept = find(write, view_of(write, caller), request.id)
        write.patch("item", kept.item.id, **changes)
        index.settle(write, items=[kept.item.id])
        if prepared and kept.version.id == found.version.id:
            held = items.chunks_of_version(write, kept.version.id, LATEST)
            entries = [
                replace(entry, owner=chunk.content_id) for entry, chunk in zip(prepared.entries, held, strict=True)
            ]
            collection = exact(write, kept.collection)
            assert collection is not None, "an item's collection exists"
            place(app, write, _shelf(collection, kept.version, write.now), entries)
        write.record(EventKind.ITEM, kept.item.id)


def move(app: App, caller: Caller, request: Move) -> None:
    """Put items into another collection; its tier governs them from now on."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        target = exact(write, request.collection)
        if target is None or (target.tier == Tier.SENSITIVE and not caller.human):
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        moved = [find(write, view_of(write, caller), each).item.id for each in request.ids]
        for item_id in moved:
            write.patch("item", item_id, collection_id=target.id)
        index.settle(write, items=moved)
        if target.tier == Tier.SENSITIVE:
            write.run("void_proposals", items=tuple(moved))
        write.record(EventKind.MOVE, *moved)


def find(read: Read, view: View, text: str) -> Placed:
    """What an id of any form names: a version, or the version of an item that is valid at the moment."""
    thing = identify(read, text)
    found = None
    if thing:
        found = items.version_by_id(read, view, thing) or items.version_of_item(read, view, thing)
    if not found:
        raise NotFound(f"Memory not found: {text}", id=text)
    return found


def _insert_version(app: App, write: Write, collection: Collection, version: Version, prepared: Prepared) -> None:
    items.insert_version(write, version)
    items.insert_chunks(write, version.item_id, version.id, prepared.pieces)
    place(app, write, _shelf(collection, version, write.now), prepared.entries)


def _slug_for(write: Write, collection: Collection, version: Version, previous: str | None = None) -> str | None:
    """What is sensitive has no readable id: its words would show in what others are called."""
    if collection.tier == Tier.SENSITIVE:
        return None
    return (
        claim_next_slug(write, version.id, previous)
        if previous
        else claim_slug(write, version.id, version.title, "memory")
    )


def _target(write: Write, caller: Caller, slug: str | None) -> Collection:
    found = exact(write, slug) if slug else default_for_writing(write, caller)
    if not found:
        raise NotFound(f"The collection {slug} is gone.", name=slug)
    return writable(caller, found)


def _shelf(collection: Collection, version: Version, now: Instant) -> str:
    if collection.tier == Tier.SENSITIVE:
        return "chunk_sensitive"
    return "chunk_current" if version.valid.end > now else "chunk_history"


def _file_for(write: Write, caller: Caller, item_id: str) -> str | None:
    """What a token of a single folder makes is filed there."""
    if caller.folders is None or len(caller.folders) != 1:
        return None
    write.insert("folder_member", folder_id=caller.folders[0], member_id=item_id, added_at=write.now)
    return caller.folders[0]


def _check_room(write: Write, memories_max: int | None, plan: str) -> None:
    """Counted while the head is locked, so the limit holds exactly; what is sensitive counts for nobody."""
    if memories_max is None:
        return
    everything = view_of(write, Caller(write.workspace_id, "system"))
    row = write.one("count_versions", **everything.parameters)
    used = int(row["memories"]) if row else 0
    if used >= memories_max:
        raise Quota(
            f"Plan limit reached: {memories_max} memories on {plan}",
            resource="memories",
            plan=plan,
            limit=memories_max,
            used=used,
            required_plan="pro",
        )


def _refuse_superseded(read: Read, caller: Caller, version: Version) -> None:
    successor = read.one("successor_of", id=version.id)
    if successor:
        current = items.version_of_item(read, view_of(read, caller), version.item_id)
        raise Conflict(
            "This was superseded; name its current version.",
            reason="already_superseded",
            current_id=(current.version.slug or current.version.id) if current else None,
        )


def _similar(app: App, caller: Caller, prepared: Prepared) -> tuple[Similar, ...]:
    """What says nearly the same already; it is named, never merged."""
    first = next(iter(prepared.entries), None)
    if first is None or first.vector is None:
        return ()
    with app.db.read(caller.workspace_id) as read:
        space = index.space_id(read, app.embedder.name)
        if space is None:
            return ()
        view = view_of(read, caller)
        near = [
            each
            for each in similar(read, "chunk", space[0], first.vector, Filter(view, SIMILAR_MAX))
            if each.score >= SIMILAR_MIN
        ]
        titles = {
            each.version.id: each.version.title
            for each in items.versions_by_id(read, view, [n.version_id for n in near])
        }
    return tuple(Similar(each.version_id, titles[each.version_id], round(each.score, 4)) for each in near)


def _stored_before(read: Read, caller: Caller, ids: list[str]) -> Stored:
    view = view_of(read, caller)
    found = items.version_by_id(read, view, ids[0])
    if not found:
        return Stored("", ids[0], None, "", Instant(0), (), tuple(ids[1:]), known=True)
    chunks = items.chunks_of_version(read, found.version.id, view.known_at)
    return Stored(
        found.item.id,
        found.version.id,
        found.version.slug,
        found.collection,
        found.version.created_at,
        tuple(each.chunk.id for each in chunks),
        tuple(ids[1:]),
        known=True,
    )


def _checked_text(text: str) -> str:
    if not text.strip():
        raise Invalid("The text must not be empty.", param="text", reason="empty")
    text = text.encode("utf-8", "replace").decode()
    size = len(text.encode())
    if size > TEXT_BYTES_MAX:
        raise TooLarge(
            f"Content too large: {size} bytes, at most {TEXT_BYTES_MAX}",
            param="text",
            reason="too_large",
            size_bytes=size,
            limit_bytes=TEXT_BYTES_MAX,
        )
    return text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _content_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
