"""Nothing of one workspace is seen from another: not by any verb, not in what it says, not in what it runs."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any
from uuid import UUID

import pytest

from commonplace.core import VERBS, perform
from commonplace.core import requests as ask
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.workspaces import create_workspace
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError, Unavailable
from commonplace.store.connection import CONTROL, Connection, Engine, Row
from commonplace.store.database import Database
from commonplace.store.postgres import ROLE, SCHEMA
from support import Postgres, app_on, found, rows

ID_FIELDS = frozenset(
    ("id", "ids", "item", "items", "item_id", "facts", "origin", "target", "chunk_id", "chunks", "event_id", "folder")
) | {"folders"}

FILLED_BY_CORE = {"Recall.facts", "Enqueue.item_id"}
"""Fields that no surface fills with what a caller wrote: they hold UUIDs, never a readable id."""

UNKNOWN = str(UUID(int=0x0192_5555_0000_7000_8000_0000_0000_0001))

Build = Callable[[str, str], object]

ASKED: dict[str, Build] = {
    "Supersede.id": lambda _, other: ask.Supersede(id=other, text="new"),
    "Retract.id": lambda _, other: ask.Retract(id=other),
    "Get.id": lambda _, other: ask.Get(id=other),
    "List.folder": lambda _, other: ask.List(folder=other),
    "Recall.ids": lambda _, other: ask.Recall(ids=(other,)),
    "Recall.facts": lambda _, other: ask.Recall(text="plan", targets=("fact",), facts=(other,)),
    "AssertFact.item": lambda _, other: ask.AssertFact(subject="a", predicate="b", value="c", item=other),
    "CorrectFact.id": lambda _, other: ask.CorrectFact(id=other, value="new"),
    "InvalidateFact.id": lambda _, other: ask.InvalidateFact(id=other),
    "Link.origin": lambda own, other: ask.Link(origin=other, target=own, kind="REFERENCES"),
    "Link.target": lambda own, other: ask.Link(origin=own, target=other, kind="REFERENCES"),
    "Unlink.origin": lambda own, other: ask.Unlink(origin=other, target=own, kind="REFERENCES"),
    "Unlink.target": lambda own, other: ask.Unlink(origin=own, target=other, kind="REFERENCES"),
    "RelationsOf.id": lambda _, other: ask.RelationsOf(id=other),
    "Propose.chunk_id": lambda _, other: ask.Propose(chunk_id=other, proposal='replace "plan" with "map"'),
    "Apply.id": lambda _, other: ask.Apply(id=other),
    "Forget.ids": lambda _, other: ask.Forget(ids=(other,)),
    "Forget.items": lambda _, other: ask.Forget(items=(other,)),
    "Forget.chunks": lambda _, other: ask.Forget(chunks=(other,)),
    "Move.ids": lambda _, other: ask.Move(ids=(other,), collection="personal"),
    "Amend.id": lambda _, other: ask.Amend(id=other, archived=True),
    "DeleteFolder.id": lambda _, other: ask.DeleteFolder(id=other, cascade=True),
    "FileItem.id": lambda _, other: ask.FileItem(id=other, folders=()),
    "FileItem.folders": lambda own, other: ask.FileItem(id=own, folders=(other,)),
    "UnfileItem.id": lambda own, other: ask.UnfileItem(id=other, folder=own),
    "UnfileItem.folder": lambda own, other: ask.UnfileItem(id=own, folder=other),
    "History.id": lambda _, other: ask.History(id=other),
    "Undo.event_id": lambda _, other: ask.Undo(event_id=other),
    "Enqueue.item_id": lambda _, other: ask.Enqueue(kind="import", item_id=other),
    "CancelJob.id": lambda _, other: ask.CancelJob(id=other),
    "DecideReview.id": lambda _, other: ask.DecideReview(id=other, approve=True, collection="personal"),
    "IssueToken.folders": lambda _, other: ask.IssueToken(folders=(other,)),
    "RevokeToken.id": lambda _, other: ask.RevokeToken(id=other),
}


class Traced:
    """A connection that notes the name of every query."""

    def __init__(self, connection: Connection, names: list[str]) -> None:
        self.connection = connection
        self.names = names

    def run(self, query: str, parameters: Row) -> int:
        self.names.append(query)
        return self.connection.run(query, parameters)

    def many(self, query: str, parameters: Iterable[Row]) -> None:
        self.names.append(query)
        self.connection.many(query, parameters)

    def one(self, query: str, parameters: Row) -> Row | None:
        self.names.append(query)
        return self.connection.one(query, parameters)

    def all(self, query: str, parameters: Row) -> list[Row]:
        self.names.append(query)
        return self.connection.all(query, parameters)


class TracedEngine:
    """An engine whose transactions note what they run."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.names: list[str] = []

    @contextmanager
    def transaction(self, part: str, *, write: bool) -> Iterator[Traced]:
        with self.engine.transaction(part, write=write) as connection:
            yield Traced(connection, self.names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)


