"""MCP and REST over HTTP: every surface at its paths, behind one order of checks."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace import core
from commonplace.core import access
from commonplace.core.app import App
from commonplace.core.workspaces import list_workspaces
from commonplace.model.errors import CommonplaceError, Unauthenticated, Unavailable
from commonplace.server.auth import Authenticate, challenge, identify
from commonplace.server.discovery import WELL_KNOWN, describe, metadata_url
from commonplace.server.guard import BodyCap, HostGuard, event_response, host_name, json_response, on_problem
from commonplace.server.protocol import Peer, Reply, answer, refuse
from commonplace.server.rest import Desk, mounted
from commonplace.surfaces import SURFACES
from commonplace.surfaces.conformance import ANYONE, CONFORMANCE, echo
from commonplace.surfaces.contract import RpcError, Surface
from commonplace.surfaces.dispatch import Perform

Respond = Callable[[Mapping[str, str], bytes, str], Reply | None]
Endpoint = Callable[[Request], Awaitable[Response]]


class HttpSettings(Protocol):
    """The settings that requests depend on."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names that are served besides loopback."""

    @property
    def public_url(self) -> str:
        """The address behind a reverse proxy; empty where there is none."""

    @property
    def body_bytes_max(self) -> int:
        """The largest body that is read."""

    @property
    def workers_max(self) -> int:
        """How many calls are worked on at once."""

    @property
    def conformance(self) -> int:
        """Whether the fixtures of the conformance suite are served."""


def application(
    app: App,
    settings: HttpSettings,
    authenticate: Authenticate = access.authenticate,
    perform: Perform = core.perform,
) -> Starlette:
    """The routes; checks come in the order Host and Origin, body, bearer, call."""
    limiter = CapacityLimiter(settings.workers_max)
    routes = [Route("/healthz", _healthz), Route("/readyz", _readyz(app, limiter)), *_discovery(settings.public_url)]
    for surface in SURFACES.values():
        endpoint = _endpoint(_respond(app, surface, authenticate, perform), limiter, settings.public_url)
        routes += [Route(path, endpoint, methods=["POST"]) for path in surface.paths]
    if settings.conformance:
        fixtures = _endpoint(_respond_to_anyone(app), limiter, settings.public_url)
        routes += [Route(path, fixtures, methods=["POST"]) for path in CONFORMANCE.paths]
    routes += mounted(Desk(app, authenticate, perform, limiter, settings.public_url))
    hosts = {*settings.hosts, host_name(settings.public_url) or "localhost"}
    return Starlette(
        routes=routes,
        middleware=[Middleware(HostGuard, hosts=hosts), Middleware(BodyCap, bytes_max=settings.body_bytes_max)],
        exception_handlers={HTTPException: on_problem, ClientDisconnect: _on_disconnect},
    )


def _respond(app: App, surface: Surface, authenticate: Authenticate, perform: Perform) -> Respond:
    """What is done with a message in a thread: who calls, then the call."""

    def respond(headers: Mapping[str, str], data: bytes, metadata: str) -> Reply | None:
        try:
            caller = identify(app, surface, headers.get("authorization"), authenticate)
        except Unauthenticated as error:
            return refuse(challenge(error, metadata))
        except Unavailable as error:
            return refuse(RpcError(503, error.message, status=503))
        return answer(Peer(surface, app, caller, perform), data, headers)

    return respond


def _respond_to_anyone(app: App) -> Respond:
    """The fixtures prove the protocol: without a token, for they touch no store."""

    def respond(headers: Mapping[str, str], data: bytes, _metadata: str) -> Reply | None:
        return answer(Peer(CONFORMANCE, app, ANYONE, echo), data, headers)

    return respond


def _endpoint(respond: Respond, limiter: CapacityLimiter, public_url: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        data = await request.body()
        metadata = metadata_url(public_url, request)
        reply = await to_thread.run_sync(respond, request.headers, data, metadata, limiter=limiter)
        if reply is None:
            return Response(status_code=202)
        return event_response(reply) if _wants_events(request) else json_response(reply)

    return endpoint


def _wants_events(request: Request) -> bool:
    """Whether only a stream of events is accepted; JSON goes to everyone else."""
    accepted = request.headers.get("accept", "*/*")
    return "text/event-stream" in accepted and "json" not in accepted and "*/*" not in accepted


def _discovery(public_url: str) -> list[Route]:
    async def endpoint(request: Request) -> Response:
        return describe(public_url, request)

    return [Route(WELL_KNOWN, endpoint), Route(WELL_KNOWN + "/{path:path}", endpoint)]


def _readyz(app: App, limiter: CapacityLimiter) -> Endpoint:
    """Whether calls can be answered: the store opens and reads."""

    def ready() -> Response:
        try:
            list_workspaces(app)
        except CommonplaceError as error:
            return JSONResponse({"status": "unavailable", "message": error.message}, 503)
        return JSONResponse({"status": "ok"})

    async def endpoint(_: Request) -> Response:
        return await to_thread.run_sync(ready, limiter=limiter)

    return endpoint


async def _healthz(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _on_disconnect(_: Request, _error: Exception) -> Response:
    """Nobody is left to read this; it only keeps a dropped upload out of the log of faults."""
    return Response(status_code=400)
