"""What stands before every route: whose name a request is sent to, and how large it may be."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.server.protocol import Reply, refuse
from commonplace.surfaces.contract import RpcError

REST = re.compile(r"/api/(v1/.*|health)", re.DOTALL)
PROBLEMS = {
    403: ("forbidden", "{}"),
    404: ("not_found", "Nothing is served at this path."),
    405: ("method_not_allowed", "This path does not take this method."),
    413: ("too_large", "{}"),
}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def host_name(url: str) -> str | None:
    """The host in a URL or in `//host:port`, None where there is none to read."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def json_response(reply: Reply) -> Response:
    """A reply as HTTP carries it."""
    return Response(reply.encode(), reply.status, reply.headers, media_type="application/json")


def event_response(reply: Reply) -> Response:
    """The same as the one event of a stream."""
    body = b"event: message\ndata: " + reply.encode() + b"\n\n"
    headers = {**reply.headers, "X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    return Response(body, reply.status, headers, media_type="text/event-stream")


def problem(error: HTTPException, path: str) -> Response:
    """What ends a request outside of a call, in the form that every other error has at this path."""
    status, headers = error.status_code, error.headers or {}
    if REST.fullmatch(path):
        reason, message = PROBLEMS.get(status, ("invalid", "{}"))
        return JSONResponse({"error": reason, "message": message.format(error.detail)}, status, headers)
    return json_response(refuse(RpcError(status, error.detail, status=status, headers=headers)))


async def on_problem(request: Request, error: Exception) -> Response:
    """The same for what Starlette raises: no such path, no such method."""
    assert isinstance(error, HTTPException), "registered for nothing else"
    return problem(error, request.url.path)


class HostGuard:
    """Refuses foreign host names and foreign pages: no web page reaches us by pointing a name of its own here."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self.hosts = LOOPBACK | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        refused = self._refused(Headers(scope=scope)) if scope["type"] == "http" else None
        if refused:
            await problem(HTTPException(403, refused), scope["path"])(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _refused(self, headers: Headers) -> str | None:
        if host_name(f"//{headers.get('host', '')}") not in self.hosts:
            return "This host name is not served here; the setting hosts lists the names that are."
        if "origin" in headers and host_name(headers["origin"]) not in self.hosts:
            return "Pages of this origin may not call this server."
        return None


class BodyCap:
    """Refuses larger bodies: by the announced length before anything is read, else once too much has come."""

    def __init__(self, app: ASGIApp, bytes_max: int) -> None:
        self.app = app
        self.bytes_max = bytes_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body counted, or answer 413."""
        if scope["type"] == "http" and self._announces_more(Headers(scope=scope)):
            await problem(self._too_large(), scope["path"])(scope, receive, send)
        else:
            await self.app(scope, self._counted(receive), send)

    def _announces_more(self, headers: Headers) -> bool:
        length = headers.get("content-length", "")
        return length.isdecimal() and int(length) > self.bytes_max

    def _counted(self, receive: Receive) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.bytes_max:
                raise self._too_large()
            return message

        return counted

    def _too_large(self) -> HTTPException:
        # Without closing, the rest of the body would still be read before the next request.
        return HTTPException(413, f"The body is larger than {self.bytes_max} bytes.", {"Connection": "close"})
