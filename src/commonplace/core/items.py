"""Items: keeping, replacing, retracting, reading, filing and amending them."""

import hashlib
from dataclasses import dataclass, replace

from commonplace.core import facts as fact_verbs
from commonplace.core import relations, reviews
from commonplace.core.access import require, require_person
from commonplace.core.app import App
from commonplace.core.collections import default_for_writing, exact, narrowed, writable
from commonplace.core.indexing import Prepared, entries_of, place, place_again, prepare, texts_of_item
from commonplace.core.keys import Made, keep_key, made_by
from commonplace.core.names import DOCUMENT, claim_missing, claim_next_slug, claim_slug, content_key, identify
from commonplace.core.requests import Amend, Get, InvalidateFact, List, ListPage, Move, Retract, Store, Supersede
from commonplace.core.workspaces import workspace_of
from commonplace.ingest.chunk import title_of
from commonplace.model.access import PLANS, Caller, Collection, Plan, Scope, Tier, Workspace
from commonplace.model.answer import Retracted, Similar, Stored, Superseded
from commonplace.model.errors import Conflict, Invalid, NotFound, Quota, TooLarge
from commonplace.model.event import EventKind
from commonplace.model.interval import FOREVER, Instant, Interval, format_instant
from commonplace.model.item import Item, Version, Whole
from commonplace.store import index, items
from commonplace.store.collections import folder_ids_of
from commonplace.store.database import Read, Write
from commonplace.store.items import Placed
from commonplace.store.search import Filter, similar
from commonplace.store.view import View, Wanted, view_of

TEXT_BYTES_MAX = 10 * 1024 * 1024
SIMILAR_MAX = 3
TAG_CHARACTERS_MAX = 100
SIMILAR_MIN = 0.95


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the items of a list, and how many there are in all."""

    items: tuple[Placed, ...]
    total: int


def store(app: App, caller: Caller, request: Store) -> Stored:
    """Keep a text as a new item, searchable when this returns."""
    require(caller, Scope.WRITE)
    text = _checked_text(request.text)
    title = (request.title or "").strip() or title_of(text)
    _check_tags(request.tags)
    target = reviews.target(app, caller, replace(request, text=text))
    workspace = workspace_of(app, caller.workspace_id)
    in_kb = request.in_kb or caller.kb_only
    prepared = prepare(app, title, text, indexed=in_kb)
    alike = _similar(app, caller, prepared) if request.similar else ()
    drafts = fact_verbs.drafts(app, request, text)
    with app.db.write(caller) as write:
        if known := made_by(write, caller, request.key):
            return _stored_before(write, caller, known)
        collection = _target(write, caller, workspace, target)
        _check_room(write, PLANS[workspace.plan])
        start = write.now if request.valid_from is None else request.valid_from
        item = Item(
            id=write.new_id(),
            collection_id=collection.id,
            kind=request.kind,
            platform=request.platform,
            created_at=write.now,
            in_kb=in_kb,
            custom_title=_label(caller, request),
            url=request.url,
            content_key=content_key(write, request.url or text),
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
            classes=relations.classes_of(write, (*request.tags, request.kind)),
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
        slug = _slug_for(write, collection, item, version)
        folder = _file_for(write, caller, item.id)
        relations.link_wiki(write, caller, version, slug, text)
        facts = fact_verbs.insert_drafts(app, write, caller, item, drafts, request.key)
        keep_key(write, caller, request.key, Made(item.id, version.id, tuple(facts)))
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
        content_id=item.content_key,
    )


def supersede(app: App, caller: Caller, request: Supersede) -> Superseded:
    """Put a new version in the place of the current one, from a moment on."""
    require(caller, Scope.WRITE)
    text = _checked_text(request.text)
    with app.db.read(caller.workspace_id) as read:
        seen = find(read, view_of(read, caller), request.id)
    if request.note_bytes_max is not None and seen.item.kind != DOCUMENT:
        _check_size(text, request.note_bytes_max)
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
        slug = _slug_for(write, collection, old.item, new, old.version.slug)
        closed = fact_verbs.close_of_item(write, caller, old.item.id, start, request.reason)
        index.settle(write, items=[old.item.id])
        linked = relations.supersedes(write, new, old.version, request.reason)
        relations.inherit(write, old.version.id, new.id)
        relations.link_wiki(write, caller, new, slug, text)
        write.record(EventKind.SUPERSEDE, old.item.id, old.version.id, new.id, *closed)
    return Superseded(
        old.item.id,
        old.version.id,
        new.id,
        old.version.slug,
        slug,
        linked.relation_id,
        linked.slug,
        start,
        tuple(piece.id for piece in prepared.pieces),
    )


def retract(app: App, caller: Caller, request: Retract) -> Retracted:
    """End the validity of a memory or a fact; its history stays."""
    require(caller, Scope.WRITE)
    if fact_verbs.is_fact(app, caller, request.id):
        closing = InvalidateFact(id=request.id, valid_to=request.valid_to, reason=request.reason)
        fact = fact_verbs.invalidate_fact(app, caller, closing)
        return Retracted(fact.id, fact.valid.end)
    with app.db.write(caller) as write:
        kept = find(write, view_of(write, caller), request.id)
        _refuse_superseded(write, caller, kept.version)
        end = write.now if request.valid_to is None else request.valid_to
        if end <= kept.version.valid.start:
            raise Invalid("It cannot end before it began.", param="valid_to", reason="range")
        if kept.version.valid.end <= end:
            raise Conflict("It has ended already.", reason="retracted")
        write.replace("version", kept.version.id, valid_to=end, reason=request.reason)
        closed = fact_verbs.close_of_item(write, caller, kept.item.id, end, request.reason)
        index.settle(write, items=[kept.item.id])
        write.record(EventKind.RETRACT, kept.item.id, kept.version.id, *closed)
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
        wanted = _wanted(read, caller, request)
        return items.newest(read, view_of(read, caller), wanted, limit=request.limit, offset=request.offset)


def list_page(app: App, caller: Caller, request: ListPage) -> Page:
    """A page of such a list, and how many items are on all of its pages."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view, wanted = view_of(read, caller), _wanted(read, caller, request.of)
        found = items.newest(read, view, wanted, limit=request.of.limit, offset=request.of.offset)
        return Page(tuple(found), items.count(read, view, wanted))


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
        texts = texts_of_item(read, found.item.id) if request.in_kb and not found.item.in_kb else []
    back = entries_of(app, texts)
    with app.db.write(caller) as write:
        kept = find(write, view_of(write, caller), request.id)
        write.patch("item", kept.item.id, **changes)
        place_again(app, write, back, index.settle(write, items=[kept.item.id]))
        write.record(EventKind.ITEM, kept.item.id)


