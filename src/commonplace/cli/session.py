"""What every command shares: its options, and the open store with the person who asks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import click

from commonplace.bootstrap import open_app
from commonplace.config import Settings, load
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Unavailable
from commonplace.model.names import is_text

FLAGS = "commonplace.flags"


def keep_setting(context: click.Context, option: click.Parameter, value: object) -> None:
    """Keep what was given for a setting; the same option after the command wins over the one before it."""
    if value is not None:
        context.meta.setdefault(FLAGS, {})[option.name] = value


def keep_switch(context: click.Context, option: click.Parameter, value: object) -> None:
    """Keep that a switch was set, before the command or after it."""
    if value:
        context.meta[f"commonplace.{option.name}"] = True


def is_set(name: str) -> bool:
    """Whether a switch was set."""
    return bool(click.get_current_context().meta.get(f"commonplace.{name}"))


class Command(click.Command):
    """A command that knows the common options, so that they may stand before it or after it."""

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        """Its own parameters, then the common ones."""
        return [*super().get_params(context), *COMMON]

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Take the arguments apart; a shell may hand over bytes that are no text."""
        if not all(map(is_text, arguments)):
            raise click.UsageError("An argument is not valid UTF-8.", context)
        return super().parse_args(context, arguments)


class Group(Command, click.Group):
    """Commands under one word; each of them knows the common options too."""

    command_class = Command
    group_class = type


COMMON: list[click.Parameter] = [
    click.Option([f"--{name}"], metavar=metavar, help=says, expose_value=False, callback=keep_setting)
    for name, metavar, says in (
        ("workspace", "NAME", "The workspace to work in."),
        ("data-dir", "FOLDER", "Folder of the store."),
        ("config-dir", "FOLDER", "Folder of the master key and of config.toml."),
        ("config", "FILE", "A settings file instead of config.toml."),
    )
]
COMMON.append(
    click.Option(["--debug"], is_flag=True, help="Show tracebacks.", expose_value=False, callback=keep_switch)
)


@dataclass(frozen=True, slots=True)
class Session:
    """An open store and the person at the terminal."""

    settings: Settings
    app: App
    person: Caller

    def ask(self, request: object) -> Any:
        """Carry out a request as the owner of the machine."""
        return perform(self.app, self.person, request)


def flags() -> dict[str, Any]:
    """What was given for settings on the command line."""
    return dict(click.get_current_context().meta.get(FLAGS, {}))


def settings() -> Settings:
    """The settings of this call."""
    return load(flags()).settings


@contextmanager
def store() -> Iterator[App]:
    """The open store, for what concerns no single workspace."""
    with open_app(settings(), passphrase()) as app:
        yield app


@contextmanager
def session() -> Iterator[Session]:
    """The open store with the person at the terminal in the workspace of the settings."""
    chosen = settings()
    with open_app(chosen, passphrase()) as app:
        yield Session(chosen, app, local_caller(app, chosen.workspace, human=True))


def passphrase() -> Callable[[], str] | None:
    """How to ask for a passphrase, once; None where nobody is there to be asked."""
    return cache(lambda: ask_secret("Passphrase")) if sys.stdin.isatty() else None


def ask_secret(prompt: str, *, twice: bool = False) -> str:
    """What a person types unseen."""
    if not sys.stdin.isatty():
        raise Unavailable(f"{prompt}: run this on a terminal to be asked for it.")
    said: str = click.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True)
    return said


def confirm(question: str, *, yes: bool) -> None:
    """Go on when the person says so; without a terminal only `--yes` says so."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("This cannot be undone; say --yes to do it without being asked.")
    click.confirm(question, abort=True, err=True)
