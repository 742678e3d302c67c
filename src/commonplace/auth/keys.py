"""The keys of an encrypted store: a random data key per file, all of them sealed by one master key.

What changes the master key stands in `rekey.py`. Several processes may use the same keys at once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from commonplace.auth.files import exclusive, make_folder
from commonplace.auth.homes import Home
from commonplace.auth.master import MasterKeys
from commonplace.auth.phrase import to_phrase
from commonplace.auth.seal import derive, new_key, seal, unseal
from commonplace.auth.vault import VAULT_NAME, Leftover, Vault, new_vault, read_vault, write_vault
from commonplace.model.errors import Damaged, Unavailable

STORE_SUFFIXES = frozenset({".db", ".sqlite", ".sqlite3"})


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """What may be told about the keys without opening them."""

    encrypted: bool
    home: Home
    place: str
    data_keys: int


def _pass(_point: str) -> None:
    """Go on: only tests stop at a failpoint."""


class Keys:
    """The keys of one data directory.

    A master key that is `given` (hexadecimal, base64 or recovery phrase) is used instead of the one that is kept.
    `passphrase` asks a person for it, where one locks the store.
    """

    def __init__(
        self,
        data_dir: Path,
        config_dir: Path,
        *,
        given: str | None = None,
        passphrase: Callable[[], str] | None = None,
        failpoint: Callable[[str], None] = _pass,
    ) -> None:
        self.masters = MasterKeys(config_dir, given, passphrase)
        self.failpoint = failpoint
        self._data_dir = data_dir
        self._lock = data_dir / "keys.lock"

    def create(self, *, encrypted: bool = True) -> bool:
        """Make the keys of a new store and say True; those of an existing store stay as they are."""
        make_folder(self._data_dir)
        with exclusive(self._lock):
            if read_vault(self._data_dir) is not None:
                return False
            self._refuse_stores_without_keys()
            master, home = self._first_master(encrypted=encrypted)
            vault = new_vault(master, home)
            self.masters.keep(vault, master)
            self.failpoint("master key kept")
            self.write(vault)
            return True

    def data_key(self, name: str) -> bytes | None:
        """The key of a store file, made when first asked for; None where the store is not encrypted.

        The name is the path of the file within the data directory.
        """
        with self.opened() as (vault, master):
            if not vault.encrypted:
                return None
            if name in vault.data_keys:
                return unseal(master, vault.data_keys[name], name)
            if (self._data_dir / name).exists():
                raise Damaged(f"{VAULT_NAME} holds no key for {name}; restore {VAULT_NAME} from a backup.")
            key = new_key()
            self.write(replace(vault, data_keys={**vault.data_keys, name: seal(master, key, name)}))
            return key

    def has(self, name: str) -> bool:
        """Whether there is a key for this store file."""
        return name in self.vault().data_keys

    def drop(self, name: str) -> bool:
        """Forget the key of a deleted file, so that no remains of it can be read; False where there was none."""
        with exclusive(self._lock):
            vault = self.vault()
            left = {other: key for other, key in vault.data_keys.items() if other != name}
            if len(left) == len(vault.data_keys):
                return False
            self.write(replace(vault, data_keys=left))
            return True

    def derived(self, purpose: str) -> bytes:
        """A key to sign with, for one purpose; it is another one after a rotation or a restore."""
        with self.opened() as (vault, master):
            return derive(master, f"sign {purpose}", vault.store.encode())

    def recovery_phrase(self) -> str:
        """The master key in a form to write down."""
        with self.opened() as (vault, master):
            vault.require_encryption()
            return to_phrase(master)

    def status(self) -> KeyStatus:
        """Where the master key is kept, and how many keys it seals."""
        vault = self.vault()
        return KeyStatus(vault.encrypted, vault.home, self.masters.place(vault), len(vault.data_keys))

    def verify(self) -> None:
        """Raise unless the master key is at hand and opens every data key."""
        with self.opened() as (vault, master):
            for name, sealed in vault.data_keys.items():
                unseal(master, sealed, name)

    def vault(self) -> Vault:
        """What keys.json says now."""
        vault = read_vault(self._data_dir)
        if vault is None:
            self._refuse_stores_without_keys()
            raise Unavailable(f"There is no store in {self._data_dir} yet; `commonplace serve` makes one.")
        return vault

    @contextmanager
    def opened(self) -> Iterator[tuple[Vault, bytes]]:
        """Hold the lock, with what keys.json says and the master key."""
        vault = self.vault()
        if vault.home is Home.PASSPHRASE:  # before the lock: a person may take minutes to answer
            self.masters.find(vault)
        with exclusive(self._lock):
            vault = self.vault()
            master = self.masters.find(vault)
            with suppress(Unavailable):  # a home that is out of reach now is cleared another time
                vault = self._settle(vault)
            yield vault, master

    def write(self, vault: Vault) -> None:
        """Replace keys.json; the caller holds the lock."""
        write_vault(self._data_dir, vault)

    def change(self, old: Vault, new: Vault) -> None:
        """Replace keys.json, then remove the old master key; what a kill leaves undone is done at the next opening."""
        replaced = (*old.leftovers, Leftover(old.home, old.label))
        kept = Leftover(new.home, new.label)
        changed = replace(new, leftovers=tuple(leftover for leftover in replaced if leftover != kept))
        self.write(changed)
        self.failpoint("keys replaced")
        self._settle(changed)

    def _settle(self, vault: Vault) -> Vault:
        if not vault.leftovers:
            return vault
        for leftover in vault.leftovers:
            self.masters.discard(leftover)
        self.failpoint("old master key removed")
        settled = replace(vault, leftovers=())
        self.write(settled)
        return settled

    def _first_master(self, *, encrypted: bool) -> tuple[bytes, Home]:
        if not encrypted:
            return new_key(), Home.NONE
        if self.masters.given is not None:
            return self.masters.given, Home.GIVEN
        return new_key(), Home.FILE

    def _refuse_stores_without_keys(self) -> None:
        if any(path.suffix in STORE_SUFFIXES for path in self._data_dir.rglob("*")):
            raise Damaged(
                f"{self._data_dir} holds stores but their keys, {VAULT_NAME}, are missing; "
                f"put {VAULT_NAME} back or run `commonplace restore` with a backup into an empty directory."
            )
