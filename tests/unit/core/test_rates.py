import pytest

from commonplace.core.app import App
from commonplace.core.rates import count_hour, refuse_full_hour, take, take_minute
from commonplace.core.workspaces import set_workspace
from commonplace.model.access import Caller
from commonplace.model.errors import RateLimited
from commonplace.model.interval import MINUTE, SECOND
from support import FakeClock


def test_a_window_slides_and_refused_calls_do_not_count(app: App, owner: Caller, clock: FakeClock) -> None:
    clock.advance()
    for _ in range(3):
        take(app, owner, "bucket", 3, MINUTE)
        clock.advance(10 * SECOND)
    for _ in range(5):
        with pytest.raises(RateLimited) as refused:
            take(app, owner, "bucket", 3, MINUTE)
        assert refused.value.facts["retry_after_s"] == 30
    clock.advance(30 * SECOND)
    take(app, owner, "bucket", 3, MINUTE)


def test_buckets_are_apart(app: App, owner: Caller) -> None:
    take(app, owner, "one", 1, MINUTE)
    take(app, owner, "other", 1, MINUTE)


def test_a_plan_limits_the_requests_of_a_token_and_not_of_the_owner(app: App, owner: Caller) -> None:
    """K-LIM-1"""
    set_workspace(app, "default", plan="private")
    token = Caller(owner.workspace_id, "token", token_id="t")
    for _ in range(60):
        take_minute(app, token)
    with pytest.raises(RateLimited):
        take_minute(app, token)
    take_minute(app, owner)


def test_the_unlimited_plan_counts_nothing(app: App, owner: Caller) -> None:
    """K-PLN-1"""
    for _ in range(100):
        take_minute(app, Caller(owner.workspace_id, "token", token_id="t"))
    with app.db.read(owner.workspace_id) as read:
        assert read.one("count_calls", bucket="t minute")["calls"] == 0


def test_an_hour_is_counted_per_tool_and_only_for_calls_that_were_let_in(app: App, owner: Caller) -> None:
    """GR-ERR-4"""
    set_workspace(app, "default", plan="pro")
    token = Caller(owner.workspace_id, "token", token_id="t")
    for _ in range(3):
        refuse_full_hour(app, token, "search", 2)
    for _ in range(2):
        count_hour(app, token, "search")
    with pytest.raises(RateLimited):
        refuse_full_hour(app, token, "search", 2)
    refuse_full_hour(app, token, "add", 2)


def test_the_hourly_caps_can_be_set_on_and_off(app: App, owner: Caller) -> None:
    """GR-ERR-4"""
    token = Caller(owner.workspace_id, "token", token_id="t")
    set_workspace(app, "default", settings={"rate_caps": "on"})
    count_hour(app, token, "search")
    with pytest.raises(RateLimited):
        refuse_full_hour(app, token, "search", 1)
    set_workspace(app, "default", plan="private", settings={"rate_caps": "off"})
    refuse_full_hour(app, token, "search", 1)


def test_the_hours_of_the_owner_are_not_counted(app: App, owner: Caller) -> None:
    """GR-ERR-4"""
    set_workspace(app, "default", plan="private")
    for _ in range(3):
        refuse_full_hour(app, owner, "search", 1)
        count_hour(app, owner, "search")
