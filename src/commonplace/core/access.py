"""Who is calling: tokens and the local owner; and what a caller may do."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.auth.tokens import digest, looks_like_token, make_token, matches
from commonplace.core.app import App
from commonplace.core.requests import IssueToken, ListTokens, RevokeToken
from commonplace.core.workspaces import find_workspace
from commonplace.model.access import INCLUDED, Caller, Scope, Token
from commonplace.model.errors import Forbidden, Invalid, NotFound, Quota, Unauthenticated
from commonplace.model.ids import parse
from commonplace.model.interval import FOREVER, Instant
from commonplace.store import access

TOKENS_MAX = 50


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token; the only place where its secret is ever seen."""

    token: Token
    secret: str


def authenticate(app: App, secret: str, surface: str = "native") -> Caller:
    """The caller behind a bearer token."""
    if not looks_like_token(secret):
        raise Unauthenticated(reason="invalid_token")
    with app.db.control() as control:
        found = access.token_by_digest(control, digest(secret))
    now = app.clock.now()
    if not found or not matches(secret, found[1]) or not _is_alive(app, found[0], now):
        raise Unauthenticated(reason="invalid_token")
    token = found[0]
    return Caller(
        workspace_id=token.workspace_id,
        actor=f"token:{token.prefix}",
        scopes=token.scopes,
        folders=token.folders,
        kb_only=token.kb_only,
        surface=surface,
        token_id=token.id,
    )


def local_caller(
    app: App, workspace: str = "default", *, human: bool, surface: str = "native", client: str | None = None
) -> Caller:
    """The owner of the machine: a person at the terminal, or a model's client on stdio."""
    found = find_workspace(app, workspace)
    return Caller(found.id, "owner" if human else "stdio", INCLUDED[Scope.ADMIN], None, False, human, surface, client)


def require(caller: Caller, scope: Scope) -> None:
    """Refuse a caller whose scopes do not include this one."""
    if not caller.may(scope):
        have = sorted({each.value for held in caller.scopes for each in INCLUDED[held]})
        raise Forbidden(f"Scope {scope.value} missing", reason="scope_missing", required=scope.value, have=have)


def require_person(caller: Caller) -> None:
    """Refuse everyone but a person."""
    if not caller.human:
        raise Forbidden("Only a person may do this: use the commonplace command.", reason="human_only")


def issue_token(app: App, caller: Caller, request: IssueToken) -> IssuedToken:
    """Make a token of the caller's workspace."""
    require(caller, Scope.ADMIN)
    now = app.clock.now()
    if request.expires_at is not None and request.expires_at <= now:
        raise Invalid("A token must expire in the future.", param="expires")
    if request.kind == "kmt" and (request.folders is not None or request.kb_only):
        raise Invalid(
            "A token of the kind kmt sees the whole workspace; make one of the kind lev for some of its folders.",
            param="kind",
        )
    _check_folders(app, caller, request.folders)
    made = make_token(request.kind)
    token = Token(
        id=app.ids.new(),
        workspace_id=caller.workspace_id,
        kind=request.kind,
        prefix=made.prefix,
        name=request.name,
        scopes=frozenset(request.scopes) or frozenset({Scope.READ}),
        folders=request.folders,
        kb_only=request.kb_only,
        created_at=now,
        expires_at=request.expires_at or FOREVER,
        revoked_at=FOREVER,
        last_used_at=None,
    )
    with app.db.control(write=True) as control:
        alive = [held for held in access.tokens_of(control, caller.workspace_id) if _in_time(held, now)]
        if len(alive) >= TOKENS_MAX:
            raise Quota(f"A workspace has at most {TOKENS_MAX} active tokens; revoke one first.", limit=TOKENS_MAX)
        access.insert_token(control, token, made.digest)
    return IssuedToken(token, made.secret)


def revoke_token(app: App, caller: Caller, request: RevokeToken) -> None:
    """End a token of the caller's workspace at once."""
    require(caller, Scope.ADMIN)
    token_id = parse(request.id)
    with app.db.control(write=True) as control:
        if not token_id or not access.revoke_token(control, caller.workspace_id, token_id, app.clock.now()):
            raise NotFound("There is no active token with this id.", id=request.id)


def list_tokens(app: App, caller: Caller, _request: ListTokens) -> list[Token]:
    """The tokens of the caller's workspace."""
    require(caller, Scope.ADMIN)
    with app.db.control() as control:
        return access.tokens_of(control, caller.workspace_id)


def _is_alive(app: App, token: Token, now: Instant) -> bool:
    """In time, and not scoped to folders that are all gone."""
    if not _in_time(token, now):
        return False
    if token.folders is None:
        return True
    return not _folder_ids(app, token.workspace_id).isdisjoint(token.folders)


def _in_time(token: Token, now: Instant) -> bool:
    """A token that was revoked stays so, even for a clock that is set back."""
    return now < token.expires_at and token.revoked_at == FOREVER


def _check_folders(app: App, caller: Caller, wanted: Sequence[str] | None) -> None:
    if wanted is None:
        return
    if not wanted:
        raise Invalid("Name at least one folder, or none for the whole library.", param="folders", reason="empty")
    unknown = set(wanted) - _folder_ids(app, caller.workspace_id)
    if unknown:
        raise NotFound(f"There is no folder {min(unknown)}.", id=min(unknown))


def _folder_ids(app: App, workspace_id: str) -> set[str]:
    with app.db.read(workspace_id) as read:
        return {row["id"] for row in read.all("folder_ids")}
