"""What the engine costs besides the model and the disk: `python bench/cost.py`, about a minute, in a temporary folder.

Rounds of what is compared stand between one another, and the median of the rounds is told, so that whatever else the
machine does falls on both.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import numpy as np

from commonplace.bootstrap import open_app, open_keys
from commonplace.config import Settings, load
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import Forget, List, Store
from commonplace.store.sqlite import file_of

ROUNDS = 7
STORES = 100
CHARACTERS = 400
LARGE_BYTES = 200_000_000
LARGE_CHARACTERS = 2_000

WORDS = [
    f"{first}{middle}{last}" for first in ("gar", "mel", "tor") for middle in ("an", "id", "ol") for last in "aeiou"
]
IMPORTS = ("apsw", "msgspec", "commonplace.mcp")
OPEN = """
from commonplace.bootstrap import open_app
from commonplace.config import load
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.requests import List
settings = load({"data_dir": sys.argv[1] + "/data", "config_dir": sys.argv[1] + "/config"}, {}).settings
start = time.process_time()
with open_app(settings) as app:
    perform(app, local_caller(app, human=False), List(limit=1))
    print(time.process_time() - start)
"""


class NoModel:
    """An embedder that costs nothing: what is measured is what stands around it."""

    name = "none"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> Any:
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, np.float32)

    def centred(self, vectors: Any) -> Any:
        return vectors


class Counted(apsw.VFSFile):
    """A file below the cipher that counts how often it is synchronised."""

    syncs = 0

    def __init__(self, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802 the name is SQLite's
        Counted.syncs += 1
        super().xSync(flags)


class Counting(apsw.VFS):
    """The system's files, counted."""

    def __init__(self) -> None:
        super().__init__("counting", "unix")

    def xOpen(self, name: Any, flags: list[int]) -> Counted:  # noqa: N802
        return Counted(name, flags)


@contextmanager
def opened(folder: Path) -> Iterator[tuple[App, Settings]]:
    settings = load({"data_dir": folder / "data", "config_dir": folder / "config"}, {}).settings
    with open_app(settings) as app:
        yield replace(app, embedder=NoModel()), settings


