"""Migrations: named and numbered, recorded as they are taken, and refused when they come from the future."""

from collections.abc import Iterator
from importlib.resources import files

import pytest

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Unavailable
from commonplace.store.connection import CONTROL, Engine
from commonplace.store.migrate import FILE, Kind, migrations
from commonplace.store.postgres import PostgresEngine
from commonplace.store.queries import Dialect
from commonplace.store.sqlite import SqliteEngine
from support import Postgres, found

KINDS: tuple[Kind, ...] = ("control", "store")
DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")


@pytest.fixture
def from_the_future(app: App, agent: Caller) -> Iterator[Engine]:
    """A store that a later release has migrated."""
    engine = app.db.engine
    with engine.transaction(CONTROL, write=True) as control, engine.transaction(agent.workspace_id, write=True) as held:
        future = {"kind": "store", "number": 99, "name": "future"}
        (control if isinstance(engine, PostgresEngine) else held).run("insert_migration", future)
    yield engine
    if isinstance(engine, PostgresEngine):
        with engine.transaction(CONTROL, write=True) as control:
            found(control, "DELETE FROM migration WHERE number = 99 RETURNING number")


def again(engine: Engine, postgres: Postgres) -> Engine:
    """The same store opened by another process."""
    if isinstance(engine, SqliteEngine):
        return SqliteEngine(engine.folder, engine._keys, encrypted=True)
    return PostgresEngine(postgres.address)


def test_every_file_is_named_by_its_number_and_what_it_makes() -> None:
    for kind in KINDS:
        folder = files("commonplace.store").joinpath(f"sql/migrations/{kind}")
        assert [file.name for file in folder.iterdir() if not FILE.fullmatch(file.name)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_have_no_gaps_and_no_twins(kind: Kind, dialect: Dialect) -> None:
    numbers = [step.number for step in migrations(kind, dialect)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_both_engines_take_the_same_steps() -> None:
    for kind in KINDS:
        sqlite, postgres = (migrations(kind, dialect) for dialect in DIALECTS)
        assert [(step.number, step.name) for step in sqlite] == [(step.number, step.name) for step in postgres]


def test_every_step_is_recorded_by_its_name(app: App, agent: Caller, engine_name: Dialect) -> None:
    recorded = set()
    for part in (CONTROL, agent.workspace_id):
        if engine_name == "sqlite" or part == CONTROL:
            with app.db.engine.transaction(part, write=False) as connection:
                recorded |= {
                    tuple(row.values()) for row in found(connection, "SELECT kind, number, name FROM migration")
                }
    assert recorded == {(kind, step.number, step.name) for kind in KINDS for step in migrations(kind, engine_name)}


def test_opening_again_takes_no_step(app: App, agent: Caller, postgres: Postgres) -> None:
    second = again(app.db.engine, postgres)
    second.prepare(agent.workspace_id)
    with second.transaction(agent.workspace_id, write=False) as connection:
        assert connection.one("head", {"workspace_id": agent.workspace_id})
    second.close()


def test_a_store_of_a_newer_release_is_refused_with_what_to_do(
    from_the_future: Engine, agent: Caller, postgres: Postgres
) -> None:
    with pytest.raises(Unavailable, match=r"newer Commonplace \(schema 99, .*install the newer version again\."):
        again(from_the_future, postgres).prepare(agent.workspace_id)
