"""Settings: one frozen record, and the only reader of the environment."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from commonplace.model.errors import Invalid

PREFIX = "COMMONPLACE_"
SECRETS = ("key", "token")


def _setting(default: Any, says: str) -> Any:
    return field(default=default, metadata={"says": says})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every process setting, with a default that works."""

    data_dir: Path = _setting(None, "Folder of the store; its keys.json stands beside it.")
    config_dir: Path = _setting(None, "Folder of the master key and of config.toml.")
    database: str = _setting("sqlite", "sqlite, or the address of a PostgreSQL database: postgresql://…")
    encryption: str = _setting("on", "on or off; read when a store is created, never changed afterwards.")
    key: str = _setting("", "The master key itself, as hex or as the recovery phrase; empty for the key file.")
    workspace: str = _setting("default", "The workspace that commands and stdio sessions use.")
    collection: str = _setting("personal", "The collection of what names none.")
    url: str = _setting("", "Address of a running server that the commands talk to instead of the data directory.")
    token: str = _setting("", "Bearer token for that server.")
    host: str = _setting("127.0.0.1", "Address to listen on.")
    port: int = _setting(8642, "Port to listen on.")
    hosts: tuple[str, ...] = _setting((), "Host names that may be asked for besides loopback, comma-separated.")
    public_url: str = _setting("", "Address behind a reverse proxy, for links and OAuth resource ids.")
    body_bytes_max: int = _setting(32 * 1024 * 1024, "Largest request body.")
    workers_max: int = _setting(8, "Requests worked on at once.")
    embedder_threads: int = _setting(0, "Threads of the embedder; 0 for one per core.")
    log_level: str = _setting("info", "debug, info, warning or error.")
    debug: bool = _setting(False, "Show tracebacks.")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and where each value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(given: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Flags before environment before file before defaults."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {"data_dir": user_data_path("commonplace"), "config_dir": user_config_path("commonplace")}
    origins = dict.fromkeys((f.name for f in fields(Settings)), "default")
    for origin, source in _sources(given or {}, environment):
        for name, value in source.items():
            values[name], origins[name] = _typed(name, value, origin), origin
    return Loaded(Settings(**values), origins)


def _sources(given: Mapping[str, Any], environment: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    flags = {name: value for name, value in given.items() if value is not None}
    found = _from_environment(environment)
    folder = flags.get("config_dir") or found.get("config_dir") or user_config_path("commonplace")
    path = Path(folder) / "config.toml"
    return [(str(path), _from_file(path)), ("environment", found), ("flag", flags)]


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for each in fields(Settings):
        name = PREFIX + each.name.upper()
        if name in environment:
            found[each.name] = environment[name]
        elif each.name in SECRETS and name + "_FILE" in environment:
            found[each.name] = _secret(Path(environment[name + "_FILE"]))
    return found


def _secret(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise Invalid(f"The secret file {path} cannot be read: check its path and permissions.") from error


def _from_file(path: Path) -> dict[str, Any]:
    try:
        read = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"{path} cannot be read ({error}): mend or remove it.") from error
    unknown = set(read) - {each.name for each in fields(Settings)}
    if unknown:
        raise Invalid(f"{path} has unknown settings: {', '.join(sorted(unknown))}.")
    return read


def _typed(name: str, value: Any, origin: str) -> Any:
    default = next(each.default for each in fields(Settings) if each.name == name)
    if name.endswith("_dir"):
        return Path(value).expanduser()
    if isinstance(default, bool):
        return value if isinstance(value, bool) else str(value).lower() in {"1", "true", "yes", "on"}
    if isinstance(default, tuple):
        return (
            tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else tuple(value)
        )
    if isinstance(default, int):
        try:
            return int(value)
        except ValueError as error:
            raise Invalid(f"{name} ({origin}) must be a whole number, not {value!r}.") from error
    return str(value)
