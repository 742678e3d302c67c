"""Where a master key is kept when nobody is there to give it: a file of its owner, or the keyring of the system."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import ModuleType

from commonplace.auth.files import make_folder, read_whole, remove, write_whole
from commonplace.auth.phrase import read_key
from commonplace.model.errors import Damaged, Invalid, Unavailable

_SERVICE = "commonplace"


class Home(StrEnum):
    """The ways to come by the master key of a store."""

    FILE = "file"
    KEYRING = "keyring"
    PASSPHRASE = "passphrase"  # noqa: S105 the name of a way, no password
    GIVEN = "given"
    NONE = "none"


class KeyFiles:
    """One file per master key in the configuration directory, named by store and key so that none replaces another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, label: str) -> str:
        """Where a person finds the key of this label."""
        return str(self._path(label))

    def get(self, label: str) -> bytes | None:
        """The key, or None where there is none; a file that others can read is refused."""
        path = self._path(label)
        content = read_whole(path)
        if content is None:
            return None
        if sys.platform != "win32" and path.stat().st_mode & 0o077:
            raise Unavailable(f"Others may read the master key in {path}; run `chmod 600 {path}`.")
        return _read(content.decode(errors="replace"), str(path))

    def put(self, label: str, key: bytes) -> None:
        """Keep the key; its label names this key alone, so a file that is there is the same key or half of it."""
        make_folder(self._folder)
        write_whole(self._path(label), f"{key.hex()}\n".encode())

    def remove(self, label: str) -> None:
        """Keep the key no longer."""
        remove(self._path(label))

    def _path(self, label: str) -> Path:
        return self._folder / f"{label}.key"


class Keyring:
    """The keyring of the system, one entry per master key; needs the extra `keyring`."""

    def place(self, label: str) -> str:
        """Where a person finds the key of this label."""
        return f"the keyring of this system, entry {_SERVICE}/{label}"

    def get(self, label: str) -> bytes | None:
        """The key, or None where there is none."""
        with _keyring() as keyring:
            kept: str | None = keyring.get_password(_SERVICE, label)
        return None if kept is None else _read(kept, self.place(label))

    def put(self, label: str, key: bytes) -> None:
        """Keep the key."""
        with _keyring() as keyring:
            keyring.set_password(_SERVICE, label, key.hex())

    def remove(self, label: str) -> None:
        """Keep the key no longer."""
        with _keyring() as keyring:
            if keyring.get_password(_SERVICE, label) is not None:
                keyring.delete_password(_SERVICE, label)


@contextmanager
def _keyring() -> Iterator[ModuleType]:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise Unavailable("The keyring needs an extra: install `commonplace[keyring]`.") from error
    try:
        yield keyring
    except KeyringError as error:
        raise Unavailable(
            "The keyring of this system cannot be reached; unlock it, or give the key as COMMONPLACE_KEY."
        ) from error


def _read(text: str, place: str) -> bytes:
    try:
        return read_key(text)
    except Invalid as error:
        raise Damaged(
            f"There is no whole master key in {place}; "
            "bring it back with `commonplace key restore` and the recovery phrase."
        ) from error
