"""The installation itself: its settings, and completion for shells."""

import click
from click.shell_completion import get_completion_class

from commonplace.cli.session import Command, Group, flags
from commonplace.cli.show import json_option, show, show_table
from commonplace.config import load, shown
from commonplace.model.errors import Invalid


@click.group(cls=Group)
def config_command() -> None:
    """Show and check the settings."""


@config_command.command("show")
@click.option("--origin", is_flag=True, help="Also where each value comes from.")
@json_option
def show_settings(*, origin: bool) -> None:
    """Show every setting. Secrets are masked."""
    loaded = load(flags())
    found = [
        {"name": name, "value": value, "origin": loaded.origins[name]} for name, value in shown(loaded.settings).items()
    ]
    show_table(found, ("name", "value", "origin") if origin else ("name", "value"), "There are no settings.")


@config_command.command("check")
@json_option
def check() -> None:
    """Check the settings. Their values, and that no variable is misspelt."""
    loaded = load(flags())
    if loaded.unknown:
        raise Invalid(f"No setting is named by {', '.join(loaded.unknown)}; commonplace config show lists them all.")
    show({"valid": True}, ["The settings are valid."])


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what completes commands in a shell. Put it where the shell reads its settings."""
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the three shells"
    program = context.find_root()
    click.echo(kind(program.command, {}, "commonplace", "_COMMONPLACE_COMPLETE").source())
