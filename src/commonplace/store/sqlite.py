"""SQLite through apsw: one encrypted file per part, write-ahead logging, full synchronisation."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

from commonplace.model.errors import Conflict, Damaged, Unavailable
from commonplace.store.connection import CONTROL, Row
from commonplace.store.migrate import Kind, outstanding, statements
from commonplace.store.queries import SHELVES, queries

BUSY_MS = 60_000
CACHE_KIB = 16_384
IDLE_CONNECTIONS_MAX = 8
CHECKPOINT_MS = 6_000


class KeyStore(Protocol):
    """Where the keys of the files are kept."""

    def data_key(self, name: str) -> bytes | None:
        """The key of a file, made for a new one; None where nothing is encrypted."""

    def drop(self, name: str) -> object:
        """Let go of a key for good."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors into ours, each with what to do."""
    try:
        yield
    except apsw.NotADBError as error:
        raise Unavailable(
            f"{path.name} cannot be read with this key: use the key the store was made with, or restore a backup."
        ) from error
    except (apsw.CorruptError, apsw.TooBigError) as error:
        raise Damaged(f"{path.name} is damaged; restore a backup.") from error
    except apsw.FullError as error:
        raise Unavailable("The disk is full: nothing was written; free some space and try again.") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise Unavailable(
            f"{path.name} cannot be opened for writing: check the permissions of {path.parent}."
        ) from error
    except apsw.ConstraintError as error:
        raise Conflict("Another write came first; try again.") from error
    except apsw.BusyError as error:
        raise Unavailable("Another process has held the store for a minute; try again.") from error
    except apsw.IOError as error:
        raise Unavailable(f"{path.name} cannot be read or written ({error}): check the disk it is on.") from error
    except UnicodeDecodeError as error:
        raise Damaged(f"{path.name} holds text that is none; restore a backup.") from error


def file_of(part: str) -> Path:
    """Where a part lies inside the data directory."""
    return Path("control.db") if part == CONTROL else Path("workspaces") / f"{part}.db"


class SqliteConnection:
    """Runs named queries on one open file."""

    def __init__(self, path: Path, key: bytes | None) -> None:
        self.path = path
        self.queries = queries("sqlite")
        with translated(path):
            self.raw = _opened(path, key)
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


def _opened(path: Path, key: bytes | None) -> apsw.Connection:
    raw = apsw.Connection(str(path))
    raw.set_busy_timeout(BUSY_MS)
    if key is not None:
        raw.execute(f"PRAGMA key = 'raw:{key.hex()}'")
    return raw


def _as_mapping(cursor: apsw.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip((column[0] for column in cursor.description), row, strict=True))


def _bound(parameters: Row) -> Mapping[str, Any]:
    return {name: json.dumps(value) if isinstance(value, list | tuple) else value for name, value in parameters.items()}