def move(app: App, caller: Caller, request: Move) -> None:
    """Put items into another collection; its tier governs them from now on."""
    require_person(caller)
    with app.db.write(caller) as write:
        target = exact(write, request.collection)
        if target is None:
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        moved = [find(write, view_of(write, caller), each).item.id for each in request.ids]
        for item_id in moved:
            write.patch("item", item_id, collection_id=target.id)
        index.settle(write, items=moved)
        if target.tier == Tier.SENSITIVE:
            write.run("void_proposals", items=tuple(moved))
        claim_missing(write, moved)
        write.record(EventKind.MOVE, *moved)


def find(read: Read, view: View, text: str) -> Placed:
    """What an id of any form names: a version, or the version of an item that is valid at the moment.

    In the present an item that has ended, or is still to begin, is told by its latest version.
    """
    thing = identify(read, text)
    found = items.version_by_id(read, view, thing) if thing else None
    if thing and not found:
        found = items.version_of_item(read, view, thing)
        if found and view.as_of != read.now and not found.version.valid.contains(view.as_of):
            found = None
    if not found:
        raise NotFound(f"Memory not found: {text}", id=text)
    return found


def _insert_version(app: App, write: Write, collection: Collection, version: Version, prepared: Prepared) -> None:
    items.insert_version(write, version)
    items.insert_chunks(write, version.item_id, version.id, prepared.pieces)
    place(app, write, _shelf(collection, version, write.now), prepared.entries)


def _slug_for(
    write: Write, collection: Collection, item: Item, version: Version, previous: str | None = None
) -> str | None:
    """What is sensitive has no readable id: its words would show in what others are called."""
    if collection.tier == Tier.SENSITIVE:
        return None
    if previous:
        return claim_next_slug(write, version.id, previous)
    return claim_slug(write, version.id, version.title, item.kind)


def _target(write: Write, caller: Caller, workspace: Workspace, slug: str | None) -> Collection:
    found = exact(write, slug) if slug else default_for_writing(write, caller, workspace)
    if not found:
        raise NotFound(f"The collection {slug} is gone.", name=slug)
    return writable(caller, found)


