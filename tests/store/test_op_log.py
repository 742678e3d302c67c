"""The op-log: one write, one event; events are chained, and what is forgotten is in none of them."""

import hashlib
import json
from typing import Any

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.event import GENESIS, EventKind, chain_hash
from commonplace.operations.verify import verify
from commonplace.store.database import decode_changes, event_line
from commonplace.store.sqlite import SqliteEngine
from support import Postgres, found, rows, tables

SECRET = "Zyklopenmauer"


def events(app: App, caller: Caller) -> list[dict[str, Any]]:
    return sorted(rows(app, caller, "event"), key=lambda row: row["seq"])


def test_every_write_is_one_event_with_what_it_touched(app: App, agent: Caller, owner: Caller) -> None:
    made = perform(app, agent, ask.Store(text="a plan", key="once"))
    perform(app, agent, ask.Store(text="a plan", key="once"))
    new = perform(app, agent, ask.Supersede(id=made.item_id, text="another plan"))
    told = perform(app, owner, ask.History(id=made.item_id))
    assert [event.kind for event in told] == [EventKind.SUPERSEDE, EventKind.INGEST]
    assert set(told[1].subjects) == {made.item_id, made.version_id}
    assert {made.item_id, made.version_id, new.new_id} <= set(told[0].subjects)
    assert [event.actor for event in told] == ["stdio", "stdio"]


def test_a_refused_write_leaves_no_event(app: App, agent: Caller) -> None:
    before = events(app, agent)
    made = perform(app, agent, ask.AssertFact(subject="Alice", predicate="phone", value="1"))
    perform(app, agent, ask.InvalidateFact(id=made.id))
    perform(app, agent, ask.InvalidateFact(id=made.id))
    assert len(events(app, agent)) == len(before) + 2


def test_each_event_seals_the_one_before_and_its_payload(app: App, agent: Caller) -> None:
    for number in range(3):
        perform(app, agent, ask.Store(text=f"note {number}"))
    payloads = {row["seq"]: row["body"] for row in rows(app, agent, "event_payload")}
    previous = GENESIS
    for row in events(app, agent):
        said = [row[name] for name in ("seq", "id", "recorded_at", "kind", "actor", "client", "surface")]
        line = event_line(*said, json.loads(str(row["subjects"])))
        assert row["payload_hash"] == hashlib.sha256(payloads[row["seq"]]).digest()
        assert row["previous_hash"] == previous
        previous = chain_hash(previous, row["payload_hash"], line)
        assert row["hash"] == previous
    assert rows(app, agent, "chain")[0]["hash"] == previous


def test_a_payload_names_what_was_done_to_which_row(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text="a plan", tags=("garden",)))
    perform(app, agent, ask.Retract(id=made.item_id))
    stored, ended = (decode_changes(row["body"]) for row in by_seq(app, agent)[-2:])
    assert [change.table for change in stored] == ["item", "version", "version_tag", "chunk", "slug"]
    assert [(change.action, change.table) for change in ended] == [("retire", "version"), ("insert", "version")]
    assert all(change.touches(frozenset({made.version_id})) for change in ended)


def by_seq(app: App, caller: Caller) -> list[dict[str, Any]]:
    return sorted(rows(app, caller, "event_payload"), key=lambda row: row["seq"])


def test_texts_are_in_no_payload(app: App, agent: Caller) -> None:
    perform(app, agent, ask.Store(text=f"A note about the {SECRET}.", title="A note"))
    assert all(SECRET.encode() not in row["body"] for row in rows(app, agent, "event_payload"))


def test_what_is_forgotten_is_in_no_table_and_the_chain_still_holds(
    app: App, agent: Caller, owner: Caller, postgres: Postgres
) -> None:
    kept = perform(app, agent, ask.Store(text="A pond.", title="Pond"))
    made = perform(
        app,
        agent,
        ask.Store(
            text=f"The {SECRET} is old. See [[{SECRET} two]] and [[Pond]].",
            title=f"About the {SECRET}",
            tags=(SECRET,),
            provenance=SECRET,
            note_fact=True,
            media={"shown": SECRET},
            key=SECRET,
        ),
    )
    perform(app, agent, ask.Supersede(id=made.item_id, text=f"The {SECRET} is new.", title=SECRET, reason=SECRET))
    perform(app, agent, ask.AssertFact(subject=SECRET, predicate="is", value=SECRET, item=made.item_id))
    perform(app, agent, ask.Link(origin=made.item_id, target=kept.item_id, kind="REFERENCES"))
    assert places(app, agent, postgres)
    assert perform(app, agent, ask.Forget(ids=(made.version_id,))).journal_clear
    assert places(app, agent, postgres) == []
    assert verify(app, agent.workspace_id).problems == ()
    assert perform(app, owner, ask.History())[0].kind == EventKind.FORGET


def places(app: App, caller: Caller, postgres: Postgres) -> list[str]:
    """Every table that still has the word, in whatever form."""
    engine = app.db.engine
    if isinstance(engine, SqliteEngine):
        with engine.transaction(caller.workspace_id, write=False) as connection:
            named = [row["name"] for row in found(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    else:
        named = [
            row[0] for row in postgres.admin.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'commonplace'")
        ]
        named = [
            name for name in named if name not in {"workspace", "token", "setting", "session", "activity", "migration"}
        ]
    held = tables(app, caller, *named)
    return [name for name in named if SECRET.casefold() in repr(held[name]).casefold()]
