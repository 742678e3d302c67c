"""REST over HTTP: mounts the route rows of every dialect; what a call does is the dispatch's affair, as for tools."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Mounted

from commonplace import __version__
from commonplace.core.app import App
from commonplace.model.access import NOBODY, Caller
from commonplace.model.errors import CommonplaceError, Invalid, Unauthenticated
from commonplace.server.auth import Authenticate, challenge, identify
from commonplace.server.discovery import WELL_KNOWN, base_url
from commonplace.surfaces import RESTS
from commonplace.surfaces.contract import Fields, Param, RpcError
from commonplace.surfaces.dispatch import Perform, call
from commonplace.surfaces.openapi import describe
from commonplace.surfaces.routes import JSON, Rest, Route

OPENAPI = "/api/v1/openapi.json"
INTEGER = re.compile(r"-?\d{1,15}", re.ASCII)
TRUTHS = {"true": True, "false": False}

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Desk:
    """What carries out the calls of routes."""

    app: App
    authenticate: Authenticate
    perform: Perform
    limiter: CapacityLimiter
    public_url: str


def mounted(desk: Desk) -> Iterator[Mounted]:
    """Every route, one endpoint for the methods of a path, and the description of them all."""
    yield Mounted(OPENAPI, _description(desk), methods=["GET"])
    for path in dict.fromkeys(row.path for rest in RESTS for row in rest.tools):
        rows: dict[str, tuple[Rest, Route]] = {
            row.method: (rest, row) for rest in RESTS for row in rest.tools if row.path == path
        }
        yield Mounted(path, _endpoint(desk, rows), methods=list(rows))


def _description(desk: Desk) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return _json(200, describe(RESTS, base_url(desk.public_url, request), __version__))

    return endpoint


def _endpoint(desk: Desk, rows: Mapping[str, tuple[Rest, Route]]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        rest, row = rows["GET" if request.method == "HEAD" else request.method]
        body = await request.body()
        return await to_thread.run_sync(_answer, desk, rest, row, request, body, limiter=desk.limiter)

    return endpoint


def _answer(desk: Desk, rest: Rest, row: Route, request: Request, body: bytes) -> Response:
    """Who calls, what with, then the call; the checks come in the order they have for tools."""
    try:
        caller = NOBODY if row.open else _caller(desk, rest, request)
        given = arguments(row, request, body)
    except CommonplaceError as error:
        told = rest.error(error, row)
        assert isinstance(told, RpcError), "routes refuse with a status"
        headers = _asking(desk, error, request) if isinstance(error, Unauthenticated) else told.headers
        return _json(told.status, told.data, headers)
    outcome = call(rest, desk.app, caller, row.name, given, perform=desk.perform)
    if isinstance(outcome, RpcError):
        return _json(outcome.status, outcome.data, outcome.headers)
    if row.media != JSON:
        return Response(outcome["text"], row.status, media_type=row.media)
    return _json(row.status, outcome)


def _caller(desk: Desk, rest: Rest, request: Request) -> Caller:
    return identify(desk.app, rest, request.headers.get("authorization"), desk.authenticate)


def _asking(desk: Desk, error: Unauthenticated, request: Request) -> Mapping[str, str]:
    return challenge(error, f"{base_url(desk.public_url, request)}{WELL_KNOWN}").headers


def arguments(row: Route, request: Request, body: bytes) -> Fields:
    """What was given in the path, in the query and in the body; the same name in two of them is refused."""
    query = {name: _spoken(row, name, request.query_params.getlist(name)) for name in request.query_params}
    given: Fields = {}
    for part in (request.path_params, query, _read(body)):
        if twice := sorted(given.keys() & part.keys()):
            raise Invalid(f"{twice[0]} is given twice; give it once.", param=twice[0], reason="conflict")
        given |= part
    return given


def _read(body: bytes) -> Fields:
    if not body.strip():
        return {}
    try:
        read = msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise Invalid("The body is not valid JSON.", param="body", reason="format") from error
    if not isinstance(read, dict):
        raise Invalid("The body must be a JSON object.", param="body", reason="type")
    return read


def _spoken(row: Route, name: str, values: list[str]) -> Any:
    """What a query says, in the type its row gives it; what is not of that type is left for the check to refuse."""
    param = next((each for each in row.params if name in {each.name, *each.aliases}), None)
    typed = [_typed(param, value) for value in values]
    return typed if len(typed) > 1 or (param and param.many) else typed[0]


def _typed(param: Param | None, value: str) -> str | int | bool:
    if param and bool in param.kinds and value in TRUTHS:
        return TRUTHS[value]
    if param and int in param.kinds and INTEGER.fullmatch(value):
        return int(value)
    return value


def _json(status: int, fields: Fields, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(fields), status, headers, media_type=JSON)
