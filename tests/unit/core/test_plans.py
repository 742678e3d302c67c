import pytest
from core_support import token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import ChoosePlan, ShowWorkspace
from commonplace.model.access import Caller, Scope
from commonplace.model.errors import Forbidden, Invalid


def test_who_administers_a_workspace_sees_and_chooses_its_plan(app: App) -> None:
    """K-PLN-1 K-AUT-2"""
    admin, writer = token(app, scopes=(Scope.ADMIN,)), token(app)
    assert perform(app, admin, ShowWorkspace()).plan == "unlimited"
    assert perform(app, admin, ChoosePlan(plan="private")).plan == "private"
    assert perform(app, admin, ShowWorkspace()).plan == "private"
    for request in (ShowWorkspace(), ChoosePlan(plan="pro")):
        with pytest.raises(Forbidden, match="Scope admin missing"):
            perform(app, writer, request)


def test_an_unknown_plan_is_refused(app: App, owner: Caller) -> None:
    """K-PLN-1"""
    with pytest.raises(Invalid, match="choose one of private"):
        perform(app, owner, ChoosePlan(plan="gold"))
