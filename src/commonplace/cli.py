"""The command line: it reads arguments, asks a verb, prints the answer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from commonplace import __version__
from commonplace.bootstrap import open_app
from commonplace.config import Settings, load
from commonplace.core.access import issue_token, list_tokens, local_caller
from commonplace.core.app import App
from commonplace.core.requests import IssueToken, ListTokens
from commonplace.model.access import Scope
from commonplace.model.errors import CommonplaceError
from commonplace.server.run import serve as serve_http

WELCOME = """\
Commonplace keeps what you and your AI agents know, on your machine.

  commonplace serve               start the server and make the first token
  commonplace mcp                 speak MCP on stdio, for a client's configuration
  commonplace --help              every command
"""


@click.group(invoke_without_command=True)
@click.version_option(__version__)
@click.option("--data-dir", help="Folder of the store.")
@click.option("--config-dir", help="Folder of the master key.")
@click.option("--debug", is_flag=True, default=None, help="Show tracebacks.")
@click.pass_context
def cli(context: click.Context, /, **flags: Any) -> None:
    """Keep what you and your AI agents know, on your own machine."""
    context.obj = flags
    if context.invoked_subcommand is None:
        click.echo(WELCOME, nl=False)


@cli.command()
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on.")
@click.pass_obj
def serve(flags: dict[str, Any], host: str | None, port: int | None) -> None:
    """Serve every surface over HTTP."""
    with opened({**flags, "host": host, "port": port}) as (settings, app):
        _greet(app, settings)
        serve_http(app, settings)


def _greet(app: App, settings: Settings) -> None:
    """Say where we listen; at the first start also the token, once."""
    owner = local_caller(app, settings.workspace, human=True)
    url = settings.public_url or f"http://{settings.host}:{settings.port}"
    click.echo(f"Commonplace listens on {url}; the store is {app.db.engine.location}", err=True)
    if list_tokens(app, owner, ListTokens()):
        return
    made = issue_token(app, owner, IssueToken(name="first start", scopes=(Scope.ADMIN,)))
    click.echo(f"Token (shown this once): {made.secret}", err=True)
    click.echo(
        f"Claude Code: claude mcp add --transport http commonplace {url}/mcp "
        f'--header "Authorization: Bearer {made.secret}"',
        err=True,
    )


@contextmanager
def opened(flags: dict[str, Any]) -> Iterator[tuple[Settings, App]]:
    """The app that the flags ask for; an error becomes one line and exit status 1."""
    try:
        settings = load(flags).settings
        with open_app(settings) as app:
            yield settings, app
    except CommonplaceError as error:
        if flags.get("debug"):
            raise
        click.echo(error.message, err=True)
        sys.exit(1)
