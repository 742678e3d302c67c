"""The clients that can be connected: where each keeps its servers, and how an entry looks there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonplace.model.errors import Invalid
from commonplace.operations.configs import JSON, TOML, Format

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where programs keep their settings."""

    system: str
    home: Path
    variables: Mapping[str, str]

    def folder(self, variable: str, default: str) -> Path:
        """The folder that a variable names, else one below the home folder."""
        named = self.variables.get(variable)
        return Path(named) if named else self.home / default

    def settings(self) -> Path:
        """Where programs with windows keep their settings."""
        if self.system == "win32":
            return self.folder("APPDATA", "AppData/Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Started:
    """A server that the client starts itself."""

    command: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A server that runs already."""

    url: str
    token: str


Target = Started | Called


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its file, the section of the servers there, and what the fields of an entry are called."""

    name: str
    title: str
    place: Callable[[Machine], Path]
    section: str = "mcpServers"
    form: Format = JSON
    url: str = "url"
    headers: str = "headers"
    is_typed: bool = False
    program: str = ""
    """The client's own command, where it registers servers itself."""


def entry_of(client: Client, target: Target) -> Entry:
    """The entry as this client writes it."""
    fields: Entry
    if isinstance(target, Started):
        kind, fields = "stdio", {"command": target.command, "args": list(target.arguments)}
    elif client.url:
        kind, fields = "http", {client.url: target.url, client.headers: {"Authorization": f"Bearer {target.token}"}}
    else:
        raise Invalid(f"The file of {client.title} names only servers that it starts itself: leave --http away.")
    return {"type": kind, **fields} if client.is_typed else fields


def _claude_code(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", "") / ".claude.json"


def _claude_desktop(machine: Machine) -> Path:
    """Installed as a Windows package, it sees a settings folder of its own instead of the one all programs share."""
    folder = machine.settings() / "Claude"
    if machine.system == "win32":
        packages = machine.folder("LOCALAPPDATA", "AppData/Local") / "Packages"
        folder = next(iter(sorted(packages.glob("Claude_*/LocalCache/Roaming/Claude"))), folder)
    return folder / "claude_desktop_config.json"


def _cursor(machine: Machine) -> Path:
    return machine.home / ".cursor" / "mcp.json"


def _vscode(machine: Machine) -> Path:
    return machine.settings() / "Code" / "User" / "mcp.json"


def _codex(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", ".codex") / "config.toml"


def _gemini(machine: Machine) -> Path:
    return machine.home / ".gemini" / "settings.json"


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client("claude-code", "Claude Code", _claude_code, is_typed=True, program="claude"),
        Client("claude-desktop", "Claude Desktop", _claude_desktop, url=""),
        Client("cursor", "Cursor", _cursor),
        Client("vscode", "VS Code", _vscode, section="servers", is_typed=True),
        Client("codex", "Codex", _codex, section="mcp_servers", form=TOML, headers="http_headers"),
        Client("gemini", "Gemini CLI", _gemini, url="httpUrl"),
    )
}
