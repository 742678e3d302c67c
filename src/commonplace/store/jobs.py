"""Long work: a table that any process takes its next piece from, and gives it back when it dies."""

import json
from dataclasses import dataclass
from typing import Any

from commonplace.model.answer import Job
from commonplace.model.interval import Instant
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work with what it needs to know."""

    job: Job
    payload: dict[str, Any]


def insert_job(write: Write, kind: str, payload: dict[str, Any], item_id: str | None, total: int) -> str:
    """Put a piece of work in the queue."""
    job_id = write.new_id()
    write.run(
        "insert_job",
        id=job_id,
        kind=kind,
        state="waiting",
        payload=json.dumps(payload),
        done=0,
        total=total,
        attempts=0,
        run_at=write.now,
        lease_until=0,
        worker=None,
        error=None,
        cancelled=False,
        item_id=item_id,
        created_at=write.now,
        updated_at=write.now,
    )
    return job_id


def claim_job(write: Write, worker: str, lease_us: int) -> Task | None:
    """Take the next piece of work that waits, or that a dead worker left; the chain's head keeps others out."""
    row = write.one("next_job", now=write.now)
    if not row:
        return None
    write.run("claim_job", id=row["id"], worker=worker, lease_until=write.now + lease_us, now=write.now)
    return Task(_job({**row, "state": "running", "attempts": row["attempts"] + 1}), json.loads(row["payload"]))


def advance_job(write: Write, job_id: str, worker: str, done: int, total: int, lease_us: int) -> bool:
    """Say how far a piece of work is; False where it was cancelled or taken over."""
    lease = write.now + lease_us
    return (
        write.run("advance_job", id=job_id, worker=worker, done=done, total=total, lease_until=lease, now=write.now) > 0
    )


def end_job(write: Write, job_id: str, worker: str, state: str, error: str | None, run_at: Instant) -> None:
    """End a piece of work, or let it wait for another try."""
    write.run("end_job", id=job_id, worker=worker, state=state, error=error, run_at=run_at, now=write.now)


def cancel_job(write: Write, job_id: str) -> bool:
    """Ask a piece of work to stop; whether there was any to stop."""
    return write.run("cancel_job", id=job_id, now=write.now) > 0


def jobs(read: Read, limit: int) -> list[Job]:
    """Pieces of work, newest first."""
    return [_job(row) for row in read.all("jobs", limit=limit)]


def _job(row: Row) -> Job:
    return Job(
        row["id"],
        row["kind"],
        row["state"],
        row["done"],
        row["total"],
        row["attempts"],
        row["error"],
        Instant(row["created_at"]),
        row["item_id"],
    )
