"""The caller's workspace, and the plan that says what it may hold."""

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.requests import ChoosePlan, ShowWorkspace
from commonplace.core.workspaces import set_workspace, workspace_of
from commonplace.model.access import Caller, Scope, Workspace


def show_workspace(app: App, caller: Caller, _request: ShowWorkspace) -> Workspace:
    """The workspace as its keeper sees it."""
    require(caller, Scope.ADMIN)
    return workspace_of(app, caller.workspace_id)


def choose_plan(app: App, caller: Caller, request: ChoosePlan) -> Workspace:
    """Put the workspace on a plan; it holds from the next call on."""
    require(caller, Scope.ADMIN)
    return set_workspace(app, workspace_of(app, caller.workspace_id).name, plan=request.plan)
