"""Whether a workspace is whole: its file, its op-log, its rows, its texts and its index held against each other."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Damaged, NotFound, Unavailable
from commonplace.operations.replay import LOGGED, differences, replay
from commonplace.store.connection import CONTROL
from commonplace.store.database import Read
from commonplace.store.queries import SHELVES

BATCH = 500

RULES: Mapping[str, str] = {
    "wrong_intervals": "An interval of {thing} {id} ends before it begins.",
    "wrong_holding": "Two rows of {thing} {id} are held at the same moment.",
    "wrong_succession": "Item {id} has two valid versions at one moment, or none between two.",
    "wrong_predecessor": "Version {id} does not follow the version it replaces.",
    "wrong_branch": "Two replacements stand for {thing} {id}.",
    "wrong_inverse": "Relation {id} has no inverse that says the same.",
    "orphans": "The {thing} {id} lacks its {lacks}.",
}
"""Queries that find what must not be, and how each finding is told."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found wrong, a sentence each, and how much was looked at."""

    workspace_id: str
    problems: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(app: App, workspace_id: str) -> Report:
    """Check a workspace as it is at one moment; what cannot be read is a problem too."""
    problems: list[str] = []
    counts: dict[str, int] = {}
    try:
        problems += _file(app, workspace_id)
        if not problems:
            with app.db.read(workspace_id) as read:
                problems += _log_and_rows(read, counts)
                problems += _broken_rules(read)
                problems += _changed_texts(read)
                problems += _misplaced(read)
            problems += _broken_shelves(app, workspace_id)
    except (Damaged, NotFound, Unavailable) as error:
        problems.append(error.message)
    return Report(workspace_id, tuple(problems), counts)


def verify_control(app: App) -> tuple[str, ...]:
    """What is wrong with the file that holds workspaces and tokens."""
    try:
        return tuple(_file(app, CONTROL))
    except (Damaged, Unavailable) as error:
        return (error.message,)


def _file(app: App, part: str) -> Iterator[str]:
    found = app.db.engine.check(part)
    if found:
        yield f"The file of {part} is damaged in {len(found)} places, the first is: {found[0]}; restore a backup."


def _log_and_rows(read: Read, counts: dict[str, int]) -> Iterator[str]:
    told = replay(read)
    counts["event"] = told.events
    counts.update({table: len(told.rows[table]) for table in LOGGED})
    yield from told.problems
    if not told.problems:  # a log that is broken proves nothing about the rows
        yield from differences(read, told)


def _broken_rules(read: Read) -> Iterator[str]:
    for query, sentence in RULES.items():
        for row in read.all(query):
            yield sentence.format(**row)


def _changed_texts(read: Read) -> Iterator[str]:
    for batch in _batches(read, "version_ids"):
        rows = read.all("texts_of_versions", ids=batch)
        for (version_id, written), chunks in groupby(rows, lambda row: (row["id"], row["content_hash"])):
            text = "".join(row["body"] or "" for row in chunks)
            if hashlib.sha256(text.encode()).hexdigest() != written:
                yield f"The text of version {version_id} is not what was written."


def _misplaced(read: Read) -> Iterator[str]:
    for row in _places(read):
        owner, held, place = row["owner"], row["shelf"], row["place"]
        if held == place or (not held and not place):
            continue
        if held is None:
            yield f"The index has no entry of {owner}, which belongs on the shelf {place}."
        else:
            yield f"The index has {owner} on the shelf {held}; it belongs {f'on {place}' if place else 'nowhere'}."


def _places(read: Read) -> Iterator[Mapping[str, str | None]]:
    # What begins or ends by the passing of time moves with the next write: until then it stands as that of the last.
    written = read.head["recorded_at"]
    for batch in _batches(read, "item_ids"):
        yield from read.all("places_of_items", items=batch, now=written)
    for batch in _batches(read, "fact_ids"):
        yield from read.all("places_of_facts", facts=batch, items=(), now=written)


def _broken_shelves(app: App, workspace_id: str) -> Iterator[str]:
    """Each shelf under a lock of its own, for only the engine can look into its words."""
    for shelf in (f"{kind}_{shelf}" for kind in ("chunk", "fact") for shelf in SHELVES):
        with app.db.write(Caller(workspace_id, "system")) as write:
            try:
                broken = bool(write.all(f"check_{shelf}", shelf=shelf))
            except Damaged:
                broken = True
        if broken:
            yield f"The words of the shelf {shelf} are not those of its entries; run `commonplace reindex`."


def _batches(read: Read, query: str) -> Iterator[Sequence[str]]:
    ids = [row["id"] for row in read.all(query)]
    for start in range(0, len(ids), BATCH):
        yield tuple(ids[start : start + BATCH])
