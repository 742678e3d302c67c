"""Facts and the entities they are about: rows to values and back."""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from commonplace.model.fact import ALIAS_PREDICATES, Fact, Value, Window, value_text
from commonplace.model.interval import FOREVER, Instant, Interval
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write
from commonplace.store.view import View, Wanted

ALIAS_CHARACTERS_MAX = 512
"""What is longer is the value of a fact like any other: nobody asks for it by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact that is to be stored."""

    subject: str
    predicate: str
    value: Value
    valid: Interval
    collection_id: str = ""
    confidence: float = 1.0
    provenance: str | None = None
    episode: str | None = None
    item_id: str | None = None
    predecessor: str | None = None
    reason: str | None = None


def insert_fact(write: Write, new: NewFact) -> Fact:
    """Put in a fact, and its entity when that is new."""
    fact_id = write.new_id()
    entity_id = _entity(write, new.subject)
    write.insert(
        "fact",
        id=fact_id,
        entity_id=entity_id,
        subject=new.subject,
        predicate=new.predicate,
        value=json.dumps(new.value, ensure_ascii=False),
        confidence=new.confidence,
        provenance=new.provenance,
        episode=new.episode,
        item_id=new.item_id,
        collection_id=new.collection_id,
        predecessor=new.predecessor,
        reason=new.reason,
        created_at=write.now,
        expired_at=None,
        valid_from=new.valid.start,
        valid_to=new.valid.end,
        recorded_at=write.now,
        retired_at=FOREVER,
    )
    if new.predicate in ALIAS_PREDICATES and isinstance(new.value, str) and len(new.value) <= ALIAS_CHARACTERS_MAX:
        write.insert("alias", name_key=entity_key(new.value), fact_id=fact_id, entity_id=entity_id)
    return Fact(
        fact_id,
        new.subject,
        new.predicate,
        new.value,
        new.valid,
        write.now,
        FOREVER,
        write.now,
        None,
        new.confidence,
        new.provenance,
        new.episode,
        new.item_id,
        new.collection_id,
        new.predecessor,
    )


def close_fact(write: Write, fact: Fact, valid_to: Instant, reason: str | None) -> None:
    """End a fact; the row that says so is recorded now. One that ends later is not closed before."""
    closed = valid_to <= write.now or valid_to == fact.valid.start
    write.replace("fact", fact.id, valid_to=valid_to, expired_at=write.now if closed else None, reason=reason)


def entity_key(name: str) -> str:
    """What two spellings of an entity share: the whole name without case."""
    return spelling(name).casefold()


def spelling(name: str) -> str:
    """A name as it is written, without differences that nobody can see."""
    return unicodedata.normalize("NFC", name.strip())


def fact_by_id(read: Read, view: View, fact_id: str) -> Fact | None:
    """A fact that the caller may see."""
    row = read.one("fact_by_id", id=fact_id, **view.parameters)
    return _fact(row) if row else None


def was_fact(read: Read, view: View, fact_id: str) -> bool:
    """Whether the caller may see a fact of this id, one that was undone since too."""
    return read.one("fact_ever", id=fact_id, **view.parameters) is not None


def facts_by_id(read: Read, view: View, ids: Sequence[str]) -> dict[str, tuple[Fact, str]]:
    """The visible ones of some facts by id, each with the slug of its collection."""
    rows = read.all("facts_by_id", ids=tuple(ids), **view.parameters)
    return {row["id"]: (_fact(row), row["collection"]) for row in rows}


def facts_of(read: Read, view: View, entity: str) -> list[Fact]:
    """All facts about an entity: by its spelling, else whatever its case, else by an alias."""
    key = entity_key(entity)
    rows = (
        read.all("facts_of_subject", subject=spelling(entity), **view.parameters)
        or read.all("facts_of_name", name_key=key, **view.parameters)
        or read.all("facts_of_alias", name_key=key, **view.parameters)
    )
    return [_fact(row) for row in rows]


def newest_facts(read: Read, view: View, wanted: Wanted, window: Window, limit: int) -> list[tuple[Fact, str]]:
    """The facts learnt last."""
    rows = read.all("newest_facts", limit=limit, **view.parameters, **wanted.parameters, **asdict(window))
    return [(_fact(row), row["collection"]) for row in rows]


def successor(read: Read, fact_id: str) -> str | None:
    """The fact that corrected this one."""
    found = read.one("fact_after", id=fact_id)
    return found["id"] if found else None


def names_behind(read: Read, view: View, aliases: Sequence[str]) -> list[str]:
    """The names of the entities that are also called so, as far as the caller may know."""
    keys = tuple(dict.fromkeys(entity_key(alias) for alias in aliases))
    return [row["name"] for row in read.all("names_behind", keys=keys, **view.parameters)]


def said_value(row: Row) -> str:
    """The value in a row of a fact, as text."""
    return value_text(json.loads(row["value"]))


def _entity(write: Write, name: str) -> str:
    found = write.one("entity_by_key", name_key=entity_key(name))
    if found:
        return str(found["id"])
    entity_id = write.new_id()
    write.insert("entity", id=entity_id, name=name, name_key=entity_key(name), created_at=write.now)
    return entity_id


def _fact(row: Row) -> Fact:
    expired = row["expired_at"]
    return Fact(
        id=row["id"],
        subject=row["subject"],
        predicate=row["predicate"],
        value=json.loads(row["value"]),
        valid=Interval(Instant(row["valid_from"]), Instant(row["valid_to"])),
        recorded_at=Instant(row["recorded_at"]),
        retired_at=Instant(row["retired_at"]),
        first_recorded_at=Instant(row["created_at"]),
        expired_at=None if expired is None else Instant(expired),
        confidence=row["confidence"],
        provenance=row["provenance"],
        episode=row["episode"],
        item_id=row["item_id"],
        collection_id=row["collection_id"],
        predecessor=row["predecessor"],
        corrected=bool(row["corrected"]),
    )
