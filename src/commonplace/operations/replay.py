"""The op-log read from its beginning: whether its chain is whole, and its payloads give the rows that are there."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from commonplace.model.event import GENESIS, EventKind, chain_hash
from commonplace.store.connection import Row
from commonplace.store.database import ID_COLUMNS, Change, Read, decode_changes, event_line

PAGE = 500

Key = tuple[object, ...]

LOGGED: Mapping[str, tuple[str, ...]] = {
    "collection": ("id",),
    "folder": ("id",),
    "folder_member": ("member_id", "folder_id"),
    "item": ("id",),
    "version": ("id", "recorded_at"),
    "version_tag": ("version_id", "tag"),
    "chunk": ("id", "recorded_at"),
    "entity": ("id",),
    "alias": ("fact_id", "name_key"),
    "fact": ("id", "recorded_at"),
    "relation": ("id", "recorded_at"),
    "registry_class": ("name",),
    "slug": ("slug_hash",),
    "pending_link": ("version_id", "target_key"),
    "idempotency": ("key_hash",),
}
"""The tables whose every change the op-log keeps, and their keys; the first column is what a problem may name."""


@dataclass(slots=True)
class Replay:
    """What the op-log says: its faults, the rows it leads to, and what was forgotten since."""

    events: int = 0
    problems: list[str] = field(default_factory=list)
    rows: dict[str, dict[Key, Row]] = field(default_factory=lambda: {table: {} for table in LOGGED})
    forgotten: set[str] = field(default_factory=set)
    emptied: dict[int, list[str]] = field(default_factory=dict)


def replay(read: Read) -> Replay:
    """Follow the chain from its beginning to its head."""
    told = Replay()
    last: Row = {"seq": 0, "hash": GENESIS, "recorded_at": 0}
    for row in _events(read):
        told.problems += _faults(row, last)
        _take(told, row)
        last = row
    head = read.head
    if any(head[column] != last[column] for column in ("seq", "hash", "recorded_at")):
        told.problems.append(f"The head of the op-log is event {head['seq']}, but its last event is {last['seq']}.")
    told.problems += [
        f"The payload of event {seq} was emptied, but nothing of it was forgotten."
        for seq, subjects in told.emptied.items()
        if told.forgotten.isdisjoint(subjects)
    ]
    return told


def differences(read: Read, told: Replay) -> Iterator[str]:
    """Where the rows are not what the op-log leads to; what was forgotten it tells no longer."""
    for table, key in LOGGED.items():
        held = {_key(key, row): row for row in map(_plain, read.all(f"rows_{table}"))}
        for each in sorted(held.keys() | told.rows[table].keys(), key=str):
            stored, logged = held.get(each), told.rows[table].get(each)
            if stored == logged or _is_forgotten(told, stored) or _is_forgotten(told, logged):
                continue
            name = f"{table.replace('_', ' ')} {each[0]}"
            if stored is None:
                yield f"The row of {name} is missing; the op-log has it."
            elif logged is None:
                yield f"The row of {name} is in no event of the op-log."
            else:
                yield f"The row of {name} is not what the op-log says."


def _events(read: Read) -> Iterator[Row]:
    page = read.all("log_after", seq=0, limit=PAGE)
    while page:
        yield from page
        page = read.all("log_after", seq=page[-1]["seq"], limit=PAGE)


def _faults(row: Row, last: Row) -> Iterator[str]:
    seq = row["seq"]
    if seq != last["seq"] + 1:
        yield f"The op-log lacks the events between {last['seq']} and {seq}."
    elif row["previous_hash"] != last["hash"]:
        yield f"Event {seq} does not continue the chain of event {last['seq']}."
    if row["recorded_at"] <= last["recorded_at"]:
        yield f"Event {seq} is recorded before the event in front of it."
    subjects = _subjects(row)
    said = (row["kind"], row["actor"], row["client"], row["surface"], subjects)
    line = event_line(seq, row["id"], row["recorded_at"], *said)
    if chain_hash(row["previous_hash"], row["payload_hash"], line) != row["hash"]:
        yield f"Event {seq} was changed after it was written."
    elif row["subject_count"] != len(subjects):
        yield f"Event {seq} cannot be found by all of its subjects."
    if row["body"] is None:
        yield f"The payload of event {seq} is missing."
    elif not row["redacted"] and not _is_whole(row):
        yield f"The payload of event {seq} was changed after it was written."
    elif _changes(row) is None:
        yield f"The payload of event {seq} cannot be read."


def _take(told: Replay, row: Row) -> None:
    told.events += 1
    if row["kind"] == EventKind.FORGET:
        told.forgotten.update(_subjects(row))
    if row["redacted"]:
        told.emptied[row["seq"]] = _subjects(row)
    for change in _changes(row) or ():
        _repeat(told.rows.setdefault(change.table, {}), LOGGED.get(change.table, ("id",)), change)


def _repeat(rows: dict[Key, Row], key: tuple[str, ...], change: Change) -> None:
    """Do once more what a write did; what it did to forgotten rows may find nothing."""
    match change.action:
        case "insert":
            rows[_key(key, change.row)] = change.row
        case "retire":
            rows[_key(key, change.before)] = {**change.before, "retired_at": change.row["retired_at"]}
        case "patch":
            kept = rows.get(_key(key, change.row))
            if kept is not None:
                rows[_key(key, change.row)] = {**kept, **change.row}
        case "remove":
            rows.pop(_key(key, change.row), None)


def _is_whole(row: Row) -> bool:
    return hashlib.sha256(row["body"]).digest() == bytes(row["payload_hash"])


def _changes(row: Row) -> list[Change] | None:
    if row["body"] is None:
        return None
    try:
        return decode_changes(row["body"])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _subjects(row: Row) -> list[str]:
    try:
        return msgspec.json.decode(row["subjects"], type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _is_forgotten(told: Replay, row: Row | None) -> bool:
    return row is not None and any(row.get(column) in told.forgotten for column in ID_COLUMNS)


def _key(columns: tuple[str, ...], row: Row) -> Key:
    return tuple(row.get(column) for column in columns)


def _plain(row: Row) -> dict[str, object]:
    """A row in the words of a payload, which is JSON."""
    return {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in row.items()
        if name != "workspace_id"
    }
