"""What a write and a start may take, counted and never timed."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import apsw
import pytest
from children import PROCESSES, Fuse, opened, watch

from commonplace.auth.keys import Keys
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import Store
from commonplace.store.sqlite import SqliteConnection, file_of

WRITES = 40
STATEMENTS_MAX = 40
SAME_TITLE_MAX = 20
"""How many statements more the hundredth memory of one title may take: finding a free readable id."""

HEAVY = {"numpy", "onnxruntime", "tokenizers", "starlette", "uvicorn", "click", "jinja2", "rapidfuzz", "psycopg"}


Ran = list[tuple[str, Any]]


def record(raw: apsw.Connection, ran: Ran) -> None:
    """Keep every statement that a connection runs from now on."""

    def trace(_cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        ran.append((sql, bindings))
        return True

    raw.set_exec_trace(trace)


@pytest.fixture
def statements(sqlite_app: App) -> Ran:
    """What runs in the file of the workspace, from now on."""
    ran: Ran = []
    part = local_caller(sqlite_app, human=False).workspace_id
    with sqlite_app.db.engine.transaction(part, write=False) as connection:
        assert isinstance(connection, SqliteConnection)
    record(connection.raw, ran)
    return ran


def test_a_store_takes_a_bounded_number_of_statements(sqlite_app: App, statements: Ran) -> None:
    caller = local_caller(sqlite_app, human=False)
    for number in range(3):
        statements.clear()
        perform(sqlite_app, caller, Store(text=f"{number} things are on the list."))
    assert 0 < len(statements) <= STATEMENTS_MAX


def test_a_title_may_be_used_again_and_again(sqlite_app: App, statements: Ran) -> None:
    caller = local_caller(sqlite_app, human=False)
    slugs = []
    for number in range(100):
        statements.clear()
        slugs.append(perform(sqlite_app, caller, Store(text=f"Day {number}.", title="Standup")).slug)
    assert len(statements) <= STATEMENTS_MAX + SAME_TITLE_MAX
    assert [slug.rpartition("_")[2] for slug in slugs[1:]] == [str(number) for number in range(2, 101)]


def synchronised(folder: Path) -> tuple[int, int]:
    """How often the disk is waited for: by as many stores, and by their bare statements under the same cipher."""
    fuse = Fuse()
    watch(fuse)
    ran: Ran = []
    with opened(folder) as app:
        caller = local_caller(app, human=False)
        perform(app, caller, Store(text="The first is not counted."))
        app.db.engine.close()
        path = folder / "data" / file_of(caller.workspace_id)
        (folder / "copy.db").write_bytes(path.read_bytes())
        with app.db.engine.transaction(caller.workspace_id, write=False) as connection:
            assert isinstance(connection, SqliteConnection)
            raw = connection.raw
        record(raw, ran)
        before = fuse.counts["sync"]
        for number in range(WRITES):
            perform(app, caller, Store(text=f"Number {number} is counted."))
        ours = fuse.counts["sync"] - before
    raw = apsw.Connection(str(folder / "copy.db"))
    key = Keys(folder / "data", folder / "config").data_key(file_of(caller.workspace_id).as_posix())
    assert key is not None
    for statement in (f"PRAGMA key = 'raw:{key.hex()}'", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"):
        raw.execute(statement).fetchall()
    before = fuse.counts["sync"]
    for sql, bindings in ran:
        raw.execute(sql, bindings).fetchall()
    theirs = fuse.counts["sync"] - before
    raw.close()
    return ours, theirs


def test_a_write_waits_for_the_disk_as_often_as_its_bare_statements(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as pool:
        ours, theirs = pool.submit(synchronised, tmp_path).result()
    assert ours == theirs
    assert WRITES <= ours <= WRITES + 8


def test_a_session_on_stdio_imports_no_model_and_no_server() -> None:
    code = "import sys; import commonplace.mcp; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert HEAVY.isdisjoint(said), HEAVY.intersection(said)
