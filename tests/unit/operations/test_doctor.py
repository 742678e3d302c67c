import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec
import pytest

from commonplace.auth.keys import Keys
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import Store
from commonplace.model.errors import Unavailable
from commonplace.model.interval import DAY
from commonplace.operations.doctor import Check, examine
from support import FakeClock


class Broken(AbstractContextManager[App]):
    """A store that does not open."""

    def __enter__(self) -> App:
        raise Unavailable("The master key is missing.")

    def __exit__(self, *_: object) -> None:
        raise AssertionError("it was never entered")


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "data", tmp_path / "config")


def named(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_healthy_store_is_all_well(sqlite_app: App, keys: Keys, tmp_path: Path) -> None:
    checks = examine(tmp_path / "data", keys, nullcontext(sqlite_app))
    assert [check for check in checks if not check.ok] == []
    said = named(checks)
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in said["python"].says
    assert {"commonplace", "model", "disk", "fsync", "SQLite", "FTS5", "cipher", "clock"} <= said.keys()
    assert str(tmp_path / "config") in said["key"].says
    assert "opens 2 files" in said["key"].says
    assert said["encryption"].says == "The store is encrypted, each file under a key of its own."
    assert said["workspaces"].says == "There is 1 workspace, with its file."
    assert msgspec.json.decode(msgspec.json.encode(checks), type=list[Check]) == checks
    assert {path.name for path in (tmp_path / "data").iterdir()} <= {
        *("control.db", "control.db-shm", "control.db-wal", "keys.json", "keys.lock", "workspaces")
    }


def test_an_install_without_a_store_says_how_to_make_one(tmp_path: Path) -> None:
    said = named(examine(tmp_path / "not yet", None, None))
    assert "`commonplace serve` makes one" in said["store"].says
    assert said["store"].ok
    assert not (tmp_path / "not yet").exists()


def test_a_store_that_does_not_open_says_why(sqlite_app: App, keys: Keys, tmp_path: Path) -> None:
    said = named(examine(tmp_path / "data", keys, Broken()))
    assert said["store"] == Check("store", ok=False, says="The master key is missing.")


def test_a_missing_master_key_is_named(sqlite_app: App, tmp_path: Path) -> None:
    said = named(examine(tmp_path / "data", Keys(tmp_path / "data", tmp_path / "elsewhere"), Broken()))
    assert not said["key"].ok
    assert "The master key of this store is missing" in said["key"].says


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    said = named(examine(Path("/proc"), None, None))
    assert not said["data directory"].ok
    assert "cannot be written" in said["data directory"].says


def test_a_clock_before_the_last_event_is_named(sqlite_app: App, keys: Keys, clock: FakeClock, tmp_path: Path) -> None:
    perform(sqlite_app, local_caller(sqlite_app, human=True), Store(text="Now."))
    clock.advance(-DAY)
    said = named(examine(tmp_path / "data", keys, nullcontext(sqlite_app)))
    assert not said["clock"].ok
    assert "set it right" in said["clock"].says


def test_a_file_that_no_workspace_has_is_named(sqlite_app: App, keys: Keys, tmp_path: Path) -> None:
    orphan = sqlite_app.ids.new()
    sqlite_app.db.create_workspace(orphan)
    said = named(examine(tmp_path / "data", keys, nullcontext(sqlite_app)))
    assert not said["workspaces"].ok
    assert f"workspaces/{orphan}.db" in said["workspaces"].says


def test_a_workspace_without_its_file_is_named(sqlite_app: App, keys: Keys, tmp_path: Path) -> None:
    caller = local_caller(sqlite_app, human=True)
    sqlite_app.db.engine.close()
    (tmp_path / "data" / "workspaces" / f"{caller.workspace_id}.db").unlink()
    said = named(examine(tmp_path / "data", keys, nullcontext(sqlite_app)))
    assert not said["workspaces"].ok
    assert "restore a backup" in said["workspaces"].says
    assert "is missing from" in said["store"].says


class TestPostgres:
    @pytest.fixture
    def engine_name(self) -> str:
        return "postgres"

    def test_it_tells_its_versions_and_that_it_does_not_encrypt(self, app: App, tmp_path: Path) -> None:
        checks = examine(tmp_path, None, nullcontext(app))
        said = named(checks)
        assert [check for check in checks if not check.ok] == []
        assert {"PostgreSQL", "pgvector"} <= said.keys()
        assert "encrypt the server's disk" in said["encryption"].says
