"""What there is, as far as the caller may know, and whether it can be reached."""

from commonplace import __version__
from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.jobs import open_jobs
from commonplace.core.requests import CheckReady, CountAll
from commonplace.core.reviews import waiting
from commonplace.core.workspaces import list_workspaces, workspace_of
from commonplace.model.access import NOBODY, Caller, Scope
from commonplace.model.answer import CollectionStats, Ready, Stats
from commonplace.model.fact import live
from commonplace.model.names import collection_slug
from commonplace.store.database import Read
from commonplace.store.search import Filter
from commonplace.store.view import view_of


def count_all(app: App, caller: Caller, _request: CountAll) -> Stats:
    """Count everything the caller may see."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller)
        held = Filter(view, 1, window=live(view.as_of)).parameters
        rows = read.all("collection_counts", **view.parameters)
        counts = {
            name: _count(read, query, name, held)
            for query, name in (
                ("count_versions", "memories"),
                ("count_relations", "relations"),
                ("count_sections", "sections"),
                ("count_facts", "facts"),
                ("size_of_texts", "bytes"),
            )
        }
        reviews, jobs = len(waiting(read, caller)), open_jobs(read, caller)
    return Stats(
        memories=counts["memories"],
        relations=counts["relations"] + counts["sections"],
        chunks=sum(row["chunks"] for row in rows),
        facts=counts["facts"],
        size_bytes=counts["bytes"],
        collections=tuple(
            CollectionStats(row["slug"], row["name"], row["tier"], row["items"], row["chunks"], row["llm_tokens"])
            for row in rows
        ),
        embedder=app.embedder.name,
        dimensions=app.embedder.dimensions,
        reviews_pending=reviews,
        jobs_open=jobs,
        encrypted=app.db.engine.encrypted,
        location=_location(app, caller),
        version=__version__,
    )


def check_ready(app: App, caller: Caller, _request: CheckReady) -> Ready:
    """Reach the store, the caller's own where there is a caller, and tell nothing of it; else the error says why."""
    list_workspaces(app)
    if caller.workspace_id != NOBODY.workspace_id:
        with app.db.read(caller.workspace_id) as read:
            assert read.head, "it raises where there is none"
    return Ready(__version__)


def _location(app: App, caller: Caller) -> str:
    """The real place is told to those who keep the store, not to every token."""
    if caller.may(Scope.ADMIN):
        return app.db.engine.location
    return f"commonplace://{collection_slug(workspace_of(app, caller.workspace_id).name)}"


def _count(read: Read, query: str, name: str, held: dict[str, object]) -> int:
    row = read.one(query, now=read.now, **held)
    return int(row[name]) if row else 0
