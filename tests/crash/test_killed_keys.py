"""A process that dies while it makes or changes keys leaves a store that opens."""

import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from children import PROCESSES, die, opened

from commonplace.auth import rekey
from commonplace.auth.keys import Keys
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.requests import Get, Store

FILE_EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.chmod"}


def keys_of(folder: Path) -> Keys:
    return Keys(folder / "data", folder / "config")


def trip(folder: Path, at: int) -> None:
    """Let this process die when it touches a file of the folder for the nth time."""
    touched = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal touched
        if event in FILE_EVENTS and str(arguments[0]).startswith(str(folder)):
            touched += 1
            if touched == at:
                die()

    sys.addaudithook(hook)


def start(folder: Path, at: int) -> None:
    trip(folder, at)
    with opened(folder):
        pass


def rotate(folder: Path, at: int) -> None:
    trip(folder, at)
    rekey.rotate(keys_of(folder))


def killed_at_every_touch(act: Callable[[Path, int], None], folders: Iterator[Path]) -> Iterator[Path]:
    """Let children die at their first touch of a file, at their second, until one comes through."""
    for at, folder in enumerate(folders, 1):
        process = PROCESSES.Process(target=act, args=(folder, at))
        process.start()
        process.join()
        yield folder
        if process.exitcode != -signal.SIGKILL:
            assert (process.exitcode, at > 5) == (0, True)
            return


@pytest.mark.slow
def test_a_store_opens_after_a_first_start_that_was_killed_anywhere(tmp_path: Path) -> None:
    for folder in killed_at_every_touch(start, (tmp_path / str(each) for each in count())):
        with opened(folder) as app:
            caller = local_caller(app, human=False)
            assert perform(app, caller, Store(text="The first words.")).chunk_ids
        keys_of(folder).verify()


def test_a_store_opens_after_a_rotation_that_was_killed_anywhere(tmp_path: Path) -> None:
    with opened(tmp_path) as app:
        caller = local_caller(app, human=False)
        stored = perform(app, caller, Store(text="What the key keeps."))
        phrases = {keys_of(tmp_path).recovery_phrase()}
        for _ in killed_at_every_touch(rotate, iter([tmp_path] * 100)):
            phrases.add(keys_of(tmp_path).recovery_phrase())
            keys_of(tmp_path).verify()
            with opened(tmp_path) as again:
                assert perform(again, caller, Get(id=stored.version_id)).text == "What the key keeps."
        assert len(phrases) > 2
        assert perform(app, caller, Get(id=stored.version_id)).text == "What the key keeps."
