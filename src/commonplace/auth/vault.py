"""The plain file keys.json beside the stores: their data keys, sealed by a master key that is kept elsewhere."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from commonplace.auth.files import read_whole, write_whole
from commonplace.auth.homes import Home
from commonplace.auth.seal import PassphraseLock, key_id
from commonplace.model.errors import Damaged, Invalid

VAULT_NAME = "keys.json"

_Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
_Label = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}-[0-9a-f]{16}$")]


@dataclass(frozen=True, slots=True)
class Leftover:
    """A master key that is no longer needed where it lies; it is removed after keys.json says so."""

    home: Home
    label: _Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """What keys.json says. Without encryption it holds a plain secret instead, for signatures."""

    format: Literal[1] = 1
    encryption: Literal["on", "off"]
    store: _Hex
    key_id: _Hex
    home: Home
    data_keys: Mapping[str, bytes] = field(default_factory=dict)
    passphrase: PassphraseLock | None = None
    secret: bytes | None = field(default=None, repr=False)
    leftovers: tuple[Leftover, ...] = ()

    def __post_init__(self) -> None:
        if (self.passphrase is not None) != (self.home is Home.PASSPHRASE):
            raise ValueError("a passphrase and its lock stand together")
        plain = (self.encryption == "off", self.secret is not None, self.home is Home.NONE)
        if any(plain) != all(plain):
            raise ValueError("encryption is on or off as a whole")

    @property
    def encrypted(self) -> bool:
        """Whether the stores of this data directory are encrypted."""
        return self.encryption == "on"

    @property
    def label(self) -> str:
        """The name under which the master key is kept: of this store, and of this key."""
        return f"{self.store}-{self.key_id}"

    def require_encryption(self) -> None:
        """Raise where there is no master key to speak of."""
        if not self.encrypted:
            raise Invalid("This store was created without encryption, so it has no master key.")


def new_store_id() -> str:
    """A random id, which keeps the master keys of several data directories apart."""
    return secrets.token_hex(8)


def new_vault(master: bytes, home: Home) -> Vault:
    """The keys of a store that has no files yet."""
    plain = home is Home.NONE
    return Vault(
        encryption="off" if plain else "on",
        store=new_store_id(),
        key_id=key_id(master),
        home=home,
        secret=master if plain else None,
    )


def read_vault(data_dir: Path) -> Vault | None:
    """What keys.json says now, or None where there is none."""
    path = data_dir / VAULT_NAME
    content = read_whole(path)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Vault)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"{path} is damaged, or of a newer version; restore it from a backup.") from error


def write_vault(data_dir: Path, vault: Vault) -> None:
    """Replace keys.json."""
    content = msgspec.json.format(msgspec.json.encode(vault), indent=2)
    write_whole(data_dir / VAULT_NAME, content + b"\n")
