"""What the native tools ask for, and how their answers read: pure functions, and the schemas of what they make."""

from commonplace.core.requests import (
    About,
    AssertFact,
    CorrectFact,
    Forget,
    Link,
    Recall,
    Retract,
    Store,
    Supersede,
    Unlink,
)
from commonplace.model.answer import (
    Asserted,
    CollectionStats,
    Corrected,
    Forgotten,
    Hit,
    Known,
    Linked,
    Recalled,
    Relation,
    Retracted,
    Stats,
    Stored,
    Superseded,
)
from commonplace.model.fact import Changes, Fact, Health
from commonplace.model.interval import format_end, format_instant
from commonplace.surfaces.contract import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    Arguments,
    Fields,
    Schema,
    record,
    rows,
)

IDS: Schema = {"type": "array", "items": TEXT}
OBJECT: Schema = {"type": "object"}
OBJECTS: Schema = {"type": "array", "items": OBJECT}


def recall_request(given: Arguments) -> Recall:
    """What to look for; memories asked for by id are not cut to a budget."""
    return Recall(
        text=given["query"],
        ids=given["ids"],
        limit=given["k"],
        targets=given["kinds"],
        mode=given["mode"],
        collections=given["collections"],
        tags=given["tags"],
        memory_type=given["memory_type"],
        as_of=given["as_of"],
        known_at=given["known_at"],
        hops=given["hops"],
        max_llm_tokens=None if given["ids"] else given["max_tokens"],
        explain=given["explain"],
    )


def recall_reply(answer: Recalled, _: Arguments) -> Fields:
    """The hits, best first, and which stages of the search did not answer, if any."""
    fields: Fields = {
        "hits": [hit_fields(hit) for hit in answer.hits],
        "llm_tokens": answer.llm_tokens,
        "truncated": answer.truncated,
        "elapsed_ms": answer.elapsed_ms,
    }
    return {**fields, "degraded": list(answer.degraded)} if answer.degraded else fields


def hit_fields(hit: Hit) -> Fields:
    """One hit; its reasons only where they were asked for."""
    fields: Fields = {
        "id": hit.id,
        "kind": hit.kind,
        "title": hit.title,
        "text": hit.text,
        "score": round(hit.score, 4),
        "collection": hit.collection,
        "source": hit.source,
        "valid_from": format_instant(hit.valid.start),
        "valid_to": format_end(hit.valid.end),
        "recorded_at": format_instant(hit.recorded_at),
    }
    return {**fields, "why": dict(hit.why)} if hit.why else fields


def remember_request(given: Arguments) -> Store | Supersede:
    """A new memory, or the next version of one."""
    if given["supersedes"] is not None:
        return Supersede(
            id=given["supersedes"], text=given["text"], title=given["title"], valid_from=given["valid_from"]
        )
    return Store(
        text=given["text"],
        title=given["title"],
        collection=given["collection"],
        memory_type=given["memory_type"],
        tags=given["tags"],
        provenance=given["source"],
        valid_from=given["valid_from"],
        key=given["key"],
        extract=True,
        similar=True,
    )


def remember_reply(answer: Stored | Superseded, _: Arguments) -> Fields:
    """What is in the store now."""
    if isinstance(answer, Superseded):
        return {
            "id": answer.new_id,
            "created_at": format_instant(answer.changed_at),
            "chunks": len(answer.chunk_ids),
            "facts": [],
            "similar": [],
            "old_id": answer.old_id,
        }
    return {
        "id": answer.version_id,
        "created_at": format_instant(answer.created_at),
        "chunks": len(answer.chunk_ids),
        "facts": list(answer.fact_ids),
        "similar": [{"id": one.id, "title": one.title, "score": round(one.score, 4)} for one in answer.similar],
    }


def add_request(given: Arguments) -> Store:
    """A document of its own."""
    return Store(
        text=given["text"], title=given["title"], collection=given["collection"], kind="document", platform="text"
    )


def add_reply(answer: Stored, _: Arguments) -> Fields:
    """A text is searchable at once: there is no job to wait for."""
    return {"id": answer.version_id, "status": "ready", "job": None}


def about_request(given: Arguments) -> About:
    """Whom or what to tell of, and as of when."""
    return About(entity=given["entity"], as_of=given["as_of"], known_at=given["known_at"], since=given["since"])


def about_reply(known: Known, _: Arguments) -> Fields:
    """What is known about an entity, from every side."""
    return {
        "entity": known.entity,
        "facts": [fact_fields(fact) for fact in known.facts],
        "history": _history(known.changes),
        "relations": [relation_fields(relation) for relation in known.relations],
        "health": _health(known.health),
    }


def fact_fields(fact: Fact) -> Fields:
    """A statement about an entity."""
    return {
        "id": fact.id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.value,
        "valid_from": format_instant(fact.valid.start),
        "valid_to": format_end(fact.valid.end),
        "recorded_at": format_instant(fact.first_recorded_at),
        "confidence": fact.confidence,
        "source": fact.provenance,
    }


def relation_fields(relation: Relation) -> Fields:
    """A relation, under the name it was made with."""
    return {
        "edge_id": relation.relation_id,
        "rel_type": relation.kind,
        "from_id": relation.origin,
        "to_id": relation.target,
        "created_at": format_instant(relation.created_at),
    }


