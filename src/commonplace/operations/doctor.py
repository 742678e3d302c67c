"""An examination of an install: what it runs on, what it can reach, and whether anything is out of order."""

import os
import platform
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import commonplace_embed

from commonplace import __version__
from commonplace.auth.keys import Keys
from commonplace.core.app import App
from commonplace.core.workspaces import list_workspaces
from commonplace.model.access import Workspace
from commonplace.model.errors import CommonplaceError
from commonplace.model.interval import MINUTE, Instant, format_instant
from commonplace.retrieval.embed import verify_digests
from commonplace.store.sqlite import file_of

PYTHON_MIN = (3, 11)
POSTGRES_MIN = (15,)
PGVECTOR_MIN = (0, 8)
SYNCS = 8
SYNC_BYTES = 4096
SYNCS_PER_S_MIN = 20
FREE_BYTES_MIN = 512 * 1024**2
CLOCK_SLACK = 1 * MINUTE


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    says: str


def examine(data_dir: Path, keys: Keys | None, opening: AbstractContextManager[App] | None) -> list[Check]:
    """Look at everything. `keys` is None on PostgreSQL, `opening` where there is no store yet."""
    checks = [*_versions(), _model(), *_folder(data_dir)]
    if opening is None:
        return [*checks, Check("store", True, f"There is no store in {data_dir} yet; `commonplace serve` makes one.")]
    checks += [] if keys is None else [_key(keys)]
    try:
        with opening as app:
            checks += [_server_disk()] if keys is None else _files(app, data_dir)
            checks += _store(app)
    except CommonplaceError as error:
        checks.append(Check("store", False, error.message))
    return checks


def _versions() -> Iterator[Check]:
    version = platform.python_version()
    yield Check("commonplace", True, f"Commonplace {__version__}.")
    yield Check("python", _at_least(version, PYTHON_MIN), f"Python {version} on {platform.system()}.")


def _model() -> Check:
    try:
        verify_digests(commonplace_embed.FOLDER, commonplace_embed.DIGESTS)
    except CommonplaceError as error:
        return Check("model", False, error.message)
    return Check("model", True, f"The files of {commonplace_embed.NAME} are the published ones.")


def _folder(data_dir: Path) -> Iterator[Check]:
    held = _nearest(data_dir)
    free = shutil.disk_usage(held).free
    yield Check("disk", free >= FREE_BYTES_MIN, f"{free // 1024**2} MiB are free where {held} is.")
    try:
        rate = _syncs_per_s(held)
    except OSError as error:
        yield Check("data directory", False, f"{held} cannot be written ({error.strerror}): check its permissions.")
        return
    yield Check("data directory", True, f"{data_dir} can be written.")
    yield Check("fsync", rate >= SYNCS_PER_S_MIN, f"The disk confirms {rate} writes a second.")


def _key(keys: Keys) -> Check:
    try:
        keys.verify()
        status = keys.status()
    except CommonplaceError as error:
        return Check("key", False, error.message)
    if not status.encrypted:
        return Check("key", True, "There is no master key, for the store is not encrypted.")
    return Check("key", True, f"The master key is kept in {status.place} and opens {status.data_keys} files.")


def _store(app: App) -> Iterator[Check]:
    yield from (_engine_version(name, version) for name, version in app.db.engine.versions().items())
    yield _clock(app)
    yield Check("store", True, f"The store in {app.db.engine.location} opens.")


def _engine_version(name: str, version: str) -> Check:
    least = {"PostgreSQL": POSTGRES_MIN, "pgvector": PGVECTOR_MIN}.get(name)
    if least and not _at_least(version, least):
        return Check(name, False, f"{name} {version} is too old: install {'.'.join(map(str, least))} or newer.")
    return Check(name, version != "missing", f"{name}: {version}.")


def _clock(app: App) -> Check:
    """A clock that was set back loses nothing, but what is written then bears the time of the last event."""
    now = app.clock.now()
    last = max(map(partial(_last_event, app), list_workspaces(app)), default=now)
    if last > now + CLOCK_SLACK:
        return Check(
            "clock",
            False,
            f"The clock says {format_instant(now)}, but the last event is of {format_instant(last)}: set it right.",
        )
    return Check("clock", True, f"The clock says {format_instant(now)}.")


def _last_event(app: App, workspace: Workspace) -> Instant:
    with app.db.read(workspace.id) as read:
        return Instant(read.head["recorded_at"])


def _server_disk() -> Check:
    return Check("encryption", True, "PostgreSQL content is not encrypted by Commonplace: encrypt the server's disk.")


def _files(app: App, data_dir: Path) -> Iterator[Check]:
    if app.db.engine.encrypted:
        yield Check("encryption", True, "The store is encrypted, each file under a key of its own.")
    else:
        yield Check("encryption", True, "The store was made without encryption: keep it on an encrypted disk.")
    yield _workspace_files(app, data_dir)


def _workspace_files(app: App, data_dir: Path) -> Check:
    """A kill while a workspace is made or deleted leaves a file that nothing lists."""
    held = {path.relative_to(data_dir).as_posix() for path in (data_dir / "workspaces").glob("*.db")}
    listed = {file_of(each.id).as_posix() for each in list_workspaces(app)}
    if missing := sorted(listed - held):
        return Check("workspaces", False, f"These files are missing, restore a backup: {', '.join(missing)}.")
    if orphans := sorted(held - listed):
        return Check("workspaces", False, f"No workspace has these files, you may delete them: {', '.join(orphans)}.")
    many = f"There are {len(listed)} workspaces, each with its file."
    return Check("workspaces", True, "There is 1 workspace, with its file." if len(listed) == 1 else many)


def _syncs_per_s(folder: Path) -> int:
    with NamedTemporaryFile(prefix=".commonplace-doctor-", dir=folder) as file:
        start = time.perf_counter()
        for _ in range(SYNCS):
            file.write(os.urandom(SYNC_BYTES))
            file.flush()
            os.fsync(file.fileno())
        return int(SYNCS / (time.perf_counter() - start))


def _nearest(folder: Path) -> Path:
    return next(each for each in (folder, *folder.absolute().parents) if each.is_dir())


def _at_least(version: str, least: tuple[int, ...]) -> bool:
    numbers = tuple(int(part) for part in version.split(maxsplit=1)[0].split(".") if part.isdigit())
    return numbers >= least
