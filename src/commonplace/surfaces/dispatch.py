"""One tool call, from its name and arguments to what goes over the wire."""

import logging
from collections.abc import Callable
from traceback import format_tb
from uuid import uuid4

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError, Invalid
from commonplace.surfaces.arguments import check
from commonplace.surfaces.contract import Internal, Result, RpcError, Surface

Perform = Callable[[App, Caller, object], object]

logger = logging.getLogger(__name__)


def call(
    surface: Surface, app: App, caller: Caller, name: str, arguments: object, *, perform: Perform
) -> Result | RpcError:
    """Carry out a call; whatever goes wrong comes back in the form the surface gives its errors."""
    tool = surface.find(name)
    if tool is None:
        return surface.error(_unknown_tool(surface, name), None)
    try:
        require(caller, tool.scope)
        checked, ignored = check(tool, arguments, surface.unknown_arguments)
        answer = perform(app, caller, tool.request(checked))
        return _noted(surface.envelope(tool, tool.reply(answer, checked)), ignored)
    except CommonplaceError as error:
        return surface.error(error, tool)
    except Exception as bug:  # noqa: BLE001 - a bug in one call must neither end the server nor show its inside
        return surface.error(_reported(bug, f"{surface.name} {tool.name}"), tool)


def _unknown_tool(surface: Surface, name: str) -> Invalid:
    tools = [tool.name for tool in surface.tools]
    return Invalid(f"Unknown tool: {name}", reason="unknown_tool", tools=tools)


def _noted(result: Result, ignored: tuple[str, ...]) -> Result:
    return {**result, "_meta": {"commonplace/ignored_arguments": list(ignored)}} if ignored else result


def _reported(bug: Exception, where: str) -> Internal:
    """Log where it happened and not what was said: the message of an exception may hold stored text."""
    trace = uuid4().hex
    logger.error("bug %s in %s: %s\n%s", trace, where, type(bug).__name__, "".join(format_tb(bug.__traceback__)))
    return Internal(trace=trace)
