"""Coming by the master key: given, kept in one of its homes, or sealed by a passphrase that a person knows."""

from collections.abc import Callable
from pathlib import Path

from commonplace.auth.homes import Home, KeyFiles, Keyring
from commonplace.auth.phrase import read_key
from commonplace.auth.seal import PassphraseLock, key_id, unlock
from commonplace.auth.vault import VAULT_NAME, Leftover, Vault
from commonplace.model.errors import Unavailable


class MasterKeys:
    """Finds and keeps master keys, and remembers the last one that was right."""

    def __init__(self, config_dir: Path, given: str | None, passphrase: Callable[[], str] | None) -> None:
        self.given = read_key(given) if given else None
        self._passphrase = passphrase
        self._homes: dict[Home, KeyFiles | Keyring] = {
            Home.FILE: KeyFiles(config_dir / "keys"),
            Home.KEYRING: Keyring(),
        }
        self._last: bytes | None = None

    def find(self, vault: Vault) -> bytes:
        """The master key of this vault, which another process may have changed since the last time."""
        if vault.secret is not None:
            return vault.secret
        master = self._last
        if master is None or key_id(master) != vault.key_id:
            master = self.given or self._kept(vault)
        if key_id(master) != vault.key_id:
            raise Unavailable(
                "This key does not open the store: it belongs to another store or was replaced by "
                "`commonplace key rotate`; run `commonplace key restore` with the recovery phrase of this store."
            )
        self._last = master
        return master

    def ask(self, locked: PassphraseLock) -> tuple[str, bytes]:
        """The passphrase, asked of a person, and the master key that it unlocks."""
        if self._passphrase is None:
            raise Unavailable(
                "A passphrase locks this store; start commonplace on a terminal to be asked for it, "
                "or give the recovery phrase as COMMONPLACE_KEY."
            )
        passphrase = self._passphrase()
        self._last = unlock(locked, passphrase)
        return passphrase, self._last

    def keep(self, vault: Vault, master: bytes) -> None:
        """Put the master key where this vault says it is kept."""
        if vault.home in self._homes:
            self._homes[vault.home].put(vault.label, master)
        self._last = master

    def discard(self, leftover: Leftover) -> None:
        """Remove a master key from where it is no longer needed."""
        if leftover.home in self._homes:
            self._homes[leftover.home].remove(leftover.label)

    def place(self, vault: Vault) -> str:
        """Where a person finds the master key of this vault."""
        match vault.home:
            case Home.FILE | Home.KEYRING:
                return self._homes[vault.home].place(vault.label)
            case Home.PASSPHRASE:
                return f"{VAULT_NAME}, under a passphrase"
            case Home.GIVEN:
                return "COMMONPLACE_KEY or COMMONPLACE_KEY_FILE"
            case Home.NONE:
                return "nowhere"

    def _kept(self, vault: Vault) -> bytes:
        if vault.passphrase is not None:
            return self.ask(vault.passphrase)[1]
        master = self._homes[vault.home].get(vault.label) if vault.home in self._homes else None
        if master is None:
            raise Unavailable(
                f"The master key of this store is missing, it should come from {self.place(vault)}; put it back, "
                "set COMMONPLACE_KEY, or run `commonplace key restore` with the recovery phrase."
            )
        return master
