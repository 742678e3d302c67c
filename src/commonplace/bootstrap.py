"""The composition root: settings in, a working app out. The only place that picks adapters."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from commonplace.auth.keys import Keys
from commonplace.config import Settings
from commonplace.core.app import App
from commonplace.core.workspaces import create_workspace, list_workspaces
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Workspace
from commonplace.model.errors import Conflict
from commonplace.model.interval import Instant
from commonplace.retrieval.embed import default_embedder
from commonplace.store.connection import CONTROL, Engine
from commonplace.store.database import Database
from commonplace.store.sqlite import SqliteEngine

DEFAULT_WORKSPACE = "default"


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """The present in microseconds."""
        return Instant(time.time_ns() // 1000)


class RandomIds:
    """UUIDv7: milliseconds, then a counter so that one process never goes back, then random bits."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last = 0

    def new(self) -> str:
        """A fresh id, greater than every one before it."""
        with self._guard:
            stamp = max(time.time_ns() // 1_000_000 << 12, self._last + 1)
            self._last = stamp
        high = (stamp >> 12) << 16 | 0x7000 | (stamp & 0xFFF)
        low = 0x8000_0000_0000_0000 | int.from_bytes(os.urandom(8), "big") >> 2
        return str(UUID(int=high << 64 | low))


@contextmanager
def open_app(settings: Settings, passphrase: Callable[[], str] | None = None) -> Iterator[App]:
    """A working app over the store of the settings, made when there is none yet."""
    clock, ids = SystemClock(), RandomIds()
    engine = _engine(settings, passphrase)
    try:
        engine.prepare(CONTROL, create=True)
        app = App(
            Database(engine, clock, ids),
            clock,
            ids,
            default_embedder(threads=settings.embedder_threads),
            (DeterministicRewriter(),),
        )
        _first_workspace(app)
        yield app
    finally:
        engine.close()


def open_keys(settings: Settings, passphrase: Callable[[], str] | None = None) -> Keys:
    """The keys of the data directory."""
    return Keys(settings.data_dir, settings.config_dir, given=settings.key or None, passphrase=passphrase)


def _engine(settings: Settings, passphrase: Callable[[], str] | None) -> Engine:
    if settings.database != "sqlite":
        from commonplace.store.postgres import PostgresEngine

        return PostgresEngine(settings.database)
    keys = open_keys(settings, passphrase)
    keys.create(encrypted=settings.encryption != "off")
    return SqliteEngine(settings.data_dir, keys, encrypted=keys.status().encrypted)


def _first_workspace(app: App) -> Workspace:
    """The default workspace; of two processes at a first start one makes it and the other finds it."""
    found = list_workspaces(app)
    if found:
        return found[0]
    try:
        return create_workspace(app, DEFAULT_WORKSPACE)
    except Conflict:
        return list_workspaces(app)[0]
