"""Transactions: what can be read, and what a write keeps, records and chains."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import msgspec

from commonplace.model.access import Caller
from commonplace.model.errors import NotFound
from commonplace.model.event import GENESIS, Event, EventKind, chain_hash
from commonplace.model.interval import FOREVER, Instant
from commonplace.model.ports import Clock, Ids
from commonplace.store import index
from commonplace.store.connection import CONTROL, Connection, Engine, Row

Action = Literal["insert", "retire", "patch", "remove"]

LENDING = {"entity": "id", "pending_link": "version_id"}
"""Tables whose rows end with other things than their event is about, and the column that says which."""

ID_COLUMNS = ("id", "item_id", "version_id", "fact_id", "entity_id", "target_id", "origin", "target", "member_id")


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One row that a write touched: the row put in, or the columns before and after."""

    action: Action
    table: str
    row: dict[str, Any]
    before: dict[str, Any] = {}

    def touches(self, ids: frozenset[str]) -> bool:
        """Whether the row belongs to one of these things."""
        return any(self.row.get(column) in ids for column in ID_COLUMNS)


def encode_changes(changes: Iterable[Change]) -> bytes:
    """The payload of an event."""
    return msgspec.json.encode(list(changes))


def decode_changes(payload: bytes) -> list[Change]:
    """The changes of a payload, in the order they were made."""
    return msgspec.json.decode(payload, type=list[Change])


class Read:
    """A view of one workspace as it is while the transaction lasts."""

    def __init__(self, connection: Connection, workspace_id: str, now: Instant) -> None:
        self.connection = connection
        self.workspace_id = workspace_id
        self._clock_now = now
        self._head: Row | None = None
        self._has_begun: bool | None = None

    def one(self, query: str, **parameters: Any) -> Row | None:
        """The first row of a query."""
        return self.connection.one(query, {"workspace_id": self.workspace_id, **parameters})

    def all(self, query: str, **parameters: Any) -> list[Row]:
        """Every row of a query."""
        return self.connection.all(query, {"workspace_id": self.workspace_id, **parameters})

    @property
    def head(self) -> Row:
        """The last link of the chain."""
        if self._head is None:
            self._head = self.one("head")
        if self._head is None:
            raise NotFound("There is no such workspace.")
        return self._head

    @property
    def now(self) -> Instant:
        """The present, never before what was last written: a clock set back hides nothing."""
        return Instant(max(self._clock_now, self.head["recorded_at"]))

    @property
    def has_begun(self) -> bool:
        """Whether something became valid by the passing of time: the next write moves it to its shelf."""
        if self._has_begun is None:
            self._has_begun = self.one("version_begun", since=self.head["recorded_at"], now=self.now) is not None
        return self._has_begun

    def keyed_hash(self, purpose: str, text: str) -> bytes:
        """A hash that only this workspace can make."""
        return hmac.digest(self.head["secret"], f"{purpose}\n{text}".encode(), hashlib.sha256)


