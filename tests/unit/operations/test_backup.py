import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from lived import Lived

from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.rekey import rotate, set_passphrase
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import List, Store
from commonplace.core.workspaces import create_workspace, list_workspaces
from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError, Conflict, Damaged, Invalid, Unauthenticated, Unavailable
from commonplace.operations.backup import Manifest, restore_backup, write_backup
from commonplace.operations.transfer import export_lines
from commonplace.operations.verify import verify, verify_control
from commonplace.store.database import Database
from commonplace.store.sqlite import SqliteEngine, file_of
from support import CountingIds, FakeClock, HashEmbedder, app_on

OTHER_KEY = "11" * 32


@pytest.fixture
def engine_name() -> str:
    """PostgreSQL is backed up by its own tools."""
    return "sqlite"


@pytest.fixture
def data(tmp_path: Path, app: App) -> Path:
    return tmp_path / "data"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config"


@pytest.fixture
def backup(app: App, lived: Lived, data: Path, tmp_path: Path) -> Path:
    file = tmp_path / "whole.backup"
    write_backup(app, data, file)
    return file


@contextmanager
def opened(data: Path, config: Path, given: str | None = None) -> Iterator[App]:
    keys = Keys(data, config, given=given)
    engine = SqliteEngine(data, keys, encrypted=keys.status().encrypted)
    clock, ids = FakeClock(), CountingIds()
    ids.made = 50_000
    yield App(Database(engine, clock, ids), clock, ids, HashEmbedder())
    engine.close()


def everything(app: App) -> list[str]:
    return list(export_lines(app, local_caller(app, human=True)))[1:]


def sealed(content: bytes) -> bytes:
    return content + f"commonplace backup sha256 {hashlib.sha256(content).hexdigest()}\n".encode()


