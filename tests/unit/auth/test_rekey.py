import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.auth import seal
from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.rekey import install, move, remove_passphrase, rotate, set_passphrase
from commonplace.auth.vault import read_vault
from commonplace.model.errors import Conflict, Invalid, Unauthenticated, Unavailable

PASSPHRASE = "grüne Wiese im März"


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(autouse=True)
def cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "COST_KIB", 8 * 1024)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "data", tmp_path / "config"


@pytest.fixture
def key(folders: tuple[Path, Path]) -> bytes:
    keys = Keys(*folders)
    keys.create()
    made = keys.data_key("control.db")
    assert made is not None
    return made


def opened(folders: tuple[Path, Path], passphrase: str = PASSPHRASE) -> Keys:
    return Keys(*folders, passphrase=lambda: passphrase)


def key_files(folders: tuple[Path, Path]) -> list[Path]:
    return list((folders[1] / "keys").iterdir())


def killed_at(point: str) -> Callable[[str], None]:
    def failpoint(reached: str) -> None:
        if reached == point:
            raise Killed

    return failpoint


def test_rotation_replaces_the_master_key_and_no_data_key(folders: tuple[Path, Path], key: bytes) -> None:
    before = Keys(*folders).recovery_phrase()
    rotate(Keys(*folders))
    assert Keys(*folders).data_key("control.db") == key
    assert Keys(*folders).recovery_phrase() != before
    assert len(key_files(folders)) == 1
    with pytest.raises(Unavailable, match="does not open the store"):
        Keys(*folders, given=before).verify()


def test_a_running_process_goes_on_after_a_rotation_by_another(folders: tuple[Path, Path], key: bytes) -> None:
    running = Keys(*folders)
    running.verify()
    rotate(Keys(*folders))
    assert running.data_key("control.db") == key
    assert running.data_key("new.db") == Keys(*folders).data_key("new.db")


def test_a_given_key_is_not_rotated(folders: tuple[Path, Path], key: bytes) -> None:
    with pytest.raises(Conflict, match="unset COMMONPLACE_KEY"):
        rotate(Keys(*folders, given=Keys(*folders).recovery_phrase()))
    assert Keys(*folders).data_key("control.db") == key


@pytest.mark.parametrize("point", ["master key kept", "keys replaced", "old master key removed"])
def test_a_kill_within_a_rotation_leaves_keys_that_open(folders: tuple[Path, Path], key: bytes, point: str) -> None:
    with pytest.raises(Killed):
        rotate(Keys(*folders, failpoint=killed_at(point)))
    assert Keys(*folders).data_key("control.db") == key
    rotate(Keys(*folders))
    assert Keys(*folders).data_key("control.db") == key


def test_an_old_master_key_that_a_kill_left_is_removed_at_the_next_opening(
    folders: tuple[Path, Path], key: bytes
) -> None:
    with pytest.raises(Killed):
        rotate(Keys(*folders, failpoint=killed_at("keys replaced")))
    assert len(key_files(folders)) == 2
    Keys(*folders).verify()
    assert len(key_files(folders)) == 1


