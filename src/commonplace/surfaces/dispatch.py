"""One call of a tool or a route, from its name and arguments to what goes over the wire."""

import logging
from collections.abc import Callable
from dataclasses import replace
from traceback import format_tb
from typing import NoReturn, TypeVar
from uuid import uuid4

from commonplace.core import rates
from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.model.access import Caller, Scope
from commonplace.model.errors import CommonplaceError, Invalid
from commonplace.surfaces.arguments import check
from commonplace.surfaces.contract import Internal, Result, RpcError, Surface

IGNORED = "commonplace/ignored_arguments"

Perform = Callable[[App, Caller, object], object]
Answer = TypeVar("Answer")
Told = TypeVar("Told")

logger = logging.getLogger(__name__)


def call(
    surface: Surface, app: App, caller: Caller, name: str, arguments: object, *, perform: Perform
) -> Result | RpcError:
    """Carry out a call; whatever goes wrong comes back in the form the surface gives its errors."""
    surface, name = surface.resolve(name)
    caller = replace(caller, surface=surface.name)
    tool = surface.find(name)

    def run() -> Result:
        count_minute(surface, app, caller)
        row = tool or _unknown(surface, name)
        admit(caller, row.scope)
        if row.per_hour is not None:
            rates.refuse_full_hour(app, caller, row.name, row.per_hour)
        checked, ignored = check(row, arguments, surface.unknown_arguments)
        if row.per_hour is not None:
            rates.count_hour(app, caller, row.name)
        answer = perform(app, caller, row.request(checked))
        return _noted(surface.envelope(row, row.reply(answer, checked)), ignored)

    return guarded(f"{surface.name} {name}", run, lambda error: surface.error(error, tool))


def guarded(where: str, run: Callable[[], Answer], tell: Callable[[CommonplaceError], Told]) -> Answer | Told:
    """What `run` gives, or its error as it is told; a bug is logged under an id and told as an error without detail."""
    try:
        return run()
    except CommonplaceError as error:
        return tell(error)
    except Exception as bug:  # noqa: BLE001 - a bug in one call must neither end the server nor show its inside
        return tell(_reported(bug, where))


def count_minute(surface: Surface, app: App, caller: Caller) -> None:
    """Count a call against the plan's requests a minute, where the surface does."""
    if surface.per_minute:
        rates.take_minute(app, caller)


def admit(caller: Caller, scope: Scope | None) -> None:
    """Refuse a caller without the scope of a row; a row without one is open to all."""
    if scope is not None:
        require(caller, scope)


def _unknown(surface: Surface, name: str) -> NoReturn:
    raise Invalid(f"Unknown tool: {name}", reason="unknown_tool", tools=[each.name for each in surface.tools])


def _noted(result: Result, ignored: tuple[str, ...]) -> Result:
    told = result.get("_meta", {})
    names = [*told.get(IGNORED, ()), *ignored]
    return {**result, "_meta": {**told, IGNORED: names}} if names else result


def _reported(bug: Exception, where: str) -> Internal:
    """Log where it happened and not what was said: the message of an exception may hold stored text."""
    trace = uuid4().hex
    logger.error("bug %s in %s: %s\n%s", trace, where, type(bug).__name__, "".join(format_tb(bug.__traceback__)))
    return Internal(trace=trace)
