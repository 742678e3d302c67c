"""What a surface offers besides tools: prompts to pick, resources to read, and values completed while they are typed.

All of it goes the way of a tool call: counted, admitted by scope, performed, and told as the surface tells its errors.
"""

import re
from collections.abc import Mapping
from functools import partial
from urllib.parse import unquote

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError, Invalid, NotFound
from commonplace.surfaces.arguments import check
from commonplace.surfaces.contract import Arguments, Fields, Prompt, Resource, Result, RpcError, Surface, json_safe
from commonplace.surfaces.dispatch import Perform, admit, count_minute, guarded

RESOURCE_NOT_FOUND = -32002
INVALID_PARAMS = -32602
VALUES_MAX = 100


def get_prompt(
    surface: Surface, app: App, caller: Caller, name: str, arguments: object, *, perform: Perform
) -> Result | RpcError:
    """The messages of a prompt."""

    def run() -> Result:
        count_minute(surface, app, caller)
        prompt = _prompt(surface, name)
        admit(caller, prompt.scope)
        checked, _ = check(prompt, arguments, surface.unknown_arguments)
        answer = perform(app, caller, prompt.request(checked))
        return {"description": prompt.summary, "messages": prompt.reply(answer, checked)}

    return guarded(f"{surface.name} prompt {name}", run, partial(_told, surface))


def read_resource(surface: Surface, app: App, caller: Caller, uri: str, *, perform: Perform) -> Result | RpcError:
    """What stands at an address."""

    def run() -> Result:
        count_minute(surface, app, caller)
        row, values = _resource(surface, uri)
        admit(caller, row.scope)
        answer = perform(app, caller, row.request(values))
        return {"contents": [{"uri": uri, "mimeType": row.mime, **row.reply(answer, values)}]}

    def tell(error: CommonplaceError) -> RpcError:
        missing = isinstance(error, NotFound)
        return RpcError(RESOURCE_NOT_FOUND, error.message, {"uri": uri}) if missing else _told(surface, error)

    return guarded(f"{surface.name} resource", run, tell)


def list_resources(surface: Surface, app: App, caller: Caller, *, perform: Perform) -> Result | RpcError:
    """The addresses that can be told without asking for one."""

    def run() -> Result:
        count_minute(surface, app, caller)
        return {"resources": [each for row in surface.resources for each in _listed(row, app, caller, perform)]}

    return guarded(f"{surface.name} resources", run, partial(_told, surface))


def complete(
    surface: Surface, app: App, caller: Caller, ref: Fields, argument: Mapping[str, str], *, perform: Perform
) -> Result | RpcError:
    """Values for an argument of a prompt or a template, given how the value begins; none where none are known."""

    def run() -> Result:
        count_minute(surface, app, caller)
        row = _prompt(surface, ref.get("name")) if ref.get("type") == "ref/prompt" else _template(surface, ref)
        admit(caller, row.scope)
        known, begun = row.completions.get(argument["name"]), argument["value"]
        found = known.values(perform(app, caller, known.request(begun)), begun) if known else ()
        values = list(dict.fromkeys(found))
        return {"completion": {"values": values[:VALUES_MAX], "hasMore": len(values) > VALUES_MAX}}

    return guarded(f"{surface.name} completion", run, partial(_told, surface))


def _prompt(surface: Surface, name: object) -> Prompt:
    for prompt in surface.prompts:
        if prompt.name == name:
            return prompt
    known = [prompt.name for prompt in surface.prompts]
    raise Invalid(f"Unknown prompt: {name}", reason="unknown_prompt", prompts=known)


def _template(surface: Surface, ref: Fields) -> Resource:
    for row in surface.resources:
        if row.uri == ref.get("uri"):
            return row
    known = [row.uri for row in surface.resources]
    raise Invalid("A reference names a prompt or a template of addresses.", reason="unknown_reference", templates=known)


def _resource(surface: Surface, uri: str) -> tuple[Resource, Arguments]:
    for row in surface.resources:
        found = re.fullmatch(_pattern(row.uri), uri)
        if found:
            return row, {name: unquote(value) for name, value in found.groupdict().items()}
    raise NotFound("Nothing stands at this address.")


def _pattern(template: str) -> str:
    parts = re.split(r"\{(\w+)\}", template)
    return "".join(f"(?P<{part}>.+)" if place % 2 else re.escape(part) for place, part in enumerate(parts))


def _listed(row: Resource, app: App, caller: Caller, perform: Perform) -> list[Fields]:
    """An address as it is, or those of a template that are worth naming to this caller."""
    if "{" not in row.uri:
        return [{"uri": row.uri, "name": row.name, "description": row.summary, "mimeType": row.mime}]
    if row.listing is None or (row.scope is not None and not caller.may(row.scope)):
        return []
    named = row.listing.reply(perform(app, caller, row.listing.request))
    return [{**each, "mimeType": row.mime} for each in named]


def _told(surface: Surface, error: CommonplaceError) -> RpcError:
    """As the surface tells it; where that is a failed result of a tool, as wrong parameters, for here is no tool."""
    told = surface.error(error, None)
    return told if isinstance(told, RpcError) else RpcError(INVALID_PARAMS, error.message, json_safe(error.facts))
