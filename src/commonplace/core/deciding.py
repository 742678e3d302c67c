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
    with app.db.read(caller.workspace_id) as read:
        waits = read.one("review_by_id", id=request.id)
    if not waits:
        return _decide_correction(app, caller, request)
    with app.db.read(caller.workspace_id) as read:
        review, asked = reviews.pending(read, request.id)
        target = exact(read, request.collection) if request.collection else None
        if request.approve and request.collection and not target:
            raise NotFound(f"There is no collection {request.collection}.", name=request.collection)
        taken = exact(read, request.create or review.suggested)
    if not request.approve:
        with app.db.write(caller) as write:
            reviews.close(write, request.id, "rejected", caller, None)
        return Decided(request.id, "rejected")
    if not target:
        target = taken if taken and not request.create else None
    if not target:
        if taken:
            raise Conflict(f"There is already a collection named {taken.name}; approve with --as {taken.slug}.")
        target = create_collection(app, caller, CreateCollection(name=request.create or review.suggested))
    # The key makes a decision that was cut off after the write find what it wrote, and not write again.
    stored = store(app, caller, replace(asked, collection=target.slug, key=f"review:{request.id}"))
    with app.db.write(caller) as write:
        reviews.close(write, request.id, "approved", caller, stored.item_id)
    return Decided(request.id, "approved", stored)


def _decide_correction(app: App, caller: Caller, request: DecideReview) -> Decided:
    if request.approve:
        return Decided(request.id, "applied", applied=proposals.apply(app, caller, Apply(id=request.id)))
    proposals.reject(app, caller, request.id)
    return Decided(request.id, "rejected")
