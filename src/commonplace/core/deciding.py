"""What a person decides: where a text goes that a model could not place, and whether a correction is applied."""

from dataclasses import dataclass, replace

from commonplace.core import proposals, reviews
from commonplace.core.access import require_person
from commonplace.core.app import App
from commonplace.core.collections import create_collection, exact
from commonplace.core.items import store
from commonplace.core.requests import Apply, CreateCollection, DecideReview
from commonplace.model.access import Caller
from commonplace.model.answer import Applied, Stored
from commonplace.model.errors import Conflict, NotFound
from commonplace.model.ids import parse
from commonplace.store.database import Read


@dataclass(frozen=True, slots=True)
class Decided:
    """What came of a review."""

    id: str
    state: str
    stored: Stored | None = None
    applied: Applied | None = None


def decide_review(app: App, caller: Caller, request: DecideReview) -> Decided:
    """Approve or reject what waits; an approved text is written once, into a new collection if asked."""
    require_person(caller)
    review_id = parse(request.id)
    with app.db.read(caller.workspace_id) as read:
        waits = read.one("review_by_id", id=review_id) if review_id else None
    if not review_id or not waits:
        return _decide_correction(app, caller, request)
    with app.db.read(caller.workspace_id) as read:
        review, asked, asker = reviews.pending(read, review_id)
        folders = _standing(read, asker.folders)
        target = exact(read, request.collection) if request.collection else None
        if request.approve and request.collection and not target:
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        taken = exact(read, request.create or review.suggested)
    if not request.approve:
        with app.db.write(caller) as write:
            reviews.close(write, review_id, "rejected", caller, None)
        return Decided(review_id, "rejected")
    if not target:
        target = taken if taken and not request.create else None
    if not target:
        if taken:
            raise Conflict(f"There is already a collection named {taken.name}; approve with --as {taken.slug}.")
        target = create_collection(app, caller, CreateCollection(name=request.create or review.suggested))
    # The key makes a decision that was cut off after the write find what it wrote, and not write again.
    writer = replace(caller, client=review.client, folders=folders, kb_only=asker.kb_only)
    stored = store(app, writer, replace(asked, collection=target.slug, key=f"review:{review_id}"))
    with app.db.write(caller) as write:
        reviews.close(write, review_id, "approved", caller, stored.item_id)
    return Decided(review_id, "approved", stored)


def _standing(read: Read, folders: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The folders of the token that asked, unless one of them is gone: then the text is filed nowhere."""
    known = {row["id"] for row in read.all("folder_ids")}
    return folders if folders is not None and known.issuperset(folders) else None


def _decide_correction(app: App, caller: Caller, request: DecideReview) -> Decided:
    if request.approve:
        return Decided(request.id, "applied", applied=proposals.apply(app, caller, Apply(id=request.id)))
    proposals.reject(app, caller, request.id)
    return Decided(request.id, "rejected")
