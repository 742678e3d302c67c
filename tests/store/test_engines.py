"""The engines: what a transaction promises, and how what goes wrong is told."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import History, Recall, Store
from commonplace.core.workspaces import create_workspace, delete_workspace
from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError, Damaged, NotFound, Unavailable
from commonplace.model.event import EventKind
from commonplace.store.connection import CONTROL
from commonplace.store.postgres import ANALYSED_AFTER, ROLE, PostgresEngine
from commonplace.store.sqlite import SqliteEngine
from support import Postgres, app_on, rows

THREADS, WRITES = 4, 5
READERS = 40


class OtherKeys:
    """The keys of some other store."""

    def data_key(self, name: str) -> bytes:
        """A key that opens nothing here."""
        return bytes(32)

    def drop(self, name: str) -> None:
        """Nothing to let go of."""


@pytest.fixture
def weak_user(postgres: Postgres) -> Iterator[str]:
    """The address of a user who may do nothing in particular."""
    postgres.admin.execute("CREATE ROLE weak LOGIN")
    yield psycopg.conninfo.make_conninfo(postgres.address, user="weak")
    postgres.admin.execute("DROP ROLE weak")


def test_what_fails_halfway_leaves_nothing(app: App, agent: Caller) -> None:
    with pytest.raises(NotFound), app.db.write(agent) as write:  # noqa: PT012 - the block is what is tested
        write.insert("registry_class", name="Half", parent="Memory")
        raise NotFound
    assert rows(app, agent, "registry_class") == []


def test_a_write_without_an_event_is_a_mistake_of_ours(app: App, agent: Caller) -> None:
    with pytest.raises(AssertionError, match="without an event"), app.db.write(agent) as write:
        write.insert("registry_class", name="Silent", parent="Memory")
    assert rows(app, agent, "registry_class") == []


def test_a_reader_sees_one_moment(app: App, agent: Caller) -> None:
    with app.db.read(agent.workspace_id) as read:
        before = read.all("events", limit=10)
        perform(app, agent, Store(text="written meanwhile"))
        assert read.all("events", limit=10) == before
    assert len(perform(app, agent, Recall()).hits) == 1


def test_writers_wait_for_one_another(app: App, agent: Caller, owner: Caller) -> None:
    def write_some() -> None:
        for number in range(WRITES):
            perform(app, agent, Store(text=f"note {number}"))

    threads = [threading.Thread(target=write_some) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = perform(app, owner, History(limit=100))[::-1]
    assert [event.seq for event in events] == list(range(1, THREADS * WRITES + 2))
    assert [event.kind for event in events[1:]] == [EventKind.INGEST] * THREADS * WRITES
    times = [event.recorded_at for event in events]
    assert times == sorted(set(times)), "the order of commits is the order of times"


def test_a_workspace_that_is_gone_is_not_found(app: App) -> None:
    nowhere = Caller(app.ids.new(), "stdio")
    with pytest.raises(CommonplaceError) as refused:
        perform(app, nowhere, Recall())
    assert isinstance(refused.value, NotFound | Damaged)


def test_a_deleted_workspace_leaves_no_row(app: App, agent: Caller) -> None:
    perform(app, agent, Store(text="soon gone"))
    create_workspace(app, "Other")
    delete_workspace(app, "default")
    if isinstance(app.db.engine, SqliteEngine):
        assert not app.db.engine.path(agent.workspace_id).exists()
    else:
        assert rows(app, agent, "content") == rows(app, agent, "event") == []


def test_a_store_is_refused_without_its_key(sqlite_app: App) -> None:
    engine = sqlite_app.db.engine
    assert isinstance(engine, SqliteEngine)
    other = SqliteEngine(engine.folder, OtherKeys(), encrypted=True)
    with pytest.raises(Unavailable, match=r"control\.db cannot be read with this key: use the key"):
        other.prepare(CONTROL)


def test_a_missing_file_is_not_made_anew(sqlite_app: App) -> None:
    engine = sqlite_app.db.engine
    assert isinstance(engine, SqliteEngine)
    part = str(sqlite_app.ids.new())
    with pytest.raises(Damaged, match=r"is missing from .*; restore a backup"), engine.transaction(part, write=True):
        pass
    assert not engine.path(part).exists()


def test_a_file_that_is_no_store_is_told_by_its_name(sqlite_app: App) -> None:
    engine = sqlite_app.db.engine
    assert isinstance(engine, SqliteEngine)
    engine.close()
    engine.path(CONTROL).write_bytes(b"something else " * 1000)
    with pytest.raises(Unavailable, match=r"control\.db cannot be read"), engine.transaction(CONTROL, write=False):
        pass


def test_the_planner_has_counted_the_tables_before_searches_grow_slow(postgres: Postgres) -> None:
    postgres.emptied()
    engine = PostgresEngine(postgres.address)
    app = app_on(engine)
    agent = local_caller(app, human=False)
    for number in range(ANALYSED_AFTER[0]):
        perform(app, agent, Store(text=f"note {number}"))
    engine.close()
    counted = postgres.admin.execute("SELECT reltuples FROM pg_class WHERE oid = 'chunk'::regclass").fetchone()
    assert counted
    assert 0.8 * ANALYSED_AFTER[0] < counted[0] <= ANALYSED_AFTER[0]


def test_a_write_is_kept_though_the_tables_cannot_be_counted(postgres: Postgres) -> None:
    postgres.emptied()
    engine = PostgresEngine(psycopg.conninfo.make_conninfo(postgres.address, options="-c lock_timeout=50ms"))
    app = app_on(engine)
    agent = local_caller(app, human=False)
    with postgres.admin.transaction():
        postgres.admin.execute("LOCK TABLE shelf IN SHARE UPDATE EXCLUSIVE MODE")
        for number in range(ANALYSED_AFTER[0]):
            perform(app, agent, Store(text=f"note {number}"))
    assert len(rows(app, agent, "item")) == ANALYSED_AFTER[0]
    engine.close()


def test_more_readers_than_connections_all_get_an_answer(app: App, agent: Caller) -> None:
    perform(app, agent, Store(text="the cat is called Minka", note_fact=True))
    asked = Recall(text="cat", targets=("memory", "fact"))
    with ThreadPoolExecutor(READERS) as pool:
        answers = list(pool.map(lambda _: perform(app, agent, asked).hits, range(2 * READERS)))
    assert all(len(hits) == 2 for hits in answers)


def test_connections_that_the_server_ended_fail_nobody(postgres: Postgres) -> None:
    app = app_on(postgres.emptied())
    agent = local_caller(app, human=False)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: perform(app, agent, Recall()), range(4 * THREADS)))
    ended = postgres.admin.execute(
        "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    ).fetchall()
    assert ended
    assert [perform(app, agent, Recall()).hits for _ in ended] == [()] * len(ended)


def test_an_unreachable_server_is_told_in_one_sentence() -> None:
    with pytest.raises(Unavailable, match=r"PostgreSQL cannot be reached \(.*start it or correct the database address"):
        PostgresEngine("postgresql://nobody:secret@127.0.0.1:1/none")


def test_the_place_of_a_database_is_told_without_who_may_enter(postgres: Postgres) -> None:
    engine = PostgresEngine(psycopg.conninfo.make_conninfo(postgres.address, password="secret"))
    engine.close()
    assert "secret" not in engine.location
    assert "user" not in engine.location
    assert "dbname=postgres" in engine.location


def test_who_may_not_make_roles_is_told_what_an_administrator_must_run(weak_user: str) -> None:
    with pytest.raises(Unavailable, match=f"weak may not .*: .*GRANT {ROLE} TO weak;"):
        PostgresEngine(weak_user)


def test_a_role_that_could_read_everything_is_refused(postgres: Postgres) -> None:
    postgres.admin.execute(f"ALTER ROLE {ROLE} BYPASSRLS".encode())
    try:
        with pytest.raises(Unavailable, match=f"ALTER ROLE {ROLE} NOSUPERUSER NOBYPASSRLS"):
            PostgresEngine(postgres.address)
    finally:
        postgres.admin.execute(f"ALTER ROLE {ROLE} NOBYPASSRLS".encode())


def test_a_role_that_may_not_use_the_tables_is_told_so(postgres: Postgres) -> None:
    postgres.admin.execute("DROP ROLE IF EXISTS stranger")
    postgres.admin.execute("CREATE ROLE stranger LOGIN")
    postgres.admin.execute(f"GRANT {ROLE} TO stranger".encode())
    with pytest.raises(Unavailable, match="use the role that made them"):
        PostgresEngine(psycopg.conninfo.make_conninfo(postgres.address, user="stranger"))
    postgres.admin.execute("DROP ROLE stranger")
