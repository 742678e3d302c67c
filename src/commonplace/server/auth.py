"""Who calls: from the bearer header to a caller, or to the answer for one who is not known."""

from collections.abc import Callable

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Unauthenticated
from commonplace.surfaces.contract import RpcError, Surface, json_safe

Authenticate = Callable[[App, str, str], Caller]


def identify(app: App, surface: Surface, header: str | None, authenticate: Authenticate) -> Caller:
    """The caller behind an `Authorization` header."""
    scheme, _, secret = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Unauthenticated(reason="missing_bearer_token")
    return authenticate(app, secret.strip(), surface.name)


def challenge(error: Unauthenticated, metadata: str) -> RpcError:
    """Ask for a token and say where to read about it; that one was wrong only where there was one (RFC 6750)."""
    facts = json_safe(error.facts)
    wrong = "" if facts.get("reason") == "missing_bearer_token" else 'error="invalid_token", '
    headers = {"WWW-Authenticate": f'Bearer {wrong}resource_metadata="{metadata}"'}
    return RpcError(401, error.message, facts, status=401, headers=headers)
