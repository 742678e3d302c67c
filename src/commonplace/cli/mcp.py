"""`commonplace mcp` where options stand before it or its help is asked for; all else `__main__` takes first."""

import sys

import click

from commonplace.cli.session import flags, is_set
from commonplace.mcp import read, run
from commonplace.server.stdout import claim_stdout


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def mcp_command(arguments: tuple[str, ...]) -> None:
    """Speak MCP on standard input and output."""
    before = [f"--{name.replace('_', '-')}={value}" for name, value in flags().items()]
    debug = ["--debug"] if is_set("debug") else []
    asked = read([*before, *debug, *arguments])
    sys.exit(run(asked, claim_stdout()))