@pytest.fixture
def neighbour(app: App) -> Caller:
    """A person in another workspace of the same install."""
    create_workspace(app, "neighbour")
    return local_caller(app, "neighbour", human=True)


def filled(app: App, caller: Caller) -> dict[str, str]:
    """A workspace with one of everything that has an id."""
    note = perform(app, caller, ask.Store(text="A plan for the garden.", title="Garden plan", provenance="letter"))
    perform(app, caller, ask.Store(text="Another note.", title="Other"))
    fact = perform(app, caller, ask.AssertFact(subject="Alice", predicate="lives_in", value="Ulm"))
    new = perform(app, caller, ask.Supersede(id=note.item_id, text="A plan for two gardens.", title="Garden plan"))
    folder = perform(app, caller, ask.CreateFolder(name="Plans"))
    perform(app, caller, ask.FileItem(id=note.item_id, folders=(folder.id,)))
    chunk = perform(app, caller, ask.Get(id=note.item_id)).chunk_ids[0]
    proposal = perform(app, caller, ask.Propose(chunk_id=chunk, proposal='replace "two" with "three"'))
    with pytest.raises(CommonplaceError):
        perform(app, replace(caller, human=False), ask.Store(text="Where?", collection="Nowhere"))
    return {
        "item": note.item_id,
        "version": note.version_id,
        "current version": new.new_id,
        "slug": str(note.slug),
        "chunk": chunk,
        "fact": fact.id,
        "relation": new.relation_id,
        "relation slug": str(new.relation_slug),
        "folder": folder.id,
        "proposal": proposal.id,
        "event": perform(app, caller, ask.History(limit=1))[0].id,
        "review": perform(app, caller, ask.ListReviews())[0].id,
        "job": perform(app, caller, ask.Enqueue(kind="import")),
        "token": perform(app, caller, ask.IssueToken()).token.id,
        "collection": rows(app, caller, "collection")[0]["id"],
        "workspace": caller.workspace_id,
    }


def told(app: App, caller: Caller, build: Build, own: str, other: str) -> tuple[str, str, list[str]]:
    """How an id is answered: the kind of answer, its words without the id, and the queries that were run."""
    engine = TracedEngine(app.db.engine)
    traced = replace(app, db=Database(engine, app.clock, app.ids))
    try:
        answer = perform(traced, caller, build(own, other))
    except CommonplaceError as error:
        kind, said = type(error).__name__, f"{error.message} {dict(error.facts)}"
    else:
        kind, said = (
            "answer",
            re.sub(r"'[0-9a-f]{8}-[0-9a-f-]{27}'|\d{10,}|secret='\w+'|prefix='\w+'", "-", repr(answer)),
        )
    return kind, said.replace(other, "ID"), engine.names


def test_every_field_that_takes_an_id_is_asked_here() -> None:
    taking = {f"{kind.__name__}.{each.name}" for kind in VERBS for each in fields(kind) if each.name in ID_FIELDS}
    assert taking == set(ASKED)


@pytest.mark.parametrize("name", ASKED)
def test_an_id_of_a_neighbour_is_as_unknown_as_any(
    app: App, owner: Caller, agent: Caller, neighbour: Caller, name: str
) -> None:
    app = replace(app, rewriters=(DeterministicRewriter(),))
    own = perform(app, owner, ask.Store(text="Something of my own.")).item_id
    foreign = filled(app, neighbour)
    for caller in (owner, agent):
        for kind, other in foreign.items():
            if "slug" not in kind:
                assert told(app, caller, ASKED[name], own, other) == told(app, caller, ASKED[name], own, UNKNOWN), kind