ROTATION = """
import os, sys
from pathlib import Path
from commonplace.auth.keys import Keys
from commonplace.auth.rekey import rotate

rotate(Keys(Path(sys.argv[1]), Path(sys.argv[2]), failpoint=lambda point: point == sys.argv[3] and os._exit(9)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("point", ["master key kept", "keys replaced", "old master key removed"])
def test_a_process_that_dies_in_a_rotation_holds_nobody_up(folders: tuple[Path, Path], key: bytes, point: str) -> None:
    command = [sys.executable, "-c", ROTATION, *map(str, folders), point]
    died = subprocess.run(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    assert died.returncode == 9
    assert Keys(*folders).data_key("control.db") == key


def test_a_passphrase_locks_the_store(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), PASSPHRASE)
    assert key_files(folders) == []
    assert opened(folders).data_key("control.db") == key
    assert Keys(*folders).status().home is Home.PASSPHRASE
    with pytest.raises(Unavailable, match="A passphrase locks this store"):
        Keys(*folders).data_key("control.db")
    with pytest.raises(Unauthenticated, match="The passphrase is wrong"):
        opened(folders, "something else").data_key("control.db")


def test_a_passphrase_is_the_same_on_every_keyboard(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), "M\u00e4rz-Wiese")
    assert opened(folders, "Ma\u0308rz-Wiese").data_key("control.db") == key


def test_a_short_passphrase_is_refused_and_nothing_changes(folders: tuple[Path, Path], key: bytes) -> None:
    with pytest.raises(Invalid, match="at least 8 characters"):
        set_passphrase(Keys(*folders), "short")
    assert Keys(*folders).data_key("control.db") == key


def test_the_recovery_phrase_opens_a_locked_store_and_replaces_a_forgotten_passphrase(
    folders: tuple[Path, Path], key: bytes
) -> None:
    phrase = Keys(*folders).recovery_phrase()
    set_passphrase(Keys(*folders), PASSPHRASE)
    install(Keys(*folders, given=phrase))
    assert Keys(*folders).data_key("control.db") == key
    assert Keys(*folders).status().home is Home.FILE


def test_a_locked_store_is_rotated_under_its_passphrase(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), PASSPHRASE)
    before = opened(folders).recovery_phrase()
    rotate(opened(folders))
    assert opened(folders).data_key("control.db") == key
    assert opened(folders).recovery_phrase() != before
    assert key_files(folders) == []


def test_a_passphrase_that_changes_while_it_is_asked_for_stops_the_rotation(
    folders: tuple[Path, Path], key: bytes
) -> None:
    def asked() -> str:
        set_passphrase(opened(folders), "another one")
        return PASSPHRASE

    set_passphrase(Keys(*folders), PASSPHRASE)
    with pytest.raises(Conflict, match="in the meantime"):
        rotate(Keys(*folders, passphrase=asked))
    assert opened(folders, "another one").data_key("control.db") == key


def test_a_passphrase_is_changed_and_removed(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), PASSPHRASE)
    set_passphrase(opened(folders), "another one")
    with pytest.raises(Unauthenticated):
        opened(folders).verify()
    remove_passphrase(opened(folders, "another one"))
    assert Keys(*folders).data_key("control.db") == key
    with pytest.raises(Conflict, match="No passphrase"):
        remove_passphrase(Keys(*folders))


def test_a_locked_store_is_not_unlocked_by_moving_its_key(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), PASSPHRASE)
    with pytest.raises(Conflict, match="remove it with"):
        move(opened(folders), Home.FILE)
    assert key_files(folders) == []


def test_a_kill_while_locking_leaves_no_plain_key_after_the_next_opening(
    folders: tuple[Path, Path], key: bytes
) -> None:
    with pytest.raises(Killed):
        set_passphrase(Keys(*folders, failpoint=killed_at("keys replaced")), PASSPHRASE)
    assert opened(folders).data_key("control.db") == key
    assert key_files(folders) == []


def test_a_given_key_is_moved_into_a_file(folders: tuple[Path, Path]) -> None:
    given = Keys(*folders, given="42" * 32)
    given.create()
    key = given.data_key("control.db")
    move(given, Home.FILE)
    assert Keys(*folders).data_key("control.db") == key


def test_a_restored_copy_shares_no_key_file_with_its_original(folders: tuple[Path, Path], key: bytes) -> None:
    copy = folders[0].with_name("copy"), folders[1]
    shutil.copytree(folders[0], copy[0])
    install(Keys(*copy))
    rotate(Keys(*copy))
    assert Keys(*folders).data_key("control.db") == key
    assert Keys(*copy).data_key("control.db") == key
    assert Keys(*folders).derived("url") != Keys(*copy).derived("url")


def test_a_restored_locked_store_stays_locked(folders: tuple[Path, Path], key: bytes) -> None:
    set_passphrase(Keys(*folders), PASSPHRASE)
    install(opened(folders))
    assert opened(folders).data_key("control.db") == key
    assert key_files(folders) == []


def test_a_key_of_another_store_is_not_installed(folders: tuple[Path, Path], key: bytes) -> None:
    before = read_vault(folders[0])
    with pytest.raises(Unavailable, match="does not open the store"):
        install(Keys(*folders, given="42" * 32))
    assert read_vault(folders[0]) == before


def test_a_store_without_encryption_has_no_master_key_to_change(folders: tuple[Path, Path]) -> None:
    keys = Keys(*folders)
    keys.create(encrypted=False)
    for change in (rotate, lambda keys: set_passphrase(keys, PASSPHRASE), lambda keys: move(keys, Home.FILE)):
        with pytest.raises(Invalid, match="without encryption"):
            change(keys)
    install(keys)
    assert keys.data_key("control.db") is None