def texts(number: int, characters: int, first: int = 0) -> list[str]:
    """Texts that are not the same twice."""
    made = []
    for each in range(first, first + number):
        words = [WORDS[(each * place + place) % len(WORDS)] for place in range(1, characters // 7)]
        made.append(f"{each} {' '.join(words)}"[:characters])
    return made


def store(app: App, said: Sequence[str]) -> None:
    caller = local_caller(app, human=False)
    for text in said:
        perform(app, caller, Store(text=text))


def raw_of(app: App, part: str) -> apsw.Connection:
    """The connection that the engine uses for a workspace while nobody else does."""
    with app.db.engine.transaction(part, write=False) as connection:
        return connection.raw  # type: ignore[attr-defined, no-any-return]


def recorded(app: App, part: str, said: Sequence[str]) -> list[tuple[str, Any]]:
    """Every statement that storing these texts runs in the workspace's file."""
    ran: list[tuple[str, Any]] = []

    def trace(_cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        ran.append((sql, bindings))
        return True

    raw = raw_of(app, part)
    raw.set_exec_trace(trace)
    store(app, said)
    raw.set_exec_trace(None)
    return ran


def bare(path: Path, key: bytes) -> apsw.Connection:
    """The same file under the same cipher, and nothing of ours above it."""
    connection = apsw.Connection(str(path))
    for statement in (
        f"PRAGMA key = 'raw:{key.hex()}'",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA secure_delete = ON",
        "PRAGMA temp_store = MEMORY",
        "PRAGMA cache_size = -16384",
    ):
        connection.execute(statement).fetchall()
    return connection


def run(connection: apsw.Connection, statements: Sequence[tuple[str, Any]]) -> None:
    for sql, bindings in statements:
        connection.execute(sql, bindings).fetchall()


Round = tuple[float, float, int]


def measured(act: Callable[[], None]) -> Round:
    """Processor seconds, seconds on the clock, and synchronisations."""
    syncs, cpu, clock = Counted.syncs, time.process_time(), time.perf_counter()
    act()
    return time.process_time() - cpu, time.perf_counter() - clock, Counted.syncs - syncs


def writes(folder: Path, each: int) -> tuple[Round, Round, int]:
    """One round of storing through the core, and of the same statements without it; and how many those are."""
    copied = folder.parent / "copy"
    ran: list[tuple[str, Any]] = []
    with opened(folder) as (app, settings):
        part = local_caller(app, human=False).workspace_id
        store(app, texts(10, CHARACTERS, first=10_000 + each * 1000))
        app.db.engine.close()
        shutil.copytree(folder, copied)
        said = texts(STORES, CHARACTERS, first=each * STORES)
        ours = measured(lambda: ran.extend(recorded(app, part, said)))
        key = open_keys(settings).data_key(file_of(part).as_posix())
    assert key is not None, "a store is encrypted unless it is asked not to be"
    connection = bare(copied / "data" / file_of(part), key)
    theirs = measured(lambda: run(connection, ran))
    connection.close()
    shutil.rmtree(copied)
    return ours, theirs, len(ran) // STORES


def child(code: str, *arguments: str) -> float:
    """What a process of its own prints; compiled modules are kept, as they are in an install."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", f"import sys, time\n{code}", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout or 0)


def imports(module: str) -> float:
    return child(f"start = time.process_time()\nimport {module}\nprint(time.process_time() - start)")


def fill(folder: Path) -> int:
    """A store of 200 MB; only here the disk is not waited for."""
    with opened(folder) as (app, _):
        part = local_caller(app, human=False).workspace_id
        raw_of(app, part).execute("PRAGMA synchronous = OFF").fetchall()
        first = 0
        while app.db.engine.size_bytes(part) < LARGE_BYTES:
            store(app, texts(200, LARGE_CHARACTERS, first))
            first += 200
        return app.db.engine.size_bytes(part)


def forget_one(folder: Path) -> None:
    """Erase one memory; the whole file is written anew for it."""
    with opened(folder) as (app, _):
        caller = local_caller(app, human=False)
        newest = perform(app, caller, List(limit=1))[0]
        assert perform(app, caller, Forget(ids=(newest.version.id,))).journal_clear


def middle(rounds: Sequence[Sequence[float]], column: int) -> float:
    return median(each[column] for each in rounds)


def tell(what: str, value: float, unit: str, target: str = "") -> None:
    print(f"{what:<58}{value:>10.2f} {unit:<6}{target}")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for module in IMPORTS:
            imports(module)
        taken = [[imports(module) * 1000 for module in IMPORTS] for _ in range(ROUNDS)]
        for place, module in enumerate(IMPORTS):
            tell(f"import {module}: CPU", middle(taken, place), "ms", "at most 150" if "mcp" in module else "")

        ours, theirs, statements = zip(*(writes(folder / "small", each) for each in range(ROUNDS)), strict=True)
        tell(f"a memory of {CHARACTERS} characters: CPU", middle(ours, 0) / STORES * 1000, "ms", "at most 3")
        tell("  the same statements by apsw alone: CPU", middle(theirs, 0) / STORES * 1000, "ms")
        tell("  statements", median(statements), "")
        tell("  memories a second", STORES / middle(ours, 1), "/s")
        tell("  the same statements by apsw alone", STORES / middle(theirs, 1), "/s")

        kept = Counting()
        apsw.Connection(":memory:", vfs="multipleciphers-counting").close()
        apsw.set_default_vfs("multipleciphers-counting")
        ours, theirs, _ = zip(*(writes(folder / "counted", each) for each in range(ROUNDS)), strict=True)
        tell("  synchronisations of the disk", middle(ours, 2) / STORES, "each", "as many as alone")
        tell("  the same statements by apsw alone", middle(theirs, 2) / STORES, "each")
        apsw.set_default_vfs("multipleciphers-unix")
        del kept

        large = fill(folder / "large")
        with opened(folder / "none"):
            pass
        cpu, clock, _ = measured(lambda: forget_one(folder / "large"))
        tell(f"forgetting one memory of {large // 1_000_000} MB: CPU", cpu * 1000, "ms")
        tell("  on the clock", clock * 1000, "ms")
        both = [(child(OPEN, str(folder / "large")), child(OPEN, str(folder / "none"))) for _ in range(ROUNDS)]
        tell(f"opening a store of {large // 1_000_000} MB: CPU", middle(both, 0) * 1000, "ms", "less than 100")
        tell("  an empty one", middle(both, 1) * 1000, "ms")


if __name__ == "__main__":
    main()
