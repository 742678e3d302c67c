"""Registering with a client: what would change in its file is planned first, then carried out or only shown."""

import stat
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any

from commonplace.auth.files import make_folder, read_whole, write_whole
from commonplace.model.errors import Conflict, Invalid, Upstream
from commonplace.operations.clients import Called, Client, Entry, Machine, Started, Target, entry_of
from commonplace.operations.configs import has_comments

NAME = "commonplace"
CALL_S_MAX = 60


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done: `after` is the new text of the file, `calls` are commands of the client instead."""

    client: Client
    path: Path
    entry: Entry | None
    before: str
    after: str
    calls: tuple[tuple[str, ...], ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything is to be done at all."""
        return self.before != self.after or bool(self.calls)


def plan(client: Client, machine: Machine, target: Target | None) -> Plan:
    """Plan to set our entry, or to take it out where there is no target; nothing is written."""
    entry = None if target is None else entry_of(client, target)
    path = client.place(machine).resolve()
    before = _text(path)
    held = _servers(client, path, _parsed(client, path, before)).get(NAME)
    if _is_same(held, entry):
        return Plan(client, path, entry, before, before)
    if client.program:
        return Plan(client, path, entry, before, before, tuple(_calls(client, target, held=held is not None)))
    return Plan(client, path, entry, before, _edited(client, path, before, entry))


def difference(planned: Plan) -> str:
    """What the plan changes in the file, as a diff."""
    before, after = (text.splitlines(keepends=True) for text in (planned.before, planned.after))
    lines = unified_diff(before, after, str(planned.path), str(planned.path))
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def snippet(client: Client, entry: Entry) -> str:
    """The entry as a file of its own would hold it, for a person to paste."""
    return client.form.put("", client.section, NAME, entry)


def carry_out(planned: Plan, program: str | None = None) -> Path | None:
    """Do what is planned; `program` is where the client's own command was found. The backup, where there was a file."""
    if not planned.changes:
        return None
    backup = _back_up(planned.path)
    for call in planned.calls:
        _call(program or call[0], call)
    if not planned.calls:
        _write(planned.path, planned.after)
    return backup


def _text(path: Path) -> str:
    try:
        return (read_whole(path) or b"").decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is no UTF-8 text; mend it first.", reason="unreadable", path=str(path)) from error


def _parsed(client: Client, path: Path, text: str) -> dict[str, Any]:
    try:
        return client.form.parse(text)
    except (ValueError, TypeError) as error:
        if client.form.name == "JSON" and has_comments(text):
            raise Conflict(
                f"{path} has comments, so it is left to you to change it.", reason="unreadable", path=str(path)
            ) from error
        raise Invalid(
            f"{path} is not valid {client.form.name} ({error}); mend it first.", reason="unreadable", path=str(path)
        ) from error


def _servers(client: Client, path: Path, parsed: dict[str, Any]) -> dict[str, Any]:
    servers = parsed.get(client.section, {})
    if not isinstance(servers, dict):
        raise Invalid(f"In {path}, {client.section} does not hold servers by their names; mend it first.")
    return servers


def _is_same(held: object, entry: Entry | None) -> bool:
    """What a person added to our entry, such as a time limit, does not make it another one."""
    if held is None or entry is None:
        return held is entry
    return isinstance(held, dict) and all(held.get(key) == value for key, value in entry.items())


def _edited(client: Client, path: Path, before: str, entry: Entry | None) -> str:
    """The new text; an edit that would not do exactly what is meant is refused."""
    wanted: dict[str, Any] = {client.section: {}, **deepcopy(client.form.parse(before))}
    if entry is None:
        del wanted[client.section][NAME]
    else:
        wanted[client.section][NAME] = entry
    after = client.form.put(before, client.section, NAME, entry)
    try:
        done = {client.section: {}, **client.form.parse(after)}
    except ValueError:
        done = {}
    if done != wanted:
        raise Conflict(
            f"{path} is written in a way that is left to you to change.", reason="unreadable", path=str(path)
        )
    return after


def _calls(client: Client, target: Target | None, *, held: bool) -> Iterator[tuple[str, ...]]:
    """The client refuses to add what it has, so that goes first."""
    scope = ("--scope", "user")
    if held:
        yield client.program, "mcp", "remove", *scope, NAME
    match target:
        case Started():
            yield client.program, "mcp", "add", *scope, NAME, "--", target.command, *target.arguments
        case Called():
            # `--header` takes all that follows it for headers, so it comes last.
            header = ("--header", f"Authorization: Bearer {target.token}")
            yield client.program, "mcp", "add", *scope, "--transport", "http", NAME, target.url, *header


def _call(program: str, call: tuple[str, ...]) -> None:
    told = " ".join(call[:3])
    try:
        done = subprocess.run(  # noqa: S603 - the client's own command, with arguments that no shell reads
            [program, *call[1:]], stdin=subprocess.DEVNULL, capture_output=True, timeout=CALL_S_MAX, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Upstream(f"`{told}` did not end within {CALL_S_MAX} seconds; run it yourself.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise Upstream(f"`{told}` failed: {said or f'status {done.returncode}'}")


def _back_up(path: Path) -> Path | None:
    content = read_whole(path)
    if content is None:
        return None
    backup = path.with_name(f"{path.name}.bak-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    write_whole(backup, content)
    backup.chmod(stat.S_IMODE(path.stat().st_mode))
    return backup


def _write(path: Path, text: str) -> None:
    """Replace the file at one instant and keep its mode; a new one is for its owner only, it may hold a token."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
    make_folder(path.parent)
    write_whole(path, text.encode())
    path.chmod(mode)
