"""The operator's work: taking everything out and in, copies, and whether all is well."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import IO, TypeVar

import click
import msgspec

from commonplace.auth.vault import VAULT_NAME
from commonplace.bootstrap import open_app, open_keys
from commonplace.cli.session import Command, ask_secret, flags, passphrase, session, settings, store
from commonplace.cli.show import Fields, json_option, note, show
from commonplace.config import Settings
from commonplace.core.app import App
from commonplace.core.workspaces import find_workspace, list_workspaces
from commonplace.model.access import Workspace
from commonplace.model.errors import Invalid, Unavailable
from commonplace.operations.backup import Manifest, restore_backup, write_backup
from commonplace.operations.doctor import examine
from commonplace.operations.transfer import export_lines, import_lines
from commonplace.operations.verify import Report, verify, verify_control
from commonplace.store.connection import CONTROL
from commonplace.store.sqlite import file_of

Thing = TypeVar("Thing")

PATH = click.Path(path_type=Path)


@click.command(cls=Command)
@click.argument("file", default="-")
def export_command(file: str) -> None:
    """Write a workspace as JSON lines. To a new FILE that only you can read, or to standard output."""
    with (
        session() as here,
        _new_file(file) as sink,
        _progress(export_lines(here.app, here.person), "Exporting", hidden=file == "-") as lines,
    ):
        for line in lines:
            sink.write(line.encode() + b"\n")
    if file != "-":
        note(f"Wrote {file}; it is not encrypted, and holds what is sensitive too.")


def _new_file(file: str) -> AbstractContextManager[IO[bytes]]:
    if file == "-":
        return click.open_file(file, "wb")
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except FileExistsError as error:
        raise Invalid(f"{file} is there already; choose another name.") from error
    except OSError as error:
        raise Invalid(f"{file} cannot be written: {error.strerror}.") from error


@click.command(cls=Command)
@click.argument("file", type=click.File("rb"), default="-")
@json_option
def import_command(file: IO[bytes]) -> None:
    """Read JSON lines into a workspace. From FILE, or from standard input."""
    with session() as here, _progress(file, "Importing") as lines:
        counts = asdict(import_lines(here.app, here.person, lines))
    came = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    show(counts, [f"Imported: {came or 'nothing'}."])


@click.command(cls=Command)
@click.argument("file", type=PATH)
@json_option
def backup_command(file: Path) -> None:
    """Copy the whole store into one file. Work on it may go on."""
    with store() as app:
        manifest = write_backup(app, settings().data_dir, file)
    show(_manifest_fields(manifest), [f"Wrote {file}, {file.stat().st_size} bytes."])


@click.command(cls=Command)
@click.argument("file", type=PATH)
@json_option
def restore_command(file: Path) -> None:
    """Bring a backup back. Only into an empty data directory."""
    chosen = settings()
    try:
        manifest = _restore(file, chosen, chosen.key)
    except Unavailable as error:
        if error.facts.get("reason") != "key_missing" or not sys.stdin.isatty():
            raise
        note(error.message)
        manifest = _restore(file, chosen, ask_secret("Recovery phrase"))
    show(_manifest_fields(manifest), [f"Restored into {chosen.data_dir}; the backup is of {manifest.created_at}."])


@click.command(cls=Command)
@json_option
@click.pass_context
def verify_command(context: click.Context) -> None:
    """Check that the store is whole. All workspaces, unless one is named."""
    with store() as app:
        control = verify_control(app)
        with _progress(_workspaces(app), "Checking") as named:
            reports = [(each, verify(app, each.id)) for each in named]
    fields = {
        "ok": not control and all(report.ok for _, report in reports),
        "problems": list(control),
        "workspaces": [_report_fields(*each) for each in reports],
    }
    show(fields, _verdict(fields))
    context.exit(0 if fields["ok"] else 1)


@click.command(cls=Command)
@json_option
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Examine the installation."""
    chosen, asking = settings(), passphrase()
    embedded = chosen.database == "sqlite"
    keys = open_keys(chosen, asking) if embedded else None
    opening = None if embedded and not _has_store(chosen) else open_app(chosen, asking)
    checks = examine(chosen.data_dir, keys, opening)
    ok = all(check.ok for check in checks)
    lines = [f"{'ok ' if check.ok else 'BAD'}  {check.name:<15}  {check.says}" for check in checks]
    show({"ok": ok, "checks": [asdict(check) for check in checks]}, lines)
    context.exit(0 if ok else 1)


def _progress(things: Iterable[Thing], label: str, *, hidden: bool = False) -> AbstractContextManager[Iterable[Thing]]:
    """The things, with their count on a terminal while they pass."""
    hidden = hidden or not sys.stderr.isatty()
    return click.progressbar(things, label=label, show_pos=True, file=sys.stderr, hidden=hidden)


def _restore(file: Path, chosen: Settings, key: str) -> Manifest:
    return restore_backup(file, chosen.data_dir, chosen.config_dir, given=key or None, passphrase=passphrase())


def _workspaces(app: App) -> list[Workspace]:
    named = flags().get("workspace")
    return [find_workspace(app, named)] if named else list_workspaces(app)


def _has_store(chosen: Settings) -> bool:
    return any((chosen.data_dir / name).exists() for name in (VAULT_NAME, file_of(CONTROL)))


def _manifest_fields(manifest: Manifest) -> Fields:
    fields: Fields = msgspec.to_builtins(manifest)
    return fields


def _report_fields(workspace: Workspace, report: Report) -> Fields:
    return {
        "id": workspace.id,
        "name": workspace.name,
        "ok": report.ok,
        "problems": list(report.problems),
        "counts": dict(report.counts),
    }


def _verdict(fields: Fields) -> Iterator[str]:
    yield from fields["problems"]
    for each in fields["workspaces"]:
        yield from (f"{each['name']}: {problem}" for problem in each["problems"])
        if each["ok"]:
            yield f"{each['name']}: all is well, {each['counts'].get('event', 0)} events."
