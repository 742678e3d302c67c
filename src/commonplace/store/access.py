"""Workspaces, tokens and install-wide settings: the control part, and nothing else reads it."""

import json
from collections.abc import Mapping
from typing import Any

from commonplace.model.access import Scope, Token, Workspace
from commonplace.model.interval import Instant
from commonplace.store.connection import Connection, Row


def insert_workspace(control: Connection, workspace: Workspace, name_key: str) -> None:
    """Enter a workspace, once its part exists."""
    control.run("insert_workspace", _workspace_row(workspace, name_key))


def patch_workspace(control: Connection, workspace: Workspace, name_key: str) -> None:
    """Change name, plan or settings."""
    control.run("patch_workspace", _workspace_row(workspace, name_key))


def remove_workspace(control: Connection, workspace_id: str) -> None:
    """Strike a workspace and its tokens from the list."""
    control.run("remove_tokens", {"workspace_id": workspace_id})
    control.run("remove_workspace", {"id": workspace_id})


def workspaces(control: Connection) -> list[Workspace]:
    """Every workspace, oldest first."""
    return [_workspace(row) for row in control.all("workspaces", {})]


def workspace_by_key(control: Connection, name_key: str) -> Workspace | None:
    """The workspace of a name."""
    row = control.one("workspace_by_key", {"name_key": name_key})
    return _workspace(row) if row else None


def workspace_by_id(control: Connection, workspace_id: str) -> Workspace | None:
    """The workspace of an id."""
    row = control.one("workspace_by_id", {"id": workspace_id})
    return _workspace(row) if row else None


def insert_token(control: Connection, token: Token, digest: bytes) -> None:
    """Keep a token by its digest."""
    control.run(
        "insert_token",
        {
            "id": token.id,
            "workspace_id": token.workspace_id,
            "kind": token.kind,
            "prefix": token.prefix,
            "digest": digest,
            "name": token.name,
            "scopes": ",".join(sorted(token.scopes)),
            "folders": None if token.folders is None else json.dumps(token.folders),
            "kb_only": token.kb_only,
            "created_at": token.created_at,
            "expires_at": token.expires_at,
            "revoked_at": token.revoked_at,
        },
    )


def token_by_digest(control: Connection, digest: bytes) -> tuple[Token, bytes] | None:
    """The token of a digest, with the digest that is kept."""
    row = control.one("token_by_digest", {"digest": digest})
    return (_token(row), bytes(row["digest"])) if row else None


def tokens_of(control: Connection, workspace_id: str) -> list[Token]:
    """The tokens of a workspace, oldest first."""
    return [_token(row) for row in control.all("tokens_of", {"workspace_id": workspace_id})]


def revoke_token(control: Connection, workspace_id: str, token_id: str, now: Instant) -> bool:
    """End a token; whether it was alive."""
    return control.run("revoke_token", {"workspace_id": workspace_id, "id": token_id, "at": now}) > 0


def touch_token(control: Connection, token_id: str, now: Instant) -> None:
    """Note when a token was last used."""
    control.run("touch_token", {"id": token_id, "at": now})


def _workspace_row(workspace: Workspace, name_key: str) -> Mapping[str, Any]:
    return {
        "id": workspace.id,
        "name": workspace.name,
        "name_key": name_key,
        "plan": workspace.plan,
        "settings": json.dumps(workspace.settings),
        "created_at": workspace.created_at,
    }


def _workspace(row: Row) -> Workspace:
    return Workspace(row["id"], row["name"], Instant(row["created_at"]), row["plan"], json.loads(row["settings"]))


def _token(row: Row) -> Token:
    last_used = row["last_used_at"]
    return Token(
        id=row["id"],
        workspace_id=row["workspace_id"],
        kind=row["kind"],
        prefix=row["prefix"],
        name=row["name"],
        scopes=frozenset(Scope(scope) for scope in row["scopes"].split(",") if scope),
        folders=None if row["folders"] is None else tuple(json.loads(row["folders"])),
        kb_only=bool(row["kb_only"]),
        created_at=Instant(row["created_at"]),
        expires_at=Instant(row["expires_at"]),
        revoked_at=Instant(row["revoked_at"]),
        last_used_at=None if last_used is None else Instant(last_used),
    )
