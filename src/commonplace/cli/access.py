"""Who gets in: tokens and workspaces."""

from typing import Any

import click

from commonplace.cli.session import Group, confirm, session, store
from commonplace.cli.show import json_option, note, show, show_table
from commonplace.cli.values import duration, names, some_of
from commonplace.core.requests import IssueToken, ListTokens, RevokeToken
from commonplace.core.workspaces import create_workspace, delete_workspace, list_workspaces, set_workspace
from commonplace.model.access import PLANS, Scope
from commonplace.model.interval import Instant
from commonplace.surfaces.native_fields import token_fields, workspace_fields

PLAN = click.Choice(list(PLANS))
SCOPES = tuple(scope.value for scope in Scope)


@click.group(cls=Group)
def token_command() -> None:
    """What lets clients in."""


@token_command.command("create")
@click.option("--kind", type=click.Choice(("kmt", "lev")), default="kmt", show_default=True, help="The token's form.")
@click.option(
    "--scopes",
    type=some_of(SCOPES),
    default="read,write",
    show_default=True,
    metavar="LIST",
    help="read, write, admin.",
)
@click.option("--folders", type=names, metavar="ID,ID", help="Only what is in these folders.")
@click.option("--kb-only", is_flag=True, help="Only the knowledge base.")
@click.option("--expires", type=duration, metavar="TIME", help="How long it is good for: 90d, 12h, 30m.")
@click.option("--name", default="", help="What it is for.")
@json_option
def create_token(scopes: tuple[str, ...], expires: int | None, **given: Any) -> None:
    """Make a token. It is shown this once."""
    with session() as here:
        expires_at = None if expires is None else Instant(here.app.clock.now() + expires)
        request = IssueToken(scopes=tuple(Scope(scope) for scope in scopes), expires_at=expires_at, **given)
        made = here.ask(request)
    note("Keep this token: it is shown only now.")
    show({**token_fields(made.token), "token": made.secret}, [made.secret])


@token_command.command("list")
@json_option
def list_tokens() -> None:
    """List the tokens, without their secrets."""
    with session() as here:
        found = [token_fields(each) for each in here.ask(ListTokens())]
    columns = ("id", "prefix", "name", "scopes", "folders", "kb_only", "expires_at", "revoked_at")
    show_table(found, columns, "There are no tokens.")


@token_command.command("revoke")
@click.argument("id")
@json_option
def revoke_token(id: str) -> None:  # noqa: A002 - the argument's name in every command
    """End a token at once. `commonplace token list` names the ids."""
    with session() as here:
        here.ask(RevokeToken(id=id))
    show({"id": id, "revoked": True}, ["Revoked."])


@click.group(cls=Group)
def workspace_command() -> None:
    """Memories kept apart from each other."""


@workspace_command.command("create")
@click.argument("name")
@click.option("--plan", type=PLAN, default="unlimited", show_default=True, help="What it may hold.")
@json_option
def create(name: str, plan: str) -> None:
    """Make a workspace."""
    with store() as app:
        fields = workspace_fields(create_workspace(app, name, plan))
    show(fields, [f"Made {name}: {fields['id']}"])


@workspace_command.command("list")
@json_option
def list_all() -> None:
    """List the workspaces."""
    with store() as app:
        found = [workspace_fields(each) for each in list_workspaces(app)]
    show_table(found, ("name", "plan", "created_at", "id"), "There are no workspaces.")


@workspace_command.command("set")
@click.argument("name")
@click.option("--plan", type=PLAN, required=True, help="What it may hold.")
@json_option
def set_plan(name: str, plan: str) -> None:
    """Change a workspace."""
    with store() as app:
        fields = workspace_fields(set_workspace(app, name, plan=plan))
    show(fields, [f"{name} is on the plan {plan}."])


@workspace_command.command("rename")
@click.argument("name")
@click.argument("new")
@json_option
def rename(name: str, new: str) -> None:
    """Give a workspace another name."""
    with store() as app:
        fields = workspace_fields(set_workspace(app, name, new_name=new))
    show(fields, [f"{name} is called {new} now."])


@workspace_command.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(name: str, *, yes: bool) -> None:
    """Delete a workspace with everything in it."""
    confirm(f"Delete {name} with everything in it, for good?", yes=yes)
    with store() as app:
        delete_workspace(app, name)
    show({"name": name, "deleted": True}, [f"Deleted {name}."])
