"""Relations: linking and unlinking by the registry, and the links that texts and versions make."""

import json
import re
from collections.abc import Sequence

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.names import DOCUMENT, claim_relation_slug, identify
from commonplace.core.requests import Link, RelationsOf, Unlink
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Linked, Relation
from commonplace.model.errors import Constraint, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.model.interval import Instant
from commonplace.model.item import Version
from commonplace.model.names import slug
from commonplace.model.relation import End, Registry, registry
from commonplace.store import items
from commonplace.store import relations as stored
from commonplace.store.database import Read, Write
from commonplace.store.items import Placed
from commonplace.store.relations import NewPair
from commonplace.store.view import View, view_of

KIND = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
KIND_CHARACTERS_MAX = 64
TYPE_TAG = re.compile(r"type:\s*([^<\s]+)\s*(?:<+\s*([^<\s]+))?")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
WIKI = re.compile(r"\[\[([^\]|\n]+)(?:\|[^\]\n]*)?\]\]")
MENTION = re.compile(r"(?<![\w@./:-])@([\w-]+)(?![\w-]*[.@/]\w)")
TARGET_NAMES = ("version_id", "item_id", "title_key", "slug")
BY_LINK, BY_TEXT, BY_VERSION = "link", "wiki", "version"


def link(app: App, caller: Caller, request: Link) -> Linked:
    """Relate two memories; an equal relation is found, not doubled."""
    require(caller, Scope.WRITE)
    _check_kind(request.kind)
    with app.db.write(caller) as write:
        view = view_of(write, caller)
        origin, target = _end(write, view, request.origin), _end(write, view, request.target)
        pair = registry_of(write).check(
            request.kind, _as_end(origin), _as_end(target), same=origin.version.id == target.version.id
        )
        known = _held(write, pair.name, origin, target, swapped=pair.swapped)
        if known:
            return _linked(write, *known)
        kind, inverse = (pair.inverse, pair.name) if pair.swapped else (pair.name, pair.inverse)
        made = _make(write, NewPair(kind, inverse, origin.version.id, target.version.id, BY_LINK))
        write.record(EventKind.LINK, made.relation_id, made.inverse_id, origin.version.id, target.version.id)
    return made


def unlink(app: App, caller: Caller, request: Unlink) -> None:
    """End a relation and its inverse; that it held before stays known."""
    require(caller, Scope.WRITE)
    _check_kind(request.kind)
    with app.db.write(caller) as write:
        view = view_of(write, caller)
        rule = registry_of(write).rules.get(request.kind)
        if rule and rule.type.reserved:
            raise Constraint(
                f"Constraint violated: {request.kind} is reserved", reason="reserved", rel_type=request.kind
            )
        origin, target = _end(write, view, request.origin), _end(write, view, request.target)
        found = _held(write, rule.type.name, origin, target, swapped=rule.swapped) if rule else None
        if not found:
            raise NotFound("Relation not found", reason="not_found")
        stored.end_pair(write, *found)
        write.record(EventKind.UNLINK, *found, origin.version.id, target.version.id)


def relations_of(app: App, caller: Caller, request: RelationsOf) -> list[Relation]:
    """The relations of a memory, and the chunks of a document."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, request.as_of, request.known_at)
        found = _end(read, view, request.id)
        told = stored.relations_of(read, view, found.version.id)
        sections = _sections(read, view, found) if found.item.kind == DOCUMENT else []
        return sorted(told + sections, key=lambda each: (each.created_at, each.relation_id))


def edges_of_titled(
    app: App, caller: Caller, title: str, as_of: Instant | None, known_at: Instant | None
) -> list[Relation]:
    """The relations of the memory that bears a name, if one does."""
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, as_of, known_at)
        found = _titled(read, view, _key(title))
        return stored.relations_of(read, view, found) if found else []


def supersedes(write: Write, new: Version, old: Version, reason: str | None) -> Linked:
    """The relation from a version to the one it replaces."""
    return _make(write, NewPair("SUPERSEDES", "SUPERSEDED_BY", new.id, old.id, BY_VERSION, reason))


def inherit(write: Write, old_id: str, new_id: str) -> None:
    """Copy what a person or model linked by hand to the new version."""
    for pair in stored.made_by(write, old_id, BY_LINK):
        origin, target = (new_id if end == old_id else end for end in (pair.origin, pair.target))
        _make(write, NewPair(pair.kind, pair.inverse, origin, target, BY_LINK))


def link_wiki(write: Write, caller: Caller, version: Version, version_slug: str | None, text: str) -> None:
    """Relate a version to what its text names, now or when that is stored."""
    view = view_of(write, caller)
    for key in _named(text):
        target = _titled(write, view, key)
        if target is None:
            write.insert("pending_link", version_id=version.id, target_key=key)
        else:
            _refer(write, version.id, target)
    keys = tuple(dict.fromkeys(filter(None, (slug(version.title), version_slug))))
    for row in write.all("pending_links_to", keys=keys):
        waiting = items.version_by_id(write, view, row["version_id"])
        if waiting:
            write.remove("pending_link", row)
            _refer(write, row["version_id"], version.id)


def classes_of(write: Write, tags: Sequence[str]) -> tuple[str, ...]:
    """The classes that tags name; a class that is new is entered in the workspace's registry."""
    known = registry_of(write)
    found: list[str] = []
    for tag in tags:
        typed = TYPE_TAG.fullmatch(tag)
        name = known.class_named(typed[1] if typed else tag)
        if name is None and typed:
            name, parent = typed[1], known.class_named(typed[2] or "") or typed[2] or "Memory"
            known = known.extended(classes={name: parent})
            write.insert("registry_class", name=name, parent=parent)
        if name:
            found.append(name)
    return tuple(dict.fromkeys(found))