def tar_of(**members: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            told = tarfile.TarInfo(name)
            told.size = len(content)
            archive.addfile(told, io.BytesIO(content))
    return made.getvalue()


def test_a_restored_store_is_whole_and_the_same(app: App, backup: Path, config: Path, tmp_path: Path) -> None:
    manifest = restore_backup(backup, tmp_path / "new", config)
    with opened(tmp_path / "new", config) as restored:
        assert everything(restored) == everything(app)
        assert verify(restored, list_workspaces(restored)[0].id).problems == ()
        assert verify_control(restored) == ()
    assert [member.name.partition("/")[0] for member in manifest.members] == ["control.db", "workspaces", "keys.json"]
    assert {path.name for path in (tmp_path / "new").iterdir()} >= {"control.db", "keys.json", "workspaces"}
    assert not (tmp_path / "new" / ".restoring").exists()
    assert backup.stat().st_mode & 0o077 == 0


def test_a_restored_store_goes_on_by_itself(backup: Path, data: Path, config: Path, tmp_path: Path) -> None:
    restore_backup(backup, tmp_path / "new", config)
    rotate(Keys(data, config))
    with opened(tmp_path / "new", config) as restored:
        perform(restored, local_caller(restored, human=True), Store(text="Written after the restore."))
        assert verify(restored, list_workspaces(restored)[0].id).problems == ()
    Keys(data, config).verify()


def test_a_backup_holds_every_workspace(app: App, data: Path, config: Path, tmp_path: Path) -> None:
    create_workspace(app, "second")
    perform(app, local_caller(app, "second", human=True), Store(text="In the second."))
    write_backup(app, data, tmp_path / "both.backup")
    restore_backup(tmp_path / "both.backup", tmp_path / "new", config)
    with opened(tmp_path / "new", config) as restored:
        assert [each.name for each in list_workspaces(restored)] == ["default", "second"]
        found = perform(restored, local_caller(restored, "second", human=True), List())
        assert [each.version.title for each in found] == ["In the second."]


def test_the_recovery_phrase_alone_restores(app: App, backup: Path, data: Path, config: Path, tmp_path: Path) -> None:
    phrase = Keys(data, config).recovery_phrase()
    restore_backup(backup, tmp_path / "new", tmp_path / "other config", given=phrase)
    with opened(tmp_path / "new", tmp_path / "other config") as restored:
        assert everything(restored) == everything(app)
        assert Keys(tmp_path / "new", tmp_path / "other config").status().home == Home.FILE


def test_without_its_key_a_backup_is_not_restored(backup: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="give it or the recovery phrase as COMMONPLACE_KEY"):
        restore_backup(backup, tmp_path / "new", tmp_path / "other config")
    assert not (tmp_path / "new").exists()


def test_a_wrong_key_is_refused(backup: Path, config: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with pytest.raises(Unavailable, match="This key does not open the backup"):
        restore_backup(backup, tmp_path / "new", config, given=OTHER_KEY)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_passphrase_is_asked_for(app: App, data: Path, config: Path, tmp_path: Path) -> None:
    set_passphrase(Keys(data, config), "correct horse")
    file = tmp_path / "locked.backup"
    write_backup(app, data, file)
    with pytest.raises(Unavailable, match="A passphrase locks this store"):
        restore_backup(file, tmp_path / "new", config)
    with pytest.raises(Unauthenticated, match="The passphrase is wrong"):
        restore_backup(file, tmp_path / "new", config, passphrase=lambda: "wrong horse")
    restore_backup(file, tmp_path / "new", config, passphrase=lambda: "correct horse")
    assert Keys(tmp_path / "new", config).status().home == Home.PASSPHRASE


def test_a_store_without_encryption_needs_no_key(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "plain", tmp_path / "none")
    keys.create(encrypted=False)
    engine = SqliteEngine(tmp_path / "plain", keys, encrypted=False)
    app = app_on(engine)
    perform(app, local_caller(app, human=True), Store(text="Plainly."))
    write_backup(app, tmp_path / "plain", tmp_path / "plain.backup")
    restore_backup(tmp_path / "plain.backup", tmp_path / "new", tmp_path / "none")
    with opened(tmp_path / "new", tmp_path / "none") as restored:
        assert everything(restored) == everything(app)
    engine.close()


def test_a_backup_is_of_one_moment_while_others_write(
    app: App, agent: Caller, data: Path, config: Path, tmp_path: Path
) -> None:
    ended = threading.Event()

    def write_on() -> None:
        while not ended.is_set():
            perform(app, agent, Store(text="One more. See [[One more]]."))

    writer = threading.Thread(target=write_on)
    writer.start()
    for number in range(4):
        write_backup(app, data, tmp_path / f"{number}.backup")
    ended.set()
    writer.join()
    for number in range(4):
        restore_backup(tmp_path / f"{number}.backup", tmp_path / f"new {number}", config)
        with opened(tmp_path / f"new {number}", config) as restored:
            assert verify(restored, agent.workspace_id).problems == ()


def test_a_flipped_byte_anywhere_is_refused(backup: Path, config: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    places = {*range(0, len(whole), 4999), *range(0, 600, 37), *range(len(whole) - 200, len(whole), 7)}
    for place in places:
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(Damaged, match="nothing was restored"):
            restore_backup(backup, tmp_path / "new", config)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("left", [0, 1, 90, 5000, -1, -91])
def test_a_backup_that_is_cut_short_is_refused(backup: Path, config: Path, tmp_path: Path, left: int) -> None:
    backup.write_bytes(backup.read_bytes()[:left])
    with pytest.raises(Damaged, match="cut short"):
        restore_backup(backup, tmp_path / "new", config)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "workspaces/../../evil.db", "config.toml"])
def test_a_member_of_another_name_is_refused(config: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "evil.backup"
    file.write_bytes(sealed(tar_of(**{name: b"evil"})))
    with pytest.raises(Damaged, match="none of its parts"):
        restore_backup(file, tmp_path / "new", config)
    assert not list(tmp_path.rglob("evil*.db"))
    assert not (tmp_path / "new").exists()


def test_a_member_that_is_no_plain_file_is_refused(config: Path, tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        told = tarfile.TarInfo("keys.json")
        told.type, told.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(told)
    (tmp_path / "link.backup").write_bytes(sealed(made.getvalue()))
    with pytest.raises(Damaged, match=r"none of its parts \(keys.json\)"):
        restore_backup(tmp_path / "link.backup", tmp_path / "new", config)


def test_members_that_differ_from_the_list_are_refused(config: Path, tmp_path: Path) -> None:
    listed = msgspec.json.encode(Manifest(1, "1.0", "2026-01-01T00:00:00Z", ()))
    (tmp_path / "more.backup").write_bytes(sealed(tar_of(**{"keys.json": b"{}", "manifest.json": listed})))
    with pytest.raises(Damaged, match="is damaged"):
        restore_backup(tmp_path / "more.backup", tmp_path / "new", config)


@pytest.mark.parametrize("content", [b"", b"no tar at all", tar_of(**{"manifest.json": b"{"})])
def test_what_is_sealed_but_no_backup_is_refused(config: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.backup").write_bytes(sealed(content))
    with pytest.raises(Damaged, match="is damaged"):
        restore_backup(tmp_path / "other.backup", tmp_path / "new", config)


def test_a_backup_of_a_newer_format_says_so(config: Path, tmp_path: Path) -> None:
    listed = msgspec.json.encode(Manifest(2, "9.0", "2030-01-01T00:00:00Z", ()))
    (tmp_path / "newer.backup").write_bytes(sealed(tar_of(**{"manifest.json": listed})))
    with pytest.raises(Unavailable, match=r"newer Commonplace \(9.0\)"):
        restore_backup(tmp_path / "newer.backup", tmp_path / "new", config)


def test_only_an_empty_directory_is_restored_into(backup: Path, data: Path, config: Path) -> None:
    before = sorted(data.rglob("*"))
    with pytest.raises(Conflict, match="is not empty"):
        restore_backup(backup, data, config)
    assert sorted(data.rglob("*")) == before


def test_an_existing_file_is_not_overwritten(app: App, backup: Path, data: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(Conflict, match="is there already"):
        write_backup(app, data, backup)
    assert backup.read_bytes() == before


def test_a_damaged_part_is_not_backed_up(app: App, agent: Caller, lived: Lived, data: Path, tmp_path: Path) -> None:
    app.db.engine.close()
    part = data / file_of(agent.workspace_id)
    content = part.read_bytes()
    part.write_bytes(content[: len(content) // 2] + bytes(4096) + content[len(content) // 2 + 4096 :])
    with pytest.raises(CommonplaceError, match="damaged"):
        write_backup(app, data, tmp_path / "no.backup")
    assert {path.name for path in tmp_path.iterdir()} == {"data", "config"}


def test_a_place_that_cannot_be_written_is_named(app: App, data: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be used"):
        write_backup(app, data, tmp_path / "nowhere" / "whole.backup")


def test_a_missing_backup_is_named(config: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"none.backup cannot be used \(No such file"):
        restore_backup(tmp_path / "none.backup", tmp_path / "new", config)


class TestPostgres:
    @pytest.fixture
    def engine_name(self) -> str:
        return "postgres"

    def test_it_is_left_to_its_own_tools(self, app: App, tmp_path: Path) -> None:
        with pytest.raises(Invalid, match="pg_dump"):
            write_backup(app, tmp_path, tmp_path / "no.backup")
        assert list(tmp_path.iterdir()) == []
