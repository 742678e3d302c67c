"""One JSON-RPC message in, one reply out: what of MCP every transport shares."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.server.era import (
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    SUPPORTED,
    Era,
    Headers,
    completed,
    era_of,
    server_info,
)
from commonplace.surfaces.contract import Fields, Result, RpcError, Surface
from commonplace.surfaces.dispatch import Perform, call
from commonplace.surfaces.schema import listing

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601

CAPABILITIES: Fields = {"tools": {}}

Id = str | int | float | None


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end, the surface they speak to, and what carries out their calls."""

    surface: Surface
    app: App
    caller: Caller
    perform: Perform


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
    if run is None:
        return RpcError(METHOD_NOT_FOUND, f"method not found: {method}", status=404 if era == Era.MODERN else 200)
    if params is not None and not isinstance(params, dict):
        return RpcError(INVALID_PARAMS, "params must be an object.")
    outcome = run(peer, params or {})
    if era == Era.LEGACY or isinstance(outcome, RpcError):
        return outcome
    return completed(outcome, method, peer.surface.title)


def _initialize(peer: Peer, params: Fields) -> Result:
    """Accepted at any time: some clients send it after other requests."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY_VERSIONS else LEGACY_VERSIONS[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": server_info(peer.surface.title),
        "instructions": peer.surface.instructions,
    }


def _discover(peer: Peer, _params: Fields) -> Result:
    """What the stateless era has in place of a handshake."""
    return {
        "supportedVersions": list(SUPPORTED),
        "capabilities": CAPABILITIES,
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


Method = Callable[[Peer, Fields], Result | RpcError]

SHARED: Mapping[str, Method] = {"tools/list": _list_tools, "tools/call": _call_tool}
METHODS: Mapping[Era, Mapping[str, Method]] = {
    Era.LEGACY: {"initialize": _initialize, "ping": _ping, **SHARED},
    Era.MODERN: {"server/discover": _discover, **SHARED},
}
