import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.phrase import to_phrase
from commonplace.model.errors import Damaged, Invalid, Unavailable

KEY = bytes(range(32))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "data", tmp_path / "config"


def made(folders: tuple[Path, Path]) -> Keys:
    keys = Keys(*folders)
    keys.create()
    return keys


def key_file(folders: tuple[Path, Path]) -> Path:
    (path,) = (folders[1] / "keys").iterdir()
    return path


def rewrite(folders: tuple[Path, Path], **changes: object) -> None:
    path = folders[0] / "keys.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_each_file_has_a_key_of_its_own_that_stays(folders: tuple[Path, Path]) -> None:
    control = made(folders).data_key("control.db")
    workspace = Keys(*folders).data_key("workspaces/a.db")
    assert control is not None
    assert len(control) == 32
    assert control != workspace
    assert Keys(*folders).data_key("control.db") == control


def test_only_a_new_store_is_created(folders: tuple[Path, Path]) -> None:
    assert Keys(*folders).create()
    key = Keys(*folders).data_key("control.db")
    assert not Keys(*folders).create()
    assert not Keys(*folders).create(encrypted=False)
    assert Keys(*folders).data_key("control.db") == key


def test_neither_file_holds_a_data_key_in_the_clear(folders: tuple[Path, Path]) -> None:
    key = made(folders).data_key("control.db")
    assert key is not None
    assert key.hex() not in key_file(folders).read_text()
    assert key.hex() not in (folders[0] / "keys.json").read_text()


def test_a_dropped_key_is_gone_and_the_others_stay(folders: tuple[Path, Path]) -> None:
    keys = made(folders)
    stays, goes = keys.data_key("a.db"), keys.data_key("b.db")
    assert keys.drop("b.db")
    assert not keys.drop("b.db")
    assert (keys.has("a.db"), keys.has("b.db")) == (True, False)
    assert keys.data_key("a.db") == stays
    assert keys.data_key("b.db") != goes


def test_two_data_directories_share_no_master_key(tmp_path: Path) -> None:
    phrases = {made((tmp_path / name, tmp_path / "config")).recovery_phrase() for name in ("one", "two")}
    assert len(phrases) == 2
    assert Keys(tmp_path / "one", tmp_path / "config").recovery_phrase() in phrases


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the owner's files apart by itself")
def test_only_the_owner_may_read_the_keys(folders: tuple[Path, Path]) -> None:
    made(folders)
    assert key_file(folders).stat().st_mode & 0o777 == 0o600
    assert (folders[0] / "keys.json").stat().st_mode & 0o777 == 0o600
    assert key_file(folders).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the owner's files apart by itself")
def test_a_master_key_that_others_may_read_is_refused(folders: tuple[Path, Path]) -> None:
    made(folders)
    key_file(folders).chmod(0o640)
    with pytest.raises(Unavailable, match="run `chmod 600"):
        Keys(*folders).data_key("control.db")


def test_a_missing_master_key_is_named_with_its_place(folders: tuple[Path, Path]) -> None:
    made(folders)
    path = key_file(folders)
    path.unlink()
    with pytest.raises(Unavailable, match="commonplace key restore") as caught:
        Keys(*folders).data_key("control.db")
    assert str(path) in caught.value.message


def test_half_a_master_key_is_damaged(folders: tuple[Path, Path]) -> None:
    made(folders)
    key_file(folders).write_text("00ff")
    with pytest.raises(Damaged, match="no whole master key"):
        Keys(*folders).data_key("control.db")


def test_a_wrong_key_is_told_apart_from_a_mistyped_one(folders: tuple[Path, Path]) -> None:
    phrase = made(folders).recovery_phrase()
    with pytest.raises(Unavailable, match="does not open the store"):
        Keys(*folders, given=to_phrase(KEY)).verify()
    mistyped = phrase[:-1] + ("7" if phrase[-1] != "7" else "8")
    with pytest.raises(Invalid, match="Group 13 of the recovery phrase is mistyped"):
        Keys(*folders, given=mistyped)


def test_the_recovery_phrase_opens_a_store_without_its_master_key(folders: tuple[Path, Path]) -> None:
    keys = made(folders)
    key, phrase = keys.data_key("control.db"), keys.recovery_phrase()
    key_file(folders).unlink()
    assert Keys(*folders, given=phrase.lower()).data_key("control.db") == key


def test_a_given_key_is_written_nowhere(folders: tuple[Path, Path]) -> None:
    keys = Keys(*folders, given=KEY.hex())
    keys.create()
    assert keys.status().home is Home.GIVEN
    assert not folders[1].exists()
    assert keys.recovery_phrase() == to_phrase(KEY)
    with pytest.raises(Unavailable, match="COMMONPLACE_KEY"):
        Keys(*folders).data_key("control.db")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"format": 2}'])
