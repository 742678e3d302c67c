"""Long work: queueing it, taking it up, and ending it."""

from collections.abc import Callable, Mapping

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.requests import CancelJob, Enqueue, ListJobs
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Job
from commonplace.model.errors import CommonplaceError, NotFound
from commonplace.model.interval import MINUTE, SECOND, Instant
from commonplace.store import jobs as stored
from commonplace.store.jobs import Task

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
    """Pieces of work, newest first."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return stored.jobs(read, SHOWN_MAX)


def cancel_job(app: App, caller: Caller, request: CancelJob) -> None:
    """Stop a piece of work: at once if it waits, at its next step if it runs."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        if not stored.cancel_job(write, request.id):
            raise NotFound("There is no open job with this id.", id=request.id)


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