def _shelf(collection: Collection, version: Version, now: Instant) -> str:
    if collection.tier == Tier.SENSITIVE:
        return "chunk_sensitive"
    return "chunk_current" if version.valid.contains(now) else "chunk_history"


def _file_for(write: Write, caller: Caller, item_id: str) -> str | None:
    """What a token of a single folder makes is filed there."""
    if caller.folders is None or len(caller.folders) != 1:
        return None
    write.insert("folder_member", folder_id=caller.folders[0], member_id=item_id, added_at=write.now)
    return caller.folders[0]


def _label(caller: Caller, request: Store) -> str | None:
    """What is shown for a text without a title, where a contract asks for that."""
    if request.title or not request.generic_label:
        return None
    return f"{request.generic_label} from {caller.client}" if caller.client else request.generic_label


def _check_room(write: Write, plan: Plan) -> None:
    """Counted while the head is locked, so the limit holds exactly; what is sensitive counts for nobody."""
    if plan.memories_max is None:
        return
    everything = view_of(write, Caller(write.workspace_id, "system"))
    row = write.one("count_versions", **everything.parameters)
    used = int(row["memories"]) if row else 0
    if used >= plan.memories_max:
        raise Quota(
            f"Plan limit reached: {plan.memories_max} memories on {plan.name}",
            resource="memories",
            plan=plan.name,
            limit=plan.memories_max,
            used=used,
            required_plan="pro",
        )


def _refuse_superseded(read: Read, caller: Caller, version: Version) -> None:
    view, successor = view_of(read, caller), read.one("successor_of", id=version.id)
    if not successor:
        return
    said, current = "This was superseded; name its current version.", items.version_of_item(read, view, version.item_id)
    if current and current.version.id == version.id:
        current = items.version_by_id(read, view, successor["id"])
        start = format_instant(current.version.valid.start) if current else ""
        said = f"What supersedes this is stored already and takes over at {start}; name that version."
    raise Conflict(
        said,
        reason="already_superseded",
        current_id=(current.version.slug or current.version.id) if current else None,
    )


def _wanted(read: Read, caller: Caller, request: List) -> Wanted:
    """What a list is narrowed to; a token of the knowledge base alone is not told of what is out of it."""
    kept, _ = narrowed(read, caller, request.collections)
    return Wanted(
        kept,
        folder=_folder_in_sight(read, caller, request.folder),
        archived=request.archived,
        in_kb=True if caller.kb_only else request.in_kb,
    )


def _folder_in_sight(read: Read, caller: Caller, text: str | None) -> str | None:
    if text is None:
        return None
    thing = identify(read, text)
    known = {row["id"] for row in read.all("folder_ids")}
    if thing not in (known if caller.folders is None else known & set(caller.folders)):
        raise NotFound(f"There is no folder {text}.", id=text)
    return thing


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


def _stored_before(read: Read, caller: Caller, made: Made) -> Stored:
    """What a key made, as it stands; of what was forgotten since, or made as facts alone, no more than the ids."""
    view = view_of(read, caller)
    found = items.version_by_id(read, view, made.version_id) if made.version_id else None
    if not found:
        version_id = made.version_id or made.fact_id
        return Stored(made.item_id, version_id, None, "", made.at, (), made.fact_ids, known=True)
    chunks = items.chunks_of_version(read, found.version.id, view.known_at)
    return Stored(
        found.item.id,
        found.version.id,
        found.version.slug,
        found.collection,
        found.version.created_at,
        tuple(each.chunk.id for each in chunks),
        made.fact_ids,
        known=True,
        content_id=found.item.content_key,
    )


def _checked_text(text: str) -> str:
    if not text.strip():
        raise Invalid("The text must not be empty.", param="text", reason="empty")
    text = text.encode("utf-8", "replace").decode()
    _check_size(text, TEXT_BYTES_MAX)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _check_tags(tags: tuple[str, ...]) -> None:
    if any(len(tag) > TAG_CHARACTERS_MAX for tag in tags):
        raise TooLarge(f"A tag has at most {TAG_CHARACTERS_MAX} characters.", param="tags", reason="too_large")


def _check_size(text: str, bytes_max: int) -> None:
    size = len(text.encode())
    if size > bytes_max:
        raise TooLarge(
            f"Content too large: {size} bytes, at most {bytes_max}",
            param="text",
            reason="too_large",
            size_bytes=size,
            limit_bytes=bytes_max,
        )


def _content_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