class SqliteEngine:
    """The files of one data directory."""

    def __init__(self, folder: Path, keys: KeyStore, *, encrypted: bool) -> None:
        self.folder = folder
        self.location = str(folder)
        self.encrypted = encrypted
        self._keys = keys
        self._idle: dict[str, list[SqliteConnection]] = defaultdict(list)
        self._writing: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._prepared: set[str] = set()
        self._guard = threading.Lock()

    def path(self, part: str) -> Path:
        """The file of a part."""
        return self.folder / file_of(part)

    def _key(self, part: str) -> bytes | None:
        return self._keys.data_key(file_of(part).as_posix())

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
        if not _is_written(path) and (not create or self._has_lost(part)):
            raise _missing(path)
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
            erased = connection.one("erased", {}) or {"user_version": 0}
        self._prepared.add(part)
        if erased["user_version"]:
            self.clear_journal(part)

    def _has_lost(self, part: str) -> bool:
        """Whether it was there before: the control part is always made first."""
        return part == CONTROL and any(self.folder.glob("workspaces/*.db"))

    def drop(self, part: str) -> None:
        """Delete the files of a part, then its key: a copy that is left somewhere can be read by nobody."""
        with self._writing[part]:
            self._close(part)
            for suffix in ("", "-wal", "-shm"):
                self.path(part).with_name(self.path(part).name + suffix).unlink(missing_ok=True)
            self._keys.drop(file_of(part).as_posix())

    def clear_journal(self, part: str) -> bool:
        """Write the file anew without what was erased, then empty the journal, waiting for readers to end.

        What hinders it now is tried again when the part is opened next.
        """
        with self._writing[part], self._leased(part) as connection:
            try:
                _write_anew(connection)
                cleared = _truncated(connection)
            except Unavailable:
                return False
            if cleared:
                connection.plain("PRAGMA user_version = 0")
            return cleared

    def size_bytes(self, part: str) -> int:
        """The bytes of a part's file."""
        return self.path(part).stat().st_size

    def copy(self, part: str, path: Path) -> None:
        """Copy a part to a new file under the same key; in one step, so that it is of one moment."""
        if part not in self._prepared:
            self.prepare(part)
        with self._leased(part) as connection, translated(connection.path):
            target = _opened(path, self._key(part))
            try:
                with target.backup("main", connection.raw, "main") as running:
                    running.step(-1)
            finally:
                target.close()

    def check(self, part: str) -> list[str]:
        """Read every page of a part's file anew: its structure and, where it is encrypted, each page's seal."""
        path = self.path(part)
        if not _is_written(path):
            raise _missing(path)
        connection = SqliteConnection(path, self._key(part))
        try:
            with translated(path):
                rows = cast("list[Row]", connection.raw.execute("PRAGMA integrity_check").fetchall())
        finally:
            connection.raw.close()
        lines = [line for row in rows for line in row["integrity_check"].splitlines()]
        return [line for line in lines if line != "ok" and not line.startswith("***")]

    def versions(self) -> Mapping[str, str]:
        """SQLite with what we need of it: full text search and a cipher."""
        raw = apsw.Connection(":memory:")
        ciphers = cast("list[tuple[str]]", raw.execute("PRAGMA cipher").fetchall())
        raw.close()
        return {
            "SQLite": apsw.sqlite_lib_version(),
            "FTS5": "present" if "ENABLE_FTS5" in apsw.compile_options else "missing",
            "cipher": ciphers[0][0] if ciphers else "missing",
        }

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
        connection = connection or SqliteConnection(self.path(part), self._key(part))
        try:
            yield connection
        finally:
            with self._guard:
                keep = len(self._idle[part]) < IDLE_CONNECTIONS_MAX
                if keep:
                    self._idle[part].append(connection)
            if not keep:
                connection.raw.close()


def _is_written(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _missing(path: Path) -> Damaged:
    return Damaged(f"{path.name} is missing from {path.parent}, or empty; restore a backup.")


@contextmanager
def _bracket(connection: SqliteConnection, begin: str) -> Iterator[None]:
    connection.plain(begin)
    try:
        yield
        connection.plain("COMMIT")
    finally:
        if connection.raw.in_transaction:
            connection.plain("ROLLBACK")


def _write_anew(connection: SqliteConnection) -> None:
    """Merge each index and copy the file: index segments and pages keep bytes of rows that once stood there."""
    with _bracket(connection, "BEGIN IMMEDIATE"):
        for shelf in (f"{kind}_{shelf}" for kind in ("chunk", "fact") for shelf in SHELVES):
            connection.plain(f"INSERT INTO {shelf} ({shelf}) VALUES ('optimize')")
    # The copy is as large as the file; it is encrypted as the file is.
    connection.plain("PRAGMA temp_store = FILE")
    try:
        connection.plain("VACUUM")
    finally:
        connection.plain("PRAGMA temp_store = MEMORY")


def _truncated(connection: SqliteConnection) -> bool:
    """Whether the journal could be emptied before readers had been waited for too long."""
    connection.raw.set_busy_timeout(CHECKPOINT_MS)
    try:
        with translated(connection.path):
            outcome = cast("list[Row]", connection.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    finally:
        connection.raw.set_busy_timeout(BUSY_MS)
    return bool(outcome) and not outcome[0]["busy"]