def unnamed(read: Read, version_id: str, text: str) -> tuple[str, ...]:
    """The relations, in both directions, that a version's text made and that this text has no name for."""
    named = {form for key in _named(text) for form in (key, slug(key))}
    rows = read.all("relations_told", id=version_id, made_by=BY_TEXT)
    lost = (row for row in rows if named.isdisjoint(row[name] for name in TARGET_NAMES))
    return tuple(each for row in lost for each in (row["id"], row["inverse_id"]))


def drop_unnamed(write: Write, version_id: str, text: str) -> None:
    """Let a version wait only for what this text names."""
    named = _named(text)
    for row in write.all("pending_links_of", version_id=version_id):
        if row["target_key"] not in named:
            write.run("remove_pending_link", **row)


def registry_of(read: Read) -> Registry:
    """The registry with the classes that the workspace added."""
    return _extended({row["name"]: row["parent"] for row in read.all("registry_classes")})


def registry_in_sight(read: Read, caller: Caller) -> Registry:
    """The registry with the added classes that a caller may know of: people all, others those of what they see."""
    if caller.human:
        return registry_of(read)
    rows = read.all("classes_in_sight", **view_of(read, caller).parameters)
    seen = {name for row in rows for name in json.loads(row["classes"])}
    added = read.all("registry_classes")
    return _extended({row["name"]: row["parent"] for row in added if row["name"] in seen})


def _extended(added: dict[str, str]) -> Registry:
    return registry().extended(classes=added) if added else registry()


def _held(write: Write, name: str, origin: Placed, target: Placed, *, swapped: bool) -> tuple[str, str] | None:
    """The relation of a type that holds between two ends, seen from the first; its inverse may have many names."""
    ends = (target, origin) if swapped else (origin, target)
    found = stored.open_between(write, name, *(end.version.id for end in ends))
    return found[::-1] if found and swapped else found


def _refer(write: Write, origin: str, target: str) -> None:
    """Relate a text to what it names, once however often and by whatever name."""
    if origin != target and not stored.open_between(write, "REFERENCES_ENTITY", origin, target):
        _make(write, NewPair("REFERENCES_ENTITY", "REFERENCED_BY", origin, target, BY_TEXT))


def _make(write: Write, pair: NewPair) -> Linked:
    relation_id, inverse_id = stored.insert_pair(write, pair)
    if write.one("sensitive_end", ends=(pair.origin, pair.target)):
        return Linked(relation_id, inverse_id, None, None)
    slug_of_relation = claim_relation_slug(write, relation_id, pair.kind)
    slug_of_inverse = claim_relation_slug(write, inverse_id, pair.inverse)
    return Linked(relation_id, inverse_id, slug_of_relation, slug_of_inverse)


def _linked(read: Read, relation_id: str, inverse_id: str) -> Linked:
    slugs = [(read.one("slug_of", target_id=each) or {"slug": None})["slug"] for each in (relation_id, inverse_id)]
    return Linked(relation_id, inverse_id, slugs[0], slugs[1], known=True)


def _check_kind(kind: str) -> None:
    if not KIND.fullmatch(kind) or len(kind) > KIND_CHARACTERS_MAX:
        raise Invalid(
            f"rel_type must be upper-case words joined by _, at most {KIND_CHARACTERS_MAX} characters.",
            param="rel_type",
            reason="format",
        )


def _end(read: Read, view: View, text: str) -> Placed:
    found = _placed(read, view, text)
    if not found:
        raise NotFound(f"Memory not found: {text}", id=text)
    return found


def _placed(read: Read, view: View, text: str) -> Placed | None:
    thing = identify(read, text)
    return (items.version_by_id(read, view, thing) or items.version_of_item(read, view, thing)) if thing else None


def _as_end(placed: Placed) -> End:
    bare = (placed.version.slug or "").partition("_")[2]
    return End(frozenset(placed.version.classes), bare.partition("_")[0])


def _titled(read: Read, view: View, key: str) -> str | None:
    if named := _placed(read, view, key):
        return named.version.id
    found = read.one("versions_titled", title_key=slug(key), **view.parameters)
    return found["id"] if found else None


def _named(text: str) -> list[str]:
    plain = CODE.sub(" ", text)
    names = [name.strip() for name in WIKI.findall(plain)] + MENTION.findall(WIKI.sub(" ", plain))
    return list(dict.fromkeys(_key(name) for name in names if name))


def _key(name: str) -> str:
    """A readable id stays as it is; a title becomes the form in which titles are compared."""
    return name if re.fullmatch(r"(memory|doc)_\w{1,100}|[0-9a-f-]{36}", name) else slug(name)


def _sections(read: Read, view: View, document: Placed) -> list[Relation]:
    """A document's chunks are its sections: told from the chunks themselves, for they can never disagree."""
    version = document.version
    return [
        Relation(
            each.chunk.id,
            each.chunk.id,
            "HAS_CHUNK",
            version.id,
            each.chunk.id,
            version.slug,
            f"{version.slug}/{each.chunk.ordinal + 1:04}" if version.slug else None,
            version.created_at,
            outgoing=True,
        )
        for each in items.chunks_of_version(read, version.id, view.known_at)
    ]
