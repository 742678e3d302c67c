"""The fields of what verbs return, as `--json` prints them: ids whole, times in RFC 3339, names that stay."""

from typing import Any

from commonplace.core.deciding import Decided
from commonplace.model.access import Collection, Folder, Token, Workspace
from commonplace.model.answer import Forgotten, Review, Stored, Superseded
from commonplace.model.event import Event
from commonplace.model.fact import Fact
from commonplace.model.interval import format_end, format_instant

Fields = dict[str, Any]


def stored_fields(answer: Stored | Superseded) -> Fields:
    """What was put in; its id is that of the version."""
    if isinstance(answer, Superseded):
        return {"id": answer.new_id, "created_at": format_instant(answer.changed_at), "old_id": answer.old_id}
    return {
        "id": answer.version_id,
        "created_at": format_instant(answer.created_at),
        "collection": answer.collection,
        "chunks": len(answer.chunk_ids),
        "facts": list(answer.fact_ids),
        "similar": [{"id": one.id, "title": one.title, "score": one.score} for one in answer.similar],
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


def event_fields(event: Event) -> Fields:
    """A line of the op-log."""
    return {
        "seq": event.seq,
        "id": event.id,
        "recorded_at": format_instant(event.recorded_at),
        "kind": event.kind.value,
        "actor": event.actor,
        "client": event.client,
        "surface": event.surface,
        "subjects": list(event.subjects),
        "hash": event.hash.hex(),
        "previous_hash": event.previous_hash.hex(),
    }


def forgotten_fields(answer: Forgotten) -> Fields:
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


def collection_fields(collection: Collection) -> Fields:
    """A collection."""
    return {
        "id": collection.id,
        "slug": collection.slug,
        "name": collection.name,
        "tier": collection.tier.value,
        "recall_cap": collection.recall_cap,
        "created_at": format_instant(collection.created_at),
    }


def folder_fields(folder: Folder) -> Fields:
    """A folder."""
    return {
        "id": folder.id,
        "name": folder.name,
        "items": folder.item_count,
        "created_at": format_instant(folder.created_at),
    }


def token_fields(token: Token) -> Fields:
    """A token, without its secret."""
    return {
        "id": token.id,
        "prefix": token.prefix,
        "kind": token.kind,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "folders": None if token.folders is None else list(token.folders),
        "kb_only": token.kb_only,
        "created_at": format_instant(token.created_at),
        "expires_at": format_end(token.expires_at),
        "revoked_at": format_end(token.revoked_at),
        "last_used_at": None if token.last_used_at is None else format_instant(token.last_used_at),
    }


def workspace_fields(workspace: Workspace) -> Fields:
    """A workspace."""
    return {
        "id": workspace.id,
        "name": workspace.name,
        "plan": workspace.plan,
        "settings": workspace.settings,
        "created_at": format_instant(workspace.created_at),
    }


def review_fields(review: Review) -> Fields:
    """A question that waits for a person."""
    return {
        "id": review.id,
        "kind": review.kind,
        "suggested": review.suggested,
        "label": review.label,
        "preview": review.preview,
        "client": review.client,
        "candidates": [
            {"slug": slug, "name": name, "score": score, "reason": reason}
            for slug, name, score, reason in review.candidates
        ],
        "state": review.state,
        "created_at": format_instant(review.created_at),
        "expires_at": format_instant(review.expires_at),
    }


def decided_fields(decided: Decided) -> Fields:
    """What came of a review."""
    return {
        "id": decided.id,
        "state": decided.state,
        "stored": None if decided.stored is None else stored_fields(decided.stored),
        "chunk_id": None if decided.applied is None else decided.applied.chunk_id,
    }
