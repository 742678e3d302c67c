"""One JSON-RPC message in, one reply out: what of MCP every transport shares."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.server.era import (
    CLIENT,
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    SUPPORTED,
    Era,
    Headers,
    completed,
    era_of,
    server_info,
)
from commonplace.surfaces.contract import Fields, Prompt, Resource, Result, RpcError, Surface
from commonplace.surfaces.dispatch import Perform, call
from commonplace.surfaces.offers import RESOURCE_NOT_FOUND, complete, get_prompt, list_resources, read_resource
from commonplace.surfaces.schema import listing, prompts, templates

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601

PARTS = {"prompts": "prompts", "resources": "resources", "completion": "completions"}
"""What a method begins with, and the capability it belongs to; every surface has tools."""

CLIENT_CHARACTERS_MAX = 100

Id = str | int | float | None


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end, the surface they speak to, and what carries out their calls."""

    surface: Surface
    app: App
    caller: Caller
    perform: Perform

    def named(self, client: object) -> "Peer":
        """The same with the client's own name, for events and reviews tell who asked."""
        name = client.get("name") if isinstance(client, dict) else None
        if not isinstance(name, str) or not name:
            return self
        return replace(self, caller=replace(self.caller, client=name[:CLIENT_CHARACTERS_MAX]))


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON-RPC response, with the HTTP status and headers it travels under."""

    body: Fields
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def encode(self) -> bytes:
        """The response as one line of UTF-8."""
        return msgspec.json.encode(self.body)


def answer(peer: Peer, data: bytes, headers: Headers | None = None) -> Reply | None:
    """Read a message and answer it; notifications and responses have no answer."""
    try:
        message = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return refuse(RpcError(PARSE_ERROR, "The message is not valid JSON."))
    return handle(peer, message, headers)


def handle(peer: Peer, message: Any, headers: Headers | None = None) -> Reply | None:
    """Answer a message that was read."""
    fault = _fault(message)
    if fault is not None:
        return refuse(fault)
    method, identifier = message.get("method"), _identifier(message)
    if method is None or method.startswith("notifications/"):
        return None
    if identifier is None:
        return refuse(RpcError(INVALID_REQUEST, "A request has an id, a string or a number."))
    return _reply(_outcome(peer, method, message.get("params"), headers), identifier)


def introduced(peer: Peer, data: bytes) -> Peer:
    """The peer after a message: the handshake tells who the client is, for all that follows on its connection."""
    if b'"initialize"' not in data:
        return peer
    try:
        message = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return peer
    params = message.get("params") if isinstance(message, dict) and message.get("method") == "initialize" else None
    return peer.named(params.get("clientInfo")) if isinstance(params, dict) else peer


def refuse(error: RpcError, identifier: Id = None) -> Reply:
    """An error as a response; without an id where the request could not be read."""
    shown: Fields = {"code": error.code, "message": error.message}
    if error.data:
        shown["data"] = error.data
    return Reply({"jsonrpc": "2.0", "id": identifier, "error": shown}, error.status, error.headers)


def _fault(message: Any) -> RpcError | None:
    """What is wrong with a message before its method is looked at; a response of the client names none."""
    if isinstance(message, list):
        return RpcError(INVALID_REQUEST, "Batches are not supported; send one message at a time.")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return RpcError(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0".')
    if isinstance(message.get("method"), str) or message.keys() & {"result", "error"}:
        return None
    return RpcError(INVALID_REQUEST, "A request names its method.")


def _identifier(message: Fields) -> Id:
    """The id of a message, None where it has none; True is no number here."""
    match message.get("id"):
        case bool():
            return None
        case str() | int() | float() as identifier:
            return identifier
        case _:
            return None


def _reply(outcome: Result | RpcError, identifier: Id) -> Reply:
    if isinstance(outcome, RpcError):
        return refuse(outcome, identifier)
    return Reply({"jsonrpc": "2.0", "id": identifier, "result": outcome})


def _outcome(peer: Peer, method: str, params: object, headers: Headers | None) -> Result | RpcError:
    era = era_of(method, params, headers)
    if isinstance(era, RpcError):
        return era
    run = METHODS[era].get(method)
    if run is None or not _offers(peer.surface, method):
        return RpcError(METHOD_NOT_FOUND, f"method not found: {method}", status=404 if era == Era.MODERN else 200)
    if params is not None and not isinstance(params, dict):
        return RpcError(INVALID_PARAMS, "params must be an object.")
    if era == Era.MODERN and params:
        peer = peer.named(params["_meta"].get(CLIENT))
    outcome = run(peer, params or {})
    if era == Era.LEGACY:
        return outcome
    if isinstance(outcome, RpcError):
        # The handshake's era has a code of its own for this; the stateless one counts it among wrong parameters.
        return replace(outcome, code=INVALID_PARAMS) if outcome.code == RESOURCE_NOT_FOUND else outcome
    return completed(outcome, method, peer.surface.title)


def capabilities(surface: Surface) -> Fields:
    """What a surface offers: only what it has rows for."""
    rows: tuple[Prompt | Resource, ...] = (*surface.prompts, *surface.resources)
    offered = {
        "tools": bool(surface.tools),
        "prompts": bool(surface.prompts),
        "resources": bool(surface.resources),
        "completions": any(row.completions for row in rows),
    }
    return {name: {} for name, there in offered.items() if there}


def _offers(surface: Surface, method: str) -> bool:
    """Whether a surface has what a method is about."""
    part = PARTS.get(method.partition("/")[0])
    return part is None or part in capabilities(surface)


def _initialize(peer: Peer, params: Fields) -> Result:
    """Accepted at any time: some clients send it after other requests."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY_VERSIONS else LEGACY_VERSIONS[-1],
        "capabilities": capabilities(peer.surface),
        "serverInfo": server_info(peer.surface.title),
        "instructions": peer.surface.instructions,
    }


