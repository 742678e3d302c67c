from dataclasses import replace

import pytest
from core_support import folder, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.jobs import ATTEMPTS_MAX, Progress, run_next
from commonplace.core.requests import CancelJob, CountAll, Enqueue, ListJobs
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Job
from commonplace.model.errors import Forbidden, NotFound, Upstream
from commonplace.model.interval import MINUTE, SECOND
from commonplace.store.jobs import Task
from support import FakeClock, rows


def enqueue(app: App, caller: Caller, kind: str = "work", **asked: object) -> str:
    return str(perform(app, caller, Enqueue(kind=kind, **asked)))  # type: ignore[arg-type]


def jobs(app: App, caller: Caller) -> list[Job]:
    return list(perform(app, caller, ListJobs()))


class Worker:
    """Does three steps, or fails, or is stopped; what it was given is kept."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.done: list[Task] = []
        self.went_on: list[bool] = []

    def __call__(self, _app: App, _caller: Caller, task: Task, progress: Progress) -> None:
        self.done.append(task)
        self.went_on += [progress(step, 3) for step in (1, 2, 3)]
        if len(self.done) <= self.failures:
            raise Upstream("The transcriber is away.")


def test_work_waits_its_turn_and_is_done_once(app: App, agent: Caller) -> None:
    first = enqueue(app, agent, payload={"url": "x"}, item_id=None, total=3)
    second = enqueue(app, agent)
    assert [each.id for each in jobs(app, agent)] == [second, first]
    worker = Worker()
    assert run_next(app, agent, {"work": worker}, "w1")
    assert [(task.job.id, task.payload, task.job.attempts) for task in worker.done] == [(first, {"url": "x"}, 1)]
    assert worker.went_on == [True, True, True]
    done = jobs(app, agent)[1]
    assert (done.state, done.done, done.total, done.error) == ("done", 3, 3, None)
    assert perform(app, agent, CountAll()).jobs_open == 1
    assert run_next(app, agent, {"work": worker}, "w1")
    assert not run_next(app, agent, {"work": worker}, "w1")
    assert {row["payload"] for row in rows(app, agent, "job")} == {"{}"}


def test_a_failure_waits_longer_each_time_and_ends_after_the_fifth(app: App, agent: Caller, clock: FakeClock) -> None:
    enqueue(app, agent)
    worker = Worker(failures=99)
    for attempt in range(1, ATTEMPTS_MAX + 1):
        assert run_next(app, agent, {"work": worker}, "w1")
        [job] = jobs(app, agent)
        assert (job.attempts, job.error) == (attempt, "The transcriber is away.")
        assert job.state == ("waiting" if attempt < ATTEMPTS_MAX else "failed")
        clock.advance(10 * SECOND * 4 ** (attempt - 1) - SECOND)
        assert not run_next(app, agent, {"work": worker}, "w1")
        clock.advance(2 * SECOND)
    assert not run_next(app, agent, {"work": worker}, "w1")


def test_work_that_fails_once_succeeds_later(app: App, agent: Caller, clock: FakeClock) -> None:
    enqueue(app, agent)
    worker = Worker(failures=1)
    run_next(app, agent, {"work": worker}, "w1")
    clock.advance(11 * SECOND)
    run_next(app, agent, {"work": worker}, "w1")
    [job] = jobs(app, agent)
    assert (job.state, job.error, job.attempts) == ("done", None, 2)


def test_waiting_work_is_cancelled_at_once(app: App, agent: Caller) -> None:
    job = enqueue(app, agent)
    perform(app, agent, CancelJob(id=job))
    assert [each.state for each in jobs(app, agent)] == ["cancelled"]
    assert not run_next(app, agent, {"work": Worker()}, "w1")
    for unknown in (job, "nothing", "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound, match="no open job"):
            perform(app, agent, CancelJob(id=unknown))


@pytest.mark.parametrize("fails", [True, False])
def test_running_work_is_cancelled_at_its_next_step_and_stays_so(app: App, agent: Caller, *, fails: bool) -> None:
    job = enqueue(app, agent)
    told = []

    def worker(_app: App, _caller: Caller, _task: Task, progress: Progress) -> None:
        told.append(progress(1, 2))
        perform(app, agent, CancelJob(id=job))
        told.append(progress(2, 2))
        if fails:
            raise Upstream

    assert run_next(app, agent, {"work": worker}, "w1")
    assert told == [True, False]
    assert [(each.state, each.done) for each in jobs(app, agent)] == [("cancelled", 1)]
    assert perform(app, agent, CountAll()).jobs_open == 0


def test_work_that_a_dead_worker_left_is_taken_up_by_another(app: App, agent: Caller, clock: FakeClock) -> None:
    enqueue(app, agent)
    second = Worker()
    told = []

    def dying(_app: App, _caller: Caller, _task: Task, progress: Progress) -> None:
        told.append(progress(1, 3))
        assert not run_next(app, agent, {"work": second}, "w2")
        clock.advance(6 * MINUTE)
        assert run_next(app, agent, {"work": second}, "w2")
        told.append(progress(2, 3))

    assert run_next(app, agent, {"work": dying}, "w1")
    assert told == [True, False]
    assert second.done[0].job.attempts == 2
    assert [(each.state, each.done) for each in jobs(app, agent)] == [("done", 3)]


def test_queueing_needs_the_right_to_write(app: App, agent: Caller) -> None:
    """K-AUT-2"""
    job = enqueue(app, agent)
    reader = token(app, scopes=(Scope.READ,))
    for request in (Enqueue(kind="work"), CancelJob(id=job)):
        with pytest.raises(Forbidden):
            perform(app, reader, request)
    assert len(jobs(app, reader)) == 1
    assert replace(jobs(app, reader)[0]).state == "waiting"


def test_a_token_for_some_folders_knows_only_of_work_on_what_it_sees(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    scoped = token(app, folder(app, "Seen"))
    mine = store(app, scoped, "In sight.")
    theirs = store(app, agent, "Out of sight.")
    job_ids = [perform(app, agent, Enqueue(kind="k", item_id=item)) for item in (mine.item_id, theirs.item_id, None)]
    assert [job.id for job in perform(app, scoped, ListJobs())] == [job_ids[0]]
    assert perform(app, scoped, CountAll()).jobs_open == 1
    assert perform(app, agent, CountAll()).jobs_open == 3
    for hidden in job_ids[1:]:
        with pytest.raises(NotFound):
            perform(app, scoped, CancelJob(id=hidden))
    perform(app, scoped, CancelJob(id=job_ids[0]))
