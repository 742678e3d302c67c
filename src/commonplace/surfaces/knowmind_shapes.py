"""What the knowmind tools ask for, and how their answers and errors read: pure functions, and the schemas of those."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from commonplace.core.requests import Link, Recall, RelationsOf, Store, Supersede, Unlink
from commonplace.model.answer import Hit, Linked, Ready, Recalled, Relation, Stats, Stored, Superseded
from commonplace.model.errors import CommonplaceError, TooLarge
from commonplace.model.interval import FOREVER, format_second
from commonplace.model.names import shorten
from commonplace.surfaces.contract import (
    INTEGER,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    Arguments,
    Fields,
    Result,
    RpcError,
    Schema,
    Tool,
    envelope,
    json_safe,
    kind_of,
    record,
    rows,
)

CONTRACT_LEVEL = "0.3.0"
HOPS_BACK_THEN = 2
TITLE_CHARS_MAX = 500
NOTE_BYTES_MAX = 102_400
DOCUMENT_BYTES_MAX = 10_485_760
STORE, UPLOAD = "knowmind.store_memory", "knowmind.upload_document"

LAST_PART = re.compile(r"[^/\\]+(?=[/\\]*$)")
URL_TAIL = re.compile(r"(?<=://)([^?#]*)[?#].*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wire:
    """An error on the wire: its code, the sentence it is told in, and what its data say where the error does not."""

    code: int
    reason: str
    message: str = "{message}"
    status: int = 200
    facts: Mapping[str, object] = field(default_factory=dict)


INVALID = Wire(-32602, "invalid", "Invalid params: {message}")
UNAVAILABLE = Wire(503, "unavailable", "Service unavailable: {component}", 503, {"component": "store"})
CONTENT_TOO_LARGE = Wire(413, "too_large", "Content too large: {size_bytes} bytes, at most {limit_bytes}")

ERRORS: Mapping[str, Wire] = {
    "invalid": INVALID,
    "too_large": INVALID,
    "conflict": INVALID,
    "ambiguous": INVALID,
    "expired": INVALID,
    "constraint": Wire(400, "constraint"),
    "unauthenticated": Wire(401, "invalid_token", "Bearer token missing or invalid", 401),
    "quota": Wire(402, "plan_limit"),
    "forbidden": Wire(403, "forbidden"),
    "not_found": Wire(404, "not_found"),
    "rate_limited": Wire(
        429, "rate_limited", "Rate limit exceeded, retry in {retry_after_sec} s", 429, {"retry_after_sec": 1}
    ),
    "upstream": Wire(-32000, "provider_error", "Provider error: {provider}", facts={"provider": "model"}),
    "unavailable": UNAVAILABLE,
    "damaged": UNAVAILABLE,
    "internal": Wire(-32603, "internal", "Internal error"),
}
STATUSES = frozenset({400, 402, 403, 404, 413})
RENAMED = {"retry_after_s": "retry_after_sec"}


def wire_error(error: CommonplaceError, tool: Tool | None) -> RpcError:
    """Every error is one of JSON-RPC, under the integer that the contract documents."""
    wire = _wire(error, tool)
    facts = {RENAMED.get(name, name): value for name, value in json_safe(error.facts).items()}
    told = {**wire.facts, **facts}
    if told.get("param") == "text":
        told["param"] = "new_content"
    status = {"status": wire.code} if wire.code in STATUSES else {}
    headers = {"Retry-After": str(told["retry_after_sec"])} if "retry_after_sec" in told else {}
    message = wire.message.format_map({"message": error.message, **told}) + _hint(error, tool)
    return RpcError(wire.code, message, {**status, "reason": wire.reason, **told}, wire.status, headers)


def _wire(error: CommonplaceError, tool: Tool | None) -> Wire:
    """A document that is too large has a code of its own; all else goes by its kind."""
    is_document = tool is not None and tool.name == UPLOAD and "limit_bytes" in error.facts
    return CONTENT_TOO_LARGE if is_document else ERRORS[kind_of(error)]


def _hint(error: CommonplaceError, tool: Tool | None) -> str:
    is_note = tool is not None and tool.name == STORE and "limit_bytes" in error.facts
    return f" Longer texts go to {UPLOAD}." if is_note and isinstance(error, TooLarge) else ""


def bare_envelope(tool: Tool, fields: Fields) -> Result:
    """The documented fields stand in the result itself, before what MCP adds to them."""
    return {**fields, **envelope(tool, fields)}


def recall_request(given: Arguments) -> Recall:
    """What holds now."""
    return Recall(text=given["query"], limit=given["k"], hops=given["hops"], tags=given["tags"], whole_notes=True)


def recall_reply(answer: Recalled, _: Arguments) -> Fields:
    """The hits, best first."""
    slugs = _slugs(answer)
    hits = [{**_said(hit), **_rated(hit), **_place(hit, slugs)} for hit in answer.hits]
    return {"hits": hits, "elapsed_ms": answer.elapsed_ms}


def recall_at_time_request(given: Arguments) -> Recall:
    """What held at a moment."""
    return Recall(
        text=given["query"],
        limit=given["k"],
        hops=HOPS_BACK_THEN,
        as_of=given["as_of"],
        known_at=given["known_at"],
        whole_notes=True,
    )


def recall_at_time_reply(answer: Recalled, _: Arguments) -> Fields:
    """The hits, each with the time over which it holds."""
    slugs = _slugs(answer)
    hits = [{**_said(hit), **_validity(hit), **_rated(hit), **_place(hit, slugs)} for hit in answer.hits]
    return {"hits": hits, "elapsed_ms": answer.elapsed_ms}


def _slugs(answer: Recalled) -> dict[str, str]:
    return {hit.id: hit.slug or hit.id for hit in answer.hits}


def _said(hit: Hit) -> Fields:
    return {"memory_id": hit.slug or hit.id, "title": hit.title, "content": hit.text}


def _rated(hit: Hit) -> Fields:
    return {"score": round(hit.score, 4), "source": hit.source}


def _validity(hit: Hit) -> Fields:
    end = hit.valid.end
    return {"valid_from": format_second(hit.valid.start), "valid_to": None if end == FOREVER else format_second(end)}


def _place(hit: Hit, slugs: Mapping[str, str]) -> Fields:
    """Which section answers for a document, and the way to what only relations led to: over better hits."""
    section: Fields = {} if hit.chunk_index is None else {"chunk_index": hit.chunk_index}
    return {**section, "via": [slugs.get(each, each) for each in hit.via]} if hit.via else section


def list_relations_request(given: Arguments) -> RelationsOf:
    """Whose relations."""
    return RelationsOf(id=given["memory_id"])


def list_relations_reply(answer: list[Relation], _: Arguments) -> Fields:
    """The relations that start here and those that end here."""
    return {
        "outgoing": [_relation(each, "to", "from") for each in answer if each.outgoing],
        "incoming": [_relation(each, "from", "to") for each in answer if not each.outgoing],
    }


def _relation(relation: Relation, far: str, near: str) -> Fields:
    ends = {
        "from": relation.origin_slug or relation.origin,
        "to": relation.target_slug or relation.target,
    }
    return {
        "rel_type": relation.kind,
        far: ends[far],
        near: ends[near],
        "created_at": format_second(relation.created_at),
        "edge_id": relation.slug or relation.relation_id,
        "inverse_edge_id": relation.inverse_slug or relation.inverse_id,
    }


def health_reply(answer: Ready, _: Arguments) -> Fields:
    """The level of the contract that is served, and what serves it."""
    return {
        "status": "ok",
        "service": "memory",
        "version": CONTRACT_LEVEL,
        "product": "commonplace",
        "product_version": answer.version,
    }


def stats_reply(answer: Stats, _: Arguments) -> Fields:
    """The three counts."""
    return {"memories": answer.memories, "edges": answer.relations, "chunks": answer.chunks}


def store_memory_request(given: Arguments) -> Store:
    """A note."""
    return Store(
        text=given["content"],
        title=given["title"],
        memory_type=given["memory_type"],
        tags=given["tags"],
        provenance=given["source"],
    )


def store_memory_reply(answer: Stored, _: Arguments) -> Fields:
    """Its id and the moment from which it holds."""
    return {"memory_id": answer.slug or answer.version_id, "created_at": format_second(answer.created_at)}


def upload_document_request(given: Arguments) -> Store:
    """A document; without a title it is called as its source is."""
    title = given["title"] or _last_part(given["source"])
    return Store(text=given["content"], title=title, kind="document", platform="text", provenance=given["source"])


def upload_document_reply(answer: Stored, _: Arguments) -> Fields:
    """All of its sections can be found when this is told."""
    return {
        "document_id": answer.slug or answer.version_id,
        "chunks": len(answer.chunk_ids),
        "status": "indexed",
    }


def _last_part(source: str | None) -> str | None:
    found = LAST_PART.search(URL_TAIL.sub(r"\1", source or ""))
    return shorten(found[0], TITLE_CHARS_MAX) if found else None


def update_fact_request(given: Arguments) -> Supersede:
    """The next version."""
    return Supersede(
        id=given["target_id"],
        text=given["new_content"],
        title=given["new_title"],
        reason=given["update_reason"],
        note_bytes_max=NOTE_BYTES_MAX,
    )


def update_fact_reply(answer: Superseded, _: Arguments) -> Fields:
    """Both versions and the relation between them."""
    return {
        "old_memory_id": answer.old_slug or answer.old_id,
        "new_memory_id": answer.new_slug or answer.new_id,
        "supersedes_edge": answer.relation_slug or answer.relation_id,
    }


def link_request(given: Arguments) -> Link:
    """The relation to make."""
    return Link(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])


def link_reply(answer: Linked, _: Arguments) -> Fields:
    """The relation and its inverse."""
    return {
        "edge_id": answer.slug or answer.relation_id,
        "inverse_edge_id": answer.inverse_slug or answer.inverse_id,
    }


def unlink_request(given: Arguments) -> Unlink:
    """The relation to end."""
    return Unlink(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])


def unlink_reply(_: None, __: Arguments) -> Fields:
    """It is gone, or there was an error."""
    return {"deleted": True}


ELAPSED: Schema = {"type": "integer", "minimum": 0}
IDS: Schema = {"type": "array", "items": TEXT}
HIT = {"memory_id": TEXT, "title": TEXT, "content": TEXT, "score": NUMBER, "source": TEXT_OR_NULL}
FOUND_BY = {"chunk_index": INTEGER, "via": IDS}
ENDS = {"rel_type": TEXT, "from": TEXT, "to": TEXT, "created_at": TEXT, "edge_id": TEXT, "inverse_edge_id": TEXT}

RECALLED = record(hits=rows(**HIT, **FOUND_BY), elapsed_ms=ELAPSED)
RECALLED_AT_TIME = record(
    hits=rows(**HIT, valid_from=TEXT, valid_to=TEXT_OR_NULL, **FOUND_BY),
    elapsed_ms=ELAPSED,
)
RELATIONS = record(outgoing=rows(**ENDS), incoming=rows(**ENDS))
HEALTH = record(status=TEXT, service=TEXT, version=TEXT, product=TEXT, product_version=TEXT)
STATS = record(memories=INTEGER, edges=INTEGER, chunks=INTEGER)
STORED = record(memory_id=TEXT, created_at=TEXT)
UPLOADED = record(document_id=TEXT, chunks=INTEGER, status=TEXT)
UPDATED = record(old_memory_id=TEXT, new_memory_id=TEXT, supersedes_edge=TEXT)
LINKED = record(edge_id=TEXT, inverse_edge_id=TEXT)
UNLINKED = record(deleted={"type": "boolean"})