def _discover(peer: Peer, _params: Fields) -> Result:
    """What the stateless era has in place of a handshake."""
    return {
        "supportedVersions": list(SUPPORTED),
        "capabilities": capabilities(peer.surface),
        "instructions": peer.surface.instructions,
    }


def _ping(_peer: Peer, _params: Fields) -> Result:
    return {}


def _list_tools(peer: Peer, _params: Fields) -> Result:
    return {"tools": listing(peer.surface)}


def _call_tool(peer: Peer, params: Fields) -> Result | RpcError:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        return RpcError(INVALID_PARAMS, "params.name must be the name of a tool.")
    return call(peer.surface, peer.app, peer.caller, name, {} if arguments is None else arguments, perform=peer.perform)


def _list_prompts(peer: Peer, _params: Fields) -> Result:
    return {"prompts": prompts(peer.surface)}


def _get_prompt(peer: Peer, params: Fields) -> Result | RpcError:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        return RpcError(INVALID_PARAMS, "params.name must be the name of a prompt.")
    given = {} if arguments is None else arguments
    return get_prompt(peer.surface, peer.app, peer.caller, name, given, perform=peer.perform)


def _list_resources(peer: Peer, _params: Fields) -> Result | RpcError:
    return list_resources(peer.surface, peer.app, peer.caller, perform=peer.perform)


def _list_templates(peer: Peer, _params: Fields) -> Result:
    return {"resourceTemplates": templates(peer.surface)}


def _read_resource(peer: Peer, params: Fields) -> Result | RpcError:
    uri = params.get("uri")
    if not isinstance(uri, str):
        return RpcError(INVALID_PARAMS, "params.uri must be the address of a resource.")
    return read_resource(peer.surface, peer.app, peer.caller, uri, perform=peer.perform)


def _complete(peer: Peer, params: Fields) -> Result | RpcError:
    match params:
        case {"ref": dict() as ref, "argument": {"name": str(), "value": str()} as argument}:
            return complete(peer.surface, peer.app, peer.caller, ref, argument, perform=peer.perform)
    return RpcError(INVALID_PARAMS, "params must hold a ref and an argument with its name and value.")


Method = Callable[[Peer, Fields], Result | RpcError]

SHARED: Mapping[str, Method] = {
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "prompts/list": _list_prompts,
    "prompts/get": _get_prompt,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
    "completion/complete": _complete,
}
METHODS: Mapping[Era, Mapping[str, Method]] = {
    Era.LEGACY: {"initialize": _initialize, "ping": _ping, **SHARED},
    Era.MODERN: {"server/discover": _discover, **SHARED},
}