@pytest.mark.parametrize("name", sorted(ASKED.keys() - FILLED_BY_CORE))
def test_a_readable_id_of_a_neighbour_is_as_unknown_as_any(
    app: App, owner: Caller, neighbour: Caller, name: str
) -> None:
    app = replace(app, rewriters=(DeterministicRewriter(),))
    own = perform(app, owner, ask.Store(text="Something of my own.")).item_id
    foreign = filled(app, neighbour)
    unknown = told(app, owner, ASKED[name], own, "memory_never_stored_2024_10")
    for kind in ("slug", "relation slug"):
        assert told(app, owner, ASKED[name], own, foreign[kind]) == unknown, kind
    kind, _, _ = told(app, owner, ASKED[name], own, "no id; DROP TABLE item")
    assert kind == unknown[0]


def test_what_a_neighbour_stores_changes_no_answer(app: App, owner: Caller, neighbour: Caller) -> None:
    perform(app, owner, ask.Store(text="A plan of my own."))
    questions = (
        ask.Recall(text="plan for a garden", explain=True),
        *(ask.CountAll(), ask.List(), ask.ListFolders(), ask.ListReviews(), ask.ListJobs(), ask.ListTokens()),
        *(ask.ListCollections(), ask.History(), ask.FactsAbout(entity="Alice"), ask.About(entity="Alice")),
    )
    before = [perform(app, owner, each) for each in questions]
    filled(replace(app, rewriters=(DeterministicRewriter(),)), neighbour)
    assert [perform(app, owner, each) for each in questions] == before


@pytest.fixture
def two_tenants(postgres: Postgres) -> tuple[App, Caller, Caller]:
    """Two full workspaces on PostgreSQL."""
    app = replace(app_on(postgres.emptied()), rewriters=(DeterministicRewriter(),))
    create_workspace(app, "neighbour")
    mine, theirs = (local_caller(app, name, human=True) for name in ("default", "neighbour"))
    filled(app, mine)
    filled(app, theirs)
    return app, mine, theirs


def tenant_tables(postgres: Postgres) -> list[str]:
    """Every table that has a workspace's rows and is not one of the install."""
    named = postgres.admin.execute(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'workspace_id'",
        (SCHEMA,),
    ).fetchall()
    return sorted(row[0] for row in named if row[0] not in {"token", "session", "activity"})


def test_the_database_itself_shows_no_row_of_another(
    two_tenants: tuple[App, Caller, Caller], postgres: Postgres
) -> None:
    app, mine, theirs = two_tenants
    filled_tables = 0
    for table in tenant_tables(postgres):
        seen = {row["workspace_id"] for row in rows(app, mine, table)}
        assert seen <= {mine.workspace_id}, table
        filled_tables += bool(rows(app, theirs, table))
    assert filled_tables > 20, "the neighbour has something to hide"


def test_the_database_itself_refuses_to_write_for_another(
    two_tenants: tuple[App, Caller, Caller], postgres: Postgres
) -> None:
    app, mine, theirs = two_tenants
    for table in tenant_tables(postgres):
        with app.db.engine.transaction(mine.workspace_id, write=True) as connection:
            changed = f"UPDATE {table} SET workspace_id = workspace_id WHERE workspace_id = '{theirs.workspace_id}'"
            assert found(connection, f"{changed} RETURNING 1") == []
            assert (
                found(connection, f"DELETE FROM {table} WHERE workspace_id = '{theirs.workspace_id}' RETURNING 1") == []
            )
        with (
            pytest.raises(Unavailable, match="row-level security"),
            app.db.engine.transaction(mine.workspace_id, write=True) as connection,
        ):
            found(connection, f"INSERT INTO {table} (workspace_id) VALUES ('{theirs.workspace_id}') RETURNING 1")


def test_without_a_workspace_the_tenant_sees_nothing(
    two_tenants: tuple[App, Caller, Caller], postgres: Postgres
) -> None:
    app, _, _ = two_tenants
    for table in tenant_tables(postgres):
        with app.db.engine.transaction(CONTROL, write=True) as connection:
            found(connection, f"SELECT set_config('role', '{ROLE}', true)")
            assert found(connection, f"SELECT count(*) AS rows FROM {table}") == [{"rows": 0}]


def test_the_tenant_may_not_read_the_tables_of_the_install(two_tenants: tuple[App, Caller, Caller]) -> None:
    app, mine, _ = two_tenants
    for table in ("workspace", "token", "setting", "session", "activity", "migration"):
        with (
            pytest.raises(Unavailable, match="permission denied"),
            app.db.engine.transaction(mine.workspace_id, write=False) as connection,
        ):
            found(connection, f"SELECT * FROM {table}")
