"""Corrections: a proposal shows what a chunk would say, and only applying it changes the text."""

import hashlib
from dataclasses import replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import absent, require_within
from commonplace.core.indexing import Text, entries, piece_of, place_again
from commonplace.core.names import identify
from commonplace.core.requests import Apply, Propose
from commonplace.ingest.chunk import llm_tokens
from commonplace.ingest.rewrite import FORMS, line_diff
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Applied, Proposed
from commonplace.model.errors import Conflict, Expired, Invalid, Upstream
from commonplace.model.event import EventKind
from commonplace.model.interval import MINUTE, Instant
from commonplace.store import index, items
from commonplace.store.connection import Row
from commonplace.store.database import Read
from commonplace.store.items import Piece, StoredChunk
from commonplace.store.view import LATEST, View, unveiled, view_of

LIFE = 10 * MINUTE
WORDING_BYTES_MAX = 4096


def propose(app: App, caller: Caller, request: Propose) -> Proposed:
    """Show what a chunk would say after a correction in words; nothing but the proposal is written."""
    require(caller, Scope.WRITE)
    if not request.proposal.strip():
        raise Invalid("proposal is required", param="proposal", reason="empty")
    if len(request.proposal.encode()) > WORDING_BYTES_MAX:
        raise Invalid(f"proposal must be at most {WORDING_BYTES_MAX} bytes", param="proposal", reason="too_large")
    with app.db.read(caller.workspace_id) as read:
        found = _chunk(read, view_of(read, caller), request)
    proposed, method = _rewritten(app, found.chunk.text, request)
    if proposed == found.chunk.text:
        raise Conflict("The correction would change nothing.", reason="no_change")
    with app.db.write(caller) as write:
        if _chunk(write, view_of(write, caller), request) != found:
            raise Conflict("The chunk has just changed; propose it again.", reason="stale", chunk_id=found.chunk.id)
        proposal_id = write.new_id()
        write.run(
            "insert_proposal",
            id=proposal_id,
            chunk_id=found.chunk.id,
            item_id=found.item_id,
            content_id=found.content_id,
            wording=request.proposal,
            proposed=proposed,
            method=method,
            model=None,
            actor=caller.actor,
            created_at=write.now,
            expires_at=write.now + LIFE,
            state="open",
            event_id=None,
        )
        made_at = write.now
    return _shown(
        {
            "id": proposal_id,
            "chunk_id": found.chunk.id,
            "proposed": proposed,
            "method": method,
            "created_at": made_at,
            "expires_at": made_at + LIFE,
        },
        found.chunk.text,
    )


def apply(app: App, caller: Caller, request: Apply) -> Applied:
    """Make a proposed correction the text of its chunk, in one write with its index."""
    require(caller, Scope.WRITE)
    with app.db.read(caller.workspace_id) as read:
        row, found, version_id = _open(read, caller, request)
        following = [
            c for c in items.chunks_of_version(read, version_id, LATEST) if c.chunk.ordinal >= found.chunk.ordinal
        ]
        before = [c for c in items.chunks_of_version(read, version_id, LATEST) if c.chunk.ordinal < found.chunk.ordinal]
    new = Piece(
        found.chunk.id,
        app.ids.new(),
        found.chunk.ordinal,
        found.chunk.headings,
        row["proposed"],
        llm_tokens(row["proposed"]),
    )
    pieces = [new, *(piece_of(each) for each in following[1:2])]
    made = entries(app, found.title, pieces, before[-1].chunk.text if before else "")
    with app.db.write(caller) as write:
        row, again, version_id = _open(write, caller, request)
        whole = items.chunks_of_version(write, version_id, LATEST)
        if again != found or [c.content_id for c in whole if c.chunk.ordinal >= found.chunk.ordinal] != [
            c.content_id for c in following
        ]:
            raise Conflict("The chunk has changed since the proposal.", reason="stale", chunk_id=found.chunk.id)
        write.many("insert_content", [{"id": new.content_id, "body": new.text}])
        write.replace("chunk", new.id, content_id=new.content_id, llm_tokens=new.llm_tokens)
        text = "".join(new.text if each.chunk.id == new.id else each.chunk.text for each in whole)
        write.replace("version", version_id, content_hash=hashlib.sha256(text.encode()).hexdigest())
        place_again(app, write, made, index.settle(write, items=[found.item_id]))
        event = write.record(EventKind.CORRECTION, found.item_id, version_id, new.id)
        write.run("close_proposal", id=row["id"], state="applied", event_id=event.id)
    return Applied(new.id, event.id)


