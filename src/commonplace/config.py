"""Settings: one frozen record, and the only reader of the environment."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from commonplace.model.errors import Invalid

PREFIX = "COMMONPLACE_"
HIDDEN = "********"


def _setting(default: Any, says: str, *, form: str = "", least: int = 0, secret: bool = False) -> Any:
    """A setting: texts have a form, numbers a least value, and what is secret may stand in a file of its own."""
    return field(default=default, metadata={"says": says, "form": form, "least": least, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every process setting, with a default that works."""

    data_dir: Path = _setting(None, "Folder of the store; its keys.json stands beside it.")
    config_dir: Path = _setting(None, "Folder of the master key and of config.toml.")
    database: str = _setting(
        "sqlite",
        "sqlite, or the address of a PostgreSQL database: postgresql://…",
        form="sqlite|postgres(ql)?://.+",
        secret=True,
    )
    encryption: str = _setting(
        "on", "on or off; read when a store is created, never changed afterwards.", form="on|off"
    )
    key: str = _setting(
        "", "The master key itself, as hex or as the recovery phrase; empty for the key file.", secret=True
    )
    workspace: str = _setting("default", "The workspace that commands and stdio sessions use.", form=".+")
    host: str = _setting("127.0.0.1", "Address to listen on.", form=".+")
    port: int = _setting(8642, "Port to listen on.")
    hosts: tuple[str, ...] = _setting((), "Host names that may be asked for besides loopback, comma-separated.")
    public_url: str = _setting(
        "", "Address behind a reverse proxy, for links and OAuth resource ids.", form="(https?://.+)?"
    )
    body_bytes_max: int = _setting(32 * 1024 * 1024, "Largest request body.", least=1)
    workers_max: int = _setting(8, "Requests worked on at once.", least=1)
    embedder_threads: int = _setting(0, "Threads of the embedder; 0 for one per core.")
    conformance: int = _setting(
        0, "1 also serves the fixtures of MCP's conformance suite at /mcp/conformance, without a token."
    )
    log_level: str = _setting("info", "debug, info, warning or error.", form="debug|info|warning|error")


SETTINGS: Mapping[str, Field[Any]] = {each.name: each for each in fields(Settings)}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, where each value came from, and the variables of our prefix that name no setting."""

    settings: Settings
    origins: Mapping[str, str]
    unknown: tuple[str, ...]


def load(given: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Flags before environment before file before defaults; a flag `config` names another file than config.toml."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {"data_dir": user_data_path("commonplace"), "config_dir": user_config_path("commonplace")}
    origins = dict.fromkeys(SETTINGS, "default")
    for origin, source in _sources(given or {}, environment):
        for name, value in source.items():
            values[name], origins[name] = _read(SETTINGS[name], value, origin), origin
    return Loaded(Settings(**values), origins, _unknown(environment))


def environment() -> Mapping[str, str]:
    """The variables, for what other programs are told by theirs."""
    return os.environ


def shown(settings: Settings) -> dict[str, str | int | list[str]]:
    """The values as they may be shown: without the master key, and without the password of a database."""
    values = {name: getattr(settings, name) for name in SETTINGS}
    values["key"] = HIDDEN if settings.key else ""
    values["database"] = _without_password(settings.database)
    return {name: list(value) if isinstance(value, tuple) else _plain(value) for name, value in values.items()}


def _plain(value: str | int | Path) -> str | int:
    return value if isinstance(value, int) else str(value)


def _without_password(address: str) -> str:
    masked = re.sub(r"(://[^:/@]*:).*@", rf"\1{HIDDEN}@", address)
    return re.sub(r"(?<=password=)[^&]*", HIDDEN, masked)


def _sources(given: Mapping[str, Any], environment: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    flags = {name: value for name, value in given.items() if value is not None}
    chosen = flags.pop("config", None)
    found = _from_environment(environment)
    folder = flags.get("config_dir") or found.get("config_dir") or user_config_path("commonplace")
    path = Path(chosen or Path(folder) / "config.toml").expanduser()
    return [(str(path), _from_file(path, wanted=bool(chosen))), ("environment", found), ("flag", flags)]


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What the variables say; an empty one says nothing, for compose files pass on what is not set."""
    found = {}
    for name, setting in SETTINGS.items():
        variable = PREFIX + name.upper()
        if value := environment.get(variable):
            found[name] = value
        elif setting.metadata["secret"] and (path := environment.get(f"{variable}_FILE")):
            found[name] = _secret(Path(path))
    return found


def _unknown(environment: Mapping[str, str]) -> tuple[str, ...]:
    known = {PREFIX + name.upper() for name in SETTINGS}
    known |= {f"{PREFIX}{name.upper()}_FILE" for name, setting in SETTINGS.items() if setting.metadata["secret"]}
    return tuple(sorted(name for name in environment if name.startswith(PREFIX) and name not in known))


def _secret(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"The secret file {path} cannot be read: check its path and permissions.") from error


def _from_file(path: Path, *, wanted: bool) -> dict[str, Any]:
    try:
        read = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        if wanted:
            raise Invalid(f"There is no settings file {path}.") from error
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"{path} cannot be read ({error}): mend or remove it.") from error
    unknown = set(read) - set(SETTINGS)
    if unknown:
        raise Invalid(f"{path} has unknown settings: {', '.join(sorted(unknown))}.")
    return read


def _read(setting: Field[Any], value: Any, origin: str) -> Any:
    """A value as its setting holds it."""
    if setting.name.endswith("_dir"):
        return Path(str(value)).expanduser()
    if isinstance(setting.default, tuple):
        parts = value if isinstance(value, list) else str(value).split(",")
        return tuple(part for each in parts if (part := str(each).strip()))
    if isinstance(setting.default, int):
        return _number(setting, value, origin)
    if setting.metadata["form"] and not re.fullmatch(setting.metadata["form"], str(value)):
        raise Invalid(f"{setting.name} ({origin}) must not be {value!r}: {setting.metadata['says']}")
    return str(value)


def _number(setting: Field[Any], value: Any, origin: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError) as error:
        raise Invalid(f"{setting.name} ({origin}) must be a whole number, not {value!r}.") from error
    if number < setting.metadata["least"]:
        raise Invalid(f"{setting.name} ({origin}) must be at least {setting.metadata['least']}, not {number}.")
    return number
