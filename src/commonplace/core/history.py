"""The op-log read and, where nothing came after, taken back."""

import json

from commonplace.core import proposals
from commonplace.core.access import require_person
from commonplace.core.app import App
from commonplace.core.names import identify
from commonplace.core.requests import History, Undo
from commonplace.model.access import Caller
from commonplace.model.errors import Conflict, NotFound
from commonplace.model.event import UNDOABLE, Event, EventKind
from commonplace.model.interval import FOREVER, Instant
from commonplace.store import index
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
        back = next((each for each in changes if each.table == "chunk" and each.action == "retire"), None)
        made, _ = (
            proposals.undone_entries(app, read, back.row["id"], back.before["content_id"])
            if back and event.kind == EventKind.CORRECTION
            else ([], None)
        )
    with app.db.write(caller) as write:
        _undoable(write, request.event_id)
        for change in reversed(changes):
            _reverse(write, change)
        items = {each.row["item_id"] for each in changes if each.row.get("item_id")} | {
            each.row["id"] for each in changes if each.table == "item"
        }
        facts = {each.row["id"] for each in changes if each.table == "fact"}
        index.settle(write, items=sorted(items | _items_of(changes)), facts=sorted(facts))
        for entry in made:
            held = write.one("shelf_of", owner=entry.owner)
            if held:
                space_id = index.space(write, app.embedder.name, app.embedder.dimensions)
                index.put(write, held["shelf"], space_id, entry)
        return write.record(EventKind.UNDO, event.id, *event.subjects)


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
        write.patch(change.table, change.row["id"], **change.before)
    elif change.action == "remove":
        write.insert(change.table, **{name: value for name, value in change.row.items() if name != "workspace_id"})


def _refuse_filled(write: Write, change: Change) -> None:
    if change.table == "collection" and write.all("items_of_collection", collection_id=change.row["id"]):
        raise Conflict("The collection holds items by now; move or forget them first.")
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
