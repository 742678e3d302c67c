"""The command line: it reads arguments, asks a verb, prints the answer."""

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from commonplace import __version__
from commonplace.cli.session import Group, is_set
from commonplace.cli.show import harmless
from commonplace.model.errors import CommonplaceError

WELCOME = """\
Commonplace keeps what you and your AI agents know: one memory for all of
them, in an encrypted store on your own machine, with its whole history.
It needs no account, no API key and no network.

  commonplace serve             start the server and make the first token
  commonplace remember "TEXT"   put something in
  commonplace recall "QUERY"    get it out again

For a client that starts its server itself, the command is: commonplace mcp
Every command: commonplace --help
"""

COMMANDS = {
    "serve": "serve",
    "mcp": "mcp",
    "connect": "connecting",
    "remember": "memory",
    "recall": "memory",
    "about": "memory",
    "history": "memory",
    "forget": "memory",
    "undo": "memory",
    "collection": "grouping",
    "folder": "grouping",
    "review": "grouping",
    "token": "access",
    "workspace": "access",
    "export": "operations",
    "import": "operations",
    "backup": "operations",
    "restore": "operations",
    "verify": "operations",
    "doctor": "operations",
    "key": "key",
    "config": "setup",
    "completion": "setup",
}


class Commands(Group):
    """Every command, each loaded when it is asked for: remembering does not wait for a web server to be imported."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names, in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"commonplace.cli.{COMMANDS[name]}"), f"{name}_command")
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run a command; what went wrong in it becomes one line, unless the traceback is wanted."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise
        except (CommonplaceError, OSError) as error:
            if is_set("debug"):
                raise
            raise click.ClickException(str(error)) from error

    def main(self, *arguments: Any, **named: Any) -> NoReturn:
        """Run the command line and end the process: 0 done, 1 failed, 2 asked wrongly."""
        try:
            status = super().main(*arguments, **{**named, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else "commonplace"
            click.echo(harmless(f"{error.format_message()} See: {where} --help"), err=True)
            sys.exit(error.exit_code)
        except click.ClickException as error:
            click.echo(harmless(error.format_message()), err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            sys.exit(1)
        sys.exit(status if isinstance(status, int) else 0)


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@click.pass_context
def cli(context: click.Context) -> None:
    """Keep what you and your AI agents know, on your own machine."""
    if context.invoked_subcommand is None:
        click.echo(WELCOME, nl=False)