class Write(Read):
    """A transaction that holds the head of the chain and ends with exactly one event."""

    def __init__(self, connection: Connection, caller: Caller, clock: Clock, ids: Ids) -> None:
        super().__init__(connection, caller.workspace_id, Instant(0))
        self._head = self.one("lock_head")
        # Taken after the lock: only then is the order of commits the order of times.
        self._now = Instant(max(clock.now(), self.head["recorded_at"] + 1))
        self._caller = caller
        self._ids = ids
        self._changes: list[Change] = []
        self.event: Event | None = None

    @property
    def now(self) -> Instant:
        """When everything in this transaction is recorded."""
        return self._now

    def new_id(self) -> str:
        """A fresh id."""
        return self._ids.new()

    def run(self, query: str, **parameters: Any) -> int:
        """Change rows that the op-log does not keep: indexes, proposals, jobs."""
        return self.connection.run(query, {"workspace_id": self.workspace_id, **parameters})

    def many(self, query: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """The same for many sets of parameters."""
        self.connection.many(query, ({"workspace_id": self.workspace_id, **row} for row in rows))

    def insert(self, table: str, **row: Any) -> None:
        """Put in a row; a bi-temporal one says itself from when it is recorded."""
        self.run(f"insert_{table}", **row)
        self._changes.append(Change("insert", table, row))

    def retire(self, table: str, thing_id: str) -> dict[str, Any]:
        """Cease to hold the open row of a thing, from now on."""
        found = self.one(f"open_{table}", id=thing_id)
        if found is None:
            raise NotFound(id=thing_id)
        self.run(f"retire_{table}", id=thing_id, recorded_at=found["recorded_at"], retired_at=self.now)
        self._changes.append(Change("retire", table, {"id": thing_id, "retired_at": self.now}, dict(found)))
        return dict(found)

    def replace(self, table: str, thing_id: str, **columns: Any) -> None:
        """Retire the open row of a thing and put in its successor of the same id."""
        kept = self.retire(table, thing_id)
        self.insert(table, **{**kept, **columns, "recorded_at": self.now, "retired_at": FOREVER})

    def patch(self, table: str, thing_id: str, **columns: Any) -> None:
        """Change columns that are not bi-temporal."""
        kept = self.one(f"kept_{table}", id=thing_id)
        if kept is None:
            raise NotFound(id=thing_id)
        self.run(f"patch_{table}", **{**kept, **columns})
        before = {name: kept[name] for name in columns}
        self._changes.append(Change("patch", table, {"id": thing_id, **columns}, before))

    def remove(self, table: str, row: Mapping[str, Any]) -> None:
        """Take out a row that is not bi-temporal; all of it is named, so that it can be put back."""
        self.run(f"remove_{table}", **row)
        self._changes.append(Change("remove", table, dict(row)))

    def record(self, kind: EventKind, *subjects: str) -> Event:
        """Append the event of this write."""
        assert self.event is None, "one write, one event"
        index.keep_time(self, self.head["recorded_at"])
        payload = encode_changes(self._changes)
        # The payload also holds words of these, which go at other times: named here, it is found again then.
        others = (each.row[LENDING[each.table]] for each in self._changes if each.table in LENDING)
        named = tuple(dict.fromkeys((*subjects, *others)))
        caller = self._caller
        seq, event_id = self.head["seq"] + 1, self._ids.new()
        payload_hash = hashlib.sha256(payload).digest()
        line = event_line(seq, event_id, self.now, kind, caller.actor, caller.client, caller.surface, named)
        self.event = Event(
            seq,
            event_id,
            self.now,
            kind,
            caller.actor,
            caller.client,
            caller.surface,
            named,
            payload_hash,
            self.head["hash"],
            chain_hash(self.head["hash"], payload_hash, line),
        )
        self._write_event(self.event, payload)
        return self.event

    def _write_event(self, event: Event, payload: bytes) -> None:
        self.run(
            "insert_event",
            seq=event.seq,
            id=event.id,
            recorded_at=event.recorded_at,
            kind=event.kind.value,
            actor=event.actor,
            client=event.client,
            surface=event.surface,
            subjects=json.dumps(event.subjects),
            payload_hash=event.payload_hash,
            previous_hash=event.previous_hash,
            hash=event.hash,
        )
        self.run("insert_event_payload", seq=event.seq, body=payload, redacted=False)
        self.many("insert_event_subject", ({"subject": subject, "seq": event.seq} for subject in event.subjects))
        self.run("advance_head", seq=event.seq, hash=event.hash, recorded_at=event.recorded_at)

    def finish(self) -> None:
        """What was changed must have been recorded."""
        assert self.event is not None or not self._changes, "a write without an event"


def event_line(*said: object) -> str:
    """All that a line of the op-log says besides its payload, in one unambiguous text."""
    return msgspec.json.encode(said).decode()


class Database:
    """The store: one control part and any number of workspaces."""

    def __init__(self, engine: Engine, clock: Clock, ids: Ids) -> None:
        self.engine = engine
        self.clock = clock
        self.ids = ids

    @contextmanager
    def read(self, workspace_id: str) -> Iterator[Read]:
        """Look into a workspace."""
        with self.engine.transaction(workspace_id, write=False) as connection:
            yield Read(connection, workspace_id, self.clock.now())

    @contextmanager
    def write(self, caller: Caller) -> Iterator[Write]:
        """Change a workspace; leaving the block commits, an error undoes everything."""
        with self.engine.transaction(caller.workspace_id, write=True) as connection:
            write = Write(connection, caller, self.clock, self.ids)
            yield write
            write.finish()

    @contextmanager
    def control(self, *, write: bool = False) -> Iterator[Connection]:
        """Look into, or change, what belongs to the whole install."""
        with self.engine.transaction(CONTROL, write=write) as connection:
            yield connection

    def create_workspace(self, workspace_id: str) -> None:
        """Make the part of a workspace: its tables and the head of its chain."""
        self.engine.prepare(workspace_id, create=True)
        with self.engine.transaction(workspace_id, write=True) as connection:
            connection.run(
                "insert_chain",
                {
                    "workspace_id": workspace_id,
                    "hash": GENESIS,
                    "recorded_at": 0,
                    "secret": secrets.token_bytes(32),
                },
            )
