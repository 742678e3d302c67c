import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoBackend

from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.rekey import install, move, rotate, set_passphrase
from commonplace.model.errors import Damaged, Unavailable


class InMemory(KeyringBackend):
    """A keyring of the system that ends with the test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def ring() -> Iterator[InMemory]:
    before, ring = keyring.get_keyring(), InMemory()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    Keys(tmp_path / "data", tmp_path / "config").create()
    return tmp_path / "data", tmp_path / "config"


def key_files(folders: tuple[Path, Path]) -> list[Path]:
    return list((folders[1] / "keys").iterdir())


def test_the_master_key_moves_into_the_keyring_and_back(folders: tuple[Path, Path], ring: InMemory) -> None:
    key = Keys(*folders).data_key("control.db")
    move(Keys(*folders), Home.KEYRING)
    assert (len(ring.entries), key_files(folders)) == (1, [])
    assert "keyring of this system" in Keys(*folders).status().place
    assert Keys(*folders).data_key("control.db") == key
    move(Keys(*folders), Home.FILE)
    assert (len(ring.entries), len(key_files(folders))) == (0, 1)
    assert Keys(*folders).data_key("control.db") == key


def test_a_rotation_leaves_one_entry_in_the_keyring(folders: tuple[Path, Path], ring: InMemory) -> None:
    key = Keys(*folders).data_key("control.db")
    move(Keys(*folders), Home.KEYRING)
    rotate(Keys(*folders))
    assert len(ring.entries) == 1
    assert Keys(*folders).data_key("control.db") == key


def test_a_restored_copy_has_an_entry_of_its_own(folders: tuple[Path, Path], ring: InMemory) -> None:
    move(Keys(*folders), Home.KEYRING)
    install(Keys(*folders))
    assert len(ring.entries) == 2
    assert Keys(*folders).status().home is Home.KEYRING


def test_an_entry_that_is_missing_or_damaged_is_told(folders: tuple[Path, Path], ring: InMemory) -> None:
    move(Keys(*folders), Home.KEYRING)
    (entry,) = ring.entries
    ring.entries[entry] = "0815"
    with pytest.raises(Damaged, match="no whole master key in the keyring"):
        Keys(*folders).verify()
    ring.entries.clear()
    with pytest.raises(Unavailable, match="should come from the keyring"):
        Keys(*folders).verify()


def test_a_system_without_a_keyring_is_told_and_the_key_stays(folders: tuple[Path, Path], ring: InMemory) -> None:
    keyring.set_keyring(NoBackend())
    with pytest.raises(Unavailable, match="cannot be reached"):
        move(Keys(*folders), Home.KEYRING)
    Keys(*folders).verify()
    assert Keys(*folders).status().home is Home.FILE


def test_a_missing_extra_is_named(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(Unavailable, match=r"install `commonplace\[keyring\]`"):
        move(Keys(*folders), Home.KEYRING)


def test_an_old_entry_out_of_reach_does_not_keep_the_store_shut(folders: tuple[Path, Path], ring: InMemory) -> None:
    move(Keys(*folders), Home.KEYRING)
    keys = Keys(*folders)
    keys.verify()
    keyring.set_keyring(NoBackend())
    with pytest.raises(Unavailable, match="cannot be reached"):
        set_passphrase(keys, "grüne Wiese im März")
    assert Keys(*folders, passphrase=lambda: "grüne Wiese im März").data_key("control.db") is not None
    keyring.set_keyring(ring)
    Keys(*folders, passphrase=lambda: "grüne Wiese im März").verify()
    assert ring.entries == {}
