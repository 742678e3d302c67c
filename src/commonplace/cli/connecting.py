"""`commonplace connect`: registers this install with a client."""

import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import click

from commonplace.cli.session import Command, flags, settings
from commonplace.cli.show import Fields, json_option, note, show
from commonplace.config import Settings, environment
from commonplace.model.errors import Conflict, Invalid, NotFound
from commonplace.operations.clients import CLIENTS, Called, Client, Entry, Machine, Started, Target, entry_of
from commonplace.operations.connect import NAME, Plan, carry_out, difference, plan, snippet
from commonplace.surfaces import SURFACES

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what listens everywhere is reached here
PASSED_ON = ("workspace", "data_dir", "config_dir", "config")


@click.command(cls=Command)
@click.argument("client", type=click.Choice(tuple(CLIENTS)))
@click.option("--surface", type=click.Choice(tuple(SURFACES)), default="native", show_default=True, help="Which tools.")
@click.option("--http", is_flag=True, help="Call the running server instead of starting one.")
@click.option("--token", help="What lets the client in over HTTP.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--remove", is_flag=True, help="Take the entry out again.")
@json_option
def connect_command(client: str, surface: str, token: str | None, *, http: bool, dry_run: bool, remove: bool) -> None:
    """Register with a client. Its settings are backed up first."""
    _check(token, http=http, remove=remove)
    target = None if remove else _called(surface, token) if http else _started(surface)
    chosen = CLIENTS[client]
    planned = _plan(chosen, target)
    program = shutil.which(chosen.program) if chosen.program else None
    by_hand = dry_run or bool(planned.calls and not program)
    backup = None if by_hand else carry_out(planned, program)
    if planned.calls and not program:
        note(f"There is no command {chosen.program} here. Run this where there is:")
    fields = _fields(chosen, planned.path, planned.entry, backup, changed=planned.changes and not by_hand)
    show(fields, _told(planned, backup, by_hand=by_hand))


def _check(token: str | None, *, http: bool, remove: bool) -> None:
    """Refuse options that would be of no use."""
    if remove and (http or token):
        raise click.UsageError("--remove takes the entry out whatever it holds; leave --http and --token away.")
    if token and not http:
        raise click.UsageError(
            "A client that starts its server itself needs no token; add --http or leave --token away."
        )
    if http and not token:
        raise click.UsageError(
            "Over HTTP a token is needed: make one with `commonplace token create`, give it as --token."
        )
    if http and flags().get("workspace"):
        raise click.UsageError("Over HTTP the token says which workspace; leave --workspace away.")


def _started(surface: str) -> Started:
    given = flags()
    options = [
        part
        for name in PASSED_ON
        if name in given
        for part in (f"--{name.replace('_', '-')}", given[name] if name == "workspace" else _absolute(given[name]))
    ]
    return Started(_program(), ("mcp", "--surface", surface, *options))


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _program() -> str:
    """Where this install's command is; a mere name would run whatever carries it on an index or on the PATH."""
    found = shutil.which(sys.argv[0]) if Path(sys.argv[0]).stem == NAME else None
    found = found or shutil.which(NAME, path=sysconfig.get_path("scripts"))
    if not found:
        raise NotFound("The command commonplace is not beside this Python; install the package and try again.")
    return str(Path(found).absolute())


def _called(surface: str, token: str | None) -> Called:
    return Called(_address(settings()) + SURFACES[surface].paths[0], token or "")


def _address(chosen: Settings) -> str:
    if chosen.public_url:
        return chosen.public_url.rstrip("/")
    host = LOOPBACK.get(chosen.host, chosen.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{chosen.port}"


def _plan(client: Client, target: Target | None) -> Plan:
    """The plan; where the file is left to the person, they are shown what to paste."""
    machine = Machine(sys.platform, Path.home(), environment())
    try:
        return plan(client, machine, target)
    except (Conflict, Invalid) as error:
        if target and error.facts.get("reason") == "unreadable":
            entry = entry_of(client, target)
            show(_fields(client, error.facts["path"], entry), snippet(client, entry).splitlines())
        raise


def _fields(
    client: Client, path: object, entry: Entry | None, backup: Path | None = None, *, changed: bool = False
) -> Fields:
    return {
        "client": client.name,
        "path": str(path),
        "changed": changed,
        "backup": None if backup is None else str(backup),
        "entry": entry,
    }


def _told(planned: Plan, backup: Path | None, *, by_hand: bool) -> Iterator[str]:
    title = planned.client.title
    if not planned.changes:
        yield f"{title} is connected already." if planned.entry else f"{title} has no entry of ours."
    elif by_hand:
        yield from map(_line, planned.calls)
        yield from difference(planned).splitlines()
    else:
        yield f"{'Connected' if planned.entry else 'Disconnected'} {title} in {planned.path}; start it anew."
        if backup:
            yield f"As it was before: {backup}"


def _line(call: tuple[str, ...]) -> str:
    return subprocess.list2cmdline(call) if sys.platform == "win32" else shlex.join(call)
