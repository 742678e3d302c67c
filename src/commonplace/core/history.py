"""The op-log read and, where nothing came after, taken back."""

import json

from commonplace.core.access import require_person
from commonplace.core.app import App
from commonplace.core.collections import exact
from commonplace.core.indexing import Text, entries_of, place_again, texts_of_item
from commonplace.core.names import identify
from commonplace.core.proposals import text_before
from commonplace.core.requests import History, Undo
from commonplace.core.workspaces import DEFAULT_COLLECTION
from commonplace.model.access import Caller
from commonplace.model.errors import Conflict, NotFound
from commonplace.model.event import UNDOABLE, Event, EventKind
from commonplace.model.interval import FOREVER, Instant
from commonplace.store import index
from commonplace.store.collections import is_empty
from commonplace.store.connection import Row
from commonplace.store.database import Change, Read, Write, decode_changes
from commonplace.store.view import view_of

LASTING = frozenset({"version", "chunk", "fact", "relation"})
"""Tables whose rows are never taken out, only retired."""

REMOVABLE = frozenset({"folder_member", "folder", "collection", "pending_link"})


def history(app: App, caller: Caller, request: History) -> list[Event]:
    """Events, newest first; of one item, version, fact or collection when its id is given."""
    require_person(caller)
    with app.db.read(caller.workspace_id) as read:
        if request.id is None:
            return [_event(row) for row in read.all("events", limit=request.limit)]
        thing = identify(read, request.id)
        item = read.one("item_of", id=thing, **view_of(read, caller).parameters) if thing else None
        subject = item["id"] if item else thing
        rows = read.all("events_of", subject=subject, limit=request.limit) if subject else []
    if not rows:
        raise NotFound(f"Nothing is known of {request.id}.", id=request.id)
    return [_event(row) for row in rows]


def undo(app: App, caller: Caller, request: Undo) -> Event:
    """Take a write back by a write of its own; what was known in between stays known."""
    require_person(caller)
    with app.db.read(caller.workspace_id) as read:
        event, changes = _undoable(read, request.event_id)
        texts = _returning(read, changes)
    made = entries_of(app, texts)
    with app.db.write(caller) as write:
        _undoable(write, request.event_id)
        for change in reversed(changes):
            _reverse(write, change)
        items = {each.row["item_id"] for each in changes if each.row.get("item_id")} | {
            each.row["id"] for each in changes if each.table == "item"
        }
        facts = {each.row["id"] for each in changes if each.table == "fact"}
        missing = index.settle(write, items=sorted(items | _items_of(changes)), facts=sorted(facts))
        place_again(app, write, made, missing)
        return write.record(EventKind.UNDO, event.id, *event.subjects)


def _returning(read: Read, changes: list[Change]) -> list[Text]:
    """What the index will hold anew: texts as they were before a correction, items back in the knowledge base."""
    texts: list[Text] = []
    for change in changes:
        if change.table == "chunk" and change.action == "retire":
            texts.append(text_before(read, change.row["id"], change.before["content_id"]))
        elif change.table == "item" and change.before.get("in_kb"):
            texts += texts_of_item(read, change.row["id"])
    return texts


def _undoable(read: Read, event_id: str) -> tuple[Event, list[Change]]:
    thing = identify(read, event_id)
    row = read.one("event_by_id", id=thing) if thing else None
    if not row:
        raise NotFound(f"There is no event {event_id}.", id=event_id)
    event = _event(row)
    if event.kind not in UNDOABLE:
        raise Conflict(f"An event of the kind {event.kind.value} cannot be undone.", kind=event.kind.value)
    later = read.one("touched_later", seq=event.seq)
    if later and later["events"]:
        raise Conflict("Something later touched the same things; undo that first.")
    payload = read.one("payload", seq=event.seq)
    if not payload or payload["redacted"]:
        raise Conflict("A part of this was forgotten; it cannot be undone.")
    return event, decode_changes(payload["body"])


def _reverse(write: Write, change: Change) -> None:
    if change.action == "insert" and change.table in LASTING:
        write.retire(change.table, change.row["id"])
    elif change.action == "insert" and change.table in REMOVABLE:
        _refuse_filled(write, change)
        write.remove(change.table, change.row)
    elif change.action == "retire":
        write.insert(change.table, **{**change.before, "recorded_at": write.now, "retired_at": FOREVER})
    elif change.action == "patch":
        _refuse_taken(write, change, change.before)
        write.patch(change.table, change.row["id"], **change.before)
    elif change.action == "remove":
        _refuse_taken(write, change, change.row)
        write.insert(change.table, **{name: value for name, value in change.row.items() if name != "workspace_id"})


def _refuse_taken(write: Write, change: Change, back: Row) -> None:
    """What takes an old name or place again must find it free."""
    if change.table == "collection" and _other(write, change, back):
        raise Conflict(f"There is another collection named {back.get('name') or back.get('slug')} by now.")
    if change.table == "folder" and write.one("folder_by_key", name_key=back["name_key"]):
        raise Conflict(f"There is another folder named {back['name']} by now.")
    if "collection_id" in back and not write.one("kept_collection", id=back["collection_id"]):
        raise Conflict("The collection it was in is gone by now.")


def _other(read: Read, change: Change, back: Row) -> bool:
    held = [exact(read, back[name]) for name in ("slug", "name") if name in back]
    return any(each is not None and each.id != change.row["id"] for each in held)


def _refuse_filled(write: Write, change: Change) -> None:
    if change.table == "collection" and change.row["slug"] == DEFAULT_COLLECTION:
        raise Conflict("The default collection cannot be deleted.")
    if change.table == "collection" and not is_empty(write, change.row["id"]):
        raise Conflict("The collection is in use by now; move or forget what it holds first.")
    if change.table == "folder" and write.all("members_of_folder", folder_id=change.row["id"]):
        raise Conflict("The folder holds items by now; take them out first.")


def _items_of(changes: list[Change]) -> set[str]:
    return {each.before["item_id"] for each in changes if each.before.get("item_id")}


def _event(row: Row) -> Event:
    return Event(
        row["seq"],
        row["id"],
        Instant(row["recorded_at"]),
        EventKind(row["kind"]),
        row["actor"],
        row["client"],
        row["surface"],
        tuple(json.loads(row["subjects"])),
        bytes(row["payload_hash"]),
        bytes(row["previous_hash"]),
        bytes(row["hash"]),
    )