def _history(changes: Changes) -> Fields:
    return {
        "since": format_instant(changes.since),
        "new": [fact_fields(fact) for fact in changes.new],
        "closed": [fact_fields(fact) for fact in changes.closed],
        "corrections": [{"old_id": old.id, "new_id": new.id} for old, new in changes.corrections],
    }


def _health(health: Health) -> Fields:
    return {
        "total": health.total,
        "active": health.active,
        "low_confidence": [fact.id for fact in health.low_confidence],
        "stale": [fact.id for fact in health.stale_high_impact],
        "contradictions": [
            {"ids": [each.fact.id, each.other.id], "severity": each.severity, "suggestion": each.suggestion}
            for each in health.contradictions
        ],
    }


def assert_request(given: Arguments) -> AssertFact:
    """The statement."""
    return AssertFact(
        subject=given["subject"],
        predicate=given["predicate"],
        value=given["object"],
        valid_from=given["valid_from"],
        valid_to=given["valid_to"],
        confidence=given["confidence"],
        provenance=given["source"],
        key=given["key"],
    )


def assert_reply(answer: Asserted, _: Arguments) -> Fields:
    """The fact, and those that say otherwise."""
    return {"id": answer.id, "contradicts": list(answer.contradicts)}


def revise_request(given: Arguments) -> Supersede | CorrectFact:
    """The next version of a memory where a text is given, of a fact where a value is."""
    if given["text"] is None:
        return CorrectFact(id=given["id"], value=given["value"], valid_from=given["valid_from"], reason=given["reason"])
    return Supersede(
        id=given["id"],
        text=given["text"],
        title=given["title"],
        valid_from=given["valid_from"],
        reason=given["reason"],
    )


def revise_reply(answer: Superseded | Corrected, _: Arguments) -> Fields:
    """Both ids: the old one stays readable."""
    return {"old_id": answer.old_id, "new_id": answer.new_id}


def retract_request(given: Arguments) -> Retract:
    """What is no longer true."""
    return Retract(id=given["id"], reason=given["reason"], valid_to=given["valid_to"])


def retract_reply(answer: Retracted, _: Arguments) -> Fields:
    """Since when it is not."""
    return {"id": answer.id, "valid_to": format_instant(answer.valid_to)}


def relate_request(given: Arguments) -> Link | Unlink:
    """The relation to make or to end."""
    if given["remove"]:
        return Unlink(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])
    return Link(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])


def relate_reply(answer: Linked | None, _: Arguments) -> Fields:
    """The relation and its inverse; nothing is left to name once it has ended."""
    if answer is None:
        return {"deleted": True}
    return {"edge_id": answer.relation_id, "inverse_edge_id": answer.inverse_id}


def forget_request(given: Arguments) -> Forget:
    """What to erase."""
    return Forget(ids=(given["id"],))


def forget_reply(answer: Forgotten, _: Arguments) -> Fields:
    """What was erased."""
    return {
        "items": list(answer.item_ids),
        "versions": answer.versions,
        "chunks": answer.chunks,
        "facts": answer.facts,
        "relations": answer.relations,
        "journal_clear": answer.journal_clear,
        "event_id": answer.event_id,
    }


def status_reply(stats: Stats, _: Arguments) -> Fields:
    """What there is."""
    return {
        "version": stats.version,
        "collections": [_collection(each) for each in stats.collections],
        "counts": {
            "memories": stats.memories,
            "facts": stats.facts,
            "relations": stats.relations,
            "chunks": stats.chunks,
        },
        "embedder": {"name": stats.embedder, "dimensions": stats.dimensions},
        "encrypted": stats.encrypted,
        "reviews_pending": stats.reviews_pending,
        "jobs_open": stats.jobs_open,
    }


def _collection(stats: CollectionStats) -> Fields:
    return {"slug": stats.slug, "name": stats.name, "tier": stats.tier, "items": stats.items}


RECALLED = record(
    hits=rows(
        id=TEXT,
        kind=TEXT,
        title=TEXT,
        text=TEXT,
        score=NUMBER,
        collection=TEXT,
        source=TEXT_OR_NULL,
        valid_from=TEXT,
        valid_to=TEXT_OR_NULL,
        recorded_at=TEXT,
        why=OBJECT,
    ),
    llm_tokens=INTEGER,
    truncated=BOOLEAN,
    elapsed_ms=INTEGER,
)
REMEMBERED = record(
    id=TEXT, created_at=TEXT, chunks=INTEGER, facts=IDS, similar=rows(id=TEXT, title=TEXT, score=NUMBER), old_id=TEXT
)
ADDED = record(id=TEXT, status=TEXT, job=TEXT_OR_NULL)
KNOWN = record(entity=TEXT, facts=OBJECTS, history=OBJECT, relations=OBJECTS, health=OBJECT)
ASSERTED = record(id=TEXT, contradicts=IDS)
REVISED = record(old_id=TEXT, new_id=TEXT)
RETRACTED = record(id=TEXT, valid_to=TEXT)
RELATED = record(edge_id=TEXT, inverse_edge_id=TEXT, deleted=BOOLEAN)
FORGOTTEN = record(
    items=IDS, versions=INTEGER, chunks=INTEGER, facts=INTEGER, relations=INTEGER, journal_clear=BOOLEAN, event_id=TEXT
)
STATUS = record(
    version=TEXT,
    collections=rows(slug=TEXT, name=TEXT, tier=TEXT, items=INTEGER),
    counts=OBJECT,
    embedder=OBJECT,
    encrypted=BOOLEAN,
    reviews_pending=INTEGER,
    jobs_open=INTEGER,
)
