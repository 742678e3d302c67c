"""Collections: finding the one a name means, and what people do with them."""

from collections.abc import Sequence

from commonplace.core.access import require, require_person
from commonplace.core.app import App
from commonplace.core.names import claim_missing
from commonplace.core.requests import CreateCollection, DeleteCollection, ListCollections, SetCollection
from commonplace.core.workspaces import DEFAULT_COLLECTION, RECALL_CAP, default_collection, workspace_of
from commonplace.model.access import Caller, Collection, Scope, Tier, Workspace
from commonplace.model.errors import CommonplaceError, Conflict, Forbidden, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.model.names import checked_name, collection_slug, name_key
from commonplace.store import collections as stored
from commonplace.store import index
from commonplace.store.database import Read, Write

RECALL_CAP_MIN = 500


def visible(read: Read, caller: Caller) -> list[Collection]:
    """The collections a caller may know of."""
    return [each for each in stored.collections(read) if caller.human or each.tier != Tier.SENSITIVE]


def exact(read: Read, name: str) -> Collection | None:
    """The collection whose slug or display name a name is, sensitive ones included."""
    key = name_key(name)
    return next((each for each in stored.collections(read) if key in {name_key(each.slug), name_key(each.name)}), None)


def default_for_writing(read: Read, caller: Caller, workspace: Workspace) -> Collection:
    """Where a write goes that names no collection."""
    name = default_collection(workspace)
    found = exact(read, name)
    if not found:
        raise NotFound(f"The default collection {name} is gone; set another for the workspace.", name=name)
    return writable(caller, found)


def writable(caller: Caller, collection: Collection, named: str | None = None) -> Collection:
    """The collection, if the caller may write there."""
    if collection.tier == Tier.SENSITIVE and not caller.human:
        raise Forbidden(
            "The collection is sensitive: only a person can write there, with the commonplace command.",
            reason="sensitive_collection",
            **({} if named is None else {"name": named}),
        )
    return collection


def absent(what: str, text: str, *, kept_back: object) -> CommonplaceError:
    """Nothing is here that an id names; where the caller's contract says so, it is kept back for being sensitive."""
    if kept_back:
        return Forbidden(
            "This is in a sensitive collection: only a person can change or forget it, with `commonplace forget`.",
            reason="sensitive_collection",
        )
    return NotFound(f"{what} not found: {text}", id=text)


def require_within(read: Read, within: str | None, slug: str) -> None:
    """Refuse what is in another collection than the caller takes it to be in."""
    if within is None:
        return
    found = exact(read, within)
    if found is None or found.slug != slug:
        raise Invalid(f"It is in the collection {slug}, not in {within}.", reason="elsewhere")


def narrowed(
    read: Read,
    caller: Caller,
    names: Sequence[str] | None,
    without: Sequence[str] = (),
    *,
    tell_sensitive: bool = False,
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The slugs that a reader's names mean, and the names that were left out for being sensitive.

    Unless the caller's contract tells of what is sensitive, its name is as unknown as any.
    Where there are no names, it is all that the caller may know of, or all but `without`.
    """
    if names is None and without:
        unwanted, _ = narrowed(read, caller, without, tell_sensitive=tell_sensitive)
        return tuple(each.slug for each in visible(read, caller) if each.slug not in (unwanted or ())), ()
    if names is None:
        return None, ()
    if not names:
        raise Invalid("Name at least one collection, or leave the argument out.", param="collections", reason="empty")
    kept: list[str] = []
    left_out: list[str] = []
    for name in names:
        found = exact(read, name)
        hidden = found is not None and found.tier == Tier.SENSITIVE and not caller.human
        if found is None or (hidden and not tell_sensitive):
            existing = [each.slug for each in visible(read, caller)]
            raise NotFound(
                f"There is no collection {name}; there are: {', '.join(existing)}.",
                reason="unknown_collection",
                name=name,
                existing=existing,
            )
        if hidden:
            left_out.append(name)
        else:
            kept.append(found.slug)
    return tuple(kept), tuple(left_out)


def list_collections(app: App, caller: Caller, _request: ListCollections) -> list[Collection]:
    """The collections a caller may know of."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return visible(read, caller)


def create_collection(app: App, caller: Caller, request: CreateCollection) -> Collection:
    """Make a collection."""
    require_person(caller)
    with app.db.write(caller) as write:
        made = create_in(write, request.name, request.tier)
        write.record(EventKind.COLLECTION_CREATE, made.id)
    return made


def create_in(write: Write, name: str, tier: Tier = Tier.PERSONAL) -> Collection:
    """Make a collection inside a larger write."""
    if exact(write, name) or exact(write, collection_slug(name)):
        raise Conflict(f"There is already a collection named {name}.", name=name)
    made = Collection(write.new_id(), collection_slug(name), checked_name(name), tier, RECALL_CAP, write.now)
    stored.insert_collection(write, made, name_key(name))
    return made


def set_collection(app: App, caller: Caller, request: SetCollection) -> Collection:
    """Change a collection; what is not named stays."""
    require_person(caller)
    if request.recall_cap is not None and request.recall_cap < RECALL_CAP_MIN:
        raise Invalid(f"A recall cap is at least {RECALL_CAP_MIN} llm tokens.", param="recall_cap")
    with app.db.write(caller) as write:
        kept = _existing(write, request.slug)
        if request.name is not None and (other := exact(write, request.name)) and other.id != kept.id:
            raise Conflict(f"There is already a collection named {request.name}.", name=request.name)
        name, tier = checked_name(request.name or kept.name), request.tier or kept.tier
        changed = Collection(kept.id, kept.slug, name, tier, request.recall_cap or kept.recall_cap, kept.created_at)
        write.patch(
            "collection", kept.id, name=name, name_key=name_key(name), tier=tier.value, recall_cap=changed.recall_cap
        )
        if Tier.SENSITIVE in {tier, kept.tier} and tier != kept.tier:
            _reshelve(write, kept.id)
        write.record(EventKind.TIER if tier != kept.tier else EventKind.COLLECTION_CONFIG, kept.id)
    return changed


def delete_collection(app: App, caller: Caller, request: DeleteCollection) -> None:
    """Delete a collection that nothing is in."""
    require_person(caller)
    workspace = workspace_of(app, caller.workspace_id)
    with app.db.write(caller) as write:
        kept = _existing(write, request.slug)
        if kept.slug == DEFAULT_COLLECTION or kept == exact(write, default_collection(workspace)):
            raise Conflict("The default collection cannot be deleted.")
        if not stored.is_empty(write, kept.id):
            raise Conflict(f"{kept.name} still holds items or facts; move or forget them first.", name=kept.name)
        row = write.one("kept_collection", id=kept.id)
        assert row is not None, "it was read under the same lock"
        write.remove("collection", row)
        write.record(EventKind.COLLECTION_CONFIG, kept.id)


def _reshelve(write: Write, collection_id: str) -> None:
    """A tier decides the shelf and who has a readable id: every entry moves, and open corrections are void."""
    items = [row["id"] for row in write.all("items_of_collection", collection_id=collection_id)]
    facts = [row["id"] for row in write.all("facts_of_collection", collection_id=collection_id)]
    index.settle(write, items=items, facts=facts)
    write.run("void_proposals", items=tuple(items))
    claim_missing(write, items)


def _existing(read: Read, slug: str) -> Collection:
    found = exact(read, slug)
    if not found:
        raise NotFound(f"There is no collection {slug}.", name=slug)
    return found
