"""What a client that was turned away reads to learn how to come in (RFC 9728)."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from commonplace.model.access import Scope
from commonplace.surfaces import SURFACES

WELL_KNOWN = "/.well-known/oauth-protected-resource"
PATHS = frozenset(path for surface in SURFACES.values() for path in surface.paths)


def base_url(public_url: str, request: Request) -> str:
    """Where we are reached: as the operator says, else as the request does."""
    return public_url.rstrip("/") or f"{request.url.scheme}://{request.headers['host']}"


def metadata_url(public_url: str, request: Request) -> str:
    """Where the description of the resource that was asked for stands."""
    return f"{base_url(public_url, request)}{WELL_KNOWN}{request.url.path}"


def describe(public_url: str, request: Request) -> Response:
    """A resource of ours: bearer tokens in the header, and what they may be good for."""
    path = request.url.path.removeprefix(WELL_KNOWN)
    if path and path not in PATHS:
        return JSONResponse({"error": "not_found", "message": "Nothing is served at this path."}, 404)
    return JSONResponse(
        {
            "resource": f"{base_url(public_url, request)}{path}",
            "resource_name": "Commonplace",
            "bearer_methods_supported": ["header"],
            "scopes_supported": [scope.value for scope in Scope],
        }
    )