def reject(app: App, caller: Caller, proposal_id: str) -> None:
    """Close a proposal without applying it."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        row, _, _ = _open(write, caller, Apply(id=proposal_id))
        write.run("close_proposal", id=row["id"], state="rejected", event_id=None)


def open_proposals(read: Read, view: View) -> list[Proposed]:
    """The corrections that wait, oldest first, of what the caller may see."""
    found = []
    for row in read.all("open_proposals", now=read.now):
        chunk = items.chunk_by_id(read, view, row["chunk_id"])
        if chunk and chunk.content_id == row["content_id"]:
            found.append(_shown(row, chunk.chunk.text))
    return found


def text_before(read: Read, chunk_id: str, content_id: str) -> Text:
    """The text of a version once one of its chunks points to an earlier content again."""
    found, held = items.chunk_by_id(read, _everything(read), chunk_id), read.one("content_by_id", id=content_id)
    assert found, "its event was not forgotten"
    assert held, "its event was not forgotten"
    pieces = [piece_of(each) for each in items.chunks_of_version(read, found.chunk.version_id, LATEST)]
    before = {"content_id": content_id, "text": held["body"], "llm_tokens": llm_tokens(held["body"])}
    return found.title, tuple(replace(each, **before) if each.id == chunk_id else each for each in pieces)


def _rewritten(app: App, text: str, request: Propose) -> tuple[str, str]:
    failed: Upstream | None = None
    for rewriter in app.rewriters:
        if request.methods is not None and rewriter.method not in request.methods:
            continue
        try:
            proposed = rewriter.rewrite(text, request.proposal)
        except Upstream as error:
            failed = error
            continue
        if proposed is not None:
            return proposed, rewriter.method
    if failed:
        raise failed
    raise Invalid(
        f"The correction cannot be read; say it in one of these forms, values in quotes: {'; '.join(FORMS)}.",
        reason="cannot_rewrite",
        forms=list(FORMS),
    )


def _open(read: Read, caller: Caller, request: Apply) -> tuple[Row, StoredChunk, str]:
    """A proposal that may still be applied, its chunk as it stands, and the version it belongs to."""
    thing = identify(read, request.id)
    row = read.one("proposal_by_id", id=thing) if thing else None
    view = view_of(read, caller)
    chunk = items.chunk_by_id(read, view, row["chunk_id"]) if row else None
    if not row or not chunk:
        kept_back = request.tell_sensitive and row and items.chunk_by_id(read, unveiled(view), row["chunk_id"])
        raise absent("Correction", request.id, kept_back=kept_back)
    require_within(read, request.within, chunk.collection)
    if row["state"] != "open":
        raise Conflict(f"The correction was already {row['state']}.", reason="used", event_id=row["event_id"])
    if row["expires_at"] <= read.now:
        raise Expired("The correction is older than ten minutes; propose it again.", expires_at=row["expires_at"])
    if chunk.content_id != row["content_id"] or chunk.valid_to <= read.now:
        raise Conflict("The chunk has changed since the proposal.", reason="stale", chunk_id=chunk.chunk.id)
    return row, chunk, chunk.chunk.version_id


def _chunk(read: Read, view: View, request: Propose) -> StoredChunk:
    thing = identify(read, request.chunk_id)
    found = items.chunk_by_id(read, view, thing) if thing else None
    if not found or found.valid_to <= view.as_of:
        kept_back = request.tell_sensitive and thing and not found and items.chunk_by_id(read, unveiled(view), thing)
        raise absent("Chunk", request.chunk_id, kept_back=kept_back)
    require_within(read, request.within, found.collection)
    return found


def _everything(read: Read) -> View:
    return View(True, False, (), False, read.now, LATEST, True)


def _shown(row: Row, original: str) -> Proposed:
    return Proposed(
        row["id"],
        row["chunk_id"],
        original,
        row["proposed"],
        line_diff(original, row["proposed"]),
        row["method"],
        Instant(row["created_at"]),
        Instant(row["expires_at"]),
    )
