"""Long work: queueing it, taking it up, and ending it."""

from collections.abc import Callable, Mapping

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.requests import CancelJob, Enqueue, ListJobs
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Job
from commonplace.model.errors import CommonplaceError, NotFound
from commonplace.model.ids import parse
from commonplace.model.interval import MINUTE, SECOND, Instant
from commonplace.store import jobs as stored
from commonplace.store.database import Read
from commonplace.store.jobs import Task
from commonplace.store.view import view_of

LEASE = 5 * MINUTE
ATTEMPTS_MAX = 5
FIRST_PAUSE = 10 * SECOND
SHOWN_MAX = 100

Progress = Callable[[int, int], bool]
Worker = Callable[[App, Caller, Task, Progress], None]


def enqueue(app: App, caller: Caller, request: Enqueue) -> str:
    """Queue a piece of work; its id."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        return stored.insert_job(write, request.kind, dict(request.payload), request.item_id, request.total)


def list_jobs(app: App, caller: Caller, _request: ListJobs) -> list[Job]:
    """Pieces of work, newest first; a token for some folders sees those of what it sees."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return [job for job in stored.jobs(read, SHOWN_MAX) if _in_sight(read, caller, job.item_id)]


def cancel_job(app: App, caller: Caller, request: CancelJob) -> None:
    """Stop a piece of work: at once if it waits, at its next step if it runs."""
    require(caller, Scope.WRITE)
    job_id = parse(request.id)
    with app.db.write(caller) as write:
        row = write.one("job_item", id=job_id) if job_id else None
        if (
            not job_id
            or not row
            or not _in_sight(write, caller, row["item_id"])
            or not stored.cancel_job(write, job_id)
        ):
            raise NotFound("There is no open job with this id.", id=request.id)


def open_jobs(read: Read, caller: Caller) -> int:
    """How many pieces of work that the caller may know of are not done."""
    waiting = {"waiting", "running"}
    return sum(job.state in waiting and _in_sight(read, caller, job.item_id) for job in stored.jobs(read, SHOWN_MAX))


def _in_sight(read: Read, caller: Caller, item_id: str | None) -> bool:
    """Work on an item is known to who may see the item; other work to who sees the whole library."""
    if item_id is None:
        return caller.folders is None
    return read.one("item_of", id=item_id, **view_of(read, caller).parameters) is not None


def run_next(app: App, caller: Caller, workers: Mapping[str, Worker], name: str) -> bool:
    """Take the next piece of work and do it; whether there was any. A failure waits longer each time, five times."""
    with app.db.write(caller) as write:
        task = stored.claim_job(write, name, LEASE)
    if task is None:
        return False

    def progress(done: int, total: int) -> bool:
        with app.db.write(caller) as write:
            return stored.advance_job(write, task.job.id, name, done, total, LEASE)

    error: str | None = None
    try:
        workers[task.job.kind](app, caller, task, progress)
    except CommonplaceError as failure:
        error = failure.message
    with app.db.write(caller) as write:
        again = error is not None and task.job.attempts < ATTEMPTS_MAX
        state = "waiting" if again else ("failed" if error else "done")
        pause = FIRST_PAUSE * 4 ** (task.job.attempts - 1) if again else 0
        stored.end_job(write, task.job.id, name, state, error, Instant(write.now + pause))
    return True
