import pytest
from core_support import store

from commonplace.core import perform
from commonplace.core import workspaces as verbs
from commonplace.core.access import authenticate, local_caller
from commonplace.core.app import App
from commonplace.core.requests import IssueToken, ListCollections
from commonplace.core.workspaces import (
    create_workspace,
    default_collection,
    delete_workspace,
    find_workspace,
    list_workspaces,
    set_workspace,
    workspace_of,
)
from commonplace.model.access import Caller
from commonplace.model.errors import Conflict, Invalid, NotFound, Unauthenticated
from commonplace.store import access as stored
from support import FakeClock


def test_a_workspace_begins_without_limits_and_with_one_collection(app: App) -> None:
    """K-PLN-1"""
    made = create_workspace(app, "Team West")
    assert (made.plan, made.settings) == ("unlimited", {})
    caller = local_caller(app, "team-west", human=True)
    [first] = perform(app, caller, ListCollections())
    assert (first.slug, first.name, first.tier.value) == ("personal", "Personal", "personal")
    assert default_collection(made) == "personal"


def test_workspaces_are_found_by_any_spelling_of_their_name(app: App, clock: FakeClock) -> None:
    clock.advance()
    made = create_workspace(app, "Team West", "pro")
    assert find_workspace(app, "TEAMWEST") == workspace_of(app, made.id) == made
    assert [each.name for each in list_workspaces(app)] == ["default", "Team West"]
    with pytest.raises(NotFound, match="commonplace workspace create nowhere"):
        find_workspace(app, "nowhere")
    with pytest.raises(NotFound, match="no such workspace"):
        workspace_of(app, "00000000-0000-7000-8000-000000000000")


def test_a_name_is_used_once(app: App) -> None:
    for name in ("default", "DEFAULT"):
        with pytest.raises(Conflict, match="already a workspace"):
            create_workspace(app, name)
    create_workspace(app, "other")
    with pytest.raises(Conflict, match="already a workspace named Other"):
        set_workspace(app, "default", new_name="Other")


def test_of_two_that_make_a_name_at_once_one_finds_it_taken(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """engine 5"""
    real, made = stored.workspace_by_key, []

    def late(*given: object) -> object:
        if made:
            return real(*given)  # type: ignore[arg-type]
        made.append(True)
        return None

    monkeypatch.setattr(verbs.access, "workspace_by_key", late)
    with pytest.raises(Conflict):
        create_workspace(app, "default")
    assert len(list_workspaces(app)) == 1


@pytest.mark.parametrize("plan", ["private", "pro", "business", "business_api", "enterprise", "unlimited"])
def test_the_operator_may_choose_any_plan(app: App, plan: str) -> None:
    """K-PLN-1"""
    assert set_workspace(app, "default", plan=plan).plan == find_workspace(app, "default").plan == plan


def test_an_unknown_plan_is_refused(app: App) -> None:
    for refused in (lambda: create_workspace(app, "x", "gold"), lambda: set_workspace(app, "default", plan="gold")):
        with pytest.raises(Invalid, match="choose one of private, pro"):
            refused()


def test_a_change_leaves_what_it_does_not_name(app: App) -> None:
    set_workspace(app, "default", settings={"a": 1, "b": [2]})
    set_workspace(app, "default", plan="pro", settings={"a": 3})
    changed = set_workspace(app, "default", new_name="Main")
    assert (changed.name, changed.plan, changed.settings) == ("Main", "pro", {"a": 3, "b": [2]})
    assert find_workspace(app, "main") == changed
    with pytest.raises(NotFound):
        set_workspace(app, "default")
    assert set_workspace(app, "MAIN", new_name="main").name == "main"


def test_a_deleted_workspace_is_gone_with_its_tokens(app: App, owner: Caller) -> None:
    store(app, owner, "Said.")
    issued = perform(app, owner, IssueToken())
    with pytest.raises(Conflict):
        delete_workspace(app, "default")
    other = create_workspace(app, "Other")
    delete_workspace(app, "default")
    assert list_workspaces(app) == [other]
    with pytest.raises(Unauthenticated):
        authenticate(app, issued.secret)
    with pytest.raises(NotFound):
        delete_workspace(app, "default")
    create_workspace(app, "default")
    assert find_workspace(app, "default").id != owner.workspace_id
