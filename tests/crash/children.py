"""Child processes that write, tell what is acknowledged, and die in the middle of it."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apsw

from commonplace.bootstrap import open_app
from commonplace.config import load
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    Apply,
    AssertFact,
    CorrectFact,
    FactsAbout,
    Forget,
    Get,
    Propose,
    Store,
    Supersede,
)
from commonplace.model.access import Caller
from commonplace.model.errors import NotFound
from support import HashEmbedder

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["commonplace.bootstrap", "commonplace.store.postgres", "numpy"])


@contextmanager
def opened(folder: Path, **settings: object) -> Iterator[App]:
    """The app over a folder, opened as the program opens it, but for the model."""
    given = {"data_dir": folder / "data", "config_dir": folder / "config", **settings}
    with open_app(load(given, {}).settings) as app:
        yield replace(app, embedder=HashEmbedder())


def die() -> None:
    """End as `kill -9` ends a process."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class Fuse:
    """Burns through at the nth operation on the store's files, and does then what it is made for."""

    at: int = 0
    blow: Callable[[], None] = die
    counts: dict[str, int] = field(default_factory=lambda: {"write": 0, "sync": 0, "truncate": 0})
    files: list["Watched"] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many operations there were so far."""
        return sum(self.counts.values())

    def pull_the_plug(self) -> None:
        """Die and lose what the system had not been told to keep, as when the power fails."""
        for file in self.files:
            file.lose()
        die()

    def count(self, operation: str) -> bool:
        """Count an operation; whether it is the one."""
        self.counts[operation] += 1
        return self.total == self.at


class Watched(apsw.VFSFile):
    """A file below the cipher: whole operations before the fuse burns through, and half of the one where it does."""

    def __init__(self, fuse: Fuse, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self.path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or os.devnull)
        self.fuse = fuse
        self.unsynced: list[tuple[int, bytes, int]] = []
        fuse.files.append(self)

    def lose(self) -> None:
        """Put back what was there when it was last synchronised."""
        if self.unsynced and self.path.exists():
            with self.path.open("r+b") as file:
                for offset, before, size in reversed(self.unsynced):
                    file.seek(offset)
                    file.write(before)
                    file.truncate(size)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 the name is SQLite's
        self._remember(offset, len(data))
        if self.fuse.count("write"):
            super().xWrite(data[: len(data) // 2], offset)
            self.fuse.blow()
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._remember(size, self.xFileSize() - size)
        if self.fuse.count("truncate"):
            self.fuse.blow()
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self.fuse.count("sync"):
            self.fuse.blow()
        super().xSync(flags)
        self.unsynced.clear()

    def _remember(self, offset: int, length: int) -> None:
        size = self.xFileSize()
        before = self.xRead(min(length, max(0, size - offset)), offset) if offset < size else b""
        self.unsynced.append((offset, before, size))


WATCHES: list["Watch"] = []
"""They must outlive the files that they opened."""


class Watch(apsw.VFS):
    """The system's files, watched."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__("watch", "unix")
        self.fuse = fuse

    def xOpen(self, name: Any, flags: list[int]) -> Watched:  # noqa: N802
        return Watched(self.fuse, name, flags)


def watch(fuse: Fuse) -> None:
    """Put a fuse under every store that this process opens from now on."""
    WATCHES.append(Watch(fuse))
    apsw.Connection(":memory:", vfs="multipleciphers-watch").close()
    apsw.set_default_vfs("multipleciphers-watch")


@dataclass
class Told:
    """What a child said: what it holds for sure, and the one thing it may or may not have done."""

    held: dict[str, str | None] = field(default_factory=dict)
    begun: tuple[str, str | None] = ("", None)
    operations: int = 0

    def may_be(self, key: str) -> set[str | None]:
        """What a thing may say after the child is gone."""
        return {self.held[key]} | ({self.begun[1]} if self.begun[0] == key else set())


def listen(pipe: Connection, told: Told, enough: int | None = None) -> Told:
    """Take in what a child says, to its end or up to a number of acknowledgements."""
    heard = 0
    while heard != enough:
        try:
            what, key, text = pipe.recv()
        except EOFError:
            return told
        if what == "will":
            told.begun = (key, text)
        elif what == "did":
            told.held[key], told.begun = text, ("", None)
            heard += 1
        else:
            told.operations = text
    return told


def live(folder: Path, pipe: Connection, lives: int | None, at: int, *, plug: bool) -> None:
    """What a child does: it opens the store, made when there is none, and writes one life after another."""
    fuse = Fuse(at)
    if plug:
        fuse.blow = fuse.pull_the_plug
    watch(fuse)
    with opened(folder) as app:
        writer = Writer(app, local_caller(app, human=False), pipe)
        for number in range(lives) if lives else count():
            writer.live(f"marten{os.getpid()}x{number}")
    pipe.send(("end", "", fuse.total))


@dataclass
class Writer:
    """Says what it will write, writes it, and says what it wrote: one line before and one after each promise."""

    app: App
    caller: Caller
    pipe: Connection

    def live(self, name: str) -> None:
        """Every kind of write, each once, about one name."""
        first = self.store(f"The endpoint of {name} is the first.")
        second = self.perform("memory:", Supersede(id=first, text=f"The endpoint of {name} is /v1/search."), "new_id")
        chunk = perform(self.app, self.caller, Get(id=second)).chunk_ids[0]
        asked = Propose(chunk_id=chunk, proposal="The endpoint changed from /v1/search to /v2/query.")
        shown = perform(self.app, self.caller, asked)
        self.promise(f"memory:{second}", shown.proposed, lambda: perform(self.app, self.caller, Apply(id=shown.id)))
        stated = AssertFact(subject=name, predicate="lives_in", value="Berlin")
        fact = self.promise(f"entity:{name}", "Berlin", lambda: perform(self.app, self.caller, stated))
        changed = CorrectFact(id=fact.id, value="Paris")
        self.promise(f"entity:{name}", "Paris", lambda: perform(self.app, self.caller, changed))
        doomed = self.store(f"Nobody shall know where {name} sleeps.")
        self.promise(f"memory:{doomed}", None, lambda: perform(self.app, self.caller, Forget(ids=(doomed,))))

    def store(self, text: str) -> str:
        """Keep a text; the id of its version."""
        return self.perform("memory:", Store(text=text), "version_id")

    def perform(self, kind: str, request: Store | Supersede, made: str) -> str:
        """Write something new, whose name is known only afterwards."""
        self.pipe.send(("will", "", None))
        new = str(getattr(perform(self.app, self.caller, request), made))
        self.pipe.send(("did", kind + new, request.text))
        return new

    def promise(self, key: str, text: str | None, act: Callable[[], Any]) -> Any:
        """Change what a key says."""
        self.pipe.send(("will", key, text))
        done = act()
        self.pipe.send(("did", key, text))
        return done


def says(app: App, caller: Caller, key: str) -> str | None:
    """What the store says now of something that a child wrote."""
    kind, _, name = key.partition(":")
    if kind == "entity":
        facts = perform(app, caller, FactsAbout(entity=name))
        return ", ".join(str(fact.value) for fact in facts) or None
    try:
        return str(perform(app, caller, Get(id=name)).text)
    except NotFound:
        return None
