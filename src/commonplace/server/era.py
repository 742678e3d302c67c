"""Which of MCP's two eras a message belongs to: the handshake's, or the stateless one that says so in every message."""

import base64
import binascii
from collections.abc import Mapping
from enum import StrEnum

from commonplace import __version__
from commonplace.surfaces.contract import Fields, Result, RpcError

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
SUPPORTED = (MODERN, *reversed(LEGACY_VERSIONS))

PREFIX = "io.modelcontextprotocol/"
CLIENT = f"{PREFIX}clientInfo"
VERSION, CAPABILITIES, SERVER = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities", f"{PREFIX}serverInfo"

HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
INVALID_PARAMS = -32602

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
FRESH_FOR_MS: Mapping[str, int] = {
    "server/discover": 300_000,
    "tools/list": 300_000,
    "prompts/list": 300_000,
    "resources/templates/list": 300_000,
    "resources/list": 0,
    "resources/read": 0,
}
"""How long a result keeps: what the program says, until it is started anew; what the memory says, not at all."""

Headers = Mapping[str, str]


class Era(StrEnum):
    """How a message is to be understood."""

    LEGACY = "legacy"
    MODERN = "modern"


def era_of(method: str, params: object, headers: Headers | None) -> Era | RpcError:
    """The era of a request, or why it is in neither; without headers it came by a transport that has none."""
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    said = meta.get(VERSION)
    announced = None if headers is None else _header(headers, "mcp-protocol-version")
    if said is None:
        return _legacy(announced)
    if headers is not None and announced != said:
        return _mismatch("MCP-Protocol-Version", announced, said)
    if said != MODERN:
        return _unsupported(said)
    if not isinstance(meta.get(CAPABILITIES), dict):
        return _incomplete(CAPABILITIES)
    return Era.MODERN if headers is None else _mirrored(method, params, headers)


def completed(result: Result, method: str, title: str) -> Result:
    """A result as the stateless era wants it: complete, by whom, and how long it keeps."""
    meta = {**result.get("_meta", {}), SERVER: server_info(title)}
    fields: Result = {"resultType": "complete", **result, "_meta": meta}
    if method not in FRESH_FOR_MS:
        return fields
    return {**fields, "ttlMs": FRESH_FOR_MS[method], "cacheScope": "private"}


def server_info(title: str) -> Fields:
    """Who answers."""
    return {"name": "commonplace", "title": title, "version": __version__}


def _legacy(announced: str | None) -> Era | RpcError:
    if announced is None or announced in LEGACY_VERSIONS:
        return Era.LEGACY
    if announced == MODERN:
        return _incomplete(VERSION)
    return _unsupported(announced)


def _mirrored(method: str, params: Fields, headers: Headers) -> Era | RpcError:
    """The headers repeat what the body says, so that what stands between can route by them."""
    announced, name = _header(headers, "mcp-method"), _header(headers, "mcp-name")
    if announced != method:
        return _mismatch("Mcp-Method", announced, method)
    field = NAMED_BY.get(method)
    if field and isinstance(params.get(field), str) and _plain(name) != params[field]:
        return _mismatch("Mcp-Name", name, params[field])
    return Era.MODERN


def _header(headers: Headers, name: str) -> str | None:
    """A header's value without the blanks that HTTP lets stand around it."""
    value = headers.get(name)
    return None if value is None else value.strip(" \t")


def _plain(value: str | None) -> str | None:
    """A header's value; what no header may hold comes in base64."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _mismatch(header: str, announced: str | None, said: object) -> RpcError:
    held = "is missing" if announced is None else f"says {announced!r}"
    return RpcError(HEADER_MISMATCH, f"Header mismatch: {header} {held}, the body says {said!r}.", status=400)


def _incomplete(missing: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"params._meta must hold {missing}.", status=400)


def _unsupported(asked: object) -> RpcError:
    data = {"supported": list(SUPPORTED), "requested": str(asked)}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data, status=400)
