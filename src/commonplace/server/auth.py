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


def challenge(error: Unauthenticated) -> RpcError:
    """Ask for a token; that one was wrong is said only where there was one (RFC 6750)."""
    facts = json_safe(error.facts)
    scheme = "Bearer" if facts.get("reason") == "missing_bearer_token" else 'Bearer error="invalid_token"'
    return RpcError(401, error.message, facts, status=401, headers={"WWW-Authenticate": scheme})
