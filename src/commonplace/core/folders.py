"""Folders: groups of items, and the sight of scoped tokens."""

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.items import find
from commonplace.core.names import identify
from commonplace.core.requests import CreateFolder, DeleteFolder, FileItem, ListFolders, UnfileItem
from commonplace.model.access import Caller, Folder, Scope, Tier
from commonplace.model.errors import Conflict, Forbidden, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.store import collections as stored
from commonplace.store import erase
from commonplace.store.database import Read
from commonplace.store.view import view_of

NAME_CHARACTERS_MAX = 200


def list_folders(app: App, caller: Caller, _request: ListFolders) -> list[Folder]:
    """The folders the caller may see, by name."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return [each for each in stored.folders(read, view_of(read, caller)) if _in_sight(caller, each.id)]


def create_folder(app: App, caller: Caller, request: CreateFolder) -> Folder:
    """Make a folder."""
    require(caller, Scope.WRITE)
    _refuse_scoped(caller)
    name = request.name.strip()
    if not name or len(name) > NAME_CHARACTERS_MAX:
        raise Invalid(f"A folder's name has 1 to {NAME_CHARACTERS_MAX} characters.", param="name", reason="range")
    with app.db.write(caller) as write:
        if any(each.name.casefold() == name.casefold() for each in stored.folders(write, view_of(write, caller))):
            raise Conflict(f"There is already a folder named {name}.", reason="name_taken", name=name)
        folder = Folder(write.new_id(), name, write.now, None, 0)
        write.insert("folder", id=folder.id, name=name, name_key=name.casefold(), created_at=folder.created_at)
        write.record(EventKind.FOLDER, folder.id)
    return folder


def delete_folder(app: App, caller: Caller, request: DeleteFolder) -> int:
    """Delete a folder and, when asked, what is in no other; how many items went with it."""
    require(caller, Scope.WRITE)
    _refuse_scoped(caller)
    with app.db.write(caller) as write:
        folder = _folder(write, caller, request.id)
        members = write.all("members_of_folder", folder_id=folder.id)
        doomed = _only_here(write, caller, [row["member_id"] for row in members]) if request.cascade else []
        for row in members:
            write.remove("folder_member", {"folder_id": folder.id, **row})
        write.remove(
            "folder",
            {"id": folder.id, "name": folder.name, "name_key": folder.name.casefold(), "created_at": folder.created_at},
        )
        gone = erase.erase(write, erase.doomed_with(write, doomed)) if doomed else ()
        # A forget names what is gone and nothing else: by its subjects the op-log is read again.
        named = gone if doomed else tuple(row["member_id"] for row in members)
        write.record(EventKind.FORGET if doomed else EventKind.FOLDER, folder.id, *named)
    if doomed:
        app.db.engine.clear_journal(caller.workspace_id)
    return len(doomed)


def file_item(app: App, caller: Caller, request: FileItem) -> tuple[str, ...]:
    """Put an item into folders; the ids of those it was not in."""
    require(caller, Scope.WRITE)
    if caller.folders is not None:
        outside = [each for each in request.folders if each not in caller.folders]
        if outside or len(caller.folders) == 1:
            raise Forbidden("The token's folders do not allow this.", reason="forbidden_scope", out_of_scope=outside)
    with app.db.write(caller) as write:
        item = find(write, view_of(write, caller), request.id).item
        wanted = dict.fromkeys(_folder(write, caller, each).id for each in request.folders)
        held = {folder_id for folder_id, _ in stored.folder_ids_of(write, item.id)}
        added = tuple(each for each in wanted if each not in held)
        for folder_id in added:
            write.insert("folder_member", folder_id=folder_id, member_id=item.id, added_at=write.now)
        if added:
            write.record(EventKind.FOLDER, item.id, *added)
    return added


def unfile_item(app: App, caller: Caller, request: UnfileItem) -> None:
    """Take an item out of a folder."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        item = find(write, view_of(write, caller), request.id).item
        folder = _folder(write, caller, request.folder)
        rows = [row for row in write.all("members_of_folder", folder_id=folder.id) if row["member_id"] == item.id]
        if not rows:
            raise NotFound("The item is not in this folder.", id=request.folder)
        write.remove("folder_member", {"folder_id": folder.id, **rows[0]})
        write.record(EventKind.FOLDER, item.id, folder.id)


def _only_here(read: Read, caller: Caller, members: list[str]) -> list[str]:
    """The members that are items in no other folder; what is sensitive is left alone."""
    view = view_of(read, caller)
    found = [read.one("item_of", id=each, **view.parameters) for each in members]
    return [
        row["id"]
        for row in found
        if row and row["tier"] != Tier.SENSITIVE and len(stored.folder_ids_of(read, row["id"])) == 1
    ]


def _folder(read: Read, caller: Caller, text: str) -> Folder:
    thing = identify(read, text)
    found = next((each for each in stored.folders(read, view_of(read, caller)) if each.id == thing), None)
    if not found or not _in_sight(caller, found.id):
        raise NotFound(f"There is no folder {text}.", id=text)
    return found


def _in_sight(caller: Caller, folder_id: str) -> bool:
    return caller.folders is None or folder_id in caller.folders


def _refuse_scoped(caller: Caller) -> None:
    if caller.folders is not None:
        raise Forbidden("A token for some folders cannot make or delete folders.", reason="forbidden_scope")