def test_a_damaged_keys_file_is_refused(folders: tuple[Path, Path], content: bytes) -> None:
    made(folders)
    (folders[0] / "keys.json").write_bytes(content)
    with pytest.raises(Damaged, match=r"keys\.json is damaged"):
        Keys(*folders).data_key("control.db")
    with pytest.raises(Damaged, match=r"keys\.json is damaged"):
        Keys(*folders).create()


@pytest.mark.parametrize(
    "changes",
    [{"store": "../../elsewhere"}, {"home": "passphrase"}, {"encryption": "off"}, {"secret": "AAAA"}, {"key_id": 7}],
)
def test_a_keys_file_that_contradicts_itself_is_refused(folders: tuple[Path, Path], changes: dict[str, object]) -> None:
    made(folders)
    rewrite(folders, **changes)
    with pytest.raises(Damaged):
        Keys(*folders).status()


def test_a_key_under_the_name_of_another_file_does_not_open(folders: tuple[Path, Path]) -> None:
    keys = made(folders)
    keys.data_key("a.db")
    sealed = json.loads((folders[0] / "keys.json").read_text())["data_keys"]["a.db"]
    rewrite(folders, data_keys={"a.db": sealed, "b.db": sealed})
    with pytest.raises(Damaged, match=r"The key of b\.db"):
        keys.verify()


def test_stores_without_their_keys_never_get_new_ones(folders: tuple[Path, Path]) -> None:
    (folders[0] / "workspaces").mkdir(parents=True)
    (folders[0] / "workspaces" / "a.db").touch()
    for attempt in (Keys(*folders).create, Keys(*folders).verify):
        with pytest.raises(Damaged, match=r"put keys\.json back"):
            attempt()
    assert not (folders[0] / "keys.json").exists()


def test_a_store_file_without_its_key_never_gets_a_new_one(folders: tuple[Path, Path]) -> None:
    keys = made(folders)
    (folders[0] / "control.db").touch()
    with pytest.raises(Damaged, match=r"no key for control\.db"):
        keys.data_key("control.db")


def test_where_there_is_no_store_the_command_that_makes_one_is_named(folders: tuple[Path, Path]) -> None:
    with pytest.raises(Unavailable, match="commonplace serve"):
        Keys(*folders).data_key("control.db")


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="cannot be used"):
        Keys(tmp_path / "file", tmp_path / "config").create()
    with pytest.raises(Unavailable, match="cannot be used"):
        Keys(tmp_path / "data", tmp_path / "file").create()


def test_without_encryption_there_are_no_data_keys_and_it_stays_so(folders: tuple[Path, Path]) -> None:
    Keys(*folders).create(encrypted=False)
    keys = Keys(*folders, given=KEY.hex())
    assert not keys.create()
    assert keys.data_key("control.db") is None
    assert not keys.status().encrypted
    assert json.loads((folders[0] / "keys.json").read_text())["encryption"] == "off"
    with pytest.raises(Invalid, match="without encryption"):
        keys.recovery_phrase()


@pytest.mark.parametrize("encrypted", [True, False])
def test_a_derived_key_stays_and_is_another_for_every_purpose(folders: tuple[Path, Path], *, encrypted: bool) -> None:
    Keys(*folders).create(encrypted=encrypted)
    assert Keys(*folders).derived("url") == Keys(*folders).derived("url")
    assert Keys(*folders).derived("url") != Keys(*folders).derived("request state")


def test_the_status_tells_where_the_master_key_is_without_needing_it(folders: tuple[Path, Path]) -> None:
    made(folders).data_key("control.db")
    path = key_file(folders)
    path.unlink()
    status = Keys(*folders).status()
    assert (status.encrypted, status.home, status.place, status.data_keys) == (True, Home.FILE, str(path), 1)


def test_a_kill_during_creation_leaves_a_directory_that_can_be_created(folders: tuple[Path, Path]) -> None:
    def killed(point: str) -> None:
        raise KeyboardInterrupt(point)

    with pytest.raises(KeyboardInterrupt, match="master key kept"):
        Keys(*folders, failpoint=killed).create()
    assert Keys(*folders).create()
    assert Keys(*folders).data_key("control.db") is not None


FIRST_START = """
import sys
from pathlib import Path
from commonplace.auth.keys import Keys

keys = Keys(Path(sys.argv[1]), Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
keys.create()
print(keys.data_key("control.db").hex())
"""


@pytest.mark.slow
def test_processes_that_start_at_once_get_the_same_key(folders: tuple[Path, Path]) -> None:
    command = [sys.executable, "-c", FIRST_START, *map(str, folders)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert len(set(outputs)) == 1
    assert key_file(folders).exists()
