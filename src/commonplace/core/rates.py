"""Rates: how often a token may call within a sliding window, counted across processes, only where a plan limits it."""

from commonplace.core.app import App
from commonplace.core.workspaces import workspace_of
from commonplace.model.access import PLANS, Caller
from commonplace.model.errors import RateLimited
from commonplace.model.interval import MINUTE, SECOND
from commonplace.store.database import Write

HOUR = 60 * MINUTE


def take_minute(app: App, caller: Caller) -> None:
    """Count a call of a token against its plan's requests a minute."""
    if caller.token_id is None:
        return
    most = PLANS[workspace_of(app, caller.workspace_id).plan].requests_per_minute
    if most is not None:
        take(app, caller, f"{caller.token_id} minute", most, MINUTE)


def refuse_full_hour(app: App, caller: Caller, tool: str, most: int) -> None:
    """Refuse a call of a token whose hour for a tool is used up; nothing is counted yet."""
    if _counts_hours(app, caller):
        with app.db.write(caller) as write:
            _refuse_full(write, _hour(caller, tool), most, HOUR)


def count_hour(app: App, caller: Caller, tool: str) -> None:
    """Count a call that was let in."""
    if _counts_hours(app, caller):
        with app.db.write(caller) as write:
            _count(write, _hour(caller, tool))


def take(app: App, caller: Caller, bucket: str, most: int, window: int) -> None:
    """Count a call, or refuse it uncounted and tell when there is room again."""
    with app.db.write(caller) as write:
        _refuse_full(write, bucket, most, window)
        _count(write, bucket)


def _counts_hours(app: App, caller: Caller) -> bool:
    """Hourly caps are the plan's affair, unless the workspace says otherwise."""
    if caller.token_id is None:
        return False
    workspace = workspace_of(app, caller.workspace_id)
    chosen = workspace.settings.get("rate_caps", "plan")
    return chosen == "on" or (chosen == "plan" and PLANS[workspace.plan].requests_per_minute is not None)


def _hour(caller: Caller, tool: str) -> str:
    return f"{caller.token_id} hour {tool}"


def _refuse_full(write: Write, bucket: str, most: int, window: int) -> None:
    write.run("forget_calls", bucket=bucket, until=write.now - window)
    counted = write.one("count_calls", bucket=bucket)
    if counted and counted["calls"] >= most:
        wait = max(1, -(-(counted["oldest"] + window - write.now) // SECOND))
        raise RateLimited(f"Rate limit exceeded, retry in {wait} s", retry_after_s=wait)


def _count(write: Write, bucket: str) -> None:
    write.run("count_call", bucket=bucket, at=write.now, id=write.new_id())
