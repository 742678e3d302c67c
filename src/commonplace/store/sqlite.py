"""SQLite through apsw: one encrypted file per part, write-ahead logging, full synchronisation."""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import apsw

from commonplace.model.errors import Damaged, Unavailable
from commonplace.store.connection import CONTROL, Row
from commonplace.store.migrate import Kind, outstanding, statements
from commonplace.store.queries import queries

BUSY_MS = 60_000
CACHE_KIB = 16_384
IDLE_CONNECTIONS_MAX = 8
CHECKPOINT_TRIES = 120
CHECKPOINT_PAUSE_S = 0.05

KeyOf = Callable[[str], bytes | None]


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors into ours, each with what to do."""
    try:
        yield
    except apsw.NotADBError as error:
        raise Unavailable(
            f"{path.name} cannot be read with this key: use the key the store was made with, or restore a backup."
        ) from error
    except apsw.CorruptError as error:
        raise Damaged(f"{path.name} is damaged; restore a backup.") from error
    except apsw.FullError as error:
        raise Unavailable("The disk is full: nothing was written; free some space and try again.") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise Unavailable(
            f"{path.name} cannot be opened for writing: check the permissions of {path.parent}."
        ) from error
    except apsw.BusyError as error:
        raise Unavailable("Another process has held the store for a minute; try again.") from error
    except apsw.IOError as error:
        raise Unavailable(f"{path.name} cannot be read or written ({error}): check the disk it is on.") from error


def file_of(part: str) -> Path:
    """Where a part lies inside the data directory."""
    return Path("control.db") if part == CONTROL else Path("workspaces") / f"{part}.db"


class SqliteConnection:
    """Runs named queries on one open file."""

    def __init__(self, path: Path, key: bytes | None) -> None:
        self.path = path
        self.queries = queries("sqlite")
        with translated(path):
            self.raw = apsw.Connection(str(path))
        self.raw.set_busy_timeout(BUSY_MS)
        if key is not None:
            self.plain(f"PRAGMA key = 'raw:{key.hex()}'")
        self.plain("PRAGMA journal_mode = WAL")
        self.plain("PRAGMA synchronous = FULL")
        self.plain("PRAGMA secure_delete = ON")
        self.plain("PRAGMA temp_store = MEMORY")
        self.plain(f"PRAGMA cache_size = -{CACHE_KIB}")
        self.raw.row_trace = _as_mapping

    def run(self, query: str, parameters: Row) -> int:
        """Run a query and tell how many rows it changed."""
        with translated(self.path):
            before = self.raw.total_changes()
            self.raw.execute(self.queries[query], _bound(parameters)).fetchall()
            return self.raw.total_changes() - before

    def many(self, query: str, parameters: Iterable[Row]) -> None:
        """Run a query once per set of parameters."""
        with translated(self.path):
            self.raw.executemany(self.queries[query], [_bound(each) for each in parameters]).fetchall()

    def one(self, query: str, parameters: Row) -> Row | None:
        """The first row, or None."""
        rows = self.all(query, parameters)
        return rows[0] if rows else None

    def all(self, query: str, parameters: Row) -> list[Row]:
        """Every row."""
        with translated(self.path):
            return cast("list[Row]", self.raw.execute(self.queries[query], _bound(parameters)).fetchall())

    def plain(self, statement: str) -> None:
        """Run a statement of the schema or of a transaction."""
        with translated(self.path):
            self.raw.execute(statement).fetchall()


def _as_mapping(cursor: apsw.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip((column[0] for column in cursor.description), row, strict=True))


def _bound(parameters: Row) -> Mapping[str, Any]:
    return {name: json.dumps(value) if isinstance(value, list | tuple) else value for name, value in parameters.items()}


class SqliteEngine:
    """The files of one data directory."""

    def __init__(self, folder: Path, key_of: KeyOf, *, encrypted: bool) -> None:
        self.folder = folder
        self.location = str(folder)
        self.encrypted = encrypted
        self._key_of = key_of
        self._idle: dict[str, list[SqliteConnection]] = defaultdict(list)
        self._writing: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._prepared: set[str] = set()
        self._guard = threading.Lock()

    def path(self, part: str) -> Path:
        """The file of a part."""
        return self.folder / file_of(part)

    @contextmanager
    def transaction(self, part: str, *, write: bool) -> Iterator[SqliteConnection]:
        """One transaction; writers of this process queue here, those of others at the file."""
        if part not in self._prepared:
            self.prepare(part)
        if not write:
            with self._leased(part) as connection, _bracket(connection, "BEGIN"):
                yield connection
            return
        with self._writing[part], self._leased(part) as connection, _bracket(connection, "BEGIN IMMEDIATE"):
            yield connection

    def prepare(self, part: str, *, create: bool = False) -> None:
        """Bring a part's tables up to date; only a part that is asked for as new is made."""
        path = self.path(part)
        if not create and not path.exists():
            raise Damaged(f"{path.name} is missing from {path.parent}; restore a backup.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Unavailable(f"{path.parent} cannot be made: check its permissions.") from error
        kind: Kind = "control" if part == CONTROL else "store"
        with self._leased(part) as connection, _bracket(connection, "BEGIN IMMEDIATE"):
            connection.run("make_migration", {})
            applied = connection.one("applied_migration", {"kind": kind}) or {"number": 0}
            for step in outstanding(kind, "sqlite", applied["number"] or 0, path.name):
                for statement in statements(step.sql):
                    connection.plain(statement)
                connection.run("insert_migration", {"kind": kind, "number": step.number, "name": step.name})
        self._prepared.add(part)

    def drop(self, part: str) -> None:
        """Delete the files of a part."""
        with self._writing[part]:
            self._close(part)
            for suffix in ("", "-wal", "-shm"):
                self.path(part).with_name(self.path(part).name + suffix).unlink(missing_ok=True)

    def clear_journal(self, part: str) -> bool:
        """Checkpoint and empty the journal, waiting for readers to end."""
        with self._writing[part], self._leased(part) as connection:
            connection.raw.set_busy_timeout(0)
            try:
                return any(_truncated(connection) for _ in range(CHECKPOINT_TRIES))
            finally:
                connection.raw.set_busy_timeout(BUSY_MS)

    def size_bytes(self, part: str) -> int:
        """The bytes of a part's file."""
        return self.path(part).stat().st_size

    def close(self) -> None:
        """Close every idle connection."""
        for part in list(self._idle):
            self._close(part)

    def _close(self, part: str) -> None:
        with self._guard:
            idle = self._idle.pop(part, [])
            self._prepared.discard(part)
        for connection in idle:
            connection.raw.close()

    @contextmanager
    def _leased(self, part: str) -> Iterator[SqliteConnection]:
        with self._guard:
            idle = self._idle[part]
            connection = idle.pop() if idle else None
        connection = connection or SqliteConnection(self.path(part), self._key_of(part))
        try:
            yield connection
        finally:
            with self._guard:
                keep = len(self._idle[part]) < IDLE_CONNECTIONS_MAX
                if keep:
                    self._idle[part].append(connection)
            if not keep:
                connection.raw.close()


@contextmanager
def _bracket(connection: SqliteConnection, begin: str) -> Iterator[None]:
    connection.plain(begin)
    try:
        yield
        connection.plain("COMMIT")
    finally:
        if connection.raw.in_transaction:
            connection.plain("ROLLBACK")


def _truncated(connection: SqliteConnection) -> bool:
    with translated(connection.path):
        outcome = cast("list[Row]", connection.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    if outcome and not outcome[0]["busy"]:
        return True
    time.sleep(CHECKPOINT_PAUSE_S)
    return False
