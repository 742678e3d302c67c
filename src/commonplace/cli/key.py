"""The master key: showing its recovery phrase, replacing, locking and moving it."""

from collections.abc import Callable
from typing import Literal

import click

from commonplace.auth import rekey
from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.bootstrap import open_keys
from commonplace.cli.session import Group, ask_secret, passphrase, settings
from commonplace.cli.show import Fields, cell, json_option, note, say, show


@click.group(cls=Group)
def key_command() -> None:
    """The master key, which opens the store."""


@key_command.command("show")
@json_option
def show_key() -> None:
    """Show the recovery phrase. Who has it can open the store and its backups."""
    phrase = _keys().recovery_phrase()
    note("Write this down and keep it away from this machine: it opens the store when the key file is lost.")
    show({"recovery_phrase": phrase}, [phrase])


@key_command.command("status")
@json_option
def status() -> None:
    """Tell where the master key is kept."""
    found = _keys().status()
    fields: Fields = {
        "encrypted": found.encrypted,
        "home": found.home.value,
        "place": found.place,
        "data_keys": found.data_keys,
    }
    show(fields, [f"{name.replace('_', ' '):<9}  {cell(value)}" for name, value in fields.items()])


@key_command.command("rotate")
def rotate() -> None:
    """Make a new master key. The old recovery phrase then opens older backups only."""
    _change(rekey.rotate, "There is a new master key; write down its recovery phrase: commonplace key show")


@key_command.command("passphrase")
@click.option("--remove", is_flag=True, help="Keep the master key in a file again.")
def lock(*, remove: bool) -> None:
    """Lock the store. Only the passphrase or the recovery phrase opens it then."""
    if remove:
        _change(rekey.remove_passphrase, "The passphrase is gone; the master key is in a file again.")
        return
    chosen = ask_secret("New passphrase", twice=True)
    _change(lambda keys: rekey.set_passphrase(keys, chosen), "The store is locked with the passphrase.")


@key_command.command("move")
@click.option("--keyring", "home", flag_value=Home.KEYRING.value, help="Into the keyring of the system.")
@click.option("--file", "home", flag_value=Home.FILE.value, help="Into a file of the configuration folder.")
def move(home: Literal["keyring", "file"] | None) -> None:
    """Keep the master key elsewhere."""
    if home is None:
        raise click.UsageError("Say where to: --keyring or --file.")
    target: Literal[Home.FILE, Home.KEYRING] = Home.KEYRING if home == "keyring" else Home.FILE
    _change(lambda keys: rekey.move(keys, target), f"The master key is in the {home} now.")


@key_command.command("restore")
def restore() -> None:
    """Bring a lost key back. Asks for the recovery phrase, or takes COMMONPLACE_KEY."""
    given = settings().key or ask_secret("Recovery phrase")
    keys = Keys(settings().data_dir, settings().config_dir, given=given)
    rekey.install(keys)
    say(f"The master key is back: {keys.status().place}")


def _keys() -> Keys:
    return open_keys(settings(), passphrase())


def _change(change: Callable[[Keys], None], done: str) -> None:
    change(_keys())
    say(done)
