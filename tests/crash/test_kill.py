"""A process that dies at any moment leaves everything it acknowledged, and nothing half done."""

import os
import random
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from children import PROCESSES, Told, listen, live, opened, says

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.requests import Store
from commonplace.operations.verify import verify, verify_control

SEED = 20261119
LIVES = 2


def child(folder: Path, *, lives: int | None = None, at: int = 0, plug: bool = False, after: int | None = None) -> Told:
    """Let a child write until it dies: at an operation, after a number of acknowledgements, or not at all."""
    hear, say = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=live, args=(folder, say, lives, at), kwargs={"plug": plug})
    process.start()
    say.close()
    told = listen(hear, Told(), after)
    if after is not None:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        told = listen(hear, told)
    process.join()
    hear.close()
    assert process.exitcode == (0 if told.operations else -signal.SIGKILL)
    return told


def check(folder: Path, told: Told) -> None:
    """What was acknowledged is there, the store is whole, and life goes on."""
    with opened(folder) as app:
        caller = local_caller(app, human=True)
        assert verify_control(app) == ()
        assert verify(app, caller.workspace_id).problems == ()
        for key in told.held:
            assert says(app, caller, key) in told.may_be(key), key
        assert perform(app, caller, Store(text="Life goes on.")).chunk_ids


def pull_out(folder: Path) -> None:
    """After a power failure the shared memory of the journal is gone too."""
    for path in folder.rglob("*-shm"):
        path.unlink()


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many operations on files the lives of a child take, the first start included."""
    folder = tmp_path_factory.mktemp("whole")
    told = child(folder, lives=LIVES)
    check(folder, told)
    return told.operations


def spread(number: int, operations: int) -> Sequence[int]:
    return [1 + operations * each // number for each in range(number)]


def test_killed_at_a_write_a_store_keeps_what_it_acknowledged(tmp_path: Path, operations: int) -> None:
    for at in spread(5, operations):
        check(tmp_path / str(at), child(tmp_path / str(at), lives=LIVES, at=at))


def test_a_power_failure_at_a_write_takes_nothing_that_was_acknowledged(tmp_path: Path, operations: int) -> None:
    for at in spread(4, operations):
        told = child(tmp_path / str(at), lives=LIVES, at=at, plug=True)
        pull_out(tmp_path / str(at))
        check(tmp_path / str(at), told)


def test_killed_between_writes_again_and_again_a_store_keeps_all(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for _ in range(4):
        check(tmp_path, child(tmp_path, after=chance.randrange(1, 14)))


@pytest.mark.slow
@pytest.mark.parametrize("plug", [False, True])
def test_killed_anywhere_a_store_keeps_what_it_acknowledged(tmp_path: Path, operations: int, *, plug: bool) -> None:
    chance = random.Random(SEED + plug)
    for at in sorted(chance.sample(range(1, operations + 1), 60)):
        told = child(tmp_path / str(at), lives=LIVES, at=at, plug=plug)
        if plug:
            pull_out(tmp_path / str(at))
        check(tmp_path / str(at), told)


@pytest.mark.slow
def test_one_store_outlives_many_children(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    held: dict[str, str | None] = {}
    for _ in range(40):
        told = child(tmp_path, after=chance.randrange(1, 30))
        check(tmp_path, told)
        held |= {key: text for key, text in told.held.items() if told.begun[0] != key}
    check(tmp_path, Told(held))
