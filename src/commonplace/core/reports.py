"""Counts: what there is, as far as the caller may know."""

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.requests import CountAll
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import CollectionStats, Stats
from commonplace.model.fact import at
from commonplace.store.database import Read
from commonplace.store.search import Filter
from commonplace.store.view import view_of


def count_all(app: App, caller: Caller, _request: CountAll) -> Stats:
    """Count everything the caller may see."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller)
        held = Filter(view, 1, window=at(view.as_of)).parameters
        rows = read.all("collection_counts", **view.parameters)
        counts = {
            name: _count(read, query, name, held)
            for query, name in (
                ("count_versions", "memories"),
                ("count_relations", "relations"),
                ("count_facts", "facts"),
                ("size_of_texts", "characters"),
                ("count_reviews", "reviews"),
                ("count_jobs", "jobs"),
            )
        }
    return Stats(
        memories=counts["memories"],
        relations=counts["relations"],
        chunks=sum(row["chunks"] for row in rows),
        facts=counts["facts"],
        size_bytes=counts["characters"],
        collections=tuple(
            CollectionStats(row["slug"], row["name"], row["tier"], row["items"], row["chunks"], row["llm_tokens"])
            for row in rows
        ),
        embedder=app.embedder.name,
        dimensions=app.embedder.dimensions,
        reviews_pending=counts["reviews"],
        jobs_open=counts["jobs"],
        encrypted=app.db.engine.encrypted,
        location=app.db.engine.location,
    )


def _count(read: Read, query: str, name: str, held: dict[str, object]) -> int:
    row = read.one(query, now=read.now, **held)
    return int(row[name]) if row else 0
