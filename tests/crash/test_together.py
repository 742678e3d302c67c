"""Many writers at once: every write is kept, and none of them hears of the others."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from children import PROCESSES, opened

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.requests import List, Store
from commonplace.core.workspaces import list_workspaces
from commonplace.operations.verify import verify
from support import Postgres

WRITERS = 4
WRITES = 250
THREADS = 8
WRITES_OF_A_THREAD = 50


def write(folder: Path, settings: dict[str, Any], writes: int, writer: int) -> int:
    """What one process does: open the store and write."""
    with opened(folder, **settings) as app:
        caller = local_caller(app, human=False)
        for number in range(writes):
            perform(app, caller, Store(text=f"Writer {writer} keeps number {number}."))
    return writer


def write_at_once(folder: Path, settings: dict[str, Any], writes: int) -> None:
    """Let several processes write, from their first start on; an error of any is an error here."""
    with ProcessPoolExecutor(WRITERS, mp_context=PROCESSES) as pool:
        assert list(pool.map(partial(write, folder, settings, writes), range(WRITERS))) == list(range(WRITERS))


def check(folder: Path, settings: dict[str, Any], writes: int) -> None:
    """Everything is there once, in one workspace with an unbroken chain."""
    with opened(folder, **settings) as app:
        assert [each.name for each in list_workspaces(app)] == ["default"]
        caller = local_caller(app, human=True)
        assert verify(app, caller.workspace_id).problems == ()
        titles = [each.version.title for each in perform(app, caller, List(limit=writes + 1))]
        assert len(titles) == len(set(titles)) == writes


@pytest.mark.slow
def test_four_processes_write_a_thousand_memories_at_once(tmp_path: Path) -> None:
    write_at_once(tmp_path, {}, WRITES)
    check(tmp_path, {}, WRITERS * WRITES)


@pytest.mark.slow
def test_four_processes_write_a_thousand_memories_at_once_on_postgresql(tmp_path: Path, postgres: Postgres) -> None:
    postgres.emptied()
    settings = {"database": postgres.address}
    write_at_once(tmp_path, settings, WRITES)
    check(tmp_path, settings, WRITERS * WRITES)


def test_of_four_processes_at_the_first_start_none_fails(tmp_path: Path) -> None:
    write_at_once(tmp_path, {}, 2)
    check(tmp_path, {}, WRITERS * 2)


@pytest.mark.slow
def test_of_four_processes_at_the_first_start_on_postgresql_none_fails(tmp_path: Path, postgres: Postgres) -> None:
    postgres.admin.execute("CREATE DATABASE together")
    settings = {"database": postgres.address.replace("/postgres?", "/together?")}
    write_at_once(tmp_path, settings, 2)
    check(tmp_path, settings, WRITERS * 2)
    postgres.admin.execute("DROP DATABASE together")


def test_eight_threads_write_through_one_app(tmp_path: Path) -> None:
    with opened(tmp_path) as app:
        caller = local_caller(app, human=False)

        def life(writer: int) -> None:
            for number in range(WRITES_OF_A_THREAD):
                perform(app, caller, Store(text=f"Thread {writer} keeps number {number}."))

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(life, range(THREADS)))
    check(tmp_path, {}, THREADS * WRITES_OF_A_THREAD)
