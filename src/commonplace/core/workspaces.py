"""Workspaces: making, finding, changing and deleting them."""

from collections.abc import Mapping

from commonplace.core.app import App
from commonplace.model.access import PLANS, Caller, Collection, Tier, Workspace
from commonplace.model.errors import Conflict, Invalid, NotFound
from commonplace.model.event import EventKind
from commonplace.model.names import checked_name, name_key
from commonplace.store import access
from commonplace.store.collections import insert_collection

DEFAULT_COLLECTION = "personal"
RECALL_CAP = 2000


def create_workspace(app: App, name: str, plan: str = "unlimited") -> Workspace:
    """Make a workspace with its default collection: its part first, its entry in the list last."""
    key = name_key(checked_name(name))
    _check_plan(plan)
    with app.db.control() as control:
        if access.workspace_by_key(control, key):
            raise Conflict(f"There is already a workspace named {name}.", name=name)
    workspace = Workspace(app.ids.new(), name, app.clock.now(), plan)
    app.db.create_workspace(workspace.id)
    with app.db.write(Caller(workspace.id, "system", human=True)) as write:
        first = Collection(write.new_id(), DEFAULT_COLLECTION, "Personal", Tier.PERSONAL, RECALL_CAP, write.now)
        insert_collection(write, first, name_key(first.name))
        write.record(EventKind.COLLECTION_CREATE, first.id)
    with app.db.control(write=True) as control:
        lost = access.workspace_by_key(control, key)
        if not lost:
            access.insert_workspace(control, workspace, key)
    if lost:
        app.db.engine.drop(workspace.id)
        raise Conflict(f"There is already a workspace named {name}.", name=name)
    return workspace


def find_workspace(app: App, name: str) -> Workspace:
    """The workspace of a name."""
    with app.db.control() as control:
        found = access.workspace_by_key(control, name_key(name))
    if not found:
        raise NotFound(f"There is no workspace named {name}; make it with: commonplace workspace create {name}")
    return found


def list_workspaces(app: App) -> list[Workspace]:
    """Every workspace, oldest first."""
    with app.db.control() as control:
        return access.workspaces(control)


def workspace_of(app: App, workspace_id: str) -> Workspace:
    """The workspace of an id."""
    with app.db.control() as control:
        found = access.workspace_by_id(control, workspace_id)
    if not found:
        raise NotFound("There is no such workspace.")
    return found


def default_collection(workspace: Workspace) -> str:
    """The name of the collection that a write goes to when it names none."""
    return str(workspace.settings.get("default_collection") or DEFAULT_COLLECTION)


def set_workspace(
    app: App,
    name: str,
    *,
    plan: str | None = None,
    new_name: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Workspace:
    """Change a workspace; what is None stays."""
    _check_plan(plan or "unlimited")
    with app.db.control(write=True) as control:
        kept = access.workspace_by_key(control, name_key(name))
        if not kept:
            raise NotFound(f"There is no workspace named {name}.")
        wanted = checked_name(new_name or kept.name)
        other = access.workspace_by_key(control, name_key(wanted))
        if other and other.id != kept.id:
            raise Conflict(f"There is already a workspace named {wanted}.", name=wanted)
        changed = Workspace(kept.id, wanted, kept.created_at, plan or kept.plan, {**kept.settings, **(settings or {})})
        access.patch_workspace(control, changed, name_key(wanted))
    return changed


def delete_workspace(app: App, name: str) -> None:
    """Delete a workspace with everything in it: struck from the list first, its part last."""
    found = find_workspace(app, name)
    with app.db.control(write=True) as control:
        if len(access.workspaces(control)) == 1:
            raise Conflict("The only workspace cannot be deleted; make another one first.", name=name)
        access.remove_workspace(control, found.id)
    app.db.engine.drop(found.id)


def _check_plan(plan: str) -> None:
    if plan not in PLANS:
        raise Invalid(f"There is no plan {plan}; choose one of {', '.join(PLANS)}.", plan=plan)
