"""What tests share: a clock, ids and an embedder that repeat themselves, and an app on either engine."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

import psycopg

from commonplace.auth.keys import Keys
from commonplace.core.app import App
from commonplace.core.workspaces import create_workspace
from commonplace.model.access import Caller
from commonplace.model.interval import DAY, SECOND, Instant
from commonplace.store.connection import CONTROL, Engine
from commonplace.store.database import Database
from commonplace.store.postgres import FIND_TABLES, SCHEMA, PostgresConnection, PostgresEngine
from commonplace.store.sqlite import SqliteConnection, SqliteEngine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = Instant(20_000 * DAY)
FIRST_ID_MS = START // 1000
SECRET = bytes(32)
DIMENSIONS = 384
PARTS_OF_A_WORD = 8


class FakeClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, at: Instant = START) -> None:
        self.at = at

    def now(self) -> Instant:
        """The present of the test."""
        return self.at

    def advance(self, microseconds: int = SECOND) -> Instant:
        """Let time pass; negative sets the clock back."""
        self.at = Instant(self.at + microseconds)
        return self.at


class CountingIds:
    """UUIDv7s that count: two runs of one history make the same ids in the same order."""

    def __init__(self) -> None:
        self.made = 0

    def new(self) -> str:
        """The next id, greater than every one before it."""
        self.made += 1
        stamp = FIRST_ID_MS + (self.made >> 12)
        return str(UUID(int=stamp << 80 | 0x7000 << 64 | (self.made & 0xFFF) << 64 | 0b10 << 62 | self.made))


class HashEmbedder:
    """A bag of hashed words: equal words pull vectors together, and no model is loaded."""

    name = "hashed-words-1"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One unit vector per text, as rows in order."""
        import numpy as np

        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1  # a text without words has a direction too
            for word in text.casefold().split():
                for place, sign in places(word):
                    row[place] += sign
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def centred(self, vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The same: hashed words spread evenly."""
        return vectors


@cache
def places(word: str) -> tuple[tuple[int, float], ...]:
    """The few dimensions of a word, each with a sign."""
    digest = hashlib.blake2b(word.encode(), digest_size=2 * PARTS_OF_A_WORD).digest()
    pairs = [int.from_bytes(digest[at : at + 2], "big") for at in range(0, len(digest), 2)]
    return tuple((pair % DIMENSIONS, 1.0 if pair >> 15 else -1.0) for pair in pairs)


class Postgres:
    """A real server of this test process, emptied between tests."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.engine = PostgresEngine(address)
        self.admin = psycopg.connect(address, autocommit=True)
        self.admin.execute(FIND_TABLES)
        tables = self.admin.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s AND table_name <> 'migration'",
            (SCHEMA,),
        )
        self._empty = "; ".join(f"DELETE FROM {row[0]}" for row in tables).encode()

    def emptied(self) -> Engine:
        """The engine with nothing in it; as a superuser one may delete past every policy."""
        self.admin.execute(self._empty, prepare=False)
        return self.engine

    def close(self) -> None:
        """Let go of every connection."""
        self.admin.close()
        self.engine.close()


def sqlite_engine(folder: Path) -> SqliteEngine:
    """An encrypted store in a folder, as the program makes it."""
    keys = Keys(folder / "data", folder / "config")
    keys.create()
    return SqliteEngine(folder / "data", keys, encrypted=True)


def app_on(engine: Engine, clock: FakeClock | None = None) -> App:
    """An app with its default workspace on an empty engine; the same ids every time."""
    clock, ids = clock or FakeClock(), CountingIds()
    engine.prepare(CONTROL, create=True)
    app = App(Database(engine, clock, ids), clock, ids, HashEmbedder())
    keep_no_secret(app, create_workspace(app, "default").id)
    return app


def keep_no_secret(app: App, workspace_id: str) -> None:
    """Make keyed hashes repeat themselves too."""
    with app.db.engine.transaction(workspace_id, write=True) as connection:
        if isinstance(connection, SqliteConnection):
            connection.raw.execute("UPDATE chain SET secret = ?", (SECRET,))
        elif isinstance(connection, PostgresConnection):
            connection.raw.execute("UPDATE chain SET secret = %s", (SECRET,))


def rows(app: App, caller: Caller, table: str) -> list[dict[str, Any]]:
    """What a table holds of the caller's workspace, read past every verb."""
    return tables(app, caller, table)[table]


def tables(app: App, caller: Caller, *names: str) -> dict[str, list[dict[str, Any]]]:
    """The same for several tables at one moment."""
    with app.db.engine.transaction(caller.workspace_id, write=False) as connection:
        return {name: found(connection, f"SELECT * FROM {name}") for name in names}


def found(connection: object, statement: str) -> list[dict[str, Any]]:
    """The rows of a statement of a test."""
    if isinstance(connection, SqliteConnection):
        return cast("list[dict[str, Any]]", connection.raw.execute(statement).fetchall())
    assert isinstance(connection, PostgresConnection)
    return connection.raw.execute(statement.encode(), binary=True).fetchall()
