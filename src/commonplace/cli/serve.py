"""`commonplace serve`: every surface over HTTP."""

import click

from commonplace.cli.session import Command, Session, keep_setting, session
from commonplace.cli.show import note
from commonplace.core.requests import IssueToken, ListTokens
from commonplace.model.access import Scope
from commonplace.server.run import serve


@click.command(cls=Command)
@click.option("--host", expose_value=False, callback=keep_setting, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), expose_value=False, callback=keep_setting, help="Port.")
def serve_command() -> None:
    """Serve every surface over HTTP. The first start makes the store and a token."""
    with session() as here:
        serve(here.app, here.settings, lambda port: _greet(here, port))


def _greet(here: Session, port: int) -> None:
    """Say where we listen; at the first start also the token, once."""
    host = f"[{here.settings.host}]" if ":" in here.settings.host else here.settings.host
    url = here.settings.public_url or f"http://{host}:{port}"
    note(f"Commonplace listens on {url}; the store is {here.app.db.engine.location}")
    if here.ask(ListTokens()):
        return
    made = here.ask(IssueToken(name="first start", scopes=(Scope.ADMIN,)))
    note(f"Your token, shown only now: {made.secret}")
    if here.app.db.engine.encrypted:
        note("Write down the recovery phrase, which opens the store when its key is lost: commonplace key show")
    note("Connect Claude Code, and other clients likewise:")
    note(
        f"  claude mcp add --scope user --transport http commonplace {url.rstrip('/')}/mcp "
        f'--header "Authorization: Bearer {made.secret}"'
    )
