"""Reviews: what a model asked for and only a person decides, and the name resolver that asks."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import exact, visible, writable
from commonplace.core.requests import ListReviews, Store
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Review
from commonplace.model.errors import Ambiguous, Expired, NotFound
from commonplace.model.interval import DAY, MINUTE, Instant
from commonplace.model.names import candidates, name_key
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write

LIFE = 7 * DAY
SAME_WITHIN = 10 * MINUTE
PREVIEW_CHARACTERS = 280

FOR_A_PERSON = "Make it first, or name another."
FOR_A_MODEL = "Tell the person, who decides with `commonplace review`; do not call again."


@dataclass(frozen=True, slots=True)
class Asker:
    """How far the token reaches that asked; it is kept among the words of the store that waits."""

    folders: tuple[str, ...] | None = None
    kb_only: bool = False


def target(app: App, caller: Caller, request: Store) -> str | None:
    """The slug of the collection that a store names; what no collection is called becomes a question to a person."""
    if request.collection is None:
        return None
    with app.db.read(caller.workspace_id) as read:
        name_key(request.collection)
        found = exact(read, request.collection)
        if found and (found.tier != Tier.SENSITIVE or caller.human or request.tell_sensitive):
            return writable(caller, found, request.collection).slug
        known = [(each.slug, each.name) for each in visible(read, caller) if each.tier != Tier.SENSITIVE]
    near = candidates(request.collection, known)
    review_id = None if caller.human else _ask(app, caller, request, near)
    names = ", ".join(f"{each.name}" for each in near) or ", ".join(name for _, name in known)
    raise Ambiguous(
        f"There is no collection named {request.collection}; "
        f"{'the nearest are' if near else 'there are'}: {names}. "
        f"{FOR_A_PERSON if caller.human else FOR_A_MODEL}",
        resolution="ambiguous" if near else "none",
        requested=request.collection,
        candidates=[
            {"slug": each.slug, "name": each.name, "score": round(each.score, 2), "reason": each.reason}
            for each in near
        ],
        existing=[{"slug": slug, "name": name} for slug, name in known],
        pending_review_id=review_id,
        retry=False,
    )


def list_reviews(app: App, caller: Caller, request: ListReviews) -> list[Review]:
    """What waits for a person, oldest first; a limited token sees what it asked for itself."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return waiting(read, caller, request.state)


def waiting(read: Read, caller: Caller, state: str = "pending") -> list[Review]:
    """The reviews of a state that a caller may know of."""
    rows = read.all("reviews", state=state, now=read.now)
    return [_review(row) for row in rows if _may_see(caller, row)]


def asked_from(read: Read, caller: Caller, source: str) -> tuple[str, ...]:
    """The undecided reviews, among those the caller may know of, whose text came from a source."""
    rows = (row for row in read.all("undecided_reviews") if _may_see(caller, row))
    return tuple(row["id"] for row in rows if json.loads(row["request"]).get("provenance") == source)


def pending(read: Read, review_id: str) -> tuple[Review, Store, Asker]:
    """A review that is still to be decided, with what was asked for and how far the asking token reaches."""
    row = read.one("review_by_id", id=review_id)
    if not row or row["state"] != "pending":
        raise NotFound("No review with this id waits for a decision.", id=review_id)
    if row["expires_at"] <= read.now:
        raise Expired("This review is older than seven days; let the client ask again.", id=review_id)
    kept = json.loads(row["request"])
    return _review(row), replace(msgspec.convert(kept, Store), text=row["body"]), msgspec.convert(kept, Asker)


def close(write: Write, review_id: str, state: str, caller: Caller, item_id: str | None) -> None:
    """Decide a review once; its words are erased with the decision."""
    write.run("expire_reviews", now=write.now)
    if not write.run(
        "close_review", id=review_id, state=state, decided_at=write.now, decided_by=caller.actor, item_id=item_id
    ):
        raise NotFound("No review with this id waits for a decision.", id=review_id)


def _ask(app: App, caller: Caller, request: Store, near: list[Any]) -> str:
    asked: dict[str, Any] = msgspec.to_builtins(replace(request, text="", vector=None))
    asked |= msgspec.to_builtins(Asker(caller.folders, caller.kb_only))
    with app.db.write(caller) as write:
        same = write.keyed_hash(
            "review",
            "\n".join((caller.client or caller.actor, name_key(request.collection or ""), _digest(request.text))),
        )
        held = write.one("same_review", same_hash=same, since=write.now - SAME_WITHIN)
        if held:
            return str(held["id"])
        write.run("expire_reviews", now=write.now)
        review_id = write.new_id()
        write.run(
            "insert_review",
            id=review_id,
            kind="collection",
            suggested=request.collection,
            label=request.title,
            body=request.text,
            preview=request.text[:PREVIEW_CHARACTERS],
            request=json.dumps(asked),
            candidates=json.dumps([[each.slug, each.name, each.score, each.reason] for each in near]),
            actor=caller.actor,
            client=caller.client,
            same_hash=same,
            created_at=write.now,
            expires_at=write.now + LIFE,
            state="pending",
            decided_at=None,
            decided_by=None,
            item_id=None,
        )
    return review_id


def _may_see(caller: Caller, row: Row) -> bool:
    limited = caller.folders is not None or caller.kb_only
    return not limited or bool(row["actor"] == caller.actor)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _review(row: Row) -> Review:
    return Review(
        row["id"],
        row["kind"],
        row["suggested"],
        row["label"],
        row["preview"],
        row["client"],
        tuple((slug, name, score, reason) for slug, name, score, reason in json.loads(row["candidates"])),
        row["state"],
        Instant(row["created_at"]),
        Instant(row["expires_at"]),
    )
