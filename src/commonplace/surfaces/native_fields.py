"""The fields of things that our own routes and the command line tell of alike: ids whole, times in RFC 3339."""

from commonplace.model.access import Collection, Token, Workspace
from commonplace.model.answer import Review
from commonplace.model.event import Event
from commonplace.model.interval import format_end, format_instant
from commonplace.surfaces.contract import Fields


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
